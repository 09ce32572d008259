"""Homes for `shown.py`, rebuilt from public repositories by `shown_homes.toml` through the public commands.

    python -m benchmarks.shown_homes OUT --repositories FOLDER [--locomo FOLDER] [--only NAME ...] [--held]

FOLDER holds a git directory for each repository, `owner+name/repo` or `owner+name`, that has the commit of the recipe;
the folder of LoCoMo holds `conversations.json`. Files are written under their paths in the repository and dated by the
commit, or made as a user would have them (`shown_forms.py`: mails, an archive of mails or of a chat, the exports of
an assistant and of a phone; `shown_talks.py`: chats with an assistant, with friends, on a server, and transcripts of
talks; `shown_letters.py`).
Each home is one user of `brain ingest` and `brain nightly` in one Brain home. OUT/NAME gets `memories.parquet`,
all its rows of MEMORIES, and `shown.json`, the first LIMIT lines of `brain facts`. No text is part of this repository.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.retrieval_material import read_material
from benchmarks.shown_forms import (
    File,
    assistant_export,
    first_lines,
    first_turns,
    mail_archive,
    mails,
    mails_of,
    packed,
    phone_export,
)
from benchmarks.shown_letters import edited, letter_pages, letters, months
from benchmarks.shown_talks import assistant_sessions, dialogues, scenes, server_export, spoken, threads
from benchmarks.timeline_commands import brain
from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.stored import memory_index

RECIPE = Path(__file__).with_name("shown_homes.toml")
LIMIT = 15  # lines that a user sees first

Recipe = Mapping[str, Any]


def _dialogues(files: Sequence[File], recipe: Recipe) -> list[File]:
    who, when = (recipe["owner"], recipe["friends"]), (recipe["last"], recipe["apart"])
    return dialogues(files[0][1], recipe["rows"], *who, *when, recipe.get("phone", ""))


FORMS: Mapping[str, Callable[[Sequence[File], Recipe], list[File]]] = {  # by the key of a recipe that asks for it
    "mails": lambda files, recipe: mails(files[0][1], recipe["mails"], recipe["most"], recipe.get("year")),
    "mailbox": lambda files, recipe: [mail_archive(files[0][1], recipe["mailbox"], recipe["most"], recipe.get("year"))],
    "box": lambda files, recipe: mails_of(files, recipe["box"]),
    "assistant": lambda files, recipe: [assistant_export(files[0][1], recipe["assistant"])],
    "archive": lambda files, recipe: [(recipe["archive"], packed(files), files[0][2])],
    "sessions": lambda files, recipe: assistant_sessions(files, recipe["sessions"]),
    "rows": _dialogues,
    "spoken": lambda files, recipe: spoken(files, recipe["spoken"], recipe["last"], recipe["apart"]),
    "threads": lambda files, recipe: threads(files[0][1], recipe["threads"], recipe["last"], recipe["apart"]),
    "scenes": lambda files, recipe: scenes(files[0][1], recipe["scenes"]),
    "server": lambda files, recipe: server_export(files, recipe["server"]),
    "lines": lambda files, recipe: [first_lines(files[0], recipe["lines"], recipe["name"])],
    "characters": lambda files, recipe: [first_turns(each, recipe["characters"]) for each in files],
    "pages": lambda files, recipe: letter_pages(files, recipe["pages"]),
    "letters": lambda files, recipe: letters(files[0], recipe["letters"]),
    "edited": lambda files, recipe: edited(files, recipe["edited"]),
    "months": lambda files, _recipe: months(files[0]),
}


def recipes(*, held: bool | None = None) -> dict[str, Recipe]:
    """Return the recipes by name; `held` chooses those that are only measured, or those that are fitted to."""
    found = tomllib.loads(RECIPE.read_text("utf-8"))
    return {name: each for name, each in found.items() if held is None or each.get("held", False) == held}


def git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True).stdout


def spread(values: Sequence[str], most: int) -> list[str]:
    """Return at most `most` of the values, evenly spaced."""
    if len(values) <= most:
        return list(values)
    return [values[place * len(values) // most] for place in range(most)]


def repository_files(recipe: Recipe, folder: Path) -> Iterator[tuple[str, bytes, float]]:
    """Yield path, content and time of change of the files of a recipe with a repository."""
    name = recipe["repository"].replace("/", "+")
    source = folder / name / "repo" if (folder / name / "repo").is_dir() else folder / name
    commit = recipe["commit"]
    listed = git(source, "ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")
    found = sorted(path for path in listed if any(fnmatch.fnmatch(path, each) for each in recipe["paths"]))
    changed = float(git(source, "log", "-1", "--format=%ct", commit))
    for path in spread(found, recipe["most"]):
        yield path, git(source, "show", f"{commit}:{path}"), changed


def written(recipe: Recipe, into: Path, repositories: Path, locomo: Path | None) -> str:
    """Write the files of a home; return the source type to ingest them as, empty if it is detected."""
    if "conversation" in recipe:
        if locomo is None:
            raise SystemExit("a home of a conversation needs --locomo")
        material = read_material(locomo)[recipe["conversation"]]
        files = [(each.path, each.text.encode(), each.modified.timestamp()) for each in material.files]
        if "phone" in recipe:
            files = [phone_export(locomo, recipe["conversation"], recipe["phone"])]
    else:
        files = list(repository_files(recipe, repositories))
    asked = [make for key, make in FORMS.items() if key in recipe]
    for make in asked:
        files = make(files, recipe)
    for name, content, changed in files:
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (changed, changed))
    detected = asked or "phone" in recipe
    return recipe.get("source", "" if detected else "conversation" if "conversation" in recipe else "note")


def build(name: str, recipe: Recipe, out: Path, repositories: Path, locomo: Path | None) -> None:
    """Ingest one home and write its memories and the lines that are shown first."""
    brain_home, user, folder = out / "brain", name, out / name
    source = written(recipe, folder / "files", repositories, locomo)
    brain(brain_home, "ingest", str(folder / "files"), "--user", user, *(["--source", source] if source else []))
    brain(brain_home, "nightly", "--user", user)
    shown = brain(brain_home, "facts", "--user", user, "--limit", str(LIMIT), "--json")
    (folder / "shown.json").write_text(json.dumps(json.loads(shown)["memories"], ensure_ascii=False, indent=1), "utf-8")
    memory_index(Home(brain_home).space(user)).rows.write_parquet(folder / "memories.parquet")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--held", action="store_true", help="the homes that are only measured")
    options = parser.parse_args()
    for name, recipe in recipes(held=options.held).items():
        if options.only is None or name in options.only:
            build(name, recipe, options.out, options.repositories, options.locomo)
            print(name)


if __name__ == "__main__":
    main()

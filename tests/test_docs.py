"""Links, paths, imports and commands named in README.md and docs/ exist.

A path to code is written from the root of the repository or as the end of such a path ("ranking.py"). A command is
compared with the Typer application: its words up to the first argument, and its options.
"""

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from tests.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("brain_pipelines", "brain_retrieval", "benchmarks", "tests", "dagster_home", "docs")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
FULL_PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w")
MODULE = re.compile(r"(?<![\w./-])[\w-]+(?:/[\w-]+)*\.py\b")
PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
TEST_NAME = re.compile(r"\btest_\w+\b")
TEST_FUNCTION = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
IMPORT = re.compile(r"^\s*from (brain_\w[\w.]*) import ([\w, ]+)$", re.MULTILINE)
COMMAND = re.compile(r"(?:^\s*|[|;] +)(?:\.venv/bin/)?brain +([^\n#;]+)", re.MULTILINE)
Command = TyperCommand | TyperGroup
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def snippets(text: str) -> Iterator[str]:
    """Yield the code of a page: blocks, fenced or indented, then inline code."""
    yield from (block.group() for block in FENCE.finditer(text))
    rest = FENCE.sub("", text)
    yield from (line for line in rest.splitlines() if line.startswith("    "))
    yield from (found.replace("\\|", "|") for found in INLINE.findall(rest))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    headings = HEADING.findall(FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    """Return the relative links that lead to no file, or to no heading of it."""
    broken: list[str] = []
    for link in LINK.findall(page.read_text()):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        is_wrong = not target.exists() or (anchor and anchor not in anchors(target))
        if "://" not in link and is_wrong:
            broken.append(link)
    return broken


@cache
def code_files() -> tuple[str, ...]:
    return tuple(f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all test modules and test functions."""
    modules = [Path(file[1:]) for file in code_files() if file.startswith("/tests/")]
    functions = [name for path in modules for name in TEST_FUNCTION.findall((ROOT / path).read_text())]
    return frozenset(functions).union(path.stem for path in modules)


def missing_paths(text: str) -> list[str]:
    """Return the files, folders and tests that a page names and the repository does not have."""
    missing = [path for path in FULL_PATH.findall(text) if not (ROOT / path).exists()]
    missing += [path for path in MODULE.findall(text) if not any(file.endswith(f"/{path}") for file in code_files())]
    return missing + [test for test in TEST_NAME.findall(text) if test not in names_of_tests()]


def missing_imports(text: str) -> list[str]:
    """Return the names that examples import and that do not exist."""
    return [
        f"{module}.{name.strip()}"
        for module, names in IMPORT.findall(text)
        for name in names.split(",")
        if not hasattr(importlib.import_module(module), name.strip())
    ]


@cache
def application() -> TyperGroup:
    from brain_pipelines.commands.app import app

    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return root


def subcommands(command: Command) -> dict[str, Command]:
    """Return the commands of a group by name."""
    return cast("dict[str, Command]", command.commands) if isinstance(command, TyperGroup) else {}


def options(command: Command) -> set[str]:
    """Return the options of a command and of those below it."""
    found = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    return found.union(*(options(each) for each in subcommands(command).values()))


def resolve(words: list[str], command: Command) -> tuple[list[Command], list[str]]:
    """Return the commands that words name ("list|pull" names two), and what follows; no command if one is unknown."""
    below = subcommands(command)
    if not below or not words or not words[0][0].islower():
        return [command], words
    chosen = [below.get(name) for name in words[0].split("|")]
    resolved = [resolve(words[1:], each) for each in chosen if each is not None]
    if len(resolved) < len(chosen):
        return [], words
    return [each for found, _ in resolved for each in found], resolved[0][1]


def wrong_commands(text: str) -> list[str]:
    """Return the commands of a page that do not exist, or have an option that does not."""
    wrong: list[str] = []
    for line in (found for snippet in snippets(text) for found in COMMAND.findall(snippet)):
        commands, rest = resolve(line.split(), application())
        named = OPTION.findall(" ".join(rest))
        if not commands or any(option not in options(each) for each in commands for option in named):
            wrong.append(line)
    return wrong


def unknown_options(text: str) -> list[str]:
    """Return options in inline code that neither a command nor a benchmark has."""
    benchmarks = "".join(path.read_text() for path in (ROOT / "benchmarks").glob("*.py"))
    known = options(application())
    named = {option for snippet in INLINE.findall(FENCE.sub("", text)) for option in re.findall(r"^--[a-z-]+", snippet)}
    return sorted(option for option in named - known if f'"{option}"' not in benchmarks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text()
    assert broken_links(page) == []
    assert missing_paths(text) == []
    assert missing_imports(text) == []
    assert wrong_commands(text) == []
    assert unknown_options(text) == []


def test_pages_that_code_refers_to_exist() -> None:
    pages = {name for file in code_files() for name in PAGE.findall((ROOT / file[1:]).read_text())}
    assert pages
    assert sorted(name for name in pages if not (ROOT / name).exists()) == []


def test_wrong_names_are_found() -> None:
    text = (
        "`brain serch`, `brain search --users`, `--no-such`, brain_pipelines/gone.py, test_gone\n    brain note lst\n"
    )
    assert wrong_commands(text) == ["note lst", "serch", "search --users"]
    assert unknown_options(text) == ["--no-such"]
    assert missing_paths(text) == ["brain_pipelines/gone.py", "brain_pipelines/gone.py", "test_gone"]
    assert missing_imports("from brain_retrieval import Brain, Brian\n") == ["brain_retrieval.Brian"]

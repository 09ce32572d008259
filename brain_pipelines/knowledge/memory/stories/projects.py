"""Projects of agents: what sessions in one folder worked on, and what else names that folder, is about one matter."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.stories.groups import Group
from brain_pipelines.knowledge.memory.stories.matters import Matter
from brain_retrieval.ids import content_id
from brain_retrieval.language.plain import plain
from brain_retrieval.stores.memory_tables import THEME

SUBJECT = "matters"
LEAST_SESSIONS, LEAST_LETTERS, LEAST_PARTS = 2, 3, 2
WEIGHT = 0.5  # of a session: what was done in it is what the project is about
HOMES = ("home", "users")  # folders whose folders are of people


def folders_of_sessions(texts: pl.DataFrame) -> dict[str, str]:
    """Return the working folder by source that states one.

    Args:
        texts: source_id, attributes (JSON).
    """
    stated = texts.drop_nulls("attributes").filter(pl.col("attributes").str.contains("cwd", literal=True))
    read = {source_id: json.loads(one).get("cwd") for source_id, one in stated.select("source_id", "attributes").rows()}
    return {source_id: cwd for source_id, cwd in read.items() if isinstance(cwd, str) and cwd}


def projects_of(folders: Mapping[str, str]) -> Mapping[str, Group]:
    """Return the projects of at least LEAST_SESSIONS sessions by id; they are called as their folder is."""
    sources: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for source_id, folder in folders.items():
        if name := project_name(folder):
            key = content_id(THEME, "project", plain(name))
            sources[key].add(source_id)
            names[key].add(name)
    return {key: Group(key, min(names[key]), own) for key, own in sources.items() if len(own) >= LEAST_SESSIONS}


def project_name(folder: str) -> str:
    """Return the name of the project that a working folder is of, "" for a home folder and names that say nothing.

    >>> [project_name(one) for one in ("/home/ann/code/tide-table", "/home/ann", "/srv/shop/src")]
    ['tide-table', '', 'shop']
    """
    parts = [part for part in re.split(r"[/\\]+", folder) if part and not part.endswith(":") and part != "~"]
    while parts and plain(parts[-1]) in _general():
        parts.pop()
    if not parts or (len(parts) <= LEAST_PARTS and plain(parts[0]) in HOMES):
        return ""
    return parts[-1] if len(parts[-1]) >= LEAST_LETTERS and any(char.isalpha() for char in parts[-1]) else ""


def project_matters(rows: pl.DataFrame, projects: Mapping[str, Group]) -> dict[str, Matter]:
    """Return the projects as matters: what was said in their sessions, and what names them elsewhere."""
    found = {}
    counted = rows.filter("counted")
    for key, project in projects.items():
        named = rf"(?i)(?:^|[^\w/]){re.escape(project.name)}(?:$|\W)"
        own = counted.filter(pl.col("source_id").is_in(sorted(project.sources)) | pl.col("text").str.contains(named))
        found[key] = Matter(key, project.name, (project.name.casefold(),), tuple(own["memory_id"]))
    return found


@cache
def _general() -> frozenset[str]:
    """Return the names of folders that say nothing: "src"."""
    return frozenset(plain(word) for word in LEXICONS.every_language(SUBJECT).listed("general_folders"))

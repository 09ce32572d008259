"""Groups of a chat: all that three people or more wrote in a group or channel that has a name is about one matter."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import unquote

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.ids import content_id
from brain_retrieval.language.plain import plain
from brain_retrieval.stores.memory_tables import THEME

SUBJECT = "matters"
LEAST_PEOPLE, LEAST_LETTERS, MOST_WORDS = 3, 4, 6
# A day of a chat in a file, and of a channel in a workspace.
_FILE = re.compile(r"^[^:]*:[\w-]+/(?:.*/)?(?P<folder>[^/#]*)/(?P<name>[^/#]+)\.\w{1,5}#\d{4}-\d\d-\d\d(?:\.\d+)?$")
_CHANNEL = re.compile(r"[/#][A-Z0-9]{6,}~(?P<name>[^/#~]+)/")


@dataclass
class Group:
    """A group: its name and its sources."""

    anchor_id: str
    name: str
    sources: set[str] = field(default_factory=set)


def groups_of(sources: pl.DataFrame) -> Mapping[str, Group]:
    """Return the groups and channels of several people by id.

    Args:
        sources: source_id, uri, participants.
    """
    found: dict[str, Group] = {}
    people: dict[str, set[str]] = defaultdict(set)
    for source_id, uri, named in sources.select("source_id", "uri", "participants").iter_rows():
        name = group_name(uri)
        if name:
            key = content_id(THEME, "group", plain(name))
            found.setdefault(key, Group(key, name)).sources.add(source_id)
            people[key] |= {plain(one) for one in named or ()}
    return {key: one for key, one in found.items() if len(people[key]) >= LEAST_PEOPLE and not _is_of(one, people[key])}


def group_name(uri: str) -> str:
    """Return the name of the group or channel that a part of a chat is of, "" if it has none.

    >>> group_name("inbox:conversation/chats/WhatsApp%20Chat%20with%20Street%20party.txt#2026-03-02")
    'Street party'
    """
    plainly = unquote(uri)
    channel = _CHANNEL.search(plainly)
    match = _FILE.match(plainly.replace(":conversation/", ":conversation//", 1))
    if channel is None and match is None:
        return ""
    names = [channel["name"]] if channel else [match["name"], match["folder"]] if match else []
    for name in names:
        bare = _opening().sub("", " ".join(re.split(r"[\s_-]+", name))).strip(" #.,-_()")
        words = plain(bare).split()
        if len(bare) >= LEAST_LETTERS and len(words) <= MOST_WORDS and not _general().issuperset(words):
            return bare[:1].upper() + bare[1:] if any(char.isalpha() for char in bare) else ""
    return ""


def _is_of(group: Group, people: set[str]) -> bool:
    """Return whether a group is called after who writes in it."""
    words = set(plain(group.name).split())
    return any(words & set(one.split()) for one in people)


@cache
def _opening() -> re.Pattern[str]:
    """Return what programs write before the name of a group: "WhatsApp Chat with"."""
    listed = LEXICONS.every_language(SUBJECT).listed("chat_openings")
    return re.compile(
        rf"^(?:{'|'.join(sorted(map(re.escape, listed), key=lambda one: (-len(one), one)))})\s*", re.IGNORECASE
    )


@cache
def _general() -> frozenset[str]:
    """Return the words of which names of groups may consist that say nothing: "general"."""
    return frozenset(plain(word) for word in LEXICONS.every_language(SUBJECT).listed("general_groups"))

"""A model that reads by a trivial rule, for a server to answer with: sentences with "leads", "uses", "knows" are kept.

It follows the request's own wrapping: groups of numbered sentences between data tags.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

_GROUP = re.compile(r'<data id="(\w+)" label="sentences">\n(.*?)\n</data id="\1">', re.S)
_LINE = re.compile(r"(\d+) (?:([^:\d]{1,60}): )?(.*)")
_SENTENCE = re.compile(r"([A-Z]\w+(?: [A-Z]\w+)?) (leads|uses|knows) ([A-Z]\w+(?: [A-Z]\w+)?)\.")
_KINDS = {"leads": "Project", "uses": "Tool", "knows": "Person"}


@dataclass
class Asked:
    """A numbered sentence as the request shows it."""

    number: int
    said: str
    who: str = ""
    proposed: str = ""


def groups_in(body: dict[str, Any]) -> list[list[str]]:
    """Return the rows of each group of a request."""
    return [content.splitlines() for _, content in _GROUP.findall(body["messages"][1]["content"])]


def asked_in(body: dict[str, Any]) -> list[Asked]:
    """Return the numbered sentences of a request."""
    found: list[Asked] = []
    for row in (row for group in groups_in(body) for row in group[1:]):
        match = _LINE.fullmatch(row)
        if match and int(match[1]) == len(found) + 1:
            found.append(Asked(int(match[1]), match[3], match[2] or ""))
        elif row.startswith("= ") and ": " in row:
            found[-1].proposed = row.split(": ", 1)[1]
    return found


def entry(
    number: int, text: str = "", kind: str | None = None, words: dict[str, str] | None = None, /, **notes: str
) -> dict[str, Any]:
    """Return what an answer says of a sentence: another line or words of it, its kind, notes ("from" as `since`)."""
    named = {"from" if kind == "since" else kind: value for kind, value in notes.items()}
    changes = {"": text} if text else words or {}
    return {
        "i": number,
        "k": kind,
        "words": [{"a": old, "b": new} for old, new in changes.items()],
        "n": [{"k": k, "v": v} for k, v in named.items()],
    }


def name(name: str, kind: str = "Person", **more: Any) -> dict[str, Any]:
    """Return a name as a model writes it."""
    return {"n": name, "t": kind, **more}


def answer(keep: list[dict[str, Any]], *, last: int, names: list[dict[str, Any]] = ()) -> str:
    """Return an answer with the parts of `entry`."""
    parts = {
        "keep": [one["i"] for one in keep],
        "kinds": [{"k": one["k"], "i": [one["i"]]} for one in keep if one["k"]],
        "words": [{"i": one["i"], "c": _in_turn(one["words"])} for one in keep if one["words"]],
        "notes": [{"i": one["i"], **note} for one in keep for note in one["n"]],
        "names": list(names),
        "last": last,
    }
    return json.dumps(parts, separators=(",", ":"), ensure_ascii=False)


def _in_turn(changes: list[dict[str, str]]) -> list[str]:
    """Return words and what is in their place in turn, or a whole line alone."""
    return [part for change in changes for part in (change["a"], change["b"]) if part or change["a"]]


def reads(body: dict[str, Any]) -> str:
    """Return the rule's answer to a request."""
    asked = asked_in(body)
    keep = [entry(one.number) for one in asked if _SENTENCE.search(one.said)]
    names: dict[str, str] = {}
    for one in asked:
        for subject, verb, obj in _SENTENCE.findall(one.said):
            names |= {subject: "Person", obj: _KINDS[verb]}
    return answer(keep, last=len(asked), names=[name(n, kind) for n, kind in names.items()])

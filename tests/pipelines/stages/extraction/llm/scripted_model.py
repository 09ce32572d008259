"""A model that reads by a trivial rule, for a server to answer with: "A verb B." lines become entities and a fact.

It follows the request's own wrapping: items "Item n: header" with their text between data tags.
"""

import json
import re
from typing import Any

_ITEM = re.compile(r'Item (\d+): [^\n]*\n<data id="(\w+)" label="text">\n(.*?)\n</data id="\2">', re.S)
_SENTENCE = re.compile(r"([A-Z]\w+(?: [A-Z]\w+)?) (leads|uses|knows) ([A-Z]\w+(?: [A-Z]\w+)?)\.")
_KINDS = {"leads": ("Project", "WORKED_ON"), "uses": ("Tool", "USES"), "knows": ("Person", "KNOWS")}


def texts_of(body: dict[str, Any]) -> list[tuple[int, str]]:
    """Return index and text of the items of a request."""
    return [(int(index), text) for index, _, text in _ITEM.findall(body["messages"][1]["content"])]


def entity(name: str, kind: str = "Person", **changes: Any) -> dict[str, Any]:
    """Return an entity as a model writes it."""
    return {"name": name, "type": kind, "aliases": [], "about": "", "sure": 9, **changes}


def fact(subject: str, verb: str, obj: str, quote: str, **changes: Any) -> dict[str, Any]:
    """Return a fact as a model writes it."""
    plain = {"subject": subject, "verb": verb, "object": obj, "relation": "WORKED_ON", "stance": [], "when": ""}
    return {**plain, "quote": quote, "note": "", "sure": 9, **changes}


def read(index: int, text: str) -> dict[str, Any]:
    """Return what the rule finds in one text."""
    entities: dict[str, dict[str, Any]] = {}
    facts = []
    for match in _SENTENCE.finditer(text):
        subject, verb, obj = match.groups()
        kind, relation = _KINDS[verb]
        entities.setdefault(subject, entity(subject))
        entities.setdefault(obj, entity(obj, kind))
        facts.append(fact(subject, verb[:-1], obj, match[0], relation=relation))
    return {"index": index, "entities": list(entities.values()), "facts": facts}


def answer(*items: dict[str, Any]) -> str:
    """Return an answer with these items."""
    return json.dumps({"items": items}, separators=(",", ":"))


def reads(body: dict[str, Any]) -> str:
    """Return the rule's answer to a request."""
    return answer(*(read(index, text) for index, text in texts_of(body)))

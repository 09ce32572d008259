"""Trello: a board with its cards, each with its list, boxes, due day, members and comments."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    lists = {text_of(one, "id"): text_of(one, "name") for one in listed(value, "lists")}
    members = {text_of(one, "id"): text_of(one, "fullName") for one in listed(value, "members")}
    boxes: dict[str, list[dict[str, Any]]] = {}
    for one in listed(value, "checklists"):
        boxes.setdefault(text_of(one, "idCard"), []).extend(listed(one, "checkItems"))
    comments: dict[str, list[str]] = {}
    for action in reversed(listed(value, "actions")):  # they are listed newest first
        if action.get("type") == "commentCard":
            name = text_of(action, "memberCreator", "fullName")
            day = parse_time(action.get("date"), zone)
            said = (
                f"{name}{day.astimezone(zone).strftime(', %Y-%m-%d') if day else ''}: {text_of(action, 'data', 'text')}"
            )
            comments.setdefault(text_of(action, "data", "card", "id"), []).append(said)
    for card in listed(value, "cards"):
        key = text_of(card, "id")
        shown = [
            f"- [{'x' if box.get('state') == 'complete' else ' '}] {text_of(box, 'name')}" for box in boxes.get(key, ())
        ]
        due = parse_time(card.get("due"), zone)
        facts = {
            "List": lists.get(text_of(card, "idList"), ""),
            "Due": due.astimezone(zone).strftime("%Y-%m-%d %H:%M") if due else "",
            "Members": ", ".join(filter(None, (members.get(one, "") for one in names_in(card, "idMembers")))),
        }
        written = [
            text_of(card, "desc"),
            "\n".join(shown),
            "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact),
            *comments.get(key, ()),
        ]
        yield (
            Note(
                text="\n\n".join(part for part in written if part),
                title=text_of(card, "name"),
                key=key,
                time=_made(key) or parse_time(card.get("dateLastActivity"), zone),
                tags=[name for one in listed(card, "labels") if (name := text_of(one, "name"))],
                url=text_of(card, "shortUrl"),
            ),
            card,
        )


def _made(key: str) -> datetime | None:
    """Return when a card was made: the first eight hexadecimal digits of an id of a database like Trello's."""
    try:
        return parse_time(datetime.fromtimestamp(int(key[:8], 16), UTC), UTC) if len(key) == 24 else None
    except (ValueError, OverflowError, OSError):
        return None


def _alone(value: Any) -> Callable[[list[Any]], Any]:
    lists, members = _by(value, "lists", "id"), _by(value, "members", "id")
    boxes, actions = _by(value, "checklists", "idCard"), _by(value, "actions", "data", "card", "id")

    def alone(cards: list[Any]) -> Any:
        keys = [text_of(card, "id") for card in cards]
        people = dict.fromkeys(one for card in cards for one in names_in(card, "idMembers"))
        return {
            "labelNames": {},
            "prefs": {},
            "cards": cards,
            "lists": _chosen(lists, dict.fromkeys(text_of(card, "idList") for card in cards)),
            "members": _chosen(members, people),
            "checklists": _chosen(boxes, keys),
            "actions": _chosen(actions, keys),
        }

    return alone


def _by(value: Any, name: str, *keys: str) -> dict[str, list[dict[str, Any]]]:
    """Return the objects in a list of a board by what they belong to."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in listed(value, name):
        found.setdefault(text_of(one, *keys), []).append(one)
    return found


def _chosen(found: dict[str, list[dict[str, Any]]], keys: Iterable[str]) -> list[dict[str, Any]]:
    return [one for key in keys for one in found.get(key, ())]


APP = App("Trello", b"{", (b'"labelNames"', b'"prefs"'), _notes, _alone)

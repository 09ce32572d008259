"""Asana: the tasks of a project, each with its notes, its assignee and its days."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for task in listed(value, "data"):
        completed = parse_time(task.get("completed_at"), zone)
        facts = {
            "Project": ", ".join(names_in(task, "projects", "name")),
            "Assignee": text_of(task, "assignee", "name"),
            "Due": text_of(task, "due_on") or text_of(task, "due_at"),
            "Completed": completed.astimezone(zone).date().isoformat() if completed else "",
        }
        steps = (
            f"- [{'x' if one.get('completed') is True else ' '}] {text_of(one, 'name')}"
            for one in listed(task, "subtasks")
            if text_of(one, "name")
        )
        written = [text_of(task, "notes"), "\n".join(steps)]
        written.append("\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact))
        yield (
            Note(
                text="\n\n".join(part for part in written if part),
                title=text_of(task, "name"),
                key=text_of(task, "gid"),
                time=parse_time(task.get("created_at"), zone),
                tags=names_in(task, "tags", "name"),
            ),
            task,
        )


def _alone(_value: Any) -> Callable[[list[Any]], Any]:
    return lambda tasks: {"data": [marked_first(one, "gid", "completed", "assignee") for one in tasks]}


APP = App("Asana", b"{", (b'"data"', b'"gid"', b'"assignee"', b'"completed"'), _notes, _alone)

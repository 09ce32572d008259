"""Projects of agents: what the sessions of one folder worked on is one matter, with what names it elsewhere."""

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.stories.projects import (
    folders_of_sessions,
    project_matters,
    project_name,
    projects_of,
)
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from tests.pipelines.knowledge.memory.history import Said, day, lines, members
from tests.pipelines.knowledge.memory.memory_history import memories

SESSIONS = [
    Said(f"a{n}", n * 3.0, (), type="agent-output", summary=f"The reader of gauges checks file {n} now.")
    for n in range(6)
]
NOTE = Said("note", 20.0, (), summary="I release tide-table on Sunday.")
OTHER = Said("other", 21.0, (), summary="I bought a table.")
FOLDERS = {one.id: "/home/ann/code/tide-table" for one in SESSIONS}


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/ann/code/tide-table", "tide-table"),
        ("C:\\Users\\ann\\work\\tide-table\\src", "tide-table"),
        ("/home/ann", ""),
        ("/Users/ann/code", ""),
        ("/root", ""),
        ("/srv/12", ""),
    ],
)
def test_the_name_of_a_folder(folder: str, name: str) -> None:
    assert project_name(folder) == name


def test_the_folder_of_a_session_is_read_from_its_attributes() -> None:
    texts = pl.DataFrame(
        {"source_id": ["a", "b", "c"], "attributes": ['{"cwd": "/srv/tide-table"}', '{"note": "cwd"}', None]}
    )
    assert folders_of_sessions(texts) == {"a": "/srv/tide-table"}


def test_a_project_has_several_sessions_and_what_names_it_elsewhere() -> None:
    assert projects_of({"a0": "/srv/tide-table"}) == {}
    projects = projects_of(FOLDERS)
    rows = memories([*SESSIONS, NOTE, OTHER]).with_columns(counted=pl.lit(value=True))
    (matter,) = project_matters(rows, projects).values()
    assert matter.name == "tide-table"
    assert set(matter.memories) == {"m-note", *(f"m-{one.id}" for one in SESSIONS)}


def test_a_project_has_a_storyline() -> None:
    history = [*SESSIONS, NOTE, OTHER]
    usable = StoryMemories(memories(history), members(history), day(40), folders=FOLDERS)
    found, attached = lines(history, 40, memories=usable)
    (story,) = found.to_dicts()
    assert story["anchor"] == "tide-table"
    assert set(attached["source_id"]) == {"note", *(one.id for one in SESSIONS)}
    plain = StoryMemories(memories(history), members(history), day(40))
    assert lines(history, 40, memories=plain)[0].is_empty()

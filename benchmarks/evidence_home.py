"""A small home for claims with known verdicts: landed line by line, and taken through the stages."""

import json
import re
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings

STAGES_READ = ("raw", "text", "chunks", "embeddings", "extractions")
USER = "alice"
_TURN = re.compile(r"(\w+): (.+?)(?= \w+: |$)")


class Labelled(NamedTuple):
    """A claim with its verdict as of a day."""

    verdict: str
    claim: str
    as_of: str


def labelled(path: Path) -> list[Labelled]:
    """Return the claims of a file."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, claim = line.partition(" | ")
            verdict, _, day = head.partition(" ")
            found.append(Labelled(verdict, claim, day.strip("[]") or "2026-03-01"))
    return found


def build(home: Home, path: Path) -> Home:
    """Land every line of a file on its day and take it through the stages."""
    space, settings = home.space(USER).create(), load_settings(home.path)
    days: dict[str, set[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        if line.startswith("#"):
            continue
        head, _, text = line.partition(" | ")
        day, _, source = head.partition(" ")
        file = _write(space.inbox / source, day, source, text, number)
        with open_landing(space, settings) as landing:
            at = datetime.combine(date.fromisoformat(day), time(12, 30), UTC)
            days.setdefault(source, set()).update(landing.land(FileState.of(file, space.inbox), now=at))
    for source, dirty in days.items():
        for stage in (stage for stage in STAGES if stage.name in STAGES_READ):
            materialize(stage, SOURCES_BY_NAME[source], space, sorted(dirty), settings=settings, run_id="benchmark")
    return home


def _write(folder: Path, day: str, source: str, text: str, number: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if source == "conversation":
        turns = [
            {"session": f"s{number}", "speaker": who, "timestamp": f"{day}T12:{place:02}:00Z", "content": said}
            for place, (who, said) in enumerate(_TURN.findall(text))
        ]
        file = folder / f"{day}-{number}.jsonl"
        file.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
        return file
    file = folder / f"{day} {number}.md"
    file.write_text(f"---\ndate: {day}\n---\n{text}\n" if source == "note" else f"{text}\n", "utf-8")
    return file

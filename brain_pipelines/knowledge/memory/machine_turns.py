"""What machines said in which sources: assistants, agents and tools. What a person said is never among it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.stages.extraction.local.names.gazetteers import given_names
from brain_pipelines.stages.extraction.local.names.speakers import HUMAN_ROLES, MACHINE_ROLES

AGENT_OUTPUT = "agent-output"
MACHINE_SOURCES = (AGENT_OUTPUT, "conversation", "message")
SESSION = timedelta(days=1)  # what a session without a clock of its own may have lasted


@dataclass(frozen=True)
class MachineTurn:
    """Characters `start` to `end` of a source, without the label of the speaker; said at `said_at` at the latest."""

    source_id: str
    start: int
    text: str
    said_at: datetime


def machine_turns(texts: pl.DataFrame) -> list[MachineTurn]:
    """Return the turns of machines, by source and place.

    Args:
        texts: source_id, source_type, text, segments, event_at.
    """
    turns: list[MachineTurn] = []
    chosen = texts.filter(pl.col("source_type").is_in(MACHINE_SOURCES)).sort("source_id")
    for row in chosen.iter_rows(named=True):
        segments = [s for s in row["segments"] or () if s["speaker"]]
        machines = _machines({s["speaker"] for s in segments}, row["source_type"])
        # Where all turns have one time, the session has no clock: it is when the session began.
        clock = len(segments) < 2 or len({s["time"] for s in segments}) > 1
        for segment in segments:
            if segment["speaker"] in machines:
                said_at = (segment["time"] or row["event_at"]) + (timedelta() if clock else SESSION)
                turns.append(_turn(row, segment, said_at))
    return turns


def is_machine(speaker: str) -> bool:
    """Tell whether a speaker is called by the role of a machine: assistant, "tool search", "assistant:planner"."""
    head = speaker.casefold().replace(":", " ").split()
    return bool(head) and head[0] in MACHINE_ROLES


def _machines(speakers: set[str], source_type: str) -> set[str]:
    """Return the speakers that are machines. In the output of an agent, where nobody is called assistant, the one name
    that no person bears is the agent's; in doubt it is a person."""
    found = {speaker for speaker in speakers if is_machine(speaker)}
    others = [s for s in speakers - found if s.casefold() not in HUMAN_ROLES]
    only_tools = all(speaker.casefold().startswith("tool") for speaker in found)
    if source_type == AGENT_OUTPUT and only_tools and len(others) == 1:
        found |= {name for name in others if " " not in name.strip() and name not in given_names()}
    return found


def _turn(row: dict[str, Any], segment: dict[str, Any], said_at: datetime) -> MachineTurn:
    start, end = segment["start"], segment["end"]
    label = f"{segment['speaker']}:"
    if row["text"].startswith(label, start):
        start += len(label)
    return MachineTurn(row["source_id"], start, row["text"][start:end], said_at)

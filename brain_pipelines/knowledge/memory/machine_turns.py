"""Turns of machines (assistants, agents, tools) in conversations. Turns of persons are never included."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.stages.extraction.local.names.gazetteers import given_names
from brain_pipelines.stages.extraction.local.names.speakers import HUMAN_ROLES, MACHINE_ROLES

AGENT_OUTPUT = "agent-output"
MACHINE_SOURCES = (AGENT_OUTPUT, "conversation", "message")
SESSION = timedelta(days=1)  # assumed maximum length of a session without times of turns


@dataclass(frozen=True)
class MachineTurn:
    """A turn from character `start` of a source, without the speaker label; `said_at` is an upper bound."""

    source_id: str
    start: int
    text: str
    said_at: datetime


def machine_turns(texts: pl.DataFrame) -> list[MachineTurn]:
    """Return the turns of machines, ordered by source and position.

    Args:
        texts: source_id, source_type, text, segments, event_at.
    """
    turns: list[MachineTurn] = []
    chosen = texts.filter(pl.col("source_type").is_in(MACHINE_SOURCES)).sort("source_id")
    for row in chosen.iter_rows(named=True):
        segments = [s for s in row["segments"] or () if s["speaker"]]
        machines = _machines({s["speaker"] for s in segments}, row["source_type"])
        # If all turns have the same time, it is the start of the session, not the time of each turn.
        clock = len(segments) < 2 or len({s["time"] for s in segments}) > 1
        for segment in segments:
            if segment["speaker"] in machines:
                said_at = (segment["time"] or row["event_at"]) + (timedelta() if clock else SESSION)
                turns.append(_turn(row, segment, said_at))
    return turns


def is_machine(speaker: str) -> bool:
    """Return whether a speaker label starts with a machine role: "assistant", "tool search", "assistant:planner"."""
    head = speaker.casefold().replace(":", " ").split()
    return bool(head) and head[0] in MACHINE_ROLES


def _machines(speakers: set[str], source_type: str) -> set[str]:
    """Return the speakers that are machines.

    In agent output without an assistant, the only other speaker is the agent if its name is one word and not a known
    given name; in doubt it is a person.
    """
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

"""The prompts and the response model for the summary of a storyline. Raise VERSION when either changes."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from brain_pipelines.knowledge.memory.passages import Passage
from brain_retrieval.models.chat.protocol import DATA_RULE, as_data

VERSION = "1"
NAME = "storyline"
CITING = """Every sentence rests on numbered passages and names their numbers. Say nothing that no passage says; no
introduction, no advice. Write plain sentences in the language of most passages. Dates stand before the passages."""

SYSTEM = f"""You write down what has happened around one person, subject or thing in someone's own archive.
{DATA_RULE}
Give 2 or 3 sentences in the order of events: how it began, what changed, how it stands now.
{CITING}"""

REFRESH_SYSTEM = f"""You keep up to date what has happened around one person, subject or thing in someone's own archive.
{DATA_RULE}
You get the current summary and passages: first those it was made of, then newer ones. Give 2 or 3 sentences: keep what
still matters of the current summary, add what is new, and say how it stands now.
{CITING}"""


class CitedSentence(BaseModel):
    """One sentence and the numbers of the passages it rests on."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    passages: list[int] = Field(max_length=8)


class CitedSummary(BaseModel):
    """A summary whose every sentence says where it is from."""

    model_config = ConfigDict(extra="ignore")

    sentences: list[CitedSentence] = Field(max_length=5)


def user_prompt(anchor: str, passages: Sequence[Passage], *, current: str = "") -> str:
    """Return the user prompt: the anchor, the current summary if there is one, the passages numbered from 1."""
    lines = (f"[{n}] {p.source.at:%Y-%m-%d} {p.source.source_type}: {p.text}" for n, p in enumerate(passages, start=1))
    parts = [as_data(anchor, "about whom or what"), as_data("\n".join(lines), "passages")]
    if current:
        parts.insert(1, as_data(current, "current summary"))
    return "\n\n".join(parts)

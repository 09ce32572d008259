"""The enrichment of one text by a chat model: prompt and response model. Change VERSION when either changes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from brain_retrieval.models.chat.protocol import DATA_RULE, as_data

VERSION = "2"
NAME = "enrichment"
GAP = "\n[…]\n"
# What the tags and the wrapping take of the room for the text.
OVERHEAD = 400

Term = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=30)]

SYSTEM = f"""You describe one text of a person's own archive so that it is found again.
{DATA_RULE}
Give, in the language of the text:
- summary: one or two sentences, at most 400 characters, only what the text says, no introduction.
- keywords: 5 to 10 terms someone would search for: names, projects, subjects. As the text writes them.
- tags: 3 to 5 lower-case words for context (work, personal), tone (neutral, positive, urgent) and domain (design,
  health, travel). In English.
- bucket: PERSONAL_LIFE (health, relationships, finances, home, travel), CREATOR (code, design, research, writing),
  PROJECTS (what belongs to one project: meetings, plans, budgets, customers), UNSORTED if nothing speaks for one.
- bucket_confidence: 0 to 1."""


class EnrichmentAnswer(BaseModel):
    """What the model says of a text."""

    model_config = ConfigDict(extra="ignore")

    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]
    keywords: list[Term] = Field(min_length=1, max_length=10)
    tags: list[Tag] = Field(min_length=1, max_length=5)
    bucket: Literal["PERSONAL_LIFE", "CREATOR", "PROJECTS", "UNSORTED"]
    bucket_confidence: float = Field(ge=0, le=1)


def user_prompt(text: str, *, title: str, source: str, day: str, most: int) -> str:
    """Return the request for a text; of one longer than `most` characters its head, samples of its middle, its tail."""
    head = f"A text of type {source}, dated {day}.\n"
    return head + as_data(f"{title}\n\n{excerpt(text, max(200, most - OVERHEAD - len(title)))}")


def excerpt(text: str, most: int) -> str:
    """Return at most `most` characters of a text: half from its head, a fifth from its tail, the rest in between."""
    if len(text) <= most:
        return text
    head, tail, samples = most // 2, most // 5, 4
    each = (most - head - tail) // samples - len(GAP) - 1
    middle = len(text) - head - tail
    if each <= 0:
        return text[:head] + GAP + text[len(text) - tail + len(GAP) :]
    starts = [head + middle * (n + 1) // (samples + 1) for n in range(samples)]
    pieces = [text[start : start + each] for start in starts]
    return GAP.join([text[:head], *pieces, text[len(text) - tail + len(GAP) :]])[:most]

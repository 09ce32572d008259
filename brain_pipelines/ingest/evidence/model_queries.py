"""Queries worded by the chat model of the settings, where one may be used. It sees the claim and nothing else."""

from pydantic import BaseModel, Field

from brain_pipelines.ingest.evidence.budget import Budget
from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.models.chat.build import build_chat
from brain_retrieval.models.chat.protocol import DATA_RULE, as_data
from brain_retrieval.settings import Settings

MOST, MOST_CHARACTERS, MOST_OUTPUT = 4, 200, 400
SYSTEM = (
    "Write queries for a web search engine that find pages which confirm or refute the claim. Each query has a few "
    "words of its own wording: other terms for the same thing, what must be so if the claim is wrong, the name of "
    "who would know. " + DATA_RULE
)


class WordedQueries(BaseModel):
    """The queries, the most promising first."""

    queries: list[str] = Field(max_length=MOST)


def worded_queries(claim: str, settings: Settings, budget: Budget, warnings: list[str]) -> list[str]:
    """Return queries by the chat model; [] if none is set or allowed, and with a warning if it fails.

    Each must have a word of the claim.
    """
    most = settings.evidence.online.max_model_tokens
    chat = build_chat(settings) if most and settings.llm.model else None
    if chat is None:
        return []

    try:
        found = chat.complete(
            WordedQueries,
            system=SYSTEM,
            user=as_data(claim, "claim"),
            name="evidence_queries",
            on_usage=budget.count_tokens,
            allow=lambda size: budget.allow_tokens(size + MOST_OUTPUT),
            most_output=MOST_OUTPUT,
        )
    except BrainError as error:
        warnings.append(f"queries are made by rules: {error}")
        return []
    words = set(forms_in(claim, None))
    texts = (" ".join(text.split())[:MOST_CHARACTERS] for text in found.queries)
    return [text for text in texts if words & set(forms_in(text, None))]

"""Enrichment of a text by a chat model; missing terms are filled from the extractive enrichment."""

from typing import Any

from brain_pipelines.stages.enrichment import prompt as prompt
from brain_pipelines.stages.enrichment.extractive import Enrichment
from brain_pipelines.stages.enrichment.tags import FEWEST as FEWEST_TAGS
from brain_pipelines.stages.enrichment.tags import MOST as MOST_TAGS
from brain_retrieval.models.chat.protocol import ChatModel

FEWEST, MOST = 5, 5  # keywords, filled up from those without a model


def enrich_with(chat: ChatModel, document: dict[str, Any], plain: Enrichment, *, most: int) -> Enrichment:
    """Return the enrichment of a row of DOCUMENT_TEXT by `chat`, in one request of at most `most` characters.

    The summary is the model's own words, so it has no spans.

    Raises:
        ModelCallError: the endpoint failed, refused, or gave no valid answer.
    """
    request = request_of(document, most)
    answer = chat.complete(prompt.EnrichmentAnswer, system=prompt.SYSTEM, user=request, name=prompt.NAME)
    return Enrichment(
        summary=" ".join(answer.summary.split()),
        keywords=_filled(answer.keywords, plain.keywords, FEWEST, MOST),
        tags=_filled([tag.lower() for tag in answer.tags], plain.tags, FEWEST_TAGS, MOST_TAGS),
        bucket=answer.bucket,
        confidence=round(answer.bucket_confidence, 3),
    )


def request_of(document: dict[str, Any], most: int) -> str:
    """Return the user prompt for a row of DOCUMENT_TEXT."""
    return prompt.user_prompt(
        document["text"], title=document["title"], source=document["source"], day=str(document["day"]), most=most
    )


def _filled(given: list[str], spare: list[str], fewest: int, most: int) -> list[str]:
    """Return the given terms without repetition, and as many spare ones as it takes to have `fewest`."""
    terms = {" ".join(term.split()).casefold(): " ".join(term.split()) for term in reversed(given)}
    chosen = list(reversed(terms.values()))[:most]
    missing = [term for term in spare if term.casefold() not in terms]
    return chosen + missing[: max(0, fewest - len(chosen))]

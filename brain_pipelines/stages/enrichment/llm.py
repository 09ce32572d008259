"""Enrichment of a text by a chat model; missing terms are filled from the extractive enrichment."""

import re
from typing import Any

from brain_pipelines.stages.enrichment import prompt as prompt
from brain_pipelines.stages.enrichment.extractive import Enrichment
from brain_pipelines.stages.enrichment.tags import FEWEST as FEWEST_TAGS
from brain_pipelines.stages.enrichment.tags import MOST as MOST_TAGS
from brain_retrieval.errors import RequestTooLongError
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.folding import fold
from brain_retrieval.language.support import FLOOR, STEM, added_names, numbers_of, stems
from brain_retrieval.models.chat.protocol import ChatModel

FEWEST_CHARS = 500  # of a request; a shorter one is not tried
_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")  # words, no mark or address that a model copied from its request
FEWEST, MOST = 5, 5  # keywords, filled up from those without a model


def enrich_with(chat: ChatModel, document: dict[str, Any], plain: Enrichment, *, most: int) -> tuple[Enrichment, str]:
    """Return the enrichment of a row of DOCUMENT_TEXT by `chat`, and what of its answer was not used, "" for nothing.

    One request of at most `most` characters; if it is too long for the endpoint, one of half as many, down to
    FEWEST_CHARS. The summary is the model's own words, so it has no spans; one with a number or a name that the text
    does not have, or that is about something else, is replaced by the extractive one. Keywords are words of the text.

    Raises:
        ModelCallError: the endpoint failed, refused, or gave no valid answer.
    """
    answer = _asked(chat, document, most)
    known = f"{document['title']}\n{document['text']}\n{document['day']}"
    summary = " ".join(answer.summary.split())
    fault = _added(summary, known) or _foreign(summary, document)
    return Enrichment(
        summary=plain.summary if fault else summary,
        keywords=_filled([term for term in answer.keywords if _stands_in(term, known)], plain.keywords, FEWEST, MOST),
        tags=_filled(
            [tag for tag in map(str.lower, answer.tags) if _TAG.fullmatch(tag)], plain.tags, FEWEST_TAGS, MOST_TAGS
        ),
        bucket=answer.bucket,
        confidence=round(answer.bucket_confidence, 3),
        spans=plain.spans if fault else [],
    ), fault


def _asked(chat: ChatModel, document: dict[str, Any], most: int) -> prompt.EnrichmentAnswer:
    while True:
        request = request_of(document, most)
        try:
            return chat.complete(prompt.EnrichmentAnswer, system=prompt.SYSTEM, user=request, name=prompt.NAME)
        except RequestTooLongError:
            most = min(most, len(request)) // 2
            if most < FEWEST_CHARS:
                raise


def _added(summary: str, known: str) -> str:
    """Return what is wrong with a summary, "" if its numbers and names stand in the text."""
    if numbers_of(summary) - numbers_of(known):
        return "the summary has a number that the text does not have"
    return "the summary has a name that the text does not have" if added_names(summary, known) else ""


def _foreign(summary: str, document: dict[str, Any]) -> str:
    """Return what is wrong with a summary of something else, or without words, "" if the text has its words."""
    said = stems(summary, content_words)
    # Scripts without capital letters often have no spaces either: their words are not compared.
    compared = frozenset(word for word in said if word.upper() != word)
    there = stems(document["text"], content_words)
    if said and len(compared & there) >= FLOOR * len(compared):
        return ""
    return "" if _WORD.search(summary) and not said else "the summary says nothing that the text says"


def _stands_in(term: str, known: str) -> bool:
    """Return whether the words of a term stand in the text, in some form, and its numbers as they are."""
    there = fold(known)
    return numbers_of(term) <= numbers_of(known) and all(word[:STEM] in there for word in _WORD.findall(fold(term)))


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

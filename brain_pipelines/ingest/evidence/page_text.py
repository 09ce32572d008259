"""The main text of a fetched page, read as the text stage reads it, before it is decided whether the page is kept."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from brain_pipelines.connectors.http.fetch import Page
from brain_pipelines.ingest.evidence.likeness import Shingles, shingles
from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.text import read_text
from brain_retrieval.evidence.candidates.gathering import overlap
from brain_retrieval.evidence.candidates.pages import statements_of_page
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.evidence.stance.compared import Wanted
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

SOURCE = "web-page"
ABOUT = 0.34  # share of a statement's words that a sentence has, for its page to be kept
_NAMES = {"text/html": "page.html", "application/xhtml+xml": "page.html", "application/pdf": "page.pdf"}


@dataclass(frozen=True)
class PageText:
    """What a page says: its sentences about the claim, and the likeness of all of it."""

    about: tuple[Statement, ...]
    likeness: Shingles
    words: int


def read_fetched(page: Page, space: Space, settings: Settings, claim: Claim) -> PageText:
    """Return what a fetched page says about a claim. Nothing is stored.

    Raises:
        BadInputError: its format is not supported, or it is damaged or without text.
    """
    source = SOURCES_BY_NAME[SOURCE]
    space.create().scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(dir=space.scratch) as scratch:
        path = Path(scratch) / _NAMES.get(page.content_type, "page.txt")
        path.write_bytes(page.body)
        inner = Path(scratch) / "reading"
        inner.mkdir()
        found = detect_format(path)
        row = _row(page, format=found.name, mime=found.mime, name=path.name)
        document, _ = read_text(row, path, source, Reading(settings, inner, source=SOURCE))
    statements = statements_of_page(document, approved=False)
    text = document["text"]
    return PageText(tuple(about(statements, claim)), shingles(text), len(text.split()))


def about(statements: Any, claim: Claim) -> list[Statement]:
    """Return the statements that have enough words of one of the statements of a claim."""
    wanted = [Wanted(part) for part in claim.statements]
    return [one for one in statements if any(overlap(each, one, {}) >= ABOUT for each in wanted)]


def _row(page: Page, **detected: str) -> dict[str, Any]:
    """Return a row of RAW for a page that has not landed."""
    at = page.fetched_at
    return {
        **dict.fromkeys(("source_id", "uri", "day"), ""),
        "source": SOURCE,
        "event_at": at,
        "received_at": at,
        "fetched_at": at,
        "trust": "external",
        "sensitivity": "normal",
        "ttl_policy": None,
        "parent_id": None,
        "url": page.final_url,
        "meta": "{}",
        **detected,
    }

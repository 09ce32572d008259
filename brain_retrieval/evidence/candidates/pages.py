"""Statements of a page by its row of DOCUMENT_TEXT: for pages that no search finds, as they wait for an approval."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from brain_retrieval.evidence.candidates.passages import placed
from brain_retrieval.evidence.candidates.statement import Statement

MOST_SENTENCES = 2000  # of a page


def statements_of_page(row: Mapping[str, Any], *, approved: bool) -> Iterator[Statement]:
    """Yield the sentences of a page as statements.

    Args:
        row: of DOCUMENT_TEXT.
        approved: whether the page may be relied on.
    """
    language = row["language"]
    for text, span, context in islice(placed(row["text"], language), MOST_SENTENCES):
        yield Statement(
            text=text,
            origin="passage",
            source_id=row["source_id"],
            source=row["source"],
            uri=row["uri"],
            span=span,
            said_at=row["event_at"],
            received_at=row["received_at"],
            day=row["day"],
            context=context,
            title=row["title"],
            url=row["url"],
            language=language,
            trust="external",
            approved=approved,
        )

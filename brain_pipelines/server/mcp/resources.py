"""Resources: sources and storylines by id, and pages that list them. Stored text is fenced as data."""

import logging
from collections.abc import Callable
from typing import TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from brain_pipelines.server.mcp.answers import citation, day, fenced, heading
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.stored import newest_sources, source_text
from brain_retrieval.errors import BrainError, NoSnapshotError
from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.knowledge.stories.closed import without_closed

LOGGER = logging.getLogger(__name__)
PAGE = 50  # entries of a listing page
MOST_CHARS = 40_000  # of a source in one resource; memory_get reads longer ones in pages
MIME = "text/plain"

Current = Callable[[], UserMemory]
Found = TypeVar("Found")


def add_resources(server: MCPServer, current: Current) -> None:
    """Add the resources; `current` returns the memory of the user of the running request."""

    def resource(uri: str, name: str, description: str, read: Callable[..., str]) -> None:
        server.resource(uri, name=name, description=description, mime_type=MIME)(read)

    def sources() -> str:
        return _page(current(), 1)

    def sources_page(page: str) -> str:
        return _page(current(), _number(page))

    def source(source_id: str) -> str:
        return _source(current(), source_id)

    def storylines() -> str:
        return _storylines(current())

    def storyline(storyline_id: str) -> str:
        return _storyline(current(), storyline_id)

    resource("brain://sources", "sources", "The newest stored sources, with the uri of each.", sources)
    resource("brain://sources/{page}", "sources-page", "Further pages of the stored sources, from 1.", sources_page)
    resource("brain://source/{source_id}", "source", "The text of one stored source.", source)
    resource("brain://storylines", "storylines", "Storylines: events around one person or thing.", storylines)
    resource("brain://storyline/{storyline_id}", "storyline", "One storyline with its citations.", storyline)


def _number(page: str) -> int:
    if not (page.isascii() and page.isdigit() and 1 <= int(page) <= 100_000):
        raise ResourceNotFoundError("a page is a number from 1 on")
    return int(page)


def _page(memory: UserMemory, page: int) -> str:
    rows = _found(lambda: newest_sources(memory.brain.space, PAGE, (page - 1) * PAGE))
    lines = [
        f"brain://source/{row['source_id']} {heading(day(row['event_at']), row['source'], row['title'])}"
        for row in rows
    ]
    more = f"More: brain://sources/{page + 1}" if len(rows) == PAGE else "No more sources."
    return fenced(f"Stored sources, page {page}, the newest first.", "\n".join(lines)) + "\n" + more


def _source(memory: UserMemory, source_id: str) -> str:
    found = _found(lambda: source_text(memory.brain.space, source_id))
    title = f"{heading(day(found.event_at), found.source, found.title)} {citation(found.uri)}"
    rest = len(found.text) - MOST_CHARS
    more = f"\n{rest} characters follow: memory_get(id={found.source_id!r}, start={MOST_CHARS})." if rest > 0 else ""
    return fenced(title, found.text[:MOST_CHARS]) + more


def _storylines(memory: UserMemory) -> str:
    try:
        cards = _found(lambda: _unasked(memory.knowledge()))
    except NoSnapshotError:
        return "No storylines yet: they are computed with the nightly snapshot (`brain nightly`)."
    lines = [
        f"brain://storyline/{card.id} {heading(card.name, day(card.started_at), day(card.last_event_at), card.anchor)}"
        for card in cards[: 2 * PAGE]
    ]
    return fenced("Storylines, the newest first.", "\n".join(lines)) if lines else "No storylines yet."


def _unasked(known: Knowledge) -> list[StorylineCard]:
    return without_closed(known, known.storylines())


def _storyline(memory: UserMemory, storyline_id: str) -> str:
    try:
        cards = _found(lambda: memory.knowledge().storylines())
    except NoSnapshotError:
        cards = []
    card = next((one for one in cards if one.id == storyline_id), None)
    if card is None:
        raise ResourceNotFoundError("there is no such storyline")
    parts = [f"{day(part.at)} {part.text}" for part in card.parts] or [card.description]
    cited = [f"cites brain://source/{one.source_id} {citation(one.uri, one.span)}" for one in card.citations]
    sources = [f"source brain://source/{one.source_id} {day(one.event_at)} {one.title}" for one in card.sources]
    title = heading(card.name, f"about {card.anchor}", day(card.started_at), day(card.last_event_at))
    return fenced(title, "\n".join([*parts, *cited, *sources]))


def _found(read: Callable[[], Found]) -> Found:
    """Return what is read; what this user does not have does not exist."""
    try:
        return read()
    except NoSnapshotError:
        raise
    except BrainError as error:
        raise ResourceNotFoundError(str(error)) from None
    except Exception as error:  # its message may hold stored text
        LOGGER.error("a resource could not be read: %s", type(error).__name__)
        raise ResourceError("the server failed inside; try memory_get") from None

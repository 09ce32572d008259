"""`why`: what something is made of, down to the bytes, and what depends on it. Reads only."""

from contextlib import ExitStack

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.query.why.above import above
from brain_retrieval.query.why.node import Why, cut
from brain_retrieval.query.why.resolve import resolve
from brain_retrieval.query.why.stored import Stored
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog

DEPTH, LIMIT = 8, 5
MOST_DEPTH, MOST = 20, 200


def why(space: Space, settings: Settings, asked: str, *, depth: int = DEPTH, limit: int = LIMIT) -> Why:
    """Return where something comes from and what depends on it.

    Args:
        asked: anything that Brain shows: the id of a memory, relation, passage, source, name, storyline, macro, note or
            mention; "uri [first:last]" of a hit or of an item of evidence; the uri, address or hash of a source; a
            name.
        depth: levels below what is asked about, 0–20.
        limit: of the things listed at each level, 1–200; what is left out is counted.

    Raises:
        InvalidQueryError: for an id that this user does not have, or a number out of range.
    """
    if not 0 <= depth <= MOST_DEPTH or not 1 <= limit <= MOST:
        raise InvalidQueryError(f"depth is 0–{MOST_DEPTH}, limit 1–{MOST}")
    with ExitStack() as opened:
        stored = Stored(space, settings, opened.enter_context(Catalog(space)), opened)
        (kind, make, row), others = resolve(stored, asked)
        root = cut(make(stored, row, limit), depth)
        groups = above(stored, kind, row, limit)
    warnings = [*stored.warnings]
    if stored.known.day is None:
        warnings.append("no snapshot yet: names, relations and storylines are not known")
    return Why(asked.strip(), root, groups, tuple(others), tuple(dict.fromkeys(warnings)))

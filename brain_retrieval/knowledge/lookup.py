"""Entity lookup: a name, part of a name, id or former id → entity ids; and the list of all entities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from typing import Any

import polars as pl

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.memories.shown.fitness import OWNER
from brain_retrieval.knowledge.salience import salience_of
from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.schemas.names import ENTITY_TYPES
from brain_retrieval.stores.memory_tables import THEME

MAX_NAME = 300
LEAST_LETTERS = 5  # of a name that is found by its letters alone
_ORDER = ("source_count", "mention_count", "salience")
INFERRED = ("guess", "initial", "nickname", "context")  # rules by which no source says that two names are one


def find_entities(names: pl.DataFrame, called: str) -> list[str]:
    """Return the ids of the entities that `called` may refer to, the most mentioned first; [] for none.

    A matching id takes precedence over a name, a full name over a partial one, that over the same letters and digits
    alone ("Alan Shaw" for "@alanshaw"), and that over the name without a form of address.

    Args:
        names: ENTITY_NAMES.
    """
    wanted = called.strip()[:MAX_NAME]
    if not wanted:
        return []
    by_id = names.filter((pl.col("entity_id") == wanted) | (pl.col("name_id") == wanted))
    if not by_id.is_empty():
        return _ranked(by_id)
    form = fold(wanted)
    forms = names.with_columns(pl.col("display").map_elements(fold, return_dtype=pl.String).alias("form"))
    exact = forms.filter((pl.col("form") == form) | (pl.col("name") == form))
    if not exact.is_empty():
        return _ranked(exact)
    inside = pl.format(" {} ", "form").str.contains(f" {form} ", literal=True)
    if not (partly := forms.filter(inside)).is_empty():
        return _ranked(partly)
    letters = pl.col("form").str.replace_all(r"[^\p{L}\p{N}]", "")
    found = _ranked(forms.filter(letters == _letters(form))) if len(_letters(form)) >= LEAST_LETTERS else []
    bare = without_title(wanted)
    return found or (find_entities(names, bare) if bare != wanted else [])


def without_title(called: str) -> str:
    """Return a name without the forms of address before it: "Mr Oduya" and "Frau Dr. Ott" are stored without.

    A form of address alone is returned as it is.
    """
    words = called.split()
    first = next((n for n, word in enumerate(words) if word.casefold().rstrip(".") not in _addresses()), 0)
    return " ".join(words[first:]) if first else called


@cache
def _addresses() -> frozenset[str]:
    return SHARED.every_language("questions").words("name_heads")


def _letters(form: str) -> str:
    return "".join(char for char in form if char.isalnum())


def suggestions(names: pl.DataFrame, called: str, most: int = 5) -> list[str]:
    """Return the known names most similar to `called`, best first."""
    displays = {fold(name): name for name in names["display"].to_list()}
    return [displays[near] for near in get_close_matches(fold(called)[:MAX_NAME], list(displays), n=most, cutoff=0.6)]


def one_entity(names: pl.DataFrame, called: str) -> tuple[str, list[str]]:
    """Return the id of the best matching entity, and the ids of the other candidates.

    Raises:
        InvalidQueryError: if there is none; the message suggests similar names.
    """
    found = find_entities(names, called)
    if not found:
        near = suggestions(names, called)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise InvalidQueryError(f"nothing is known of {called.strip()[:MAX_NAME]!r}{hint}")
    return found[0], found[1:]


def one_anchor(table: Callable[[str], pl.DataFrame], called: str) -> str:
    """Return the id of the best matching entity, else of the theme of storylines with that name.

    Args:
        table: returns a table of the snapshot.
        called: a name.

    Raises:
        InvalidQueryError: if there is neither.
    """
    names, wanted = table("entity_names"), fold(called.strip())
    if not find_entities(names, called):
        lines = table("storylines").filter(pl.col("anchor_id").str.starts_with(f"{THEME}_"))
        for anchor_id, anchor in lines.select("anchor_id", "anchor").iter_rows():
            if fold(anchor) == wanted:
                return anchor_id
    return one_entity(names, called)[0]


def _ranked(names: pl.DataFrame) -> list[str]:
    counts = names.group_by("entity_id").agg(pl.col("source_count").max())
    return counts.sort(["source_count", "entity_id"], descending=[True, False])["entity_id"].to_list()


def inferred_names(merges: pl.DataFrame, entity_id: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """Return the aliases of an entity that ENTITY_MERGES joins to it by an inference alone."""
    mine = merges.filter((pl.col("entity_id") == entity_id) & (pl.col("decision") == "merged"))
    inferred = pl.col("rule").is_in(INFERRED) & (pl.col("decided_by") == "rule")
    parts = (mine.filter(inferred), mine.filter(~inferred))
    guessed, stated = ({*rows["left_name"], *rows["right_name"]} for rows in parts)
    return tuple(name for name in aliases if name in guessed and name not in stated)


def other_names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the other names of a row of KNOWN_ENTITIES, of the owner without what extraction calls any owner."""
    return tuple(name for name in row["aliases"] if not (row["is_owner"] and name == OWNER))


@dataclass(frozen=True)
class EntityLine:
    """One entity of a list; `salience` is that of now, 0–1 and more after recalls."""

    entity_id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    is_owner: bool
    source_count: int
    mention_count: int
    first_mentioned_at: datetime
    last_mentioned_at: datetime
    salience: float

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON values, times in ISO 8601."""
        times = {"first_mentioned_at": self.first_mentioned_at, "last_mentioned_at": self.last_mentioned_at}
        return {**asdict(self), "aliases": list(self.aliases), **{k: v.isoformat() for k, v in times.items()}}


def entity_list(
    known: pl.DataFrame, strengths: pl.DataFrame, kind: str | None = None, limit: int = 50
) -> tuple[list[EntityLine], int]:
    """Return the first `limit` entities of the newest snapshot, of one of ENTITY_TYPES or all, and their number.

    Args:
        known: KNOWN_ENTITIES.
        strengths: SALIENCE.

    Raises:
        InvalidQueryError: for an unknown type.
    """
    rows = known
    if kind is not None:
        types = {name.casefold(): name for name in ENTITY_TYPES}
        if kind.casefold() not in types:
            raise InvalidQueryError(f"there is no type {kind!r} of entities; there are {', '.join(ENTITY_TYPES)}")
        rows = rows.filter(pl.col("type") == types[kind.casefold()])
    now = datetime.now(UTC)
    mine = strengths.filter(pl.col("item_id").is_in(rows["entity_id"].to_list()))
    salience = {row["item_id"]: round(salience_of(row, now), 2) for row in mine.iter_rows(named=True)}
    shown = rows.with_columns(
        pl.col("entity_id").replace_strict(salience, default=0.0, return_dtype=pl.Float64).alias("salience")
    )
    shown = shown.sort(*_ORDER, "name", "entity_id", descending=[True, True, True, False, False]).head(limit)
    fields = [name for name in EntityLine.__dataclass_fields__ if name != "aliases"]
    lines = [
        EntityLine(**{name: row[name] for name in fields}, aliases=other_names(row))
        for row in shown.iter_rows(named=True)
    ]
    return lines, rows.height

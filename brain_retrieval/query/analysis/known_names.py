"""The names that a user's sources know: the interface that analysis asks, and an implementation in memory.

Analysis opens no store; `query/names_of_user.py` fills a `NameIndex` from one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple, Protocol

from brain_retrieval.language.folding import fold, without_accents
from brain_retrieval.query.analysis.question import How

LEAST_SIMILAR = 0.85  # ratio of difflib: one transposed pair in seven letters
SHORTEST_SIMILAR = 5  # letters; shorter names differ by one letter and are others
MOST_COMPARED = 60  # names of one block
MOST_WORDS = 6
MOST_OF_A_PART = 3  # entities that share a first or last name; of more, the part names none


class Known(NamedTuple):
    """An entity or a speaker that a name refers to. `speaker` is the name as written in the sources, else ""."""

    entity_id: str
    canonical: str
    kind: str
    how: How = "exact"
    confidence: float = 1.0
    speaker: str = ""


class KnownNames(Protocol):
    """The names of a user, folded."""

    @property
    def most_words(self) -> int:
        """The number of words of the longest name."""
        ...

    def lookup(self, folded: str) -> Sequence[Known]:
        """Return what a folded name refers to, best first; () if it is unknown."""
        ...

    def similar(self, folded: str) -> Sequence[Known]:
        """Return what the known name most similar to an unknown one refers to; () if none is close."""
        ...


class NameIndex:
    """Names in dictionaries: as written, without accents, by first and last name, and in blocks for spelling errors."""

    def __init__(self, names: Iterable[tuple[str, Known]]) -> None:
        self._names: dict[str, list[Known]] = defaultdict(list)
        self._parts: dict[str, list[Known]] = defaultdict(list)
        self._blocks: dict[tuple[str, int, str], list[str]] = defaultdict(list)
        self.most_words = 1
        for called, known in names:
            self._add(fold(called), known)

    def lookup(self, folded: str) -> Sequence[Known]:
        """Return what a folded name refers to, best first; a first or last name counts less than a whole one."""
        found = self._names.get(folded) or self._names.get(without_accents(folded)) or ()
        parts = self._parts.get(folded) or self._parts.get(without_accents(folded)) or ()
        if not parts or len(parts) > MOST_OF_A_PART:
            return found
        # "Ana" may be a speaker, and "Ana Silva" the entity, or the other way round.
        has_entity, has_speaker = any(one.entity_id for one in found), any(one.speaker for one in found)
        return (*found, *(p for p in parts if not (has_entity if p.entity_id else has_speaker)))

    def similar(self, folded: str) -> Sequence[Known]:
        """Return what a name with at most a slip of the pen refers to.

        Names that differ at their end alone are others: Martin and Martina, Schmid and Schmidt.
        """
        if len(folded) < SHORTEST_SIMILAR:
            return ()
        near: dict[str, None] = {}
        for key in _block_keys(folded, reach=1):
            near.update(dict.fromkeys(self._blocks.get(key, ())[:MOST_COMPARED]))
        others = [name for name in near if name[:-1] != folded[:-1] and not _extends(name, folded)]
        best = get_close_matches(folded, others, n=1, cutoff=LEAST_SIMILAR)
        return (
            [known._replace(how="fuzzy", confidence=0.5 * known.confidence) for known in self.lookup(best[0])]
            if best
            else ()
        )

    def _add(self, form: str, known: Known) -> None:
        if len(form) < 2:
            return
        parts = form.split()
        self.most_words = max(self.most_words, min(len(parts), MOST_WORDS))
        for each in {form, without_accents(form)}:
            if not any(_same(other, known) for other in self._names[each]):
                self._names[each].append(known)
        for key in _block_keys(form):
            self._blocks[key].append(form)
        if len(parts) > 1 and known.kind in ("Person", ""):
            self._add_parts((parts[0], parts[-1]), known)

    def _add_parts(self, parts: tuple[str, str], known: Known) -> None:
        for part in dict.fromkeys((*parts, *map(without_accents, parts))):
            if len(part) > 2 and not any(_same(other, known) for other in self._parts[part]):
                self._parts[part].append(known._replace(how="alias", confidence=0.6))
                for key in _block_keys(part):
                    self._blocks[key].append(part)


def _same(one: Known, other: Known) -> bool:
    return (one.entity_id, one.speaker) == (other.entity_id, other.speaker)


def _extends(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _block_keys(form: str, reach: int = 0) -> Iterable[tuple[str, int, str]]:
    """Return the blocks of a name: its length with its first two, and with its last three letters."""
    for length in range(len(form) - reach, len(form) + reach + 1):
        yield ("first", length, form[:2])
        yield ("last", length, form[-3:])

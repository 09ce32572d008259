"""The order in which a question is answered: what fits and holds, what fits and may have ended, and then the rest."""

from collections.abc import Callable, Iterable

from brain_retrieval.knowledge.memories.seen import BESIDE, ENDED, OUTDATED, Seen
from brain_retrieval.knowledge.memories.shown.fitness import by_program

GONE = (ENDED, OUTDATED)
FITTING = 0.55  # share of the best match from which a memory fits
MOST_ENDED, MOST_OTHERS = 2, 1  # that have ended: of those that fit, before those that do not; of these, before related
FILLED = 5  # lines up to which what is only related is shown
SAME_CONCEPT = 0.5  # share of the best match up to which a concept alone is no match: a deadline beside a launch


def _people_first(lines: list[Seen]) -> list[Seen]:
    """Return lines with what an assistant said behind what people did: what it knows of them is from them."""
    return sorted(lines, key=lambda one: by_program(one.row))


def in_order(seen: Iterable[Seen], has_word: Callable[[Seen], bool], limit: int, *, filled: bool) -> list[Seen]:
    """Return the memories to show, the most useful first.

    "Timo's wage" is answered by what he earned, even if that may have ended, rather than by the colour of his toolbox.
    What shares but a concept with a question comes with what is only related to it, if it holds, where less is known.

    Args:
        seen: as the view judges them, the best match first, and those that are only related last.
        has_word: whether a memory has a word of the question, and not only its concept.
        limit: the most lines.
        filled: whether they are filled up with what is only related.
    """
    fitting, ended, holding, gone, other = ([] for _ in range(5))
    best = 0.0
    for one in seen:
        best = max(best, one.match)
        enough = len(fitting) + min(len(ended), MOST_ENDED) + len(holding) >= limit
        if len(fitting) >= limit or (enough and (BESIDE in one.parts or one.score < FITTING * best)):
            break
        has_gone = one.status in GONE
        if BESIDE in one.parts or (one.match <= SAME_CONCEPT * best and not has_word(one)):
            other += [one] if filled and not has_gone else []
        elif one.match >= FITTING * best:
            (ended if has_gone else fitting).append(one)
        else:
            (gone if has_gone else holding).append(one)
    rest = [*ended[MOST_ENDED:], *gone]
    lines = [*_people_first([*fitting, *ended[:MOST_ENDED], *holding]), *rest[:MOST_OTHERS]]
    lines += other[: max(0, FILLED - len(lines))]
    return [*lines, *rest[MOST_OTHERS:]][:limit]

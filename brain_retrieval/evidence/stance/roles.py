"""Roles: whether the subject of a claim does it in a statement too, or has it done to it."""

from collections.abc import Sequence
from itertools import pairwise

from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, match, share
from brain_retrieval.evidence.words import Mention, tokens_of

CLEAR = 0.2  # by which one side has more of the words than the other


def is_left(wanted: Wanted, read: Read, mention: Mention | None) -> bool:
    """Return whether the object is where someone comes from: "moved from Lisbon to Porto"."""
    origin = listed("origin", read.language)
    if mention is None or wanted.claim.family not in families("one_object"):
        return False
    if any(token.low in origin for token in tokens_of(wanted.claim.text)):
        return False
    return any(
        token.low in origin and after.form in wanted.object
        for token, after in pairwise(token for token in read.tokens if token.end >= mention.end)
    )


def alignment(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> int:
    """Return 1 if the subject stands on its side of the action and the object on the other, -1 if exchanged, else 0."""
    if mention is None or not wanted.subject or not wanted.object:
        return 0
    side = _side(wanted.subject, wanted.object, read, mention, aliases)
    turned = -1 if _is_passive(read, mention) else 1
    if side * turned <= 0:
        return -side * turned
    # The subject stands where the object should: exchanged, if a part of the object stands on its side.
    rest = [word for word in wanted.object if word not in wanted.subject]
    here = [t.form for t in read.tokens if (t.end <= mention.start if side > 0 else t.start >= mention.end)]
    return -1 if any(match(word, here, (), aliases) == 1 for word in rest) else 0


def _is_passive(read: Read, mention: Mention) -> bool:
    """Return whether "by" follows an action, or ends it: "written by"."""
    inside = [token.low for token in read.tokens if mention.start <= token.start < mention.end]
    after = next((token.low for token in read.tokens if token.start >= mention.end), "")
    return bool({*inside[-1:], after} & listed("by", read.language))


def _side(words: Sequence[str], others: Sequence[str], read: Read, mention: Mention, aliases: Aliases) -> int:
    """Return -1 if the words stand before the action, 1 if behind it, 0 if on both sides or neither."""
    own = [word for word in words if word not in others]
    before = frozenset(token.form for token in read.tokens if token.end <= mention.start)
    behind = frozenset(token.form for token in read.tokens if token.start >= mention.end)
    first, second = share(own, before, (), aliases), share(own, behind, (), aliases)
    return 0 if abs(first - second) < CLEAR else -1 if first > second else 1


def is_mutual(wanted: Wanted) -> bool:
    return wanted.claim.family in families("mutual")

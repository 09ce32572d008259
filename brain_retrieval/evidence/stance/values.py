"""Amounts, dates and numbered labels of a claim and a statement: whether they agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from brain_retrieval.evidence.claims.amounts import agreement
from brain_retrieval.evidence.claims.claim import Agreement, SubClaim, When
from brain_retrieval.evidence.claims.dates import date_agreement
from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.in_place import is_identity, is_version
from brain_retrieval.evidence.stance.kinds import label_agreement
from brain_retrieval.evidence.words import Clause, Mention, Token


@dataclass(frozen=True)
class Values:
    """Whether the values of a claim and a statement agree.

    Attributes:
        amounts, dates: agreement of each; stated: whether the statement has all that are claimed.
        of_another: the numbered thing is another one ("Version 3.1"), and that is no conflict of its own.
    """

    amounts: Agreement
    dates: Agreement
    stated: bool
    of_another: bool


def values_of(wanted: Wanted, read: Read, place: Clause | None, mention: Mention | None) -> Values:
    """Return whether amounts, dates and numbered labels agree; those of the clauses that matter come first."""
    which = label_agreement(wanted.labels, read.labels)
    amounts = _amounts(wanted, read, place)
    # "Version 3 is fast" says nothing of "Version 3.1 is fast"; "it is on the third floor" of the second floor does
    same = label_agreement(wanted.subject_labels, read.labels) != "conflict"
    if which == "conflict" and same and (is_identity(wanted) or is_version(wanted)):
        amounts = "conflict"
    whens = read.whens_beside(mention)
    dates = _dates(wanted, read, whens)
    if wanted.claim.quantities and date_agreement(wanted.claim.dates, whens) == "conflict":
        amounts = dates = "none"  # it states the amount of another time
    stated = _states_all(wanted.claim, amounts, dates)
    return Values(amounts, dates, stated, of_another=which == "conflict" and amounts != "conflict")


def _amounts(wanted: Wanted, read: Read, place: Clause | None) -> Agreement:
    """Return how amounts agree: those of the matched clause, else all."""
    claimed = wanted.claim.quantities
    here = [one for one in read.quantities if place is not None and place.start <= one.start < place.end]
    found = agreement(claimed, here)
    return found if found != "none" else agreement(claimed, read.quantities)


def _dates(wanted: Wanted, read: Read, whens: Sequence[When]) -> Agreement:
    """Return how dates agree; another date conflicts only with what happens once, is on a day, or is the first time."""
    found = date_agreement(wanted.claim.dates, whens)
    verb = wanted.claim.action.lower().split()[:1]
    once = wanted.claim.family in families("one_date") or bool({*verb} & listed("copulas", wanted.language))
    once = once or all(_is_first(tokens, wanted.language) for tokens in (wanted.tokens, read.tokens))
    return "none" if found == "conflict" and not once else found


def _is_first(tokens: Sequence[Token], language: str) -> bool:
    return any(token.low in listed("first_time", language) for token in tokens)


def _states_all(claim: SubClaim, amounts: str, dates: str) -> bool:
    return (not claim.quantities or amounts == "agree") and (not claim.dates or dates == "agree")

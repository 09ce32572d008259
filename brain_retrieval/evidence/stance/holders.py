"""Whether a statement names another one where there can be only one: "moved to Porto", "led by Omar"."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.lexicons import families, known, listed
from brain_retrieval.evidence.words import Token, form_of, tokens_of
from brain_retrieval.knowledge.places import CONTAINING
from brain_retrieval.language.folding import fold
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.names import names_in

SPELLED_ALIKE = 0.65  # ratio of difflib: Milan and Milano .91, Prague and Prag .80, Lisbon and London .50
LEAST = 0.75  # share of what has to be the same


class Held(NamedTuple):
    """A clause, and the word of the claim's family at characters `start` to `end` of it; `sign` 0: it has none."""

    text: str
    start: int = 0
    end: int = 0
    sign: int = 0
    same: frozenset[str] = frozenset()  # other words for the claim's subject: its other names, "I" where it speaks


def names_another(
    claim: SubClaim,
    clause: Held,
    subject: Sequence[str],
    rest: Sequence[str],
    words: Collection[str],
    *,
    foreign: bool = False,
) -> bool:
    """Return whether a statement has the same subject with another object, or another subject of the same object.

    Args:
        claim: its family says of which there can be only one.
        clause: of the statement, with a word of the same family.
        subject, rest: the words of the claim's subject and object.
        words: those of the statement and of what it stands under.
        foreign: claim and statement are in different languages; a name that is spelled alike may be the same one.
    """
    if not clause.sign:
        return _another_identity(claim, clause.text, subject, rest, words)
    if clause.sign < 0 or claim.sign < 0:
        return False
    before, behind = clause.text[: clause.start], clause.text[clause.end :]
    if claim.family in families("one_object") and _share(subject, words) >= LEAST and _named(claim.object):
        mutual = claim.family in families("mutual")
        held = clause.text if mutual else behind
        return not _has_any(held, rest) and _other_name(held, (*subject, *rest), foreign=foreign)
    if claim.family in families("one_subject") and _share(rest, words) >= LEAST and _named(claim.subject):
        first = next((token.low for token in tokens_of(behind)), "")
        last = clause.text[clause.start : clause.end].lower().split()[-1:]
        if _is_beside(before, behind, {*subject, *clause.same}):
            return False
        holder = behind if {first, *last} & listed("by", known(claim.language)) else before
        return not _has_any(holder, {*subject, *clause.same}) and _other_name(holder, (*subject, *rest))
    return False


def _is_beside(before: str, behind: str, forms: Collection[str]) -> bool:
    """Return whether one of the words stands at once before or behind: "manager Neil Harris"."""
    return any(token.form in forms for token in (*tokens_of(before)[-1:], *tokens_of(behind)[:1]))


def _has_any(text: str, forms: Collection[str]) -> bool:
    return any(token.form in forms for token in tokens_of(text))


def _another_identity(
    claim: SubClaim, text: str, subject: Sequence[str], rest: Sequence[str], words: Collection[str]
) -> bool:
    """Return whether "X is the R of Y" is said of another X."""
    own = known(claim.language)
    if claim.action.lower() in listed("copulas", own) and _is_role(claim, rest):
        return _share(subject, words) >= LEAST and not _has_any(text, rest) and _holds_role(claim, text, subject, rest)
    begins = [token.low for token in tokens_of(claim.object)[:1]]
    is_identity = claim.action.lower() in listed("copulas", own) and begins and begins[0] in listed("definite", own)
    if not is_identity or not _named(claim.subject) or _share(subject, words) or _share(rest, words) < LEAST:
        return False
    tokens = tokens_of(text)
    place = next((i for i, token in enumerate(tokens) if token.low in listed("copulas", own)), None)
    if place is None or place + 1 >= len(tokens) or tokens[place + 1].low not in listed("definite", own):
        return False
    before, behind = text[: tokens[place].start], frozenset(token.form for token in tokens[place + 1 :])
    return _share(rest, behind) >= LEAST and _other_name(before, (*subject, *rest))


def _is_role(claim: SubClaim, rest: Sequence[str]) -> bool:
    """Return whether a claim says who has a role: "The mayor of Elmstad is Ruth Kane"."""
    own, tokens = known(claim.language), tokens_of(claim.subject)
    begins = len(tokens) > 1 and tokens[0].low in listed("determiners", own)
    named = [token for token in tokens_of(claim.object) if token.form in rest]
    return begins and not tokens[1].is_capital and bool(named) and all(token.is_capital for token in named)


def _holds_role(claim: SubClaim, text: str, subject: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether a name that the claim has not stands before or behind the role, with no other verb between.

    "Dario Lund was elected mayor of Elmstad", "The mayor of Elmstad is Dario Lund".
    """
    own, tokens = known(claim.language), tokens_of(text)
    quiet = listed("copulas", own) | listed("determiners", own) | listed("appointed", own)
    places = [place for place, token in enumerate(tokens) if token.form in subject]
    if not places:
        return False
    before, behind = places[0] - 1, places[-1] + 1
    while before >= 0 and tokens[before].low in quiet:
        before -= 1
    passed = behind
    while behind < len(tokens) and tokens[behind].low in quiet:
        behind += 1
    ahead = tokens[before] if 0 <= before < places[0] - 1 else None
    after = tokens[behind] if passed < behind < len(tokens) else None
    near = [text[: one.end] if one is ahead else text[one.start :] for one in (ahead, after) if one and one.is_capital]
    return any(_other_name(part, (*subject, *rest)) for part in near)


def _other_name(text: str, own: Sequence[str], *, foreign: bool = False) -> bool:
    """Return whether a text names something that is none of `own`, and no place that contains others.

    `foreign`: nor what another language may call one of them: "Lissabon" and "Lisbon", "Roma" and "Rome".
    """
    for name in names_in(text):
        forms = {form_of(part) for part in fold(name).split()}
        if foreign and any(get_close_matches(form, own, 1, SPELLED_ALIKE) for form in forms):
            return False  # perhaps the same: nothing is said of another
        if not forms & set(own) and name.removeprefix("the ") not in CONTAINING and not _is_calendar(name):
            return True
    return False


def _is_calendar(name: str) -> bool:
    return all(form_of(part) in light_words() for part in name.split())


def _named(text: str) -> bool:
    return any(_capital(token) for token in tokens_of(text)) and not _contains(text)


def _capital(token: Token) -> bool:
    return token.is_capital and len(token.text) > 1


def _contains(text: str) -> bool:
    return any(name.removeprefix("the ") in CONTAINING for name in names_in(text))


def _share(forms: Sequence[str], words: Collection[str]) -> float:
    return sum(form in words for form in forms) / len(forms) if forms else 0.0

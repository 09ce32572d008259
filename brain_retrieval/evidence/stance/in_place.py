"""What stands in the place of something a claim says: another word, another one of a kind, another version."""

from collections.abc import Collection
from itertools import pairwise

from brain_retrieval.evidence.kinds_of_words import has_apart, has_narrower, is_same
from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, match
from brain_retrieval.evidence.stance.kinds import RANK, version_words
from brain_retrieval.evidence.stance.roles import is_verb
from brain_retrieval.evidence.words import Token, content_forms, form_of

LEAST = 0.6  # of a match, below which a word of the claim is missing


def is_identity(wanted: Wanted) -> bool:
    """Return whether a claim says what its subject is, so that another one of the kind contradicts it."""
    verb = wanted.claim.action.lower().split()[:1]
    return bool({*verb} & listed("copulas", wanted.language))


def is_version(wanted: Wanted) -> bool:
    """Return whether a claim says which version something runs now, of which there is one at a time."""
    versions = {form_of(word.lower()) for word in version_words(wanted.language)}
    of_object = versions & set(wanted.object) and not versions & set(wanted.subject)
    return bool(of_object) and wanted.claim.family in families("one_version") and not wanted.claim.then


def is_replaced(wanted: Wanted, read: Read, words: Collection[str], aliases: Aliases) -> bool:
    """Return whether a word beside one of the object stands in the place of one that is missing: "crime thriller"."""
    missing = [word for word in (*wanted.object, *wanted.subject) if match(word, words, (), aliases) < LEAST]
    claimed, stated = wanted.tokens, read.tokens
    known = {*wanted.content, *listed("participle", wanted.language)}
    for before, after in pairwise(claimed):
        for lost, kept, side in ((before, after, -1), (after, before, 1)):
            if lost.form not in missing or kept.form not in words:
                continue
            of = kept.low.endswith(("'s", "’s")) and kept.form in wanted.subject  # "Osman's violin", not his bow
            if not of and not {lost.form, kept.form} <= set(wanted.object):
                continue
            beside = (
                stated[at + side]
                for at, one in enumerate(stated)
                if one.form == kept.form and 0 <= at + side < len(stated)
            )
            if any(_stands_for(one, known, read) for one in beside):
                return True
    return False


def is_apart(wanted: Wanted, words: Collection[str], stated: Collection[str]) -> bool:
    """Return whether a statement has, in place of a word of the claim, one that is never the same: a cat, a dog.

    Args:
        words: forms of the statement and of what it stands under; `stated`: of the statement, small words too.
    """
    claimed = {token.form for token in wanted.tokens}
    missing = claimed - {*words}
    return any(has_apart(word, {*stated} - claimed) for word in missing)


def is_of_kind(wanted: Wanted, words: Collection[str]) -> bool:
    """Return whether a statement has a word of the claim only as one of its kind."""
    return any(word not in words and not is_same(word, words) and has_narrower(word, words) for word in wanted.content)


def lacks_rank(wanted: Wanted, read: Read) -> bool:
    """Return whether a claim ranks something that a statement does not: "the second largest", "the largest"."""
    ranks = {label for _, label in wanted.labels if label.startswith(RANK)}
    return bool(ranks) and not ranks & {label for _, label in read.labels}


def lacks_comparison(wanted: Wanted, read: Read, words: Collection[str], aliases: Aliases) -> bool:
    """Return whether a claim compares in a respect that a statement does not mention: "lighter than", "newer than".

    What is compared stands before "than"; a word of the claim's family says the same or the opposite of it.
    """
    than = listed("than", wanted.language)
    heads = [before for before, after in pairwise(wanted.tokens) if after.low in than]
    bounds = listed("introducers", wanted.language)  # "more than 20" bounds an amount
    content = [head for head in heads if content_forms([head], wanted.language) and head.low not in bounds]
    if not content or any(one.family == wanted.claim.family for one in read.mentions):
        return False
    return any(match(head.form, words, (), aliases) < LEAST for head in content)


def _stands_for(token: Token, known: Collection[str], read: Read) -> bool:
    if token.form in known or token.low.isdecimal() or is_verb(token, read):
        return False
    return bool(content_forms([token], read.statement.language))

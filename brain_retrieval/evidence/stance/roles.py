"""Roles: whether the subject of a claim does it in a statement too, or has it done to it."""

from collections.abc import Sequence
from itertools import pairwise

from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import OWNER, Read, Wanted
from brain_retrieval.evidence.stance.coverage import NARROWER, Aliases, match, share
from brain_retrieval.evidence.words import Clause, Mention, Token, content_forms, tokens_of

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


def has_own_subject(wanted: Wanted, read: Read, place: Clause, aliases: Aliases) -> bool:
    """Return whether a clause says something of another one than the subject of the claim, who stands elsewhere.

    Another one is a name at its beginning that the claim has not, or content words before its verb of which the claim
    has none. A pronoun there stands for the first name of the sentence, "who" for one of the clause before.
    """
    if not wanted.subject or (place.start, place.end) == (read.clauses[0].start, read.clauses[-1].end):
        return False
    inside = [token for token in read.tokens if place.start <= token.start < place.end]
    if any(match(word, [t.form for t in inside], (), aliases) >= NARROWER for word in wanted.subject):
        return False
    if not inside:
        return False
    if inside[0].low in listed("relatives", read.language):
        before = max((clause.start for clause in read.clauses if clause.start < place.start), default=0)
        ahead = [token.form for token in read.tokens if before <= token.start < place.start]
        behind = [token.form for token in read.tokens if token.start >= place.end]
        said_later = any(match(word, behind, (), aliases) == 1 for word in wanted.subject)
        return said_later and all(match(word, ahead, (), aliases) < 1 for word in wanted.subject)
    if {*wanted.subject} <= {*read.speaker, OWNER}:
        return False
    before = _before_verb(inside, read, wanted.action)
    if any(token.low in listed("pronouns", read.language) for token in before):
        return not _is_first_name(wanted, read, place, aliases)
    content = content_forms(before, read.statement.language)
    own = {*wanted.content}.union(*(aliases.get(word, frozenset()) for word in wanted.subject))
    others = [token for token in content if token.form not in own]
    if len(before) < len(inside):
        return bool(others)
    return bool(others) and others[0].is_capital and others[0].start == inside[0].start


def of_others(wanted: Wanted, read: Read, place: Clause | None, aliases: Aliases) -> frozenset[str]:
    """Return the words that stand only in clauses about another one than the subject of the claim."""
    foreign = [one for one in read.clauses if one != place and has_own_subject(wanted, read, one, aliases)]
    if not foreign or not wanted.subject:
        return frozenset()
    inside = {token.form for token in read.tokens if any(one.start <= token.start < one.end for one in foreign)}
    outside = {token.form for token in read.tokens if not any(one.start <= token.start < one.end for one in foreign)}
    return frozenset(inside - outside)


def does_it_elsewhere(wanted: Wanted, read: Read, aliases: Aliases) -> bool:
    """Return whether a clause has both the subject and the action of the claim."""
    for clause in read.clauses:
        forms = [token.form for token in read.tokens if clause.start <= token.start < clause.end]
        found = [one for one in read.mentions if clause.start <= one.start < clause.end]
        acts = any(word in forms for word in wanted.action) or any(one.family == wanted.claim.family for one in found)
        if acts and any(match(word, forms, (), aliases) == 1 for word in wanted.subject):
            return True
    return False


def is_of_another(wanted: Wanted, read: Read, aliases: Aliases) -> bool:
    """Return whether the pronoun of a sentence stands for another name of the sentence before than the claim's.

    It stands for the first one there.
    """
    if not wanted.is_name or any(match(word, read.own, (), aliases) == 1 for word in wanted.subject):
        return False
    names = [t for t in tokens_of(read.statement.context) if t.is_capital and content_forms([t], read.language)]
    same = frozenset(wanted.subject).union(*(aliases.get(word, frozenset()) for word in wanted.subject))
    places = [number for number, token in enumerate(names) if token.form in same]
    return bool(places) and places[0] > 0


def _before_verb(tokens: Sequence[Token], read: Read, action: Sequence[str]) -> list[Token]:
    """Return the words of a clause before its verb, which may be that of the claim; of one without a verb all."""
    found: list[Token] = []
    for token in tokens:
        if token.form in action or is_verb(token, read):
            break
        found.append(token)
    return found


def is_verb(token: Token, read: Read) -> bool:
    """Return whether a word of a statement is a verb, by the word lists."""
    if any(token.low in listed(key, read.language) for key in ("copulas", "auxiliaries", "verbs")):
        return True
    return not token.is_capital and any(mention.start == token.start for mention in read.mentions)


def _is_first_name(wanted: Wanted, read: Read, place: Clause, aliases: Aliases) -> bool:
    """Return whether the subject is the first name before a clause, or no other name stands there."""
    before = [token for token in read.tokens if token.start < place.start]
    if not any(match(word, [t.form for t in before], (), aliases) == 1 for word in wanted.subject):
        return True  # it is named in another sentence
    names = [token for token in before if token.is_capital and content_forms([token], read.statement.language)]
    same = frozenset(wanted.subject).union(*(aliases.get(word, frozenset()) for word in wanted.subject))
    return not names or names[0].form in same or not any(token.form in same for token in names)


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

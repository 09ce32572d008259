"""The action of a claim in a statement: which clause and which word has it, and whether it is denied or opposite."""

from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, match, share
from brain_retrieval.evidence.words import Clause, Mention, content_forms, denials_of, opposite_by_prefix
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.light_words import light_words

# Strength of an action of the same concept; for "is", of a statement without a verb, and of one with another verb.
CONCEPT, UNKNOWN_ACTION, OTHER_ACTION = 0.6, 0.5, 0.3


def matched_clause(wanted: Wanted, read: Read, aliases: Aliases) -> Clause | None:
    """Return the clause that has most of the object, else of the action; of equal ones the one with the amount."""
    said = wanted.object or wanted.action
    best, most = None, 0.0
    for clause in read.clauses:
        inside = frozenset(token.form for token in read.tokens if clause.start <= token.start < clause.end)
        held = any(clause.start <= one.start < clause.end for one in read.quantities) and bool(wanted.claim.quantities)
        family = any(
            clause.start <= one.start < clause.end and one.family == wanted.claim.family for one in read.mentions
        )
        score = sum(match(word, inside, (), aliases) for word in said) + 0.3 * held + 0.2 * family
        if score > most:
            best, most = clause, score
    return best


def mention_of(wanted: Wanted, read: Read, place: Clause | None) -> Mention | None:
    """Return the word of the claim's family, in the matched clause if it has one there."""
    found = [one for one in read.mentions if one.family == wanted.claim.family]
    inside = [one for one in found if place is not None and place.start <= one.start < place.end]
    return next(iter((*inside, *found)), None)


def action_of(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> float:
    """Return how far a statement has the action of a claim: 1 for a word of its family, less for another verb."""
    if mention is not None:
        return 1.0
    direct = share(wanted.action, read.own, (), aliases)
    if wanted.claim.family in families("having") and read.has:
        direct = max(direct, CONCEPT)
    if wanted.concepts and wanted.concepts & set(concepts_of(read.statement.text, read.statement.language)):
        direct = max(direct, CONCEPT)
    if wanted.action:
        return direct
    helpers = listed("auxiliaries", read.language)
    own = "having" if wanted.claim.action.lower() in listed("having", wanted.language) else "copulas"
    if any(token.low in listed(own, read.language) for token in read.tokens):
        return 1.0
    if own == "having" and any(one.family in families("having") for one in read.mentions):
        return 1.0
    verbs = helpers | listed("verbs", read.language)
    return (
        OTHER_ACTION if any(token.low in verbs or token.low.endswith("ed") for token in read.tokens) else UNKNOWN_ACTION
    )


def is_opposite(wanted: Wanted, read: Read, mention: Mention | None) -> bool:
    """Return whether it says the opposite: by the sign of a family, or by one word with a prefix of denial."""
    signs = mention is not None and mention.sign != wanted.claim.sign
    prefixed = sum(
        word not in read.own and any(opposite_by_prefix(word, form, read.language) for form in read.own)
        for word in (*wanted.action, *wanted.object)
    )
    return signs or prefixed % 2 == 1


def is_denied(wanted: Wanted, read: Read, place: Clause | None, mention: Mention | None) -> bool:
    """Return whether the clause with the object is denied, or the one with the action where that is another one.

    That it was so before denies no claim about what was.
    """
    if place is None:
        return False
    if wanted.claim.then:
        inside = read.statement.text[place.start : place.end]
        return len(denials_of(inside, read.statement.language, claimed=True)) % 2 == 1
    if place.denied or mention is None or place.start <= mention.start < place.end:
        return place.denied
    own = next((clause for clause in read.clauses if clause.start <= mention.start < clause.end), None)
    first = next((token.low for token in read.tokens if token.start >= place.start), "")
    return own is not None and own.denied and first not in listed("contrasts", read.language)


def denies_all(wanted: Wanted, read: Read, action: float, aliases: Aliases) -> bool:
    """Return whether a denied clause has nothing beside the subject and the action: "The office will not hire"."""
    if not wanted.action or action < CONCEPT:
        return False
    allowed = {*wanted.content, *light_words()}.union(*(aliases.get(word, frozenset()) for word in wanted.subject))
    for clause in read.clauses:
        inside = [token for token in read.tokens if clause.start <= token.start < clause.end]
        forms = {token.form for token in content_forms(inside, read.statement.language)}
        if clause.denied and forms <= allowed and forms & set(wanted.action) and forms & set(wanted.subject):
            return True
    return False

"""Reading of features: a statement compared with a claim, word by word and clause by clause. No model is used."""

from collections.abc import Collection, Sequence

from brain_retrieval.evidence.candidates.statement import ENDED, OUTDATED, Statement
from brain_retrieval.evidence.claims.claim import Agreement, SubClaim
from brain_retrieval.evidence.claims.dates import date_agreement
from brain_retrieval.evidence.claims.quantities import agreement
from brain_retrieval.evidence.claims.reading import HEDGED, is_hedged
from brain_retrieval.evidence.lexicons import families, listed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, forms_in, match, share
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.holders import Held, names_another
from brain_retrieval.evidence.stance.in_place import is_identity, is_replaced, is_version, lacks_comparison
from brain_retrieval.evidence.stance.kinds import has_contrary, label_agreement
from brain_retrieval.evidence.stance.roles import (
    alignment,
    does_it_elsewhere,
    has_own_subject,
    is_left,
    is_mutual,
    is_of_another,
    of_others,
)
from brain_retrieval.evidence.stance.scopes import is_left_out
from brain_retrieval.evidence.words import (
    Clause,
    Mention,
    content_forms,
    denials_of,
    is_refuted,
    mentions_in,
    opposite_by_prefix,
)
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.names import names_in
from brain_retrieval.language.stance import modality_of

# Strength of an action of the same concept; for "is", of a statement without a verb, and of one with another verb.
CONCEPT, UNKNOWN_ACTION, OTHER_ACTION = 0.6, 0.5, 0.3
OTHER_SUBJECT = 0.4  # of the subject, where the clause that matters has another one
CONCERNED = 0.5  # share of what a claim says, that what has ended a statement has
LEAST_SEMANTIC, MOST_SEMANTIC = 0.2, 0.8  # cosines that count as 0 and as 1


def features_of(wanted: Wanted, read: Read, aliases: Aliases, semantic: float | None = None) -> StanceFeatures:
    """Return the features of a statement towards a claim.

    Args:
        wanted: the claim.
        read: the statement.
        aliases: other names of the people and things in the claim.
        semantic: cosine of the two, if known.
    """
    own, context = read.own, read.context
    place = _matched_clause(wanted, read, aliases)
    mention = _mention(wanted, read, place)
    contrary = has_contrary(wanted.tokens, read.tokens, read.language, own)
    things = wanted.things if contrary else wanted.object
    left_out = any(is_left_out(words, read.left_out, own) for words in (wanted.subject, things) if words)
    if left_out:
        own |= read.left_out
    elif not does_it_elsewhere(wanted, read, aliases):
        own -= of_others(wanted, read, place, aliases)
    aligned = alignment(wanted, read, mention, aliases)
    turned_round = aligned < 0 and not is_mutual(wanted)
    comparing = any(token.low in listed("than", read.language) for token in read.tokens)
    compared = turned_round and comparing
    # "Rents in B are lower than in A" says the opposite of "higher" of the other one; which one must be clear
    unclear = comparing and not aligned and mention is not None and mention.sign != wanted.claim.sign
    which = label_agreement(wanted.labels, read.labels)
    amounts = _amounts(wanted, read, place)
    # "Version 3 is fast" says nothing of "Version 3.1 is fast"; "it is on the third floor" of the second floor does
    same = label_agreement(wanted.subject_labels, read.labels) != "conflict"
    if which == "conflict" and same and (is_identity(wanted) or is_version(wanted)):
        amounts = "conflict"
    dates = _dates(wanted, read)
    if wanted.claim.quantities and date_agreement(wanted.claim.dates, read.whens) == "conflict":
        amounts = dates = "none"  # it states the amount of another time
    statement = read.statement
    action = _action(wanted, read, mention, aliases)
    opposite = any(one.sign < 0 for one in read.mentions)  # "missed two rehearsals" is not "was at two"
    if amounts == "agree" and wanted.is_measured and not (wanted.claim.negated or opposite):
        action = max(action, CONCEPT)
    named = min((_named(name, read, aliases) for name in wanted.names), default=1.0)
    general = _denies_all(wanted, read, action, aliases)
    return StanceFeatures(
        subject=_subject(wanted, read, place, own, aliases),
        action=action,
        object=share(things, own, context, aliases) if wanted.object else None,
        overlap=_overlap(wanted, action, own, context, aliases),
        anchors=_whole(wanted.anchors, own, context, aliases),
        names=0.0 if which == "conflict" and amounts != "conflict" else named,
        semantic=None if semantic is None else _scaled(semantic),
        graph=statement.strength,
        reversed=turned_round and not compared,
        opposite=_opposite(wanted, read, mention) ^ compared,
        event=wanted.claim.family in families("events"),
        denied=_denied(wanted, read, place, mention) ^ is_left(wanted, read, mention) ^ left_out,
        refuted=is_refuted(statement.text, statement.language),
        amounts=amounts,
        dates=dates,
        stated=_states_all(wanted.claim, amounts, dates),
        contrary=contrary,
        replaced=is_replaced(wanted, read, own | context, aliases)
        or lacks_comparison(wanted, read, own | context, aliases)
        or unclear,
        general=general,
        other=names_another(
            wanted.claim, _held(wanted, read, mention, aliases), wanted.subject, wanted.object, own | context
        ),
        **_certainty(statement, concerned=_concerned(wanted, statement)),
    )


def _subject(wanted: Wanted, read: Read, place: Clause | None, own: frozenset[str], aliases: Aliases) -> float | None:
    """Return how far a statement has the subject; less where the clause that matters has another one."""
    if not wanted.subject:
        return None
    # "Ivo's sister" is not Ivo; but "Lotte's husband is Ben" is about her
    owners = read.owners if wanted.is_name and not is_mutual(wanted) else frozenset()
    found = share(wanted.subject, own - owners, read.context - owners, aliases)
    if is_of_another(wanted, read, aliases):
        return found * OTHER_SUBJECT
    if place is None or does_it_elsewhere(wanted, read, aliases):
        return found
    return found * OTHER_SUBJECT if has_own_subject(wanted, read, place, aliases) else found


def _denies_all(wanted: Wanted, read: Read, action: float, aliases: Aliases) -> bool:
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


def _held(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> Held:
    """Return the clause of a mention, or the whole statement, with where the mention is in it."""
    text = read.statement.text
    same = frozenset(wanted.subject).union(*(aliases.get(word, frozenset()) for word in wanted.subject))
    if same & read.speaker:
        same |= listed("first_person", read.language)
    for clause in read.clauses:
        if mention is not None and clause.start <= mention.start < clause.end:
            start, end = mention.start - clause.start, mention.end - clause.start
            return Held(text[clause.start : clause.end], start, end, mention.sign, same)
    return Held(text, same=same)


def _overlap(wanted: Wanted, action: float, own: Collection[str], context: Collection[str], aliases: Aliases) -> float:
    """Return the share of the content words of a claim; those of its action count as far as that is met."""
    things = tuple(word for word in wanted.content if word not in wanted.action)
    count = len(things) + len(wanted.action)
    met = share(things, own, context, aliases) * len(things) + action * len(wanted.action)
    return met / count if count else 0.0


def _named(name: Sequence[str], read: Read, aliases: Aliases) -> float:
    """Return how far a statement has a name; "Project Heron" is not "Project Puffin"."""
    found = share(name, read.own, read.context, aliases)
    if found == 1.0 or len(name) == 1:
        return found
    others = (forms_in(other, read.statement.language) for other in names_in(read.statement.text))
    rival = any(set(other) & set(name) and set(other) - set(name) for other in others)
    return 0.0 if rival and not any(word in aliases for word in name) else found


def _concerned(wanted: Wanted, statement: Statement) -> bool:
    """Return whether what has ended a statement concerns what the claim says, and not another part of it."""
    ended = statement.ended_by
    if ended is None:
        return True
    if any(mention.family == wanted.claim.family for mention in mentions_in(ended.text, statement.language)):
        return True
    said = (*wanted.action, *wanted.object) or wanted.subject
    own = frozenset(forms_in(ended.text, statement.language))
    things = [word for word in said if not any(word in name for name in wanted.names)] or said
    concepts = wanted.concepts & set(concepts_of(ended.text, statement.language))
    return bool(concepts) or share(things, own, (), {}) >= CONCERNED


def _certainty(statement: Statement, *, concerned: bool) -> dict[str, bool]:
    modality = statement.modality or modality_of(statement.text, statement.language)
    return {
        "hedged": modality in HEDGED or is_hedged(statement.text, statement.language),
        "reported": modality == "reported",
        "asked": modality == "question",
        "ended": statement.status == ENDED and concerned,
        "outdated": statement.status == OUTDATED and concerned,
    }


def _whole(parts: Sequence[Sequence[str]], own: Collection[str], context: Collection[str], aliases: Aliases) -> float:
    """Return the mean share of names or anchors, each by its words."""
    return sum(share(part, own, context, aliases) for part in parts) / len(parts) if parts else 0.0


def _scaled(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine - LEAST_SEMANTIC) / (MOST_SEMANTIC - LEAST_SEMANTIC)))


def _matched_clause(wanted: Wanted, read: Read, aliases: Aliases) -> Clause | None:
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


def _mention(wanted: Wanted, read: Read, place: Clause | None) -> Mention | None:
    """Return the word of the claim's family, in the matched clause if it has one there."""
    found = [one for one in read.mentions if one.family == wanted.claim.family]
    inside = [one for one in found if place is not None and place.start <= one.start < place.end]
    return next(iter((*inside, *found)), None)


def _action(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> float:
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


def _opposite(wanted: Wanted, read: Read, mention: Mention | None) -> bool:
    """Return whether it says the opposite: by the sign of a family, or by one word with a prefix of denial."""
    signs = mention is not None and mention.sign != wanted.claim.sign
    prefixed = sum(
        word not in read.own and any(opposite_by_prefix(word, form, read.language) for form in read.own)
        for word in (*wanted.action, *wanted.object)
    )
    return signs or prefixed % 2 == 1


def _denied(wanted: Wanted, read: Read, place: Clause | None, mention: Mention | None) -> bool:
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


def _amounts(wanted: Wanted, read: Read, place: Clause | None) -> Agreement:
    """Return how amounts agree: those of the matched clause, else all."""
    claimed = wanted.claim.quantities
    here = [one for one in read.quantities if place is not None and place.start <= one.start < place.end]
    found = agreement(claimed, here)
    return found if found != "none" else agreement(claimed, read.quantities)


def _dates(wanted: Wanted, read: Read) -> Agreement:
    """Return how dates agree; another date conflicts only with what happens once, or is on a day."""
    found = date_agreement(wanted.claim.dates, read.whens)
    verb = wanted.claim.action.lower().split()[:1]
    once = wanted.claim.family in families("one_date") or bool({*verb} & listed("copulas", wanted.language))
    return "none" if found == "conflict" and not once else found


def _states_all(claim: SubClaim, amounts: str, dates: str) -> bool:
    return (not claim.quantities or amounts == "agree") and (not claim.dates or dates == "agree")

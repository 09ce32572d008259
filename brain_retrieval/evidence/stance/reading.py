"""Reading of features: a statement compared with a claim, word by word and clause by clause. No model is used."""

from collections.abc import Collection, Sequence

from brain_retrieval.evidence.candidates.statement import ENDED, OUTDATED, Statement
from brain_retrieval.evidence.claims.reading import HEDGED, is_hedged
from brain_retrieval.evidence.lexicons import families, known, listed
from brain_retrieval.evidence.refutation import refutation_of
from brain_retrieval.evidence.stance.actions import (
    CONCEPT,
    action_of,
    denies_all,
    is_denied,
    is_opposite,
    matched_clause,
    mention_of,
)
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, forms_in, share
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.holders import Held, names_another
from brain_retrieval.evidence.stance.in_place import (
    is_apart,
    is_identity,
    is_of_kind,
    is_replaced,
    lacks_comparison,
    lacks_rank,
)
from brain_retrieval.evidence.stance.kinds import ORIGINS, has_contrary
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
from brain_retrieval.evidence.stance.values import Values, values_of
from brain_retrieval.evidence.words import (
    Clause,
    Mention,
    mentions_in,
)
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.names import names_in
from brain_retrieval.language.stance import modality_of

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
    place = matched_clause(wanted, read, aliases)
    mention = mention_of(wanted, read, place)
    another = has_contrary(wanted.tokens, read.tokens, read.language, own)
    contrary = another and has_contrary(wanted.particular, read.tokens, read.language, own)
    if is_identity(wanted) and has_contrary(wanted.tokens, read.tokens, read.language, own, ORIGINS):
        another = contrary = True
    things = wanted.things if contrary else wanted.object
    left_out = any(is_left_out(words, read.left_out, own) for words in (wanted.subject, things) if words)
    if left_out:
        own |= read.left_out
    elif not does_it_elsewhere(wanted, read, aliases):
        own -= of_others(wanted, read, place, aliases)
    turned_round, compared, unclear = _sides(wanted, read, mention, aliases)
    values = values_of(wanted, read, place, mention)
    action = _action(wanted, read, mention, values, aliases)
    named = min((_named(name, read, aliases) for name in wanted.names), default=1.0)
    statement = read.statement
    refuted = refutation_of(statement.text, statement.language, place)
    return StanceFeatures(
        subject=_subject(wanted, read, place, own, aliases),
        action=action,
        object=share(things, own, context, aliases) if wanted.object else None,
        overlap=_overlap(wanted, action, own, context, aliases),
        anchors=_whole(wanted.anchors, own, context, aliases),
        names=0.0 if values.of_another else named,
        semantic=None if semantic is None else _scaled(semantic),
        graph=statement.strength,
        reversed=turned_round and not compared,
        opposite=is_opposite(wanted, read, mention) ^ compared,
        event=wanted.claim.family in families("events"),
        denied=is_denied(wanted, read, place, mention) ^ is_left(wanted, read, mention) ^ left_out,
        refuted=refuted == "sure",
        amounts=values.amounts,
        dates=values.dates,
        stated=values.stated,
        contrary=contrary,
        replaced=unclear
        or refuted == "unclear"
        or another is not contrary
        or is_replaced(wanted, read, own | context, aliases)
        or is_apart(wanted, own | context, own)
        or lacks_rank(wanted, read)
        or lacks_comparison(wanted, read, own | context, aliases),
        wider=is_of_kind(wanted, own | context),
        general=denies_all(wanted, read, action, aliases),
        other=_names_other(wanted, read, mention, own | context, aliases),
        **_certainty(statement, concerned=_concerned(wanted, statement)),
    )


def _names_other(wanted: Wanted, read: Read, mention: Mention | None, words: frozenset[str], aliases: Aliases) -> bool:
    """Return whether a statement names another one in place of the claim's subject or object."""
    held, foreign = _held(wanted, read, mention, aliases), known(wanted.language) != known(read.language)
    return names_another(wanted.claim, held, wanted.subject, wanted.object, words, foreign=foreign)


def _sides(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> tuple[bool, bool, bool]:
    """Return whether subject and object have changed places, whether that is in a comparison, and if it is unclear."""
    aligned = alignment(wanted, read, mention, aliases)
    turned_round = aligned < 0 and not is_mutual(wanted)
    than = next((token.end for token in read.tokens if token.low in listed("than", read.language)), None)
    if than is None:
        return turned_round, False, False
    other_side = {token.form for token in read.tokens if token.start >= than}
    # "Rents in B are lower than in A" says the opposite of "higher" of the other one; which one must be clear
    unclear = not aligned and mention is not None and mention.sign != wanted.claim.sign
    return turned_round, turned_round, unclear and not other_side.isdisjoint(wanted.content)


def _action(wanted: Wanted, read: Read, mention: Mention | None, values: Values, aliases: Aliases) -> float:
    """Return how far a statement has the action; an amount that agrees is enough where the verb says no more."""
    action = action_of(wanted, read, mention, aliases)
    opposite = any(one.sign < 0 for one in read.mentions)  # "missed two rehearsals" is not "was at two"
    if values.amounts == "agree" and wanted.is_measured and not (wanted.claim.negated or opposite):
        return max(action, CONCEPT)
    return action


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
    concepts = wanted.topics & set(concepts_of(ended.text, statement.language))
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

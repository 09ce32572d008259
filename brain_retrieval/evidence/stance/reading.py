"""Reading of features: a statement compared with a claim, word by word and clause by clause. No model is used."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from brain_retrieval.evidence.candidates.statement import ENDED, OUTDATED, Statement
from brain_retrieval.evidence.claims.claim import Agreement, Quantity, SubClaim, When
from brain_retrieval.evidence.claims.dates import date_agreement, located_whens
from brain_retrieval.evidence.claims.quantities import agreement, quantities_in
from brain_retrieval.evidence.claims.reading import HEDGED, is_hedged
from brain_retrieval.evidence.lexicons import families, known, listed
from brain_retrieval.evidence.stance.coverage import Aliases, forms_in, match, share
from brain_retrieval.evidence.stance.features import Features
from brain_retrieval.evidence.stance.holders import Held, names_another
from brain_retrieval.evidence.words import (
    Clause,
    Mention,
    Token,
    clauses_of,
    form_of,
    is_refuted,
    mentions_in,
    opposite_by_prefix,
    tokens_of,
)
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.names import names_in
from brain_retrieval.language.stance import modality_of

OWNER = "user"
# Strength of an action of the same concept; for "is", of a statement without a verb, and of one with another verb.
CONCEPT, UNKNOWN_ACTION, OTHER_ACTION = 0.6, 0.5, 0.3
CONCERNED = 0.5  # share of what a claim says, that what has ended a statement has
LEAST_SEMANTIC, MOST_SEMANTIC = 0.2, 0.8  # cosines that count as 0 and as 1


@dataclass(frozen=True)
class Wanted:
    """The words of a claim in the form in which they are compared."""

    claim: SubClaim

    @cached_property
    def subject(self) -> tuple[str, ...]:
        """Its words; the owner for "I" and "my"."""
        first = any(token.low in listed("first_person", self.language) for token in tokens_of(self.claim.subject))
        return (*((OWNER,) if first else ()), *forms_in(self.claim.subject, self.claim.language))

    @cached_property
    def is_name(self) -> bool:
        """Whether the subject is a name and nothing else."""
        return bool(self.subject) and all(word[:1].isupper() for word in self.claim.subject.split())

    @cached_property
    def object(self) -> tuple[str, ...]:
        own = forms_in(self.claim.object, self.claim.language)
        return tuple(form for form in own if form not in self.action)

    @cached_property
    def action(self) -> tuple[str, ...]:
        return forms_in(self.claim.action, self.claim.language)

    @cached_property
    def content(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.subject, *self.action, *self.object)))

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(forms for name in self.claim.names if (forms := forms_in(name, self.claim.language)))

    @cached_property
    def anchors(self) -> tuple[tuple[str, ...], ...]:
        return tuple(forms for anchor in self.claim.anchors if (forms := forms_in(anchor, self.claim.language)))

    @cached_property
    def concepts(self) -> frozenset[str]:
        return frozenset(concepts_of(f"{self.claim.action} {self.claim.object}", self.claim.language))

    @property
    def language(self) -> str:
        return known(self.claim.language)


@dataclass(frozen=True)
class Read:
    """A statement taken apart: its words, words of families, clauses, amounts and dates."""

    statement: Statement

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens_of(self.statement.text)

    @cached_property
    def own(self) -> frozenset[str]:
        """The forms of its words; its speaker for "I"."""
        forms = frozenset(token.form for token in self.tokens)
        first = any(token.low in listed("first_person", self.language) for token in self.tokens)
        return forms | (self._speaker if first else frozenset())

    @cached_property
    def context(self) -> frozenset[str]:
        said = f"{self.statement.context} {self.statement.title or ''}"
        return frozenset(form_of(token.low) for token in tokens_of(said)) | self._speaker

    @cached_property
    def owners(self) -> frozenset[str]:
        """The forms of words that stand in the genitive alone: of "Ivo's sister"."""
        of = {token.form for token in self.tokens if token.low.endswith(("'s", "’s"))}
        return frozenset(of - {token.form for token in self.tokens if not token.low.endswith(("'s", "’s"))})

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        return mentions_in(self.statement.text, self.statement.language)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        return clauses_of(self.statement.text, self.statement.language)

    @cached_property
    def whens(self) -> tuple[When, ...]:
        located = located_whens(self.statement.text, self.statement.language)
        # "moved from 7 March to 21 March" states the second.
        last = max((start for start, _, _ in located), default=0)
        kept = [when for start, _, when in located if start == last or not self._is_origin(start)]
        return tuple(kept or self.statement.whens)

    def _is_origin(self, start: int) -> bool:
        before = [token.low for token in self.tokens if token.end <= start][-1:]
        return bool(before) and before[0] in listed("origin", self.language)

    @cached_property
    def quantities(self) -> list[Quantity]:
        located = located_whens(self.statement.text, self.statement.language)
        spans = [(start, end) for start, end, _ in located]
        return quantities_in(self.statement.text, self.statement.language, spans)

    @property
    def language(self) -> str:
        return known(self.statement.language)

    @property
    def _speaker(self) -> frozenset[str]:
        speaker = self.statement.speaker or OWNER
        return frozenset(form_of(token.low) for token in tokens_of(speaker))


def features_of(wanted: Wanted, read: Read, aliases: Aliases, semantic: float | None = None) -> Features:
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
    aligned = _alignment(wanted, read, mention, aliases)
    turned_round = aligned < 0 and not _mutual(wanted)
    compared = turned_round and any(token.low in listed("than", read.language) for token in read.tokens)
    amounts = _amounts(wanted, read, place)
    dates = date_agreement(wanted.claim.dates, read.whens)
    statement = read.statement
    action = _action(wanted, read, mention, aliases)
    bare = own - read.owners if wanted.is_name else own  # "Ivo's sister" is not Ivo
    return Features(
        subject=share(wanted.subject, bare, context - read.owners, aliases) if wanted.subject else None,
        action=action,
        object=share(wanted.object, own, context, aliases) if wanted.object else None,
        overlap=_overlap(wanted, action, own, context, aliases),
        anchors=_whole(wanted.anchors, own, context, aliases),
        names=min((_named(name, read, aliases) for name in wanted.names), default=1.0),
        semantic=None if semantic is None else _scaled(semantic),
        graph=statement.strength,
        reversed=turned_round and not compared,
        opposite=_opposite(wanted, read, mention) ^ compared,
        event=wanted.claim.family in families("events"),
        denied=_denied(read, place, mention) ^ _left(wanted, read, mention),
        refuted=is_refuted(statement.text, statement.language),
        amounts=amounts,
        dates=dates,
        stated=_states_all(wanted.claim, amounts, dates),
        other=names_another(wanted.claim, _clause_text(read, mention), wanted.subject, wanted.object, own | context),
        **_certainty(statement, concerned=_concerned(wanted, statement)),
    )


def _clause_text(read: Read, mention: Mention | None) -> Held:
    """Return the clause of a mention, or the whole statement, with where the mention is in it."""
    text = read.statement.text
    for clause in read.clauses:
        if mention is not None and clause.start <= mention.start < clause.end:
            return Held(
                text[clause.start : clause.end], mention.start - clause.start, mention.end - clause.start, mention.sign
            )
    return Held(text)


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
    if wanted.concepts and wanted.concepts & set(concepts_of(read.statement.text, read.statement.language)):
        direct = max(direct, CONCEPT)
    if wanted.action:
        return direct
    helpers = listed("auxiliaries", read.language)
    own = "having" if wanted.claim.action.lower() in listed("having", wanted.language) else "copulas"
    if any(token.low in listed(own, read.language) for token in read.tokens):
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


def _denied(read: Read, place: Clause | None, mention: Mention | None) -> bool:
    """Return whether the clause with the object is denied, or the one with the action where that is another one."""
    if place is None:
        return False
    if place.denied or mention is None or place.start <= mention.start < place.end:
        return place.denied
    own = next((clause for clause in read.clauses if clause.start <= mention.start < clause.end), None)
    first = next((token.low for token in read.tokens if token.start >= place.start), "")
    return own is not None and own.denied and first not in listed("contrasts", read.language)


def _left(wanted: Wanted, read: Read, mention: Mention | None) -> bool:
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


def _alignment(wanted: Wanted, read: Read, mention: Mention | None, aliases: Aliases) -> int:
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
    return 0 if abs(first - second) < LEAST_SEMANTIC else -1 if first > second else 1


def _mutual(wanted: Wanted) -> bool:
    return wanted.claim.family in families("mutual")


def _amounts(wanted: Wanted, read: Read, place: Clause | None) -> Agreement:
    """Return how amounts agree: those of the matched clause, else all."""
    claimed = wanted.claim.quantities
    here = [one for one in read.quantities if place is not None and place.start <= one.start < place.end]
    found = agreement(claimed, here)
    return found if found != "none" else agreement(claimed, read.quantities)


def _states_all(claim: SubClaim, amounts: str, dates: str) -> bool:
    return (not claim.quantities or amounts == "agree") and (not claim.dates or dates == "agree")

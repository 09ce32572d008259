"""Claims and statements in the form in which they are compared: forms of words, families, clauses, amounts, dates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import Quantity, SubClaim, When
from brain_retrieval.evidence.claims.dates import located_whens
from brain_retrieval.evidence.claims.quantities import NUMBER, RANGE, quantities_in
from brain_retrieval.evidence.lexicons import families, known, listed, pattern
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.evidence.stance.kinds import Labels, labels_of, without_exclusive
from brain_retrieval.evidence.stance.scopes import excluded_spans
from brain_retrieval.evidence.words import (
    Clause,
    Mention,
    Token,
    clauses_of,
    form_of,
    mentions_in,
    tokens_of,
    without_lack,
)
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.plain import lowered

OWNER = "user"
SHORTLY = 3  # words between an expression and the date it is about


def _second(one: Quantity) -> Quantity:
    """Return the second end of a range, a little below the next number."""
    last = one.high - 1e-6 * abs(one.high)
    return replace(one, low=last, high=last)


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
    def things(self) -> tuple[str, ...]:
        """The words of its object but for those of which one excludes the others, which are compared on their own."""
        return without_exclusive(self.object, self.language) or self.object

    @cached_property
    def labels(self) -> Labels:
        return labels_of(self.claim.text, self.claim.language)

    @cached_property
    def subject_labels(self) -> Labels:
        return self.labels & labels_of(self.claim.subject, self.claim.language)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens_of(self.claim.text)

    @cached_property
    def particular(self) -> list[Token]:
        """Its tokens without those of a subject that is any one of a kind: of "a black dog", not of "the black dog"."""
        first = next((token.low for token in tokens_of(self.claim.subject)), "")
        if first not in listed("indefinite", self.language):
            return self.tokens
        return [token for token in self.tokens if token.form not in self.subject]

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
    def topics(self) -> frozenset[str]:
        """What its action and object are about."""
        return frozenset(concepts_of(f"{self.claim.action} {self.claim.object}", self.claim.language))

    @cached_property
    def concepts(self) -> frozenset[str]:
        """What its action is about, or its action together with its object, but not what its object alone is about.

        That something is a sports league does not say whether it is liked, or who mows its pitch. An object that has
        the action ("used to live in Tromsø") counts, but for an attitude.
        """
        acts = any(one.family == self.claim.family for one in mentions_in(self.claim.object, self.claim.language))
        if acts and self.claim.family not in families("attitudes"):
            return self.topics
        return self.topics - frozenset(concepts_of(self.claim.object, self.claim.language))

    @cached_property
    def is_measured(self) -> bool:
        """Whether its verb says nothing beyond its amount: "is 38 euros", "costs", "has 40 pupils"."""
        verb = self.claim.action.lower().split()[:1]
        return bool({*verb} & (listed("copulas", self.language) | listed("measuring", self.language)))

    @property
    def language(self) -> str:
        return known(self.claim.language)


@dataclass(frozen=True)
class Read:
    """A statement taken apart: its words, words of families, clauses, amounts and dates.

    Attributes:
        said: the statement; `statement` is the same with what is lacking denied in plain words.
    """

    said: Statement

    @cached_property
    def statement(self) -> Statement:
        plain = without_lack(self.said.text, self.said.language)
        return self.said if plain == self.said.text else replace(self.said, text=plain)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens_of(self.statement.text)

    @cached_property
    def own(self) -> frozenset[str]:
        """The forms of its words without what it leaves out; its speaker for "I"."""
        forms = frozenset(token.form for token in self.tokens if not self._is_left_out(token.start))
        first = any(token.low in listed("first_person", self.language) for token in self.tokens)
        return forms | (self.speaker if first else frozenset())

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The forms of what it names only to say that it is not so: "instead of the van"."""
        return frozenset(token.form for token in self.tokens if self._is_left_out(token.start))

    @cached_property
    def has(self) -> bool:
        """Whether it says that someone has something."""
        return any(token.low in listed("having", self.language) for token in self.tokens)

    @cached_property
    def _excluded(self) -> list[tuple[int, int]]:
        return excluded_spans(self.statement.text, self.statement.language)

    def _is_left_out(self, place: int) -> bool:
        return any(start <= place < end for start, end in self._excluded)

    @cached_property
    def labels(self) -> Labels:
        return labels_of(self.statement.text, self.statement.language)

    @cached_property
    def context(self) -> frozenset[str]:
        said = f"{self.statement.context} {self.statement.title or ''}"
        return frozenset(form_of(token.low) for token in tokens_of(said)) | self.speaker

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
        """Its dates: of "moved from 7 March to 21 March" the second; none "first meant" if there is another."""
        located = [one for one in self._located if not self._is_left_out(one[0])]
        moved = [when for start, _, when in located if self._follows("moved_to", start)]
        if moved:
            return tuple(moved)
        last = max((start for start, _, _ in located), default=0)
        kept = [
            when
            for start, _, when in located
            if not self._is_past(start) and (start == last or not self._is_origin(start))
        ]
        return tuple(kept or [when for _, _, when in located] or self.statement.whens)

    def whens_beside(self, mention: Mention | None) -> tuple[When, ...]:
        """Return the dates in the clause of an action, all where it has none: "engaged in May, married in June"."""
        clause = next((one for one in self.clauses if mention and one.start <= mention.start < one.end), None)
        if clause is None or len(self._located) < 2:
            return self.whens
        here = [when for start, _, when in self._located if clause.start <= start < clause.end]
        return tuple(when for when in self.whens if when in here) or self.whens

    @cached_property
    def _located(self) -> list[tuple[int, int, When]]:
        return located_whens(self.statement.text, self.statement.language)

    def _is_origin(self, start: int) -> bool:
        before = [token.low for token in self.tokens if token.end <= start][-1:]
        return bool(before) and before[0] in listed("origin", self.language)

    def _is_past(self, start: int) -> bool:
        """Return whether the clause of a date says that it was so at first, and another clause has a date too."""
        clause = next((one for one in self.clauses if one.start <= start < one.end), None)
        if clause is None or all(clause.start <= other < clause.end for other, _, _ in self._located):
            return False
        text = lowered(self.statement.text[clause.start : start])
        return pattern("then", self.language).search(text) is not None

    def _follows(self, key: str, start: int) -> bool:
        """Return whether an expression of a list ends shortly before a place."""
        low = lowered(self.statement.text[:start])
        ends = [match.end() for match in pattern(key, self.language).finditer(low)]
        return bool(ends) and len(low[max(ends) :].split()) <= SHORTLY

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its amounts: of "rose from 4 to 6 euros" the second."""
        spans = [(start, end) for start, end, _ in self._located]
        found = quantities_in(self.statement.text, self.statement.language, spans)
        changes = any(mention.family in families("changes") for mention in self.mentions)
        found = [self._with_unit(one, found) for one in found]
        kept = [one for one in found if not self._is_left_out(one.start) and not self._is_planned(one.start)]
        return [_second(one) if changes and RANGE in one.text else one for one in kept]

    def _with_unit(self, one: Quantity, found: Sequence[Quantity]) -> Quantity:
        """Return a number with the unit of what it replaces: "82 instead of 78 cents"."""
        behind = [other for other in found if other.start > one.start][:1]
        if one.dimension != NUMBER or not behind or not self._is_left_out(behind[0].start):
            return one
        factor = behind[0].factor
        return replace(one, dimension=behind[0].dimension, low=one.low * factor, high=one.high * factor)

    def _is_planned(self, start: int) -> bool:
        """Return whether one of several clauses says of an amount that it was only planned."""
        clause = next((one for one in self.clauses if one.start <= start < one.end), None)
        if clause is None or len(self.clauses) == 1:
            return False
        return pattern("planned", self.language).search(lowered(self.statement.text[clause.start : start])) is not None

    @property
    def language(self) -> str:
        return known(self.statement.language)

    @property
    def speaker(self) -> frozenset[str]:
        """The words of the name of who says it; the owner if it is not known."""
        speaker = self.statement.speaker or OWNER
        return frozenset(form_of(token.low) for token in tokens_of(speaker))

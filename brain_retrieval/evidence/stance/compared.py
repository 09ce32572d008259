"""Claims and statements in the form in which they are compared: forms of words, families, clauses, amounts, dates."""

from dataclasses import dataclass
from functools import cached_property

from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import Quantity, SubClaim, When
from brain_retrieval.evidence.claims.dates import located_whens
from brain_retrieval.evidence.claims.quantities import quantities_in
from brain_retrieval.evidence.lexicons import known, listed
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.evidence.words import Clause, Mention, Token, clauses_of, form_of, mentions_in, tokens_of
from brain_retrieval.language.concepts import concepts_of

OWNER = "user"


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
        return forms | (self.speaker if first else frozenset())

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
    def speaker(self) -> frozenset[str]:
        """The words of the name of who says it; the owner if it is not known."""
        speaker = self.statement.speaker or OWNER
        return frozenset(form_of(token.low) for token in tokens_of(speaker))

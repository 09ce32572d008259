"""Gathering of the statements that may bear on a claim, from passages, memories and the graph, relaxed in steps.

The first steps ask for the whole claim, and for its subject with its action, which finds what contradicts its object.
Where too little is found, the conditions are relaxed one by one. A part that fails is named in the report; the others
are used.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.candidates.memories import MemoryStatements
from brain_retrieval.evidence.candidates.passages import sentences_of
from brain_retrieval.evidence.candidates.paths import statements_of_paths
from brain_retrieval.evidence.candidates.statement import Statement, rank_of
from brain_retrieval.evidence.claims.claim import Claim, SubClaim
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, forms_in, share
from brain_retrieval.evidence.words import tokens_of
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.query.hits import SearchResult

ENOUGH = 5  # admissible statements, below which conditions are relaxed
LEAST_OVERLAP = 0.15  # share of the claim's content words of an admissible statement
PLAIN_HITS = 20  # passages of the plain search
ALL, WHOLE, SUBJECT_STEP = "whole claim", "claim", "subject and action"
# What a rank counts in a search for one of several statements, and for a part of one.
ONE_OF_SEVERAL, OTHER_STEP = 0.75, 0.5


class Search(Protocol):
    """`Brain.search` with the options of one request already given."""

    def __call__(self, query: str) -> SearchResult: ...


@dataclass(frozen=True)
class SearchStep:
    """One step of the search: what was asked, how many statements it gave, or why it failed."""

    part: str  # passages | memories | graph | pages not yet approved
    condition: str
    query: str
    found: int = 0
    failure: str = ""


@dataclass(frozen=True)
class Gathered:
    """Statements found for one statement of a claim, each once, and the steps that found them."""

    statements: tuple[Statement, ...]
    steps: tuple[SearchStep, ...]


def conditions(claim: SubClaim, topics: Sequence[str], whole: str = "") -> list[tuple[str, str]]:
    """Return the steps of the search as (condition, query), the strictest first; none asks for the same twice.

    `whole` is the claim that the statement is one of several of, or stands in other words in, "" if it is the claim.
    """
    steps = [
        (ALL, whole),
        (WHOLE, claim.text),
        (SUBJECT_STEP, f"{claim.subject} {claim.action}" if claim.object else ""),
        ("anchors", " ".join(claim.anchors)),
        ("object and action", f"{claim.action} {claim.object}" if claim.subject else ""),
        ("subject", claim.subject),
        ("topics", " ".join(topics)),
    ]
    asked: dict[str, str] = {}
    for condition, query in steps:
        text = " ".join(query.split())
        if any(char.isalnum() for char in text):
            asked.setdefault(text.lower(), condition)
    texts = {text.lower(): text for _, query in steps if (text := " ".join(query.split()))}
    return [(condition, texts[key]) for key, condition in asked.items()]


class Gatherer:
    """Collects statements for the claims of one request."""

    def __init__(
        self,
        search: Search,
        knowledge: Knowledge,
        *,
        at: datetime,
        until: datetime,
        aliases: Aliases,
        plain: Search | None = None,
    ) -> None:
        """Take the means of the search.

        Args:
            search: finds passages.
            knowledge: of the user, with what was known.
            at: the time at which memories and relations are judged.
            until: what was said later is left out.
            aliases: other names in the claim.
            plain: the search of the user for the whole claim, whose order the ranking follows; by default `search`.
        """
        self._plain: Search = plain or (lambda query: search(query))  # another than `search`, even if equal
        self._search, self._knowledge = search, knowledge
        self._at, self._until, self._aliases = at, until, aliases
        self._hits: dict[tuple[bool, str], SearchResult] = {}
        self._memories = MemoryStatements(knowledge, at=at, known_at=knowledge.known_at)

    def gather(self, part: SubClaim, claim: Claim) -> Gathered:
        """Return the statements for one statement of a claim."""
        wanted, found, steps = Wanted(part), dict[tuple[str, int, int], Statement](), list[SearchStep]()
        several, same = len(claim.statements) > 1, _words(part.text) == _words(claim.text)
        # The plain search is asked with the words of the user, so that its order is the one that the user knows.
        part, whole = (replace(part, text=claim.text), "") if same else (part, claim.text)
        for condition, query in conditions(part, claim.topics, whole):
            strict = condition in (ALL, WHOLE, SUBJECT_STEP)
            if not strict and self._admissible(wanted, found.values()) >= ENOUGH:
                break
            step = SearchStep("passages", condition, query)
            search = self._plain if condition == (ALL if whole else WHOLE) else self._search
            find = lambda query=query, search=search: self._passages(search, query, part.language)  # noqa: E731
            steps.append(self._take(step, find, found, several, places=search is self._plain))
            if strict and condition != ALL:
                step = SearchStep("memories", condition, query)
                steps.append(self._take(step, lambda query=query: self._memories.about(query), found, several))
        if self._knowledge.day is None:
            steps.append(
                SearchStep("graph", "entities", "", failure="there is no snapshot yet; `brain nightly` makes one")
            )
        else:
            step = SearchStep("graph", "entities", ", ".join(dict.fromkeys(e.canonical for e in claim.entities)))
            paths = lambda: statements_of_paths(self._knowledge, claim, wanted, self._at)  # noqa: E731
            steps.append(self._take(step, paths, found))
        return Gathered(tuple(found.values()), tuple(steps))

    def _passages(self, search: Search, query: str, language: str | None) -> list[Statement]:
        key = (search is self._plain, query)
        hits = self._hits.get(key)
        if hits is None:
            hits = search(query)
            if hits.failure:
                raise BrainError(hits.failure)
            self._hits[key] = hits
        within = self._memories.inside(hits)
        return [*within.values(), *sentences_of(hits, language, covered=list(within))]

    def _take(
        self,
        step: SearchStep,
        find: Callable[[], Iterable[Statement]],
        found: dict[tuple[str, int, int], Statement],
        several: bool = False,
        *,
        places: bool = False,
    ) -> SearchStep:
        """Add what a step finds; a statement found again keeps its place and its best score."""
        try:
            statements = [one for one in find() if one.said_at <= self._until]
        except (BrainError, OSError) as error:
            return replace(step, failure=str(error))
        by = f"{step.part}: {step.condition}"
        share = {ALL: 1.0, WHOLE: ONE_OF_SEVERAL if several else 1.0}.get(step.condition, OTHER_STEP)
        for each in statements:
            one = replace(each, score=share * each.score, place=rank_of(each.score) if places else None)
            before = found.get(one.key)
            if before is None:
                found[one.key] = replace(one, found_by=(by,))
                continue
            steps = (*before.found_by, *(() if by in before.found_by else (by,)))
            better = one if before.origin == "passage" and one.origin != "passage" else before
            path, strength = (
                (one.path, one.strength) if one.strength > before.strength else (before.path, before.strength)
            )
            score = max(one.score, before.score)
            context = max(one.context, before.context, key=len)
            place = min((each.place for each in (one, before) if each.place is not None), default=None)
            more = {"path": path, "strength": strength, "context": context, "place": place}
            found[one.key] = replace(better, found_by=steps, score=score, **more)
        return replace(step, found=len(statements))

    def _admissible(self, wanted: Wanted, statements: Iterable[Statement]) -> int:
        return sum(overlap(wanted, one, self._aliases) >= LEAST_OVERLAP for one in statements)


def _words(text: str) -> list[str]:
    return [token.low for token in tokens_of(text)]


def overlap(wanted: Wanted, statement: Statement, aliases: Aliases) -> float:
    """Return the share of the content words of a claim that a statement has, or stands under."""
    read = Read(statement)
    return share(wanted.content or forms_in(wanted.claim.text, wanted.claim.language), read.own, read.context, aliases)

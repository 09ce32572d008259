"""The rounds of one request: a query, its pages, and the evidence weighed again, until enough is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from brain_pipelines.ingest.evidence.budget import ABANDONED, Budget
from brain_pipelines.ingest.evidence.gain import NO_CHANGE, decided, gain_of, is_enough
from brain_pipelines.ingest.evidence.kept_pages import facts_about, ingest_pages
from brain_pipelines.ingest.evidence.model_queries import worded_queries
from brain_pipelines.ingest.evidence.pages import Candidate, Pages
from brain_pipelines.ingest.evidence.providers.provider import SearchFailedError, SearchProvider
from brain_pipelines.ingest.evidence.queries import Query, next_query
from brain_pipelines.ingest.evidence.report import FAILED, KEPT, Online, Round
from brain_retrieval.evidence.report import EvidenceReport

FOUND_PER_QUERY = 20  # addresses taken of one provider's answer
GIVEN_UP = 2  # failures after which a provider is not asked again
EMPTY_ROUNDS = 2  # in a row that settle nothing
Weigh = Callable[[Sequence[str]], EvidenceReport]  # uris of the pages found so far -> the evidence with them


@dataclass
class Loop:
    """One request's search.

    Attributes:
        weigh: weighs the evidence again, with the pages found so far.
        online: what was done, filled while it runs.
    """

    pages: Pages
    providers: Sequence[SearchProvider]
    budget: Budget
    weigh: Weigh
    online: Online
    failures: dict[str, int] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)  # of the stages
    found: list[tuple[str, str]] = field(default_factory=list)  # address and uri of each page that is looked at

    def run(self, report: EvidenceReport) -> EvidenceReport:
        """Ask query after query until there is a reason to stop, and return the evidence as it is then."""
        if self.budget.left():
            self.online.stop = ABANDONED
            return report
        worded = worded_queries(report.claim.text, self.pages.settings, self.budget, self.online.warnings)
        while not self.online.stop:
            query = next_query(report, [one.query for one in self.online.rounds], worded)
            if query is None:
                self.online.stop = "no other query is left"
                break
            report = self._round(query, report)
            self.online.stop = self._why_stop(report)
        return report

    def _round(self, query: Query, report: EvidenceReport) -> EvidenceReport:
        self.budget.rounds += 1
        one = Round(self.budget.rounds, query.text, query.made_of, gain_before=gain_of(report))
        self.online.rounds.append(one)
        one.addresses = self.pages.look_at(self._ask(one), one.number)
        settings, space = self.pages.settings, self.pages.space
        refused = ingest_pages(space, settings, self.pages.paths, self.budget.seconds_left, self.runs)
        self.pages.paths.clear()
        for address in one.addresses:
            if address.uri in refused:
                address.outcome, address.reason = FAILED, refused[address.uri]
        kept = {address.uri: address for address in one.addresses if address.outcome in KEPT}
        self.found += [(address.final_url, uri) for uri, address in kept.items()]
        for uri, facts in facts_about(space, settings, set(kept), report.claim).items():
            kept[uri].facts = facts
        after = self.weigh([uri for _, uri in self.found]) if kept else report
        one.gain_after, one.decided, one.verdict = gain_of(after), len(decided(after)), after.verdict
        return after

    def _ask(self, one: Round) -> list[Candidate]:
        """Ask the providers and return what they found, the first of each before the second of any."""
        answers: list[list[Candidate]] = []
        for provider in self.providers:
            if self.failures.get(provider.name, 0) >= GIVEN_UP:
                one.providers[provider.name] = "not asked again after it failed twice"
                continue
            if self.budget.queries >= self.budget.limits.max_queries or self.budget.request_stopped():
                one.providers[provider.name] = "not asked: a limit was reached"
                continue
            self.budget.queries += 1
            before = provider.received
            try:
                found = provider.search(one.query, FOUND_PER_QUERY, seconds=self.budget.seconds_left)
            except SearchFailedError as error:
                self.failures[provider.name] = self.failures.get(provider.name, 0) + 1
                one.providers[provider.name] = str(error)
                self.online.warnings.append(f"not looked at: {provider.name}: {error}")
                continue
            finally:
                self.budget.bytes += provider.received - before
            one.providers[provider.name] = len(found)
            answers.append([Candidate(each, provider.name, provider.listed) for each in found])
        return [each for each in chain.from_iterable(zip_longest(*answers)) if each is not None]

    def _why_stop(self, report: EvidenceReport) -> str:
        if is_enough(report):
            return f"the evidence is enough: {report.sufficiency.reason}"
        last = self.online.rounds[-EMPTY_ROUNDS:]
        if all(isinstance(answer, str) for answer in last[-1].providers.values()):
            return "no search provider answers"
        if (gain := gain_of(report)) < self.budget.limits.least_gain:
            return f"another query would settle little (gain {gain:.2f})"
        if len(last) == EMPTY_ROUNDS and all(_settled_nothing(one) for one in last):
            return f"{EMPTY_ROUNDS} queries in a row settled nothing"
        return self.budget.why()


def _settled_nothing(one: Round) -> bool:
    return abs(one.gain) < NO_CHANGE

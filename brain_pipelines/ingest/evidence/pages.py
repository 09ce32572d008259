"""Choice and fetching of the addresses that providers found: within the limits, a few of each owner, each text once."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from brain_pipelines.connectors.http.archive import keep_page, uri_of
from brain_pipelines.connectors.http.fetch import Fetcher, Page
from brain_pipelines.connectors.http.pace import Pace
from brain_pipelines.connectors.http.robots import Robots
from brain_pipelines.connectors.http.targets import FetchError, Target
from brain_pipelines.connectors.http.urls import canonical, host_of
from brain_pipelines.ingest.evidence.budget import Budget
from brain_pipelines.ingest.evidence.host_rules import RulesFetcher
from brain_pipelines.ingest.evidence.kept_pages import is_fresh, stored_page
from brain_pipelines.ingest.evidence.likeness import Shingles, is_copy, shingles
from brain_pipelines.ingest.evidence.page_text import SOURCE, read_fetched
from brain_pipelines.ingest.evidence.providers.provider import Found
from brain_pipelines.ingest.evidence.report import BESIDE, COPY, FAILED, KNOWN, USED, Address
from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.evidence.trust import owner_of
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.trust_book import TRUSTED, UNTRUSTED, Origin, TrustBook

WORKERS = 4
MOST_WAIT = 5.0  # seconds for which a host may ask to wait
TEXTS = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf", "")
TRIES = 3  # pages requested in a round for each that is wanted, as some fail and some are copies


@dataclass(frozen=True)
class Candidate:
    """An address to look at. `listed`: the owner listed it, or its site."""

    found: Found
    provider: str
    listed: bool

    @property
    def origin(self) -> Origin:
        return "named" if self.listed else "online"


@dataclass
class Pages:
    """The pages of one request.

    Attributes:
        book: what is trusted and rejected.
        fresh_days: age up to which a page that is in memory is not fetched again.
        paths: files written to the inbox that have not been ingested yet.
    """

    space: Space
    settings: Settings
    claim: Claim
    budget: Budget
    book: TrustBook
    fresh_days: float
    paths: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        crawl, limits = self.settings.crawl, self.settings.evidence.online
        most = min(limits.max_page_bytes, self.settings.fetch.max_bytes)
        self._fetcher = Fetcher(self.settings.fetch.model_copy(update={"max_bytes": most}))
        self._robots = Robots(RulesFetcher(self._fetcher, self.budget), respect=crawl.respect_robots_txt)
        self._pace = Pace(
            interval=1 / crawl.requests_per_second, cool_down=crawl.cool_down_seconds, block_after=crawl.block_after
        )
        self._seen: set[str] = set()
        self._owners: Counter[str] = Counter()  # pages looked at
        self._texts: list[Shingles] = []
        self._snippets: list[Shingles] = []

    def look_at(self, candidates: Iterable[Candidate], number: int) -> list[Address]:
        """Fetch the best candidates that are new, and keep the pages that say something about the claim.

        Args:
            candidates: the best first; those of trusted domains go before all others.
            number: of the round.
        """
        done: list[Address] = []
        # A trusted page far down is looked at although many others fill the first places.
        best = sorted(self._new(candidates), key=lambda one: not self._is_trusted(one))
        queue = [(one, Address(one.found.url, one.provider, number)) for one in best]
        wanted = self.budget.limits.addresses_per_round
        most = self.budget.addresses + TRIES * wanted
        while queue and wanted > 0 and self.budget.addresses < most:
            batch, queue, left_out = self._batch(queue, min(wanted, WORKERS))
            done += left_out
            for (candidate, address), page in zip(batch, self._fetch_all(batch), strict=True):
                self._take(candidate, address, page)
                done.append(address)
                wanted -= address.outcome in (USED, KNOWN, BESIDE)
        return done

    def _new(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield candidates that were not looked at before, with their canonical addresses, each once."""
        here: set[str] = set()
        for one in candidates:
            url = canonical(one.found.url)
            if url is not None and url not in self._seen and url not in here:
                here.add(url)
                found = Found(url, one.found.title, one.found.snippet)
                yield Candidate(found, one.provider, one.listed)

    def _is_trusted(self, candidate: Candidate) -> bool:
        return self.book.state(candidate.found.url, origin=candidate.origin) == TRUSTED

    def _batch(
        self, queue: Sequence[tuple[Candidate, Address]], most: int
    ) -> tuple[list[tuple[Candidate, Address]], list[tuple[Candidate, Address]], list[Address]]:
        """Return what to fetch now, up to the second page of a host; what is left; and what is left out."""
        batch, left_out = [], []
        hosts: set[str] = set()
        for place, (candidate, address) in enumerate(queue):
            host = host_of(candidate.found.url)
            if len(batch) == most or host in hosts:
                return batch, list(queue[place:]), left_out
            self._seen.add(candidate.found.url)
            if reason := self._why_not(candidate):
                address.reason = reason
                left_out.append(address)
                continue
            hosts.add(host)
            self._owners[owner_of(host)] += 1
            batch.append((candidate, address))
        return batch, [], left_out

    def _why_not(self, candidate: Candidate) -> str:
        """Return why an address is not looked at, "" if it is."""
        found, limits = candidate.found, self.budget.limits
        if self.book.state(found.url, origin=candidate.origin) == UNTRUSTED:
            return "rejected by a decision"
        if self._owners[owner_of(host_of(found.url))] >= limits.addresses_per_domain:
            return f"more than {limits.addresses_per_domain} pages of one owner"
        if self._pace.wait(host_of(found.url)) > MOST_WAIT or self._pace.blocked(host_of(found.url)):
            return "its host asked to wait, or refuses"
        own = shingles(f"{found.title} {found.snippet}")
        if is_copy(own, self._snippets):
            return "the provider shows the same words for another address"
        self._snippets.append(own)
        return self.budget.page_stopped()

    def _fetch_all(self, batch: Sequence[tuple[Candidate, Address]]) -> list[Page | None]:
        """Return the pages in the order of the batch; None for those that failed or are in memory."""
        todo = [(candidate, address) for candidate, address in batch if not self._is_known(address)]
        allowed = todo[: max(0, self.budget.addresses_left)]
        for _, address in todo[len(allowed) :]:
            address.reason = self.budget.page_stopped() or "the limit of addresses"
        self.budget.addresses += len(allowed)
        for _, address in allowed:
            self._wait(host_of(address.url))
        most = max(1024, self.budget.bytes_left // max(1, len(allowed)))
        with ThreadPoolExecutor(WORKERS) as pool:
            pages = list(pool.map(lambda pair: self._fetch(pair[0], pair[1], most), allowed))
        by_url = {address.url: page for (_, address), page in zip(allowed, pages, strict=True)}
        self.budget.bytes += sum(address.bytes for _, address in allowed)
        for (_, address), page in zip(allowed, pages, strict=True):
            if page is not None:
                self._pace.finish(host_of(address.url), page.status, page.header("retry-after"))
        return [by_url.get(address.url) for _, address in batch]

    def _is_known(self, address: Address) -> bool:
        stored = stored_page(self.space, self.settings, address.url)
        if stored is None or not is_fresh(stored.fetched_at, self.fresh_days, datetime.now(UTC)):
            return False
        address.outcome, address.uri, address.final_url = KNOWN, stored.uri, address.url
        address.state = stored.state
        return True

    def _wait(self, host: str) -> None:
        time.sleep(min(self._pace.wait(host), max(0.0, self.budget.seconds_left)))
        self._pace.start(host)

    def _fetch(self, candidate: Candidate, address: Address, most: int) -> Page | None:
        began, address.requested = time.monotonic(), True
        seconds = max(0.1, min(self.budget.limits.page_seconds, self.budget.seconds_left))

        def check(target: Target) -> None:
            if self.book.state(target.url, origin=candidate.origin) == UNTRUSTED:
                raise FetchError("leads to a site rejected by a decision", "refused")
            if not self._robots.allows(target.url):
                raise FetchError("its robots.txt forbids it", "refused")

        try:
            page = self._fetcher.fetch(candidate.found.url, before_hop=check, seconds=seconds, most=most)
        except FetchError as error:
            address.outcome, address.reason = FAILED, str(error)
            address.bytes = most if error.kind == "too-large" else 0
            return None
        finally:
            address.seconds = time.monotonic() - began
        address.bytes, address.final_url = len(page.body), canonical(page.final_url) or page.final_url
        return page

    def _take(self, candidate: Candidate, address: Address, page: Page | None) -> None:
        """Read a page, and keep it if it says something about the claim that no other page says in the same words."""
        if page is None:
            return
        if page.status != 200 or page.content_type not in TEXTS:
            address.outcome = FAILED
            address.reason = (
                f"answered with {page.status}" if page.status != 200 else f"no text: {page.content_type:.60}"
            )
            return
        moved = address.final_url != address.url
        if moved and address.final_url in self._seen:
            address.outcome, address.reason = COPY, "leads to another address that was found"
            return
        self._seen.add(address.final_url)
        owner = owner_of(host_of(address.final_url))
        if moved and owner != owner_of(host_of(address.url)):
            self._owners[owner] += 1
            if self._owners[owner] > self.budget.limits.addresses_per_domain:
                address.reason = f"more than {self.budget.limits.addresses_per_domain} pages of one owner"
                return
        try:
            text = read_fetched(page, self.space, self.settings, self.claim)
        except (BrainError, OSError, RuntimeError) as error:
            address.outcome, address.reason = FAILED, f"not readable: {error}"
            return
        if not text.about:
            address.outcome, address.reason = BESIDE, "says nothing about the claim"
        elif is_copy(text.likeness, self._texts):
            address.outcome, address.reason = COPY, "a copy of another page"
        else:
            self._texts.append(text.likeness)
            self._keep(candidate, address, page)

    def _keep(self, candidate: Candidate, address: Address, page: Page) -> None:
        origin = candidate.origin
        if owner_of(host_of(address.final_url)) != owner_of(host_of(address.url)):
            origin = "online"  # a listed site that leads elsewhere vouches for nothing
        before = stored_page(self.space, self.settings, address.final_url)
        if before is not None and before.origin == "named":
            origin = "named"
        path = keep_page(self.space, SOURCE, address.final_url, page, {"origin": origin})
        self.paths.append(path)
        address.outcome, address.uri = USED, uri_of(self.space, path)
        address.state = self.book.state(address.final_url, uri=address.uri, origin=origin)

"""Rules of hosts (robots.txt) within the limits of a request: they count, and none is read beyond a limit."""

from dataclasses import dataclass

from brain_pipelines.connectors.http.fetch import Fetcher, Page
from brain_pipelines.connectors.http.targets import FetchError
from brain_pipelines.ingest.evidence.budget import Budget


@dataclass(frozen=True)
class RulesFetcher:
    """Fetches the rules of hosts for `Robots`. Thread-safe.

    Rules that are not read because a limit is reached count as a refusal: the host is asked for nothing.
    """

    fetcher: Fetcher
    budget: Budget

    @property
    def user_agent(self) -> str:
        return self.fetcher.user_agent

    def fetch(self, url: str, *, seconds: float) -> Page:
        """Return the response.

        Raises:
            FetchError: without a response within the limits, with the kind "refused" if one was reached before.
        """
        if reached := self.budget.request_stopped():
            raise FetchError(reached, "refused")
        allowed = min(seconds, self.budget.limits.page_seconds, self.budget.seconds_left)
        try:
            page = self.fetcher.fetch(url, seconds=max(0.1, allowed))
        except FetchError as error:
            too_large = error.kind == "too-large"
            self.budget.count_robots(self.fetcher.settings.max_bytes if too_large else 0)
            raise
        self.budget.count_robots(len(page.body))
        return page

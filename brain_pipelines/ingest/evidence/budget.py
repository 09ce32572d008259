"""The limits of one request and what has been spent of them."""

from dataclasses import dataclass, field
from time import monotonic

from brain_retrieval.settings.evidence import OnlineSettings

LEAST_SECONDS = 0.2  # with less no further request is begun


@dataclass
class Budget:
    """Counts what a request spends. `why` says which limit has been reached."""

    limits: OnlineSettings
    rounds: int = 0
    queries: int = 0  # requests to providers
    addresses: int = 0  # pages requested
    bytes: int = 0  # received from providers and pages
    tokens: int = 0
    began: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the request began."""
        return monotonic() - self.began

    @property
    def seconds_left(self) -> float:
        return self.limits.max_seconds - self.seconds

    @property
    def bytes_left(self) -> int:
        return self.limits.max_bytes - self.bytes

    @property
    def addresses_left(self) -> int:
        return self.limits.max_addresses - self.addresses

    def why(self) -> str:
        """Return the limit that has been reached, in words; "" if a further round may begin."""
        limits = self.limits
        reached = {
            f"the limit of {limits.max_rounds} rounds": self.rounds >= limits.max_rounds,
            f"the limit of {limits.max_queries} queries": self.queries >= limits.max_queries,
            f"the limit of {limits.max_addresses} addresses": self.addresses_left <= 0,
            f"the limit of {limits.max_seconds:g} seconds": self.seconds_left < LEAST_SECONDS,
            f"the limit of {limits.max_bytes} bytes": self.bytes_left <= 0,
        }
        return next((name for name, is_so in reached.items() if is_so), "")

    def page_stopped(self) -> str:
        """Return why no further page is requested in this round; "" if one may be."""
        if self.addresses_left <= 0:
            return f"the limit of {self.limits.max_addresses} addresses"
        if self.seconds_left < LEAST_SECONDS:
            return f"the limit of {self.limits.max_seconds:g} seconds"
        return f"the limit of {self.limits.max_bytes} bytes" if self.bytes_left <= 0 else ""

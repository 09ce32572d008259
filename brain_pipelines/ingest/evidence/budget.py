"""The limits of one request and what has been spent of them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from brain_retrieval.errors import BrainError
from brain_retrieval.models.chat.protocol import Usage
from brain_retrieval.settings.evidence import OnlineSettings

LEAST_SECONDS = 0.2  # with less no further request is begun
ABANDONED = "who asked has gone"


class OutOfTokensError(BrainError):
    """The limit of tokens does not allow the request."""


@dataclass
class Budget:
    """Counts what a request spends. `why` says which limit has been reached.

    Attributes:
        bytes: received from providers, of pages and of the rules of their hosts; of what is too large its limit.
        robots: requests for such rules.
        tokens: of the chat model, for queries and for judging.
        left: whether who asked has gone, so that no further request is begun.
    """

    limits: OnlineSettings
    rounds: int = 0
    queries: int = 0  # requests to providers
    addresses: int = 0  # pages requested
    bytes: int = 0
    robots: int = 0
    tokens: int = 0
    left: Callable[[], bool] = bool
    began: float = field(default_factory=monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count_robots(self, received: int) -> None:
        """Count a request for the rules of a host. Called from several threads."""
        with self._lock:
            self.robots += 1
            self.bytes += received

    def allow_tokens(self, tokens: int) -> None:
        """Raise an error if a request of the model may go beyond the limit; without a limit none is refused.

        Raises:
            OutOfTokensError: it may.
        """
        most = self.limits.max_model_tokens
        if most and self.tokens + tokens > most:
            raise OutOfTokensError(f"the limit of {most} tokens")

    def count_tokens(self, usage: Usage) -> None:
        """Add the tokens of a request of the model."""
        self.tokens += usage.input_tokens + usage.output_tokens

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
            ABANDONED: self.left(),
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
        return self.request_stopped()

    def request_stopped(self) -> str:
        """Return why no further request is begun; "" if one may be."""
        if self.left():
            return ABANDONED
        if self.seconds_left < LEAST_SECONDS:
            return f"the limit of {self.limits.max_seconds:g} seconds"
        return f"the limit of {self.limits.max_bytes} bytes" if self.bytes_left <= 0 else ""

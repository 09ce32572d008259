"""The protocol of search providers, and what they find. A provider finds addresses; it never supplies evidence.

To add a provider, write a class with these members and build it in `build.py`.
"""

from dataclasses import dataclass
from typing import Protocol

from brain_retrieval.errors import BrainError


class SearchFailedError(BrainError):
    """A provider that gave no answer; the message is the reason and holds no key."""


@dataclass(frozen=True)
class Found:
    """An address that a provider found. Title and snippet are its words about the page and are not evidence."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchProvider(Protocol):
    """Finds addresses for a query.

    Attributes:
        name: in the settings.
        listed: it finds only addresses that the owner listed, or of sites that he listed.
        received: bytes received so far.
    """

    @property
    def name(self) -> str: ...
    @property
    def listed(self) -> bool: ...
    @property
    def received(self) -> int: ...

    def search(self, query: str, most: int, *, seconds: float) -> list[Found]:
        """Return at most `most` addresses, the best first.

        Raises:
            SearchFailedError: there was no answer, or none that can be read, within `seconds`.
        """
        ...

"""Readers of decoded texts, which need no sandbox: no parser of others sees the bytes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.settings import Limits


@dataclass(frozen=True)
class TextReader:
    """A reader of a file that is a text, in this process."""

    read: Callable[[str], Extracted]

    def __call__(self, path: Path, limits: Limits, scratch: Path | None = None) -> Extracted:
        """Return the content of a file with what its decoding had to correct.

        Raises:
            BadInputError: if it is no text, or too large.
        """
        decoded = read_decoded(path, limits)
        found = self.read(decoded.text)
        return replace(found, repairs=[*decoded.repairs, *found.repairs])

"""Reader for text formats that are parsed by our own code on decoded text and therefore need no sandbox."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.settings import Limits


@dataclass(frozen=True)
class TextReader:
    """A reader of a text file that runs in this process; `read` maps the decoded text to its content."""

    read: Callable[[str], Extracted]

    def __call__(self, path: Path, limits: Limits, scratch: Path | None = None) -> Extracted:
        """Return the content of a file; corrections made while decoding come first in `repairs`.

        Raises:
            BadInputError: if it is not text, or too large.
        """
        decoded = read_decoded(path, limits)
        found = self.read(decoded.text)
        return replace(found, repairs=[*decoded.repairs, *found.repairs])

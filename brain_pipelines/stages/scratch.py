"""The folder in which a reader writes the files of one item, such as the pages of a scan."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self


class Scratch:
    """An empty folder for each item: the same one as long as nothing is written into it.

    Making and removing one takes longer than reading a message, and most items write nothing.
    """

    def __init__(self, below: Path) -> None:
        self._below = below
        self._made: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield an empty folder; what is written into it is removed afterwards."""
        if self._made is None:
            self._below.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._made = TemporaryDirectory(dir=self._below)
        path = Path(self._made.name)
        try:
            yield path
        finally:
            if not path.is_dir() or os.listdir(path):  # noqa: PTH208 - for each message of a day
                self._remove()

    def _remove(self) -> None:
        if self._made is not None:
            self._made.cleanup()
            self._made = None

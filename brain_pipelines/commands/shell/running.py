"""Running a command for another process: what it prints is returned with its exit code.

In a reader of `brain serve`, or in a process that stays after a command. Both answer one request at a time, so what is
changed here for the time of a command concerns nothing else.
"""

import io
import os
import sys
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from brain_pipelines.commands.shell.warm import COMMANDS, TERMINAL

STANDARD = (1, 2)  # output and errors


class _Printed(io.StringIO):
    """A stream that keeps what is written, in the order of both streams; it says of itself what the other's says."""

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType] - a property there

    def __init__(self, number: int, pieces: list[list[Any]], *, interactive: bool) -> None:
        super().__init__()
        self._number, self._pieces, self._interactive = number, pieces, interactive

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):  # libraries find out by this what a stream takes
            raise TypeError(f"text is written here, not {type(text).__name__}")
        if self._pieces and self._pieces[-1][0] == self._number:
            self._pieces[-1][1] += text
        else:
            self._pieces.append([self._number, text])
        return len(text)

    def isatty(self) -> bool:
        return self._interactive


def run_command(
    main: Callable[[], None], asked: Mapping[str, Any], *, declined: Container[str] = ()
) -> Mapping[str, Any]:
    """Return `{"code": exit code, "printed": [[1 or 2, text], …]}` of a command that reads.

    Args:
        main: runs the command of `sys.argv`.
        asked: what `warm.py` sends.
        declined: commands that are not run.
    """
    arguments = [str(one) for one in asked["arguments"]]
    if not arguments or arguments[0] not in COMMANDS or arguments[0] in declined:
        return {"declined": True}
    pieces: list[list[Any]] = []
    streams = [
        _Printed(one, pieces, interactive=bool(tty)) for one, tty in zip(STANDARD, asked["interactive"], strict=True)
    ]
    code = 0
    with _as_there(asked, arguments, streams):
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return {"code": code, "printed": pieces}


@contextmanager
def _as_there(asked: Mapping[str, Any], arguments: list[str], streams: list[_Printed]) -> Iterator[None]:
    before, argv, own = dict(os.environ), sys.argv, (sys.stdout, sys.stderr)
    terminal = {str(name): str(value) for name, value in asked["terminal"].items() if name in TERMINAL}
    try:
        for name in TERMINAL:
            os.environ.pop(name, None)
        os.environ.update({**terminal, "BRAIN_HOME": str(asked["home"])})
        sys.argv = ["brain", *arguments]
        sys.stdout, sys.stderr = streams
        yield
    finally:
        sys.stdout, sys.stderr = own
        sys.argv = argv
        os.environ.clear()
        os.environ.update(before)

"""A reader that does what hostile files make parsers do. Called in the sandbox by its tests."""

import os
import sys
import time
from pathlib import Path

from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.settings import Limits


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Do what the file says, and otherwise return it with the child's process id as title."""
    order = path.read_text()
    if order == "hang":
        time.sleep(600)
    if order == "crash":
        os.abort()
    if order == "exit":
        os._exit(3)
    if order == "eat":
        return Extracted("text", [Block("x" * len(bytearray(4 << 30)))])
    if order == "fail":
        raise RuntimeError("index out of range")
    if order == "long":
        return Extracted("text", [Block("x" * 2000)])
    if order == "print":
        sys.stdout.write("this is not an answer\n")
    if order == "environment":
        return Extracted("text", [Block(" ".join(sorted(os.environ)))])
    return Extracted("text", [Block(order, section="a", page=3)], str(os.getpid()), ["Ann"], "en", ["mended"])


MISBEHAVE = Isolated(read_file)

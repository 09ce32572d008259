"""The processes of a running server: which they are, their CPU time and their memory, from Linux's /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def server_below(process: int) -> int:
    """Return the number of the server that a process has started."""
    named = ((one, Path(f"/proc/{one}/cmdline").read_bytes().split(b"\0")) for one in processes(process)[1:])
    return next(one for one, words in named if b"serve" in words)


def processes(root: int) -> list[int]:
    """Return a process and all below it."""
    listed = Path(f"/proc/{root}/task").glob("*/children")
    below = [int(one) for file in listed for one in file.read_text().split()]
    return [root, *(each for one in below for each in processes(one))]


def cpu_seconds(root: int) -> float:
    """Return the CPU time of a process and all below it."""
    total = 0
    for one in processes(root):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def memory(root: int) -> str:
    """Return the megabytes of each process: those that only it has, and in all."""
    found = []
    for one in processes(root):
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {line.split()[0]: int(line.split()[1]) for line in lines}
        own = sizes["Private_Clean:"] + sizes["Private_Dirty:"]
        handles = len(list(Path(f"/proc/{one}/fd").iterdir()))
        found.append(f"{own / 1024:.0f} of {sizes['Rss:'] / 1024:.0f} MB, {handles} handles")
    return "; ".join(found)

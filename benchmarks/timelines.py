"""Share of checks answered rightly on timelines: what held about a topic on a day, as known by a day.

    python -m benchmarks.timelines PATH [--direct] [--limit 5] [--first 3] [--wrong]

The events go through the public commands, every timeline as a user of its own; as everything is received today, a
check of what was known by a day finds nothing there. `--direct` reads them straight through sentences, signals and rows
into the view of memories. The baselines show the newest sentences that name the topic. A check is right if one of the
first ten lines matches `want` and no line taken for true matches `avoid`.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from datetime import UTC, datetime, time
from pathlib import Path

from benchmarks.timeline_commands import lines, load
from benchmarks.timeline_rows import rows_of
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import match_all
from brain_retrieval.knowledge.memories.view import as_of

SHOWN = 10


def end_of(day):
    return datetime.combine(datetime.fromisoformat(day).date(), time(23, 59, 59), UTC) if day else None


def is_right(check, lines):
    """Return whether lines (text, taken for true) answer a check."""
    lines = lines[:SHOWN]
    wanted = any(re.search(check["want"], text, re.IGNORECASE) for text, _ in lines)
    avoided = check["avoid"] and any(holds and re.search(check["avoid"], text, re.IGNORECASE) for text, holds in lines)
    return wanted and not avoided


def line_of(row):
    """Return what is read in a line: the memory, and the words of the source where it says them otherwise."""
    said = row["evidence"]
    return row["text"] if said in row["text"] else f"{row['text']} | {said}"


def memories(rows, check, limit):
    at, known = end_of(check["as_of"]), end_of(check["known"])
    return [(line_of(seen.row), seen.holds) for seen in as_of(rows, check["about"], at=at, known_at=known, limit=limit)]


def newest(rows, check, count):
    """Return the newest sentences that match most words of the topic."""
    at, known = end_of(check["as_of"]), end_of(check["known"]) or end_of(check["as_of"])
    before = [Facet(row) for row in rows if row["said_at"] <= min(at, known)]
    matches = match_all(check["about"], before)
    best = max((len(match) for match in matches), default=0)
    named = [facet.row for facet, match in zip(before, matches, strict=True) if match and len(match) == best]
    return [(line_of(row), True) for row in sorted(named, key=lambda row: row["said_at"])[-count:]]


def measure(timelines, limit, wrong, home):
    """Print the share of right checks; with a home the memories are those that the public commands show."""
    right, checks = Counter(), 0
    for timeline in timelines:
        rows = rows_of(timeline)
        if home is not None:
            load(home, timeline)
        for check in timeline["checks"]:
            checks += 1
            found = memories(rows, check, limit) if home is None else lines(home, timeline, check, limit)
            answers = {"memories": found, "newest": newest(rows, check, 1), "newest three": newest(rows, check, 3)}
            right.update(name for name, shown in answers.items() if is_right(check, shown))
            if wrong and not is_right(check, found):
                show(timeline, check, found)
    print(f"{len(timelines)} timelines, {checks} checks, at most {limit} lines")
    for name in ("newest", "newest three", "memories"):
        print(f"{name:>14}: {right[name] / checks:.3f}  ({right[name]})")


def show(timeline, check, found):
    print(f"\n#{timeline['id']} {timeline['title']}: {check['about']} | {check['as_of']} known {check['known']}")
    print(f"   want {check['want']} | avoid {check['avoid']}")
    for text, holds in found:
        marks = ("W" if re.search(check["want"], text, re.IGNORECASE) else " ") + (
            "A" if check["avoid"] and re.search(check["avoid"], text, re.IGNORECASE) else " "
        )
        print(f"   {marks} {'' if holds else '(not taken for true) '}{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--first", type=int, help="number of timelines")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    path = options.path / "dev.json" if options.path.is_dir() else options.path
    timelines = json.loads(path.read_text("utf-8"))[: options.first]
    if options.direct:
        measure(timelines, options.limit, options.wrong, None)
        return
    with tempfile.TemporaryDirectory() as home:
        measure(timelines, options.limit, options.wrong, Path(home))


if __name__ == "__main__":
    main()

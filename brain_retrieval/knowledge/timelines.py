"""Episodes of all facts with conflicting statements: statements → slots, cuts and timelines."""

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from brain_retrieval.knowledge.episodes import End, Episode, Timeline, at_moment
from brain_retrieval.knowledge.slots import Displaced, Statement, displace
from brain_retrieval.knowledge.statements import ASSERTED

EPISODES: dict[str, pl.DataType] = {
    "episode": pl.Int64(),
    "key": pl.Int64(),
    "polarity": pl.String(),
    "certainty": pl.String(),
    "begins": pl.Int64(),  # µs since 1970
    "until": pl.Int64(),
    "retired": pl.String(),  # superseded | ended | ""
    "end_received": pl.Int64(),
    "superseded_by": pl.Int64(),  # episode
    "supersedes": pl.Int64(),
    "disputes": pl.List(pl.Int64()),
    "together": pl.Boolean(),  # stated to hold together with another object of the slot
}
SUPPORT: dict[str, pl.DataType] = {"episode": pl.Int64(), "row": pl.UInt32()}


def cut(rows: pl.DataFrame, ends: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return EPISODES of the keys in `rows`, and SUPPORT, the rows that support each.

    Args:
        rows: asserted statements of `prepare`, all of each key.
        ends: of `endings`.
    """
    statements = _statements(rows)
    displaced = displace(statements, _slots(rows))
    over: dict[int, list[End]] = defaultdict(list)
    for key, at, received, source_id, start in ends.select("key", "at", "received", "source_id", "start").iter_rows():
        over[key].append(End(at, received, source_id, start))
    lines = {
        key: Timeline(key).run(said, over.get(key, ()), sorted(displaced.cuts.get(key, ())))
        for key, said in sorted(statements.items())
    }
    return _frames(lines, displaced)


def _statements(rows: pl.DataFrame) -> dict[int, list[Statement]]:
    found: dict[int, list[Statement]] = defaultdict(list)
    columns = ["row", "key", "polarity", "begins", "until", "again", "source_id", "start", "end", "change"]
    received = pl.col("received_at").dt.epoch("us")
    chosen = rows.select(*columns, received).with_columns(pl.col("polarity") == "affirmed")
    for values in chosen.iter_rows():
        statement = Statement(*values)
        found[statement.key].append(statement)
    return found


def _slots(rows: pl.DataFrame) -> Iterator[list[int]]:
    """Yield the competing keys of each slot."""
    affirmed = rows.filter(pl.col("polarity") == "affirmed")
    sides = {"subject_id": pl.col("functional"), "object_key": pl.col("exclusive")}
    for side, competes in sides.items():
        slots = affirmed.filter(competes & ~pl.col("symmetric")).group_by(side, "predicate").agg(pl.col("key").unique())
        yield from map(sorted, slots.sort(side, "predicate")["key"].to_list())
    both = affirmed.filter("symmetric")
    ends = [both.select(pl.col(side).alias("one"), "predicate", "key") for side in sides]
    slots = pl.concat(ends).group_by("one", "predicate").agg(pl.col("key").unique())
    yield from map(sorted, slots.sort("one", "predicate")["key"].to_list())


def _frames(lines: dict[int, Timeline], displaced: Displaced) -> tuple[pl.DataFrame, pl.DataFrame]:
    every = [e for line in lines.values() for affirmed in (True, False) for e in line.episodes[affirmed]]
    number = {id(episode): n for n, episode in enumerate(every)}
    by: list[int | None] = [None] * len(every)
    replaced: list[int | None] = [None] * len(every)
    for n, episode in enumerate(every):
        later = _cause(episode, lines)
        if later is not None:
            by[n] = winner = number[id(later)]
            before = replaced[winner]
            if before is None or (every[before].begins, before) < (episode.begins, n):
                replaced[winner] = n
    disputes = _disputes(lines, displaced, number)
    episodes = {
        "episode": range(len(every)),
        "key": [e.key for e in every],
        "polarity": ["affirmed" if e.affirmed else "negated" for e in every],
        "certainty": [ASSERTED] * len(every),
        "begins": [e.begins for e in every],
        "until": [e.until for e in every],
        "retired": [e.retired for e in every],
        "end_received": [e.end_received for e in every],
        "superseded_by": by,
        "supersedes": replaced,
        "disputes": [sorted(disputes[n]) for n in range(len(every))],
        "together": [_together(e, displaced.together.get(e.key, set())) for e in every],
    }
    support = [(number[id(e)], row) for e in every for row in sorted(e.rows)]
    return pl.DataFrame(episodes, schema=EPISODES), pl.DataFrame(support, schema=SUPPORT, orient="row")


def _cause(episode: Episode, lines: dict[int, Timeline]) -> Episode | None:
    if episode.cause is None or episode.until is None:
        return None
    key, affirmed = episode.cause
    return at_moment(lines[key].episodes[affirmed], episode.until)


def _disputes(lines: dict[int, Timeline], displaced: Displaced, number: dict[int, int]) -> dict[int, set[int]]:
    """Return, for each episode number, the numbers of the episodes that contradict it."""
    found: dict[int, set[int]] = defaultdict(set)
    pairs = [((key, True), (other, True), at) for key, said in displaced.disputes.items() for at, other in said]
    pairs += [((key, True), (key, False), at) for key, line in lines.items() for at in line.denied_at]
    for (key, affirmed), (other, other_affirmed), at in pairs:
        one = at_moment(lines[key].episodes[affirmed], at)
        two = at_moment(lines[other].episodes[other_affirmed], at)
        if one is not None and two is not None:
            found[number[id(one)]].add(number[id(two)])
            found[number[id(two)]].add(number[id(one)])
    return found


def _together(episode: Episode, moments: set[int]) -> bool:
    until = episode.until
    return episode.affirmed and any(
        episode.begins <= at and (until is None or at < until or at == episode.begins) for at in moments
    )

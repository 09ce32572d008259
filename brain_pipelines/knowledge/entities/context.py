"""Disambiguation of a short form ("Alice") in each source by context: full names and co-occurring names in the source.

Every other name in the source votes for a candidate, weighted by how often both occur together and less the more common
the name is. Only counts of the sources concerned are used, so that unrelated sources do not change the result.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from brain_pipelines.knowledge.entities.clusters import Clusters
from brain_pipelines.knowledge.entities.nodes import Names
from brain_pipelines.knowledge.entities.short_form_resolution import AmbiguousForm

MARGIN = 2.0  # the best candidate needs this many times the score of the second
ENOUGH = 0.05  # minimum co-occurrence score
NAMED_THERE, COMPANY, HABIT = 0.92, 0.86, 0.86
HABIT_SOURCES, HABIT_SHARE = 4, 0.85  # unambiguous sources, and share of one candidate, that decide the others
BUSY = 500  # names in a source; one with more is a list, whose names say nothing of each other


@dataclass(frozen=True)
class Choice:
    """One extraction row of an ambiguous short form, assigned to the cluster of the node `whole`."""

    short: int
    whole: int
    row: str  # member id
    score: float
    how: str


def choose_by_context(
    names: Names, clusters: Clusters, open_forms: Iterable[AmbiguousForm], owner: int | None
) -> list[Choice]:
    """Return the rows of ambiguous short forms that their context decides; the others keep their own entity.

    Args:
        names: all names and extraction rows.
        clusters: the finished clusters of full names.
        open_forms: short forms with several candidates.
        owner: root of the owner's cluster, None without one.
    """
    forms = list(open_forms)
    if not forms:
        return []
    roots = pl.Series([clusters.root(i) for i in range(len(names.nodes))], dtype=pl.UInt32)
    rows = names.rows.select("entity_id", "source_id", "node").with_columns(
        roots.gather(names.rows["node"]).alias("root")
    )
    offers = pl.DataFrame(
        [(form.node, clusters.root(c.node), c.node) for form in forms for c in form.candidates.values()],
        schema={"node": pl.UInt32, "whole_root": pl.UInt32, "whole": pl.UInt32},
        orient="row",
    )
    asked = rows.filter(pl.col("node").is_in(offers["node"].unique().implode())).drop("root")
    there = _named_in_source(asked, offers, rows, owner)
    company = _company(asked, offers, rows)
    return _decide(asked, offers, there, company, names)


def _named_in_source(asked: pl.DataFrame, offers: pl.DataFrame, rows: pl.DataFrame, owner: int | None) -> pl.DataFrame:
    """Return (entity_id, whole_root) of the rows whose source names exactly one candidate in full.

    The owner is left out: "I" occurs in nearly every source and is no evidence for who else is meant.
    """
    present = rows.select("source_id", pl.col("root").alias("whole_root")).unique()
    if owner is not None:
        present = present.filter(pl.col("whole_root") != owner)
    met = asked.join(offers, on="node").join(present, on=["source_id", "whole_root"])
    return met.filter(pl.len().over("entity_id") == 1).select("entity_id", "whole_root")


def _company(asked: pl.DataFrame, offers: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return (entity_id, whole_root, score): the co-occurrence score of a source's other names for each candidate."""
    unique = rows.select("source_id", "root").unique()
    concerned = offers["whole_root"].unique().implode()
    short = offers["node"].unique().implode()
    others = unique.filter(~pl.col("root").is_in(concerned) & ~pl.col("root").is_in(short))
    others = others.filter(pl.len().over("source_id") <= BUSY)
    common = others.group_by("root").agg(pl.len().alias("sources"))
    mine = unique.filter(pl.col("root").is_in(concerned)).rename({"root": "whole_root"})
    size = mine.group_by("whole_root").agg(pl.len().alias("size"))
    met = mine.join(others, on="source_id").group_by("whole_root", "root").agg(pl.len().alias("times"))
    # Like tf-idf: relative frequency with the candidate, damped for names that occur in many sources.
    weight = pl.col("times") / (pl.col("size") + 1) / (1 + pl.col("sources").cast(pl.Float64).log1p())
    met = met.join(size, on="whole_root").join(common, on="root")
    met = met.with_columns((weight * 1_000_000).round().cast(pl.Int64).alias("vote"))
    # Votes are whole millionths, so that their sum does not depend on the order of the rows.
    votes = asked.join(others, on="source_id").join(offers, on="node").join(met, on=["whole_root", "root"])
    return votes.group_by("entity_id", "whole_root").agg((pl.col("vote").sum() / 1_000_000).alias("score"))


def _decide(
    asked: pl.DataFrame, offers: pl.DataFrame, there: pl.DataFrame, company: pl.DataFrame, names: Names
) -> list[Choice]:
    named = dict(there.iter_rows())
    votes: dict[str, dict[int, float]] = {}
    for row, root, score in company.iter_rows():
        votes.setdefault(row, {})[root] = score
    whole_of = {(node, root): whole for node, root, whole in offers.iter_rows()}
    habit = _habits(offers, names)
    found: list[Choice] = []
    for row, _, node in asked.sort("entity_id").iter_rows():
        if row in named:
            chosen, score, how = named[row], NAMED_THERE, "named there"
        else:
            chosen, score, how = _by_company(votes.get(row, {}), habit.get(node))
        if chosen is not None:
            found.append(Choice(node, whole_of[node, chosen], row, score, how))
    return found


def _by_company(votes: dict[int, float], habit: int | None) -> tuple[int | None, float, str]:
    ordered = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    if ordered and ordered[0][1] >= ENOUGH:
        second = ordered[1][1] if len(ordered) > 1 else 0.0
        if ordered[0][1] >= MARGIN * second:
            return ordered[0][0], COMPANY, "in the same company"
    # The usual meaning applies only if the context does not favour another candidate.
    if habit is not None and (not ordered or ordered[0][0] == habit):
        return habit, HABIT, "whom sources that tell mean by it"
    return None, 0.0, ""


def _habits(offers: pl.DataFrame, names: Names) -> dict[int, int]:
    """Return by short form the candidate that nearly all sources mean which record the short form as its alias."""
    recorded: dict[int, dict[int, int]] = {}
    for node, root, whole in offers.iter_rows():
        recorded.setdefault(node, {})[root] = names.aliases.get((whole, node), 0)
    found: dict[int, int] = {}
    for node, counts in recorded.items():
        total = sum(counts.values())
        root, most = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if most >= HABIT_SOURCES and most >= HABIT_SHARE * total:
            found[node] = root
    return found

"""Nodes: the distinct normalised names of all extraction rows. Resolution compares nodes, not rows."""

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl

from brain_pipelines.knowledge.entities.home_types import UNKNOWN_TYPE, typed_by_all_sources
from brain_pipelines.knowledge.entities.names import is_email, normalise, tidy
from brain_pipelines.knowledge.entities.people import PersonName, fits, is_proper, parse_person
from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.person_form import bare_person, names_borne
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.vocabulary import entity_class
from brain_retrieval.schemas.names import ENTITY_TYPES

_WORDS = LEXICONS.read("pronouns")

MAX_ALIASES = 50  # of one row
# Pronouns that a model may record as an alias, though they identify no entity.
PRONOUNS = _WORDS.words("pronouns")
_TYPES = {kind.casefold(): kind for kind in ENTITY_TYPES}
INPUT = "entity_id source_id source event_at received_at name type aliases mention_count confidence".split()


@dataclass
class Node:
    """A normalised name within a class; `sources` is the number of sources that use it."""

    entity_class: str
    name: str
    name_id: str
    sources: int = 0
    weight: int = 0  # sum of the confidence of its rows, in thousandths
    best: float = 0.0  # highest confidence of a row
    display: str = ""
    type: str = ""  # the one with the highest weight
    person: PersonName = field(default_factory=lambda: PersonName("none"))

    @property
    def is_email(self) -> bool:
        return is_email(self.name)


@dataclass(frozen=True)
class Names:
    """All nodes, sorted by class and name.

    `rows` is the input with the columns `node` and `by_alias` (assigned to the node of a fuller alias). `aliases` maps
    pairs of nodes to the number of sources that use the second name for the first.
    """

    nodes: list[Node]
    rows: pl.DataFrame
    aliases: dict[tuple[int, int], int]
    alias_displays: pl.DataFrame  # node (of the entity), alias (node), display, source_id

    def aliases_by_display(self) -> pl.DataFrame:
        """Return node, name (an alias as written) and the node of that alias as `own`."""
        return self.alias_displays.select("node", pl.col("display").alias("name"), pl.col("alias").alias("own")).unique(
            ["node", "name"], keep="any"
        )

    def with_rows(self, rows: pl.DataFrame) -> "Names":
        """Return the names with reassigned rows; the counts of all nodes are recomputed."""
        for node in self.nodes:
            node.sources, node.weight, node.best = 0, 0, 0.0
        _count(self.nodes, rows)
        return Names(self.nodes, rows, self.aliases, self.alias_displays)


def class_of(name: str, kind: str) -> str:
    """Return the class of a node; an e-mail address is a Concept until it is linked to a person."""
    return "Concept" if is_email(name) else entity_class(kind)


def known_type(kind: str | None) -> str:
    """Return the matching entry of ENTITY_TYPES, UNKNOWN_TYPE if there is none."""
    return _TYPES.get((kind or "").strip().casefold(), UNKNOWN_TYPE)


def collect_names(entities: pl.DataFrame, user: str, extra: list[tuple[str, str]]) -> Names:
    """Return the names of ENTITIES rows and of `extra` (class, name), which need not occur in any row.

    Args:
        entities: ENTITIES rows.
        user: part of every name id.
        extra: further nodes, such as the names of the owner.
    """
    rows = _clean(entities)
    # Names are parsed once for each distinct combination, which are far fewer than rows.
    combos = rows.select("name", "type", "aliases").unique().sort("name", "type", "aliases")
    heads: list[tuple[str, str]] = []
    fuller: list[bool] = []
    others: list[list[tuple[str, str, str]]] = []
    for name, kind, aliases in combos.iter_rows():
        head, rest, by_alias = _head(name, kind, aliases)
        heads.append(head)
        fuller.append(by_alias)
        others.append(rest)
    keys = sorted({*heads, *extra, *((c, n) for rest in others for c, n, _ in rest)})
    index = {key: i for i, key in enumerate(keys)}
    nodes = [Node(c, n, content_id("entity", user, c, n)) for c, n in keys]
    combos = combos.with_columns(
        pl.Series("node", [index[h] for h in heads], pl.UInt32),
        pl.Series("by_alias", fuller, pl.Boolean),
        pl.Series("others", [[index[c, n] for c, n, _ in rest] for rest in others], pl.List(pl.UInt32)),
        pl.Series("displays", [[d for _, _, d in rest] for rest in others], pl.List(pl.String)),
    )
    joined = rows.join(combos, on=["name", "type", "aliases"], how="left", nulls_equal=True)
    pairs = joined.filter(pl.col("others").list.len() > 0).select("node", "source_id", "others", "displays")
    pairs = pairs.explode("others", "displays").rename({"others": "alias", "displays": "display"}).unique()
    _count(nodes, joined)
    written = pairs.group_by("alias", "display").agg(pl.len().alias("rows")).rename({"alias": "node"})
    for node, display in _first(written, "rows", "display"):
        nodes[node].display = nodes[node].display or display
    _parse_people(nodes)
    counted = (
        pairs.filter(pl.col("node") != pl.col("alias"))
        .group_by("node", "alias")
        .agg(pl.col("source_id").n_unique().alias("sources"))
    )
    aliases = {(a, b): n for a, b, n in counted.iter_rows()}
    return Names(nodes, joined.drop("others", "displays"), aliases, pairs)


def _parse_people(nodes: list[Node]) -> None:
    for node in nodes:
        if node.is_email or (node.entity_class == "Person" and is_proper(node.display or node.name.title())):
            node.person = parse_person(node.name)


def _clean(entities: pl.DataFrame) -> pl.DataFrame:
    """Return the rows sorted, one for each id, with nulls filled and names and types cleaned."""
    described = pl.col("description") if "description" in entities.columns else pl.lit(None, pl.String)
    method = pl.col("method") if "method" in entities.columns else pl.lit("local")
    optional = (described.cast(pl.String).alias("description"), method.cast(pl.String).alias("method"))
    rows = entities.select(*INPUT, *optional).with_columns(
        pl.col("name").fill_null("").cast(pl.String),
        pl.col("type").fill_null("").cast(pl.String),
        pl.col("aliases").cast(pl.List(pl.String)).fill_null([]).list.drop_nulls().list.unique().list.sort(),
        pl.col("confidence").cast(pl.Float64).fill_nan(0.0).fill_null(0.0).clip(0.0, 1.0),
        pl.col("mention_count").fill_null(0).cast(pl.Int32),
    )
    rows = rows.sort(*INPUT, "description", "method").unique("entity_id", keep="first", maintain_order=True)
    rows = rows.with_columns(
        _mapped(rows["name"], lambda name: tidy(name) or "?"),
        _mapped(rows["type"], known_type),
        pl.col("aliases").list.eval(pl.element().filter(pl.element().str.len_chars() > 0)).list.head(MAX_ALIASES),
    )
    return typed_by_all_sources(rows)


def _mapped(column: pl.Series, change: Callable[[str], str]) -> pl.Series:
    values = column.unique().to_list()
    return column.replace_strict(values, [change(v) for v in values], return_dtype=pl.String)


def _head(name: str, kind: str, aliases: list[str]) -> tuple[tuple[str, str], list[tuple[str, str, str]], bool]:
    """Return the node of a row, the nodes of its other names, and whether the node is that of a fuller alias."""
    borne = names_borne(name) if kind == "Person" else None
    head = _key(borne[0] if borne else name, kind)
    rest: dict[tuple[str, str], str] = {}
    for alias in (*aliases, *(borne[1:] if borne else ())):
        shown = tidy(alias)
        shown = bare_person(shown) if kind == "Person" else shown
        if shown and shown.casefold() not in PRONOUNS and (key := _key(shown, kind)) != head:
            rest.setdefault(key, shown)
    full = _fuller(head, list(rest))
    if full is not None:
        rest[head] = name  # the alias also stays among the rest, to keep its spelling
        head = full
    return head, [(c, n, d) for (c, n), d in sorted(rest.items())], full is not None


def _key(name: str, kind: str) -> tuple[str, str]:
    group = class_of(name, kind)
    return group, normalise(name, group)


def _fuller(head: tuple[str, str], rest: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the only full name among the aliases that a person's partial name fits, None if not exactly one."""
    if head[0] != "Person" or parse_person(head[1]).kind == "full":
        return None
    short = parse_person(head[1])
    # With two full names it is open which one is meant, so the row stays with its own name.
    people = [(key, parse_person(key[1])) for key in rest if key[0] == "Person"]
    full = [key for key, person in people if person.kind == "full" and fits(short, person)]
    return full[0] if len(full) == 1 else None


def _count(nodes: list[Node], rows: pl.DataFrame) -> None:
    counted = rows.group_by("node").agg(
        pl.col("source_id").n_unique().alias("sources"),
        (pl.col("confidence") * 1000).round().cast(pl.Int64).sum().alias("weight"),
        pl.col("confidence").max().alias("best"),
    )
    for node, sources, weight, best in counted.iter_rows():
        nodes[node].sources, nodes[node].weight, nodes[node].best = sources, weight, best
    kinds = rows.group_by("node", "type").agg(
        (pl.col("confidence") * 1000).round().cast(pl.Int64).sum().alias("weight")
    )
    for node, kind in _first(kinds, "weight", "type"):
        nodes[node].type = kind
    named = rows.filter(~pl.col("by_alias")).group_by("node", "name").agg(pl.len().alias("rows"))
    for node, name in _first(named, "rows", "name"):
        nodes[node].display = bare_person(name) if nodes[node].entity_class == "Person" else name


def _first(counted: pl.DataFrame, count: str, value: str) -> list[tuple[int, str]]:
    """Return for each node the value with the highest count; ties go to the smallest value."""
    ordered = counted.sort(["node", count, value], descending=[False, True, False])
    return ordered.unique("node", keep="first", maintain_order=True).select("node", value).rows()

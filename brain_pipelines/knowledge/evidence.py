"""The table FACT_EVIDENCE: extracted facts joined to resolved entities and canonical predicates.

Tense and literal values are in `evidence_terms.py`; deriving current facts from all evidence is in
`brain_retrieval.knowledge.derive`.
"""

import polars as pl

from brain_pipelines.knowledge.evidence_terms import literal_keys, with_tense
from brain_retrieval.knowledge.predicates import canonical, kind_of_object, kind_of_subject
from brain_retrieval.knowledge.vocabulary import LITERAL
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

_SIDE = ["{}_id", "{}", "{}_class", "{}_kind"]


def build_evidence(
    facts: pl.DataFrame,
    members: pl.DataFrame,
    known_entities: pl.DataFrame,
    *,
    echoes: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return FACT_EVIDENCE, sorted by evidence_id.

    Left out: statements whose subject or object is not a known entity, statements that relate an entity to itself, and
    statements inside a retrieval echo. Questions and conditions are kept, with their modality.

    Args:
        facts: FACTS rows.
        members: ENTITY_MEMBERS.
        known_entities: KNOWN_ENTITIES.
        echoes: ECHOES; agent output that repeats retrieved text is not evidence.
    """
    said = facts if echoes is None or echoes.is_empty() else _outside(facts, echoes)
    named = _with_entities(said.unique("fact_id", keep="first").sort("fact_id"), members, known_entities)
    read = _with_predicates(with_tense(named))
    rows = _directed(literal_keys(read)).filter(pl.col("object_key") != pl.col("subject_id"))
    return rows.rename({"fact_id": "evidence_id", "source": "source_type"}).select(_columns()).sort("evidence_id")


def _columns() -> list[pl.Expr]:
    schema = pl.DataFrame(pl.from_arrow(SNAPSHOT_TABLES["fact_evidence"].empty_table())).schema
    return [pl.col(name).cast(kind) for name, kind in schema.items()]


def _outside(facts: pl.DataFrame, echoes: pl.DataFrame) -> pl.DataFrame:
    spans = echoes.select("source_id", pl.col("start").alias("from"), pl.col("end").alias("to"))
    touched = facts.select("fact_id", "source_id", "start", "end").join(spans, on="source_id")
    inside = touched.filter((pl.col("start") >= pl.col("from")) & (pl.col("end") <= pl.col("to")))
    return facts.join(inside, on="fact_id", how="anti")


def _with_entities(facts: pl.DataFrame, members: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Replace subject and object ids by resolved entities; literals stay. Rows with an unknown entity are dropped."""
    ids = members.select("member_id", "entity_id").unique("member_id", keep="first", maintain_order=True)
    entities = ids.join(known.select("entity_id", "name", "entity_class", "type"), on="entity_id")
    extracted = facts.rename({"object": "object_text"}).drop("subject")
    names = {"entity_id": "{}", "name": "{}_name", "entity_class": "{}_class", "type": "{}_kind"}
    for side in ("subject", "object"):
        columns = {old: new.format(side if old != "entity_id" else f"{side}_entity") for old, new in names.items()}
        right = entities.rename({**columns, "member_id": f"{side}_id"})
        extracted = extracted.join(right, on=f"{side}_id", how="inner" if side == "subject" else "left")
    is_literal = pl.col("object_id").is_null()
    return (
        extracted.filter(is_literal | pl.col("object_entity").is_not_null())
        .drop("subject_id", "object_id")
        .rename({"subject_entity": "subject_id", "subject_name": "subject", "object_entity": "object_id"})
        .with_columns(
            pl.coalesce("object_name", "object_text").alias("object"),
            pl.col("object_class").fill_null(LITERAL),
            pl.col("object_kind").fill_null(LITERAL),
        )
        .sort("fact_id")
    )


def _with_predicates(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the canonical predicate, and whether subject and object must be exchanged for it."""
    cases = rows.select("predicate", "subject", "subject_kind", "object", "object_kind").unique()
    found = [_case(*case) for case in cases.iter_rows()]
    names = {"canonical": pl.String, "family_relation": pl.String, "flipped": pl.Boolean, "symmetric": pl.Boolean}
    known = pl.concat([cases, pl.DataFrame(found, schema=names, orient="row")], how="horizontal")
    joined = rows.join(known, on=cases.columns, how="left")
    stated = pl.col("family_relation")
    return joined.with_columns(
        pl.col("predicate").alias("predicate_text"),
        pl.col("canonical").alias("predicate"),
        pl.when(stated != "").then(stated).otherwise(pl.col("relation")).alias("relation"),
    )


def _case(predicate: str, subject: str, subject_kind: str, obj: str, object_kind: str) -> tuple[str, str, bool, bool]:
    found = canonical(predicate, kind_of_subject(subject, subject_kind), kind_of_object(obj, object_kind))
    if found.flipped and object_kind == LITERAL:  # a literal cannot be a subject
        return predicate, "", False, False
    return found.predicate, found.relation, found.flipped, found.symmetric


def _directed(rows: pl.DataFrame) -> pl.DataFrame:
    """Exchange subject and object of flipped predicates; symmetric ones get the smaller id first.

    Relationships written by an agent keep the direction the agent chose.
    """
    backwards = (
        pl.col("symmetric") & (pl.col("method") != "agent") & (pl.col("subject_id") > pl.col("object_key"))
    ) | (pl.col("flipped"))
    swapped = []
    for form in _SIDE:
        one, other = form.format("subject"), form.format("object")
        swapped += [
            pl.when(backwards).then(pl.col(other)).otherwise(pl.col(one)).alias(one),
            pl.when(backwards).then(pl.col(one)).otherwise(pl.col(other)).alias(other),
        ]
    key = pl.when(backwards).then(pl.col("subject_id")).otherwise(pl.col("object_key")).alias("object_key")
    return rows.with_columns(*swapped, key)

"""Validity checks shared by several stages; a check of one stage is in that stage's module.

A check counts violations among the rows about to be stored and repairs nothing. An item whose rows violate a check
fails alone. If the violation cannot be attributed to single items, nothing of the span is stored. Each check is a
blocking check of the asset.
"""

from collections.abc import Iterable, Iterator

from brain_pipelines.engine.stage import Row, StageInput, StageOutput


def ids_unique(_: StageInput, output: StageOutput) -> int:
    """Count rows whose id duplicates that of another row of the same table and span."""
    from brain_retrieval.schemas.tables import TABLES  # Arrow, which comparing versions does without

    violations = 0
    for table, days in output.tables.items():
        key = TABLES[table].names[0] if table in TABLES else "id"
        ids = [row[key] for rows in days.values() for row in rows]
        violations += len(ids) - len(set(ids))
    return violations


def rows_of(output: StageOutput, table: str) -> Iterator[Row]:
    """Yield the rows of a table, day after day."""
    days: Iterable[list[Row]] = output.tables.get(table, {}).values()
    for rows in days:
        yield from rows


def texts_of(stage_input: StageInput) -> dict[str, str]:
    """Return the text by source id of the documents that a stage was given."""
    return {d["source_id"]: d["text"] for rows in stage_input.rows.values() for d in rows}

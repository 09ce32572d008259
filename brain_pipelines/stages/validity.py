"""What must hold of the rows a stage is about to store. Each function counts violations; none repairs anything.

A stage names those that apply to it. An item whose rows violate one fails alone; where the violation is not that of
single items, the engine stores nothing of the span, and the asset shows each as a blocking check.
"""

from collections.abc import Iterable, Iterator

from brain_pipelines.engine.stage import Row, StageInput, StageOutput
from brain_pipelines.stages.embeddings import check_unit_length
from brain_pipelines.stages.enrichment.keywords import FEWEST as MIN_KEYWORDS
from brain_pipelines.stages.enrichment.keywords import MOST as MAX_KEYWORDS
from brain_pipelines.stages.enrichment.keywords import fewest_of as min_keywords
from brain_pipelines.stages.enrichment.tags import FEWEST as MIN_TAGS
from brain_pipelines.stages.enrichment.tags import MOST as MAX_TAGS
from brain_retrieval.schemas import BUCKETS, TABLES


def ids_unique(_: StageInput, output: StageOutput) -> int:
    """Count rows whose id another row of the same table and span has too."""
    violations = 0
    for table, days in output.tables.items():
        key = TABLES[table].names[0] if table in TABLES else "id"
        ids = [row[key] for rows in days.values() for row in rows]
        violations += len(ids) - len(set(ids))
    return violations


def segments_inside_text(_: StageInput, output: StageOutput) -> int:
    """Count segments that are empty, overlap the one before, or leave their text."""
    violations = 0
    for document in _rows(output, "text"):
        position = 0
        for segment in document["segments"]:
            if not position <= segment["start"] < segment["end"] <= len(document["text"]):
                violations += 1
            position = segment["end"]
    return violations


def chunks_are_slices(stage_input: StageInput, output: StageOutput) -> int:
    """Count chunks that are not exactly `text[start:end]` of their source."""
    texts = {d["source_id"]: d["text"] for rows in stage_input.rows.values() for d in rows}
    return sum(c["text"] != texts[c["source_id"]][c["start"] : c["end"]] for c in _rows(output, "chunks"))


def vectors_normalised(_: StageInput, output: StageOutput) -> int:
    """Count vectors whose length is not 1."""
    violations = 0
    for row in _rows(output, "index"):
        try:
            check_unit_length(row["vector"][None, :])
        except ValueError:
            violations += 1
    return violations


def extractions_cite_text(stage_input: StageInput, output: StageOutput) -> int:
    """Count mentions and facts whose span does not read, in the source's text, what they say it reads."""
    texts = {d["source_id"]: d["text"] for rows in stage_input.rows.values() for d in rows}
    cited = [(m, m["text"]) for m in _rows(output, "mentions")] + [(f, f["evidence"]) for f in _rows(output, "facts")]
    return sum(texts[row["source_id"]][row["start"] : row["end"]] != quote for row, quote in cited)


def enrichments_well_formed(stage_input: StageInput, output: StageOutput) -> int:
    """Count enrichments with too few or too many terms, an unknown bucket, or a summary that is not as it claims.

    A summary with spans must read as they do in the text, in its order; terms may be few only where the text is short.
    """
    texts = {d["source_id"]: d["text"] for rows in stage_input.rows.values() for d in rows}
    return sum(not _well_formed(row, texts[row["source_id"]]) for row in _rows(output, "enrichments"))


def _well_formed(row: Row, text: str) -> bool:
    spans = [(span["start"], span["end"]) for span in row["summary_spans"]]
    quoted = " ".join(" ".join(text[start:end].split()) for start, end in spans)
    claimed = row["method"] != "extractive" or row["summary"] == quoted
    ordered = all(0 <= a < b <= len(text) for a, b in spans) and spans == sorted(spans)
    fewest = min_keywords(text) if len(row["keywords"]) < MIN_KEYWORDS else 0
    counts = fewest <= len(row["keywords"]) <= MAX_KEYWORDS and MIN_TAGS <= len(row["tags"]) <= MAX_TAGS
    return claimed and ordered and counts and row["bucket"] in BUCKETS and 0 <= row["bucket_confidence"] <= 1


def _rows(output: StageOutput, table: str) -> Iterator[Row]:
    days: Iterable[list[Row]] = output.tables.get(table, {}).values()
    for rows in days:
        yield from rows

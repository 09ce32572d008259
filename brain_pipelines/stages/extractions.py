"""Stage extractions: DOCUMENT_TEXT rows → mentions, entities, facts and memories, each with its span.

`extractions_local.py` extracts without a chat model, `extractions_llm.py` with one. Both are loaded when they are
used: commands that compare versions and settings need neither.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.extraction.wanted import local_config, wants_llm
from brain_pipelines.stages.remembered import REMEMBERED
from brain_pipelines.stages.validity import ids_unique, rows_of, texts_of
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_pipelines.stages.extractions_local import Extraction

CODE_VERSION = "63"


def run_extractions(stage_input: StageInput) -> StageOutput:
    """Extract mentions, entities, facts and memories from every text, with a chat model or the local parser."""
    from brain_pipelines.stages import extractions_llm, extractions_local

    settings = stage_input.settings
    model, zone = settings.nlp.model, settings.zone

    def extract(rows: Sequence[Row]) -> "list[Extraction]":
        # Without the sentences, which no table has and which are most of the bytes.
        return [replace(one, sentences=[]) for one in extractions_local.extract_documents(rows, model, zone)]

    def read_locally(rows: Sequence[Row]) -> "list[Extraction]":
        if len(stage_input.rows) > 1:
            return extract(rows)
        return REMEMBERED.results("extractions", rows, extract, model, settings.time_zone)

    return extractions_llm.run_extractions(stage_input, read_locally)


def extractions_cite_text(stage_input: StageInput, output: StageOutput) -> int:
    """Count mentions, facts and memories whose quoted text differs from the source's text at their span."""
    texts = texts_of(stage_input)
    cited = [(m, m["text"]) for m in rows_of(output, "mentions")]
    cited += [(f, f["evidence"]) for f in rows_of(output, "facts")]
    cited += [(m, m["evidence"]) for m in rows_of(output, "memories")]
    return sum(texts[row["source_id"]][row["start"] : row["end"]] != quote for row, quote in cited)


def _config(settings: Settings, source: Source) -> list[Any]:
    if not wants_llm(settings, source):
        return local_config(settings)
    from brain_pipelines.stages import extractions_llm

    return local_config(settings) + extractions_llm.config(settings)


def _named(settings: Settings, source: Source) -> dict[str, str]:
    if not wants_llm(settings, source):
        return {"model": settings.nlp.model}
    from brain_pipelines.stages import extractions_llm

    return extractions_llm.named(settings)


STAGE = Stage(
    name="extractions",
    upstream="text",
    tables=("mentions", "entities", "facts", "memories"),
    code_version=CODE_VERSION,
    config=_config,
    named=_named,
    run=run_extractions,
    validity=(ids_unique, extractions_cite_text),
    description="Mentions, entities, facts and memories (self-contained sentences), each with its span in the text.",
    per_reader=True,
)

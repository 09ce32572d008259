"""Stage extractions: DOCUMENT_TEXT rows → mentions, entities, facts and memories, each with its span.

`extractions_local.py` extracts without a chat model, `extractions_llm.py` with one. Both are loaded when they are
used: commands that compare versions and settings need neither.
"""

from functools import partial
from typing import Any

from brain_pipelines.engine.stage import Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.extraction.wanted import local_config, wants_llm
from brain_pipelines.stages.validity import ids_unique, rows_of, texts_of
from brain_retrieval.settings import Settings

CODE_VERSION = "16"


def run_extractions(stage_input: StageInput) -> StageOutput:
    """Extract mentions, entities, facts and memories from every text, with a chat model or the local parser."""
    from brain_pipelines.stages import extractions_llm, extractions_local

    settings = stage_input.settings
    read_locally = partial(extractions_local.extract_documents, model=settings.nlp.model, zone=settings.zone)
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

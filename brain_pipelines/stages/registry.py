"""The six stages of every source, in the order of their graph: how each pure function is fed with rows.

raw ──► text ──► chunks ──► embeddings
          ├────► extractions
          └────► enrichments
"""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from brain_pipelines.engine.isolation import lacks_resources
from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.landing.raw_files import BytesDroppedError
from brain_pipelines.landing.redaction.document import config as redaction
from brain_pipelines.readers.contract import Issue, Reading
from brain_pipelines.stages import chunks, embeddings, enrichments, extractions, extractions_llm, raw, text, validity
from brain_pipelines.stages.chunking.sizing import chunking_for
from brain_retrieval.errors import BadInputError
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.tokenizer import build_tokenizer


def run_text(stage_input: StageInput) -> StageOutput:
    """Read every item; one that cannot be read goes to quarantine and the others go on."""
    output = StageOutput()
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    for day, rows in stage_input.rows.items():
        for row in rows:
            try:
                document, issues = _read(stage_input, day, row)
            except (BadInputError, BytesDroppedError) as error:
                output.reject(day, row, str(error))
            except Exception as error:  # a model that is missing too: only some formats need it
                if lacks_resources(error):
                    raise
                output.fail(day, row, error)
            else:
                output.add("text", day, [document])
                output.issues.setdefault(day, []).extend(issues)
            done += 1
            stage_input.progress(done, total, "items")
    return output


def _read(stage_input: StageInput, day: str, row: Row) -> tuple[Row, list[Issue]]:
    try:
        with stage_input.blob(row["sha256"]) as path:
            return _read_file(stage_input, row, path)
    except BytesDroppedError as error:
        for document in stage_input.stored(day):
            if document["source_id"] == row["source_id"]:
                reason = f"{error}: it stays as it is and cannot be rebuilt"
                return document, [Issue(row["source_id"], row["uri"], reason, "repaired")]
        raise


def _read_file(stage_input: StageInput, row: Row, path: Path) -> tuple[Row, list[Issue]]:
    stage_input.scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(dir=stage_input.scratch) as scratch:
        reading = Reading(stage_input.settings, Path(scratch), lambda model: stage_input.chat(model=model))
        return text.read_text(row, path, stage_input.source, reading)


def run_chunks(stage_input: StageInput) -> StageOutput:
    """Cut every text of the span."""
    output = StageOutput()
    counter = build_tokenizer(stage_input.settings.embedding, models_dir=stage_input.settings.models_dir)
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    for day, rows in stage_input.rows.items():
        for row in rows:
            config = chunking_for(stage_input.source, stage_input.settings, row["format"])
            output.add("chunks", day, chunks.chunk_document(row, config, counter))
            done += 1
            stage_input.progress(done, total, "texts")
    return output


def run_embeddings(stage_input: StageInput) -> StageOutput:
    """Embed the chunks of all days at once: batches cross days, and the model is loaded once."""
    output = StageOutput()
    days = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        stage_input.progress(done, len(days), "chunks")

    if days:
        embedder = build_embedder(stage_input.settings.embedding, models_dir=stage_input.settings.models_dir)
        rows = embeddings.embed_chunks(
            [row for _, row in days], embedder, stage_input.known_vectors(), progress=advance
        )
        for (day, _), row in zip(days, rows, strict=True):
            output.add("index", day, [row])
    stage_input.progress(len(days), len(days), "chunks")
    return output


def run_extractions(stage_input: StageInput) -> StageOutput:
    """Extract mentions, entities and facts from every text of the span; the parser reads what no chat model does."""
    settings = stage_input.settings
    read_locally = partial(extractions.extract_documents, model=settings.nlp.model, zone=settings.zone)
    return extractions_llm.run_extractions(stage_input, read_locally)


STAGES = (
    Stage(
        name="raw",
        upstream=None,
        tables=("raw",),
        code_version=raw.CODE_VERSION,
        config=lambda settings, source: [],
        run=raw.run_raw,
        validity=(validity.ids_unique,),
        description="What landed: one row an item, with its bytes' hash, format and two clocks.",
    ),
    Stage(
        name="text",
        upstream="raw",
        tables=("text",),
        code_version=text.CODE_VERSION,
        config=lambda settings, source: [
            settings.limits.model_dump(mode="json"),
            settings.time_zone,
            source.text_config(settings),
            *redaction(settings),
        ],
        run=run_text,
        validity=(validity.ids_unique, validity.segments_inside_text),
        description="Cleaned text with a map of its segments back to page, message and original characters.",
    ),
    Stage(
        name="chunks",
        upstream="text",
        tables=("chunks",),
        code_version=chunks.CODE_VERSION,
        config=lambda settings, source: [
            [
                chunking_for(source, settings, f).model_dump(mode="json")
                for f in ("", *sorted(source.chunking_by_format))
            ],
            build_tokenizer(settings.embedding, models_dir=settings.models_dir).name,
        ],
        run=run_chunks,
        validity=(validity.ids_unique, validity.chunks_are_slices),
        description="Pieces of the text with exact offsets, cut by the source's strategy under a real tokenizer.",
    ),
    Stage(
        name="embeddings",
        upstream="chunks",
        tables=("index",),
        code_version=embeddings.CODE_VERSION,
        config=lambda settings, source: [
            settings.embedding.provider,
            settings.embedding.model,
            settings.embedding.dimensions,
        ],
        run=run_embeddings,
        validity=(validity.ids_unique, validity.vectors_normalised),
        description="The user's search index: vectors, full text and filters, replaced partition by partition.",
    ),
    Stage(
        name="extractions",
        upstream="text",
        tables=("mentions", "entities", "facts"),
        code_version=extractions.CODE_VERSION,
        config=lambda settings, source: extractions.config(settings) + extractions_llm.config(settings, source),
        run=run_extractions,
        validity=(validity.ids_unique, validity.extractions_cite_text),
        description="Mentions, entities and facts with the span that supports each; without a chat model by default.",
        per_reader=True,
    ),
    Stage(
        name="enrichments",
        upstream="text",
        tables=("enrichments",),
        code_version=enrichments.CODE_VERSION,
        config=lambda settings, source: enrichments.config(settings),
        run=enrichments.run_enrichments,
        validity=(validity.ids_unique, validity.enrichments_well_formed),
        description="What each text is about: summary with its place, keywords, tags and bucket.",
    ),
)
STAGES_BY_NAME = {stage.name: stage for stage in STAGES}

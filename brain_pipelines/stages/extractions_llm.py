"""Extraction with a chat model: the local tier reads every text, and the model improves its memories and names.

Requests are built in `extraction/llm/`. Sentences without a usable answer keep their local rows, and the text gets an
issue. Facts stay those of the local tier: they are an index over memories.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brain_pipelines.engine.isolation import concerns_run, isolated
from brain_pipelines.engine.stage import Row, StageInput, StageOutput
from brain_pipelines.readers.contract import Issue, describe
from brain_pipelines.stages.extraction.llm.client import Kept, Part, read_with
from brain_pipelines.stages.extraction.llm.improve import LLM, Improved, improve_group
from brain_pipelines.stages.extraction.llm.lines import Group, groups_of
from brain_pipelines.stages.extraction.llm.names import TextNames
from brain_pipelines.stages.extraction.llm.prompt import VERSION
from brain_pipelines.stages.extraction.wanted import wants_llm
from brain_pipelines.stages.extractions_local import Extraction, batches
from brain_retrieval.errors import ModelCallError, is_unanswered
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.schemas.names import SOURCE_NAMES
from brain_retrieval.settings import Settings

CODE_VERSION = "3"
TASK = "extraction"


@dataclass(frozen=True)
class Outcome:
    """Extraction of one text; `remark` is the reason of an issue, "" for none; `waits`: the model is asked again."""

    extraction: Extraction
    remark: str = ""
    waits: bool = False


def config(settings: Settings) -> list[Any]:
    """Return the settings that the rows depend on; never the API key, the URL of the model or the batch size."""
    llm, extraction = settings.llm.for_task(TASK), settings.extraction
    return [
        LLM,
        llm.model,
        llm.reasoning_effort,
        VERSION,
        CODE_VERSION,
        extraction.ask_above,
        extraction.describe_names,
    ]


def named(settings: Settings) -> dict[str, str]:
    """Return the model and the prompt that the rows depend on."""
    return {"model": settings.llm.for_task(TASK).model or "", "prompt": VERSION}


def run_extractions(
    stage_input: StageInput, read_locally: Callable[[Sequence[Row]], Iterable[Extraction]]
) -> StageOutput:
    """Extract memories, mentions, entities and facts from every text of the span.

    Args:
        stage_input: rows of DOCUMENT_TEXT by day.
        read_locally: yields the local extractions of rows, in order.
    """
    output = StageOutput()
    days = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    found: dict[int, Extraction] = {}
    for place, ((day, row), extraction) in enumerate(zip(days, _each(days, read_locally), strict=True)):
        if isinstance(extraction, Exception):
            output.fail(day, row, extraction)
        else:
            found[place] = extraction
        stage_input.progress(place + 1, len(days), "texts")
    outcomes = {place: Outcome(extraction) for place, extraction in found.items()}
    asked = found and wants_llm(stage_input.settings, stage_input.source)
    chat = stage_input.chat(task=TASK) if asked else None
    if chat is not None:
        with chat:
            read = [(days[place][1], extraction) for place, extraction in found.items()]
            improved = improve_extractions(chat, read, stage_input.settings, progress=stage_input.progress)
        outcomes = dict(zip(found, improved, strict=True))
    for place, outcome in outcomes.items():
        _add(output, *days[place], outcome)
    return output


def _add(output: StageOutput, day: str, row: Row, outcome: Outcome) -> None:
    extraction = outcome.extraction
    output.add("mentions", day, extraction.mentions)
    output.add("entities", day, extraction.entities)
    output.add("facts", day, extraction.facts)
    output.add("memories", day, extraction.memories)
    if outcome.remark:
        kind = "waiting" if outcome.waits else "repaired"
        issue = Issue(row["source_id"], row["uri"], outcome.remark[:500], kind)
        output.issues.setdefault(day, []).append(issue)


def _each(
    days: Sequence[tuple[str, Row]], read_locally: Callable[[Sequence[Row]], Iterable[Extraction]]
) -> Iterator[Extraction | Exception]:
    """Yield the local extraction of each row, in order; for a row that makes the extractor raise, the error."""
    for batch in batches([row for _, row in days]):
        for _, found in isolated(batch, lambda some: list(read_locally(some))):
            yield from [found] if isinstance(found, Exception) else found


def improve_extractions(
    chat: CachedChat,
    texts: Sequence[tuple[Row, Extraction]],
    settings: Settings,
    *,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Outcome]:
    """Return the outcome for each row of DOCUMENT_TEXT with its local extraction, in order.

    A failing endpoint does not raise. The result for a text does not depend on the others.
    """
    groups = [
        group
        for place, (document, extraction) in enumerate(texts)
        for group in text_groups(place, document, extraction.memories, settings)
    ]
    total, done = sum(len(group.lines) for group in groups), 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None and count:
            progress(min(done, total), total, "sentences")

    parts = read_with(
        chat,
        groups,
        size=settings.extraction.batch_size,
        most_chars=settings.llm.max_input_chars,
        described=settings.extraction.describe_names,
        progress=advance,
    )
    read: dict[int, list[Part]] = {}
    for group, answer in parts:
        read.setdefault(group.place, []).append((group, answer))
    return [_outcome(*text, read.get(place, []), settings) for place, text in enumerate(texts)]


def text_groups(place: int, document: Row, memories: Sequence[Row], settings: Settings) -> Iterator[Group]:
    """Yield the groups of sentences of one text that the model is asked about."""
    extraction = settings.extraction
    limits = {"above": extraction.ask_above, "size": extraction.batch_size, "zone": settings.zone}
    return groups_of(place, document, memories, **limits)


def _outcome(document: Row, local: Extraction, read: Sequence[Part], settings: Settings) -> Outcome:
    answered = [(group, answer) for group, answer in read if not isinstance(answer, ModelCallError)]
    failed = [(group, answer) for group, answer in read if isinstance(answer, ModelCallError)]
    try:
        extraction, improved = _improved(document, local, answered, settings)
    except Exception as error:
        if concerns_run(error):
            raise
        return Outcome(local, f"read without the chat model, whose answer could not be used: {describe(error)}")
    if failed:
        count = sum(len(group.lines) for group, _ in failed)
        waits = [error for _, error in failed if is_unanswered(error)]
        again = "the next run asks it again" if waits else "`brain rerun --force` asks it again"
        said = f"{count} sentences are read without the chat model, {again}"
        return Outcome(extraction, f"{said}: {[*waits, failed[0][1]][0]}", bool(waits))
    faults = Counter(improved.faults)
    reasons = ", ".join(f"{fault} ({count})" for fault, count in sorted(faults.items()))
    said = f"the local lines of {len(improved.faults)} sentences stand, since of the chat model's {reasons}"
    return Outcome(extraction, said if faults else "")


def _improved(
    document: Row, local: Extraction, answered: Sequence[tuple[Group, Kept]], settings: Settings
) -> tuple[Extraction, Improved]:
    """Return the extraction of one text after the model's answers."""
    improved = Improved()
    for group, kept in answered:
        part = improve_group(group, kept, settings.zone)
        improved.rows |= part.rows
        improved.faults += part.faults
    names = TextNames(document, local.mentions, local.entities, {name: document[name] for name in SOURCE_NAMES})
    names.add([name for _, kept in answered for name in kept.names])
    memories = [improved.rows.get(row["memory_id"], row) for row in local.memories]
    extraction = Extraction(
        mentions=names.retyped(names.mentions),
        entities=names.entities,
        facts=names.facts(local.facts),
        memories=[{**row, "entities": names.named_in(row)} if row["method"] == LLM else row for row in memories],
        sentences=local.sentences,
    )
    return extraction, improved

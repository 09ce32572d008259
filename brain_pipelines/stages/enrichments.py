"""Stage enrichments: one row for each text with summary, keywords, tags and bucket. Algorithms: `enrichment/`.

They are loaded when a text is enriched: commands that compare versions and settings need none of them.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain_pipelines.engine.isolation import concerns_run
from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.readers.contract import Issue
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.remembered import REMEMBERED
from brain_pipelines.stages.validity import ids_unique, rows_of, texts_of
from brain_retrieval.errors import BudgetExceededError, EndpointDownError, ModelCallError, NoAnswerError, is_unanswered
from brain_retrieval.schemas.names import BUCKETS, SOURCE_NAMES
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_pipelines.stages.enrichment.extractive import Enrichment
    from brain_retrieval.models.chat.cached_chat import CachedChat

CODE_VERSION = "18"
EXTRACTIVE, LLM = "extractive", "llm"
# After this many failed calls in a row the endpoint counts as down and is not called again for this span.
PATIENCE = 3


def config(settings: Settings) -> list[Any]:
    """Return the settings that the rows depend on; never the API key or the URL of the model."""
    if not wants_llm(settings):
        return [EXTRACTIVE]
    from brain_pipelines.stages.enrichment.prompt import VERSION

    llm = settings.llm.for_task("enrichment")
    return [LLM, llm.model, VERSION, llm.max_input_chars, *([llm.reasoning_effort] if llm.reasoning_effort else [])]


def _named(settings: Settings, _source: Source) -> dict[str, str]:
    if not wants_llm(settings):
        return {"model": EXTRACTIVE}
    from brain_pipelines.stages.enrichment.prompt import VERSION

    return {"model": settings.llm.for_task("enrichment").model or "", "prompt": VERSION}


def wants_llm(settings: Settings) -> bool:
    """Return whether a chat model is configured for enrichment."""
    return settings.enrichment.provider == "llm"


def run_enrichments(stage_input: StageInput) -> StageOutput:
    """Enrich every text of the span. If the chat model fails, the extractive result is stored with an issue."""
    output = StageOutput()
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    wanted = total and wants_llm(stage_input.settings)
    with ExitStack() as stack:
        chat = stage_input.chat(task="enrichment") if wanted else None
        asking = _Asking(stack.enter_context(chat), stage_input.settings.llm.max_input_chars) if chat else None
        for day, rows in stage_input.rows.items():
            for row in rows:
                try:
                    enriched, issues = _enriched(row, asking, again=len(stage_input.rows) == 1)
                except Exception as error:
                    if concerns_run(error):
                        raise
                    output.fail(day, row, error)
                else:
                    output.add("enrichments", day, [enriched])
                    output.issues.setdefault(day, []).extend(issues)
                done += 1
                stage_input.progress(done, total, "texts")
    return output


@dataclass
class _Asking:
    """The chat model of one span, with the number of consecutive failed calls."""

    chat: "CachedChat"
    most: int
    failures: int = 0
    answered: bool = False
    last: str = ""

    def ask(self, row: Row, plain: "Enrichment") -> tuple["Enrichment", str]:
        """Return the model's enrichment of a text and what of it was not used, or raise ModelCallError."""
        from brain_pipelines.stages.enrichment.llm import enrich_with

        if self.failures >= PATIENCE:
            raise ModelCallError(f"not asked after {PATIENCE} failed calls in a row, the last: {self.last}"[:400])
        try:
            found = enrich_with(self.chat, row, plain, most=self.most)
        except ModelCallError as error:
            # A spent budget does not count: no request is sent, and each text gets its own issue with the reason. Nor
            # does a text that a model refuses which answers for others: three such texts would keep all others waiting.
            refused = isinstance(error, NoAnswerError) and self.answered
            self.failures += not refused and not isinstance(error, BudgetExceededError)
            self.failures += PATIENCE * isinstance(error, EndpointDownError)
            self.last = str(error)
            raise
        self.failures, self.answered = 0, True
        return found


def _enriched(row: Row, asking: _Asking | None, *, again: bool) -> tuple[Row, list[Issue]]:
    """Return the row of a text; `again`: its day may be run again soon, so the extractive result is kept."""
    from brain_pipelines.stages.enrichment.extractive import enrich

    plain = REMEMBERED.results("enrichments", [row], lambda rows: map(enrich, rows))[0] if again else enrich(row)
    if asking is None:
        return _row(row, plain, EXTRACTIVE, EXTRACTIVE), []
    try:
        found, fault = asking.ask(row, plain)
    except ModelCallError as error:
        return _row(row, plain, EXTRACTIVE, EXTRACTIVE), [_issue(row, error)]
    unused = (
        [Issue(row["source_id"], row["uri"], f"the extractive summary stands: {fault}", "repaired")] if fault else []
    )
    return _row(row, found, LLM, asking.chat.name), unused


def _issue(row: Row, error: ModelCallError) -> Issue:
    waits = is_unanswered(error)
    again = "the next run asks it again" if waits else "`brain rerun --force` asks it again"
    reason = f"enriched without the chat model, {again}: {error}"[:500]
    return Issue(row["source_id"], row["uri"], reason, "waiting" if waits else "repaired")


def _row(document: Row, found: "Enrichment", method: str, model: str) -> Row:
    return {
        **{name: document[name] for name in SOURCE_NAMES},
        "summary": found.summary,
        "keywords": found.keywords,
        "tags": found.tags,
        "bucket": found.bucket,
        "bucket_confidence": found.confidence,
        "summary_spans": [{"start": start, "end": end} for start, end in found.spans],
        "method": method,
        "model": model,
    }


def enrichments_well_formed(stage_input: StageInput, output: StageOutput) -> int:
    """Count enrichments with too many terms, without a tag, an unknown bucket, or a summary unlike its spans.

    An extractive summary must equal the text of its spans, in order.
    """
    texts = texts_of(stage_input)
    return sum(not _well_formed(row, texts[row["source_id"]]) for row in rows_of(output, "enrichments"))


def _well_formed(row: Row, text: str) -> bool:
    from brain_pipelines.stages.enrichment.llm import MOST as MAX_KEYWORDS
    from brain_pipelines.stages.enrichment.tags import FEWEST as MIN_TAGS
    from brain_pipelines.stages.enrichment.tags import MOST as MAX_TAGS

    spans = [(span["start"], span["end"]) for span in row["summary_spans"]]
    quoted = " ".join(" ".join(text[start:end].split()) for start, end in spans)
    claimed = row["method"] != "extractive" or row["summary"] == quoted
    ordered = all(0 <= a < b <= len(text) for a, b in spans) and spans == sorted(spans)
    counts = len(row["keywords"]) <= MAX_KEYWORDS and MIN_TAGS <= len(row["tags"]) <= MAX_TAGS
    return claimed and ordered and counts and row["bucket"] in BUCKETS and 0 <= row["bucket_confidence"] <= 1


STAGE = Stage(
    name="enrichments",
    upstream="text",
    tables=("enrichments",),
    code_version=CODE_VERSION,
    config=lambda settings, source: config(settings),
    named=_named,
    run=run_enrichments,
    validity=(ids_unique, enrichments_well_formed),
    description="Summary with its spans, keywords, tags and bucket of each text.",
)

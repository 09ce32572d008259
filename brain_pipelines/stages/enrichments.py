"""enrichments: what each text is about in one row: summary, keywords, tags, bucket. How that is found: `enrich/`."""

from typing import Any

from brain_pipelines.enrich.extractive import Enrichment, enrich
from brain_pipelines.enrich.llm import enrich_with
from brain_pipelines.issue import Issue
from brain_pipelines.prompts.enrichment import VERSION
from brain_pipelines.stages.stage import Row, StageInput, StageOutput
from brain_retrieval.errors import BudgetExceededError, ModelCallError
from brain_retrieval.models.chat import ChatModel
from brain_retrieval.schemas import SOURCE_COLUMNS
from brain_retrieval.settings import Settings

CODE_VERSION = "1"
EXTRACTIVE, LLM = "extractive", "llm"
# After so many failed calls in a row the endpoint is taken for down, and the rest of the span does not wait for it.
PATIENCE = 3
_SOURCE_FIELDS = [column.name for column in SOURCE_COLUMNS]


def config(settings: Settings) -> list[Any]:
    """Return what of the settings the rows depend on: never the key, nor where the model is."""
    if not wants_llm(settings):
        return [EXTRACTIVE]
    return [LLM, settings.llm.model, VERSION, settings.llm.max_input_chars]


def wants_llm(settings: Settings) -> bool:
    """Tell whether a chat model is to be asked."""
    return settings.enrichment.provider == "llm" and bool(settings.llm.model)


def run_enrichments(stage_input: StageInput) -> StageOutput:
    """Enrich every text of the span. Where the chat model fails the extractive result stands, and an issue says so."""
    output = StageOutput()
    settings = stage_input.settings
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    chat = stage_input.chat() if total and wants_llm(settings) else None
    failures = 0
    for day, rows in stage_input.rows.items():
        for row in rows:
            found, method = enrich(row), EXTRACTIVE
            if chat is not None:
                try:
                    found, method = _asked(chat, row, found, failures, settings.llm.max_input_chars), LLM
                    failures = 0
                except ModelCallError as error:
                    # A budget that is spent is not a dead endpoint: it says so for each text, and nothing is sent.
                    failures += not isinstance(error, BudgetExceededError)
                    output.issues.setdefault(day, []).append(_issue(row, error))
            model = chat.name if chat is not None and method == LLM else EXTRACTIVE
            output.add("enrichments", day, [_row(row, found, method, model)])
            done += 1
            stage_input.progress(done, total, "texts")
    if chat is not None:
        chat.close()
    return output


def _asked(chat: ChatModel, row: Row, plain: Enrichment, failures: int, most: int) -> Enrichment:
    if failures >= PATIENCE:
        raise ModelCallError(f"not asked after {PATIENCE} failed calls in a row")
    return enrich_with(chat, row, plain, most=most)


def _issue(row: Row, error: ModelCallError) -> Issue:
    reason = f"enriched without the chat model, `brain rerun --force` asks it again: {error}"[:500]
    return Issue(row["source_id"], row["uri"], reason, "repaired")


def _row(document: Row, found: Enrichment, method: str, model: str) -> Row:
    return {
        **{name: document[name] for name in _SOURCE_FIELDS},
        "summary": found.summary,
        "keywords": found.keywords,
        "tags": found.tags,
        "bucket": found.bucket,
        "bucket_confidence": found.confidence,
        "summary_spans": [{"start": start, "end": end} for start, end in found.spans],
        "method": method,
        "model": model,
    }

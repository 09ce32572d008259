"""Stage text: RAW row and bytes of an item → one cleaned text with its segments, title and language."""

import json
import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from brain_pipelines.engine.isolation import lacks_resources
from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError
from brain_pipelines.landing.redaction.version import config as redaction
from brain_pipelines.readers.contract import Issue, Reading
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.normalise import clean, normalise
from brain_pipelines.stages.scratch import Scratch
from brain_pipelines.stages.source_facts import source_facts
from brain_pipelines.stages.validity import ids_unique, rows_of
from brain_retrieval.errors import BadInputError
from brain_retrieval.schemas.names import HELD, HELD_BACK
from brain_retrieval.settings import Settings

CODE_VERSION = "24"
MAX_TITLE = 200  # characters
MIN_LETTERS, SAMPLE_CHARS = 20, 4000
MIN_PROBABILITY = 0.6
MIN_LETTERS_SURE, SURE = 200, 0.9999  # of a text in another language than it declares
_TAG = re.compile(r"([A-Za-z]{2})(?![A-Za-z])")  # the first part of a language tag (BCP 47)
_COPIED = ("source_id", "source", "uri", "day", "event_at", "received_at", "trust", "sensitivity", "ttl_policy")
_COPIED += ("parent_id",)


def read_text(row: dict[str, Any], path: Path, source: Source, reading: Reading) -> tuple[dict[str, Any], list[Issue]]:
    """Return the DOCUMENT_TEXT row of an item (without code_version and config_hash) and the issues of reading it.

    Args:
        row: a row of schemas.RAW.
        path: the item's blob.
        source: its source type.
        reading: the settings and a scratch directory for this item.

    Raises:
        BadInputError: the item cannot be read; the message is the reason.
    """
    result = source.read(row, path, reading)
    most = reading.limits.max_text_chars
    if len(result.text) > most:
        raise BadInputError(f"too long: {len(result.text)} characters, the limit is {most}")
    spaces = reading.limits.cleaning.whitespace
    text, segments, anchors, repaired = normalise(result.text, result.segments, result.anchors, spaces=spaces)
    if not text:
        raise BadInputError("no text in the file")
    issues = list(result.issues)
    if repaired:
        reason = "characters restored that had been decoded with the wrong encoding"
        issues.append(Issue(row["source_id"], row["uri"], reason, "repaired"))
    document = {
        **{key: row[key] for key in _COPIED if key in row},
        "format": result.format,
        "title": _one_line(result.title) or "untitled",
        "language": language_of(text, result.language),
        "authors": [name for author in result.authors if (name := _one_line(author))],
        "participants": list(dict.fromkeys(name for one in result.participants if (name := _one_line(one)))),
        "url": row["url"] or result.url,
        "fetched_at": row["fetched_at"],
        "attributes": json.dumps(
            {**result.attributes, **source_facts(row, result, source)},
            sort_keys=True,
            ensure_ascii=False,
            default=_plain,
        ),
        "text": text,
        "segments": segments,
        "anchors": anchors,
    }
    issues = [replace(issue, reason=_one_line(issue.reason, 500)) for issue in issues]
    if reading.settings.privacy.redact:
        from brain_pipelines.landing.redaction.document import build_redactor, redact_document

        return redact_document(document, issues, build_redactor(reading.settings))
    return document, issues


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _one_line(text: str, most: int = MAX_TITLE) -> str:
    return " ".join(clean(text).split())[:most].strip()


def declared_language(tag: str | None) -> str | None:
    """Return the ISO 639-1 code of a declared language such as "de" or "en-GB", None if it says none ("English")."""
    found = _TAG.match((tag or "").strip())
    return found[1].lower() if found else None


def language_of(text: str, declared: str | None = None) -> str | None:
    """Return the ISO 639-1 code of a text's language, None if the text is too short or the result too uncertain.

    A declared language holds unless the words surely are of another: templates of web pages say "en" whatever is
    written in them (4 % of the pages of trafilatura's evaluation).
    """
    stated = declared_language(declared)
    sample = re.sub(r"https?://\S+|[\d_|`#*<>{}\[\]]+", " ", text[:SAMPLE_CHARS])
    count = sum(char.isalpha() for char in sample)
    if count < (MIN_LETTERS_SURE if stated else MIN_LETTERS):
        return stated
    language, probability = _identifier().classify(sample)
    least = SURE if stated else MIN_PROBABILITY
    return language if probability >= least and len(language) == 2 else stated  # "zxx": no language


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def run_text(stage_input: StageInput) -> StageOutput:
    """Read every item; one that cannot be read is quarantined alone."""
    output = StageOutput()
    with Scratch(stage_input.scratch) as scratch:
        _read_all(stage_input, output, scratch)
    return output


def _read_all(stage_input: StageInput, output: StageOutput, scratch: Scratch) -> None:
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    for day, rows in stage_input.rows.items():
        for row in rows:
            try:
                document, issues = _read(stage_input, day, row, scratch)
            except (BadInputError, BytesDroppedError) as error:
                output.reject(day, row, str(error))
            except LostBytesError as error:
                output.keep(_table_of(row), day, row, _as_now(row, stage_input.stored(day)))
                output.fail(day, row, error, lost=True)
            except Exception as error:  # also a missing model, since only some formats need it
                if lacks_resources(error):
                    raise
                output.fail(day, row, error)
            else:
                output.add(_table_of(document), day, [document])
                output.issues.setdefault(day, []).extend(issues)
            done += 1
            stage_input.progress(done, total, "items")


def _table_of(row: Row) -> str:
    """Return the table for the text of a row: that of a source which is not trusted is read by no stage."""
    return HELD if row["trust"] in HELD_BACK else "text"


def _as_now(row: Row, stored: list[Row]) -> list[Row]:
    """Return what is stored with the trust that the source has now."""
    return [{**one, "trust": row["trust"]} for one in stored if one["source_id"] == row["source_id"]]


def _read(stage_input: StageInput, day: str, row: Row, scratch: Scratch) -> tuple[Row, list[Issue]]:
    try:
        with stage_input.blob(row["sha256"]) as path, scratch.folder() as folder:
            return _read_file(stage_input, row, path, folder)
    except BytesDroppedError as error:
        for document in _as_now(row, stage_input.stored(day)):
            reason = f"{error}: it stays as it is and cannot be rebuilt"
            return {**document, "uri": row["uri"]}, [Issue(row["source_id"], row["uri"], reason, "repaired")]
        raise


def _read_file(stage_input: StageInput, row: Row, path: Path, scratch: Path) -> tuple[Row, list[Issue]]:
    reading = Reading(
        stage_input.settings,
        scratch,
        lambda model: stage_input.chat(model=model),
        stage_input.source.name,
        stage_input.meter,
    )
    return read_text(row, path, stage_input.source, reading)


def segments_inside_text(_: StageInput, output: StageOutput) -> int:
    """Count segments that are empty, overlap the one before, or exceed their text."""
    violations = 0
    for document in (*rows_of(output, "text"), *rows_of(output, HELD)):
        position = 0
        for segment in document["segments"]:
            if not position <= segment["start"] < segment["end"] <= len(document["text"]):
                violations += 1
            position = segment["end"]
    return violations


def _config(settings: Settings, source: Source) -> list[Any]:
    limits = settings.limits_for(source.name).model_dump(mode="json")
    return [limits, settings.time_zone, source.text_config(settings), *redaction(settings)]


STAGE = Stage(
    name="text",
    upstream="raw",
    tables=("text", HELD),
    aside=(HELD,),
    code_version=CODE_VERSION,
    config=_config,
    run=run_text,
    validity=(ids_unique, segments_inside_text),
    description="Cleaned text with a map of its segments back to page, message and original characters.",
    releases_raw=True,
)

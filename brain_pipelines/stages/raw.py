"""Stage raw: landed items of a day → RAW rows, with the format detected from the bytes. Nothing is parsed."""

import json
from datetime import UTC

from brain_pipelines.engine.isolation import concerns_run
from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError
from brain_pipelines.landing.redaction.version import config as redaction
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.stages.validity import ids_unique

CODE_VERSION = "12"
NORMAL = "normal"  # the sensitivity of what states none
_Format = tuple[str, str]  # name and MIME type


def run_raw(stage_input: StageInput) -> StageOutput:
    """Return one RAW row for each item; an item whose blob is missing or damaged fails alone."""
    output = StageOutput()
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    formats: dict[str, _Format] = {}  # by hash: a chat has an item for each day, all of the same bytes
    for day, items in stage_input.rows.items():
        for item in items:
            try:
                output.add("raw", day, [_raw_row(stage_input, day, item, formats)])
            except BytesDroppedError as error:
                output.reject(day, item, f"{error}; drop the file again")
            except LostBytesError as error:
                output.keep("raw", day, item, stage_input.stored(day))
                output.fail(day, item, error, lost=True)
            except Exception as error:
                if concerns_run(error):
                    raise
                output.fail(day, item, error)
            done += 1
        stage_input.progress(done, total, "items")
    return output


def _raw_row(stage_input: StageInput, day: str, item: Row, formats: dict[str, _Format]) -> Row:
    if item["sha256"] not in formats:
        formats[item["sha256"]] = _format_of(stage_input, day, item)
    kind, mime = formats[item["sha256"]]
    meta = item["meta"]
    policy = SourcePolicy.of(meta)
    return {
        **{k: item[k] for k in ("source_id", "uri", "event_at", "received_at", "event_from", "sha256", "bytes")},
        "item": item["fragment"],
        "name": item["name"],
        "parent_id": item["parent_id"],
        "url": meta.get("url"),
        "fetched_at": parse_time(meta.get("fetched_at"), UTC),
        "meta": json.dumps(dict(meta), sort_keys=True, ensure_ascii=False),
        "format": kind,
        "mime": mime,
        "trust": item["state"] or stage_input.source.trust,
        "sensitivity": policy.sensitivity or NORMAL,
        "ttl_policy": policy.ttl_policy,
    }


def _format_of(stage_input: StageInput, day: str, item: Row) -> _Format:
    """Return format and MIME type from the bytes; for deleted bytes, from the row stored earlier."""
    try:
        with stage_input.blob(item["sha256"]) as path:
            detected = detect_format(path)
            return detected.name, detected.mime
    except BytesDroppedError:
        for row in stage_input.stored(day):
            if (row["source_id"], row["sha256"]) == (item["source_id"], item["sha256"]):
                return row["format"], row["mime"]
        raise


STAGE = Stage(
    name="raw",
    upstream=None,
    tables=("raw",),
    code_version=CODE_VERSION,
    config=lambda settings, source: redaction(settings),
    run=run_raw,
    validity=(ids_unique,),
    description="Landed items: one row each, with the hash of the bytes, the format, event time and arrival time.",
)

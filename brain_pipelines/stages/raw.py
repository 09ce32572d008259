"""raw: what landed on a day, with its format told from the bytes. Nothing is parsed here."""

from brain_pipelines.media.detect import detect_format
from brain_pipelines.stages.stage import Row, StageInput, StageOutput

CODE_VERSION = "1"


def run_raw(stage_input: StageInput) -> StageOutput:
    """Return one RAW row an item. A blob that is missing or cut short fails the item, loudly and for a retry."""
    output = StageOutput()
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    for day, items in stage_input.rows.items():
        for item in items:
            output.add("raw", day, [_raw_row(stage_input, item)])
            done += 1
        stage_input.progress(done, total, "items")
    return output


def _raw_row(stage_input: StageInput, item: Row) -> Row:
    path = stage_input.blob(item["sha256"])
    if not path.is_file() or path.stat().st_size != item["bytes"]:
        raise FileNotFoundError(f"blob of {item['uri']} is missing or cut short; land the file again")
    detected = detect_format(path)
    return {
        **{k: item[k] for k in ("source_id", "uri", "event_at", "received_at", "event_from", "sha256", "bytes")},
        "item": item["fragment"],
        "format": detected.format,
        "mime": detected.mime,
        "trust": stage_input.source.trust,
        "sensitivity": "normal",
    }

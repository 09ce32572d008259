"""Records of Dagster's events in a short form: their JSON, deflated with a dictionary of what nearly all of them say.

An event is 0.8 to 2.5 kB of JSON, most of it names of fields and the same step named six times. Packed it is 0.2 to 0.6
kB of ASCII and loses nothing. `orchestration/storage/packing.py` packs what Dagster stores, and unpacks what it reads;
the search for forgotten texts reads the files themselves and unpacks what it finds there.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import lru_cache
from re import Match
from re import compile as pattern

_PACKABLE = '{"__class__": "EventLog'  # entries, and records of entries
# SQLite keeps a value of up to 4,061 bytes in one piece, so that it is found in the bytes of the file.
LONGEST = 3000
_FOUND = pattern(rb"(packed[123]:)([A-Za-z0-9+/]{4,%d})" % LONGEST)
_MANY_INPUTS = 4000  # characters of JSON: what a snapshot reads are some fifty inputs, with two tags each
# Packed events can only be read with the same dictionary: never change it. What comes last costs least to refer to.
_DICTIONARY = (
    b'{"__class__": "EventLogRecord", "event_log_entry": {"storage_id": "dagster_event": null "error_info": '
    b'{"__class__": "SerializableErrorInfo", "cause": null, "cls_name": "context": ENGINE_EVENT PIPELINE_FAILURE '
    b'PIPELINE_STARTING PIPELINE_ENQUEUED {"__class__": "EngineEventData", HANDLED_OUTPUT STEP_WORKER_STARTING '
    b'{"__class__": "ComputeLogsCaptureData", LOGS_CAPTURED STEP_SUCCESS STEP_START {"__class__": '
    b'"StepSuccessData", "duration_ms": {"__class__": "StepOutputData", "step_output_handle": STEP_OUTPUT '
    b'"UrlMetadataEntryData" "PathMetadataEntryData" "MarkdownMetadataEntryData" "JsonMetadataEntryData" '
    b'"partitions_subset": null}, "event_type_value": "ASSET_CHECK_EVALUATION_PLANNED", "logging_tags": {}, '
    b'"message": intends to execute asset check on asset [" "__class__": "AssetCheckEvaluationPlanned", '
    b'"asset_key": {"__class__": "EventLogEntry", "dagster_event": {"__class__": "DagsterEvent", '
    b'"event_specific_data": {"__class__": "AssetMaterializationPlannedData", "asset_key": {"__class__": '
    b'"AssetKey", "path": ["note", "text"]}, "partition": "2026-01-05|alice", "partitions_subset": null}, '
    b'"event_type_value": "ASSET_MATERIALIZATION_PLANNED", "logging_tags": {}, "message": "note intends to '
    b'materialize asset [\\"note\\", \\"text\\"]", "pid": null, "pipeline_name": "note", "solid_handle": null, '
    b'"step_handle": null, "step_key": "note__text", "step_kind_value": null}, "error_info": null, "level": 10, '
    b'"message": "", "pipeline_name": "note", "run_id": "{"__class__": "EventLogEntry", "dagster_event": '
    b'{"__class__": "DagsterEvent", "event_specific_data": {"__class__": "AssetCheckEvaluation", "asset_key": '
    b'{"__class__": "AssetKey", "path": ["note", "chunks"]}, "blocking": true, "blocking": false, "check_name": '
    b'"nothing_quarantined" "ids_unique" "chunks_are_slices" "description": "`brain status` lists each item with '
    b'its reason.", "description": null, "metadata": {"violations": {"__class__": "IntMetadataEntryData", '
    b'"value": 0}, "items": {"__class__": "TextMetadataEntryData", "text": "source_ "quarantined": "users": '
    b'"waiting_for_a_model": "metadata": {}, "partition": null, "severity": {"__enum__": '
    b'"AssetCheckSeverity.ERROR" "AssetCheckSeverity.WARN"}, "success": false, "success": true, '
    b'"target_materialization_data": null, "target_materialization_data": {"__class__": '
    b'"AssetCheckEvaluationTargetMaterializationData", "run_id": "", "storage_id": , "timestamp": 179}}, '
    b'"event_type_value": "ASSET_CHECK_EVALUATION", "message": "Asset check \'nothing_quarantined\' on \'/\' did not '
    b'pass." passed.", "pid": {"__class__": "EventLogEntry", "dagster_event": {"__class__": "DagsterEvent", '
    b'"event_specific_data": {"__class__": "StepMaterializationData", "asset_lineage": [], "materialization": '
    b'{"__class__": "AssetMaterialization", "asset_key": {"__class__": "AssetKey", "path": ["note", "text"]}, '
    b'"description": null, "metadata_entries": [{"__class__": "EventMetadataEntry", "description": null, '
    b'"entry_data": {"__class__": "IntMetadataEntryData", "value": 1}, "label": "rows"}, {"__class__": '
    b'"EventMetadataEntry", "description": null, "entry_data": {"__class__": "IntMetadataEntryData", "value": 0}, '
    b'"label": "quarantined"}, {"__class__": "EventMetadataEntry", "description": null, "entry_data": '
    b'{"__class__": "FloatMetadataEntryData", "value": 0.0}, "label": "seconds"}, {"__class__": '
    b'"EventMetadataEntry", "description": null, "entry_data": {"__class__": "IntMetadataEntryData", "value": 1}, '
    b'"label": "bytes"}, "label": "waiting"}, "label": "held_back"}, "label": "tokens"}, "label": "money"}, '
    b'{"__class__": "EventMetadataEntry", "description": null, "entry_data": {"__class__": '
    b'"BoolMetadataEntryData", "value": false true}, "label": "computed"}], "partition": "2026-01-13|alice", '
    b'"tags": {"dagster/code_version": "1", "dagster/data_version": "", "dagster/input_data_version/note/text": '
    b'"", "dagster/input_event_pointer/note/text": "2", "dagster/partition/month": "dagster/partition/day": '
    b'"2026-01-13", "dagster/partition/user": "alice"}}}, "event_type_value": "ASSET_MATERIALIZATION", '
    b'"logging_tags": {"job_name": "note", "op_name": "note__text", "resource_fn_name": "None", "resource_name": '
    b'"None", "run_id": "", "step_key": "note__text"}, "message": "Materialized value note text.", "pid": 1, '
    b'"pipeline_name": "note", "solid_handle": {"__class__": "SolidHandle", "name": "note__text", "parent": '
    b'null}, "step_handle": {"__class__": "StepHandle", "key": "note__text", "solid_handle": {"__class__": '
    b'"SolidHandle", "name": "note__text", "parent": null}}, "step_key": "note__text", "step_kind_value": '
    b'"COMPUTE"}, "error_info": null, "level": 10, "message": "", "pipeline_name": "note", "run_id": "", '
    b'"step_key": "note__text", "timestamp": 179, "user_message": "Materialized value note text."}'
)


_SOURCES = (
    b"agent-note agent-output calendar conversation document email image meeting message note screenshot slack-thread "
    b"video voice-memo web-crawl web-page"
).split()
_INPUTS = [b"%s/%s" % (source, stage) for source in _SOURCES for stage in (b"chunks", b"enrichments", b"extractions")]
_TAGS = b", ".join(
    [b'"dagster/input_data_version/%s": "INITIAL"' % one for one in _INPUTS]
    + [b'"dagster/input_event_pointer/%s": "NULL"' % one for one in _INPUTS]
)
# With many inputs a tag with its comma is three characters and its value: what it is (by `_TAG_KINDS`), which input it
# names, from "!" on, and the value. JSON has no such control characters, so they mean nothing else.
_TAG_KINDS = {
    (b"data_version", b""): b"\x01",
    (b"data_version", b", "): b"\x02",
    (b"event_pointer", b""): b"\x03",
    (b"event_pointer", b", "): b"\x04",
}
_TAG = pattern(rb'"dagster/input_(data_version|event_pointer)/(%s)": "([0-9A-Za-z]+)"(, |(?=\}))' % b"|".join(_INPUTS))
_SHORT_TAG = pattern(rb"([\x01-\x04])([!-P])([0-9A-Za-z]+)")
_KINDS = {short: named for named, short in _TAG_KINDS.items()}
_NUMBERS = {name: bytes([number]) for number, name in enumerate(_INPUTS, ord("!"))}
_FEW, _MANY_BEFORE, _MANY = "packed1:", "packed2:", "packed3:"  # no JSON begins so; another dictionary, another mark
_FORMATS = {_FEW: (13, _DICTIONARY), _MANY_BEFORE: (15, _TAGS + _DICTIONARY), _MANY: (13, _DICTIONARY)}  # zlib's window


@lru_cache(maxsize=512)  # an event is written to the log of its run and to the index of all
def pack(text: str) -> str:
    """Return the short form of an event as Dagster stores it; any other text as it is."""
    if not text.startswith(_PACKABLE):
        return text
    mark = _MANY if len(text) > _MANY_INPUTS else _FEW
    bits, dictionary = _FORMATS[mark]
    deflate = zlib.compressobj(level=6, wbits=bits, memLevel=7, zdict=dictionary)
    short = _TAG.sub(_shortened, text.encode()) if mark == _MANY else text.encode()
    packed = b64encode(deflate.compress(short) + deflate.flush()).decode().rstrip("=")
    return f"{mark}{packed}" if len(packed) <= LONGEST else text


def unpack(text: str) -> str:
    """Return the event of a short form; any other text, also one that only begins like it, as it is."""
    if not text.startswith(tuple(_FORMATS)):
        return text
    try:
        inflate = _inflate(text[: len(_FEW)])
        unpacked = inflate.decompress(_decoded(text[len(_FEW) :].encode()))
        return _SHORT_TAG.sub(_named, unpacked).decode() if inflate.eof else text
    except (zlib.error, ValueError):
        return text


def unpacked_in(content: bytes) -> Iterator[bytes]:
    """Yield the events that bytes of a file hold in the short form; of one that is cut off, what can be read."""
    for found in _FOUND.finditer(content):
        try:
            unpacked = _inflate(found[1].decode()).decompress(_decoded(found[2]))
            yield _SHORT_TAG.sub(_named, unpacked)
        except (zlib.error, ValueError):
            continue


def _shortened(tag: Match[bytes]) -> bytes:
    what, name, value, end = tag.groups()
    return _TAG_KINDS[what, end] + _NUMBERS[name] + value


def _named(tag: Match[bytes]) -> bytes:
    kind, number, value = tag.groups()
    what, end = _KINDS[kind]
    return b'"dagster/input_%s/%s": "%s"%s' % (what, _INPUTS[ord(number) - ord("!")], value, end)


def _inflate(mark: str) -> "zlib._Decompress":
    bits, dictionary = _FORMATS[mark]
    return zlib.decompressobj(wbits=bits, zdict=dictionary)


def _decoded(digits: bytes) -> bytes:
    digits = digits[: len(digits) - 1] if len(digits) % 4 == 1 else digits  # cut off in the middle of a byte
    return b64decode(digits + b"=" * (-len(digits) % 4))

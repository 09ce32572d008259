"""meeting: the recording of a conversation, or its transcript as subtitles (WebVTT, SubRip).

A recording is transcribed and diarised: "Speaker 1", "Speaker 2", … in order of first speech; a transcript keeps the
names it has. `attributes.notes` are the notes in order of time (`readers/audio/meeting_notes.py`).
"""

import re
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.audio import subtitle_file
from brain_pipelines.readers.audio.meeting_notes import make_meeting_notes
from brain_pipelines.readers.audio.recording_time import locate_recording, with_times
from brain_pipelines.readers.audio.turns import named
from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.sources import voice_memo
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits

TRANSCRIPTS = readers_of("captions")


def _transcript(path: Path, limits: Limits, scratch: Path) -> Extracted:
    found = subtitle_file.READ(path, limits, scratch)
    return replace(found, blocks=named(found.blocks))


READERS = {**voice_memo.READERS, **dict.fromkeys(TRANSCRIPTS, _transcript)}


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the one item of a meeting; event time is its beginning."""
    peek = detect_format(delivery.path).name not in TRANSCRIPTS
    return [locate_recording(delivery, zone, limits, peek=peek)]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the turns of a meeting with speakers and times, and its notes.

    Raises:
        BadInputError: if it is neither a recording nor a transcript, damaged, too long, or without speech.
        ModelMissingError: if the speech model is not installed.
    """
    result = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    notes = make_meeting_notes(result.text, result.segments)
    attributes = {**result.attributes, "notes": notes} if notes else result.attributes
    return replace(result, segments=with_times(result, raw_row), attributes=attributes)


SOURCE = Source(
    name="meeting",
    context_type="meeting",
    description="Recordings of meetings, or their transcripts, with speakers, times and notes.",
    suffixes=suffixes_of("audio", "video", "captions"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    pool="speech",
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    text_config=voice_memo.text_config,
    usual_for=tuple(TRANSCRIPTS),
    named=re.compile(r"meeting|standup|interview|zoom|teams|sync", re.I),
    instead_of="voice-memo",
)

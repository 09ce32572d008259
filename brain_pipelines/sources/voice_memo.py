"""voice-memo: what a person says to a recorder, in any format a phone or a computer writes.

One file is one source. It is transcribed on this machine, with the time of every word. `attributes.notes` of one longer
than a few sentences are its notes in order of time (`readers/audio/meeting_notes.py`).
"""

import re
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.audio import audio
from brain_pipelines.readers.audio.meeting_notes import MAX_SENTENCES, make_meeting_notes
from brain_pipelines.readers.audio.recording_time import locate_recording, with_times
from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.sources.result import read_whole, title_of_name
from brain_pipelines.sources.source import Source
from brain_retrieval.language.sentences import sentences
from brain_retrieval.settings import ChunkingConfig, Limits, Settings

READERS: dict[str, Reader] = dict.fromkeys(readers_of("audio", "video"), audio.READ)
MAX_TITLE = 80  # characters
# Default titles of recording apps, which say nothing about the content.
_NO_TITLE = re.compile(r"(?:new |voice )?(?:recording|memo|audio|track|untitled|aufnahme)s?[\s_#-]*\d*", re.I)


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the one item of a memo; event time is the beginning of the recording."""
    return [locate_recording(delivery, zone, limits)]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the transcript of a memo, one segment per turn, with the seconds of every word, and notes of a longer one.

    Raises:
        BadInputError: if it is not a recording, damaged, too long, or without speech.
        ModelMissingError: if the speech model is not installed.
    """
    result = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    attributes = result.attributes
    if len(sentences(result.text)) > MAX_SENTENCES:  # a shorter one is its own note
        attributes = {**attributes, "notes": make_meeting_notes(result.text, result.segments)}
    title, segments = _title(result, raw_row["name"]), with_times(result, raw_row)
    return replace(result, title=title, segments=segments, attributes=attributes)


def _title(result: ReadResult, name: str) -> str:
    """Return the title tag, else the first sentence, else the file's name."""
    if result.title != title_of_name(name) and not _NO_TITLE.fullmatch(result.title.strip()):
        return result.title
    first = result.segments[0]
    said = result.text[first["start"] : first["end"]].removeprefix(f"{first['speaker']}: ")
    start, end = next(iter(sentences(said)), (0, 0))
    words = " ".join(said[start:end].split())
    if len(words) > MAX_TITLE:
        words = words[:MAX_TITLE].rsplit(" ", 1)[0] + " …"
    return words.rstrip(".") or result.title


def text_config(settings: Settings) -> Any:
    """Return the settings that a transcript depends on."""
    speech = settings.speech
    endpoint = speech.base_url if speech.provider == "openai" else None
    who = [speech.diarize, speech.speakers]
    return [speech.provider, speech.model, endpoint, speech.language, speech.beam_size, speech.clean, who]


SOURCE = Source(
    name="voice-memo",
    context_type="dictation",
    description="Voice memos and dictation, transcribed with times.",
    suffixes=suffixes_of("audio", "video"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    pool="speech",
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    text_config=text_config,
    own_voice=True,
    usual_for=tuple(readers_of("audio")),
)

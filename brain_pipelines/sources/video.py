"""video: films and screen recordings: speech and key frames on one timeline.

One file is one item. Every line of its text has the second at which it was said or shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.audio.recording_time import locate_recording, with_times
from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.readers.video.video_facts import VIDEO_FACTS
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits, Settings

READERS = readers_of("video")


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the one item of a video; event time is its beginning."""
    return [locate_recording(delivery, zone, limits, facts=VIDEO_FACTS)]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the speech and the frames of a video in order of time.

    Raises:
        BadInputError: if it is not a video, damaged, too long or too large, or has neither text nor speech.
        ModelMissingError: if the speech model is not installed.
    """
    result = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    return replace(result, segments=with_times(result, raw_row))


def text_config(settings: Settings) -> Any:
    """Return the settings that the transcript and the frames' text depend on."""
    speech, vision, ocr = settings.speech, settings.vision, settings.ocr
    heard: Sequence[Any] = (
        speech.provider,
        speech.model,
        speech.base_url if speech.provider == "openai" else None,
        speech.language,
        speech.beam_size,
        speech.clean,
        speech.diarize,
        speech.speakers,
    )
    seen = [vision.provider, *([vision.model, vision.base_url] if vision.provider == "openai" else [])]
    return [list(heard), seen, [ocr.provider, ocr.min_confidence, ocr.max_side]]


SOURCE = Source(
    name="video",
    context_type="video",
    description="Videos and screen recordings: speech and key frames on one line of time.",
    suffixes=suffixes_of("video"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    pool="speech",
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    text_config=text_config,
    usual_for=tuple(READERS),
)

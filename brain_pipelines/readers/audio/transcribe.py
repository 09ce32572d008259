"""Speech recognition for the WAV that a reader wrote to the scratch directory: blocks with speaker and time.

Only the plain WAV that the sandbox wrote is opened here; recordings are decoded in `audio.py`.
"""

import math
from dataclasses import replace
from typing import Any

from brain_pipelines.readers.audio.turns import speech_blocks
from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Block, Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.models.speech.build import build_transcriber, metered
from brain_retrieval.models.speech.diarize import label_speakers
from brain_retrieval.models.speech.protocol import Transcript


def add_speech(found: Extracted, reading: Reading) -> Extracted:
    """Return `found` with a block for every turn of its sound, sorted by time together with its other timed blocks.

    Language, participants and `attributes["speech"]` come from the transcript. If there is other content, such as the
    frames of a video, sound without speech adds nothing.

    Raises:
        BadInputError: if there is no speech and no other content.
        BrainError: if a model is missing or its endpoint fails.
    """
    if found.sound is None:
        return found
    silent = replace(found, sound=None)
    speech = reading.settings.speech
    transcriber = build_transcriber(reading.settings)
    if transcriber is None:
        return _without_speech(silent, "speech recognition is switched off (speech.provider)")
    if reading.meter is not None:
        transcriber = metered(transcriber, reading.meter(speech.minute_price))
    sound = reading.scratch / found.sound
    transcript = transcriber.transcribe(sound, language=speech.language)
    if speech.diarize and not any(utterance.speaker for utterance in transcript.utterances):
        transcript = label_speakers(sound, transcript, speakers=speech.speakers, models_dir=reading.settings.models_dir)
    blocks = speech_blocks(transcript, clean=speech.clean and reading.limits.cleaning.disfluencies)
    if not blocks:
        return _without_speech(silent, "no speech in it")
    speakers = list(dict.fromkeys(block.speaker for block in blocks if block.speaker))
    return replace(
        silent,
        blocks=_in_order([*silent.blocks, *blocks]),
        language=silent.language or transcript.language,
        participants=silent.participants or speakers,
        repairs=[*silent.repairs, *_left_out(transcript)],
        attributes={**silent.attributes, "speech": _facts(transcript)},
    )


def _without_speech(found: Extracted, reason: str) -> Extracted:
    if not found.blocks:
        raise BadInputError(reason)
    return found


def _left_out(transcript: Transcript) -> list[str]:
    count = transcript.dropped
    return [f"{count} {'passage' if count == 1 else 'passages'} left out, most likely not speech"] if count else []


def _in_order(blocks: list[Block]) -> list[Block]:
    """Sort timed blocks by their start (stable); blocks without a time stay in front."""
    return sorted(blocks, key=lambda block: -math.inf if block.start_seconds is None else block.start_seconds)


def _facts(transcript: Transcript) -> dict[str, Any]:
    words = [word for utterance in transcript.utterances for word in utterance.words]
    facts: dict[str, Any] = {
        "model": transcript.model,
        "language": transcript.language,
        "language_probability": _rounded(transcript.language_probability),
        "words": len(words),
        "word_probability": _rounded(sum(word.probability for word in words) / len(words)) if words else None,
        "dropped_utterances": transcript.dropped,
        "speakers": _speakers(transcript),
    }
    return {key: value for key, value in facts.items() if value not in (None, [], 0)}


def _speakers(transcript: Transcript) -> list[dict[str, Any]]:
    """Return label, seconds of speech and mean confidence of each speaker, in order of first speech."""
    labels = dict.fromkeys(utterance.speaker for utterance in transcript.utterances if utterance.speaker)
    found = []
    for label in labels:
        own = [utterance for utterance in transcript.utterances if utterance.speaker == label]
        sure = [u.speaker_confidence for u in own if u.speaker_confidence is not None]
        row = {"name": label, "seconds": round(sum(u.end - u.start for u in own), 1)}
        found.append({**row, "confidence": round(sum(sure) / len(sure), 2)} if sure else row)
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)

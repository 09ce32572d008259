"""Speaker diarisation: words of a transcript get the labels "Speaker 1", "Speaker 2", … in order of first speech.

Windows of 1.6 s of speech are embedded (GE2E, Wan et al. 2018) and clustered; each word is assigned to the voice
nearest to the windows around it. Labels are valid within one recording and are never names. Overlapping speech is
assigned to one of the speakers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

from brain_retrieval.models.speech.build import own_models_dir
from brain_retrieval.models.speech.protocol import Transcript, Utterance, Word
from brain_retrieval.models.speech.voice_clusters import cluster_voices
from brain_retrieval.models.speech.voices import Voices, build_voice_encoder, hear_voices

REACH_SECONDS = 0.8  # half a window: maximum distance between a word and a window's middle
_SENTENCE_END = frozenset(".?!…。？！")
SHORTEST_SECONDS = 0.5  # a shorter change of voice between words of one voice is ignored


def label_speakers(
    sound: Path, transcript: Transcript, *, speakers: int | None = None, models_dir: Path | None = None
) -> Transcript:
    """Return the transcript with speaker labels; an utterance in which the voice changes is split between two words.

    Args:
        sound: the 16 kHz mono 16-bit WAV that was transcribed.
        transcript: with word times; an utterance without them gets a single speaker.
        speakers: their number, if known.
        models_dir: directory of the speaker encoder; None: the one of the process's settings.

    Raises:
        ModelMissingError: the encoder is not installed.
    """
    if not transcript.utterances:
        return transcript
    voices = hear_voices(sound, build_voice_encoder(models_dir or own_models_dir()))
    if not len(voices.times):
        return transcript
    likeness = voices.vectors @ cluster_voices(voices.vectors, speakers).T  # (windows, speakers), cosine
    parts = [part for utterance in transcript.utterances for part in _split(utterance, voices, likeness)]
    numbers = {voice: i for i, voice in enumerate(dict.fromkeys(voice for voice, _ in parts), 1)}
    labelled = [replace(utterance, speaker=f"Speaker {numbers[voice]}") for voice, utterance in parts]
    return replace(transcript, utterances=tuple(labelled))


def _split(utterance: Utterance, voices: Voices, likeness: np.ndarray) -> Iterator[tuple[int, Utterance]]:
    """Yield the parts of an utterance that are one voice each, with the index of the voice."""
    spans = [(word.start, word.end) for word in utterance.words] or [(utterance.start, utterance.end)]
    scores = [_likeness_at(start, end, voices.times, likeness) for start, end in spans]
    owners = _without_flicker([int(np.argmax(score)) for score in scores], spans)
    owners = _at_sentences(owners, utterance.words)
    for voice, run in groupby(range(len(owners)), key=owners.__getitem__):
        places = list(run)
        confidence = _confidence(np.mean([scores[i] for i in places], axis=0), voice)
        part = _part(utterance, utterance.words[places[0] : places[-1] + 1]) if utterance.words else utterance
        yield voice, replace(part, speaker_confidence=confidence)


def _likeness_at(start: float, end: float, times: np.ndarray, likeness: np.ndarray) -> np.ndarray:
    """Return the similarity to each voice between two times in seconds; windows near the middle count most."""
    middle = (start + end) / 2
    first, last = np.searchsorted(times, [start - REACH_SECONDS, end + REACH_SECONDS])
    if first == last:  # no window in reach: use the nearest one
        nearest = int(np.argmin(np.abs(times - middle)))
        return likeness[nearest]
    weights = np.maximum(1e-3, 1 - np.abs(times[first:last] - middle) / (REACH_SECONDS + (end - start) / 2))
    return weights @ likeness[first:last] / weights.sum()


def _without_flicker(owners: Sequence[int], spans: Sequence[tuple[float, float]]) -> list[int]:
    runs = [list(run) for _, run in groupby(range(len(owners)), key=owners.__getitem__)]
    smooth = list(owners)
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        short = spans[run[-1]][1] - spans[run[0]][0] < SHORTEST_SECONDS
        if short and smooth[before[-1]] == owners[after[0]]:
            for i in run:
                smooth[i] = smooth[before[-1]]
    return smooth


def _at_sentences(owners: Sequence[int], words: Sequence[Word]) -> list[int]:
    """Move a change of speaker by one word to a sentence end, because windows blur it by 0.8 s on both sides."""
    moved = list(owners)
    ends = [word.text.rstrip()[-1:] in _SENTENCE_END for word in words]
    for i in range(1, len(words)):
        if owners[i] == owners[i - 1] or ends[i - 1]:
            continue
        if i == 1 or ends[i - 2]:
            moved[i - 1] = owners[i]
        elif ends[i]:
            moved[i] = owners[i - 1]
    return moved


def _confidence(likeness: np.ndarray, voice: int) -> float | None:
    """Return a segment's simplified silhouette (Hruschka et al. 2004), clipped to 0..1; None for a lone speaker."""
    if len(likeness) < 2:
        return None
    own, other = 1 - likeness[voice], 1 - np.delete(likeness, voice).max()
    return round(float(np.clip((other - own) / max(other, own, 1e-9), 0, 1)), 3)


def _part(utterance: Utterance, words: Sequence[Word]) -> Utterance:
    text = "".join(word.text for word in words).strip()
    return replace(utterance, text=text, start=words[0].start, end=words[-1].end, words=tuple(words))

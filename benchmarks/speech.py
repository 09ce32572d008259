"""Word error rate, speed and speaker counts on real recordings, compared with bare faster-whisper in the same run.

    python benchmarks/speech.py AUDIO_DIR

AUDIO_DIR holds openai/whisper's `jfk.flac`, DeepSpeech's smoke test (LDC93S1, Russian), pocketsphinx' `input_4_16k.wav`
and pyannote's `trn*.wav` with RTTM, at any depth. Conversations are composed from turns of these voices with noise.
"""

import argparse
import re
import tempfile
import time
import wave
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from brain_retrieval.models.speech.build import build_transcriber
from brain_retrieval.models.speech.diarize import label_speakers
from brain_retrieval.models.speech.protocol import Transcript
from brain_retrieval.models.speech.speech_faster_whisper import FasterWhisperTranscriber
from brain_retrieval.models.speech.waveform import RATE, duration_of
from brain_retrieval.settings import load_settings

JFK = "And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country."
SPOKEN = {
    "jfk.flac": JFK,
    "LDC93S1_pcms16le_1_16000.wav": "She had your dark suit in greasy wash water all year.",
    "input_4_16k.wav": "Feels like these days go on forever",
}
# Voices in order of their turns; a digit selects a part of the clip.
TALKS = ("j0 l", "j0 l j1 l", "l j0 j1", "s0 s1 s0 s1", "j0 s0 j1 s1", "j0 l s0", "r j0 l", "r l s1 j0", "j0", "r")


def plain(text: str) -> list[str]:
    """Return the words of a text, lower case, without punctuation."""
    return re.sub(r"[^\w\s']", " ", text.lower()).split()


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Return the number of word errors and of words in the reference."""
    return Levenshtein.distance(plain(said), plain(heard)), len(plain(said))


def decode(path: Path, channel: int | None = None) -> np.ndarray:
    """Return float32 samples at 16 kHz, one channel or the mean of all."""
    from faster_whisper import decode_audio

    if channel is None:
        return decode_audio(str(path))
    return decode_audio(str(path), split_stereo=True)[channel]


def write(path: Path, samples: np.ndarray) -> Path:
    """Write samples as a file that transcribers can read, and return its path."""
    with wave.open(str(path), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes((samples * 32767).clip(-32768, 32767).astype("<i2").tobytes())
    return path


def measure_words(files: dict[str, Path], transcriber: FasterWhisperTranscriber, folder: Path) -> None:
    """Print word errors and CPU seconds per second of audio, for Brain and the bare library on the same samples."""
    print("| recording | s | words | errors | errors, bare | CPU s/s | CPU s/s, bare | bare / ours |\n|" + "---|" * 8)
    for name, said in SPOKEN.items():
        if name not in files:
            continue
        samples = decode(files[name])
        sound = write(folder / "a.wav", samples)
        ours, bare = [], []
        for _ in range(3):
            start = time.process_time()
            transcript = transcriber.transcribe(sound)
            ours.append(time.process_time() - start)
            start = time.process_time()
            segments, _ = transcriber._model.transcribe(samples, beam_size=5, vad_filter=True, word_timestamps=True)
            text = " ".join(segment.text for segment in segments)
            bare.append(time.process_time() - start)
        seconds = len(samples) / RATE
        wrong, words = word_errors(said, " ".join(u.text for u in transcript.utterances))
        other, _ = word_errors(said, text)
        a, b = sorted(ours)[1] / seconds, sorted(bare)[1] / seconds
        print(f"| {name} | {seconds:.1f} | {words} | {wrong} | {other} | {a:.3f} | {b:.3f} | {b / a:.2f} |")


def voices(files: dict[str, Path]) -> dict[str, np.ndarray]:
    """Return clips of real voices; the letter is the speaker."""
    jfk = decode(files["jfk.flac"])
    found = {
        "j0": jfk[: int(4.4 * RATE)],
        "j1": jfk[int(5.3 * RATE) :],
        "l": decode(files["LDC93S1_pcms16le_1_16000.wav"]),
    }
    if "stereo_diarization.wav" in files:
        stereo = files["stereo_diarization.wav"]
        found |= {"s0": decode(stereo, 0), "t0": decode(stereo, 1)}
        found["s1"] = found.pop("t0")
    russian = next((path for path in files.values() if "russian" in str(path)), None)
    return found | ({"r": decode(russian)} if russian else {})


def speaker_of(clip: str) -> str:
    """Return who speaks in a clip; the two channels of the stereo recording are two people."""
    return clip if clip.startswith("s") else clip[0]


def measure_speakers(clips: dict[str, np.ndarray], transcriber: FasterWhisperTranscriber, folder: Path) -> None:
    """Print how many speakers were found, and the share of words assigned to the wrong one."""
    noise = np.random.default_rng(0)
    print("\n| talk | s | speakers | found | words | wrong speaker | wrong, number given |\n|" + "---|" * 7)
    right = total = wrong_words = all_words = 0
    for talk in TALKS:
        turns = talk.split()
        if not set(turns) <= set(clips):
            continue
        truth, parts, position = [], [], 0.0
        for clip in turns:
            samples = clips[clip] / max(1e-6, float(np.abs(clips[clip]).max())) * 0.5
            truth.append((position, position + len(samples) / RATE, speaker_of(clip)))
            parts += [samples, np.zeros(RATE // 2)]
            position += len(samples) / RATE + 0.5
        mixed = np.concatenate(parts)
        sound = write(folder / "talk.wav", mixed + noise.normal(0, 0.002, len(mixed)))
        transcript = transcriber.transcribe(sound)
        count = len({speaker for _, _, speaker in truth})
        found = label_speakers(sound, transcript)
        labelled = label_speakers(sound, transcript, speakers=count)
        labels = {u.speaker for u in found.utterances}
        words, wrong = confusion(found, truth)
        _, wrong_given = confusion(labelled, truth)
        right, total = right + (len(labels) == count), total + 1
        wrong_words, all_words = wrong_words + wrong, all_words + words
        print(f"| {talk} | {position:.0f} | {count} | {len(labels)} | {words} | {wrong} | {wrong_given} |")
    print(f"| **all** | | | {right}/{total} right | {all_words} | {wrong_words} | |")


def confusion(found: Transcript, truth: list[tuple[float, float, str]]) -> tuple[int, int]:
    """Return the words and how many were assigned to the wrong speaker, under the best mapping of labels to people."""
    pairs = list(_pairs(found, truth))
    labels, people = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
    people += [""] * max(0, len(labels) - len(people))
    best = 0
    for chosen in permutations(people, len(labels)):
        matching = dict(zip(labels, chosen, strict=True))
        best = max(best, sum(matching[label] == person for label, person in pairs))
    return len(pairs), len(pairs) - best


def _pairs(found: Transcript, truth: list[tuple[float, float, str]]) -> Iterator[tuple[str, str]]:
    for utterance in found.utterances:
        for word in utterance.words:
            middle = (word.start + word.end) / 2
            nearest = min(truth, key=lambda turn: max(turn[0] - middle, middle - turn[1], 0.0))
            yield utterance.speaker or "", nearest[2]


def measure_rttm(folder: Path, files: dict[str, Path], transcriber: FasterWhisperTranscriber, scratch: Path) -> None:
    """Print the speakers found against the RTTM reference of far-field meetings."""
    lines = [line.split() for path in folder.rglob("*.rttm") for line in path.read_text().splitlines()]
    print("\n| meeting | speakers | found | words | wrong speaker |\n|" + "---|" * 5)
    for name in sorted({line[1] for line in lines if f"{line[1]}.wav" in files}):
        truth = [(float(r[3]), float(r[3]) + float(r[4]), r[7]) for r in lines if r[1] == name]
        sound = write(scratch / "m.wav", decode(files[f"{name}.wav"]))
        found = label_speakers(sound, transcriber.transcribe(sound))
        words, wrong = confusion(found, truth)
        count, labels = len({t[2] for t in truth}), len({u.speaker for u in found.utterances})
        print(f"| {name} | {count} | {labels} | {words} | {wrong} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("audio", type=Path)
    folder = parser.parse_args().audio
    files = {path.name: path for path in folder.rglob("*") if path.suffix in (".wav", ".flac")}
    transcriber = build_transcriber(load_settings())
    if not isinstance(transcriber, FasterWhisperTranscriber):
        raise SystemExit('needs speech.provider = "faster-whisper"')
    with tempfile.TemporaryDirectory() as scratch:
        transcriber.transcribe(write(Path(scratch) / "warm.wav", decode(files["jfk.flac"])))
        measure_words(files, transcriber, Path(scratch))
        measure_speakers(voices(files), transcriber, Path(scratch))
        measure_rttm(folder, files, transcriber, Path(scratch))
        quiet = write(Path(scratch) / "quiet.wav", np.zeros(1800 * RATE))
        start = time.process_time()
        transcriber.transcribe(quiet)
        print(f"\nhalf an hour of silence: {(time.process_time() - start) / duration_of(quiet):.4f} CPU s/s")


if __name__ == "__main__":
    main()

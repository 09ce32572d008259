"""Reader of subtitle files (WebVTT, SubRip): speech with seconds and speakers. Runs in the sandbox's child.

Cues of one speaker that follow within `PAUSE` seconds are one turn, each cue an anchor in it; text that repeats the
end of the previous cue, as in rolling captions, counts once. Styles, positions and notes are left out.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import AS_DETECTED, Anchor, Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

PAUSE = 2.0
MAX_TURN_CHARS = 800
MAX_CUES = 100_000
_WEBVTT = re.compile(rb"WEBVTT(?:\s|$)")
_SUBRIP = re.compile(rb"(?:\d+\s*\r?\n)?\d{1,2}:\d{2}:\d{2}[,.]\d{1,3} --> \d")
_TIMES = re.compile(r"^\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*-->\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})")
_VOICE = re.compile(r"<v(?:\.[^ \t>]{0,100})?[ \t]+([^>]{1,100})>")
_TAG = re.compile(r"<[^>]{0,200}>|\{\\[^}]{0,100}\}")
_NAMED = re.compile(r"^(?:- ?)?((?:[^\W\d_][\w.'’-]{0,30} ?){1,4}):\s+(?=\S)")
# Of all cues, those with a label: from OFTEN on it is how the file names who speaks; below SELDOM, words with a colon.
OFTEN, SELDOM, RECURRING = 0.25, 0.05, 2
PARTICLE = 3  # letters of a word of a name that may begin small: "van", "de"


@dataclass(frozen=True)
class _Cue:
    """A line with its seconds. `whole`: the text with its label, where the speaker was read from one."""

    start: float
    end: float
    text: str
    speaker: str | None
    whole: str = ""


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return one block per turn, kind "speech".

    Raises:
        BadInputError: if it is empty, not text, or without a cue.
    """
    decoded = read_decoded(path, limits)
    cues = _with_speakers(list(_cues(decoded.text)))
    repairs = list(decoded.repairs)
    if len(cues) > MAX_CUES:
        repairs.append(f"{len(cues) - MAX_CUES:,} cues left out: more than {MAX_CUES:,}")
    blocks = list(_turns(cues[:MAX_CUES]))
    if not blocks:
        raise BadInputError("no words in the subtitles")
    speakers = list(dict.fromkeys(block.speaker for block in blocks if block.speaker))
    attributes = {"cues": len(cues), "seconds": max(cue.end for cue in cues)}
    return Extracted(
        AS_DETECTED,
        blocks,
        repairs=repairs,
        participants=speakers,
        attributes=attributes,
    )


def _cues(text: str) -> Iterator[_Cue]:
    lines = iter(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for line in lines:
        if not (match := _TIMES.match(line)):
            continue
        words: list[str] = []
        for inner in lines:
            if not inner.strip():
                break
            words.append(inner)
        yield from _spoken(" ".join(words), _seconds(match[1]), _seconds(match[2]))


def _spoken(text: str, start: float, end: float) -> Iterator[_Cue]:
    """Yield the text of each speaker in a cue: `<v Name>` spans, or "Name: " at the beginning."""
    parts = _VOICE.split(text)
    voices = [(None, parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    for voice, piece in voices:
        words = " ".join(html.unescape(_TAG.sub("", piece)).split())
        speaker = " ".join(voice.split()) if voice else None
        if speaker is None and (match := _NAMED.match(words)):
            yield _Cue(start, max(start, end), words[match.end() :], match[1].strip(), words)
        elif words:
            yield _Cue(start, max(start, end), words, speaker)


def _with_speakers(cues: Sequence[_Cue]) -> list[_Cue]:
    """Return the cues, with their labels as text where they name no speaker: "Rule number one: never be late".

    Labels name speakers if many cues have one; of few, those that have the form of a name and recur.
    """
    counts = Counter(cue.speaker for cue in cues if cue.whole)
    share = counts.total() / len(cues) if cues else 0.0

    def speaks(name: str) -> bool:
        named, recurs = _has_form_of_name(name), counts[name] >= RECURRING
        return (named or recurs) if share >= OFTEN else (named and recurs and share >= SELDOM)

    return [
        replace(cue, text=cue.whole, speaker=None) if cue.whole and not speaks(cue.speaker or "") else cue
        for cue in cues
    ]


def _has_form_of_name(label: str) -> bool:
    return all(not word[0].islower() or len(word) <= PARTICLE for word in label.split()) and not label[0].islower()


def _seconds(clock: str) -> float:
    parts = clock.replace(",", ".").split(":")
    return round(sum(float(part) * 60**power for power, part in enumerate(reversed(parts))), 3)


def _turns(cues: list[_Cue]) -> Iterator[Block]:
    turn: list[_Cue] = []
    for cue in cues:
        # Rolling captions repeat the previous cue, or its last sentence, in the next one.
        if turn and cue.text in (turn[-1].text, turn[-1].text.rpartition(". ")[2]) and cue.speaker == turn[-1].speaker:
            continue
        length = sum(len(old.text) + 1 for old in turn)
        speaker = cue.speaker or (turn[-1].speaker if turn else None)
        goes_on = turn and speaker == turn[-1].speaker and -1 < cue.start - turn[-1].end <= PAUSE
        if turn and not (goes_on and length < MAX_TURN_CHARS):
            yield _turn(turn)
            turn = []
        turn.append(_Cue(cue.start, cue.end, cue.text, cue.speaker if not goes_on else speaker))
    if turn:
        yield _turn(turn)


def _turn(cues: list[_Cue]) -> Block:
    anchors = []
    position = 0
    for cue in cues:
        end = position + len(cue.text)
        anchors.append(Anchor(position, end, start_seconds=cue.start, end_seconds=cue.end))
        position = end + 1
    return Block(
        " ".join(cue.text for cue in cues),
        "speech",
        start_seconds=cues[0].start,
        end_seconds=max(cue.end for cue in cues),
        speaker=cues[0].speaker,
        anchors=tuple(anchors),
    )


READ = Isolated(read_file, ("charset_normalizer",))
FORMATS = (
    Format(
        "vtt",
        "text/vtt",
        "subtitles (WebVTT)",
        family="captions",
        suffixes=(".vtt",),
        as_text=True,
        shape=lambda start, _complete: _WEBVTT.match(start) is not None,
        read=READ,
    ),
    Format(
        "srt",
        "application/x-subrip",
        "subtitles (SubRip)",
        family="captions",
        suffixes=(".srt",),
        as_text=True,
        shape=lambda start, _complete: _SUBRIP.match(start) is not None,
        read=READ,
    ),
)

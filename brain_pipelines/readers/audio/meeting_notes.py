"""Meeting notes from the turns of a transcript: topic blocks in order of time, with speakers and key sentences.

Extractive: every sentence is quoted verbatim with its speaker. A sentence scores high if its words are frequent in its
block and rare in the meeting, and higher if it states a decision, a task or a question.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from brain_pipelines.readers.lexicons import LEXICONS
from brain_pipelines.readers.topic_shifts import topic_shifts
from brain_retrieval.language.sentences import sentences
from brain_retrieval.language.stop_words import talk_words

MAX_SENTENCES = 4  # of one block
MAX_KEYWORDS = 6
MAX_CHARS = 400  # of one sentence
LONGEST_SECONDS = 600.0  # a block; a longer one is cut at a turn
SHORTEST_SECONDS = 30.0
_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKED = re.compile(rf"\b(?:{LEXICONS.read('meetings').expression('marks')})", re.I)


@dataclass(frozen=True)
class _Sentence:
    text: str
    speaker: str | None
    seconds: float | None
    words: tuple[str, ...]


def make_meeting_notes(text: str, segments: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the notes of a meeting as plain JSON values.

    Args:
        text: the whole transcript.
        segments: its turns in order, dicts of schemas.SEGMENT.

    Each block: `start_seconds`, `end_seconds`, `speakers`, `keywords`, `points` of `text`, `speaker` and
    `start_seconds`, in order of time.
    """
    turns = [segment for segment in segments if segment["kind"] == "speech"]
    blocks = [[_sentences(text, turn) for turn in block] for block in _blocks(text, turns)]
    counts = [Counter(word for turn in block for s in turn for word in s.words) for block in blocks]
    spread = Counter(word for count in counts for word in count)
    notes, first = [], 0
    for block, count in zip(blocks, counts, strict=True):
        weight = {word: n * math.log(1 + len(blocks) / spread[word]) for word, n in count.items()}
        own = turns[first : first + len(block)]
        first += len(block)
        notes.append(_note(own, [sentence for turn in block for sentence in turn], weight))
    return notes


def _blocks(text: str, turns: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    shifts = topic_shifts([text[turn["start"] : turn["end"]] for turn in turns])
    blocks: list[list[dict[str, Any]]] = []
    for i, turn in enumerate(turns):
        length = _length(blocks[-1]) if blocks else 0.0
        if not blocks or (i in shifts and length >= SHORTEST_SECONDS) or length >= LONGEST_SECONDS:
            blocks.append([])
        blocks[-1].append(turn)
    return blocks


def _length(block: Sequence[dict[str, Any]]) -> float:
    return (block[-1]["end_seconds"] or 0.0) - (block[0]["start_seconds"] or 0.0)


def _sentences(text: str, turn: dict[str, Any]) -> list[_Sentence]:
    said = text[turn["start"] : turn["end"]]
    label = f"{turn['speaker']}: "
    found = []
    spoken = said.removeprefix(label)
    begin = 0  # a sentence begins where the previous one ended
    for start, end in sentences(spoken):
        sentence = " ".join(spoken[start:end].split())
        words = tuple(word for word in _WORD.findall(sentence.lower()) if word not in talk_words())
        if words:
            share = begin / max(1, len(said))
            found.append(_Sentence(sentence[:MAX_CHARS], turn["speaker"], _within(turn, share), words))
        begin = end
    return found


def _within(turn: dict[str, Any], share: float) -> float | None:
    """Return the estimated time of a part of a turn by linear interpolation; exact times are in the anchors."""
    start, end = turn["start_seconds"], turn["end_seconds"]
    return None if start is None or end is None else round(start + share * (end - start), 1)


def _note(turns: Sequence[dict[str, Any]], sentences: Sequence[_Sentence], weight: dict[str, float]) -> dict[str, Any]:
    ranked = sorted(range(len(sentences)), key=lambda i: (-_score(sentences[i], weight), i))[:MAX_SENTENCES]
    keywords = sorted(weight, key=lambda word: (-weight[word], word))[:MAX_KEYWORDS]
    return {
        "start_seconds": turns[0]["start_seconds"],
        "end_seconds": turns[-1]["end_seconds"],
        "speakers": list(dict.fromkeys(turn["speaker"] for turn in turns if turn["speaker"])),
        "keywords": keywords,
        "points": [
            {"text": s.text, "speaker": s.speaker, "start_seconds": s.seconds}
            for s in (sentences[i] for i in sorted(ranked))
        ],
    }


def _score(sentence: _Sentence, weight: dict[str, float]) -> float:
    """Return the mean weight of the words, lowered for very short sentences, raised for decisions and questions."""
    mean = sum(weight[word] for word in set(sentence.words)) / (len(set(sentence.words)) + 2)
    return mean * (1.5 if _MARKED.search(sentence.text) or sentence.text.endswith("?") else 1.0)

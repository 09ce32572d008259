"""Conversion of a transcript to blocks: turns of one speaker, without disfluencies, with the time of every word.

A turn ends where the speaker changes, at a pause, and at the end of an utterance once it is long: a citation points to
a block, so the block of an hour's monologue would be too coarse.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from brain_pipelines.readers.audio.disfluency import without_disfluencies
from brain_pipelines.readers.extracted import Anchor, Block
from brain_retrieval.models.speech.protocol import Transcript, Utterance, Word

PAUSE_SECONDS = 3.0
LONG_SECONDS = 45.0


@dataclass
class _Turn:
    speaker: str | None
    utterances: list[Utterance] = field(default_factory=list)

    @property
    def start(self) -> float:
        return self.utterances[0].start

    @property
    def end(self) -> float:
        return self.utterances[-1].end


def speech_blocks(transcript: Transcript, *, clean: bool = True) -> list[Block]:
    """Return the turns of a transcript as blocks of kind "speech", in order; with names if there are several speakers.

    `clean` removes disfluencies.
    """
    language = transcript.language if clean else None
    blocks = (_block(turn, language) for turn in _turns(transcript))
    return named([block for block in blocks if block is not None])


def named(blocks: Sequence[Block]) -> list[Block]:
    """Prefix each block's text with its speaker, "Name: ", if there are several, so that the text alone shows it."""
    if len({block.speaker for block in blocks}) < 2:
        return list(blocks)
    return [_with_label(block, f"{block.speaker}: ") if block.speaker else block for block in blocks]


def _with_label(block: Block, label: str) -> Block:
    if block.text.startswith(label):
        return block
    shift = len(label)
    anchors = tuple(replace(a, start=a.start + shift, end=a.end + shift) for a in block.anchors)
    return replace(block, text=label + block.text, anchors=anchors)


def _turns(transcript: Transcript) -> Iterator[_Turn]:
    turn: _Turn | None = None
    for utterance in transcript.utterances:
        if turn is None or _ends(turn, utterance):
            if turn is not None:
                yield turn
            turn = _Turn(utterance.speaker)
        turn.utterances.append(utterance)
    if turn is not None:
        yield turn


def _ends(turn: _Turn, following: Utterance) -> bool:
    if following.speaker != turn.speaker or following.start - turn.end >= PAUSE_SECONDS:
        return True
    return following.end - turn.start > LONG_SECONDS


def _block(turn: _Turn, language: str | None) -> Block | None:
    words = without_disfluencies([word for part in turn.utterances for word in _words(part)], language)
    if not any(word.text.strip() for word in words):
        return None
    text = ""
    anchors: list[Anchor] = []
    for word in words:
        piece = word.text if text else word.text.lstrip()
        start = len(text) + len(piece) - len(piece.lstrip())
        text += piece
        if len(text) > start:
            anchors.append(Anchor(start, len(text), start_seconds=word.start, end_seconds=word.end))
    return Block(
        text,
        "speech",
        speaker=turn.speaker,
        start_seconds=turn.start,
        end_seconds=turn.end,
        anchors=tuple(anchors),
    )


def _words(utterance: Utterance) -> list[Word]:
    """Return the words of an utterance with a space before the first; one word if the model gives no word times."""
    if not utterance.words:
        return [Word(f" {utterance.text.strip()}", utterance.start, utterance.end, 1.0)]
    first, *rest = utterance.words
    spaced = first.text[:1].isspace()
    lead = "" if spaced or _unspaced(first.text) else " "
    return [Word(lead + first.text, first.start, first.end, first.probability), *rest]


def _unspaced(text: str) -> bool:
    """Return whether a text is in a script without spaces between words: Chinese, Japanese, Thai, Lao, Khmer."""
    return any("぀" <= c <= "鿿" or "฀" <= c <= "໿" or "ក" <= c <= "៿" for c in text)

"""Extraction driver: turns of a text → parsed blocks → mentions, facts and sentences with offsets into the text."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.blocks import Block, blocks_of
from brain_pipelines.stages.extraction.local.language import is_english, language_of_block
from brain_pipelines.stages.extraction.local.names.attendance import attendees_of
from brain_pipelines.stages.extraction.local.names.coreference import Referents
from brain_pipelines.stages.extraction.local.names.mention import Mention
from brain_pipelines.stages.extraction.local.names.name_pairs import adjacent_triples
from brain_pipelines.stages.extraction.local.names.names import find_names
from brain_pipelines.stages.extraction.local.names.people import Name
from brain_pipelines.stages.extraction.local.names.speakers import OWNER, Turn, called, known_people
from brain_pipelines.stages.extraction.local.nlp import parse, scope
from brain_pipelines.stages.extraction.local.relations.phrases import Argument, Phrases
from brain_pipelines.stages.extraction.local.relations.preferences import stated_rules
from brain_pipelines.stages.extraction.local.relations.triple import RULE_CONFIDENCE, Triple
from brain_pipelines.stages.extraction.local.relations.triples import triples_of
from brain_pipelines.stages.extraction.local.time.clause_times import ClauseTimes
from brain_pipelines.stages.extraction.local.time.time_expressions import TimePhrase
from brain_pipelines.stages.extraction.memories.parsed import sentences_of
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.setting import Setting
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names
from brain_pipelines.stages.extraction.memories.writing import Writing, writing_of
from brain_pipelines.stages.prose.kinds import NAMELESS, Kind, Part
from brain_pipelines.stages.prose.parts import kind_at
from brain_retrieval.language.lexicon import ENGLISH

if TYPE_CHECKING:
    from spacy.tokens import Doc


BLOCKS_AT_ONCE = 512  # bounds memory on a long text


@dataclass(frozen=True)
class Fact:
    """A fact as strings, with its evidence `text[start:end]`. "Literal" objects are dates, numbers and qualities."""

    subject: str
    predicate: str
    object: str
    subject_type: str
    object_type: str
    polarity: str
    modality: str
    confidence: float
    rule: str
    start: int
    end: int
    speaker: str | None
    times: tuple[TimePhrase, ...] = ()


@dataclass
class ParsedText:
    """Mentions, facts and sentences of a text, in its order."""

    mentions: list[Mention] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


@dataclass(frozen=True)
class TextToRead:
    """A text, its turns in order, and the setting of each turn; without settings no sentences are returned.

    `parts` are those of the text that are no prose, `correspondents` the full names of who wrote or received it.
    """

    text: str
    turns: Sequence[Turn]
    settings: Sequence[Setting] = ()
    parts: Sequence[Part] = ()
    correspondents: Sequence[str] = ()

    def blocks(self) -> "Iterator[tuple[Turn, Setting | None, Block]]":
        """Yield each block of the text that may hold names, with its turn and setting."""
        for turn, setting in zip_longest(self.turns, self.settings):
            for start, end in self._without_labels(turn):
                for block in blocks_of(self.text, start, end, setting.heads if setting else ()):
                    if not self._is_nameless(block):
                        yield turn, setting, block

    def _without_labels(self, turn: Turn) -> Iterator[tuple[int, int]]:
        """Yield what of a turn lies between labels, which are no part of a sentence."""
        start = turn.start
        first = bisect_right(self.parts, turn.start, key=lambda part: part.end)
        for part in self.parts[first:]:
            if part.start >= turn.end:
                break
            if part.kind is Kind.LABEL:
                yield start, max(start, part.start)
                start = part.end
        yield start, max(start, turn.end)

    def _is_nameless(self, block: Block) -> bool:
        first, last = block.offsets[0], block.offsets[-1]
        return self.is_nameless(first) and self.is_nameless(last) and self.is_nameless((first + last) // 2)

    def people(self) -> frozenset[str]:
        """Return the names by which the text may call who speaks in it, and who it lists as present or was sent it."""
        return known_people(self.turns) | called((*attendees_of(self.text), *self.correspondents))

    def is_nameless(self, position: int) -> bool:
        """Return whether the character of the text is of a kind that names are not read from."""
        return kind_at(self.parts, position) in NAMELESS

    def is_prose(self, start: int, end: int) -> bool:
        """Return whether a span of the text is prose at its beginning, middle and end."""
        return all(kind_at(self.parts, place) is Kind.PROSE for place in (start, (start + end) // 2, end - 1))


def read_unparsed(text: TextToRead, language: str | None) -> ParsedText:
    """Return the mentions and sentences of a text in a language without a parser."""
    parsed, writing = ParsedText(), replace(writing_of(text.text, language), people=text.people())
    for _, setting, block in text.blocks():
        if setting is not None:
            _read_unparsed(block, setting, writing, parsed)
    parsed.mentions = [mention for mention in parsed.mentions if not text.is_nameless(mention.start)]
    return parsed


def _read_unparsed(block: Block, setting: Setting, writing: Writing, parsed: ParsedText) -> None:
    language = language_of_block(setting.language, block.text)
    names = plain_names(block.text, language, writing, block.breaks)
    parsed.sentences += sentences_of(block, None, replace(setting, language=language), plain=names)
    spans = ((block.span(name.start, name.end), name) for name in names)
    parsed.mentions += [Mention(*span, name.text, name.type, name.confidence) for span, name in spans]


def read_texts(texts: Sequence[TextToRead], model: str) -> list[ParsedText]:
    """Return the mentions, facts and sentences of each text. Spans are exact offsets into the text.

    All texts share the parser's batches, which is up to twice as fast for short texts.
    """
    parsed_texts = [ParsedText() for _ in texts]
    places = _places(parsed_texts, texts)
    previous: Turn | None = None
    people = {id(parsed): text.people() for parsed, text in zip(parsed_texts, texts, strict=True)}
    writings = {id(parsed): writing_of(text.text, ENGLISH) for parsed, text in zip(parsed_texts, texts, strict=True)}
    referents = Referents(None)
    while group := list(islice(places, BLOCKS_AT_ONCE)):
        with scope(model):
            docs = parse([place[-1] for place in group], model)
            for (parsed, turn, setting, _), (block, doc) in zip(group, docs, strict=True):
                if turn is not previous:
                    referents, previous = Referents(turn.first_person), turn
                if setting is not None and not is_english(language_of_block(setting.language, block.text), block.text):
                    written = replace(writing_of(block.text, None), people=people[id(parsed)])
                    _read_unparsed(block, setting, written, parsed)
                    continue
                names = find_names(doc, people[id(parsed)], writings[id(parsed)])
                if setting is not None:
                    parsed.sentences += sentences_of(block, doc, setting, names)
                _read_block(block, doc, turn, names, referents, parsed)
                referents.next_block()
    for parsed, text in zip(parsed_texts, texts, strict=True):
        parsed.mentions = [mention for mention in parsed.mentions if not text.is_nameless(mention.start)]
        parsed.facts = [fact for fact in parsed.facts if text.is_prose(fact.start, fact.end)]
    return parsed_texts


def _places(
    parsed_texts: list[ParsedText], texts: Sequence[TextToRead]
) -> Iterator[tuple[ParsedText, Turn, Setting | None, Block]]:
    for parsed, text in zip(parsed_texts, texts, strict=True):
        for place in text.blocks():
            yield parsed, *place


def _read_block(
    block: Block, doc: "Doc", turn: Turn, names: list[Name], referents: Referents, parsed: ParsedText
) -> None:
    phrases = Phrases(doc, names, referents)
    for name in names:
        referents.met(name.start, doc[name.start : name.end].text, name.type)
    found = [Argument(n.start, n.end, doc[n.start : n.end].text, n.type, n.confidence) for n in names]
    typed = list(phrases.typed_phrases())
    for phrase in typed:
        if doc[phrase.end - 1].tag_ != "NNS":  # "it" cannot refer to a plural
            referents.met(phrase.start, phrase.name, phrase.type)
    found += typed
    if not block.is_table:
        times = ClauseTimes(doc)
        labels = list(_announced(block, turn, parsed))
        for triple in (*triples_of(doc, phrases), *adjacent_triples(doc, names, phrases)):
            if any(start <= triple.anchor.idx < end for start, end in labels):
                continue
            found += [side for side in (triple.subject, triple.object) if not side.is_literal]
            parsed.facts.append(_fact(triple, times, block, turn))
    parsed.mentions.extend(_mentions(found, block, doc))


def _announced(block: Block, turn: Turn, parsed: ParsedText) -> Iterator[tuple[int, int]]:
    """Add the labelled rules of a block ("Policy: …") as facts and yield their spans, which other rules skip."""
    for predicate, start, end in stated_rules(block.text):
        if turn.first_person is None:
            continue
        place = block.span(start, end)
        names = (turn.first_person, predicate, block.text[start:end], "Person", "Literal")
        parsed.facts.append(
            Fact(*names, "affirmed", "asserted", RULE_CONFIDENCE["policy"], "policy", *place, _speaker(turn))
        )
        yield start, end


def _mentions(found: list[Argument], block: Block, doc: "Doc") -> Iterator[Mention]:
    for argument in found:
        if not argument.is_pronoun:
            first, last = doc[argument.start], doc[argument.end - 1]
            span = block.span(first.idx, last.idx + len(last))
            yield Mention(*span, argument.name, argument.type, argument.confidence)


def _speaker(turn: Turn) -> str | None:
    return turn.speaker if turn.label or turn.speaker != OWNER else None


def _fact(triple: Triple, times: ClauseTimes, block: Block, turn: Turn) -> Fact:
    sentence = triple.anchor.sent
    said = triple.anchor.doc[triple.object.start : triple.object.end]
    start, end = sentence.start_char, sentence.end_char
    trimmed = sentence.text.strip()
    start += len(sentence.text) - len(sentence.text.lstrip())
    end = start + len(trimmed)
    return Fact(
        subject=triple.subject.name,
        predicate=triple.predicate,
        object=triple.object.name,
        subject_type=triple.subject.type,
        object_type=triple.object.type,
        polarity=triple.polarity,
        modality="reported" if turn.quoted and triple.modality == "asserted" else triple.modality,
        confidence=triple.confidence,
        rule=triple.rule,
        start=block.span(start, end)[0],
        end=block.span(start, end)[1],
        speaker=_speaker(turn),
        # A date that is the object ("was moved to March") is not the time of the fact.
        times=tuple(
            t for t in times.of(triple.anchor, triple.validity) if t.end <= said.start_char or said.end_char <= t.start
        ),
    )

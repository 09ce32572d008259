"""Blocks of a text, with their parse where the language has a parser, as sentences of plain data.

Called inside the parser's memory zone: nothing of the parse is kept.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.blocks import Block
from brain_pipelines.stages.extraction.local.names import people
from brain_pipelines.stages.extraction.memories.persons import has_person, writes_nouns_large
from brain_pipelines.stages.extraction.memories.quotations import opens_before
from brain_pipelines.stages.extraction.memories.sentence import Name, Sentence, Word
from brain_pipelines.stages.extraction.memories.setting import Setting
from brain_pipelines.stages.extraction.memories.stated.tenses import tells_when
from brain_pipelines.stages.extraction.memories.table_rows import row_sentence
from brain_pipelines.stages.extraction.memories.token_runs import SENTENCE_ENDS, token_runs, with_announcements
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names
from brain_pipelines.stages.extraction.memories.unparsed.plain_verbs import has_no_verb
from brain_pipelines.stages.prose.kinds import Kind
from brain_pipelines.stages.prose.outline import lists_decisions, topic_of
from brain_pipelines.stages.prose.records import is_list_of_names, is_title_of_issue
from brain_pipelines.stages.prose.statements import (
    is_heading,
    is_measurement,
    is_prose,
    is_short_answer,
    is_single_word,
    is_statement,
)
from brain_retrieval.language.lexicon import SHARED, code_of
from brain_retrieval.language.sentences import Span, sentences, trim

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_FIRST = ("I", "We")
_SUBJECTS = ("nsubj", "nsubjpass")
LONGEST_TITLE = 5  # letters: "Dr", "Prof"
_OWN = ("note", "voice-memo")  # sources in which a line may only name a value
_PERSONAL = frozenset({*_OWN, "message", "conversation", "email", "slack-thread"})  # in which people write themselves
_STOPS = tuple(".!")
LEAST_LISTED, LISTED_SHARE = 4, 0.6  # names of a list of those present, and their share of its characters
_WRITTEN_SMALL = frozenset({"message", "conversation"})
_SMALL_END = re.compile(r"(?<=[^\W\d_]{3}|..[€)])[.!?]{1,3}(?=\s[^\W\d_])")  # not "am 3. kommt"
_ORDINAL_STOPS = ("de",)  # "am 3. Mai": a stop after a number is no end
_DAY = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}\.$")
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")  # not the last number of "1.8." or "29,95."


def sentences_of(
    block: Block,
    doc: "Doc | None",
    setting: Setting,
    names: Sequence[people.Name] = (),
    plain: Sequence[Name] | None = None,
) -> list[Sentence]:
    """Return the sentences of a block in order; none if it is no prose.

    Args:
        block: a part of `setting.text`.
        doc: its parse; None if the language has no parser.
        setting: the context of its turn.
        names: the names in the parse, by `find_names`.
        plain: the names in a block without a parse; None: by `plain_names` of the block alone.
    """
    if block.is_table:
        row = row_sentence(block, setting)
        return [row] if row else []
    if not is_prose(block, setting.text, setting.source):
        return []
    read = _plain(block, setting, plain) if doc is None else _parsed(block, doc, setting, names)
    headed = is_heading(block, setting.text)
    return [sentence for sentence in read if _is_prose(sentence, setting, headed)]


def _is_said(text: str, setting: Setting) -> bool:
    """Return whether a sentence is a statement, in talk of two perhaps an answer ("No, 800."), in a note a value."""
    if is_title_of_issue(text, setting.source):
        return False
    if is_statement(text) or _is_shouted(text, setting):
        return True
    if setting.listener is not None:
        return is_short_answer(text) or is_single_word(text)
    return setting.source in _OWN and is_measurement(text)


def _is_shouted(text: str, setting: Setting) -> bool:
    """Return whether someone says something in capitals: "WE LIVE IN OTLEY.", and not "ALL RIGHTS RESERVED."."""
    if setting.source not in _PERSONAL or not text.isupper() or not text.rstrip().endswith(_STOPS):
        return False
    persons = any(has_person(text, person, setting.language) for person in ("first", "first_plural"))
    return (persons or tells_when(text, setting.language)) and is_statement(text.capitalize())


def _plain(block: Block, setting: Setting, names: Sequence[Name] | None) -> Iterator[Sentence]:
    names = plain_names(block.text, setting.language) if names is None else names
    spans: Iterable[Span] = _plain_spans(block.text, setting.language)
    for start, end in (
        _small_sentences(block.text, spans, setting.language) if setting.source in _WRITTEN_SMALL else spans
    ):
        if _is_said(block.text[start:end], setting):
            inside = (name for name in names if start <= name.start and name.end <= end)
            own = tuple(Name(name.start - start, name.end - start, name.text, name.type) for name in inside)
            yield _sentence(block, (start, end), setting, (), own)


def _plain_spans(text: str, language: str | None) -> list[Span]:
    spans: list[Span] = []
    for start, end in sentences(text):  # with the abbreviations of all languages
        if spans and code_of(language) in _ORDINAL_STOPS and _goes_on(text, spans[-1], (start, end), language):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _goes_on(text: str, before: Span, after: Span, language: str | None) -> bool:
    """Return whether the stop between two parts is that of an ordinal, or of a day: "am 3.5. OP am Knie"."""
    if _ORDINAL.search(text, *before):
        return True
    return _DAY.search(text, *before) is not None and has_no_verb(text[slice(*after)], language)


def _small_sentences(text: str, spans: Sequence[Span], language: str | None) -> Iterator[Span]:
    """Yield the sentences of talk, in which many people begin none with a capital letter: "merci. on se voit lundi".

    What has no verb stays with the sentence before it: "Chez Marcel est fermé. du coup La Petite Venise".
    """
    for start, end in spans:
        first = start
        for match in _SMALL_END.finditer(text, start, end):
            after = match.end()
            if text[after + 1].islower() and not _is_abbreviated(text[first:after]):
                rest = _SMALL_END.search(text, after, end)
                if not has_no_verb(text[after : rest.end() if rest else end].strip(), language):
                    yield trim(text, first, after)
                    first = after
        yield trim(text, first, end)


def _is_abbreviated(text: str) -> bool:
    """Return whether a text ends with an abbreviation of any language: "ca.", "p. ej."."""
    return text.rsplit(None, 1)[-1].lower().rstrip("?!") in _abbreviated()


@cache
def _abbreviated() -> frozenset[str]:
    listed = SHARED.every_language("abbreviations").words("abbreviations")
    return frozenset(f"{word.rstrip('.')}." for word in listed)


def _parsed(block: Block, doc: "Doc", setting: Setting, names: Sequence[people.Name]) -> Iterator[Sentence]:
    for tokens in with_announcements(token_runs(doc)):
        first, last = tokens[0], tokens[-1]
        start, end = first.idx, last.idx + len(last.text)
        if _is_said(block.text[start:end], setting):
            inside = [name for name in names if first.i <= name.start and name.end <= last.i + 1]
            yield _sentence(block, (start, end), setting, _words(tokens), tuple(_names(doc, inside, start)))


def _sentence(block: Block, span: Span, setting: Setting, words: tuple[Word, ...], names: tuple[Name, ...]) -> Sentence:
    start, end = span
    said_at, titles = setting.said_at_of(block.offsets[start]), setting.titles_at(block.offsets[start])
    return Sentence(
        text=block.text[start:end],
        offsets=block.offsets[start:end],
        said_at=said_at,
        said_on=said_at.astimezone(setting.zone).date(),
        source=setting.source,
        language=setting.language,
        speaker=setting.speaker,
        listener=setting.listener,
        day_first=setting.day_first,
        words=words,
        names=names,
        topic=topic_of(titles),
        decided=lists_decisions(titles),
        in_quotation=opens_before(block.text, start),
        quoted=setting.quoted,
    )


def _words(tokens: Sequence["Token"]) -> tuple[Word, ...]:
    places = {token.i: place for place, token in enumerate(tokens)}
    start = tokens[0].idx
    return tuple(
        Word(
            text=token.text,
            lemma=token.lemma_,
            pos=token.pos_,
            tag=token.tag_,
            dep=token.dep_,
            head=places.get(token.head.i, place),
            start=token.idx - start,
            end=token.idx - start + len(token.text),
        )
        for place, token in enumerate(tokens)
    )


def _names(doc: "Doc", names: Sequence[people.Name], start: int) -> Iterator[Name]:
    for name in names:
        first, last = doc[name.start], doc[name.end - 1]
        begin, end = first.idx, last.idx + len(last.text)
        yield Name(begin - start, end - start, doc.text[begin:end], name.type)


def _is_prose(sentence: Sentence, setting: Setting, headed: bool) -> bool:
    """Return whether a sentence is prose at its beginning, middle and end.

    A heading names a topic; one with "I" or "we" as its subject is a statement.
    """
    if _only_names(sentence) or _is_attendance(sentence):
        return False
    places = sentence.offsets
    kinds = {setting.kind_at(place) for place in (places[0], places[len(places) // 2], places[-1])}
    if headed or Kind.HEADING in kinds:
        return _in_first_person(sentence) and kinds <= {Kind.PROSE, Kind.HEADING}
    return kinds == {Kind.PROSE}


def _only_names(sentence: Sentence) -> bool:
    """Return whether a line of a text holds names alone: below a letter, in a list of those present."""
    named = sum(name.end - name.start for name in sentence.names)
    if len(sentence.names) >= LEAST_LISTED and named >= LISTED_SHARE * len(sentence.text):
        return True
    if sentence.listener is not None or sentence.text.rstrip().endswith(SENTENCE_ENDS):
        return False
    rest = sentence.text
    for name in sentence.names:
        rest = rest[: name.start] + " " * (name.end - name.start) + rest[name.end :]
    words = (word.strip(".,;:()&/-–") for word in rest.split())
    said = (len(word) > LONGEST_TITLE or word.islower() or any(map(str.isdigit, word)) for word in words if word)
    return bool(sentence.names) and not any(said)


def _is_attendance(sentence: Sentence) -> bool:
    """Return whether a line outside of talk is a list of names, also of names that are in no list of given names."""
    if sentence.listener is not None or writes_nouns_large(code_of(sentence.language)) or sentence.text.isupper():
        return False
    return is_list_of_names(sentence.text)


def _in_first_person(sentence: Sentence) -> bool:
    return any(word.dep in _SUBJECTS and word.text.capitalize() in _FIRST for word in sentence.words)

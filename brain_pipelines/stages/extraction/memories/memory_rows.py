"""Rows of MEMORIES of one source: its sentences cut into clauses, read, weighed and rewritten."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from brain_pipelines.stages.extraction.local.names.turns import OWNER
from brain_pipelines.stages.extraction.memories import calendar_entries
from brain_pipelines.stages.extraction.memories.clauses import clauses_of, subject_left_out
from brain_pipelines.stages.extraction.memories.context import context_words, question_before, replies
from brain_pipelines.stages.extraction.memories.kinds import kind_of
from brain_pipelines.stages.extraction.memories.rewriting.participants import SUBJECT, Participant
from brain_pipelines.stages.extraction.memories.rewriting.rewriting import Rewritten, rewrite
from brain_pipelines.stages.extraction.memories.selection import keep_probability
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.extraction.memories.sliced import with_words
from brain_pipelines.stages.extraction.memories.stated.asking import asks_for_something
from brain_pipelines.stages.prose.handed_over import assistant_of, is_salutation
from brain_pipelines.stages.prose.outline import subject_words
from brain_pipelines.stages.prose.statements import is_single_word, is_statement
from brain_retrieval.ids import content_id
from brain_retrieval.language.concepts import DECIDED, TITLED
from brain_retrieval.language.content_words import content_words
from brain_retrieval.schemas.names import SOURCE_NAMES

Row = dict[str, Any]
EntityId = Callable[[str, str], str | None]  # of a name and a type, within the source

MIN_KEEP = 0.1  # a less likely sentence is a row only if it states a value, a slot or a change
_TALKS = frozenset({"conversation", "agent-output"})
_TITLED_SOURCES = frozenset({"note", "email", "message", "meeting", "voice-memo"})
# Of what a newsletter says of its writer and of the world next to nothing is wanted back; it stays to be asked for.
MOST_TO_MANY = 0.25
_SHORT_TEXT = 4000  # characters: what has a title of many pages says little of it in each line
_NAMED_TALK = re.compile(r"Conversation of \S")  # the title of a talk that has none of its own
CONTEXT = 4  # sentences before that say who "she" is


@dataclass(frozen=True)
class Making:
    """What the rows of a source depend on besides its sentences."""

    entity_id: EntityId = lambda name, kind: None
    owner_name: str | None = None  # for "I" of the speaker "user"; None leaves the first person as it is
    zone: tzinfo = UTC
    method: str = "local"
    every: bool = False  # each sentence is a memory, however unlikely


def memory_rows(document: Row, sentences: Sequence[Sentence], making: Making | None = None) -> list[Row]:
    """Return the rows of MEMORIES of one row of DOCUMENT_TEXT, without `code_version` and `config_hash`.

    Args:
        document: the source; its text is the evidence.
        sentences: all its sentences, in order, by `sentences_of`.
        making: entity ids, the owner's name, the zone of days.
    """
    making = making or Making()
    shared = {name: document[name] for name in SOURCE_NAMES}
    rows: dict[str, Row] = {}
    seen: set[tuple[str, str | None, date, int]] = set()
    subject, mass = _subject_of_talk(document, sentences), _is_to_many(document)
    entry = calendar_entries.head_of(document, sentences) if calendar_entries.is_entry(document) else None
    if entry is not None:
        sentences = [entry, *calendar_entries.without_heads(document, sentences)]
    for number, sentence in enumerate(sentences):
        before = sentences[max(0, number - CONTEXT) : number]
        if sentence.listener is not None and not is_statement(sentence.text) and not _is_asked(sentence, before):
            continue  # a number or a word in talk that answers nothing
        if is_salutation(sentence.text):
            continue
        for reading in _readings(sentence, before):
            clause, signals = reading.clause, reading.signals
            start, end = clause.span
            evidence = document["text"][start:end]
            repeated = (evidence, clause.speaker, clause.said_on, clause.clause)
            wanted = making.every or reading.keep >= MIN_KEEP or _states(signals) or sentence is entry
            if repeated in seen or not wanted:
                continue
            seen.add(repeated)
            memory_id = content_id("memory", document["source_id"], start, end, clause.clause, evidence)
            said = _said(reading, making)
            marks = (*_title_words(document, clause, subject), *([DECIDED] if clause.decided else []))
            said["anchors"] = list(dict.fromkeys((*said["anchors"], *marks)))
            times = _times(clause, signals, making.zone)
            if entry is not None:
                times = calendar_entries.known_times(document, times)
            if sentence is entry:
                said |= {"keep": calendar_entries.KEEP, "self_contained": True}
                said["cue"] = calendar_entries.cue_of(document, said["cue"])
            if mass and not _is_to_reader(said):
                said["keep"] = min(said["keep"], MOST_TO_MANY)
            row = {"memory_id": memory_id, **shared, **said, **times}
            row |= {"start": start, "end": end, "evidence": evidence, "method": making.method, "ends_hint": None}
            rows.setdefault(memory_id, row)
    return list(rows.values())


def _is_to_many(document: Row) -> bool:
    """Return whether a mail is a newsletter or an advertisement, by its attributes."""
    attributes = document.get("attributes")
    return document["source"] == "email" and bool(attributes) and "mass_mail" in json.loads(attributes)


def _is_to_reader(said: Row) -> bool:
    """Return whether a memory is about the one who is spoken to, and not about the one who speaks."""
    roles = {one["role"] for one in said["entities"]}
    return "listener" in roles and "speaker" not in roles


def _subject_of_talk(document: Row, sentences: Sequence[Sentence]) -> list[str]:
    """Return the words of the title of a talk with an assistant, and of the folder in which an agent worked.

    What its user says there need not repeat them. A talk in which the user says a lot is about many things.
    """
    if document["source"] not in _TALKS or not assistant_of(document):
        return []
    if sum(len(one.text) for one in sentences if one.speaker == OWNER) > _SHORT_TEXT:
        return []
    title = document.get("title") or ""
    folder = json.loads(document.get("attributes") or "{}").get("cwd") or ""
    named = re.split(r"[\\/]", folder.rstrip("\\/"))[-1]
    titles = ("" if _NAMED_TALK.match(title) else title, re.sub(r"[-_.]+", " ", named))
    return [TITLED + word for one in titles if one for word in subject_words(one)]


def _title_words(document: Row, sentence: Sentence, subject: Sequence[str]) -> list[str]:
    """Return the words of the titles that a line of a short text stands under, as anchors: it need not repeat them.

    Those of a talk with an assistant, `subject`, are of what its user says.
    """
    if subject and sentence.speaker == OWNER:
        return list(subject)
    if document["source"] not in _TITLED_SOURCES or len(document["text"]) > _SHORT_TEXT:
        return []
    words = [word for title in (document.get("title"), sentence.topic) if title for word in subject_words(title)]
    return [TITLED + word for word in words]


def _is_asked(sentence: Sentence, before: Sequence[Sentence]) -> bool:
    """Return whether another one has just asked; what a single word answers is no yes or no."""
    question = question_before(sentence, before)
    if question is None or not is_single_word(sentence.text):
        return question is not None
    return asks_for_something(question) and not replies(sentence)


@dataclass(frozen=True)
class _Reading:
    """A clause with what it states and the probability of its sentence, since a part is rarely complete."""

    clause: Sentence
    signals: Signals
    keep: float
    before: Sequence[Sentence]
    subject: str | None = None  # that the clause leaves to the one before it


def _readings(sentence: Sentence, before: Sequence[Sentence]) -> Iterator[_Reading]:
    whole = read_signals(sentence)
    keep = keep_probability(sentence, whole, before)
    earlier = list(before)
    for clause in clauses_of(sentence):
        own = with_words(sentence, clause)
        signals = whole if own is sentence else read_signals(own)
        stated_first = own is not sentence and not own.clause  # before a question, a sentence of its own
        likely = keep_probability(own, signals, earlier) if stated_first else keep
        yield _Reading(own, signals, likely, tuple(earlier), subject_left_out(clause, sentence))
        earlier.append(own)


def _states(signals: Signals) -> bool:
    return bool(signals.values or signals.slot or signals.cue != "none")


def _said(reading: _Reading, making: Making) -> Row:
    """Return the columns of what is said, and of its speaker."""
    clause, signals, before = reading.clause, reading.signals, reading.before
    said = rewrite(clause, signals, before, making.owner_name, reading.subject)
    context = context_words(clause, before)
    taking_part = [_entity(participant, making.entity_id) for participant in said.participants]
    if reading.subject:
        context = (*content_words(reading.subject, clause.language), *context)
        taking_part.append(_entity(Participant(reading.subject, "Person", SUBJECT), making.entity_id))
    return {
        "text": said.text,
        "kind": kind_of(clause, signals),
        "keep": round(reading.keep, 4),
        "self_contained": said.self_contained,
        "speaker": clause.speaker,
        "listener": clause.listener,
        "entities": taking_part,
        "clause": clause.clause,
        "anchors": list(dict.fromkeys((*signals.anchors, *context))),
        **_stated(signals, said),
    }


def _entity(participant: Participant, entity_id: EntityId) -> Row:
    found = entity_id(participant.name, participant.type)
    return {"entity_id": found, "name": participant.name, "type": participant.type, "role": participant.role}


def _stated(signals: Signals, said: Rewritten) -> Row:
    slot = signals.slot
    return {
        "values": [{"dimension": value.dimension, "value": value.value} for value in signals.values],
        "polarity": signals.polarity,
        "modality": signals.modality,
        "cue": signals.cue,
        "slot_subject": (said.person_of(slot.subject) or slot.subject) if slot else None,
        "slot_attribute": slot.attribute if slot else None,
        "slot_value": slot.value if slot else None,
    }


def _times(clause: Sentence, signals: Signals, zone: tzinfo) -> Row:
    stated = signals.effective_from
    return {
        "said_at": clause.said_at,
        "effective_from": _midnight(stated, zone) if stated else clause.said_at,
        "from_stated": stated is not None,
        "valid_to": _midnight(signals.valid_to, zone) if signals.valid_to else None,
    }


def _midnight(day: date, zone: tzinfo) -> datetime:
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError:  # the first or last day there is
        return datetime.combine(day, time(), UTC)

"""Rows of memories from the events of a timeline without the pipeline: sentences, clauses, signals and pronouns."""

import hashlib
from datetime import UTC, date, datetime, time

from brain_pipelines.stages.extraction.memories.clauses import clauses_of
from brain_pipelines.stages.extraction.memories.context import context_words
from brain_pipelines.stages.extraction.memories.persons import capital_names, has_person, speaks_first
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.text import language_of
from brain_retrieval.language.sentences import sentences

THIRD = ("he", "she", "they", "it")


def rows_of(timeline):
    """Return the rows of MEMORIES of a timeline, as far as the view reads them."""
    texts = [text for event in timeline["events"] for _, text in turns(event)]
    language = timeline.get("language") or language_of(" ".join(texts)) or "en"
    return [row for number, event in enumerate(timeline["events"]) for row in event_rows(event, number, language)]


def turns(event):
    content = event["content"]
    return [(None, content)] if isinstance(content, str) else [tuple(turn) for turn in content]


def event_rows(event, number, language):
    said = datetime.combine(date.fromisoformat(event["date"]), time(12), UTC)
    speakers = list(dict.fromkeys(speaker for speaker, _ in turns(event) if speaker))
    named, previous = [], None
    for place, (speaker, text) in enumerate(turns(event)):
        listener = next((other for other in speakers if other != speaker), None) if len(speakers) == 2 else None
        for start, end in sentences(text, language=language):
            whole = Sentence(
                text[start:end], range(start, end), said, said.date(), event["kind"], language, speaker, listener
            )
            context = context_words(whole, previous)
            for clause in clauses_of(whole):
                yield row(clause, whole, named, f"{number}-{place}-{start}", context)
            previous = whole
            named = [*capital_names(whole.text, language), *named][:4]


def row(sentence, whole, named, place, context):
    signals = read_signals(sentence)
    entities = [entity(name, "named") for name in capital_names(sentence.text, sentence.language)]
    pronouns = has_person(sentence.text, "he", sentence.language) or has_person(sentence.text, "she", sentence.language)
    if sentence.clause and (first := capital_names(whole.text, sentence.language)[:1]):
        entities.append(entity(first[0], "subject"))
    elif pronouns and named and not entities:
        entities.append(entity(named[0], "subject"))
    if sentence.speaker and speaks_first(sentence.text, sentence.language):
        entities.append(entity(sentence.speaker, "speaker"))
    slot = signals.slot
    subject = resolved(slot.subject, sentence.language, entities) if slot else None
    begins = signals.effective_from
    return {
        "memory_id": hashlib.sha256(f"{place}-{sentence.clause}-{sentence.said_on}".encode()).hexdigest()[:12],
        "source_id": place.split("-")[0],
        "start": int(place.split("-")[1]) * 100000 + sentence.span[0],
        "clause": sentence.clause,
        "text": sentence.text,
        "speaker": sentence.speaker,
        "entities": entities,
        "anchors": list(dict.fromkeys((*signals.anchors, *context))),
        "values": [{"dimension": value.dimension, "value": value.value} for value in signals.values],
        "said_at": sentence.said_at,
        "received_at": sentence.said_at,
        "effective_from": moment(begins) if begins else sentence.said_at,
        "from_stated": begins is not None,
        "valid_to": moment(signals.valid_to) if signals.valid_to else None,
        "polarity": signals.polarity,
        "modality": signals.modality,
        "cue": signals.cue,
        "slot_subject": subject,
        "slot_attribute": slot.attribute if slot and subject else None,
        "slot_value": slot.value if slot and subject else None,
    }


def resolved(subject, language, entities):
    """Return the subject of a slot, for a pronoun the name that it stands for, None if that is unknown."""
    if not any(has_person(subject, person, language) for person in THIRD):
        return subject
    return next((entity["name"] for entity in entities if entity["role"] == "subject"), None)


def entity(name, role):
    return {"entity_id": None, "name": name, "type": "Concept", "role": role}


def moment(day):
    return datetime.combine(day, time(), UTC)

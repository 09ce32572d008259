"""Who and what takes part in a sentence: the speaker of "I", the listener of "you", its subject, and what it names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import NOUNS, SUBJECTS, MainClause
from brain_pipelines.stages.extraction.memories.rewriting.plain_rewriting import speaks_of
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word
from brain_pipelines.stages.extraction.memories.setting import is_machine
from brain_pipelines.stages.extraction.memories.word_features import is_addressed
from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import ENGLISH

SPEAKER, LISTENER, SUBJECT, NAMED = "speaker", "listener", "subject", "named"


@dataclass(frozen=True)
class Participant:
    """`name` is "user" for the owner, `type` one of ENTITY_TYPES, `role` one of MEMORY_ENTITY."""

    name: str
    type: str
    role: str  # speaker | listener | subject | named


def participants(sentence: Sentence, resolved: Mapping[str, str], *, addressed: bool) -> tuple[Participant, ...]:
    """Return the participants, each once.

    Args:
        sentence: with its names.
        resolved: the relation of the pronoun by the name it stands for.
        addressed: whether "you" in it is the listener.
    """
    found = {(fold(each.name), each.type): each for each in reversed(list(_all(sentence, resolved, addressed)))}
    return tuple(reversed(found.values()))


def _all(sentence: Sentence, resolved: Mapping[str, str], addressed: bool) -> Iterator[Participant]:
    if sentence.speaker and not is_machine(sentence.speaker) and _is_own(sentence):
        yield Participant(sentence.speaker, "Person", SPEAKER)
    if sentence.listener and addressed:
        yield Participant(sentence.listener, "Person", LISTENER)
    for name, relation in resolved.items():
        yield Participant(name, "Person", SUBJECT if relation in SUBJECTS else NAMED)
    subjects = [*MainClause(sentence).subjects, *moved(sentence)] if sentence.words else []
    for name in sentence.names:
        if not is_addressed(sentence, name):
            is_subject = any(name.start <= word.start < name.end for word in subjects)
            yield Participant(name.text, name.type, SUBJECT if is_subject else NAMED)


def _is_own(sentence: Sentence) -> bool:
    """Return whether a sentence says "I", "we" or "my", or has no subject and so means its speaker."""
    if speaks_of(sentence):
        return True
    words = sentence.words
    return bool(words) and not MainClause(sentence).subjects and not _begins_with_noun(words[0])


def _begins_with_noun(word: Word) -> bool:
    """Return whether a sentence begins with what it is about: "Rent 795", "Milo wears 31", unlike "Moved in"."""
    return word.pos in NOUNS or word.dep == "compound"


def moved(sentence: Sentence) -> list[Word]:
    """Return the objects of verbs of moving, which a change concerns like a subject: "we moved Mum into a home"."""
    words, verbs = sentence.words, LEXICONS.read("rewriting", ENGLISH).words("moving")
    places = {word.head for word in words if word.dep == "prep" and words[word.head].lemma in verbs}
    return [word for word in words if word.dep in ("dobj", "obj") and word.head in places]

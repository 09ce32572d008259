"""Words that a sentence leaves to the one before it: what "it" stands for, and what a question has asked for."""

from brain_pipelines.stages.extraction.memories.main_clause import MainClause
from brain_pipelines.stages.extraction.memories.persons import capital_names, has_person
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.content_words import content_words

_MOST = 6  # words taken over
_SHORT = 3  # content words of a sentence that can hardly stand alone


def context_words(sentence: Sentence, before: Sentence | None) -> tuple[str, ...]:
    """Return content words of the sentence before, of the same text, that belong to what `sentence` says.

    An answer is about what the question asked. A sentence with "it" or "they", or with hardly a word of its own, is
    about what the one before named first.
    """
    if before is None:
        return ()
    words = content_words(before.text, before.language)[:_MOST]
    if before.text.rstrip().endswith("?") and before.speaker != sentence.speaker:
        return words
    language = sentence.language
    if named := _named_topic(sentence, before):
        return named
    refers = any(has_person(sentence.text, person, language) for person in ("it", "they"))
    own = content_words(sentence.text, language)
    if refers or len(own) < _SHORT or _says_we(sentence):
        return words[: _MOST // 2] if before.speaker == sentence.speaker or refers else ()
    return ()


def _named_topic(sentence: Sentence, before: Sentence) -> tuple[str, ...]:
    """Return the words of what a note has named just before a sentence that names no subject: "Hosting at Hetzner.".

    In talk, and where it is about the writer or has a name or owner of its own as its subject, it is about that.
    """
    if sentence.listener is not None or not sentence.words or sentence.speaker != before.speaker:
        return ()
    clause = MainClause(sentence)
    subject = clause.subject
    if subject is not None and (subject.pos != "NOUN" or clause.in_name(subject) or clause.owners(subject)):
        return ()
    if subject is None and clause.is_past or capital_names(sentence.text[: sentence.words[0].end], sentence.language):
        return ()
    names = [name for name in before.names if name.type != "Person"]
    if not names:
        return ()
    return tuple(content_words(names[0].text, before.language))[:_MOST]


def _says_we(sentence: Sentence) -> bool:
    """Return whether a sentence is about "us" and names nothing itself: "We were moved to 15 June."."""
    plural = has_person(sentence.text, "first_plural", sentence.language)
    return plural and not capital_names(sentence.text, sentence.language)

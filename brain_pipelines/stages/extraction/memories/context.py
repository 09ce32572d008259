"""Words that a sentence leaves to the one before it: what "it" stands for, and what a question has asked for."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import MainClause
from brain_pipelines.stages.extraction.memories.persons import capital_names, has_person, names_of, refers_back
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word
from brain_pipelines.stages.extraction.memories.stated.asking import asks
from brain_pipelines.stages.extraction.memories.unparsed.plain_verbs import has_no_verb
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.stop_words import function_words

_MOST = 6  # words taken over
_AT_TOP = 4  # characters before the first line of a text, as the mark of a heading
_APART = 2  # characters between two sentences of a paragraph, at most
_NUMBER, _MONEY = re.compile(r"\d"), "€$£¥"
_THINGS, _VERBS = ("NOUN", "PROPN", "PRON"), ("VERB", "AUX")  # parts of speech
_SHORT = 3  # content words of a sentence that can hardly stand alone


def context_words(sentence: Sentence, earlier: Sequence[Sentence]) -> tuple[str, ...]:
    """Return content words of the sentence before, of the same text, that belong to what `sentence` says.

    An answer is about what the question asked; "And when then?" asks about what was said before it. A sentence with
    "it" or "they", or with hardly a word of its own, is about what the one before named first; "he" is who was named
    there, and what that was said to be.
    """
    if not earlier:
        return ()
    before = earlier[-1]
    words = content_words(before.text, before.language)[:_MOST]
    if _answers(sentence, earlier):
        question = question_before(sentence, earlier)
        order = [*reversed(earlier)] if question is None else [question, *reversed(earlier)]
        asked = (content_words(one.text, one.language)[:_MOST] for one in order)
        return next((found for found in asked if _tells(found)), ())
    language = sentence.language
    own = content_words(sentence.text, language)
    if named := _named_topic(sentence, before):
        return tuple(dict.fromkeys((*words[: _MOST // 2], *named))) if len(own) < _SHORT else named
    refers = refers_back(sentence.text, language)
    if _speaks_of_person(sentence):
        called = (word for name in names_of(before) for word in content_words(name, language))
        known = tuple(dict.fromkeys((*called, *words[: _MOST // 2])))[:_MOST]
        return known if before.speaker == sentence.speaker else ()
    if not refers and _is_item(sentence, before):
        heading = _heading(earlier)
        words = content_words(heading.text, language)[: _MOST // 2] if heading else ()
        return words if len(own) < _SHORT or _says_we(sentence) else ()
    alone = len(own) < _SHORT and not _names_a_thing(sentence)
    if refers or alone or _says_we(sentence) or _only_adds(sentence):
        return words[: _MOST // 2] if before.speaker == sentence.speaker or refers else ()
    return ()


def question_before(sentence: Sentence, earlier: Sequence[Sentence]) -> Sentence | None:
    """Return what someone else has asked in the turn right before, the last question of it, None if nothing."""
    turn = takewhile(lambda one: one.speaker != sentence.speaker, reversed(earlier))
    return next((one for one in turn if one.text.rstrip().endswith("?") or asks(one)), None)


def _answers(sentence: Sentence, earlier: Sequence[Sentence]) -> bool:
    """Return whether a sentence answers what someone else has asked or said just before: "Yep, 8pm at the Fox"."""
    if earlier[-1].speaker == sentence.speaker:
        return False
    return replies(sentence) or question_before(sentence, earlier) is not None


def replies(sentence: Sentence) -> bool:
    """Return whether a sentence begins with a word of assent or denial: "Yep"."""
    language = sentence.language if LEXICONS.has("rewriting", sentence.language) else ENGLISH
    first = lowered(sentence.text.split()[0]).strip(",.!")
    return first in LEXICONS.read("rewriting", language).words("replies")


def _speaks_of_person(sentence: Sentence) -> bool:
    """Return whether a sentence says "he" or "she" and no name, or begins so: in German "Sie" may be the rent."""
    language, first = sentence.language, sentence.text.partition(" ")[0]
    says, begins = (any(has_person(text, who, language) for who in ("he", "she")) for text in (sentence.text, first))
    return says and (begins or not names_of(sentence))


def _only_adds(sentence: Sentence) -> bool:
    """Return whether a line of a note has a number, no verb, and no thing to begin with: "£2,300 to a lad, cash."."""
    if sentence.listener is not None or _NUMBER.search(sentence.text) is None:
        return False
    words, language = sentence.words, sentence.language
    first = sentence.text.split()[0]
    if words and (words[0].pos in _THINGS or any(word.pos in _VERBS for word in words)):
        return False
    if not words and not (first[0] in _MONEY or first[0].isdigit() or lowered(first) in function_words(language)):
        return False
    return bool(words) or has_no_verb(sentence.text, language)


def _named_topic(sentence: Sentence, before: Sentence) -> tuple[str, ...]:
    """Return the words of what a note has named just before a sentence that names no subject: "Hosting at Hetzner.".

    In talk, and where it is about the writer or has a name or owner of its own as its subject, it is about that.
    """
    if sentence.listener is not None or not sentence.words or sentence.speaker != before.speaker:
        return ()
    clause, language = MainClause(sentence), sentence.language
    subject = clause.subject
    if subject is not None and (clause.in_name(subject) or clause.owners(subject)):
        return ()
    if subject is not None and not _is_noun(subject, language):
        return ()
    if subject is None and clause.is_past or _begins_with_name(sentence, clause):
        return ()
    names = [name for name in before.names if name.type != "Person"]
    if not names:
        return ()
    return tuple(content_words(names[0].text, before.language))[:_MOST]


def _begins_with_name(sentence: Sentence, clause: MainClause) -> bool:
    """Return whether what stands before the verb names something: "Vela raises …", "The hut in Gull Bay costs …".

    A first word is a name by its part of speech, since every sentence begins with a capital letter: "Rent is 840".
    """
    first, verb = sentence.words[0], min((word.start for word in clause.verbs), default=0)
    if clause.in_name(first) or (first.pos == "PROPN" and not _is_noun(first, sentence.language)):
        return True
    return bool(capital_names(sentence.text[first.end : verb], sentence.language))


def _tells(words: Sequence[str]) -> bool:
    """Return whether content words name a matter: not those of "And when then?"."""
    return any(word not in light_words() for word in words)


def _is_noun(word: Word, language: str | None) -> bool:
    """Return whether a word is a common noun; the parser takes some for names where they begin a sentence: "Rent"."""
    return word.pos == "NOUN" or (word.pos == "PROPN" and bool(concepts_of(word.text, language)))


def _is_item(sentence: Sentence, before: Sentence) -> bool:
    """Return whether a mark of a list stands between two sentences, which then are about two things."""
    return sentence.speaker == before.speaker and sentence.offsets[0] - before.offsets[-1] - 1 > _APART


def _names_a_thing(sentence: Sentence) -> bool:
    """Return whether a line of a note without a subject names what it is about: "Cancelled Netflix."."""
    if not sentence.words or MainClause(sentence).subject is not None or sentence.listener is not None:
        return False
    return any(name.type not in ("Person", "Location") for name in sentence.names)


def _heading(earlier: Sequence[Sentence]) -> Sentence | None:
    """Return the line above a list, of the sentences before one of its items: the first, if all after it are items."""
    first, *others = earlier
    items = all(_is_item(one, before) for before, one in pairwise((first, *others)))
    return first if items and first.offsets[0] <= _AT_TOP else None


def _says_we(sentence: Sentence) -> bool:
    """Return whether a sentence is about "us" and names nothing itself: "We were moved to 15 June."."""
    plural = has_person(sentence.text, "first_plural", sentence.language)
    return plural and not capital_names(sentence.text, sentence.language)

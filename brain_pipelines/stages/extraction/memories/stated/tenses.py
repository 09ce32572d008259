"""Whether what is said about a date has happened, is still to come, or holds: by its verb, else by the words around.

In a parsed language the verb that governs the date decides: in "I'm training for a race on 24 June and have run 5 km"
the race is to come. Without such a verb, and in the other languages, the forms of the words of its part do.
"""

import re

from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.tense_words import (
    agreed,
    by_now,
    hoped,
    intending,
    joining,
    lasting,
    leading,
    listed,
    planned,
    present,
    reported,
    reported_plan,
    settled,
    settling,
    tenses,
)
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered

PAST, PRESENT, FUTURE, UNKNOWN = "past", "present", "future", ""
DUE = "due"  # to come, or over when it should have been: "the expected arrival on 11 February"

_SUPPOSED = frozenset({"could", "would", "might"})  # beside a verb of the past: "he left in May and could have flown"
_VERBS = ("VB", "MD")  # tags
_PRESENT, _HELPERS = frozenset({"VBZ", "VBP"}), frozenset({"aux", "auxpass"})
_BARE = frozenset({"VB", "VBG"})  # without a helping verb: "start 1 Sept", "starting Monday"
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_TELLING = frozenset({"ROOT", "acl", "relcl", "conj", "ccomp"})  # a participle that tells what has happened
_NAMING = frozenset({"compound", "nmod", "amod", "nummod"})
_LEAST_NAMED = 3  # letters of a word that may name what a date is of
_LED = 4  # words of a part of a sentence that may only name a day
_MARKS = re.compile(r"[,;:!?()]\s")
_ON = re.compile(r"(?:on|in|at|by)\s")  # English, as the rule that reads it
_HIGHEST = 12  # heads above a date that are looked at


def tense_of(sentence: Sentence, phrase: Phrase) -> str:
    """Return the tense of what is said about a date: "past", "present", "future", "due", or "" if no word tells it."""
    tense = _tense_of(sentence, phrase)
    return UNKNOWN if tense == PAST and _is_reported_plan(sentence, phrase) else tense


def _is_reported_plan(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date is of a plan that is reported, which may be to come."""
    found = reported_plan(sentence.language or ENGLISH).search(lowered(sentence.text), 0, phrase.start)
    return found is not None and phrase.marker in ("", "at", "for")


def _tense_of(sentence: Sentence, phrase: Phrase) -> str:
    start, end = _part_with_verb(sentence, phrase)
    if _is_intended(sentence, start, phrase.start) or _is_chosen(sentence, phrase):
        return FUTURE
    if led := _led(sentence, phrase):
        return led
    governed = _governed(sentence, phrase)
    if governed == FUTURE and names_thing(sentence, phrase):
        return PRESENT  # "they will extend the April 26 order"
    if governed not in (UNKNOWN, PRESENT):
        return governed
    formed = _by_forms(sentence, start, end)
    if formed == PAST and not sentence.words:  # "hat gekündigt und fängt am 1.9. an"
        joined = [*joining(sentence.language or ENGLISH).finditer(lowered(sentence.text), start, phrase.start)][-1:]
        formed = next((own for one in joined if (own := _by_forms(sentence, one.end(), end)) != UNKNOWN), PAST)
        formed = _of_what_is_reported(sentence, phrase, start, end) if formed == PAST else formed
    # "She disagrees after Wednesday's testimony": what follows a date is so now, the date is past.
    if formed != PAST and _is_hoped(sentence, phrase):
        return FUTURE
    return formed if governed == UNKNOWN or formed == PAST and phrase.marker == "after" else PRESENT


def _of_what_is_reported(sentence: Sentence, phrase: Phrase, start: int, end: int) -> str:
    """Return the tense of what people said or agreed, which may be to come: "disseram que respondem em setembro"."""
    language, text = sentence.language or ENGLISH, lowered(sentence.text)
    if agreed(language).search(text, start, phrase.start):
        return FUTURE
    begins = reported(language).search(text, start, phrase.start)
    return _by_forms(sentence, begins.end(), end) if begins else PAST


def lasted(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date ends what has been so: "we stayed through Monday", not "we moved it to Monday"."""
    start, end = part_of(sentence.text, phrase)
    return lasting(sentence.language or ENGLISH).search(lowered(sentence.text), start, end) is not None


def stands_apart(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date ends a part without a verb, behind what it is of: "I got the job, start 1 Sept".

    The verb of another part says nothing about it.
    """
    start, end = part_of(sentence.text, phrase)
    before = sentence.text[start : phrase.start].split()
    if phrase.marker or end - start == len(sentence.text) or not any(len(word) >= _LEAST_NAMED for word in before):
        return False
    return not _has_verb(sentence, start, end)


def _is_hoped(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a part without a verb says that what it names may come: "March probably"."""
    start, end = part_of(sentence.text, phrase)
    found = hoped(sentence.language or ENGLISH).search(lowered(sentence.text), start, end)
    return found is not None and not _has_verb(sentence, start, end)


def _has_verb(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether a part of a sentence has a verb with a tense, as far as one is known."""
    if sentence.words:
        inside = (word for word in sentence.words if start <= word.start < end)
        return any(word.tag.startswith(_VERBS) and word.tag not in _BARE for word in inside)
    language, part = sentence.language or ENGLISH, lowered(sentence.text)[start:end]
    return any(known.search(part) for known in (*tenses(language), present(language)))


def tells_when(text: str, language: str | None) -> bool:
    """Return whether a text has a verb of the present that tells when something is: "is", "begins"."""
    return present(language or ENGLISH).search(lowered(text)) is not None


def _is_chosen(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether an English date is what has been settled itself, without "on": "approved 10 to 14 September"."""
    if (sentence.language or ENGLISH) != ENGLISH or phrase.marker not in ("", "from"):
        return False
    text = lowered(sentence.text)
    if _ON.match(text, phrase.start):
        return False
    before = text[: phrase.start].rstrip().removesuffix(" the")
    return any(found.end() == len(before) for found in settling(ENGLISH).finditer(before))


def names_thing(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date says which thing is meant, not when something happens: "extend the April 26 order"."""
    inside = [place for place, word in enumerate(sentence.words) if phrase.start <= word.start < phrase.end]
    outer = (sentence.words[place] for place in inside if sentence.words[place].head not in inside)
    return any(word.dep in _NAMING and word.tag in ("NNP", "CD") for word in outer)


def _led(sentence: Sentence, phrase: Phrase) -> str:
    """Return the tense that a noun before a date has of its own: "next meeting: 3 May", "our conversation Friday"."""
    coming, gone = leading(sentence.language or ENGLISH)  # "lower than expected revenues in March" are none
    before = lowered(sentence.text)[part_of(sentence.text, phrase)[0] : phrase.start]
    if by_now(sentence.language or ENGLISH).search(before):
        return FUTURE
    leads = coming.search(before)
    if leads and not tenses(sentence.language or ENGLISH)[0].search(before, leads.end()):  # "last day was Friday"
        return DUE
    return PAST if gone.search(before) else UNKNOWN


def _governed(sentence: Sentence, phrase: Phrase) -> str:
    """Return the tense of the verb above a date in the parse, "" if there is none or it has none."""
    inside = [place for place, word in enumerate(sentence.words) if phrase.start <= word.start < phrase.end]
    place = next((n for n in inside if sentence.words[n].head not in inside), None)
    in_subject = False
    for _ in range(_HIGHEST):
        if place is None:
            return UNKNOWN
        word = sentence.words[place]
        if word.tag.startswith(_VERBS) and place not in inside and (tense := _tense_of_verb(sentence, place)):
            return PRESENT if in_subject and _is_supposed(sentence, place) else tense
        in_subject |= word.dep in _SUBJECTS  # "the revenues of March could be low"
        place = word.head if word.head != place else None
    return UNKNOWN


def _tense_of_verb(sentence: Sentence, place: int) -> str:
    """Return the tense of one verb with its helping verbs, "" of a participle or infinitive without them."""
    verb = sentence.words[place]
    below = [word for word in sentence.words if word.head == place and word is not verb]
    helping = [word for word in below if word.dep in _HELPERS]
    tags = {word.tag for word in helping}
    if verb.tag == "MD":
        return FUTURE
    if "MD" in tags:
        had = any(word.lemma == "have" for word in helping)
        modals = {word.text.casefold() for word in helping if word.tag == "MD"}
        return PAST if had and modals <= _SUPPOSED else FUTURE
    if verb.tag == "VBD":
        return UNKNOWN if _is_asked(sentence, verb) else PAST
    if "VBD" in tags or any(word.lemma == "have" for word in helping):
        return PAST
    if verb.tag == "VBN":
        if verb.lemma in planned():
            compared = place and sentence.words[place - 1].text.casefold() in listed("compared", ENGLISH)
            return UNKNOWN if compared else DUE
        if any(word.tag == "VB" for word in helping):
            return UNKNOWN  # "it can be done", without the modal
        return PRESENT if tags & _PRESENT else PAST if verb.dep in _TELLING else UNKNOWN
    if verb.tag == "VBG":
        return FUTURE if tags & _PRESENT else UNKNOWN
    if verb.tag == "VB" and any(word.tag == "TO" for word in helping):
        above = sentence.words[verb.head]
        return UNKNOWN if above.tag.startswith("VB") and above.lemma not in intending() else FUTURE
    # "I printed the labels": what has no subject may be a noun.
    is_verb = verb.lemma == "be" or any(word.dep in _SUBJECTS for word in below)
    return PRESENT if verb.tag in _PRESENT and is_verb else UNKNOWN


def _is_supposed(sentence: Sentence, place: int) -> bool:
    """Return whether a verb has a modal that says nothing about the time of its subject."""
    modals = (word for word in sentence.words if word.head == place and word.tag == "MD")
    return any(word.text.casefold() in _SUPPOSED for word in modals)


def _is_asked(sentence: Sentence, verb: Word) -> bool:
    """Return whether what looks like the past of a verb asks for it: "set up a meeting", without a subject."""
    if verb.text.casefold() != verb.lemma:
        return False
    return not any(word.dep in _SUBJECTS and sentence.words[word.head] is verb for word in sentence.words)


def _by_forms(sentence: Sentence, start: int, end: int) -> str:
    """Return the tense of a part of a sentence by its tags, without a parse by the forms of its words."""
    tags = {word.tag for word in sentence.words if start <= word.start < end}
    language = sentence.language or ENGLISH
    past, future = tenses(language)
    text = lowered(sentence.text)[start:end]
    if not tags and settled(language).search(text):
        return DUE
    has_verb = past.search(text) or future.search(text) or present(language).search(text)
    if not sentence.words and len(text.split()) <= _LED and not has_verb:
        start, text = 0, lowered(sentence.text)  # "Lundi 9, j'ai rencontré Claire": the verb is behind the comma
    supposed = all(w.text.casefold() in _SUPPOSED for w in sentence.words if w.tag == "MD" and start <= w.start < end)
    if "MD" in tags and not ("VBD" in tags and supposed) or future.search(text):
        return FUTURE
    # A large word inside a sentence is no verb ("Liste"), nor one at its beginning where nouns are large: "Gutachten".
    first = -1 if writes_nouns_large(language) else 0
    places = ((start + match.start()) for match in past.finditer(text))
    verbs = (place == first or not sentence.text[place].isupper() for place in places)
    if _has_past(sentence, start, end) if tags else any(verbs):
        return PAST
    return PRESENT if tags & _PRESENT or not sentence.words and present(language).search(text) else UNKNOWN


def part_of(text: str, phrase: Phrase) -> tuple[int, int]:
    """Return the part of a sentence between the marks around a date expression."""
    before = [mark.end() for mark in _MARKS.finditer(text, 0, phrase.start)]
    after = _MARKS.search(text, phrase.end)
    return before[-1] if before else 0, after.start() if after else len(text)


def _part_with_verb(sentence: Sentence, phrase: Phrase) -> tuple[int, int]:
    """Return the part around a date, to the next verb where it has none: "On Thursday, Ann and Bo have met Cleo"."""
    start, end = part_of(sentence.text, phrase)
    verbs = [place for place, word in enumerate(sentence.words) if word.tag.startswith(_VERBS)]
    if not verbs or any(start <= sentence.words[place].start < end for place in verbs):
        return start, end
    after = next((place for place in verbs if sentence.words[place].start >= end), None)
    if after is None:
        return sentence.words[verbs[-1]].start, end
    while after + 1 < len(sentence.words) and sentence.words[after + 1].tag.startswith((*_VERBS, "RB")):
        after += 1
    return start, sentence.words[after].end


def _has_past(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether a verb between two characters is of the past: "met", "was moved", "has left", "Left in March".

    A participle beside a verb of the present is not: "is scheduled for May", "the date based on it is 1 May".
    """
    inside = [place for place, word in enumerate(sentence.words) if start <= word.start < end]
    holds = any(sentence.words[place].tag in _PRESENT for place in inside)
    return any(_is_past(sentence, sentence.words[place], present=holds) for place in inside)


def _is_past(sentence: Sentence, word: Word, *, present: bool) -> bool:
    helpers = [each for each in sentence.words if each.dep in _HELPERS and sentence.words[each.head] is word]
    if word.tag == "VBD":
        return not _is_asked(sentence, word)
    if word.tag == "VBN" and any(each.tag == "VBD" or each.lemma == "have" for each in helpers):
        return True
    return word.tag == "VBN" and not helpers and not present


def _is_intended(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether a date belongs to what was agreed or planned: "we agreed to rent the hall on 3 May"."""
    before = [word for word in sentence.words if start <= word.start < end]
    to = next((n for n in range(len(before) - 1, 0, -1) if before[n].tag == "TO"), 0)
    if not to or before[to - 1].text.casefold() not in intending():
        return False
    verbs = [word for word in before[to + 1 :] if word.tag.startswith(_VERBS)]
    return bool(verbs) and all(word.tag == "VB" for word in verbs)

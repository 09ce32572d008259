"""Whether "you" is the listener: in explanations, advice and idioms it is anybody ("your typical rock song").

| "you" is the listener | because |
|---|---|
| I owe you 60 euros. | the speaker says "I" beside it |
| You met Ida. You're moving. You live in Jena. | what the listener did, does now, or is |
| Your sister has left. | it owns the subject |
| You get used to it. Bring your own cup. | not sure: it stays as it is |
"""

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.rewriting.pronouns import POSSESSIVE, REFLEXIVE, SUBJECT
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word

_WORDS = LEXICONS.read("rewriting")
_STATES, _ADVISING, _ANY = (_WORDS.words(key) for key in ("own_states", "advising", "of_anybody"))
_TALK = frozenset({"conversation", "message"})  # elsewhere a thread has readers besides the two
_MAIL = "email"  # "you will report to Ann" tells what is to come, elsewhere how something is done
_SUBJECTS = ("nsubj", "nsubjpass")
_HELPERS = ("aux", "auxpass")
_VERBS = ("VERB", "AUX")
_FREE = ("relcl", "advcl", "acl", "pcomp")  # clauses in which "you have to" is anybody
_DONE = ("VBD", "VBN")


def means_listener(sentence: Sentence, second: dict[int, int], *, says_i: bool) -> bool:
    """Return whether all of the pronouns `second` (case by word) are surely the listener.

    Args:
        sentence: parsed.
        second: the words "you", "your" and "yourself".
        says_i: whether the speaker says "I" in the sentence.
    """
    others = [place for place, case in second.items() if case != REFLEXIVE]
    sure = {place for place in others if _is_sure(sentence, place, second[place], says_i=says_i)}
    subjects = {sentence.words[place].head for place in sure if second[place] == SUBJECT}
    return bool(others) and all(place in sure or _is_below(sentence.words, place, subjects) for place in others)


def _is_below(words: tuple[Word, ...], place: int, verbs: set[int]) -> bool:
    """Return whether a word belongs to what one of the verbs says: "you lost your keys when you moved"."""
    for _ in words:
        if place in verbs:
            return True
        if words[place].head == place:
            return False
        place = words[place].head
    return False


def _is_sure(sentence: Sentence, place: int, case: int, *, says_i: bool) -> bool:
    words = sentence.words
    if case == POSSESSIVE and _is_of_anybody(words, place):
        return False
    verb = _verb_above(words, place)
    if verb is None:
        return says_i
    helpers = [word for word in words if word.dep in _HELPERS and words[word.head] is words[verb]]
    if case == SUBJECT and words[place].dep in _SUBJECTS:
        return _is_of_listener(sentence, verb, helpers, says_i=says_i)
    if says_i or _is_asked(sentence, words[verb]):
        return True
    if _is_command(words, verb, helpers):
        return False
    if _is_done(words[verb], helpers):
        return True
    owner = words[words[place].head]
    finite = (words[verb].tag in ("VBZ", "VBP") or bool(helpers)) and words[verb].dep not in (*_FREE, "ccomp", "xcomp")
    return case == POSSESSIVE and finite and owner.dep in _SUBJECTS and words[owner.head] is words[verb]


def _is_of_listener(sentence: Sentence, verb: int, helpers: list[Word], *, says_i: bool) -> bool:
    """Return whether a verb says what the one who is spoken to did, does now, or is."""
    words = sentence.words
    main = words[verb]
    free = main.dep in _FREE
    helping = {helper.lemma.lower() for helper in helpers}
    if main.lemma in ("have", "need") and any(w.dep == "xcomp" and words[w.head] is main for w in words):
        return says_i and not free  # "you have to"
    if helping & _ADVISING:
        announced = sentence.source == _MAIL and "will" in helping and bool(sentence.names)
        return says_i or not free and (announced or sentence.source in _TALK)
    if any(helper.tag == "MD" for helper in helpers):
        return says_i and not free
    if _is_done(main, helpers) or main.tag == "VBG" and helpers:
        return says_i or main.dep != "advcl"
    return says_i or not free and main.lemma in _STATES or _is_asked(sentence, main)


def _is_asked(sentence: Sentence, main: Word) -> bool:
    """Return whether a clause belongs to a question in talk."""
    return sentence.source in _TALK and main.dep not in _FREE and sentence.text.rstrip().endswith("?")


def _is_done(main: Word, helpers: list[Word]) -> bool:
    if any(helper.tag == "MD" or helper.lemma == "get" for helper in helpers):
        return False  # "you get used to it"
    return main.tag in _DONE or any(helper.tag == "VBD" for helper in helpers)


def _is_command(words: tuple[Word, ...], verb: int, helpers: list[Word]) -> bool:
    if words[verb].tag != "VB" or helpers:
        return False
    return not any(word.dep in _SUBJECTS and words[word.head] is words[verb] for word in words)


def _verb_above(words: tuple[Word, ...], place: int) -> int | None:
    """Return the verb of the clause of a word, by the heads above it."""
    for _ in words:
        above = words[place].head
        if above == place:
            return place if words[place].pos in _VERBS else None
        place = above
        if words[place].pos in _VERBS and words[place].dep not in _HELPERS:
            return place
    return None


def _is_of_anybody(words: tuple[Word, ...], place: int) -> bool:
    """Return whether "your" is part of a phrase: "your typical song", "your own calendar"."""
    return place + 1 < len(words) and words[place + 1].text.lower() in _ANY

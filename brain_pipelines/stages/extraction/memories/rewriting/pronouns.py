"""First and second person: who "I", "my" and "you" are, as edits of a parsed English sentence."""

from collections.abc import Iterable, Iterator

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import gender_of
from brain_pipelines.stages.extraction.memories.rewriting.agreement import agreed, third_person
from brain_pipelines.stages.extraction.memories.rewriting.edits import Edit
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word

_WORDS = LEXICONS.read("rewriting")
_GENDERS = {gender: words.split() for gender, words in _WORDS.table("genders").items()}
_UNKNOWN = _WORDS.listed("unknown")
SUBJECT, OBJECT, POSSESSIVE, ALONE, REFLEXIVE = range(5)
FIRST: dict[str, int] = dict(zip(("i", "me", "my", "mine", "myself"), range(5), strict=True))
_YOU, _YOUR, _YOURSELF = (_WORDS.words(key) for key in ("you", "your", "yourself"))
_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj")
_PLACES = _WORDS.words("places")
WE = _WORDS.words("we")


def first_person(sentence: Sentence, place: int) -> int | None:
    """Return the case of "I", "me", "my", "mine" or "myself"; the "i" of "an id" is none."""
    word = sentence.words[place]
    if word.pos not in ("PRON", "DET", "NOUN", "PROPN", "X"):
        return None
    case = FIRST.get(word.text.lower())
    if case == SUBJECT and word.pos != "PRON" and _is_written_in_one(sentence.words, place):
        return None
    return case


def _is_written_in_one(words: tuple[Word, ...], place: int) -> bool:
    """Return whether the next word follows without a blank or an apostrophe."""
    after = words[place + 1] if place + 1 < len(words) else None
    return after is not None and after.start == words[place].end and after.text[:1].isalpha()


def second_person(word: Word) -> int | None:
    """Return the case of "you", "your" or "yourself"."""
    low = word.text.lower()
    if low in _YOU:
        return SUBJECT
    if low in _YOUR:
        return ALONE if low == "yours" else POSSESSIVE
    return REFLEXIVE if low in _YOURSELF else None


def is_filler(sentence: Sentence, place: int) -> bool:
    """Return whether "you" is that of a phrase between commas or at the end: ", you know"."""
    words = sentence.words
    after = words[place + 2] if place + 2 < len(words) else None
    return place > 0 and words[place - 1].pos == "PUNCT" and (after is None or after.pos == "PUNCT")


def speaks_of_we(words: Iterable[Word]) -> bool:
    """Return whether "we" or "our" is among the words: who they are is not known."""
    return any(word.text.lower() in WE for word in words)


def named(sentence: Sentence, name: str, case_of: dict[int, int], *, again: bool = False) -> Iterator[Edit]:
    """Yield the edits that put a name for the pronouns at the words `case_of`, and the verbs in agreement.

    After the first, or if `again`, the name is "he" or "she" where its gender is known and no other person of that
    gender is named in the sentence; otherwise it is repeated.

    Raises:
        NoVerbError: if a pronoun is a subject without a finite verb.
    """
    gender = gender_of(name)
    others = {gender_of(n.text) for n in sentence.names if n.type == "Person" and not _same(n.text, name)}
    forms = _GENDERS.get(gender) if gender not in others else None
    for number, (place, case) in enumerate(sorted(case_of.items())):
        word = sentence.words[place]
        if case == REFLEXIVE:
            text = _GENDERS.get(gender, _UNKNOWN)[REFLEXIVE]
        elif (number or again) and forms:
            text = forms[case]
        elif (number or again) and case == POSSESSIVE and gender == "-":
            text = _UNKNOWN[POSSESSIVE]
        else:
            text = possessive(name) if case in (POSSESSIVE, ALONE) else name
        yield Edit(word.start, word.end, text)
        if case == SUBJECT:
            yield from agreed(sentence, place)


def _same(one: str, other: str) -> bool:
    return one.casefold().split(" ")[0] == other.casefold().split(" ")[0]


def possessive(name: str) -> str:
    """Return the form before a noun: "Ann's", "Jonas's"."""
    return f"{name}'s"


def implied(sentence: Sentence) -> Word | None:
    """Return the first word of a sentence whose left-out subject is its speaker: "Haven't seen it", "Got a dog"."""
    verbs = [word for place, word in enumerate(sentence.words) if word.head == place and word.tag in ("VBD", "VBN")]
    if not verbs:
        return None
    root = sentence.words.index(verbs[0])
    own = [word for word in sentence.words if word.head == root]
    if any(word.dep in _SUBJECTS for word in own):
        return None
    helpers = [word for word in own if word.dep in ("aux", "auxpass")]
    first = helpers[0] if helpers else verbs[0]
    # The parser takes "Paid Dad back" for a participle.
    finite = first.tag in ("VBD", "VBP") or first is verbs[0] and any(word.dep in ("dobj", "dative") for word in own)
    in_front = [w for w in sentence.words if w.start < first.start and w.pos not in ("PUNCT", "INTJ", "ADV", "CCONJ")]
    return first if finite and not in_front else None


def with_subject(sentence: Sentence, verb: Word, name: str) -> Iterator[Edit]:
    """Yield the edits that put a name before a verb and its adverbs: "Just bought a jeep", lower case, agreement."""
    words = sentence.words
    place = first = words.index(verb)
    while first and words[first - 1].pos == "ADV" and words[first - 1].text.lower() not in _PLACES:
        first -= 1
    start = words[first].start
    text = third_person(verb.text) if verb.tag == "VBP" else verb.text
    yield Edit(start, start, f"{name} ")
    if first < place:
        yield Edit(start, start + 1, sentence.text[start].lower())
    yield Edit(verb.start, verb.end, text[:1].lower() + text[1:])

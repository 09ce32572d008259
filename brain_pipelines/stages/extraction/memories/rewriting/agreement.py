"""Verb agreement: the verb of "I" or "you" in the form that goes with a name."""

from collections.abc import Iterator, Sequence

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.rewriting.edits import Edit
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word

_THIRD = LEXICONS.read("rewriting").table("third")
_CONTRACTED = LEXICONS.read("rewriting").table("contracted")  # by what stands behind the apostrophe
_INVARIANT = LEXICONS.read("rewriting").words("invariant")
_HELPERS = ("aux", "auxpass")
_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj")
_FINITE = ("VBP", "VB", "VBD", "VBZ", "MD")
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = "aeiou"


class NoVerbError(Exception):
    """The verb of a pronoun was not found."""


def third_person(verb: str) -> str:
    """Return the present of a verb after he or she: "runs", "tries", "is"."""
    low = verb.lower().replace("’", "'")
    if low in _THIRD:
        return _THIRD[low]
    if low.endswith("y") and low[-2:-1] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + ("es" if low.endswith(_SIBILANT) else "s")


def agreed(sentence: Sentence, place: int) -> Iterator[Edit]:
    """Yield the edits of the verbs of the pronoun at word `place`, which becomes a name.

    Raises:
        NoVerbError: if the pronoun is a subject without a finite verb.
    """
    words = sentence.words
    pronoun = words[place]
    if pronoun.dep not in _SUBJECTS or _of_two(words, place):
        if (edit := contracted(words, place)) is not None:  # the parser takes "im well" for a name
            yield edit
        return
    main = words[pronoun.head]
    if main.tag == "VB" and main.dep in ("ccomp", "xcomp") and not _helpers(words, pronoun.head):
        return  # "let you know"
    verb = _finite(words, pronoun.head)
    if verb is None or not verb.text.strip("'’").isalpha():  # "I do-", a slip
        raise NoVerbError(pronoun.text)
    yield from _third(words, verb)
    for joined in _joined(words, pronoun.head):
        yield from _third(words, joined)


def contracted(words: Sequence[Word], place: int) -> Edit | None:
    """Return the edit of a verb written in one with the pronoun at word `place`: "im", "ive", "I'm"."""
    if place + 1 >= len(words) or words[place + 1].start != words[place].end:
        return None
    verb = words[place + 1]
    written = _CONTRACTED.get(verb.text.lower().lstrip("'’"))
    if written is None:
        return None
    if written == "would" and _is_had(words, place + 1):
        written = "had"
    return Edit(verb.start, verb.end, f" {written}")


def _is_had(words: Sequence[Word], place: int) -> bool:
    """Return whether "'d" stands for "had": "I'd been there", "I'd better go"."""
    following = (word for word in words[place + 1 :] if word.tag not in ("RB", "RP") or word.text.lower() == "better")
    after = next(following, None)
    return after is not None and (after.tag in ("VBN", "VBD") or after.text.lower() in ("been", "better"))


def _of_two(words: tuple[Word, ...], place: int) -> bool:
    """Return whether a pronoun is one of two subjects: "Ann and I share it", not "I know Ann and I like her"."""
    if any(w.dep == "conj" and w.head == place for w in words):
        return True
    if place < 2 or words[place - 1].dep != "cc" or words[place - 2].pos != "PROPN":
        return False
    return place == 2 or words[place - 3].pos in ("PUNCT", "SCONJ")


def _finite(words: tuple[Word, ...], head: int) -> Word | None:
    """Return the finite verb of a clause: its first helper, else its main verb."""
    if helpers := _helpers(words, head):
        return helpers[0] if helpers[0].tag in _FINITE else None
    verb = words[head]
    contracted = head + 1 < len(words) and words[head + 1].text == "na"  # "wanna"
    if contracted or verb.tag not in _FINITE:
        return None
    return verb


def _helpers(words: tuple[Word, ...], head: int) -> list[Word]:
    return [word for word in words if word.dep in _HELPERS and word.head == head]


def _joined(words: tuple[Word, ...], head: int) -> Iterator[Word]:
    """Yield the finite verbs joined by "and" that share the subject."""
    for place, word in enumerate(words):
        if word.dep != "conj" or word.head != head or word.tag not in ("VBP", "VB") or place < head:
            continue
        if any(w.dep in _SUBJECTS and w.head == place for w in words):
            continue
        above = _helpers(words, head)
        in_present = words[head].tag == "VBP" and not above
        if helpers := _helpers(words, place):
            yield helpers[0]
        elif in_present or word.tag == "VBP" and _finite_only(above):
            yield word
        yield from _joined(words, place)


def _finite_only(helpers: Sequence[Word]) -> bool:
    return all(helper.tag in ("VBP", "VBZ", "VBD") and helper.lemma != "do" for helper in helpers)


def _third(words: Sequence[Word], verb: Word) -> Iterator[Edit]:
    place = words.index(verb)
    if place and (edit := contracted(words, place - 1)) and words[place - 1].pos == "PRON":
        yield edit
        return
    low = verb.text.lower().replace("’", "'")
    if low.startswith("'"):
        written = _CONTRACTED.get(low.lstrip("'"), low)
        yield Edit(verb.start, verb.end, " had" if written == "would" and _is_had(words, place) else f" {written}")
    elif low not in _INVARIANT and (verb.tag in ("VBP", "VB") or low == "were"):
        yield Edit(verb.start, verb.end, third_person(verb.text))

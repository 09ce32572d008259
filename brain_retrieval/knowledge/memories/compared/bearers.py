"""What a code, a fee or an appointment is of: the code of a door is not that of an alarm.

Such words say nothing about a common matter where each of two memories says that it is of something else:

    garage door code 7715        ─► code of {garage, door}
    Mum changed the alarm code   ─► code of {alarm}
    the fee per stall            ─► fee of {stall}
    council tax, council letter  ─► one council, and two things of it

Of any other word only "of" says so: the head of the library is not the head of the canteen.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from brain_retrieval.knowledge.memories.amounts import quantities
from brain_retrieval.knowledge.memories.compared.compounds import in_other_compounds
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import function_words

_REACH = 3  # words before it, or behind "of", that it is of
_LEAST = 4  # letters of words that are alike if one begins with the other
_LARGE_NOUNS = "de"  # where what it is of may stand behind it: "Termin Elternabend"
_SELF = frozenset({"user"})  # who speaks, unless the speaker is known
_JOINED = " -'’"


class _Word(NamedTuple):
    form: str
    low: str
    large: bool
    joined: bool  # only a blank, a hyphen or an apostrophe is between it and the word before


Bearers = Mapping[str, frozenset[str]]


def of_other_bearers(a: Facet, b: Facet, common: frozenset[str]) -> frozenset[str]:
    """Return those of some common words that are of one thing in one memory, and of another thing in the other one.

    So are those of what the later one, `b`, speaks of for the first time.
    """
    if not common:
        return common
    own, other, fresh = _read(a), _read(b), introduced(a, b)
    return in_other_compounds(a, b, common) | frozenset(
        word
        for word in common
        if word in fresh
        or _are_apart(own[0].get(word), other[0].get(word))
        or _are_apart(own[1].get(word), other[1].get(word))
    )


def introduced(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of what `b` speaks of for the first time: "a studio" for rent; "Ann has a bike now", hers.

    What tells a change of the same subject may speak so of what has come in place of something: "I have a car now".
    """
    changed = b.cue == "strong" or b.new or (b.cue == "weak" and not b.subjects - _SELF - a.words)
    return frozenset() if changed else _introduced(b.row["text"])


@lru_cache(maxsize=1 << 14)
def _introduced(text: str) -> frozenset[str]:
    words = list(_words(text))
    found: set[str] = set()
    for place, word in enumerate(words):
        if word.low in _listed("indefinite"):
            for after in words[place + 1 : place + 3]:
                if not after.joined or after.low in _function_words():
                    break
                found.add(after.form)
    return frozenset(found)


def _are_apart(some: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    return bool(some and others) and not any(_alike(one, other) for one in some or () for other in others or ())


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _LEAST and (long.startswith(short) or long.endswith(short)))


def _read(facet: Facet) -> tuple[Bearers, Bearers]:
    """Return what each carried word of a memory is of, and for each word what is of it."""
    if (found := facet.kept.get("bearers")) is None:
        said = facet.row["text"].removeprefix(f"{facet.row['speaker']}: ")
        found = facet.kept["bearers"] = _bearers(said, facet.language, facet.label)
    return found


@lru_cache(maxsize=1 << 14)
def _bearers(text: str, language: str, label: str) -> tuple[Bearers, Bearers]:
    words = list(_words(text))
    bearers: dict[str, set[str]] = {}
    things: dict[str, set[str]] = {}
    labelled = {word_form(word) for word in label.split()}
    for place, word in enumerate(words):
        carried, counted = word.form in _listed("carried"), word.form in quantities()
        if not carried:  # of a rent only "the rent of the garage" says so, and not "the flat, rent 820"
            of = set(_behind(words, place, "", _of_or_for() if counted else _of(language)))
            if of and word.form not in light_words():
                bearers.setdefault(word.form, set()).update(of)
            continue
        of = {*_before(words, place), *_behind(words, place, language, _listed("before_bearer"))}
        if not of and place and not word.joined:  # "the cellar has a new lock, code 880"
            of = {
                one.form for one in words[:place] if one.form not in light_words() and one.low not in _function_words()
            }
        if labelled and word.form not in labelled:
            of |= labelled - light_words()
        of = {one for one in of if one != word.form and not one[0].isdigit()}
        bearers.setdefault(word.form, set()).update(of)
        for one in of:
            things.setdefault(one, set()).add(word.form)
    return _frozen(bearers), _frozen(things)


def _frozen(found: Mapping[str, set[str]]) -> Bearers:
    return {word: frozenset(others) for word, others in found.items()}


def _before(words: Sequence[_Word], place: int) -> Iterator[str]:
    """Yield the words of a compound before a word at a place: "garage" and "door" of "garage door code"."""
    for back in range(place - 1, max(-1, place - 1 - _REACH), -1):
        if not words[back + 1].joined or words[back].low in _function_words():
            return
        if words[back].form not in light_words():
            yield words[back].form


def _behind(words: Sequence[_Word], place: int, language: str, leading: frozenset[str]) -> Iterator[str]:
    """Yield the words behind one of `leading` ("of", "per") after a word at a place, or right behind it in German."""
    after = words[place + 1 : place + 2 + _REACH]
    if not after or not after[0].joined:
        return
    if after[0].low in leading:
        after = [word for word in after[1:] if word.low not in _function_words()]
        if after and after[0].form[0].isdigit():
            return  # "a rent of 840 euros"
    elif language != _LARGE_NOUNS or not after[0].large:
        return
    for word in after[: _REACH - 1]:
        if word.form in light_words() or not word.joined:
            return
        yield word.form


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in WORD.finditer(text):
        low = plain(match.group())
        between = text[end : match.start()]
        joined = 0 < len(between) <= 1 and between in _JOINED
        yield _Word(word_form(low), low, match.group()[0].isupper(), joined)
        end = match.end()


def _of(language: str) -> frozenset[str]:
    """Return the words before what something is of; in German articles say so, too: "Leiterin der Bücherei"."""
    return _listed("of") | _listed("genitive") if language == _LARGE_NOUNS else _listed("of")


def _of_or_for() -> frozenset[str]:
    return _listed("of") | _listed("for")


@cache
def _listed(key: str) -> frozenset[str]:
    words = SHARED.every_language("possessors").listed(key)
    return frozenset(word_form(plain(word)) if key == "carried" else plain(word) for word in words)


@cache
def _function_words() -> frozenset[str]:
    """Return the words of all languages that name nothing: "the", "at"."""
    found = (plain(word) for language in SHARED.languages("stop_words") for word in function_words(language))
    return frozenset(found)

"""What two memories have in common: matters besides their subject, owners of things, names of people.

"My salary" and "Pia's salary" are two salaries, and David Lund is not David Okoro: a value of one does not end one of
the other.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from brain_retrieval.knowledge.memories.compared.names_and_times import of_name
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.names import written_names
from brain_retrieval.language.plain import plain, word_expression, word_pattern
from brain_retrieval.language.stop_words import function_words

_REACH = 3  # words behind "Pia's", or before "of Pia", among which what she has is looked for
OWN = "user"  # the owner of what a text calls "my", unless its speaker is known
_APOSTROPHES = "'’"

Owners = dict[str, frozenset[str]]  # word of what is had -> words of the names of those who have it


class _Word(NamedTuple):
    form: str
    text: str
    low: str
    before: str  # what stands between it and the word before


def common_matters(a: Facet, b: Facet) -> frozenset[str]:
    """Return what both speak of besides their subject; a word of a name is no link to the same word elsewhere."""
    linking = a.matters & b.matters
    if linking:
        linking &= a.written | b.written  # what both leave to a heading is no matter
    if linking and not a.heads.isdisjoint(b.heads):
        linking -= a.heads & b.heads
    return linking - parts_of_names(a, b, linking) if linking else linking


def parts_of_names(a: Facet, b: Facet, common: frozenset[str]) -> frozenset[str]:
    """Return those of some common words that are part of a name in one of both only: "a lab", and Northwind Labs."""
    if common.isdisjoint(a.names ^ b.names) and common.isdisjoint(a.small ^ b.small):
        return frozenset()
    own, other = (one.names | _capitalised(one.row["text"]) for one in (a, b))
    named = common & (((own - other) & b.small) | ((other - own) & a.small))
    return named - _whole_names(a, b) - _whole_names(b, a) if named else named


def _whole_names(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of names of `a`, of two words or more, that `b` has: "Alarm code", and the alarm code."""
    names = (of_name(entity["name"]) for entity in a.row["entities"])
    return frozenset().union(*(name for name in names if len(name) > 1 and name <= b.words))


@lru_cache(maxsize=1 << 14)
def _capitalised(text: str) -> frozenset[str]:
    """Return the words of runs of capitalised words in a text, two or more: of a name that nothing else tells."""
    runs = (name for name in written_names(text) if " " in name)
    return frozenset(word for name in runs for word in content_words(name))


def names_in_common(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of names that both have: of "Ivy" also where only one of both is known to name her."""
    return (a.names & b.names) | ((a.names | b.names) & a.words & b.words) - a.small - b.small


def of_other_owners(a: Facet, b: Facet) -> bool:
    """Return whether both speak of the same kind of thing, and each of that of another owner."""
    own, other = _owners_of(a), _owners_of(b)
    common = (own.keys() & other.keys() & a.words & b.words) - a.names - b.names
    return bool(common) and all(own[word].isdisjoint(other[word]) for word in common)


def of_another_speaker(a: Facet, b: Facet) -> bool:
    """Return whether `b` is what someone else says of themselves, with one word of `a` besides what that is about.

    "Just coming home" of Ann changes nothing of "I have four cats at home" of Bo, unless she names him.
    """
    if not (a.voice and b.voice) or not a.voice.isdisjoint(b.voice) or not b.is_about_oneself:
        return False
    return a.voice.isdisjoint(b.words) and a.heads.isdisjoint(b.words) and len(a.words & b.words) < 2


def of_one_subject(a: Facet, b: Facet) -> bool:
    """Return whether both have the same subject, and not only "I" or "us" beside another one."""
    common = (a.heads & b.heads) - light_words() - namesakes(a, b)
    return bool(common - a.voice if a.subjects or b.subjects else common)


def of_one_owner(a: Facet, b: Facet) -> bool:
    """Return whether both speak of the same thing of the same owner: of "Mum's pressure"."""
    own, other = _owners_of(a), _owners_of(b)
    common = (own.keys() & other.keys() & a.words & b.words) - light_words()
    return any(not own[word].isdisjoint(other[word]) for word in common)


def of_another_than(asked: Mapping[str, frozenset[str]], facet: Facet) -> bool:
    """Return whether a memory speaks of what a question asks for, and of that of someone else.

    "Sister's rent goes to 1,040" says nothing of "my rent". `asked` is what a question has, as `owners_asked` gives it;
    what the writer of a memory calls "my" may be what is asked for.
    """
    own = _owners_of(facet)
    common = asked.keys() & own.keys()
    speaking = facet.voice | {OWN}
    return any(own[word].isdisjoint(asked[word] | speaking) for word in common)


def has_of_others(facet: Facet, than: Facet, topic: Collection[str]) -> bool:
    """Return whether a memory is about a thing of someone that another memory and a question do not name."""
    own = _owners_of(facet)
    known = than.words | than.voice | facet.voice | {OWN} | frozenset(topic)
    return any(own[word].isdisjoint(known) for word in facet.telling_heads & own.keys())


def is_of_someone_else(facet: Facet, than: Facet, topic: Collection[str]) -> bool:
    """Return whether a memory is about what a person has that another memory and a question do not name.

    "My sister's flat went up as well" says nothing of what "the flat costs us".
    """
    people = _relatives().union(*facet.people)
    known = than.words | than.voice | facet.voice | {OWN} | frozenset(topic)
    elsewhere = _also_at(facet.row["text"]) & people
    if elsewhere and elsewhere.isdisjoint(known):
        return True
    own = _owners_of(facet)
    common = than.telling_heads & own.keys() & facet.words
    return any(own[word] <= people and own[word].isdisjoint(known) for word in common)


@lru_cache(maxsize=1 << 14)
def _also_at(text: str) -> frozenset[str]:
    """Return the words behind "at" of a text that says that something is so there, too: "it also went up at Ann's"."""
    low = plain(text)
    if not _also().search(low):
        return frozenset()
    return frozenset(word for found in _at_place().finditer(low) for word in content_words(found["whose"]))


def is_of_relative(facet: Facet, than: Facet, topic: Collection[str], owners: Collection[str]) -> bool:
    """Return whether a memory is about the sister or flatmate of one of some owners.

    Neither another memory nor a question, `topic`, names that person.
    """
    about = (facet.telling_heads & _relatives()) - than.words - facet.voice - frozenset(topic)
    own = _owners_of(facet) if about else {}
    return any(not own.get(word, frozenset()).isdisjoint(owners) for word in about)


def owners_asked(about: str) -> Owners:
    """Return for each word of what a question asks for whose it is, none where the question does not say.

    >>> owners_asked("Ana's team")
    {'team': frozenset({'ana'})}
    """
    return _owners(about, frozenset({OWN}))


def namesakes(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words that both share only as parts of the names of different people: "david", not "david okoro"."""
    return frozenset() if a.names.isdisjoint(b.names) else _apart(a.people, b.people)


@lru_cache(maxsize=1 << 14)
def _apart(names: tuple[frozenset[str], ...], others: tuple[frozenset[str], ...]) -> frozenset[str]:
    apart, same = set[str](), set[str]()
    for one, other in product(names, others):
        if len(one) > 1 and len(other) > 1:
            (same if one <= other or other <= one else apart).update(one & other)
    return frozenset(apart - same)


def _owners_of(facet: Facet) -> Owners:
    if (found := facet.kept.get("owners")) is None:
        found = facet.kept["owners"] = _owners(facet.row["text"], facet.voice or frozenset({OWN}))
    return found


@lru_cache(maxsize=1 << 14)
def _owners(text: str, speaker: frozenset[str]) -> Owners:
    words = list(_words(text))
    found: dict[str, set[str]] = {}
    for place, word in enumerate(words):
        owner, had = _owned(words, place, word, speaker)
        for form in had:
            found.setdefault(form, set()).update(owner)
    return {form: frozenset(owners) for form, owners in found.items()}


def _owned(words: list[_Word], place: int, word: _Word, speaker: frozenset[str]) -> tuple[frozenset[str], list[str]]:
    """Return who has something according to the word at a place, and the words of what that may be."""
    listed = _listed()
    after = _reach(words[place + 1 : place + 2 + _REACH])
    if word.low in listed["mine"]:
        chained = any(_is_genitive(other) for other in after)  # "my mum's rent" is hers
        return speaker, [] if chained else [other.form for other in after[:_REACH]]
    if place and _is_genitive(word) and words[place - 1].low not in _no_owners():
        return frozenset({words[place - 1].form}), [other.form for other in after[:_REACH]]
    addressed = after[1:] if after and after[0].low in listed["addresses"] else []  # "of Mr Oduya"
    named = addressed or (after if word.low in listed["of"] else [])
    if word.low in listed["of"] | listed["for"] and named and _is_name(named[0]) and not after[0].before.strip(" '’"):
        back = _reach([*reversed(words[max(0, place - _REACH) : place])], word.before)
        return frozenset({named[0].form}), [other.form for other in back]
    following = words[place + 1] if place + 1 < len(words) else None
    if _is_name(word) and word.low.endswith("s") and following and following.before == " " and _is_name(following):
        return frozenset({word_form(word.low[:-1])}), [following.form]  # "Papas Zimmer"
    return frozenset(), []


def _reach(words: list[_Word], mark: str | None = None) -> list[_Word]:
    """Return words up to the first mark between them; going backwards `mark` stands behind the first of them."""
    found: list[_Word] = []
    for word in words:
        between = word.before if mark is None else mark
        if between.strip(" '’-"):
            break
        found.append(word)
        mark = None if mark is None else word.before
    return found


def _is_genitive(word: _Word) -> bool:
    return word.low == "s" and word.before in _APOSTROPHES and bool(word.before)


def _is_name(word: _Word) -> bool:
    return word.text[0].isupper() and len(word.text) > 1 and word.form not in light_words()


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in WORD.finditer(text):
        low = plain(match.group())
        yield _Word(word_form(low), match.group(), low, text[end : match.start()])
        end = match.end()


@cache
def _listed() -> dict[str, frozenset[str]]:
    lexicon, heads = SHARED.every_language("possessors"), SHARED.every_language("questions")
    found = {key: frozenset(map(plain, lexicon.listed(key))) for key in ("mine", "of", "for")}
    return {**found, "addresses": frozenset(map(plain, heads.listed("name_heads")))}


@cache
def _also() -> re.Pattern[str]:
    return word_pattern(SHARED.every_language("entries").listed("adding"))


@cache
def _at_place() -> re.Pattern[str]:
    """Return a pattern of plain text for up to two words behind "at", "chez" or "bei"."""
    lexicon = SHARED.every_language("possessors")
    places, mine = (word_expression(lexicon.listed(key)) for key in ("place_of", "mine"))
    return re.compile(rf"(?<!\w)(?:{places})\s(?:(?:{mine})\s)?(?P<whose>[^\W\d_]{{2,30}}(?:\s[^\W\d_]{{2,30}})?)")


@cache
def _no_owners() -> frozenset[str]:
    """Return the words behind which "'s" is a verb: "that's", "she's"."""
    return frozenset(map(plain, function_words("en"))) | {"let"}


@cache
def _relatives() -> frozenset[str]:
    """Return the words for who a person is to someone: "sister", "neighbour"."""
    lexicon = SHARED.every_language("callings")
    return frozenset(word_form(plain(word)) for key in ("callings", "relatives") for word in lexicon.listed(key))

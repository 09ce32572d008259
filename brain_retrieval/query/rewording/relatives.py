"""Who "my brother" is: the name that the memories give a person that a question calls by a relation.

    My brother Arjun is flying over from Toronto.   "Where does my brother live?"   ─► "… my brother Arjun …"
    Lenz (title): Mein kleiner Bruder hat Arbeit.   "Where does my brother work?"   ─► "… my brother Lenz …"
    Tom's sister Beth had the baby.                 "How is Tom's sister?"          ─► "… Tom's sister Beth …"

The name is added to the question, not put in the place of the words, as some of what is known says only "my brother".
It is added where the memories give one name only: of two sisters none is meant.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, plain, word_expression
from brain_retrieval.language.topics import SUBJECT, is_relation, topics_in, words_of
from brain_retrieval.query.analysis import Question

MOST_READ = 300  # memories in which such a word is looked for
_CALLINGS, _POSSESSORS = SHARED.every_language("callings"), SHARED.every_language("possessors")
_PERSON = "person"
_NAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]*(?: [A-ZÀ-ÖØ-Þ][\w'’-]*)?"
Row = Mapping[str, Any]


def with_names(question: Question, index: MemoryIndex) -> str:
    """Return the text of a question with the name of the person that it calls by a relation; as it is without one."""
    text, language = question.text, question.language or ""
    for start, end, keys in topics_in(text, language):
        if not is_relation(keys) or any(name.start in (start, end + 1, end + 2) for name in question.names):
            continue
        names = set(_called(keys, _whose(question, start, end), index))
        if len(names) == 1 and (name := names.pop()).casefold() not in text.casefold():
            return f"{text[:end]} {name}{text[end:]}"
    return text


def _whose(question: Question, start: int, end: int) -> str | None:
    """Return whose relation is meant: a name of the question beside it, "" for who asks, None for no one's."""
    text = question.text
    for name in question.names:
        before = text[name.end : start] if name.end <= start else None
        behind = text[end : name.start] if end <= name.start else None
        if before is not None and re.fullmatch(r"(?:['’]s?)? (?:[\w-]+ )?", before):
            return name.text.rstrip("'’")
        if behind is not None and re.fullmatch(rf"\s(?:{_of()})\s?", lowered(behind)):
            return name.text
    words = lowered(text[:start]).split()[-2:]
    return "" if not _mine().isdisjoint(words) else None


def _called(keys: tuple[str, ...], whose: str | None, index: MemoryIndex) -> Iterator[str]:
    """Yield the names that memories give to someone with one of some relations, by the keys of their topics."""
    if whose is None:
        return
    said = tuple(dict.fromkeys(word for code in SHARED.languages(SUBJECT) for word in words_of(keys, code)))
    forms = {form for word in said for form in content_words(word)}
    rows = index.take(index.words.having_one(forms)[-MOST_READ:])
    pattern = _naming(said, whose)
    for row in rows:
        text = row["text"].removeprefix(f"{row['speaker']}: ")
        people = {word_form(plain(word)) for name in _people(row) for word in WORD.findall(name)}
        for match in pattern.finditer(text):
            name = match["behind"] or match["before"]
            kept = [word for word in name.split() if word_form(plain(re.sub(r"['’]s$", "", word))) in people]
            if kept and not re.search(r"['’]s$", name):
                yield " ".join(kept)
        if not whose and row["speaker"] in (None, "user") and (title := _titled(row)) and _begins(said).match(text):
            yield title


def _people(row: Row) -> Iterable[str]:
    return (one["name"] for one in row["entities"] or () if (one.get("type") or "").casefold() == _PERSON)


def _titled(row: Row) -> str | None:
    """Return the title of the note that a memory is from, if it is one word and stands behind the text, as a name."""
    titles = [word.removeprefix(TITLED) for word in row["anchors"] or () if word.startswith(TITLED)]
    found = re.search(r"\[([A-ZÀ-ÖØ-Þ][\w'’-]{1,30})\]\.?$", row["text"])
    if len(titles) == 1 and found is not None and word_form(plain(found[1])) == titles[0]:
        return found[1]
    return titles[0].capitalize() if len(titles) == 1 else None


@lru_cache(maxsize=64)
def _naming(said: tuple[str, ...], whose: str) -> re.Pattern[str]:
    """Return a pattern for a name beside a word for a relation to the owner (""), or to who `whose` names."""
    word = rf"(?:{word_expression(said, lowered)})"
    led = rf"(?:(?:{_CALLINGS.pattern('led')})\.? )?"
    behind = rf"(?:,? |: |,? (?:{_CALLINGS.pattern('said')}) ){led}(?-i:(?P<behind>{_NAME}))"
    if whose:
        own = re.escape(whose)
        of_it = rf"(?<!\w){own}(?:['’]?s|['’])? (?:[\w-]+ )?{word}|(?<!\w){word} (?:{_of()}) ?{own}"
        return re.compile(rf"(?:{of_it}){behind}", re.IGNORECASE)
    mine = rf"(?:{_POSSESSORS.pattern('mine')})"
    own = rf"(?:(?<!\w){mine} (?:[\w-]+ )?|^|(?<=[.;!?] )|(?<!\w)(?:{_before_places()}) ){word}{behind}"
    before = rf"(?<!\w)(?-i:(?P<before>{_NAME}))(?: \({word}\)|, {mine} {word}(?!\w))"
    return re.compile(rf"{own}|{before}", re.IGNORECASE)


@lru_cache(maxsize=64)
def _begins(said: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a text that begins with a word for a relation to its writer: "Mein kleiner Bruder …"."""
    mine = _POSSESSORS.pattern("mine")
    return re.compile(rf"(?:{mine}) (?:[\w-]+ )?(?:{word_expression(said, lowered)})(?!\w)", re.IGNORECASE)


@cache
def _mine() -> frozenset[str]:
    return _POSSESSORS.words("mine")


@cache
def _of() -> str:
    return _POSSESSORS.pattern("of")


@cache
def _before_places() -> str:
    return word_expression(SHARED.every_language("questions").listed("before_places"), lowered)

"""What the words beside a name say of it where every noun is large: "Musikverein Moosach", "bei Owayo bestellt".

A large word is taken for a name only if it is no noun here: none that is listed, none that the text has in small
letters or behind an article.
"""

import re
from collections.abc import Sequence
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import known_names, towns
from brain_pipelines.stages.extraction.memories.large_words import (
    Word,
    calendar_words,
    ends_like_town,
    is_written_as_brand,
    no_names,
)
from brain_pipelines.stages.extraction.memories.name_words import given_name
from brain_pipelines.stages.extraction.memories.unparsed.nouns import is_kind, is_noun
from brain_pipelines.stages.extraction.memories.writing import Writing, words_around
from brain_retrieval.language.lexicon import Lexicon, alternatives, code_of

_SUBJECT = "names_among_nouns"
_LEAST_END = 4  # letters of a word that also tells as the end of a longer one: "Stadtbank"
_CLAUSE_ENDS = re.compile(r"[.!?;,:\n]")
_LOOKED_AHEAD = 60  # characters
_NUMBER = re.compile(r"\.?\s\d{1,4}[a-z]?\b")
_LABEL = re.compile(r"(?<![\w-])([^\W\d_]{2,24})\s?:\s$")
_MOST_LABELLED = 3  # words of a name behind a label


def thing_among_nouns(
    run: Sequence[Word], text: str, language: str | None, writing: Writing
) -> tuple[int, int, str] | None:
    """Return where the name of an organisation or place begins, how many words of the run end it, and its type.

    Args:
        run: large words that follow each other.
        text: of the block.
        language: without a list of such words nothing is found.
        writing: that of the text.
    """
    if not LEXICONS.has(_SUBJECT, language):
        return None
    for number, word in enumerate(run):
        if found := _headed(run, number, text, language, writing):
            end, kind = found
            return word.start, end, kind
        if kind := _by_form(word, text, language):
            return word.start, number + 1, kind
        following = run[number + 1] if number + 1 < len(run) else None
        if following and _has_trade_behind(word, following, language, writing):
            return word.start, number + 2, "Organization"
        if following and _is_contract(word, following, language, writing):
            return following.start, number + 2, "Organization"
    return None


def type_beside(run: Sequence[Word], text: str, language: str | None, writing: Writing) -> str | None:
    """Return what a label or the verb of the clause says that one unknown word is: "Strom: Moosgas"."""
    if not LEXICONS.has(_SUBJECT, language) or not all(_is_clear(word, language, writing) for word in run):
        return None
    if run[0].titled or run[0].called or given_name(run[0].text, language) is not None:
        return None
    lexicon, code = LEXICONS.read(_SUBJECT, code_of(language)), code_of(language)
    if any(run[0].low in lexicon.words(key) for key in ("labels", "contracts", "trades", "organisations", "places")):
        return None
    label = _LABEL.search(text, max(0, run[0].start - _LOOKED_AHEAD), run[0].start)
    labels = lexicon.words("labels") | lexicon.words("contracts")
    if label and len(run) <= _MOST_LABELLED and label[1].lower() in labels:
        return "Organization"
    if len(run) > 1:
        return None
    before = text[max(0, run[0].start - _LOOKED_AHEAD) : run[0].start].lower()
    clause = _CLAUSE_ENDS.split(text[run[0].end : run[0].end + _LOOKED_AHEAD].lower())[0]
    if _at(code).search(before) and _traded(code).search(clause):
        return "Organization"
    return None


def is_in_place(word: Word, text: str, language: str | None, writing: Writing) -> bool:
    """Return whether one is in, comes to or from what is no noun here: "Sie zieht nach Moosach".

    "In" also stands before programs and states of things, so the word must end as towns do, or the clause must tell of
    going and living, or a name must stand before it ("Gasthof Hirsch in Moosach").
    """
    if not LEXICONS.has(_SUBJECT, language):
        return False
    lexicon, code = LEXICONS.read(_SUBJECT, code_of(language)), code_of(language)
    if word.before not in lexicon.words("place_before") or word.determined or not _is_clear(word, language, writing):
        return False
    if word.low in words_around("no_places", code) or word.text in known_names() or is_written_as_brand(word.text):
        return False
    if ends_like_town(word, language) or word.text in towns():
        return True
    before = _CLAUSE_ENDS.split(text[max(0, word.start - _LOOKED_AHEAD) : word.start])[-1].split()
    after = _CLAUSE_ENDS.split(text[word.end : word.end + _LOOKED_AHEAD])[0]
    if _dwelling(code).search(f"{' '.join(before)} {after}".lower()):
        return True
    named = before[-2] if len(before) > 1 else ""
    inside = len(before) > 2 or given_name(named, language) is not None
    return inside and named[:1].isupper() and not is_noun(named, language) and named.lower() not in writing.small


def joins_site(before: str, word: str, language: str | None) -> bool:
    """Return whether a small word stands inside the name of what is called by its place: "Gasthaus zum Bären"."""
    if not LEXICONS.has(_SUBJECT, language):
        return False
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    begins = {phrase.split(" ")[0] for phrase in lexicon.listed("siting")}
    return word in begins and _ends_with(before.lower(), lexicon, "sited")


def _headed(
    run: Sequence[Word], number: int, text: str, language: str | None, writing: Writing
) -> tuple[int, str] | None:
    """Return the end and the type of a name that begins with a word for what it is."""
    head, rest = run[number], run[number + 1 :]
    if not rest:
        return None
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    kind = _kind_of_head(head, lexicon)
    if kind is None:
        return None
    between = text[head.end : rest[0].start].strip(" .")
    if between:
        is_site = between in lexicon.listed("siting") and _ends_with(head.low, lexicon, "sited")
        return (number + 2, "Organization") if is_site and not _is_time(rest[0]) else None
    end = number + 1
    if rest[0].low in lexicon.words("inside"):
        return (end + 2, kind) if len(rest) > 1 and not _is_time(rest[1]) else None
    if rest[0].low in lexicon.words("signs") and _ends_with(head.low, lexicon, "sited"):
        return end + 1, kind  # "Gasthof Sonne"
    if not _is_clear(rest[0], language, writing) or _kind_of_head(rest[0], lexicon):
        return None
    is_club = head.text.isupper() and head.low in lexicon.words("clubs")
    someone = given_name(rest[0].text, language) is not None or rest[0].text in writing.people
    return None if someone and not is_club else (end + 1, kind)  # a school before a given name has that pupil


def _kind_of_head(word: Word, lexicon: Lexicon) -> str | None:
    if word.text.isupper() and len(word.text) > 1:
        return "Organization" if word.low in lexicon.words("clubs") else None
    if word.low in lexicon.words("trades") or _ends_with(word.low, lexicon, "organisations"):
        return "Organization"
    return "Location" if _ends_with(word.low, lexicon, "places") else None


def _ends_with(low: str, lexicon: Lexicon, key: str) -> bool:
    words = lexicon.words(key)
    return low in words or low.endswith(tuple(word for word in words if len(word) >= _LEAST_END))


def _by_form(word: Word, text: str, language: str | None) -> str | None:
    """Return the type of a name of one word that tells what it is: "Lindenschule", "Mohngasse", "Marien-Apotheke"."""
    lexicon, low = LEXICONS.read(_SUBJECT, code_of(language)), word.low
    if low.endswith(lexicon.listed("streets")):
        first = low.rsplit("-", 1)[0] if "-" in low else ""
        return "Location" if low not in lexicon.words("common_streets") and first not in no_names() else None
    if low.endswith(lexicon.listed("numbered_streets")) and low not in lexicon.words("numbered_streets"):
        return "Location" if _NUMBER.match(text, word.end) and word.before in ("im", "am", "in", "") else None
    first, mark, last = word.text.rpartition("-")
    if mark:
        named = last.lower() in lexicon.words("hyphened") and len(first) > 1
        return "Organization" if named and first.istitle() and not is_kind(first, language) else None
    if low.endswith(lexicon.listed("named_schools")) and low not in lexicon.words("common_schools"):
        return "Organization"
    return "Location" if low.endswith(lexicon.listed("named_places")) and _is_named(low, lexicon) else None


def _is_named(low: str, lexicon: Lexicon) -> bool:
    """Return whether a word for a hall or lake is none of the common ones: "Moosachhalle", but no "Turnhalle"."""
    ends = lexicon.listed("common_places")
    return low not in lexicon.words("named_places") and not low.endswith(ends)


def _has_trade_behind(word: Word, following: Word, language: str | None, writing: Writing) -> bool:
    """Return whether what a firm does stands behind its name: "Brandl Vereinsbedarf"."""
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    if given_name(word.text, language) is not None or word.text in writing.people or word.titled or word.called:
        return False
    if following.low in lexicon.words("heads_behind"):  # the article is that of the head: "in der Moosland Klinik"
        return word.low not in writing.small and _is_no_word(word, language)
    return following.low in lexicon.words("trades_behind") and _is_clear(word, language, writing)


def _is_contract(word: Word, following: Word, language: str | None, writing: Writing) -> bool:
    """Return whether a word says what the next word provides: "Hausrat Moosacher"."""
    if word.low not in LEXICONS.read(_SUBJECT, code_of(language)).words("contracts"):
        return False
    return given_name(following.text, language) is None and _is_clear(following, language, writing)


def _is_clear(word: Word, language: str | None, writing: Writing) -> bool:
    """Return whether a large word is a name as far as its text and the list of nouns tell."""
    if word.low in writing.small or writing.determined[word.low] or len(word.text) == 1:
        return False
    return _is_no_word(word, language)


def _is_no_word(word: Word, language: str | None) -> bool:
    return not is_noun(word.text, language) and not any(map(str.isdigit, word.text)) and word.low not in no_names()


def _is_time(word: Word) -> bool:
    return word.low in calendar_words() or word.low in no_names()


@cache
def _at(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives(LEXICONS.read(_SUBJECT, language).listed('at'))}) $")


@cache
def _dwelling(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{LEXICONS.read(_SUBJECT, language).expression('dwelling')})(?!\w)")


@cache
def _traded(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{LEXICONS.read(_SUBJECT, language).expression('traded')})(?!\w)")

"""Shops, banks, insurers and inns by the words before them, also where the parser knows a town or a person."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, level_of_region, listed_places
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("trade_evidence")
_FROM, _AT, _CONTRACTS = _WORDS.words("from_words"), _WORDS.words("at_words"), _WORDS.words("contract_words")
_CONTRACT_PREPOSITIONS = _WORDS.words("contract_prepositions")
_PARTNERS = _WORDS.words("partners")
_ARTICLES = frozenset({"the", "The"})
LOOKED_BACK = 9  # tokens before the name, in its sentence
MOST_WORDS = 4  # on either side of "&", and before the ending of a company
LEAST_TITLE, TITLE_SHARE = 5, 0.7  # words of a line that is a title, and the share of large ones from which on it is


def is_trade_evidence(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the words before tokens `start` to `end` show a company: "parts from Sandmore".

    A listed given name or place is none, nor the owner of something ("lunch at Ada's").
    """
    name = doc[start:end].text
    if doc[start].text in every_given_name() or name in listed_places() or level_of_region(name):
        return False
    if end < len(doc) and doc[end].tag_ == "POS":
        return False
    at = start - 1
    if at >= 0 and doc[at].text in _ARTICLES:
        at -= 1
    if at < 1:
        return False
    before = _before(doc, at)
    word = doc[at].lower_
    if word in _CONTRACT_PREPOSITIONS and any(_is_one(token, _CONTRACTS) for token in before):
        return True
    if word == "from":
        return any(_is_one(token, _FROM) for token in before)
    return word == "at" and any(_is_one(token, _AT) for token in before[:5])


def _before(doc: "Doc", at: int) -> "list[Token]":
    """Return the tokens before token `at` in its sentence, the nearest first."""
    found: list[Token] = []
    for token in reversed(doc[max(0, at - LOOKED_BACK) : at]):
        if token.text in (".", ";", ":", "!", "?"):
            break
        found.append(token)
        if token.is_sent_start:
            break
    return found


def _is_one(token: "Token", words: frozenset[str]) -> bool:
    return token.lemma_.lower() in words or token.lower_.removesuffix("s") in words


def firms_by_ending(doc: "Doc") -> Iterator[tuple[int, int]]:
    """Yield the spans of large words that end as companies do: "Bluebell Day Nursery", "NFU Mutual".

    A longer entity of the parser stays ("National Bank of Moravia"), as does a line in which most words are large.
    """
    done = 0
    for token in doc:
        if token.i < max(done, 1) or not token.text[:1].isupper() or token.ent_iob_ != "O" and _goes_on(doc, token.i):
            continue
        start = _first_large(doc, token.i, done)
        if (
            start < token.i
            and type_by_ending(doc[start : token.i + 1].text) == "Organization"
            and not is_in_title(token)
        ):
            done = token.i + 1
            yield start, done


def _goes_on(doc: "Doc", i: int) -> bool:
    entity = next((e for e in doc.ents if e.start <= i < e.end), None)
    return entity is not None and entity.end > i + 1


def _first_large(doc: "Doc", i: int, least: int) -> int:
    """Return where the large words before token `i` begin, without a verb or article that begins the sentence."""
    start = i
    while start > max(least, i - MOST_WORDS, 0) and _is_large(doc[start - 1]) and not doc[start].is_sent_start:
        start -= 1
    if start < i and doc[start].text in ("'s", "’s"):
        start += 1
    opens = doc[start].is_sent_start and (is_word(doc[start]) or doc[start].is_stop)
    return start + 1 if opens or doc[start].is_stop else start


def _is_large(token: "Token") -> bool:
    return token.text[:1].isupper() and token.is_alpha or token.text in ("'s", "’s", "St.")


def is_in_title(token: "Token") -> bool:
    """Return whether most words of a sentence are large, so that large letters tell nothing."""
    words = [t for t in token.sent if t.is_alpha and not t.is_stop]
    return len(words) > LEAST_TITLE and sum(t.text[0].isupper() for t in words) > TITLE_SHARE * len(words)


def firm_with_partners(doc: "Doc", i: int) -> tuple[int, int] | None:
    """Return the span of a company around the "&" at token `i`: "Moss & Sons", "Farrow & Lyle"; None if there is none.

    Two people who are called by given names ("Tom & Ada") are none.
    """
    if doc[i].text != "&" or i == 0 or i + 1 >= len(doc):
        return None
    start, end = i, i + 1
    while start > max(0, i - MOST_WORDS) and _is_part(doc[start - 1]) and not doc[start - 1].is_sent_end:
        start -= 1
    while end < min(len(doc), i + MOST_WORDS) and _is_part(doc[end]):
        end += 1
    if start == i or end == i + 1:
        return None
    if doc[i + 1].lower_ in _PARTNERS:
        return start, i + 2
    single = start == i - 1 and end == i + 2
    known = any(doc[k].text in every_given_name() for k in (*range(start, i), *range(i + 1, end)))
    return (start, end) if single and not known and all(_is_name_word(doc[k]) for k in (start, end - 1)) else None


def _is_part(token: "Token") -> bool:
    return token.text[:1].isupper() and (token.is_alpha or (len(token.text) == 2 and token.text[1] == "."))


def _is_name_word(token: "Token") -> bool:
    return token.text.istitle() and token.pos_ == "PROPN"

"""Duplicate check for memory entries: equal words, or a cosine of 0.92 without a difference in meaning.

Cosine alone is not enough: with the default model "prefers tea over coffee" and "prefers coffee over tea" score 0.998,
"turn on notifications" and "turn off notifications" 0.935. Texts that differ in a number, a negation or a name, that
exchange a word for another one, or that have the same words in another order are never duplicates, in any language: a
redundant entry costs a few tokens, a wrongly dropped one loses a memory.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brain_pipelines.landing.redaction.document import build_redactor
from brain_pipelines.sources.agent_note import SOURCE
from brain_retrieval.home import Space
from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.negation import negation
from brain_retrieval.models.chat.metering import open_meter
from brain_retrieval.models.embedding.build import build_embedder, max_tokens_of, metered
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

SAME = 0.92
NEAREST = 50  # index entries whose texts are compared in full
SPECIAL_TOKENS = 2  # added by the model to every text
_WORD = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*")
_PARTICLES = re.compile(rf"\b(?:{SHARED.every_language('negation').pattern('particles')})\b")  # "n'est plus"
_COMPARED = SHARED.every_language("comparison").words("comparison")
_NEUTRAL = SHARED.every_language("comparison").words("neutral")
_ENDINGS = SHARED.every_language("comparison").words("endings")
STEM = 3  # letters before an ending, at least
ENDING = 3  # letters that a form may have behind the other one
SHARED_START = 4  # letters at which two forms of a word begin alike, at least
START_SHARE = 0.55  # of the longer one


@dataclass(frozen=True)
class Entry:
    """A new or stored entry; stored ones have a source_id and uri."""

    category: str
    content: str
    source_id: str = ""
    uri: str = ""


def find_duplicate(space: Space, settings: Settings, entry: Entry, *, now: datetime) -> Entry | None:
    """Return the stored, unexpired entry of the same category with the same meaning, or None.

    A text longer than the embedding model's input is compared word for word only.
    """
    if not space.catalog.is_file():
        return None
    if settings.privacy.redact:  # stored entries are redacted, so compare redacted text
        entry = replace(entry, content=build_redactor(settings).text(entry.content))
    with Catalog(space) as catalog:
        stored = list(_stored(space, catalog, entry.category, now))
        plain = _plain(entry.content)
        if same := [one for one in stored if _plain(one.content) == plain]:
            return same[0]
        counter = build_tokenizer(settings.embedding, models_dir=settings.models_dir)
        if not stored or counter.count(entry.content) > max_tokens_of(settings.embedding) - SPECIAL_TOKENS:
            return None
        embedder = build_embedder(settings.embedding, models_dir=settings.models_dir)
        embedder = metered(embedder, open_meter(space, settings, "notes", "note", settings.embedding.input_price))
        vector = embedder.embed([entry.content])[0]
        likely = stored if len(stored) <= NEAREST else _nearest(space, catalog, vector, stored)
    # the index only preselects by similarity; whether texts differ in meaning is decided on their words
    likely = [one for one in likely if not differ_in_meaning(entry.content, one.content)]
    if not likely:
        return None
    scores = embedder.embed([one.content for one in likely]) @ vector
    score, best = max(zip(scores.tolist(), likely, strict=True), key=lambda pair: (pair[0], pair[1].source_id))
    return best if score >= SAME else None


def differ_in_meaning(one: str, other: str) -> bool:
    """Return whether two similar texts differ in a number, a negation, a name, a word, or the order of their words.

    >>> differ_in_meaning("Prefers tabs over spaces.", "Prefers spaces over tabs.")
    True
    >>> differ_in_meaning("Prefers tabs over spaces.", "The user prefers tabs over spaces.")
    False
    >>> differ_in_meaning("Allow cookies.", "Forbid cookies.")
    True
    """
    left, right = _WORD.findall(one), _WORD.findall(other)
    if _numbers(left) != _numbers(right) or _denies(one) != _denies(other):
        return True
    if _names(left, right) or _names(right, left):
        return True
    first, second = [word.casefold() for word in left], [word.casefold() for word in right]
    if _lacking(first, second) and _lacking(second, first):
        return True  # one word stands for another: "before nine", "after nine"
    exchanged = abs(len(first) - len(second)) <= 1 and _meant(first) == _meant(second)  # "a el" may be "al"
    if not exchanged and not _COMPARED & {*first, *second}:
        return False
    common = set(first) & set(second)
    return [word for word in first if word in common] != [word for word in second if word in common]


def _denies(text: str) -> bool:
    """Return whether a text holds a word of denial or absence of any language."""
    plain = fold(text)
    if _PARTICLES.search(plain):
        return True
    return any(negation(one, absence=True).search(plain) for one in SHARED.languages("negation"))


def _lacking(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words with a meaning of which the other text has no form."""
    return [word for word in set(words) - set(others) - _NEUTRAL if not any(_forms(word, other) for other in others)]


def _forms(one: str, other: str) -> bool:
    """Return whether two words look like forms of one: "nut" and "nuts", "ends" and "ending", "write" and "written"."""
    short, long = sorted((one, other), key=len)
    if len(short) > 1 and long.startswith(short) and len(long) - len(short) <= ENDING:
        return True
    alike = next(
        (place for place, (left, right) in enumerate(zip(short, long, strict=False)) if left != right), len(short)
    )
    if alike >= STEM and {short[alike:], long[alike:]} <= _ENDINGS:
        return True
    return alike >= SHARED_START and alike >= START_SHARE * len(long)


def _meant(words: Sequence[str]) -> list[str]:
    """Return the words with a meaning, in order of the alphabet."""
    return sorted(word for word in words if word not in _NEUTRAL)


def token_cost(content: str, settings: Settings) -> int:
    """Return the tokens of an entry under the embedding model's tokenizer."""
    return build_tokenizer(settings.embedding, models_dir=settings.models_dir).count(content)


def _numbers(words: Sequence[str]) -> list[str]:
    return sorted(word for word in words if any(char.isdigit() for char in word))


def _names(words: Sequence[str], others: Sequence[str]) -> set[str]:
    """Return the capitalised words, except the first, that the other text lacks in any case."""
    there = {word.casefold() for word in others}
    return {word for word in words[1:] if word[:1].isupper() and word.casefold() not in there}


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))


def _stored(space: Space, catalog: Catalog, category: str, now: datetime) -> Iterator[Entry]:
    columns = ["source_id", "uri", "attributes"]
    for row in Lake(space, catalog).read("text", source=SOURCE.name, columns=columns).to_pylist():
        operation: dict[str, Any] = json.loads(row["attributes"])
        if operation["op"] != "store" or operation["category"] != category:
            continue
        expires = operation.get("expires")
        if expires is None or datetime.fromisoformat(expires) > now:
            yield Entry(category, operation["content"], row["source_id"], row["uri"])


def _nearest(space: Space, catalog: Catalog, vector: Any, stored: Sequence[Entry]) -> list[Entry]:
    index = active_index(space, catalog)
    if index is None or index.dim != len(vector):
        return list(stored)
    within = IndexFilter(sources=[SOURCE.name])
    found = index.search_vectors(vector, within=within, limit=NEAREST * 4, columns=["source_id"])
    near = list(dict.fromkeys(match.row["source_id"] for match in found))
    by_id = {one.source_id: one for one in stored}
    return [by_id[source_id] for source_id in near if source_id in by_id][:NEAREST]

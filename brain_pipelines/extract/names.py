"""Named things in a parse: the model's entities, corrected by word lists. Returns token spans with type and confidence.

Word lists win over the model, because a small model takes "Kafka" for a person and "Alice" for a company.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_pipelines.extract.gazetteers import given_names, known_first_words, known_names, type_of_noun
from brain_pipelines.extract.mention import FULL_NAME, GUESSED, LISTED, MODEL, NAMED
from brain_pipelines.extract.wordlist import words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Our types of the labels of OntoNotes, on which the model was trained.
MODEL_TYPES = {
    "PERSON": "Person",
    "ORG": "Organization",
    "GPE": "Location",
    "LOC": "Location",
    "FAC": "Location",
    "EVENT": "Event",
    "WORK_OF_ART": "Document",
    "LAW": "Document",
    "PRODUCT": "Tool",
}
LITERALS = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "president", "sen", "rep", "gov"})
_NOT_NAMES = words(
    """i me my we us our you he she it they hi hey hello thanks thank yes no ok okay lol lmao btw fyi asap todo faq eta
    tbd wow yeah haha ai ui ux q1 q2 q3 q4 rt omg wtf"""
)


@dataclass(frozen=True)
class Name:
    """Tokens `start` to `end` (half-open) of a parse are the name of something of a type."""

    start: int
    end: int
    type: str
    confidence: float


def find_names(doc: "Doc") -> list[Name]:
    """Return the names in a parse in order, none overlapping another."""
    taken: set[int] = set()
    found: list[Name] = []
    for names in (_listed(doc), _people(doc), _labelled(doc)):
        for name in names:
            tokens = range(name.start, name.end)
            if taken.isdisjoint(tokens):
                taken.update(tokens)
                found.append(name)
    return sorted(found, key=lambda name: name.start)


def _listed(doc: "Doc") -> Iterator[Name]:
    first_words, names = known_first_words(), known_names()
    for token in doc:
        for length in range(first_words.get(token.text, 0), 0, -1):
            kind = names.get(doc[token.i : token.i + length].text)
            if kind and not _inside_longer_name(doc, token.i, token.i + length):
                yield Name(token.i, token.i + length, kind, NAMED)
                break


def _inside_longer_name(doc: "Doc", start: int, end: int) -> bool:
    """Tell whether the model sees a longer name of an organisation here, as in "Oracle Health Services"."""
    entity = next((e for e in doc[start:end].ents), None)
    if entity is None or not entity.label_:
        return False
    beside = [*doc[max(entity.start, start - 1) : start], *doc[end : min(end + 1, entity.end)]]
    return any(_is_capitalised(t) and t.pos_ == "PROPN" for t in beside)


def _people(doc: "Doc") -> Iterator[Name]:
    given = given_names()
    for token in doc:
        known = given.get(token.text) or (given.get(token.text.capitalize()) if _is_shouted(token) else None)
        if known is None or (token.i and _is_name_part(doc[token.i - 1]) and doc[token.i - 1].ent_type_ != ""):
            continue
        end = _surname_end(doc, token.i + 1)
        full, agreed = end > token.i + 1, token.ent_type_ == "PERSON"
        if known.ambiguous and not agreed:
            continue
        if not agreed and _is_part_of_other_name(doc, token.i, end):
            continue
        yield Name(token.i, end, "Person", FULL_NAME if full else NAMED if agreed else LISTED)


def _is_shouted(token: "Token") -> bool:
    return token.is_upper and len(token) > 3 and token.ent_type_ == "PERSON"


def _surname_end(doc: "Doc", start: int) -> int:
    """Return where the surnames (initials, "van", "O'Neil") that follow a given name end."""
    end = start
    while end < len(doc) and end - start < 3:
        token = doc[end]
        particle = token.lower_ in ("van", "von", "de", "der", "la", "del", "bin", "al") and end + 1 < len(doc)
        if particle and _is_name_part(doc[end + 1]):
            end += 2
        elif _is_name_part(token) and token.text not in known_names() and _belongs(doc, start - 1, end):
            end += 1
        else:
            break
    return end


def _belongs(doc: "Doc", first: int, last: int) -> bool:
    """Tell whether a capitalised word continues the name: the parser puts both into one phrase."""
    token = doc[last]
    if token.ent_type_ in ("DATE", "TIME", "NORP", "EVENT") and doc[first].ent_type_ != token.ent_type_:
        return False
    if type_of_noun(token.lower_) and token.ent_type_ != "PERSON":
        return False
    return token.ent_iob_ == "I" or token.head.i in range(first, last + 1) or doc[first].head.i == last


def _is_capitalised(token: "Token") -> bool:
    return token.text[:1].isupper()


def _is_name_part(token: "Token") -> bool:
    word = token.text
    if not word[:1].isupper() or token.lower_ in _NOT_NAMES or token.is_sent_start:
        return False
    return word.replace("-", "").replace("'", "").replace("’", "").replace(".", "").isalpha()


def _is_part_of_other_name(doc: "Doc", start: int, end: int) -> bool:
    """Tell whether a given name only opens a longer name of something else, as in "Alice Springs Airport"."""
    token = doc[start]
    entity = next((e for e in doc.ents if e.start <= start < e.end), None)
    if entity is None or len(entity) == 1:
        return token.pos_ not in ("PROPN", "NOUN", "ADV", "ADJ", "VERB", "INTJ", "X") and token.ent_type_ == ""
    return entity.end > end or (entity.start < start and entity.label_ != "PERSON")


def _labelled(doc: "Doc") -> Iterator[Name]:
    for entity in doc.ents:
        kind = MODEL_TYPES.get(entity.label_)
        if kind is None:
            continue
        start, end = _trim(entity)
        if start < end:
            yield _graded(doc, start, end, kind)


def _graded(doc: "Doc", start: int, end: int, kind: str) -> Name:
    last, length = doc[end - 1], end - start
    if not any(_is_capitalised(token) for token in doc[start:end]):
        return Name(start, end, kind, PHRASE_LIKE)
    if kind == "Person" and length >= 2:
        return Name(start, end, kind, NAMED)
    head_type = type_of_noun(last.lower_)
    if head_type and head_type != "Person" and (length > 1 or kind == "Organization"):
        return Name(start, end, head_type, MODEL if length > 1 else GUESSED)
    return Name(start, end, kind, MODEL if length > 1 or last.pos_ == "PROPN" else GUESSED)


PHRASE_LIKE = 0.45


def _trim(entity: "Span") -> tuple[int, int]:
    """Return the entity's tokens without article, title and possessive; empty for what is no name at all."""
    tokens = list(entity)
    while tokens and (tokens[0].pos_ in ("DET", "PUNCT", "SPACE") or tokens[0].lower_.rstrip(".") in _TITLES):
        tokens.pop(0)
    while tokens and (tokens[-1].text in ("'s", "’s", "'", "’") or tokens[-1].pos_ in ("PUNCT", "SPACE")):
        tokens.pop()
    if not tokens or (len(tokens) == 1 and tokens[0].lower_ in _NOT_NAMES) or not any(t.is_alpha for t in tokens):
        return 0, 0
    return tokens[0].i, tokens[-1].i + 1

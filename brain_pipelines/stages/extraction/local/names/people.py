"""Person names in a parse: listed given names, extended by surnames and by the model's PERSON entities."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import is_participle, is_past
from brain_pipelines.stages.extraction.local.names.gazetteers import GivenName, given_names, known_names, type_of_noun
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME, LISTED, NAMED
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending
from brain_retrieval.language.lexicon import SHARED

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_WORDS = LEXICONS.read("people")

MAX_SURNAMES = 4
TITLES = _WORDS.words("titles")
_OPENERS = _WORDS.words("openers")
_SHORT_VERBS = frozenset({"'m", "'s", "'re", "'ve", "'ll", "'d"})
_WHEN = _WORDS.words("when")
_WISHES = _WORDS.words("wishes")
# Laughter of several languages, and a letter three times in a row.
_DRAWN_OUT = re.compile(rf"{_WORDS.expression('laughter')}|[^\W\d_]*?(?P<letter>[^\W\d_])(?P=letter){{2,}}[^\W\d_]*")
_LONG_ADVERB = 5  # letters; shorter words in "ly" are names too
# Interjections at the start of chat sentences, which the model often labels as names.
CALLS = _WORDS.words("calls")
PARTICLES = _WORDS.words("particles")
_INSIDE_NAMES = PARTICLES | LEXICONS.every_language("plain_names").words("particles") | _WORDS.words("inside_names")
_AFTER = _WORDS.words("after")
_DATES = SHARED.read("dates")
_MONTHS = _DATES.words("months") | _DATES.words("short_months")
_BREAKS = frozenset((",", ";", "/", "&", "(", "+", "|", "=", "→", "and", "or", "And", "Or"))
NOT_NAMES = CALLS | _WORDS.words("not_names")
# Not names at the start of a sentence: "Perfect, see you there", but "a flat in Nice".
_EXCLAIMED = _WORDS.words("exclaimed")
_PAST = frozenset({"VBD", "VBN"})
_GOING_ON = frozenset({"VBZ", "MD", "TO", "DT"})  # tags of a word behind a name whose verb stands before it
# Part-of-speech tags with which a listed given name still counts as a name, since the tagger errs.
_NAME_LIKE = frozenset({"PROPN", "NOUN", "ADV", "ADJ", "VERB", "INTJ", "X"})


@dataclass(frozen=True)
class Name:
    """A name: tokens `start` to `end` (half-open) of a parse, entity type and confidence."""

    start: int
    end: int
    type: str
    confidence: float


def people(doc: "Doc") -> Iterator[Name]:
    """Yield the person names that contain a listed given name."""
    done = 0
    for token in doc:
        known = _known(token)
        if known is None or token.i < done or _is_month(token):
            continue
        entity = entity_at(doc, token.i)
        agreed = entity is not None and entity.label_ == "PERSON"
        # Names that are also words ("Will", "May") need the agreement of the model.
        if known.ambiguous and not agreed:
            continue
        start, end = _hyphenated(doc, token.i), _surname_end(doc, token.i + 1)
        if entity is not None and agreed:
            first, last = trimmed(entity)
            start, end = _one_person(doc, token.i, min(start, first), max(end, last))
        elif _is_part_of_other_name(token, entity, end):
            continue
        last = _end_of_large(doc, start)
        if last > end and (other := type_by_ending(doc[start:last].text)):
            done = last
            yield Name(start, last, other, NAMED)  # "Bradley Moor Cycling Club"
            continue
        done = end
        if other := type_by_ending(doc[start:end].text):
            yield Name(start, end, other, NAMED)
            continue
        yield Name(start, end, "Person", FULL_NAME if end > start + 1 else NAMED if agreed else LISTED)


def _end_of_large(doc: "Doc", start: int) -> int:
    """Return the end of the large words that follow each other from token `start` on, at most MAX_SURNAMES more."""
    end = start + 1
    while end < min(len(doc), start + 1 + MAX_SURNAMES) and doc[end].is_alpha and doc[end].text.istitle():
        end += 1
    return end


def _is_month(token: "Token") -> bool:
    """Return whether a given name is a month beside a day or a year: "Weekly 8 Jan", "Jan 2025"."""
    if token.lower_.rstrip(".") not in _MONTHS:
        return False
    doc = token.doc
    beside = (*doc[max(0, token.i - 1) : token.i], *doc[token.i + 1 : token.i + 2])
    return any(one.text[:1].isdigit() for one in beside)


def _hyphenated(doc: "Doc", i: int) -> int:
    """Return where a given name begins: that of "Lars-Erik" at "Lars"."""
    while i >= 2 and doc[i - 1].text == "-" and not doc[i - 1].whitespace_ and _is_joined(doc[i - 2]):
        i -= 2
    return i


def _is_joined(token: "Token") -> bool:
    return not token.whitespace_ and token.is_alpha and token.text.istitle()


def _one_person(doc: "Doc", i: int, start: int, end: int) -> tuple[int, int]:
    """Return the part of tokens `start` to `end` around `i` between separators: "Alice, Bob", "Lisa on Instagram"."""
    breaks = [t.i for t in doc[start:end] if t.text in _BREAKS or is_preposition(t) or is_small(doc, t.i, start)]
    return max([start, *(b + 1 for b in breaks if b < i)]), min([end, *(b for b in breaks if b > i)])


def is_small(doc: "Doc", i: int, start: int) -> bool:
    """Return whether a word in small letters is no part of the name: "ok" of "Beth ok", but "van" of "Jan van"."""
    word = doc[i].text.rstrip("/.")
    is_apart = i > start and bool(doc[i - 1].whitespace_) and doc[start].text[0].isupper()
    return is_apart and word.islower() and word not in _INSIDE_NAMES and word not in TITLES


def is_preposition(token: "Token") -> bool:
    """Return whether a token is a preposition that is no part of names: "Lisa on Instagram", but "Joan of Arc"."""
    return token.pos_ == "ADP" and token.text in _AFTER


def entity_at(doc: "Doc", i: int) -> "Span | None":
    """Return the model's entity that contains token `i`, if any."""
    if not doc[i].ent_type_:
        return None
    return next((e for e in doc.ents if e.start <= i < e.end), None)


def trimmed(entity: "Span") -> tuple[int, int]:
    """Return the entity's token span without article, title and possessive; (0, 0) if it is not a name."""
    tokens = list(entity)
    while tokens and (
        tokens[0].pos_ == "DET"
        or not _is_word(tokens[0])
        or tokens[0].lower_.replace("’", "'") in _SHORT_VERBS  # "’m Zora" of "I’m Zora"
        or (tokens[0].lower_.rstrip(".") in TITLES and not _ends_thing(tokens))
        or (tokens[0].is_sent_start and tokens[0].lower_ in _OPENERS and len(tokens) > 1)
        or (entity.label_ != "WORK_OF_ART" and (tokens[0].lower_ in CALLS or is_drawn_out(tokens[0])))
        or (entity.label_ == "PERSON" and tokens[0].lower_ in _WHEN)
        or (tokens[0].is_sent_start and tokens[0].is_stop and len(tokens) > 1)  # "Across eleven"
        or (tokens[0].is_sent_start and tokens[0].tag_ == "VBG" and len(tokens) > 1)  # "Playing Zelda"
        or (len(tokens) > 1 and is_opening_word(tokens[0]))
    ):
        tokens.pop(0)
    while tokens and (
        tokens[-1].text in ("'s", "’s", "'", "’")
        or tokens[-1].tag_ == "CC"
        or not _is_word(tokens[-1])
        or (entity.label_ == "PERSON" and len(tokens) > 1 and tokens[-1].text.isdecimal())  # "Miss Lee 1-2 photos"
    ):
        tokens.pop()
    while len(tokens) > 1 and (tokens[-1].lower_ in CALLS or is_drawn_out(tokens[-1])):
        tokens.pop()
    is_word = all(t.lower_ in NOT_NAMES or not _is_word(t) or _is_exclaimed(t) for t in tokens)
    if is_word or not any(c.isalpha() for token in tokens for c in token.text):
        return 0, 0
    return tokens[0].i, tokens[-1].i + 1


def _ends_thing(tokens: "Sequence[Token]") -> bool:
    """Return whether a title is the first of two words for a thing or place: "Senator Hotel", "Mayor Street"."""
    return len(tokens) == 2 and type_of_noun(tokens[1].lower_) not in (None, "Person")


def is_drawn_out(token: "Token") -> bool:
    """Return whether a word is laughter, or has a letter three times in a row: "Hahah", "Awwww"."""
    return is_laughter(token.lower_)


def is_laughter(word: str) -> bool:
    """Return whether a word in lower case is laughter or drawn out: "jajaja", "rsrs", "sooo"."""
    return _DRAWN_OUT.fullmatch(word) is not None


def is_opening_word(token: "Token") -> bool:
    """Return whether a word begins a sentence before a name: "Unfortunately Mia is ill", "Hope Jonah likes it"."""
    if not token.is_sent_start or token.i + 1 >= len(token.doc) or token.text in given_names():
        return False
    if token.lower_ in _WISHES:
        verb = token.nbor(2) if token.i + 2 < len(token.doc) else None
        goes_on = verb is not None and (verb.tag_ in _GOING_ON or verb.lower_ in ("'s", "’s"))  # "Tell Malte to …"
        return token.nbor().text in given_names() or (token.nbor().text[:1].isupper() and goes_on)
    if token.tag_ in _PAST and (is_past(token) or is_participle(token)):
        return True  # "Met Ann, …"
    return len(token) >= _LONG_ADVERB and token.lower_.endswith("ly")


def _is_exclaimed(token: "Token") -> bool:
    return token.lower_ in _EXCLAIMED and (token.is_sent_start or token.nbor(-1).lower_ in _WHEN)


def _is_word(token: "Token") -> bool:
    return any(c.isalnum() for c in token.text)


def _known(token: "Token") -> GivenName | None:
    given = given_names()
    if token.text in given:
        return given[token.text]
    # "ALICE" and, where the model takes it for a name, "alice".
    return given.get(token.text.capitalize()) if token.ent_type_ == "PERSON" and len(token) > 2 else None


def _surname_end(doc: "Doc", start: int) -> int:
    """Return the end of the surnames (initials, "van", "O'Neil") that follow a given name."""
    end = start
    while end < len(doc) and end - start < MAX_SURNAMES:
        token = doc[end]
        particle = token.lower_ in PARTICLES and end + 1 < len(doc) and _is_name_part(doc[end + 1])
        joined = token.text == "-" and not doc[end - 1].whitespace_ and not token.whitespace_
        if particle or (joined and end + 1 < len(doc) and doc[end + 1].is_alpha and doc[end + 1].text.istitle()):
            end += 2
        elif _is_name_part(token) and token.text not in known_names() and _belongs(doc, start - 1, end):
            end += 1
        else:
            break
    return end


def _belongs(doc: "Doc", first: int, last: int) -> bool:
    """Return whether a capitalised word continues the name, according to the model's entities or the dependencies."""
    token = doc[last]
    if token.ent_type_ == "PERSON":
        return True
    if token.ent_type_ in ("DATE", "TIME", "NORP", "EVENT") and doc[first].ent_type_ != token.ent_type_:
        return False
    if type_of_noun(token.lower_):
        return False
    return token.ent_iob_ == "I" or token.head.i in range(first, last + 1) or doc[first].head.i == last


def _is_name_part(token: "Token") -> bool:
    word = token.text
    if not word[:1].isupper() or token.lower_ in NOT_NAMES or token.is_sent_start:
        return False
    return word.replace("-", "").replace("'", "").replace("’", "").replace(".", "").isalpha()


def _is_part_of_other_name(token: "Token", entity: "Span | None", end: int) -> bool:
    """Return whether a given name is part of a longer name of another type, as in "Alice Springs Airport"."""
    if token.i and token.nbor(-1).ent_type_ and _is_name_part(token.nbor(-1)):
        return True
    if entity is None or len(entity) == 1 or any(part.text == "+" for part in entity):
        return token.pos_ not in _NAME_LIKE and not token.ent_type_
    return entity.end > end or entity.start < token.i

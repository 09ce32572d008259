"""Facts from the few words between two neighbouring names: surface patterns where parses are unreliable.

| surface | fact |
|---|---|
| Bethany, Conn.; Haifa in northern Israel | Bethany be in Conn. |
| Keen Corp. of New York; the Lisbon-based Acme | Keen Corp. be based in New York |
| Norway's Data Agency; the Red Cross in Geneva | Data Agency be in Norway |
| Norma Viscomi, 38, of Niagara Falls | Norma Viscomi be from Niagara Falls |
| Acme CEO Dana Fox; Acme's CEO, Dana Fox; Texas Gov. John Connally | Dana Fox be CEO of Acme |
| Dana Fox, a former CEO of Acme; … an analyst with Acme | Dana Fox be CEO of Acme |
| Dana Fox, the Acme attorney, a Boston native | Dana Fox be attorney of Acme |

Pairs are consecutive names of one sentence, at most MAX_GAP tokens apart.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import ROLES, level_of_region
from brain_pipelines.stages.extraction.local.names.names import Name
from brain_pipelines.stages.extraction.local.relations.phrases import Phrases
from brain_pipelines.stages.extraction.local.relations.triple import Triple, triple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("name_pairs")

MAX_GAP = 9
_GROUPS = ("Organization", "Location")
_WHERE = _WORDS.words("where")
_TITLES = _WORDS.words("titles")
_ENDINGS = _WORDS.listed("endings")  # of nouns for who does something
_OF = _WORDS.words("of")


def adjacent_triples(doc: "Doc", names: list[Name], phrases: Phrases) -> Iterator[Triple]:
    """Yield the facts stated between consecutive names; `names` are in the order of the parse."""
    for left, right in pairwise(names):
        gap = doc[left.end : right.start]
        if len(gap) > MAX_GAP or any(t.is_sent_start for t in doc[left.end : right.start + 1]):
            continue
        first, second = doc[left.end - 1], doc[right.end - 1]
        for subject, predicate, obj, anchor in _said(list(gap), left, right, first, second):
            one, other = phrases.of(subject), phrases.of(obj)
            if one is not None and other is not None:
                yield from triple(one, predicate, other, "adjacent", anchor, obj)


Said = tuple["Token", str, "Token", "Token"]  # subject, predicate, object, anchor


def _said(gap: list["Token"], left: Name, right: Name, first: "Token", second: "Token") -> Iterator[Said]:
    said = [t.lower_ for t in gap]
    if right.type == "Location" and left.type in ("Location", "Organization", "Person"):
        predicate = _place(said, left, first, second)
        if predicate:
            yield first, predicate, second, gap[-1]
    if left.type == "Location" and right.type == "Organization" and _is_based(said):
        yield second, "be based in", first, second
    if left.type == "Location" and right.type == "Organization" and len(gap) == 1 and gap[0].tag_ == "POS":
        yield second, "be in", first, second
    if left.type in _GROUPS and right.type == "Person" and (role := _title(gap)):
        yield second, f"be {_text(role)} of", first, role[-1]
    if left.type == "Person" and right.type in _GROUPS and said[:1] == [","]:
        yield from _after_comma(gap[1:], first, second)


def _place(said: list[str], left: Name, first: "Token", second: "Token") -> str | None:
    """Return the predicate between a name and the location that follows it, None if the words between give none."""
    in_region = said[:1] == ["in"] and all(word in _WHERE for word in said[1:])
    if left.type == "Location":
        # "Haifa, Israel" is containment; "Texas, Ohio" is a list, because both are regions of the same level.
        level = level_of_region(_full(second, 3))
        is_parent = said == [","] and level is not None and level_of_region(_full(first, 3)) != level
        return "be in" if is_parent or in_region else None
    if left.type == "Organization":
        return "be based in" if said == ["of"] else "be in" if in_region else None
    after_age = said[0::2] == [",", ","] and said[1:2] and said[1].isdecimal() and said[3:] == ["of"]
    return "be from" if said in (["of"], [",", "of"], ["from"]) or after_age else None


def _full(token: "Token", longest: int) -> str:
    """Return the longest known region name of up to `longest` + 1 tokens that ends with a token, else the token."""
    texts = [token.doc[max(0, token.i - n) : token.i + 1].text for n in range(longest, -1, -1)]
    return next((text for text in texts if level_of_region(text)), token.text)


def _is_based(said: list[str]) -> bool:
    return said in (["-", "based"], ["-based"], ["based"]) or (said[:2] == ["-", "based"] and len(said) <= 4)


def _title(gap: list["Token"]) -> list["Token"]:
    """Return the role between a group and a person: "CEO" of "Acme's new CEO," or "Acme CEO"."""
    inner = gap[1:] if gap and gap[0].tag_ == "POS" else gap
    inner = inner[:-1] if inner and inner[-1].text == "," and len(inner) < len(gap) else inner
    return _role_at_end(inner) if len(inner) <= 5 else []


def _role_at_end(tokens: list["Token"], *, any_noun: bool = False) -> list["Token"]:
    """Return the role noun that ends `tokens` with up to two nouns before it, [] if `tokens` is not a noun phrase."""
    if not tokens or not (_is_role(tokens[-1]) or (any_noun and tokens[-1].tag_ == "NN")):
        return []
    if any(t.pos_ not in ("NOUN", "PROPN", "ADJ", "PUNCT", "NUM") or t.text == "," for t in tokens[:-1]):
        return []
    start = len(tokens) - 1
    while start and tokens[start - 1].pos_ in ("NOUN", "PROPN") and len(tokens) - start < 3:
        start -= 1
    return tokens[start:]


def _is_role(token: "Token") -> bool:
    word = token.lemma_.lower()
    return word in ROLES or token.lower_ in _TITLES or (token.pos_ == "NOUN" and word.endswith(_ENDINGS))


def _text(role: list["Token"]) -> str:
    *modifiers, head = role
    last = head.text if head.text.isupper() else head.lemma_.lower()
    return " ".join([*(t.text for t in modifiers), last])


def _after_comma(gap: list["Token"], first: "Token", second: "Token") -> Iterator[Said]:
    """Yield the role of "Dana, (the) former CEO of Acme" and of "Dana, the Acme attorney"."""
    bare = gap[1:] if gap and gap[0].pos_ == "DET" else gap
    if not bare or all(t.pos_ == "ADJ" for t in bare):
        after = second.nbor(1) if second.i + 1 < len(second.doc) else None
        if after is not None and _is_role(after) and not after.is_sent_start and (bare or gap):
            yield first, f"be {_text([after])} of", second, after
        return
    place = next((n for n, t in enumerate(bare) if t.lower_ in _OF and t.pos_ in ("ADP", "SCONJ")), 0)
    rest = bare[place + 1 :]
    with_article = bare is not gap and gap[0].lower_ in (
        "a",
        "an",
    )  # "a lobbyist with": with an article any noun can be a role
    role = (
        _role_at_end(bare[:place], any_noun=with_article) if all(t.pos_ in ("DET", "ADJ", "PRON") for t in rest) else []
    )
    if role:
        yield first, f"be {_text(role)} {bare[place].lower_}", second, role[-1]

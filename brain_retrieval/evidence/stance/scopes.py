"""What a statement names only to say that it is not so: "instead of the van", "everyone except the support desk"."""

from collections.abc import Collection, Sequence

from brain_retrieval.evidence.lexicons import known, listed, pattern
from brain_retrieval.evidence.words import Token, mentions_in, tokens_of
from brain_retrieval.language.plain import lowered

MOST_WORDS = 6  # of what is left out
LEAST = 0.5  # share of the words of a part of a claim that is left out
_BREAKS = ",;:()–—"
_ENDS = ("copulas", "auxiliaries", "verbs")


def excluded_spans(text: str, language: str | None) -> list[tuple[int, int]]:
    """Return the spans of what is replaced by something else or left out, without the words that say so."""
    own, low = known(language), lowered(text)
    begins = sorted(match.end() for key in ("instead", "except") for match in pattern(key, own).finditer(low))
    if not begins:
        return []
    tokens = tokens_of(text)
    verbs = {mention.start for mention in mentions_in(text, language)}
    return [(begin, _end(text, [t for t in tokens if t.start >= begin], verbs, own)) for begin in begins]


def _end(text: str, tokens: Sequence[Token], verbs: Collection[int], language: str) -> int:
    """Return where the noun that follows ends: before a break, a verb, or behind a noun in capitals."""
    stop = frozenset[str]().union(*(listed(key, language) for key in _ENDS))
    end = tokens[0].start if tokens else len(text)
    for number, token in enumerate(tokens[:MOST_WORDS]):
        between = text[end : token.start]
        if number and any(mark in between for mark in _BREAKS):
            break
        bare = number and tokens[number - 1].low not in listed("determiners", language)
        if number and (token.low in stop or (bare and token.start in verbs)):
            break
        end = token.end
        following = tokens[number + 1 : number + 2]
        nouns = bool(listed("noun_articles", language))
        if nouns and token.is_capital and not any(other.is_capital for other in following):
            break
    return end


def is_left_out(words: Sequence[str], inside: Collection[str], outside: Collection[str]) -> bool:
    """Return whether most of the words of a part of a claim stand only in what is left out."""
    out = [word for word in words if word in inside and word not in outside]
    return bool(out) and len(out) / len(words) >= LEAST

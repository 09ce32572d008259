"""Which one of a kind: numbers and letters that name it ("version 3.1", "glue B", "third floor"), and exclusive words.

Of "left" and "right" one excludes the other. Another one of the kind is another thing, or another answer.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache

from brain_retrieval.evidence.claims.claim import Agreement
from brain_retrieval.evidence.claims.dates import located_whens
from brain_retrieval.evidence.lexicons import claim_words, known, listed
from brain_retrieval.evidence.words import Token, content_forms, form_of, mentions_in, tokens_of
from brain_retrieval.language.lexicon import SHARED, alternatives
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import function_words
from brain_retrieval.language.values import find_values

Labels = frozenset[tuple[str, str]]  # form of the noun, what names it
NUMBER, RANK = "#", "rank "
EXCLUSIVE, ORIGINS = "exclusive", "origins"
_NUMBERED = re.compile(r"(?i)(?<!\w)(?:number|nummer|no\.|nr\.|#)\s?(\d{1,4})(?!\d)")
_VERSION_OF_NAME = re.compile(r"(?<!\w)(?=[A-Z])[^\W\d_]{3,24}\s(\d{1,4}(?:\.\d{1,4}){1,3})(?!\.?\w|\s?%)")
_RANKED = 2  # content words behind an ordinal that it may belong to
_BEFORE = ("introducers", "copulas", "auxiliaries", "verbs", "adverbs", "determiners")


def labels_of(text: str, language: str | None) -> Labels:
    """Return the nouns of a text with the number, letter or ordinal that says which one is meant."""
    own = known(language)
    taken = [(start, end) for start, end, _ in located_whens(text, language)]
    found = {
        (form_of(match["noun"].lower()), _label(match["label"], own))
        for match in _label_pattern(own).finditer(text)
        if _is_label(match, text, language, taken)
    }
    found |= {(NUMBER, match[1]) for match in _NUMBERED.finditer(text)}
    found |= {(form_of(word), label) for word in version_words(own) for label in _named_versions(text, language, taken)}
    tokens = content_forms(tokens_of(text), language)
    for value in find_values(text, language, taken):
        if value.dimension == "rank":
            behind = [token for token in tokens if token.start >= value.end][:_RANKED]
            found |= {(token.form, f"{RANK}{value.value}") for token in behind}
    return frozenset(found)


def label_agreement(claimed: Labels, stated: Labels) -> Agreement:
    """Return whether a statement names the same ones: a conflict if it has the noun with other labels alone."""
    kinds = {noun for noun, _ in stated}
    shared = [(noun, label) for noun, label in claimed if noun in kinds]
    if not shared:
        return "none"
    wanted = {(noun, label.split(" ")[0] == "rank") for noun, label in shared}
    # An ordinal may belong to either of the words behind it; one that agrees is enough.
    return "agree" if any(one in stated for one in shared) or not wanted else "conflict"


def _is_label(match: re.Match[str], text: str, language: str | None, taken: Sequence[tuple[int, int]]) -> bool:
    label, start = match["label"], match.start("label")
    own = known(language)
    if any(a <= start < b for a, b in taken) or _is_quiet(match["noun"].lower(), language, own):
        return False
    if any(mention.start == match.start("noun") for mention in mentions_in(text, language)):
        return False
    if label.isalpha() and len(label) == 1:
        return label not in ("I",)
    following = next(iter(tokens_of(text[match.end("label") :][:32])), None)
    # "two hens" is an amount; "year two", "version 3 runs" are not.
    broken = match["next"] in (".", ",", ";", ":", ")", "!", "?", "")
    return broken or following is None or _is_quiet(following.low, language, own)


def _named_versions(text: str, language: str | None, taken: Sequence[tuple[int, int]]) -> list[str]:
    """Return the versions that stand behind a name, with a point and before a verb or a break: "Tidewater 3.1 uses"."""
    found, own = [], known(language)
    for match in _VERSION_OF_NAME.finditer(text):
        behind = text[match.end() :][:32]
        following = next(iter(tokens_of(behind)), None)
        broken = following is None or not behind.startswith(" ") or _is_quiet(following.low, language, own)
        verb = any(mention.start == 0 for mention in mentions_in(behind.lstrip(), language))
        if (broken or verb) and not any(start <= match.start(1) < end for start, end in taken):
            found.append(match[1])
    return found


def _is_quiet(word: str, language: str | None, own: str) -> bool:
    listed_words = any(word in listed(key, own) for key in _BEFORE)
    return listed_words or word in function_words(language)


def _label(label: str, language: str) -> str:
    return str(_numbers(language).get(label, label))


@cache
def _label_pattern(language: str) -> re.Pattern[str]:
    spelled = alternatives(_numbers(language))
    return re.compile(
        r"(?<!\w)(?P<noun>[^\W\d_]{3,24})\s(?:no\.?\s|nr\.?\s|number\s|nummer\s|#\s?)?"
        rf"(?P<label>\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}|[A-Z]|{spelled})(?=(?P<next>[.,;:)!?]|$|\s))"
    )


@cache
def _numbers(language: str) -> dict[str, int]:
    dates = SHARED.read("dates", language) if SHARED.has("dates", language) else SHARED.read("dates")
    return {plain(word): number for word, number in dates.table("numbers").items() if number > 1}


def version_words(language: str) -> tuple[str, ...]:
    """Return the words before the number of a version."""
    values = SHARED.read("values", language) if SHARED.has("values", language) else SHARED.read("values")
    return values.listed("versions")


def exclusive_in(tokens: Sequence[Token], language: str, key: str = EXCLUSIVE) -> dict[str, tuple[int, Token]]:
    """Return by form the group of each word of which one excludes the others."""
    groups = _groups(language, key)
    return {token.form: (groups[token.form], token) for token in tokens if token.form in groups}


def has_contrary(
    claimed: Sequence[Token], stated: Sequence[Token], language: str, shared: Collection[str], key: str = EXCLUSIVE
) -> bool:
    """Return whether a statement has another word of a group in the place of the one claimed.

    The place is before the same noun, or, of a word that stands alone in the claim, anywhere.

    Args:
        claimed, stated: the tokens of the claim and of the matched clauses.
        language: of both.
        shared: forms of the claim that the statement has.
        key: of the groups; of `ORIGINS` only the place before the same noun counts.
    """
    other = exclusive_in(stated, language, key)
    for form, (group, token) in exclusive_in(claimed, language, key).items():
        rivals = [one for rival, (kind, one) in other.items() if kind == group and rival != form]
        if form in other or not rivals:
            continue
        noun = _next(claimed, token, language)
        if (noun is None and key == EXCLUSIVE) or any(
            _next(stated, rival, language) == noun for rival in rivals if noun in shared
        ):
            return True
    return False


def without_exclusive(forms: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the forms that belong to no group."""
    groups = {**_groups(language, EXCLUSIVE), **_groups(language, ORIGINS)}
    return tuple(form for form in forms if form not in groups)


def _next(tokens: Sequence[Token], word: Token, language: str) -> str | None:
    """Return the form of the content word that follows at once, None without one."""
    behind = [token for token in tokens if token.start >= word.end][:1]
    kept = content_forms(behind, language)
    return kept[0].form if kept else None


@cache
def _groups(language: str, key: str) -> dict[str, int]:
    groups = claim_words(language).listed(key)
    return {form_of(word): number for number, group in enumerate(groups) for word in group.split()}

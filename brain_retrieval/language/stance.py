"""How a sentence holds what it says: asserted, reported, possible, conditional or a question; affirmed or negated."""

import re
from functools import cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.negation import negation, not_denials
from brain_retrieval.language.plain import lowered, word_expression, word_pattern

_QUESTION = re.compile(r"\?[\"'”’»)]{0,3}\s{0,3}$")
_PARTS = re.compile(r"[,;:]\s")
_NUMBERED = re.compile(r"\b(?:No\.|no\.|No)\s?(?=\d)")  # "behind No. 6" denies nothing
_BEHIND_COLON = re.compile(r":\s")
_SHORT = 2  # letters of a condition that is also another word ("se", "si"): only at the beginning of a clause
_NEAR_SAYER = 3  # words before "says" that name who says it
_LEAST_CLAUSE = 2  # words of what is relayed
_LEAST_SAID = 3  # words before "…, the vet says that's it" that are said by the one who writes
_ENDED = re.compile(r"[\s.!)\"'”»]*")
_AFTER_CONTRAST = r"[^,;.]{1,60}"


def modality_of(text: str, language: str | None = None) -> str:
    """Return how far the one who says a sentence vouches for it."""
    if _QUESTION.search(text):
        return "question"
    known = _known(language)
    said = _nearly(known).sub(" ", _pattern("certain", known).sub(" ", lowered(text)))
    if _conditions(known).search(said):
        return "conditional"
    if _pattern("confirmed", known).search(said):
        return "asserted"
    if _pattern("reported", known).search(said.replace(",", "")) or _is_relayed(said, text, known):
        return "reported"
    if _pattern("taken_up", known).search(said):  # "they accepted our offer" is no longer only possible
        said = _pattern("offers", known).sub(" ", said)
    proposed = _opened_by_proposal(known).match(said) and not _pattern("carried", known).search(said)
    return "possible" if proposed or _pattern("possible", known).search(said) else "asserted"


def _is_relayed(said: str, text: str, language: str) -> bool:
    """Return whether a lowered text is what someone else says: "Mum says the flat is let".

    What one says of oneself ("Ann says she is moving"), and what a doctor or a letter says, counts as if it were known;
    so does what a person known by the name alone plainly says ("Ann says the ferry is late"), unlike what she heard.
    """
    if len(said) != len(text):  # "even if" and the like are taken out of it
        text = said
    for match in _pattern("telling_first", language).finditer(said):
        sayers = {word.strip(".,") for word in match.group().split()[1:-1]}
        if sayers and not sayers & (_listed("trusted", language) | _listed("oneself", language)):
            return True
    for match in _pattern("telling", language).finditer(said):
        before, after = _PARTS.split(said[: match.start()]), said[match.end() :]
        sayers = before[-1].split()[-_NEAR_SAYER:]
        if not sayers or _listed("trusted", language) & {word.partition("'")[0].strip(".") for word in sayers}:
            continue
        named = len(sayers) == 1 and text[said.rfind(sayers[0], 0, match.start())].isupper()
        if named and match.group() in _listed("plainly", language) and not _foretold(after, language):
            continue
        if _ENDED.fullmatch(after):
            if len(before) > 1 and sayers[-1] not in _listed("oneself", language):
                return True
            continue
        clause = after.lstrip(", :").split()
        leading = len(before) == 1 or len(" ".join(before[:-1]).split()) < _LEAST_SAID
        follows = len(clause) >= _LEAST_CLAUSE and clause[0].strip(",.") not in _listed("no_clause", language)
        if leading and follows and sayers[-1] not in _listed("oneself", language):
            return True
    return False


def _foretold(clause: str, language: str) -> bool:
    """Return whether what someone tells is to come, and is not what they intend: "the rent will go up"."""
    first = next(iter(clause.lstrip(", :").split()), "").partition("'")[0]
    return first not in _listed("no_clause", language) and _pattern("foretelling", language).search(clause) is not None


def polarity_of(text: str, language: str | None = None) -> str:
    """Return whether a sentence denies what it says first; "Marko, not Mirko" and "No, she stays" do not."""
    said = _contrasts(_known(language)).sub(" ", _NUMBERED.sub(" ", text.replace("’", "'")))
    said = not_denials(language).sub(" ", said)
    own = (_first_part(part) for part in [said, *_BEHIND_COLON.split(said)[1:2]])  # "Everybody: it is not cancelled"
    return "negated" if any(negation(language).search(part) for part in own) else "affirmed"


def _first_part(text: str) -> str:
    """Return the first part of a text between marks that has more than one word, else nothing."""
    parts = (part for part in _PARTS.split(text) if part.strip())
    return next((part for part in parts if len(part.split()) > 1), "")


def affirmed_parts(text: str, language: str | None = None) -> list[str]:
    """Return the parts between commas that deny nothing of a sentence that denies something, in lower case.

    There are none if no part denies anything by its words.
    """
    said = _contrasts(_known(language)).sub(" ", lowered(text.replace("’", "'")))
    parts = [part for part in _PARTS.split(not_denials(language).sub(" ", said)) if part.strip()]
    affirmed = [part for part in parts if not negation(language).search(part)]
    return affirmed if len(affirmed) < len(parts) else []


def says_steady(low: str, language: str) -> bool:
    """Return whether a lowered text says that something is as it was; no text of a language without such words."""
    return SHARED.has("stance", language) and _steady(language).search(low) is not None


@cache
def _steady(language: str) -> re.Pattern[str]:
    return word_pattern(SHARED.read("stance", language).listed("steady"))


def _known(language: str | None) -> str:
    return language if language and SHARED.has("stance", language) else ENGLISH


@cache
def _pattern(key: str, language: str) -> re.Pattern[str]:
    own = SHARED.read("stance", language).listed(key)
    hedges = SHARED.read("modality", language).listed("hedges") if key == "possible" else ()
    return word_pattern([*own, *hedges])


@cache
def _nearly(language: str) -> re.Pattern[str]:
    """Return a pattern for what makes a number a round one, and leaves the sentence as sure: "almost 80 kg"."""
    numbers = word_expression(SHARED.read("dates", language).listed("numbers"), lowered)
    words = word_expression(SHARED.read("stance", language).listed("nearly"), lowered)
    return re.compile(rf"(?<!\w)(?:{words})\s(?=[$£€]?\d|(?:{numbers})(?!\w))")


@cache
def _listed(key: str, language: str) -> frozenset[str]:
    return frozenset(map(lowered, SHARED.read("stance", language).listed(key)))


@cache
def _conditions(language: str) -> re.Pattern[str]:
    words = SHARED.read("stance", language).listed("conditional")
    longer = word_expression([word for word in words if len(word) > _SHORT], lowered)
    short = word_expression([word for word in words if len(word) <= _SHORT], lowered)
    return re.compile(rf"(?:(?<!\w)(?:{longer})|(?:^|[,;:]\s)(?:{short}))(?!\w)")


@cache
def _opened_by_proposal(language: str) -> re.Pattern[str]:
    """Return a pattern for a beginning such as "Proposal by Ann to …" or "The idea: …"."""
    nouns = word_expression(SHARED.read("stance", language).listed("proposals"), lowered)
    return re.compile(rf"\W{{0,3}}(?:\w+\s)?(?:{nouns})(?!\w)")


@cache
def _contrasts(language: str) -> re.Pattern[str]:
    words = SHARED.read("stance", language).listed("contrast")
    spelled = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{spelled}){_AFTER_CONTRAST}", re.IGNORECASE)

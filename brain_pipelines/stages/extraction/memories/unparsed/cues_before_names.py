"""What the words before a name say of it where nothing is parsed: "le garage Martel", "vive en Olmeda".

A word for what a thing is belongs to its name ("mairie de Corvier", "calle Olmo"). A preposition, or what one has from
a provider, only gives a type to a name that nothing else explains.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import known_names
from brain_pipelines.stages.extraction.memories.large_words import Word, calendar_words, is_written_as_brand, no_names
from brain_pipelines.stages.extraction.memories.name_words import given_name
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.unparsed.names_among_nouns import thing_among_nouns, type_beside
from brain_pipelines.stages.extraction.memories.writing import Writing, words_around
from brain_retrieval.language.lexicon import Lexicon, alternatives, code_of

_SUBJECT = "cues_before_names"
_LOOKED_BACK = 60  # characters
_MOST_WORDS = 4  # of a name behind a word for what it is
_CLAUSE = re.compile(r"[.!?;]\s")
_OFFERED = re.compile(r"\s*(?:$|[,;()\d/–-])")  # behind a firm in a note: its number, its price


def named_thing(run: Sequence[Word], text: str, language: str | None, writing: Writing) -> tuple[int, int, str] | None:
    """Return where the name of an organisation or place begins, how many words of the run end it, and its type.

    Args:
        run: large words that follow each other.
        text: of the block.
        language: without a list of cues nothing is found.
        writing: that of the text.

    Returns:
        None if no word for what it is stands before or at the beginning of the run.
    """
    if not _is_known(language) or not run:
        return None
    if own := _led_by_its_kind(run, text, language, writing):
        return own
    before = text[max(0, run[0].start - _LOOKED_BACK) : run[0].start].lower()
    start = run[0].start - len(before)
    if run[0].titled and (match := _practice(code_of(language)).search(before)):
        return start + match.start(), 1, "Organization"
    if run[0].titled:
        return None
    firms = LEXICONS.read(_SUBJECT, code_of(language)).words("organisations")  # "club Les Ormes" is called by its name
    for kind, cue in _heads(code_of(language)):
        match = cue.search(before)
        if match and _is_name(run, match["head"], match["of"] != "", language, writing):
            own = (
                len(run) > 1 and not match["of"] and match["head"] in firms and not _is_someone(run, language, writing)
            )
            return run[0].start if own else start + match.start("head"), min(len(run), _MOST_WORDS), kind
    return None


def _led_by_its_kind(
    run: Sequence[Word], text: str, language: str | None, writing: Writing
) -> tuple[int, int, str] | None:
    """Return the same of a run whose first word, large itself, says what is named: "Ferretería Lobo"."""
    lexicon, head = LEXICONS.read(_SUBJECT, code_of(language)), run[0].low
    if writes_nouns_large(code_of(language)):
        found = thing_among_nouns(run, text, language, writing)
        return found or _firm_among_nouns(run, text, language, writing)
    if len(run) < 2:
        return None
    of = text[run[0].end : run[1].start].strip() != ""
    firms = lexicon.words("organisations") | lexicon.words("schools") | lexicon.words("trades")
    is_firm = head in lexicon.words("bodies") or (head in firms and not of)
    kind = "Organization" if is_firm else "Location" if head in lexicon.words("places") else None
    if kind is None or not _is_name(run[1:], head, of, language, writing):
        return None
    return run[0].start, min(len(run), _MOST_WORDS), kind


def _firm_among_nouns(
    run: Sequence[Word], text: str, language: str | None, writing: Writing
) -> tuple[int, int, str] | None:
    """Return the same of a firm where nouns are large: it is offered, or has its number ("Angebot Zelte Moll 90 €")."""
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    offering = lexicon.words("offered_by") | lexicon.words("at") | {""}
    for number, (trade, word) in enumerate(pairwise(run)):
        before = run[number - 1].low if number else "" if trade.begins else trade.before
        clear = word.low not in writing.small and not writing.determined[word.low] and word.low not in no_names()
        if trade.low in lexicon.words("trades") and clear and before in offering and _OFFERED.match(text, word.end):
            return trade.start, number + 2, "Organization"
    return None


def type_by_clause(run: Sequence[Word], text: str, language: str | None, writing: Writing) -> str | None:
    """Return what the clause before a name says that it is: where one lives, works, buys or is insured; else None."""
    if not _is_known(language) or _is_someone(run, language, writing) or run[0].low in writing.small:
        return None
    if shown := type_beside(run, text, language, writing):
        return shown
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    clause = _CLAUSE.split(text[max(0, run[0].start - _LOOKED_BACK) : run[0].start].lower())[-1]
    if _is_ordinary(run[0], lexicon):
        return None
    brand = len(run) == 1 and is_written_as_brand(run[0].text)
    if writes_nouns_large(code_of(language)) and (writing.determined[run[0].low] or len(run) > 1) and not brand:
        return None
    if _matches(code_of(language), "provided", clause) or _matches(code_of(language), "work", clause):
        return "Organization"
    is_place = not run[0].begins and not brand and not run[0].determined and _is_entered(clause, run[0], lexicon)
    return "Location" if is_place else None


def _is_ordinary(word: Word, lexicon: Lexicon) -> bool:
    """Return whether a word is none of a name here, as one for what is bought, or with a digit: "CE2"."""
    known = (lexicon.words(key) for key in ("no_places", "providers", "organisations", "schools", "bodies"))
    is_word = word.low in no_names() or word.low in calendar_words() or any(word.low in words for words in known)
    return is_word or any(map(str.isdigit, word.text))


def _is_entered(clause: str, word: Word, lexicon: Lexicon) -> bool:
    if word.before in lexicon.words("entered"):
        return True
    if word.before in lexicon.words("entered_or_given"):
        return not _says(lexicon, "given", clause)
    return word.before in lexicon.words("entered_by_going") and _says(lexicon, "going", clause)


def _says(lexicon: Lexicon, key: str, clause: str) -> bool:
    return re.search(rf"(?<!\w)(?:{lexicon.expression(key)})(?!\w)", clause) is not None


def _is_someone(run: Sequence[Word], language: str | None, writing: Writing) -> bool:
    word = run[0]
    return word.titled or word.called or word.text in writing.people or given_name(word.text, language) is not None


def _is_name(words: Sequence[Word], head: str, of: bool, language: str | None, writing: Writing) -> bool:
    """Return whether words behind a word for what a thing is name it, and not whose it is: "l'école de Noé"."""
    word = words[0]
    lexicon = LEXICONS.read(_SUBJECT, code_of(language))
    if len(words) == 1 and (word.low in writing.small or word.low in no_names()):
        return False
    is_person = word.text in writing.people or given_name(word.text, language) is not None
    if len(words) == 1 and is_person and (of or head in lexicon.words("schools")):
        return False
    is_program = known_names().get(word.text) is not None or is_written_as_brand(word.text)
    return not (head in lexicon.words("means") and is_program)


def _is_known(language: str | None) -> bool:
    return LEXICONS.has(_SUBJECT, language) and code_of(language) == language


@cache
def _practice(language: str) -> re.Pattern[str]:
    words = LEXICONS.read(_SUBJECT, language).words("practices")
    titles = alternatives(words_around("titles", language) | {"med"})
    return re.compile(rf"(?<![\w-])(?:{alternatives(words)}) (?:(?:{titles})\.? )+$")


@cache
def _heads(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return for each type the expression of words before a name that say so, in small letters."""
    if writes_nouns_large(language):
        return ()
    lexicon = LEXICONS.read(_SUBJECT, language)
    of = (
        rf"(?:(?:{alternatives(words_around('particles', language) | words_around('definite', language))})[ '’]){{1,2}}"
    )
    firms = alternatives(lexicon.words("organisations") | lexicon.words("schools"))
    bodies, places = alternatives(lexicon.words("bodies")), alternatives(lexicon.words("places"))
    return (
        ("Organization", re.compile(rf"(?<![\w/-])(?P<head>{bodies}) (?P<of>(?:{of})?)$")),
        ("Organization", re.compile(rf"(?<![\w/-])(?P<head>{firms}) (?P<of>)$")),
        ("Location", re.compile(rf"(?<![\w/-])(?P<head>{places}) (?P<of>(?:{of})?)$")),
    )


@cache
def _clauses(language: str) -> dict[str, re.Pattern[str]]:
    lexicon = LEXICONS.read(_SUBJECT, language)
    found: dict[str, re.Pattern[str]] = {}
    if lexicon.words("providers"):
        by = rf"(?:(?:{lexicon.pattern('provided_by')})[ '’]){{0,2}}"
        said = rf"(?<![\w-])(?:{lexicon.pattern('providers')})(?: [^\W\d_]{{1,12}}){{0,3}} ?:? {by}$"
        found["provided"] = re.compile(said)
    if lexicon.listed("work"):
        # "Trabaja en Lumea", but "ha comprado piso en Olmeda": what also leads to places stands right behind the verb.
        near = lexicon.words("entered") | lexicon.words("entered_by_going")
        far = alternatives(set(lexicon.listed("at")) - near)
        work, at = lexicon.expression("work"), lexicon.pattern("at")
        found["work"] = re.compile(rf"(?<!\w)(?:{work})(?!\w)(?: (?:{at})|[^:]{{0,40}}(?<!\w)(?:{far}))[ '’]$")
    return found


def _matches(language: str, key: str, clause: str) -> bool:
    pattern = _clauses(language).get(key)
    return pattern is not None and pattern.search(clause) is not None

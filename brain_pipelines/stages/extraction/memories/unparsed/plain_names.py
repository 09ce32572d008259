"""Names in a text without a parse: given names of six languages, listed names, and large words inside sentences.

A large word is no name if the text has it in small letters too, if it stands only at the beginning of sentences, or, as
one word, only behind articles ("le Bureau", "il Consiglio"). Where nouns are written large, only listed names, names
behind a title and names of companies are names.
"""

import re
from collections.abc import Iterator, Sequence, Set

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.callings import callings, is_called, relatives_called
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    known_names,
    level_of_region,
    listed_places,
    towns,
)
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED, LARGE, LISTED, NAMED
from brain_pipelines.stages.extraction.local.names.name_forms import (
    begins_place,
    place_openings,
    type_by_ending,
)
from brain_pipelines.stages.extraction.memories.declension import as_called
from brain_pipelines.stages.extraction.memories.enumerations import PlainName, with_enumerated
from brain_pipelines.stages.extraction.memories.large_words import (
    LEAST_ACRONYM,
    MOST_ACRONYM,
    Word,
    are_titles,
    calendar_words,
    companies,
    end_of_organisation,
    ends_like_town,
    is_elided,
    is_entered,
    is_pair,
    is_written_as_brand,
    no_names,
    saints,
    stands_alone,
)
from brain_pipelines.stages.extraction.memories.name_words import is_no_name
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.unparsed.cues_before_names import named_thing, type_by_clause
from brain_pipelines.stages.extraction.memories.unparsed.names_among_nouns import is_in_place, joins_site
from brain_pipelines.stages.extraction.memories.unparsed.nouns import is_noun
from brain_pipelines.stages.extraction.memories.unparsed.plain_people import is_common, person_in
from brain_pipelines.stages.extraction.memories.writing import TOKEN, Writing, words_around, writing_of
from brain_retrieval.language.lexicon import code_of

_STARTS = re.compile(r"(?:^|[.!?:…•|]\s|[;–—]\s|\\)[\s\"'“„«»¿¡(*\\-]*$")
_LANGUAGES = LEXICONS.languages("plain_names")
MOST_WORDS = 4  # of a name that is only known by its large letters
MOST_SHORTENED = 3  # letters of a word with a stop behind it that may be an abbreviation
_HEADS = (("place_heads", "Location"), ("organisation_heads", "Organization"), ("event_heads", "Event"))
SHOUTED = 0.6  # share of large letters of a line in capitals


def plain_names(
    text: str, language: str | None, writing: Writing | None = None, breaks: Set[int] = frozenset()
) -> tuple[PlainName, ...]:
    """Return the names of a block, in order.

    Args:
        text: of the block.
        language: its code; None if unknown.
        writing: that of the whole text, else that of the block.
        breaks: places of the block where a line of the source ends. No name goes on behind one where nouns are large.
    """
    writing = writing_of(text, language) if writing is None else writing
    letters = [char for char in text if char.isalpha()]
    if sum(char.isupper() for char in letters) > SHOUTED * len(letters):
        return ()
    found = tuple(
        name for run in _runs(text, language, _apart(breaks, language)) for name in _named(run, text, language, writing)
    )
    kin = relatives_called(text, language, [(name.start, name.end) for name in found])
    found = tuple(sorted([*found, *kin], key=lambda name: name.start))
    return with_enumerated(text, found, words_around("conjunctions", language))


def _apart(breaks: Set[int], language: str | None) -> Set[int]:
    return breaks if writes_nouns_large(code_of(language)) else frozenset()


def _runs(text: str, language: str | None, breaks: Set[int]) -> Iterator[list[Word]]:
    """Yield large words that follow each other, also with "de la" or "van" between them."""
    joining = words_around("particles", language) if code_of(language) in _LANGUAGES else frozenset[str]()
    articles = words_around("determiners", language)
    titles = words_around("titles", language)
    run: list[Word] = []
    before, between, position, site = "", 0, 0, False
    for match in TOKEN.finditer(text):
        gap, position = text[position : match.start()], match.end()
        word = match.group().rstrip(".-")
        if word[0].isupper() and not is_elided(text, match.end()) and not is_no_name(word):
            saint = bool(run) and gap == ". " and run[-1].low in saints()  # "Kirche St. Anna"
            joined = bool(run) and (saint or gap in (" ", "'", "’")) and (between == 0 or before in joining or site)
            joined = joined and breaks.isdisjoint(range(run[-1].end, match.start()))
            if not joined:
                if run:
                    yield run
                run = []
            begins = bool(_STARTS.search(text[max(0, match.start() - 12) : match.start()])) or "\n" in gap
            led = gap in ("'", "’") or before in articles and gap == " "
            titled = gap in (" ", ". ") and are_titles(before, titles)
            span = (match.start(), match.start() + len(word))
            shortened = text[span[1] : span[1] + 1] == "." and len(word) <= MOST_SHORTENED  # "Fa.", "Hr."
            called = not run and not shortened and is_called(text, span[0], language)
            run.append(Word(word, *span, begins, led and not run, titled, before, called))
            between, site = 0, False
        elif run and gap == " " and not between and joins_site(run[-1].text, match.group(), language):
            between, site = 1, True
        elif run and gap in (" ", "'", "’") and (match.group().lower() in joining or site) and between < 2:
            between += 1
        elif run:
            yield run
            run, between, site = [], 0, False
        before = match.group().lower()
    if run:
        yield run


def _named(run: list[Word], text: str, language: str | None, writing: Writing) -> Iterator[PlainName]:
    while run and (_is_possessive(run[0], text, language) or not _may_begin(run, language)):
        run = run[1:]
    if not run:
        return
    if thing := named_thing(run, text, language, writing):
        start, words, kind = thing
        first = next((number for number, word in enumerate(run) if word.start == start), 0)
        yield from _named(run[:first], text, language, writing)
        yield PlainName(start, run[words - 1].end, text[start : run[words - 1].end], kind, EVIDENT)
        yield from _named(run[words:], text, language, writing)
        return
    whole = " ".join(word.text for word in run)
    if begins_place(whole) or _is_headed_place(run, language):
        yield _name(run, text, "Location", EVIDENT)  # "Rue Victor Hugo" is no person
        return
    if len(run) > 1 and level_of_region(text[run[0].start : run[-1].end]):
        yield _name(run, text, "Location", LISTED)  # "Carolina do Norte"
        return
    if run[0].before in place_openings(language):
        return  # a street without its first word: "rue Victor Hugo"
    last = 0 if len(run) > 1 and is_common(run[1], language) else end_of_organisation(run, language, writing)
    if last:
        yield _name(run[:last], text, "Organization", EVIDENT)
        yield from _named(run[last:], text, language, writing)
        return
    found = person_in(run, language, writing)
    if found is not None and type_by_ending(text[run[found[0]].start : run[found[1] - 1].end]) is None:
        first, last = found
        yield from _other(run[:first], text, language, writing)
        confidence = NAMED if last > first + 1 else LISTED
        yield _name(run[first:last], text, "Person", confidence, language)
        yield from _named(run[last:], text, language, writing) if not writes_nouns_large(code_of(language)) else ()
        return
    yield from _other(run, text, language, writing)


def _may_begin(run: Sequence[Word], language: str | None) -> bool:
    """Return whether a name may begin with the first of the words: "Di Pasquale", not "Il Consiglio"."""
    word = run[0]
    if (
        word.text in every_given_name()
        or word.titled
        or word.called
        or word.low not in no_names()
        or _is_headed_place(run, language)
    ):
        return True
    joining = words_around("particles", language) - words_around("determiners", language)
    return len(run) > 1 and not word.begins and word.low in joining


def _is_possessive(word: Word, text: str, language: str | None) -> bool:
    """Return whether a given name is a word of the language, before a word for who someone is: "Mia cognata Ida"."""
    if word.low not in words_around("determiners", language):
        return False
    following = TOKEN.match(text, word.end + 1)
    return following is not None and following.group().lower() in callings(language)


def _is_headed_place(run: Sequence[Word], language: str | None) -> bool:
    """Return whether the first word says that a place is named, maybe after a person: "San Pedro", "Hotel Maria"."""
    if len(run) < 2 or not run[1].text[0].isupper():
        return False
    return run[0].low in words_around("place_heads", language) or run[0].low in saints()


def _other(run: Sequence[Word], text: str, language: str | None, writing: Writing) -> Iterator[PlainName]:
    """Yield a listed name, a place, a company, an acronym, or what only its large letters show to be a name."""
    if not run:
        return
    owns = len(run) > 1 and is_noun(run[-1].text, language) and not is_noun(run[0].text, language)
    while len(run) > 1 and owns and is_noun(run[-1].text, language):
        run = run[:-1]  # "Bei Dehner Tomaten geholt"
    whole = text[run[0].start : run[-1].end]
    kind = known_names().get(whole) or ("Location" if whole in listed_places() else None)
    if kind is None and whole in towns() and not run[0].begins and not writes_nouns_large(code_of(language)):
        kind = "Location"
    following = TOKEN.match(text, run[-1].end + 1)
    if kind is None and following and _is_company(following.group(), run[-1], language):
        kind = "Organization"
    if kind is not None:
        yield _name(run, text, kind, LISTED)
        return
    if kind := type_by_clause(run, text, language, writing):
        yield _name(run, text, kind, EVIDENT)
        return
    if writes_nouns_large(code_of(language)):
        yield from _among_nouns(run, text, language, writing, owns=owns)
        return
    while len(run) > 1 and run[-1].low in no_names():
        run = run[:-1]
    if run[0].begins and not stands_alone(run[0], writing) and not is_pair(run, writing):
        yield from _other(run[1:], text, language, writing)
    elif _is_name(run, language, writing):
        headed = _type_by_head(run, language)
        yield _name(run, text, headed or "Concept", EVIDENT if headed else GUESSED)


def _is_company(form: str, word: Word, language: str | None) -> bool:
    """Return whether a legal form stands behind a word: "Moser GmbH", but "zum Jahresende ab" (AB in Swedish)."""
    if form.islower() and is_noun(word.text, language):
        return False
    return form.lower().replace(".", "") in companies()


def _among_nouns(
    run: Sequence[Word], text: str, language: str | None, writing: Writing, *, owns: bool
) -> Iterator[PlainName]:
    """Yield the words of a run that are listed, a place one is in, or written as a brand, where nouns are large.

    What `owns` the noun behind it is no place: "in Tijas Bauch".
    """
    for word in run:
        listed = known_names().get(word.text) or ("Location" if word.text in listed_places() else None)
        alone = len(run) == 1 and not owns
        articled = writing.determined[word.low] and listed != "Organization"  # "beim Rewe" names it, too
        if listed and word.low not in writing.small and not articled:
            yield _name([word], text, listed, LISTED)
        elif alone and is_in_place(word, text, language, writing):
            yield _name([word], text, "Location", EVIDENT)
        elif alone and is_entered(word, language, writing) and not is_noun(word.text, language):
            yield _name([word], text, "Location", EVIDENT if ends_like_town(word, language) else GUESSED)
        elif is_written_as_brand(word.text) and word.low not in writing.small:
            yield _name([word], text, "Concept", LARGE)


def _type_by_head(run: Sequence[Word], language: str | None) -> str | None:
    """Return what the first or last word of a name says that it is: "Torre Eiffel", "Universidad de Chile"."""
    if len(run) < 2:  # "Palacio" alone is one of many
        return None
    for key, kind in _HEADS:
        if run[0].low in words_around(key, language):
            return kind
    return type_by_ending(" ".join(word.text for word in run))


def _is_name(run: Sequence[Word], language: str | None, writing: Writing) -> bool:
    """Return whether large words inside a sentence are a name."""
    if len(run) > MOST_WORDS or len(run) > 1 and all(word.text.isupper() for word in run):
        return False
    if len(run) > 1:
        return not all(word.low in writing.small for word in run)
    word = run[0]
    if word.low in writing.small or word.low in calendar_words():
        return False
    if word.text.isupper() or any(map(str.isdigit, word.text)):
        return LEAST_ACRONYM <= len(word.text) <= MOST_ACRONYM and word.text.isupper() and word.text.isalpha()
    least = 1 if code_of(language) in _LANGUAGES else 2
    return writing.free[word.low] >= max(least, writing.determined[word.low])


def _name(words: Sequence[Word], text: str, kind: str, confidence: float, language: str | None = None) -> PlainName:
    start, end = words[0].start, words[-1].end
    written = text[start:end]
    return PlainName(start, end, as_called(written, language) if kind == "Person" else written, kind, confidence)

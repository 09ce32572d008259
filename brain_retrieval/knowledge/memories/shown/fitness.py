"""Which memories are fit to be shown first to a reader who did not ask for anything: whole sentences about something.

What is left out here is stored, found and listed with `--all`. A list of six good memories is better than one of ten.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
from brain_retrieval.knowledge.memories.shown.sums import is_money
from brain_retrieval.language.concepts import DECIDED
from brain_retrieval.language.content_words import content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import lowered, plain, word_expression, word_pattern
from brain_retrieval.language.self_description import describes_speaker, names_contact

_PEOPLE = ("speaker", "listener")
LEAST_CONTENT = 2  # content words and names of things: "Steven helped" tells nothing
SURE = 0.9  # of a probability that needs no name or day beside it
# Kinds of what holds in general; of these one needs a person, a value or a slot to be about a life or a work.
_GENERAL = frozenset({"fact", "feeling", "preference"})
# Concepts of what a person has or is for long, so that a change of it is part of a life.
LIFE = frozenset(
    f":{concept}"
    for concept in (
        "residence", "partner", "own", "pregnancy", "diet", "study", "school", "team", "medicine",
    )
)  # fmt: skip
# Of these the words are said in passing, too: "ownership of decisions", "takes time", "I'm seeing", "files live here".
_IN_PASSING = frozenset({":own", ":medicine", ":partner", ":residence"})
# Logs, footnotes, markup, tasks of a list ("TODO call Ann"), and what breaks off or leads on to something that is not
# in the sentence.
_BROKEN = re.compile(
    r"\A(?:[\[(>|*^!✅✔☑]|(?:TODO|DOING|LATER|NOW|WAITING)\s|\d{1,2}\. |\w{1,20}: \w{1,20}: )"
    r"|:white_check_mark:|:heavy_check_mark:|✅"
    r"|(?:[:…]|\.\.\.)\Z|<[a-z/]|[-=]>|→|\]\(|\[\^|\\"
)
_CLOSED_ONLY = re.compile(
    r"[.!?\])]>\s"
)  # two sentences, of which the first ends a bracket: "<by the way … it.> I use it"
_TIMES = frozenset({"date", "time", "month", "year", "duration", "hour", "day", "week"})
# Said to someone, also where no listener is named: to a program, or to the readers of a mail.
_TALK = frozenset({"conversation", "agent-output", "voice-memo", "email"})
SURE_IN_TALK = 0.8
_READ = frozenset({"document", "web-page", "web-crawl"})  # what others wrote, of their own prices
_WORD = re.compile(r"[^\W_]{1,40}")
_TITLE = re.compile(r"\[[^\[\]\d]{3,120}\]\W{0,2}\Z")

# People and things that as many sources name belong to the world of the owner; what one essay cites does not.
KNOWN = 2
# Where people speak for themselves; what they say there of themselves is for whoever reads it.
MESSAGE = "message"
OWNER = "user"  # the speaker of the owner's own words to a program
PROGRAMS = frozenset({"assistant", "agent", "system", "tool"})  # as speakers
PERSONAL = frozenset({MESSAGE, "conversation", "note", "agent-note", "voice-memo", "email"})
FEW = 6  # sources; fewer do not show what is only cited

Row = Mapping[str, Any]


def is_fit(row: Row) -> bool:
    """Return whether a row of MEMORIES reads as a whole sentence and says something of a name, a person or a day.

    What an agent or the owner stated as a memory is always fit.
    """
    if row["method"] in WRITTEN:
        return True
    words = said(row)
    if not is_whole(words) or leaves_unnamed(words, row):
        return False
    return tells_of_oneself(row) or (_says_enough(words, row) and _is_about_something(row) and _lasts(words, row))


def tells_of_oneself(row: Row, *, to_readers: bool = False) -> bool:
    """Return whether someone says what stays true of themselves: name, work, family, health, likes, what to remember,
    or the name of their doctor.

    A message to one's own memory that states a day, an amount of money or an attribute is as much.

    Args:
        row: of MEMORIES.
        to_readers: whether an essay says it: its writer likes, wishes and does much just then.
    """
    stated = row["slot_attribute"] or any(map(states_when_or_price, row["values"] or ()))
    if row["source"] == MESSAGE and stated:
        return True
    if row["source"] not in PERSONAL:
        return False
    to_program = not to_readers and (row["source"] == MESSAGE or row["speaker"] == OWNER)
    words = said(row)
    return describes_speaker(words, to_program=to_program, to_readers=to_readers) or names_contact(words)


def by_program(row: Row) -> bool:
    """Return whether an assistant said it in a text; what an agent states as a memory is another matter."""
    return row.get("method", "local") == "local" and (row["speaker"] or "").casefold() in PROGRAMS


def is_of_another(row: Row) -> bool:
    """Return whether a memory states an attribute of a person who is not its speaker: "Bob lives in Hull"."""
    entities = row["entities"] or ()
    if not row["slot_attribute"] or any(one["role"] in _PEOPLE for one in entities):
        return False
    return any(one["role"] == "subject" and one["type"] == "Person" for one in entities)


def said(row: Row) -> str:
    """Return the text of a memory without the name of its speaker in front."""
    return row["text"].removeprefix(f"{row['speaker']}: ").strip()


def is_whole(said: str) -> bool:
    """Return whether a sentence reads as one: no markup, no entry of a log, with both ends of brackets and quotes."""
    if _BROKEN.search(said) or ("<" not in said and _CLOSED_ONLY.search(said)) or _ticked().match(lowered(said)):
        return False
    if said.count("[") != said.count("]"):  # what is left of a link that was cut
        return False
    german = "„" in said  # there the English opening mark closes
    quotes = (("„", "“”"),) if german else (("“", "”"), ("«", "»"))
    return all(said.count(begin) <= sum(map(said.count, ends)) for begin, ends in quotes)


def leaves_unnamed(said: str, row: Row) -> bool:
    """Return whether a line gives a day of what is named in the line before: "New date: 14 April", "Deadline is 3 May".

    The title that it stands under, in brackets, names it too.
    """
    if any(one["role"] not in _PEOPLE for one in row["entities"] or ()) or _TITLE.search(said):
        return False
    return _unnamed().match(lowered(said)) is not None


def _says_enough(said: str, row: Row) -> bool:
    """Return whether more is said than who: a value, an attribute, or two words or names of things."""
    if row["slot_attribute"]:
        return True
    named = {word_form(plain(word)) for one in row["entities"] or () for word in _WORD.findall(lowered(one["name"]))}
    things = sum(one["type"] != "Person" for one in row["entities"] or ())
    words = set(content_words(said)) - named
    if row["values"]:
        others = any(one["role"] not in _PEOPLE for one in row["entities"] or ())
        return others or bool(words - light_words())  # not "at about three today"
    return len(words) + things >= LEAST_CONTENT


def _is_about_something(row: Row) -> bool:
    """Return whether a thing is named or a value stated; what holds in general must be about a person, too."""
    entities = row["entities"] or ()
    named = [one for one in entities if one["role"] not in _PEOPLE]
    if row["slot_attribute"] or any(map(states_when_or_price, row["values"] or ())):
        return True
    if row["kind"] in _GENERAL:  # "Five kilometres of Italy lie before me" is of a moment
        if not any(one["type"] == "Person" for one in entities):
            return False
        named = [one for one in named if one["type"] != "Location"]
    return bool(named) or row["keep"] >= SURE or not LIFE.isdisjoint(row["anchors"])


def _lasts(said: str, row: Row) -> bool:
    """Return whether more than a moment is described: what happened or is planned, or a state worth knowing later.

    What a text says in the present without a day, a price or an attribute is mostly an opinion, a general remark or
    what its writer sees just then: of 47 such sentences of diaries, minutes and mails 14 were useful, of 82 others 50.
    What is said to someone tells more of a life, and of mails such sentences were useful as often as others.
    """
    of_life = LIFE if row["kind"] != "fact" else LIFE - _IN_PASSING
    if row["slot_attribute"] or not of_life.isdisjoint(row["anchors"]):
        return True
    if _moments().search(lowered(said)):
        return False
    in_talk = row["listener"] or (row["source"] in _TALK and row["speaker"] and row["keep"] >= SURE_IN_TALK)
    if row["kind"] != "fact" or in_talk or row["from_stated"]:
        return True
    if any(value["dimension"] == "date" or is_money(value["dimension"]) for value in row["values"] or ()):
        return True
    about = any(one["role"] == "subject" and one["type"] == "Person" for one in row["entities"] or ())
    return _perfect().search(said) is not None or (about and _was().search(lowered(said)) is not None)


@cache
def _unnamed() -> re.Pattern[str]:
    return word_pattern(SHARED.every_language("definitions").listed("unnamed"))


@cache
def _ticked() -> re.Pattern[str]:
    """Return a pattern for the beginning of a task whose state is noted, in all languages: "Done - ask Ann"."""
    words = word_expression(SHARED.every_language("definitions").listed("ticked"), lowered)
    return re.compile(rf"(?:{words}) ?[-–:] ")


@cache
def _moments() -> re.Pattern[str]:
    """Return a pattern for the words of all languages that tie a sentence to the minute it was written in."""
    return word_pattern(SHARED.every_language("definitions").listed("moments"))


@cache
def _perfect() -> re.Pattern[str]:
    """Return a pattern for what has happened, in English: "have created"; elsewhere that makes an event."""
    return re.compile(SHARED.read("definitions").expression("perfect"), re.IGNORECASE)


@cache
def _was() -> re.Pattern[str]:
    """Return a pattern for what someone was, in English; what someone says or thinks just now is of a moment."""
    return word_pattern(SHARED.read("definitions").listed("past"))


def states_when_or_price(value: Mapping[str, str]) -> bool:
    """Return whether a value is a time, a length of time or an amount of money."""
    return value["dimension"] in _TIMES or is_money(value["dimension"])


def is_of_home(
    row: Row,
    known: frozenset[str] | None,
    topics: frozenset[str] = frozenset(),
    jotted: frozenset[str] = frozenset(),
) -> bool:
    """Return whether a memory is about its owner, a speaker, or someone the sources name again and again.

    What one person tells another is of their home, and so is what a note of a few lines says: "Vet is Hannah at the
    mill." So is what stands under a heading of decisions, and an amount of money where it stands with a word that comes
    up again and again: the fee of a club.

    Args:
        row: of MEMORIES.
        known: names that KNOWN sources or more have; None: there are too few sources to tell.
        topics: words that many sources have.
        jotted: sources that are notes of a few lines.
    """
    if known is None or row["method"] in WRITTEN or row["listener"] or row["source_id"] in jotted:
        return True
    if DECIDED in row["anchors"]:
        return True
    entities = row["entities"] or ()
    if any(one["role"] in _PEOPLE for one in entities) or tells_of_oneself(row):
        return True
    priced = any(is_money(value["dimension"]) for value in row["values"] or ())
    if priced and row["source"] not in _READ and not topics.isdisjoint(row["anchors"]):
        return True
    common = [one for one in entities if one["name"] in known and one["type"] != "Location"]
    if any(one["type"] == "Person" for one in common):
        return True
    return bool(common) and bool(row["values"] or row["slot_attribute"])

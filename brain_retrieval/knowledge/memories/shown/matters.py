"""What a life or a work turns on, in notes, talk and mail: marriage, birth and death, illness, home, work, school, what
is owned, decided, or paid again and again, and addresses and codes.

A diary tells what a day was like, and how useful one of its sentences is cannot be seen from its form: of the sentences
that look as useful as those of other texts, one in ten is. Of those that say such a thing of a person seven in ten are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

from brain_retrieval.knowledge.memories.shown.announced import LEAST_KEEP as LEAST_KEEP_ANNOUNCED
from brain_retrieval.knowledge.memories.shown.announced import announced
from brain_retrieval.knowledge.memories.shown.display import LEAST_REPEATED, is_routine, own_words
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, PROGRAMS, is_whole, leaves_unnamed, said
from brain_retrieval.knowledge.memories.shown.narrated import is_narrated
from brain_retrieval.knowledge.memories.shown.sums import is_large, is_paid_again, is_sum
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memories.shown.usefulness import is_everyday
from brain_retrieval.knowledge.memory_states import HIGH
from brain_retrieval.language.concepts import DECIDED as MARK_OF_DECISIONS
from brain_retrieval.language.details import states_detail
from brain_retrieval.language.folding import fold, without_accents
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern
from brain_retrieval.language.self_description import describes_speaker

SUBJECT = "matters"
DECIDED, DUES, MOVED, COMING = "decided", "dues", "moved", "coming"
STANDING, STRANGERS, PROJECT = "standing", "strangers", "project"
DETAILS, FIGURATIVE = "details", "figurative"
CONTRACTS = "contracts"
SUM = "sum"  # of a note, which may well matter less than what states none
CARRIED, APPOINTED = "carried", "appointed"
ONESELF = "oneself"
OF_PERSONS = ("partner", "family", "health", "home", "work", "study", "owned", PROJECT, STANDING)  # said of a person
OF_TASKS = ("work", "study", PROJECT, STANDING)
# Such a sentence is worth keeping although it looks ordinary; a decision is often short and names nothing.
LEAST_KEEP, LEAST_KEEP_DECIDED = 0.5, 0.38
LEAST_KEEP_LIFE = 0.3  # of births, deaths and illness, which hardly look like anything: "Leo has a nut allergy."
_LEAST_KEEP = {DECIDED: LEAST_KEEP_DECIDED, COMING: 0.6, "family": LEAST_KEEP_LIFE, "health": LEAST_KEEP_LIFE}
_AT_ONCE = {"family": 2, "home": 2, "health": 2, "work": 2, "owned": 2, PROJECT: 3, STANDING: 4}
_PEOPLE = ("speaker", "listener")
# Of what people say to one another such lines are as useful as those of notes: of 15 labelled ones 12 were.
_TALK = frozenset({"conversation", "email", "voice-memo"})
_SPOKEN = frozenset({"conversation", "voice-memo"})  # there it is of people whose names may not be found: "Can"
AHEAD = timedelta(days=400)  # of the newest thing that is said
RUNS = timedelta(days=60)  # after it was said, from which on a contract is to run
_NAME = re.compile(r"\s[A-Z][^\W\d_A-Z]{1,20}(?: [A-Z][^\W\d_]{1,20})?,\s")
_LARGE = re.compile(r"\s[A-ZÀ-ÖØ-Þ]")
_PLACE = re.compile(r"\s(?:the )?[A-Z]\w")

Row = Mapping[str, Any]


def is_matter(row: Row, home: Surroundings) -> bool:
    """Return whether a sentence of a note, of talk or of a mail tells such a thing by itself, whole and asserted.

    What is to come does not count outside of notes: people arrange much with one another that is past tomorrow.

    Args:
        row: of MEMORIES.
        home: of all memories of the user.
    """
    if row["method"] != "local" or row["source"] not in ("note", *_TALK):
        return False
    if row["modality"] != "asserted" or row["sensitivity"] == HIGH or not is_whole(said(row)):
        return False
    if (row["speaker"] or "").casefold() in PROGRAMS or row["keep"] < LEAST_KEEP_ANNOUNCED or is_routine(row):
        return False
    if row["source"] in _SPOKEN and announced(row) is not None:
        return True
    if row["keep"] < LEAST_KEEP_LIFE:
        return False
    if not row["self_contained"] and not is_carried(row):  # a motion is a row of a table, "Appoint Ann as treasurer"
        return False
    matter = matter_of(row) or (COMING if row["source"] == "note" and is_to_come(row, home) else None)
    if matter in (COMING, DECIDED) and leaves_unnamed(said(row), row):
        return False
    if matter in OF_TASKS and row["kind"] == "instruction" and row["source"] == "note":
        return False  # "Ann: ask for a new treasurer" has been done, or is none of its reader
    if matter == ONESELF and is_narrated(row):  # "My son has been playing a lot this week"
        return False
    if matter == STANDING and is_narrated(row) and _has_been(row):  # "Ann sang in the choir last Friday"
        return False
    if matter in (DUES, SUM) and row["kind"] == "event" and not _LARGE.search(said(row)):  # "Quote sent, 900 pounds"
        return False
    return matter is not None and row["keep"] >= _LEAST_KEEP.get(matter, LEAST_KEEP)


def matter_of(row: Row) -> str | None:
    """Return what a memory is about, one of the keys of `matters.toml` or ONESELF; None: nothing of the kind.

    What happens to people counts beside a person, the speaker among them, and in talk; what is paid beside an amount of
    money, an address or a code beside its digits.
    """
    words = said(row)
    if row["evidence"] not in words:  # with "I" and "she" as they were written
        words = f"{words}\n{row['evidence']}"
    low = lowered(words)
    if _introduces_speaker(words, low):
        return ONESELF
    low = _listed(FIGURATIVE).sub(lambda found: " " * len(found.group()), low)
    types = {one["type"] for one in row["entities"] or ()}
    if "Person" in types or (row["source"] in _SPOKEN and row["speaker"]):
        stranger = _listed(STRANGERS).search(low)
        known = low[: stranger.start()] if stranger else low  # of "a man who has retired" nothing is wanted back
        for key in OF_PERSONS if row["polarity"] != "negated" else ():
            if _listed(key).search(known):
                return key
        if _names_place(row) and any(_PLACE.match(words, found.end()) for found in _listed(MOVED).finditer(low)):
            return "home"
    elif "Organization" in types and row["polarity"] != "negated" and _listed(PROJECT).search(low):
        return PROJECT  # "The contract with Corley Foods is renewed until June"
    if row["polarity"] != "negated" and (_listed(DECIDED).search(low) or is_carried(row)):
        return DECIDED
    if MARK_OF_DECISIONS in row["anchors"]:
        return DECIDED
    if states_detail(said(row)):
        return DETAILS
    if _is_due(row, low):
        return DUES
    return SUM if row["source"] == "note" and _states_sum(row, words) else None


@lru_cache(maxsize=1 << 14)
def tells_matter(text: str, *, once: bool = False) -> bool:
    """Return whether a sentence about a person tells what a life turns on, or a decision.

    Args:
        text: of a memory.
        once: whether what someone has taken on or does every week is left out.

    >>> tells_matter("Ann was promoted to head of sales."), tells_matter("Ann rang at lunch.")
    (True, False)
    """
    low = _listed(FIGURATIVE).sub(" ", lowered(text))
    return any(_listed(key).search(low) for key in (*OF_PERSONS, DECIDED) if not (once and key == STANDING))


def stays(row: Row, changes: Iterable[Row], home: Surroundings) -> bool:
    """Return whether such a thing still stands after later sentences that may have changed it.

    Many a sentence with "now" or "instead" shares a word with it ("We married in Graz", "I'm in love with the idea
    now"); only one that tells such a thing itself is about it, and of what is paid one with a sum.

    Args:
        row: of MEMORIES.
        changes: the memories that may have changed it.
        home: of all memories of the user.
    """
    matter = matter_of(row)
    if matter is None or not is_matter(row, home):
        return False
    return not any(
        matter_of(change) or (matter in (DUES, SUM) and any(map(is_sum, change["values"] or ()))) for change in changes
    )


def superseded(rows: Iterable[Row]) -> set[str]:
    """Return the ids of the memories of which a later one tells of the same matter of the same person.

    Who has graduated no longer writes a thesis. Of what may be several things at once, such as illnesses, the two
    newest stay; what was decided, is paid or is to come stays.
    """
    newest = sorted(rows, key=lambda row: (-row["said_at"].timestamp(), -row["start"], row["memory_id"]))
    seen: Counter[tuple[str, str]] = Counter()
    found = set[str]()
    for row in newest:
        matter = matter_of(row)
        if matter not in OF_PERSONS:
            continue
        keys = [(matter, name) for name in _people(row)]
        if all(seen[key] >= _AT_ONCE.get(matter, 1) for key in keys):
            found.add(row["memory_id"])
        seen.update(keys)
    return found


def without_steps(rows: Sequence[Row]) -> list[Row]:
    """Return the rows in order, without a step of a matter that another row of the same person tells of, too.

    "I had the chance to volunteer at the youth center" adds nothing to "I still volunteer at the youth center".

    Args:
        rows: of MEMORIES, the best first.
    """
    kept = list[Row]()
    for number, row in enumerate(rows):
        if is_narrated(row) and (matter := matter_of(row)) is not None:
            others = (*kept, *(later for later in rows[number + 1 :] if not is_narrated(later)))
            if any(matter_of(one) == matter and _shares_words(row, one) for one in others):
                continue
        kept.append(row)
    return kept


def _shares_words(row: Row, other: Row) -> bool:
    words = own_words(row) & own_words(other)
    return _people(row) == _people(other) and len(words) >= LEAST_REPEATED


def _people(row: Row) -> frozenset[str]:
    """Return the first names of the people in a memory besides its speaker, for the speaker alone theirs or ""."""
    named = (one["name"] for one in row["entities"] or () if one["type"] == "Person" and one["role"] not in _PEOPLE)
    found = frozenset(without_accents(fold(name)).split()[0] for name in named if fold(name))
    speaker = "" if row["speaker"] in (None, OWNER) else fold(row["speaker"])
    return found or frozenset({without_accents(speaker).split()[0] if speaker else ""})


def is_to_come(row: Row, home: Surroundings) -> bool:
    """Return whether a memory names a day or a month after everything that is said in the home, within AHEAD."""
    if home.latest is None or row["polarity"] == "negated" or row["kind"] == "event":
        return False
    first, last = home.latest.date().isoformat(), (home.latest + AHEAD).date().isoformat()
    days = (value["value"] for value in row["values"] or () if value["dimension"] in ("date", "month"))
    return any(first[: len(day)] < day[: len(first)] <= last for day in days)


def is_carried(row: Row) -> bool:
    """Return whether a memory is a motion that was carried and appoints a person or grants an amount of money.

    Others, such as that the last minutes are accepted, stand in the minutes of every meeting.

    Args:
        row: of MEMORIES.
    """
    low = lowered(said(row))
    if not _listed(CARRIED).search(low):
        return False
    named = any(one["type"] == "Person" for one in row["entities"] or ())
    return any(map(is_sum, row["values"] or ())) or (named and _listed(APPOINTED).search(low) is not None)


def _has_been(row: Row) -> bool:
    """Return whether a memory names a day before it was said."""
    said_on = row["said_at"].date().isoformat()
    return any(value["dimension"] == "date" and value["value"] < said_on for value in row["values"] or ())


def _introduces_speaker(words: str, low: str) -> bool:
    """Return whether someone says what they are, by name, nation or calling: "I'm Bo, I teach", no "I'm an idiot"."""
    if any(_NAME.match(words, found.end()) for found in _listed("being").finditer(low)):
        return True
    described = any(describes_speaker(line, to_readers=True) for line in words.split("\n"))
    return described and not _listed("jest").search(low)


def _names_place(row: Row) -> bool:
    return any(one["type"] == "Location" for one in row["entities"] or ())


def _is_due(row: Row, low: str) -> bool:
    """Return whether a memory says what is to be paid, or how long a contract runs."""
    return bool(_listed(DUES).search(low) and any(map(is_sum, row["values"] or ()))) or _runs_on(row, low)


def _states_sum(row: Row, words: str) -> bool:
    """Return whether a memory states what is paid again and again, or a large sum of a person."""
    values = row["values"] or ()
    if any(map(is_paid_again, values)):
        return True
    of_person = any(one["type"] == "Person" or one["role"] in _PEOPLE for one in row["entities"] or ())
    return of_person and any(map(is_large, values)) and not is_everyday(words)


def _runs_on(row: Row, low: str) -> bool:
    """Return whether a contract is said to run until, or from, a day RUNS or more ahead: a lease, an insurance."""
    if not _listed(CONTRACTS).search(low):
        return False
    least = (row["said_at"].date() + RUNS).isoformat()
    days = (value["value"] for value in row["values"] or () if value["dimension"] in ("date", "month", "year"))
    return any(day >= least[: len(day)] for day in days)


@cache
def _listed(key: str) -> re.Pattern[str]:
    """Return a pattern for the words of a key, in all languages."""
    return word_pattern(SHARED.every_language(SUBJECT).listed(key))

"""Procedures: several steps in order that are given to a program as steps, or that are done in nearly the same words on
several days.

Only talks with programs count: in a diary sentences with commas that are alike are a manner of writing.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.habits.rules import asked_of_programs
from brain_pipelines.knowledge.memory.habits.said import Said, forms_of, sentences_of
from brain_pipelines.knowledge.memory.habits.written import SUBJECT
from brain_pipelines.knowledge.memory.stories.passing import lists_names
from brain_retrieval.ids import content_id
from brain_retrieval.language.lexicon import ENGLISH, alternatives, code_of

PROCEDURE = "procedure"
LEAST_STEPS, MOST_STEPS = 3, 20
LEAST_DAYS = 3  # on which it was done
LEAST_SHARED = 4  # words
ALIKE = 0.55  # of the words of the shorter account
WORDS_A_STEP = 1.3  # at least: "Ann, Bob, Carla" are no steps
BEFORE = 120  # characters before the first step in which a word says that steps follow
MOST_ACCOUNTS = 3000

_NUMBER = re.compile(r"(?:^|(?<=\s))(\d{1,2})[.)]\s+")
_CUT = re.compile(r"(?:(?<!\s)\s++)?[,;]\s+")


@dataclass(frozen=True)
class _Account:
    said: Said
    steps: tuple[str, ...]
    words: frozenset[str]
    as_steps: bool  # said to be steps


def procedures(pieces: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield rows of HABITS of what is done in steps.

    Args:
        pieces: of `written`.
    """
    accounts = sorted(_accounts(pieces), key=lambda one: (not one.as_steps, one.said.order))[:MOST_ACCOUNTS]
    for group in _groups(accounts):
        days = {one.said.day for one in group}
        often = min(len(days), len({one.said.text for one in group})) >= LEAST_DAYS
        if often or any(one.as_steps for one in group):
            yield _row(group)


def _groups(accounts: Iterable[_Account]) -> list[list[_Account]]:
    """Return accounts that tell of the same, by the first of each: those that were given as steps come first."""
    groups: list[list[_Account]] = []
    having: dict[str, list[int]] = defaultdict(list)  # word of a first account -> numbers of groups
    for account in accounts:
        shared = Counter(number for word in account.words for number in having.get(word, ()))
        likely = [number for number, count in shared.items() if count >= LEAST_SHARED]
        best = max(likely, key=lambda number: (_alike(account, groups[number][0]), -number), default=None)
        if best is not None and _alike(account, groups[best][0]) >= ALIKE:
            groups[best].append(account)
            continue
        for word in account.words:
            having[word].append(len(groups))
        groups.append([account])
    return groups


def _accounts(pieces: pl.DataFrame) -> Iterator[_Account]:
    talks = asked_of_programs(pieces)["source_id"].unique()
    own = pieces.filter(pl.col("source_id").is_in(talks), ~pl.col("speaker").fill_null("").str.starts_with("tool"))
    for row in own.iter_rows(named=True):
        numbered = _numbered(row)
        yield from numbered
        spans = [(one.said.start, one.said.end) for one in numbered]
        for said in sentences_of(row):
            if not any(start <= said.start < end for start, end in spans):
                yield from _in_sentence(said)


def _in_sentence(said: Said) -> Iterator[_Account]:
    """Yield the steps of a sentence, divided by commas and words like "then"."""
    text = " ".join(said.text.split())
    if len(_cut(text, said.language)) < LEAST_STEPS or lists_names(text):
        return
    before, colon, after = text.partition(": ")
    as_steps = bool(colon) and bool(_steps_word(said.language).search(before)) and len(before) <= BEFORE
    steps = [_step(part, said.language) for part in _cut(after if as_steps else text, said.language)]
    steps = [one for one in steps if one]
    words = forms_of(" ".join(steps), said.language)
    if LEAST_STEPS <= len(steps) <= MOST_STEPS and len(words) >= WORDS_A_STEP * len(steps):
        yield _Account(said, tuple(steps), words, as_steps)


def _numbered(row: dict[str, Any]) -> list[_Account]:
    """Return the numbered steps of a piece that a word before them calls so."""
    text: str = row["text"]
    found: list[_Account] = []
    run: list[re.Match[str]] = []
    for match in [*_NUMBER.finditer(text), None]:
        if match is not None and int(match[1]) == len(run) + 1:
            run.append(match)
            continue
        if len(run) >= LEAST_STEPS and (account := _of_run(row, run)):
            found.append(account)
        run = [match] if match is not None and match[1] == "1" else []
    return found


def _of_run(row: dict[str, Any], run: Sequence[re.Match[str]]) -> _Account | None:
    text: str = row["text"]
    start = run[0].start()
    if not _steps_word(row["language"]).search(text[max(0, start - BEFORE) : start]):
        return None
    line_end = text.find("\n", run[-1].end())
    end = len(text) if line_end < 0 else line_end
    edges = [*(match.start() for match in run[1:]), end]
    parts = (text[match.end() : edge] for match, edge in zip(run, edges, strict=True))
    steps = tuple(step for part in parts if (step := _step(" ".join(part.split()), row["language"])))
    if not LEAST_STEPS <= len(steps) <= MOST_STEPS:
        return None
    span = (row["start"] + start, row["start"] + end)
    said = Said(row["source_id"], *span, row["at"], row["day"], text[start:end], row["language"])
    return _Account(said, steps, forms_of(" ".join(steps), row["language"]), as_steps=True)


def _alike(account: _Account, other: _Account) -> float:
    """Return the share of common words of two accounts, 0 if they have few."""
    shared = len(account.words & other.words)
    return shared / min(len(account.words), len(other.words)) if shared >= LEAST_SHARED else 0.0


def _row(group: Sequence[_Account]) -> dict[str, Any]:
    """Return the procedure: the newest account that tells its steps, else the one most like the others."""
    as_steps = [one for one in group if one.as_steps]
    if as_steps:
        chosen = max(as_steps, key=lambda one: one.said.order)
    else:
        chosen = max(group, key=lambda one: (sum(_alike(one, other) for other in group), one.said.order))
    first_of_day: dict[date, Said] = {}
    for account in sorted(group, key=lambda one: one.said.order):
        first_of_day.setdefault(account.said.day, account.said)
    occurrences = list(first_of_day.values())
    return {
        "habit_id": content_id("habit", PROCEDURE, *sorted(group[0].words)),
        "kind": PROCEDURE,
        "name": f"{chosen.steps[0]} … {chosen.steps[-1]}",
        "steps": list(chosen.steps),
        "times": len(occurrences),
        "started_at": occurrences[0].at,
        "last_at": occurrences[-1].at,
        "open": True,
        "occurrences": [one.occurrence for one in occurrences],
    }


def _cut(text: str, language: str | None) -> list[str]:
    """Return the parts of a sentence between commas, semicolons and words that join steps."""
    return [part for piece in _CUT.split(text) for part in _joints(language).split(piece)]


def _step(part: str, language: str | None) -> str:
    """Return a step without what joins it to the one before, and without the stop behind it."""
    bare = re.sub(rf"^(?:(?:{_joining(language)})\s+)+", "", part.strip(), flags=re.IGNORECASE).strip(" .;,!")
    return bare[:1].upper() + bare[1:]


@cache
def _joining(language: str | None) -> str:
    return alternatives(LEXICONS.read(SUBJECT, _known(language)).listed("joining_steps"))


@cache
def _joints(language: str | None) -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{_joining(language)})\s+", re.IGNORECASE)


@cache
def _steps_word(language: str | None) -> re.Pattern[str]:
    words = {*LEXICONS.read(SUBJECT, _known(language)).listed("steps"), *LEXICONS.read(SUBJECT).listed("steps")}
    return re.compile(rf"\b(?:{alternatives(words)})\b", re.IGNORECASE)


def _known(language: str | None) -> str:
    code = code_of(language)
    return code if LEXICONS.has(SUBJECT, code) else ENGLISH

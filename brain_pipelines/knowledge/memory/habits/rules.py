"""Rules: what a program is always to do ("Always rebase!"), with each time that it was said.

Only what a person says to a program counts: elsewhere "always" and "never" mostly tell of something.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.habits.said import Said, forms_of, sentences_of
from brain_pipelines.knowledge.memory.habits.written import SUBJECT
from brain_pipelines.knowledge.memory.machine_turns import is_machine
from brain_retrieval.ids import content_id
from brain_retrieval.language.lexicon import ENGLISH, alternatives, code_of

RULE = "rule"
LEAST_WORDS, MOST_LETTERS = 1, 240
ALIKE = 0.6  # of the words of the shorter saying, two at least if it has so many
MOST_BESIDE = 2  # words of a rule that one of a single word may repeat: "Never force-push", "check before you push"
INSTRUCTION = "instruction"


@dataclass(frozen=True)
class _Saying:
    said: Said
    words: frozenset[str]
    ruling: bool


def rules(pieces: pl.DataFrame, instructions: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield rows of HABITS of what programs are asked to do.

    Args:
        pieces: of `written`.
        instructions: source_id, start and end of memories that are instructions.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    for source_id, start, end in instructions.select("source_id", "start", "end").iter_rows():
        spans.setdefault(source_id, []).append((start, end))
    groups: list[list[_Saying]] = []
    places: dict[str, list[int]] = {}  # of the groups whose rule has a word
    sayings = sorted(_sayings(pieces, spans), key=lambda one: (not one.ruling, one.said.order))
    for saying in sayings:
        near = sorted({place for word in saying.words for place in places.get(word, ())})
        group = next((groups[place] for place in near if _same(saying, groups[place][0])), None)
        if group is not None:
            group.append(saying)
        elif saying.ruling:
            for word in saying.words:
                places.setdefault(word, []).append(len(groups))
            groups.append([saying])
    for group in groups:
        yield _row(group)


def asked_of_programs(pieces: pl.DataFrame) -> pl.DataFrame:
    """Return the pieces that people said to programs."""
    machine = pl.Series([bool(one) and is_machine(one) for one in pieces["speaker"]], dtype=pl.Boolean)
    marked = pieces.with_columns(machine=machine)
    talks = marked.filter("machine")["source_id"].unique()
    return marked.filter(~pl.col("machine"), pl.col("speaker").is_not_null(), pl.col("source_id").is_in(talks))


def _sayings(pieces: pl.DataFrame, spans: dict[str, list[tuple[int, int]]]) -> Iterator[_Saying]:
    for row in asked_of_programs(pieces).iter_rows(named=True):
        for said in sentences_of(row):
            text = " ".join(said.text.split())
            if text.endswith("?") or len(text) > MOST_LETTERS:
                continue
            opens, within, corrects = _patterns(said.language)
            order = any(start < said.end and said.start < end for start, end in spans.get(said.source_id, ()))
            ruling = bool(opens.search(text)) or (order and bool(within.search(text)))
            words = forms_of(within.sub(" ", text), said.language)
            if len(words) >= LEAST_WORDS and (ruling or corrects.search(text)):
                yield _Saying(said, words, ruling)


def _same(saying: _Saying, rule: _Saying) -> bool:
    """Return whether a saying tells the same as a rule: a repetition of it, or a correction with most of its words."""
    shared = len(saying.words & rule.words)
    fewer, more = sorted((len(saying.words), len(rule.words)))
    if saying.ruling and fewer == 1 and more > MOST_BESIDE:
        return False
    fewer = fewer if saying.ruling else len(rule.words)
    return shared >= max(ALIKE * fewer, min(2, fewer))


def _row(group: Sequence[_Saying]) -> dict[str, Any]:
    first_of_day: dict[date, Said] = {}
    for saying in sorted(group, key=lambda one: one.said.order):
        first_of_day.setdefault(saying.said.day, saying.said)
    occurrences = list(first_of_day.values())
    ruling = [one for one in group if one.ruling]
    newest = max(ruling, key=lambda one: (len(one.words), one.said.order))
    return {
        "habit_id": content_id("habit", RULE, *sorted(group[0].words)),
        "kind": RULE,
        "name": " ".join(newest.said.text.split()),
        "steps": [],
        "times": len(occurrences),
        "started_at": occurrences[0].at,
        "last_at": occurrences[-1].at,
        "open": True,
        "occurrences": [one.occurrence for one in occurrences],
    }


@cache
def _patterns(language: str | None) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a sentence that opens or ends as a rule, of a word of one, and of a correction."""
    code = code_of(language)
    codes = dict.fromkeys((code if LEXICONS.has(SUBJECT, code) else ENGLISH, ENGLISH))
    lexicons = [LEXICONS.read(SUBJECT, one) for one in codes]
    ruling = alternatives(word for one in lexicons for word in one.listed("ruling"))
    opening = alternatives(word for one in lexicons for word in one.listed("opening"))
    correcting = alternatives(word for one in lexicons for word in one.listed("correcting"))
    opens = rf"^(?:(?:{opening})[,.!]? )*(?:{ruling})\b|, (?:{ruling})[.!]*$"
    return tuple(re.compile(one, re.IGNORECASE) for one in (opens, rf"\b(?:{ruling})\b", rf"\b(?:{correcting})\b"))  # type: ignore[return-value]

"""Kind and rewriting of labelled sentences against their gold lines, for `memorable.py`.

A name of a gold line is a capital word after its first, and the speaker's; a number is a run of digits outside the
brackets; a date is what stands in brackets. "Given" are those that sentence, speaker or listener hold: the rest was
taken from the sentences around. A date is right in the text or, where the sentence states none, in `said_at`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.memorable_sets import Case
from brain_pipelines.stages.extraction.memories.kinds import kind_of
from brain_pipelines.stages.extraction.memories.rewriting.rewriting import rewrite

OWNER_NAME = "the author"  # what gold lines call the writer of a note
_WORD = re.compile(r"[\w']+")
_BRACKETS = re.compile(r"\[([\d/-]+)\]")
_NAME = re.compile(r"(?<=[^.!?:] )(?!I\b)[A-Z][\w-]+")
_NUMBER = re.compile(r"\d+")


def report(cases: Sequence[Case]) -> None:
    """Print accuracy of kinds, and word F1 and what is present of the gold lines."""
    kept = [case for case in cases if case.keep and case.sentence and case.row["gold"]]
    if not kept:
        return
    texts = [rewrite(case.sentence, case.signals, case.before, OWNER_NAME).text for case in kept if case.sentence]
    kinds = [(case.row["kind"], kind_of(case.sentence, case.signals)) for case in kept if case.sentence]
    most = Counter(kind for kind, _ in kinds).most_common(1)[0][1]
    right = sum(one == other for one, other in kinds) / len(kinds)
    print(f"kind {right:.2f} right (always the most frequent: {most / len(kinds):.2f})")
    golds = [case.row["gold"] for case in kept]
    raw = sum(map(f1, (case.row["sentence"] for case in kept), golds)) / len(kept)
    print(f"word F1 {sum(map(f1, texts, golds)) / len(kept):.3f}, of the sentence as it stands {raw:.3f}")
    for title, pattern in (("names", _NAME), ("numbers", _NUMBER)):
        print(title, _present(kept, texts, pattern))
    print("dates", _dates(kept, texts))
    speakers = [(c.row["speaker"], t) for c, t in zip(kept, texts, strict=True) if c.row["source"] == "conversation"]
    print(f"speaker named in {sum(who in text for who, text in speakers)} of {len(speakers)} sentences of talk")


def f1(text: str, gold: str) -> float:
    one, other = (Counter(_WORD.findall(each.lower())) for each in (text, gold))
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _present(cases: Sequence[Case], texts: Iterable[str], pattern: re.Pattern[str]) -> str:
    everything = given = found = found_given = 0
    for case, text in zip(cases, texts, strict=True):
        row = case.row
        known = f"{row['sentence']} {row['speaker'] or ''} {row['listener'] or ''}".casefold()
        for part in pattern.findall(_BRACKETS.sub("", row["gold"])):
            here = part.casefold() in text.casefold()
            everything, found = everything + 1, found + here
            if part.casefold() in known:
                given, found_given = given + 1, found_given + here
    return f"{found_given} of {given} that are given, {found} of {everything} in all"


def _dates(cases: Sequence[Case], texts: Iterable[str]) -> str:
    stated = right = said = 0
    total = 0
    for case, text in zip(cases, texts, strict=True):
        for gold in _BRACKETS.findall(case.row["gold"]):
            total += 1
            if not case.signals.dates:
                said += (case.row["date"] or "").startswith(gold[:7])
                continue
            stated += 1
            shown = [date.iso for date in case.signals.dates] + _BRACKETS.findall(text)
            right += any(each.startswith(gold[:10]) or gold.startswith(each) for each in shown)
    return f"{right} of {stated} where the sentence states one; {said} of the other {total - stated} are the month said"

"""Mapping from extracted predicates to the relations of CoNLL04 and Re-DocRED, and scores of the mapped facts.

A fact is counted if both sides are names (confidence ≥ 0.6), it is affirmed, and its predicate and types are in the
tables below; it is right if the gold data has that relation between entities of those names. A fact with several
possible relations ("Turin be in Italy": P131 or P17) is right if one of them is gold. Gold relations without a rule are
ignored in `mapped` and count as missed in `all`.
"""

import re
from collections.abc import Iterable, Iterator

from benchmarks.extraction_sets import Relation, Sample

NAMED = 0.6
Rule = tuple[str, str, str, str]  # pattern of the predicate, type of subject, of object, labels ("^" before: inverse)

_PERSON, _ORG, _LOC = "Person", "Organization", "Location"
_ANY_GROUP = "Organization|Event|Project|Tool|Document|Concept"
_EMPLOYED = (
    r"work .*|join|lead|head|run|manage|chair|found|co-found|direct|coach|own|serve (at|in|with|for|on)|represent"
    r"|be (?!founded|born|from|in\b).* (of|at|for|with|in|to)|be (of|at|with|from)|intern at|play for|teach at"
)
_LIVES = (
    r"live .*|reside in|move (to|into)|relocate to|settle in|grow up in|come from|be born (in|at)"
    r"|be raised in|be (of|from|in)|be .* (of|in|from|for)|emigrate to|stay in|be buried in|work in|represent"
)
_SITS = (
    r"be (in|at|of|from|based .*|headquartered .*|located .*|situated .*)|lie (in|on|at)|operate in|base in|stand in"
)
_WORK_OF = "Document|Event|Project|Tool|Concept|Organization"

CONLL04: tuple[Rule, ...] = (
    (r"kill|assassinate|murder|shoot|slay|stab|execute|strangle|poison", _PERSON, _PERSON, "Kill"),
    (_EMPLOYED, _PERSON, _ORG, "Work_For"),
    (_LIVES, _PERSON, _LOC, "Live_In"),
    (_SITS + r"|be .* (of|in)", _ORG, _LOC, "OrgBased_In"),
    (_SITS + r"|be (?!bordered|near).* (of|in)", _LOC, _LOC, "Located_In"),
)
REDOCRED: tuple[Rule, ...] = (
    (_SITS + r"|be .* (of|in)", f"{_LOC}|Event|{_ORG}", _LOC, "P131 P17 P276 P159 P706 P30 P206 P495 P740 P361 P1376"),
    (r"be capital of", _LOC, _LOC, "^P36 P1376 P131 P17"),
    (r"be born (in|at)", _PERSON, _LOC, "P19"),
    (r"die (in|at)|be killed in|be buried in", _PERSON, _LOC, "P20"),
    (r"live .*|reside in|move to|settle in|grow up in|emigrate to", _PERSON, _LOC, "P551 P27 P937"),
    (r"be (of|from)|be .* (of|in|from|for)|represent", _PERSON, _LOC, "P27 P1001 P19 P551 ^P35 ^P6 P937"),
    (r"marry|be married to|be (wife|husband|spouse) of", _PERSON, _PERSON, "P26 ^P26"),
    (r"be (son|daughter|child) of", _PERSON, _PERSON, "P22 P25 ^P40"),
    (r"be (father|mother) of", _PERSON, _PERSON, "P40 ^P22 ^P25"),
    (r"be (brother|sister|sibling) of", _PERSON, _PERSON, "P3373 ^P3373"),
    (r"(attend|graduate from|study (at|in)|be educated (at|in))", _PERSON, _ANY_GROUP, "P69"),
    (r"play (for|with)", _PERSON, _ANY_GROUP, "P54 P463 P1344"),
    (r"found|co-found|establish|be founder of", _PERSON, _ANY_GROUP, "^P112 P108"),
    (_EMPLOYED, _PERSON, _ANY_GROUP, "P108 P463 P102 P54 ^P488 ^P169 ^P112 P241 P39"),
    (r"(co-)?write|author|be (author|writer) of|publish", _PERSON, _WORK_OF, "P800 ^P50 ^P58 ^P676 ^P86"),
    (r"direct|be director of", _PERSON, _WORK_OF, "P800 ^P57"),
    (r"produce|be producer of", f"{_PERSON}|{_ORG}", _WORK_OF, "P800 ^P162 ^P272 ^P178"),
    (r"star in|appear in|play .*in|feature in", _PERSON, _WORK_OF, "^P161 P800 P1344"),
    (r"record|perform|release|sing", f"{_PERSON}|{_ORG}", _WORK_OF, "^P175 ^P264 P800 ^P123"),
    (r"create|develop|design|invent|compose", f"{_PERSON}|{_ORG}", _WORK_OF, "^P170 ^P178 P800 ^P86 ^P287"),
    (r"own|acquire|buy", f"{_PERSON}|{_ORG}", "Organization|Location|Tool|Document", "^P127 P1830 P355 ^P749"),
    (r"be (subsidiary|division|unit|part|branch) of|belong to", ".*", ".*", "P361 P749 P127 ^P355 P131 P463 ^P527"),
    (
        r"participate in|take part in|compete (in|at)|fight (in|at)|win|play in",
        ".*",
        "Event|Concept|Document",
        "P1344 P607 ^P710",
    ),
)


def score(samples: Iterable[Sample], found: Iterable[list[Relation]]) -> tuple[int, int, int, int]:
    """Return counts: right, found, gold that are named by a table, and all gold.

    `found` gives for each sample (subject, object, labels) in lower case, "|" between names of one thing.
    """
    right = total = 0
    covered: set[tuple[int, Relation]] = set()
    gold: list[tuple[int, Relation]] = []
    for number, (sample, facts) in enumerate(zip(samples, found, strict=True)):
        gold += [(number, relation) for relation in sample.relations]
        seen: set[tuple[str, str, str]] = set()
        for subject, obj, labels in facts:
            heads, tails = _keys(sample, subject), _keys(sample, obj)
            case = (min(heads, default=subject), min(tails, default=obj), labels)
            if case in seen:
                continue
            seen.add(case)
            total += 1
            hits = sample.relations & set(_readings(heads, tails, labels))
            right += bool(hits)
            covered.update((number, hit) for hit in hits)
    return right, total, len(covered), len(gold)


def gold_of(samples: Iterable[Sample], rules: tuple[Rule, ...]) -> int:
    """Return how many gold relations the table has a rule for."""
    named = {label.lstrip("^") for *_, labels in rules for label in labels.split()}
    return sum(label in named for sample in samples for _, _, label in sample.relations)


def labels_of(predicate: str, subject_type: str, object_type: str, rules: tuple[Rule, ...]) -> str:
    """Return the labels of the first rule that fits, "" if none does."""
    for pattern, subject, obj, labels in rules:
        if re.fullmatch(subject, subject_type) and re.fullmatch(obj, object_type) and re.fullmatch(pattern, predicate):
            return labels
    return ""


def _keys(sample: Sample, names: str) -> set[str]:
    return {key for name in names.split("|") for key in sample.names.get(name, ())}


def _readings(heads: set[str], tails: set[str], labels: str) -> Iterator[Relation]:
    for label in labels.split():
        for head in heads:
            for tail in tails:
                yield (tail, head, label[1:]) if label.startswith("^") else (head, tail, label)

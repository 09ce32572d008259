"""Public sets of claims with labelled evidence sentences, read from files that are not part of the project.

`climate`: CLIMATE-FEVER, one JSON line a claim with five labelled sentences. `citations`: the form of SciFact, a folder
with `corpus.jsonl` (documents as lists of sentences) and claims. `health`: HealthVer, tables of claim, evidence and
label. Every distinct sentence is a unit of the corpus: Citation-Integrity repeats each of its documents for every
sentence that cites it, and a copy of the labelled sentence is as good as that one.

`pairs`: one claim and one passage with a label, which is asked of the judge alone: VitaminC (JSON lines) or HealthVer.

Each set has two halves: "look", which the rules may be mended with, and "held", which is only measured.
"""

import csv
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchmarks.retrieval_units import Corpus, Part

WHEN = datetime(2020, 1, 1, tzinfo=UTC)
SUPPORTED, CONTRADICTED, UNKNOWN = "supported", "contradicted", "unknown"
LABELS = {"SUPPORTS": SUPPORTED, "SUPPORT": SUPPORTED, "REFUTES": CONTRADICTED, "REFUTE": CONTRADICTED}
LABELS |= {"CONTRADICT": CONTRADICTED}
STANCES = {"support": SUPPORTED, "contradict": CONTRADICTED, "neither": UNKNOWN}
HALVES = ("look", "held")
_MARKS = re.compile(r"\[?<\|[^|]*\|>\]?")


@dataclass
class Set:
    """Distinct sentences, and claims as (text, verdict, gold sentence numbers)."""

    name: str
    sentences: list[str] = field(default_factory=list)
    claims: list[tuple[str, str, set[int]]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, sentence):
        """Return the number of a sentence, a new one if it was not there."""
        text = " ".join(sentence.split()) or "-"
        number = self.numbers.setdefault(text, len(self.numbers))
        if number == len(self.sentences):
            self.sentences.append(text)
        return number

    def corpus(self):
        """Return the sentences as a corpus for `retrieval_units.fill`, each a source of its own."""
        units = [{"id": number, "text": text} for number, text in enumerate(self.sentences)]
        parts = [Part(unit["id"], f"unit {unit['id']}", 0, unit["text"], WHEN, []) for unit in units]
        return Corpus(self.name, units, [], parts)


def climate(path, half):
    """Read CLIMATE-FEVER; disputed claims are left out. Its halves are every other claim."""
    found = Set("climate")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for place, row in enumerate(rows):
        numbers = [(found.number(one["evidence"]), one["evidence_label"]) for one in row["evidences"]]
        gold = {number for number, label in numbers if label in LABELS}
        if row["claim_label"] != "DISPUTED" and place % 2 == HALVES.index(half):
            found.claims.append((row["claim"], LABELS.get(row["claim_label"], UNKNOWN), gold))
    return found


def citations(folder, half):
    """Read a set in the form of SciFact; its halves are the development and the test claims."""
    found, places = Set("citations"), {}
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for number, sentence in enumerate(row["abstract"]):
            places[row["doc_id"], number] = found.number(sentence)
    name = "claims_dev.jsonl" if half == "look" else "claims_test.jsonl"
    for line in (folder / name).read_text("utf-8").splitlines():
        row = json.loads(line)
        labels, gold = set(), set()
        for document, groups in row["evidence"].items():
            for group in groups:
                labels.add(LABELS[group["label"]])
                gold |= {places[int(document), one] for one in group["sentences"] if (int(document), one) in places}
        claim = " ".join(_MARKS.sub(" ", row["claim"]).split())
        if len(labels) <= 1:
            found.claims.append((claim, next(iter(labels), UNKNOWN), gold))
    return found


def health(folder, half):
    """Read HealthVer; claims with evidence on both sides are left out. Its halves are the files "dev" and "test"."""
    found, by_claim = Set("health"), defaultdict(list)
    for name in ("dev", "test"):
        for claim, text, label in _table(folder / f"healthver_{name}.csv"):
            number = found.number(text)
            if name == ("dev" if half == "look" else "test"):
                by_claim[claim].append((number, label))
    for claim, labelled in by_claim.items():
        gold = {number for number, label in labelled if label != UNKNOWN}
        labels = {label for _, label in labelled} - {UNKNOWN}
        if len(labels) <= 1:
            found.claims.append((claim, next(iter(labels), UNKNOWN), gold))
    return found


def health_pairs(folder, half):
    """Return claim, evidence and verdict of each row of HealthVer."""
    return _table(folder / f"healthver_{'dev' if half == 'look' else 'test'}.csv")


def vitaminc(folder, half):
    """Return claim, evidence and verdict of each row of VitaminC: the files "train*" and "test*"."""
    names = sorted(folder.glob("*train*.jsonl" if half == "look" else "*test*.jsonl"))
    rows = [json.loads(line) for name in names for line in name.read_text("utf-8").splitlines()]
    rows = {(row["claim"], row["evidence"]): LABELS.get(row["label"].upper(), UNKNOWN) for row in rows}
    return [(_spaced(claim), _spaced(text), label) for (claim, text), label in rows.items()]


def fool_me_twice(folder, half):
    """Return claim, gold evidence, verdict and page of FoolMeTwice, claims written to mislead: "dev" and "test"."""
    found = []
    for line in (folder / f"{'dev' if half == 'look' else 'test'}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        said = " ".join(one["text"] for one in row["gold_evidence"])
        found.append((row["text"], said, LABELS[row["label"]], row["wikipedia_page"]))
    return found


def sick(path, half):
    """Return sentence, other sentence and verdict of SICK's file; its halves are the odd and the even pairs."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    labels = {"ENTAILMENT": SUPPORTED, "CONTRADICTION": CONTRADICTED, "NEUTRAL": UNKNOWN}
    kept = [row for row in rows if int(row["pair_ID"]) % 2 == HALVES.index(half)]
    return [(row["sentence_B"], row["sentence_A"], labels[row["entailment_judgment"]]) for row in kept]


def everyday(path, half):
    """Return claim, statement and verdict of a file of lines "stance | claim | statement" below kinds ("## bounds").

    Of each kind the first half is "look".
    """
    kinds = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif line.strip() and not line.startswith("#"):
            stance, claim, text = (part.strip() for part in line.split("|"))
            kinds[kind].append((claim, text, STANCES[stance]))
    cut = {name: len(rows) // 2 for name, rows in kinds.items()}
    return [row for name, rows in kinds.items() for row in (rows[: cut[name]] if half == "look" else rows[cut[name] :])]


def _table(path):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (" ".join(row["claim"].split()), " ".join(row["evidence"].split()), LABELS.get(row["label"].upper(), UNKNOWN))
        for row in rows
    ]


def _spaced(text):
    """Return a text of separate tokens as it is written."""
    return re.sub(r" (?=[.,;:!?)%]|'s\b|n't\b)", "", text).replace("( ", "(")


READERS = {"climate": climate, "citations": citations, "health": health}
PAIRS = {
    "health-pairs": health_pairs,
    "vitaminc": vitaminc,
    "fool-me-twice": fool_me_twice,
    "everyday": everyday,
    "sick": sick,
}

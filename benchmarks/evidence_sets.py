"""Public sets of claims with labelled evidence sentences, read from files that are not part of the project.

`climate`: CLIMATE-FEVER, one JSON line a claim with five labelled sentences. `citations`: the form of SciFact, a folder
with `corpus.jsonl` (documents as lists of sentences) and `claims_dev.jsonl`. Every sentence is a unit of the corpus.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchmarks.retrieval_units import Corpus, Part

WHEN = datetime(2020, 1, 1, tzinfo=UTC)
LABELS = {"SUPPORTS": "supported", "SUPPORT": "supported", "REFUTES": "contradicted", "REFUTE": "contradicted"}
LABELS |= {"CONTRADICT": "contradicted"}
_MARKS = re.compile(r"\[?<\|[^|]*\|>\]?")


@dataclass
class Set:
    """Sentences, and claims as (text, verdict, gold sentence numbers)."""

    name: str
    sentences: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    claims: list[tuple[str, str, set[int]]] = field(default_factory=list)

    def corpus(self):
        """Return the sentences as a corpus for `retrieval_units.fill`, each a source of its own."""
        units = [{"id": number, "text": text} for number, text in enumerate(self.sentences)]
        parts = [Part(unit["id"], f"unit {unit['id']}", 0, unit["text"], WHEN, []) for unit in units]
        return Corpus(self.name, units, [], parts)


def climate(path):
    """Read CLIMATE-FEVER; disputed claims are left out."""
    found, numbers = Set("climate"), {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = set()
        for one in row["evidences"]:
            number = numbers.setdefault(one["evidence"], len(numbers))
            if number == len(found.sentences):
                found.sentences.append(one["evidence"])
                found.parents.append(one["article"])
            gold |= {number} if one["evidence_label"] in LABELS else set()
        if row["claim_label"] != "DISPUTED":
            found.claims.append((row["claim"], LABELS.get(row["claim_label"], "unknown"), gold))
    return found


def citations(folder):
    """Read a set in the form of SciFact."""
    found, places = Set("citations"), {}
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for number, sentence in enumerate(row["abstract"]):
            places[row["doc_id"], number] = len(found.sentences)
            found.sentences.append(" ".join(sentence.split()) or "-")
            found.parents.append(str(row["doc_id"]))
    for line in (folder / "claims_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        labels, gold = set(), set()
        for document, groups in row["evidence"].items():
            for group in groups:
                labels.add(LABELS[group["label"]])
                gold |= {places[int(document), one] for one in group["sentences"] if (int(document), one) in places}
        claim = " ".join(_MARKS.sub(" ", row["claim"]).split())
        if len(labels) <= 1:
            found.claims.append((claim, next(iter(labels), "unknown"), gold))
    return found


READERS = {"climate": climate, "citations": citations}

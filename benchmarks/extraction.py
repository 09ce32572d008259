"""Precision, recall and speed of the local extraction, in one run.

    python benchmarks/extraction.py [--data PATH]

Always: facts of the project's labelled sentences (`tests/pipelines/stages/extraction/local/labelled.py`), tuned and
held-out half. With `--data`, a folder with `ner/` (development splits of CoNLL04, WNUT17, WikiNEuRal, its first 3,000
sentences, and Re-DocRED): entities with exact spans compared with the bare parser's entities on the same texts, and
relations (mapped in `extraction_relations.py`) compared with guessing one relation for each two neighbouring entities
of the bare parser. `named` are mentions of confidence ≥ 0.6: common noun phrases that merely take part in a fact are
not names, and those data sets do not label them.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import extraction_relations as relations
from benchmarks.extraction_sets import Entity, Relation, Sample, bio, conll04, redocred
from brain_pipelines.stages.extraction.local.names.names import MODEL_TYPES
from brain_pipelines.stages.extraction.local.nlp import load_model
from brain_pipelines.stages.extractions_local import Extraction, extract_documents
from tests.pipelines.stages.extraction.local.labelled import HELD_OUT, TUNED, WILD, Labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

NAMED = relations.NAMED
# Labels of each data set by extracted type; a type may map to several labels. None stands for all other types.
Labels = dict[str | None, set[str]]
CONLL04: Labels = {"Person": {"Peop"}, "Organization": {"Org"}, "Location": {"Loc"}, None: {"Other"}}
NEWS: Labels = {"Person": {"PER"}, "Organization": {"ORG"}, "Location": {"LOC"}, None: {"MISC"}}
WNUT17: Labels = {
    "Person": {"person"},
    "Organization": {"corporation", "group"},
    "Location": {"location"},
    "Tool": {"product"},
    "Project": {"product", "creative-work"},
    "Document": {"creative-work"},
}


def document(number: int, text: str, speaker: str | None = None) -> dict:
    """Return a DOCUMENT_TEXT row for a text."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    segments = [{"start": 0, "end": len(text), "kind": "message", "speaker": speaker}] if speaker else []
    source = "conversation" if speaker else "document"
    fixed = {
        "trust": "owner",
        "sensitivity": "normal",
        "ttl_policy": None,
        "format": "txt",
        "title": "",
        "language": "en",
        "authors": [],
    }
    row = {"source_id": f"b{number}", "source": source, "uri": "", "day": "2026-01-01", "text": text}
    return {**row, **fixed, "event_at": now, "received_at": now, "segments": segments}


def scores(true: int, found: int, gold: int, covered: int | None = None) -> str:
    """Return precision, recall and F1 as a row; `covered` is the number of gold items found, if not `true`."""
    precision, recall = true / max(found, 1), (true if covered is None else covered) / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}"


def measure_facts(name: str, sentences: Iterable[Labelled]) -> None:
    """Print how many gold facts are found exactly, including polarity and modality."""
    true = found = gold = 0
    sentences = list(sentences)
    documents = [document(n, s.shown, s.speaker) for n, s in enumerate(sentences)]
    for sentence, extraction in zip(sentences, extract_documents(documents), strict=True):
        facts = {(f["subject"], f["predicate"], f["object"], f["polarity"], f["modality"]) for f in extraction.facts}
        true, found, gold = true + len(facts & sentence.facts), found + len(facts), gold + len(sentence.facts)
    print(f"facts, {name:<9} {len(sentences):>4} sentences {gold:>4} gold   {scores(true, found, gold)}")


def measure(name: str, samples: list[Sample], labels: Labels, rules: tuple[relations.Rule, ...] = ()) -> None:
    """Print entity scores and, with `rules`, relation scores of the bare parser and of the local extraction."""
    words = sum(len(s.text.split()) for s in samples)
    started = time.process_time()
    plain = [_plain(doc) for doc in load_model().pipe(s.text for s in samples)]
    seconds = time.process_time() - started
    _entities(name, "plain spaCy", samples, plain, labels, words / seconds)
    started = time.process_time()
    ours = list(extract_documents([document(n, s.text) for n, s in enumerate(samples)]))
    seconds = time.process_time() - started
    _entities(name, "ours, named", samples, [_named(found) for found in ours], labels, words / seconds)
    if rules:
        _relations(
            name, "neighbours", samples, [_neighbours(s, p, rules) for s, p in zip(samples, plain, strict=True)], rules
        )
        _relations(name, "ours", samples, [list(_mapped(found, rules)) for found in ours], rules)


def _plain(doc: "Doc") -> list[Entity]:
    return [(e.start_char, e.end_char, MODEL_TYPES[e.label_]) for e in doc.ents if e.label_ in MODEL_TYPES]


def _named(extraction: Extraction) -> list[Entity]:
    return [(m["start"], m["end"], m["type"]) for m in extraction.mentions if m["confidence"] >= NAMED]


def _neighbours(sample: Sample, entities: list[Entity], rules: tuple[relations.Rule, ...]) -> list[Relation]:
    """Return for each two neighbouring entities the most common relation of their types: works for, lives in, is in."""
    usual = {"Organization": "work for", "Location": "be in"}
    found = []
    for (start, end, kind), (left, right, other) in pairwise(sorted(entities)):
        labels = relations.labels_of(usual.get(other, ""), kind, other, rules)
        if labels:
            found.append((sample.text[start:end].lower(), sample.text[left:right].lower(), labels))
    return found


def _mapped(extraction: Extraction, rules: tuple[relations.Rule, ...]) -> Iterator[Relation]:
    named = {
        e["entity_id"]: "|".join([e["name"], *e["aliases"]]).lower()
        for e in extraction.entities
        if e["confidence"] >= NAMED
    }
    for fact in extraction.facts:
        labels = relations.labels_of(fact["predicate"], fact["subject_type"], fact["object_type"], rules)
        if labels and fact["polarity"] == "affirmed" and {fact["subject_id"], fact["object_id"]} <= named.keys():
            yield named[fact["subject_id"]], named[fact["object_id"]], labels


def _relations(
    name: str, who: str, samples: list[Sample], found: list[list[Relation]], rules: tuple[relations.Rule, ...]
) -> None:
    right, total, covered, gold = relations.score(samples, found)
    mapped = relations.gold_of(samples, rules)
    print(f"{name:<10} {who:<12} relations, mapped ({mapped:>5} gold) {scores(right, total, mapped, covered)}", end="")
    print(f"   all ({gold} gold) {scores(right, total, gold, covered)}")


def _entities(
    name: str, who: str, samples: list[Sample], extracted: list[list[Entity]], labels: Labels, speed: float
) -> None:
    """Print span and span + type scores."""
    untyped = typed = found = gold = 0
    for sample, entities in zip(samples, extracted, strict=True):
        kinds = {(start, end): kind for start, end, kind in sample.gold}
        for start, end, kind in entities:
            label = kinds.get((start, end))
            untyped += label is not None
            typed += label is not None and label in labels.get(kind, labels.get(None, set()))
        found, gold = found + len(entities), gold + len(sample.gold)
    print(f"{name:<10} {who:<12} untyped {scores(untyped, found, gold)}   typed {scores(typed, found, gold)}", end="")
    print(f"   {speed:,.0f} words/CPU-s")


def main() -> None:
    """Run the measurements that the arguments select."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of evaluation data with ner/")
    data = parser.parse_args().data
    load_model()
    measure_facts("tuned", TUNED)
    measure_facts("held out", HELD_OUT)
    measure_facts("wild", WILD)
    if data is not None:
        ner = data / "ner"
        measure("CoNLL04", list(conll04(ner / "conll04/valid.json")), CONLL04, relations.CONLL04)
        measure("WNUT17", list(bio(ner / "wnut17/dev.conll", 0)), WNUT17)
        measure("WikiNEuRal", list(bio(ner / "wikineural/val.conllu", 1, 3000)), NEWS)
        measure("Re-DocRED", list(redocred(ner / "redocred/dev.json")), NEWS, relations.REDOCRED)


if __name__ == "__main__":
    main()

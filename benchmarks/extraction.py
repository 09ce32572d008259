"""Precision and recall of the local extraction, and its speed, in one run.

    python benchmarks/extraction.py [--data PATH]

Always: facts of our own labelled sentences (`tests/pipelines/extract/labelled.py`), those the rules were tuned on and
those held out. With `--data`, a folder with `ner/conll04/valid.json` and `ner/wnut17/dev.conll`: entities with exact
spans, beside the bare parser's own entities on the same texts. `named` are mentions of confidence 0.6 and more: common
noun phrases that merely take part in a fact are not names, and those data sets do not label them.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from brain_pipelines.extract.names import MODEL_TYPES
from brain_pipelines.extract.nlp import load_model
from brain_pipelines.stages.extractions import extract_documents
from tests.pipelines.extract.labelled import HELD_OUT, TUNED, WILD, Labelled

NAMED = 0.6
Entity = tuple[int, int, str]  # start, end, type

# What each data set calls our types; a type may answer to more than one label.
CONLL04 = {"Person": {"Peop"}, "Organization": {"Org"}, "Location": {"Loc"}}
WNUT17 = {
    "Person": {"person"},
    "Organization": {"corporation", "group"},
    "Location": {"location"},
    "Tool": {"product"},
    "Project": {"product", "creative-work"},
    "Document": {"creative-work"},
}


@dataclass(frozen=True)
class Sentence:
    """A text with gold entities; the type is the data set's label."""

    text: str
    gold: frozenset[Entity]


def document(number: int, text: str, speaker: str | None = None) -> dict:
    """Return a row of DOCUMENT_TEXT around a text."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    segments = [{"start": 0, "end": len(text), "kind": "message", "speaker": speaker}] if speaker else []
    source = "conversation" if speaker else "document"
    fixed = {"trust": "owner", "sensitivity": "normal", "format": "txt", "title": "", "language": "en", "authors": []}
    row = {"source_id": f"b{number}", "source": source, "uri": "", "day": "2026-01-01", "text": text}
    return {**row, **fixed, "event_at": now, "received_at": now, "segments": segments}


def scores(true: int, found: int, gold: int) -> str:
    """Return precision, recall and F1 as a row."""
    precision, recall = true / max(found, 1), true / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}"


def measure_facts(name: str, sentences: Iterable[Labelled]) -> None:
    """Print how many gold facts are found exactly, polarity and modality included."""
    true = found = gold = 0
    sentences = list(sentences)
    documents = [document(n, s.shown, s.speaker) for n, s in enumerate(sentences)]
    for sentence, extraction in zip(sentences, extract_documents(documents), strict=True):
        facts = {(f["subject"], f["predicate"], f["object"], f["polarity"], f["modality"]) for f in extraction.facts}
        true, found, gold = true + len(facts & sentence.facts), found + len(facts), gold + len(sentence.facts)
    print(f"facts, {name:<9} {len(sentences):>4} sentences {gold:>4} gold   {scores(true, found, gold)}")


def conll04(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL04 file, tokens joined by spaces."""
    for item in json.loads(path.read_text("utf-8")):
        yield _sentence(item["tokens"], [(s, e, kind) for s, e, kind in item["entities"]])


def wnut17(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a two-column BIO file, tokens joined by spaces."""
    for block in path.read_text("utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        spans: list[tuple[int, int, str]] = []
        for i, (_, label) in enumerate(rows):
            if label.startswith("B-"):
                spans.append((i, i + 1, label[2:]))
            elif label.startswith("I-") and spans:
                spans[-1] = (spans[-1][0], i + 1, spans[-1][2])
        if rows:
            yield _sentence([word for word, _ in rows], spans)


def _sentence(tokens: list[str], spans: list[tuple[int, int, str]]) -> Sentence:
    starts, position = [], 0
    for token in tokens:
        starts.append(position)
        position += len(token) + 1
    gold = frozenset((starts[s], starts[e - 1] + len(tokens[e - 1]), kind) for s, e, kind in spans)
    return Sentence(" ".join(tokens), gold)


def ours(sentences: list[Sentence]) -> Iterator[list[Entity]]:
    """Yield the named mentions of each text."""
    documents = [document(n, s.text) for n, s in enumerate(sentences)]
    for extraction in extract_documents(documents):
        yield [(m["start"], m["end"], m["type"]) for m in extraction.mentions if m["confidence"] >= NAMED]


def plain(sentences: list[Sentence]) -> Iterator[list[Entity]]:
    """Yield the bare parser's entities of each text, numbers and dates left out."""
    for doc in load_model().pipe(s.text for s in sentences):
        yield [(e.start_char, e.end_char, MODEL_TYPES[e.label_]) for e in doc.ents if e.label_ in MODEL_TYPES]


def measure_entities(name: str, sentences: list[Sentence], labels: dict[str, set[str]], other: str | None) -> None:
    """Print span and span + type scores of both extractors."""
    for who, extract in (("plain spaCy", plain), ("ours, named", ours)):
        started = time.process_time()
        untyped = typed = found = gold = 0
        for sentence, entities in zip(sentences, extract(sentences), strict=True):
            kinds = {(start, end): kind for start, end, kind in sentence.gold}
            for start, end, kind in entities:
                label = kinds.get((start, end))
                untyped += label is not None
                typed += label is not None and label in labels.get(kind, {other})
            found, gold = found + len(entities), gold + len(sentence.gold)
        seconds = time.process_time() - started
        words = sum(len(s.text.split()) for s in sentences)
        print(f"{name:<8} {who}  untyped {scores(untyped, found, gold)}   typed {scores(typed, found, gold)}", end="")
        print(f"   {words / seconds:,.0f} words/CPU-s")


def main() -> None:
    """Run what the arguments allow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of evaluation data with ner/conll04 and ner/wnut17")
    data = parser.parse_args().data
    load_model()
    measure_facts("tuned", TUNED)
    measure_facts("held out", HELD_OUT)
    measure_facts("wild", WILD)
    if data is not None:
        measure_entities("CoNLL04", list(conll04(data / "ner/conll04/valid.json")), CONLL04, "Other")
        measure_entities("WNUT17", list(wnut17(data / "ner/wnut17/dev.conll")), WNUT17, None)


if __name__ == "__main__":
    main()

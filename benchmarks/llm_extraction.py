"""Tokens and cost of extraction by a chat model, per 10,000 words, for batches of 1, 4, 8 and 32 texts.

    python benchmarks/llm_extraction.py EVAL_DIR [--words 10000]

EVAL_DIR holds `locomo_turn`, `locomo_session` and `qmsum`, each with a `corpus.jsonl`: single messages, conversations,
meetings. Brain's own client talks HTTP on loopback to a server that counts input and output with a real tokenizer
(byte-level BPE with 51,865 entries; the newer tokenizers of hosted models need a few per cent less). The server answers
with what the local extractor finds in the same text, in the requested form, so the size of an answer follows from the
text. The floor is the text itself, sent once without instructions.
"""

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from brain_pipelines.stages.extraction.llm.client import OUTPUT_TOKENS
from brain_pipelines.stages.extractions_llm import extract_with
from brain_pipelines.stages.extractions_local import extract_documents
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.models.chat.openai_chat import OpenAIChat
from brain_retrieval.models.embedding.tokenizer import FileTokenizer
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import locate
from brain_retrieval.settings import ExtractionSettings, LlmSettings, Settings, load_settings
from tests.fake_openai import FakeOpenAI
from tests.pipelines.stages.extraction.llm.scripted_model import answer, entity, fact, texts_of

KINDS = {"messages": "locomo_turn", "conversations": "locomo_session", "meetings": "qmsum"}
# Money per million tokens, input and output: two price levels of hosted models.
PRICES = {"0.05 / 0.40": (0.05, 0.40), "0.40 / 1.60": (0.40, 1.60)}
TARGET = 0.03
NAMED = 0.6
QUOTE_WORDS = 8


def read_texts(path: Path, words: int) -> list[str]:
    """Return texts of a corpus until they contain `words` words."""
    texts, count = [], 0
    for line in path.read_text("utf-8").splitlines():
        texts.append(json.loads(line)["text"])
        count += len(texts[-1].split())
        if count >= words:
            break
    return texts


def document(number: int, text: str) -> dict[str, Any]:
    """Return a DOCUMENT_TEXT row for a text."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    fixed = {
        "trust": "owner",
        "sensitivity": "normal",
        "ttl_policy": None,
        "format": "txt",
        "title": "",
        "language": "en",
        "authors": [],
    }
    row = {"source_id": f"b{number}", "source": "document", "uri": "", "day": "2026-01-01", "text": text}
    return {**row, **fixed, "event_at": now, "received_at": now, "segments": []}


class LocalReader:
    """Simulates a model that finds what the local extractor finds."""

    def __init__(self, counter: FileTokenizer) -> None:
        self.counter = counter
        self.known: dict[str, dict[str, Any]] = {}
        self.sent = self.said = self.requests = 0

    def __call__(self, body: dict[str, Any]) -> str:
        text = answer(*({"index": index, **self.read(text)} for index, text in texts_of(body)))
        schema = json.dumps(body["response_format"]["json_schema"]["schema"])
        self.sent += sum(self.counter.count(m["content"]) for m in body["messages"]) + self.counter.count(schema)
        self.said += self.counter.count(text)
        self.requests += 1
        return text

    def read(self, text: str) -> dict[str, Any]:
        if text not in self.known:
            (found,) = extract_documents([document(0, text)])
            stated = {fact["subject_id"] for fact in found.facts} | {fact["object_id"] for fact in found.facts}
            entities = [e for e in found.entities if e["confidence"] >= NAMED or e["entity_id"] in stated]
            self.known[text] = {
                "entities": [entity(e["name"], e["type"], aliases=e["aliases"]) for e in entities],
                "facts": [
                    fact(
                        f["subject"],
                        f["predicate"],
                        f["object"],
                        " ".join(f["evidence"].split()[:QUOTE_WORDS]),
                        relation=f["relation"],
                        stance=[s for s in (f["polarity"], f["modality"]) if s not in ("affirmed", "asserted")],
                    )
                    for f in found.facts
                ],
            }
        return self.known[text]


def measure(kind: str, texts: list[str], size: int, reader: LocalReader) -> None:
    """Print one row of the table."""
    words = sum(len(text.split()) for text in texts)
    floor = sum(reader.counter.count(text) for text in texts) * 10_000 / words
    reader.sent = reader.said = reader.requests = 0
    with FakeOpenAI(chat=reader) as server:
        llm = LlmSettings(model="local-reader", base_url=server.base_url, max_output_tokens=OUTPUT_TOKENS)
        settings = Settings(llm=llm, extraction=ExtractionSettings(provider="llm", batch_size=size))
        began, busy = time.perf_counter(), time.process_time()
        found = extract_with(
            CachedChat(OpenAIChat(llm), most_output=OUTPUT_TOKENS),
            [document(n, t) for n, t in enumerate(texts)],
            settings,
        )
        seconds, cpu = time.perf_counter() - began, time.process_time() - busy
    lost = sum(outcome.extraction is None for outcome in found)
    facts = sum(len(outcome.extraction.facts) for outcome in found if outcome.extraction)
    sent, said = (n * 10_000 / words for n in (reader.sent, reader.said))
    money = {name: (sent * i + said * o) / 1e6 for name, (i, o) in PRICES.items()}
    shown = "  ".join(f"{value:.4f} ({value / TARGET:.2f})" for value in money.values())
    print(
        f"{kind:<14} {len(texts):>5} {words:>6} {size:>3} {reader.requests * 10_000 / words:>7.1f} {sent:>8,.0f} "
        f"{sent / floor:>5.2f} {said:>8,.0f}  {shown}  {facts:>5} {lost:>3} {seconds:>6.1f} {cpu:>6.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=10_000)
    arguments = parser.parse_args()
    files = locate(find_entry("whisper-base"), load_settings().models_dir)
    reader = LocalReader(FileTokenizer(files["tokenizer.json"], name="bpe"))
    print("per 10,000 words: requests, input tokens (times the text's own), output tokens, money (times the target)")
    print(
        f"{'':<14} texts  words  of requests    input       output  "
        + "       ".join(PRICES)
        + "    facts lost  s  CPU s"
    )
    for kind, directory in KINDS.items():
        texts = read_texts(arguments.data / directory / "corpus.jsonl", arguments.words)
        for text in texts:  # the local extractor's own time is not the client's
            reader.read(text)
        for size in (1, 4, 8, 32):
            measure(kind, texts, size, reader)


if __name__ == "__main__":
    main()

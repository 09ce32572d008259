"""Tokens of extraction with a chat model, per 10,000 words.

    python benchmarks/llm_extraction.py EVAL_DIR [--words 10000] [--keep 0.5]

EVAL_DIR holds `locomo_turn`, `locomo_session` and `qmsum`, each with a `corpus.jsonl` (single messages, conversations,
meetings), and `memorable/dev.jsonl`, sentences labelled as worth keeping or not, with the line a person wrote of each.
Brain's own client talks HTTP on loopback to a server that counts input and output with a real tokenizer (byte-level BPE
with 51,865 entries; the newer tokenizers of hosted models need a few per cent less).

For the labelled sentences, all of them sent, the server answers with the labels, and with the words in which the line
a person wrote differs from the stored one. For the corpora it keeps a share of what the local tier lets through, half
of it with a name put behind the first two words, every tenth with the whole line written again, every third with
another kind, every fifth with a date, and lists every fourth name that the local extractor finds as missing or
mistaken. Money is shown at two price levels of hosted models.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from brain_pipelines.stages.extractions_llm import improve_extractions
from brain_pipelines.stages.extractions_local import Extraction, extract_documents
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.models.chat.openai_chat import OpenAIChat
from brain_retrieval.models.embedding.tokenizer import FileTokenizer
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import locate
from brain_retrieval.settings import ExtractionSettings, LlmSettings, Settings, load_settings
from tests.fake_openai import FakeOpenAI
from tests.pipelines.stages.extraction.llm.local_rows import memory
from tests.pipelines.stages.extraction.llm.scripted_model import Asked, answer, asked_in, entry, name

KINDS = {"messages": "locomo_turn", "conversations": "locomo_session", "meetings": "qmsum"}
# Money per million tokens, input and output.
PRICES = {"0.05 / 0.40": (0.05, 0.40), "0.40 / 1.60": (0.40, 1.60)}
Text = tuple[dict[str, Any], Extraction]


def read_corpus(path: Path, words: int) -> list[str]:
    """Return texts of a corpus until they contain `words` words."""
    texts, count = [], 0
    for line in path.read_text("utf-8").splitlines():
        texts.append(json.loads(line)["text"])
        count += len(texts[-1].split())
        if count >= words:
            break
    return texts


def document(number: int, text: str, day: str = "2026-01-01") -> dict[str, Any]:
    """Return a DOCUMENT_TEXT row for a text."""
    now = datetime.fromisoformat(day).replace(tzinfo=UTC)
    fixed = {"trust": "owner", "sensitivity": "normal", "ttl_policy": None, "format": "txt", "title": ""}
    fixed |= {"language": "en", "authors": []}
    row = {"source_id": f"b{number}", "source": "document", "uri": "", "day": day, "text": text}
    return {**row, **fixed, "event_at": now, "received_at": now, "segments": []}


def corpus_texts(texts: list[str]) -> list[Text]:
    """Return texts with their local extraction."""
    rows = [document(number, text) for number, text in enumerate(texts)]
    return list(zip(rows, extract_documents(rows), strict=True))


def labelled_texts(path: Path) -> tuple[list[Text], dict[str, dict[str, Any]]]:
    """Return the labelled sentences, each after the one before it, and their labels by sentence."""
    labels = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = []
    for label in labels:
        before = f"{label['prev']}\n\n" if label.get("prev") else ""
        row = document(label["id"], before + label["sentence"], label["date"] or "2026-01-01")
        people = {"speaker": label["speaker"], "listener": label["listener"]}
        own = memory(row, len(before), len(row["text"]), **people)
        found.append((row, Extraction(memories=[own])))
    return found, {" ".join(label["sentence"].split()): label for label in labels}


class Counter:
    """A model whose input and output are counted; `judge` gives the entry of a sentence, or None."""

    def __init__(self, tokens: FileTokenizer) -> None:
        self.tokens = tokens
        self.judge: Callable[[Asked], dict[str, Any] | None] = lambda asked: None
        self.names: dict[str, str] = {}
        self.sent = self.said = self.requests = self.kept = 0

    def __call__(self, body: dict[str, Any]) -> str:
        asked = asked_in(body)
        keep = [found for one in asked if (found := self.judge(one)) is not None]
        spoken = " ".join(one.said for one in asked)
        names = [name(text, kind) for text, kind in self.names.items() if text in spoken]
        text = answer(keep, last=len(asked), names=names)
        schema = json.dumps(body["response_format"]["json_schema"]["schema"])
        self.sent += sum(self.tokens.count(m["content"]) for m in body["messages"]) + self.tokens.count(schema)
        self.said += self.tokens.count(text)
        self.requests, self.kept = self.requests + 1, self.kept + len(keep)
        return text


def keep_share(share: float) -> Callable[[Asked], dict[str, Any] | None]:
    """Return a judge that keeps a share of the sentences, chosen by their hash."""

    def judge(asked: Asked) -> dict[str, Any] | None:
        number = int.from_bytes(hashlib.blake2b(asked.said.encode(), digest_size=4).digest(), "big")
        if number % 1000 >= share * 1000:
            return None
        stored = asked.proposed or asked.said
        old = " ".join(stored.split()[:2])
        line = f"{asked.who or 'user'}: {stored}" if number % 10 == 3 else ""
        words = {old: f"{old} of {asked.who or 'user'}"} if number % 2 and not line else None
        notes = {"since": "2026-01-01"} if number % 5 == 0 else {}
        return entry(asked.number, line, "event" if number % 3 == 0 else None, words, **notes)

    return judge


def differing(line: str, wanted: str) -> dict[str, str]:
    """Return the words that make one line of another, each with a word before it if it stands there several times."""
    old, new = line.split(), wanted.split()
    found: list[list[int]] = []
    for what, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        while start and f" {' '.join(old)} ".count(f" {' '.join(old[start:end])} ") != 1:
            start, first = start - 1, first - 1
        if found and start <= found[-1][1]:
            found[-1][1::2] = end, last
        else:
            found.append([start, end, first, last])
    words = {" ".join(old[start:end]): " ".join(new[first:last]) for start, end, first, last in found}
    return words if sum(len(a) + len(b) + 6 for a, b in words.items()) < len(wanted) else {"": wanted}


def keep_labelled(labels: dict[str, dict[str, Any]]) -> Callable[[Asked], dict[str, Any] | None]:
    """Return a judge that answers with the labels."""

    def judge(asked: Asked) -> dict[str, Any] | None:
        label = labels.get(asked.said)
        if not label or not label["keep"]:
            return None
        words = differing(asked.proposed or asked.said, label["gold"]) if label["gold"] else None
        return entry(asked.number, "", None if label["kind"] == "fact" else label["kind"], words)

    return judge


def measure(kind: str, texts: list[Text], size: int, counter: Counter, words: int) -> None:
    """Print one row of the table."""
    rows = [row for _, extraction in texts for row in extraction.memories]
    counter.sent = counter.said = counter.requests = counter.kept = 0
    with FakeOpenAI(chat=counter) as server:
        llm = LlmSettings(model="counted", base_url=server.base_url)
        settings = Settings(llm=llm, extraction=ExtractionSettings(provider="llm", batch_size=size))
        began = time.perf_counter()
        found = improve_extractions(CachedChat(OpenAIChat(llm)), texts, settings)
        seconds = time.perf_counter() - began
    after = [row for outcome in found for row in outcome.extraction.memories]
    local = sum(row["method"] == "local" for row in after)
    sent, said = (n * 10_000 / words for n in (counter.sent, counter.said))
    money = "  ".join(f"{(sent * i + said * o) / 1e6:>11.4f}" for i, o in PRICES.values())
    print(
        f"{kind:<14} {len(rows):>6} {words:>6} {size:>3} {counter.requests * 10_000 / words:>8.1f} {sent:>8,.0f} "
        f"{said:>7,.0f} {counter.kept / len(rows):>5.2f} {local:>6} {seconds:>6.1f}  {money}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--keep", type=float, default=0.5)
    arguments = parser.parse_args()
    files = locate(find_entry("whisper-base"), load_settings().models_dir)
    counter = Counter(FileTokenizer(files["tokenizer.json"], name="bpe"))
    print("per 10,000 words: requests, tokens in and out; share kept, lines left to the local tier, seconds, money at")
    print(f"{'':<14} sents.  words  of requests    input  output  kept  local      s  {'   '.join(PRICES)}")
    texts, labels = labelled_texts(arguments.data / "memorable" / "dev.jsonl")
    counter.judge = keep_labelled(labels)
    measure("labelled", texts, 20, counter, sum(len(said.split()) for said in labels))
    counter.judge = keep_share(arguments.keep)
    for kind, directory in KINDS.items():
        texts = corpus_texts(read_corpus(arguments.data / directory / "corpus.jsonl", arguments.words))
        names = sorted((entity["name"], entity["type"]) for _, found in texts for entity in found.entities)
        counter.names = dict(names[::4])
        for size in (5, 20, 40):
            measure(kind, texts, size, counter, sum(len(row["text"].split()) for row, _ in texts))


if __name__ == "__main__":
    main()

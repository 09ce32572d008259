"""Public question sets as the retrieval benchmark reads them: `corpus.jsonl` and `queries.jsonl`, one folder a set.

    python -m benchmarks.retrieval_public_sets REPOSITORIES OUT

REPOSITORIES holds clones named `owner+name`, with a work tree or bare in `repo`: emorynlp/FriendsQA (scenes of a
series), HIT-SCIR/Molweni (Ubuntu chat), IBM/mt-rag-benchmark (questions of a dialogue over documents),
wenhuchen/Time-Sensitive-QA (facts that change), zc277584121/search-datasets (SQuAD 2), oussbenk/cranfield-trec-dataset
(abstracts). Each has its own licence, and nothing of them is part of this project. The sets serve the training of the
ranker, where a kind of data that was left out shows how it transfers.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Read = Callable[[str, str], str]

SCENES = 34  # of a user
DIALOGUES = 34
QUESTIONS = 150  # of a set, evenly sampled
PAGES = 60
RELEVANT = range(1, 4)  # grades of Cranfield; 4 is of minimal interest, 5 of none


def read_from(repositories: Path) -> Read:
    """Return a function that reads a file of a clone at its newest commit."""

    def read(name: str, path: str) -> str:
        clone = repositories / name.replace("/", "+") / "repo"
        folder = clone / ".git" if (clone / ".git").is_dir() else clone
        command = ["git", "--git-dir", str(folder), "show", f"HEAD:{path}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return read


class Writer:
    """The units and questions of a set; `unit` returns the number of the unit that it adds."""

    def __init__(self) -> None:
        self.units: list[Json] = []
        self.questions: list[Json] = []

    def unit(self, corpus: str, text: str, **meta: object) -> int:
        self.units.append({"corpus": corpus, "id": len(self.units), "text": text, "meta": meta})
        return len(self.units) - 1

    def question(self, corpus: str, query: str, gold: list[int], category: str = "all") -> None:
        if gold:
            self.questions.append({"corpus": corpus, "query": query, "gold": gold, "category": category})

    def save(self, folder: Path, most: int = QUESTIONS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        step = max(1.0, len(self.questions) / most)
        asked = [self.questions[int(n * step)] for n in range(min(most, len(self.questions)))]
        for name, rows in (("corpus", self.units), ("queries", asked)):
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(text, "utf-8")


def friendsqa(read: Read) -> Writer:
    """Scenes of a series; the evidence is the utterance that holds an answer."""
    found = Writer()
    for number, scene in enumerate(json.loads(read("emorynlp/FriendsQA", "dat/friendsqa_dev.json"))["data"]):
        corpus, said_in = f"friends-{number // SCENES}", scene["paragraphs"][0]
        units: dict[int, int] = {}
        for said in said_in["utterances:"]:
            who = " and ".join(said["speakers"]) or "Scene"
            text = f"{who}: {said['utterance']}"
            units[said["uid"]] = found.unit(corpus, text, session=scene["title"], speaker=who)
        for asked in said_in["qas"]:
            gold = sorted({units[a["utterance_id"]] for a in asked["answers"] if a["utterance_id"] in units})
            found.question(corpus, asked["question"], gold, asked["id"].rpartition("_")[2].lower())
    return found


def molweni(read: Read) -> Writer:
    """Dialogues of a support channel; the evidence is the message in which the answer begins."""
    found = Writer()
    stored = json.loads(read("HIT-SCIR/Molweni", "MRC(withDiscourse)/test.json"))["data"]["dialogues"]
    seen: dict[str, list[int]] = {}
    for number, dialogue in enumerate(stored):
        corpus, units = f"molweni-{number // DIALOGUES}", list[int]()
        for said in dialogue["edus"]:
            text = f"{said['speaker']}: {said['text']}"
            units.append(found.unit(corpus, text, session=f"d{number}", speaker=said["speaker"]))
        for asked in dialogue["qas"]:
            places = [_message(answer, dialogue) for answer in asked["answers"]]
            gold = sorted({units[place] for place in places if place is not None})
            if gold and asked["question"] not in seen:
                seen[asked["question"]] = gold
                found.question(corpus, asked["question"], gold)
    return found


def _message(answer: Json, dialogue: Json) -> int | None:
    wanted = " ".join(answer["text"].lower().split())
    said = [" ".join(one["text"].lower().split()) for one in dialogue["edus"]]
    return next((place for place, text in enumerate(said) if wanted and wanted in text), None)


def mtrag(read: Read) -> Writer:
    """Passages under the answers of dialogues; the last question of each, which leans on those before it."""
    found, corpus = Writer(), "mtrag"
    units: dict[str, int] = {}
    stored = read("IBM/mt-rag-benchmark", "mtragun-human/generation_tasks/reference.jsonl")
    for row in map(json.loads, stored.splitlines()):
        for passage in row["contexts"]:
            if passage["document_id"] not in units:
                units[passage["document_id"]] = found.unit(corpus, passage["text"].strip())
        gold = sorted({units[passage["document_id"]] for passage in row["contexts"]})
        found.question(corpus, row["input"][-1]["text"], gold, row["Collection"])
    return found


def timeqa(read: Read) -> Writer:
    """Paragraphs of encyclopaedia pages; questions about what held at a time."""
    found, corpus = Writer(), "timeqa"
    for page in json.loads(read("wenhuchen/Time-Sensitive-QA", "dataset/human_annotated_test.json"))[:PAGES]:
        title = page["link"].removeprefix("/wiki/").replace("_", " ")
        units = [found.unit(corpus, f"{title}\n{text}", title=title, parent=page["index"]) for text in page["paras"]]
        for query, answers in page["questions"]:
            gold = sorted({units[answer["para"]] for answer in answers if answer["answer"]})
            found.question(corpus, query, gold)
    return found


def squad(read: Read) -> Writer:
    """Paragraphs and questions with an answer in them."""
    found, corpus = Writer(), "squad"
    answers = json.loads(read("zc277584121/search-datasets", "squad2/ground_truth.json"))
    units: dict[str, int] = {}
    for asked in json.loads(read("zc277584121/search-datasets", "squad2/queries.json"))["queries"]:
        text = asked["context"]
        if text not in units:
            units[text] = found.unit(corpus, text)
        if not answers[asked["id"]]["is_impossible"]:
            found.question(corpus, asked["question"], [units[text]])
    return found


def cranfield(read: Read) -> Writer:
    """Abstracts on aerodynamics; judged questions, numbered in their order."""
    found, corpus, name = Writer(), "cranfield", "oussbenk/cranfield-trec-dataset"
    units: dict[str, int] = {}
    for document in re.findall(r"<doc>(.*?)</doc>", read(name, "cran.all.1400.xml"), re.S):
        text = _tagged(document, "text")
        units[_tagged(document, "docno")] = found.unit(corpus, text or _tagged(document, "title"))
    judged: dict[int, list[int]] = {}
    for line in read(name, "cranqrel.trec.txt").splitlines():
        query, _, document, grade = line.split()
        if int(grade) in RELEVANT and document in units:
            judged.setdefault(int(query), []).append(units[document])
    asked = re.findall(r"<top>(.*?)</top>", read(name, "cran.qry.xml"), re.S)
    for number, query in enumerate(asked, start=1):
        found.question(corpus, _tagged(query, "title"), judged.get(number, []))
    return found


def _tagged(text: str, tag: str) -> str:
    match = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    return " ".join(match[1].split()) if match else ""


SETS: dict[str, Callable[[Read], Writer]] = {
    one.__name__: one for one in (friendsqa, molweni, mtrag, timeqa, squad, cranfield)
}


def written(repositories: Path, out: Path) -> Iterator[str]:
    """Write each set into a folder of its name, and yield what was written."""
    read = read_from(repositories)
    for name, make in SETS.items():
        found = make(read)
        found.save(out / name)
        yield f"{name}: {len(found.units)} units, {len(found.questions)} questions"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    for line in written(arguments.repositories, arguments.out):
        print(line)


if __name__ == "__main__":
    main()

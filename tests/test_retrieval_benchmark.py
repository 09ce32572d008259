"""The retrieval benchmark: homes built from files, the chunks that hold the evidence, and its measures."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.retrieval_homes import index_rows, open_home, read_questions
from benchmarks.retrieval_measures import pack_recall, paired_difference, rank_measures
from brain_retrieval.home import Home

CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Good to see you, Bo."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kite over a beach"},
        ],
        "session_2_date_time": "9:00 am on 3 June, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold the piano to my cousin in Turin."}],
    },
    "qa": [
        {"question": "What flew over the beach?", "category": 4, "evidence": ["D1:2"]},
        {"question": "What did Ann do after the kite?", "category": 1, "evidence": ["D1:2; D2:1", "D9:9"]},
        {"question": "Of what is nothing known?", "category": 3, "evidence": []},
    ],
}


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def texts_of(home: Path, user: str) -> dict[str, str]:
    return {row["id"]: row["text"] for row in index_rows(Home(home).space(user), ["id", "text"])}


def test_evidence_of_a_conversation_is_the_chunk_with_its_turn(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "conversations.json").write_text(json.dumps([CONVERSATION]), "utf-8")
    home = open_home("locomo", "ingested", tmp_path, tmp_path / "cache")
    first, second = read_questions(home)
    texts = texts_of(home, "conv-1")
    assert first["category"] == "single-hop"
    assert [texts[chunk] for (chunk,) in first["gold"]] == [
        "Ann: Good to see you, Bo.\nBo: Look! [shared a photo: a red kite over a beach]"
    ]
    assert [texts[chunk] for (chunk,) in second["gold"]][1] == "Ann: I sold the piano to my cousin in Turin."
    assert {row["day"] for row in index_rows(Home(home).space("conv-1"), ["day"])} == {"2023-05-08", "2023-06-03"}


def test_units_with_a_session_become_messages_of_a_chat(tmp_path: Path) -> None:
    said = [["Eve", "Which tea?"], ["Assistant", "Oolong: a mild one."]]
    units = [
        {"corpus": "e", "id": 0, "text": "Eve: Hello: again.", "meta": {"session": "a"}},
        {"corpus": "e", "id": 1, "text": "both", "meta": {"session": "b", "messages": said}},
    ]
    lines(tmp_path / "chats" / "corpus.jsonl", units)
    asked = [{"corpus": "e", "query": "Tea?", "gold": [1], "category": ""}]
    lines(tmp_path / "chats" / "queries.jsonl", asked)
    home = open_home("chats", "ingested", tmp_path, tmp_path / "cache")
    (question,) = read_questions(home)
    texts = texts_of(home, "e")
    assert set(texts.values()) == {"Eve: Hello: again.", "Eve: Which tea?\nAssistant: Oolong: a mild one."}
    assert [texts[chunk] for chunk in question["gold"][0]] == ["Eve: Which tea?\nAssistant: Oolong: a mild one."]


def test_a_home_is_built_again_only_when_its_data_changed(tmp_path: Path) -> None:
    unit = {"corpus": "c", "id": 0, "text": "Oslo\nOslo is in Norway.", "meta": {"title": "Oslo"}}
    asked = {"corpus": "c", "query": "Where is Oslo?", "gold": [0], "category": ""}
    lines(tmp_path / "places" / "corpus.jsonl", [unit])
    lines(tmp_path / "places" / "queries.jsonl", [asked])
    home = open_home("places", "ingested", tmp_path, tmp_path / "cache")
    before = (home / "questions.jsonl").stat().st_mtime_ns
    assert open_home("places", "ingested", tmp_path, tmp_path / "cache") == home
    assert (home / "questions.jsonl").stat().st_mtime_ns == before
    lines(tmp_path / "places" / "corpus.jsonl", [unit | {"text": "Oslo\nOslo lies on a fjord."}])
    (question,) = read_questions(open_home("places", "ingested", tmp_path, tmp_path / "cache"))
    assert question["gold_text"] == ["Oslo lies on a fjord."]
    assert "fjord" in texts_of(home, "c")[question["gold"][0][0]]


def test_evidence_of_a_meeting_is_what_was_said_at_that_time(tmp_path: Path) -> None:
    talk = [f"Ada: Budget . {' '.join(f'Item {n} {m} costs {m} euros .' for m in range(25))}" for n in range(3)]
    talk.append("Ada: Then the remote control .\nBen: Rubber , not wood .")
    units = [{"corpus": "m", "id": n, "text": text, "meta": {"meeting": 0}} for n, text in enumerate(talk)]
    lines(tmp_path / "qmsum" / "corpus.jsonl", units)
    lines(tmp_path / "qmsum" / "queries.jsonl", [{"corpus": "m", "query": "Rubber?", "gold": [3], "category": ""}])
    home = open_home("qmsum", "ingested", tmp_path, tmp_path / "cache")
    (question,) = read_questions(home)
    texts = texts_of(home, "m")
    assert len(texts) > 3
    assert any("Rubber" in texts[chunk] for chunk in question["gold"][0])
    assert all("Budget" not in texts[chunk] for chunk in question["gold"][0])


@pytest.mark.parametrize(("k", "expected"), [(5, 0.5), (10, 1.0)])
def test_any_chunk_of_a_group_counts_once(k: int, expected: float) -> None:
    found = ["x", "a2", "a1", "y", "z", "b"]
    assert rank_measures(found, [["a1", "a2"], ["b"]])[f"recall@{k}"] == expected
    assert rank_measures(found, [["a1", "a2"], ["b"]])["MRR@10"] == 0.5


def test_a_pack_contains_evidence_if_most_words_of_it_are_shown() -> None:
    texts = {"one": "Ann sold the piano in June. It went to her cousin Leo.", "two": "He lives in Turin."}
    evidence = ["Ann sold the piano in June. It went to her cousin Leo. He lives in Turin."]
    held = [["one", "two"]]
    assert pack_recall(f"[1] 2023 | note\n{texts['one']}\n\n{texts['two']}", held, evidence, texts) == 1.0
    assert pack_recall("[1] Ann sold the piano in June.", held, evidence, texts) == 0.0
    assert pack_recall("nothing of it", held, evidence, texts) == 0.0
    assert pack_recall(texts["one"], [["two"]], ["He lives in Turin."], texts) == 0.0


def test_the_difference_of_equal_methods_is_nought_and_a_constant_lead_is_certain() -> None:
    values = [0.0, 1.0, 0.5, 1.0]
    assert paired_difference(values, values) == (0.0, 0.0, 0.0)
    assert paired_difference([v + 0.25 for v in values], values) == (0.25, 0.25, 0.25)

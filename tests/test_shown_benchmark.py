"""The labels of what is shown first name homes that can be rebuilt and hold no text; the fit starts from the prior."""

import json
import re
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.logistic import Fit, fit
from benchmarks.shown import DIGITS, LABELS, NOT_ASKED, OF_EVIDENCE, Labelled, hashed, left_out, read_labels
from benchmarks.shown_forms import mails, phone_export
from benchmarks.shown_homes import recipes, spread
from brain_pipelines.readers.chat.chat_log import read_log

LETTERS, OF_READERS = "uptcwg-", "UXWG"


def test_labels_are_hashes_and_letters_of_known_homes() -> None:
    lines = [line for line in LABELS.read_text("utf-8").splitlines() if not line.startswith("#")]
    homes = [line.strip("[]") for line in lines if line.startswith("[")]
    form = re.compile(rf"[0-9a-f]{{{DIGITS}}}\t(?:[0-9a-f]{{{DIGITS}}})?\t[{LETTERS}][{OF_READERS}]{{0,2}}")
    assert homes == sorted(set(homes))
    assert [line for line in lines if not line.startswith("[") and not form.fullmatch(line)] == []
    assert set(homes) <= set(recipes(held=False))
    assert set(homes) == set(read_labels())


def test_only_lines_that_may_be_written_otherwise_are_found_by_their_evidence() -> None:
    kept = {letters for labels in read_labels().values() for key, letters in labels.items() if key.startswith("e:")}
    assert set("".join(kept)) - {NOT_ASKED} == OF_EVIDENCE


def test_the_letter_of_the_first_reader_counts_as_useful_as_the_others_find_such_lines() -> None:
    cases = Labelled(letters=["uUU", "uUX", "u", "tXX", "t", "-UW"], fit=[True] * 6)
    assert np.nan_to_num(cases.of_readers(), nan=-1).tolist() == [1, 0.5, -1, 0, -1, 0.5]
    assert cases.useful() == pytest.approx([2.75 / 3, 1.75 / 3, 0.75, 0, 0, 0.5])


def test_a_home_is_scored_by_a_fit_to_the_others() -> None:
    """In each home the sign of the only feature is another, so a fit to the others is wrong about all of it."""
    cases = Labelled(home=["a"] * 400 + ["b"] * 400, letters=["uUU", "tXX"] * 400, fit=[True] * 800)
    values = np.array([[1.0], [0.0]] * 200 + [[0.0], [1.0]] * 200)
    chances, useful = left_out(cases, values, ["only"]), cases.useful()
    assert chances[useful == 1].max() < chances[useful == 0].min()


def test_a_text_is_named_by_its_words() -> None:
    assert hashed("Ann  met\nBo.") == hashed("Ann met Bo.") != hashed("Ann met Bo")


@pytest.mark.parametrize(("most", "expected"), [(3, ["a", "b", "d"]), (9, list("abcde"))])
def test_files_of_a_home_are_spread_over_all(most: int, expected: list[str]) -> None:
    assert spread(list("abcde"), most) == expected


def test_a_recipe_states_where_its_texts_are() -> None:
    for recipe in recipes().values():
        assert {"kind", "language"} <= set(recipe)
        assert "conversation" in recipe or re.fullmatch(r"[0-9a-f]{40}", recipe["commit"]) and recipe["paths"]


def test_a_conversation_as_a_phone_exports_it_is_read_as_one(tmp_path: Path) -> None:
    turns = [{"speaker": "Ann", "text": "I sold the boat"}, {"speaker": "Bo", "text": "Fine"}]
    talk = {"speaker_a": "Ann", "speaker_b": "Bo", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    talk |= {"session_2": turns[:1], "session_2_date_time": "10:02 am on 21 May, 2023"}
    (tmp_path / "conversations.json").write_text(json.dumps([{"conversation": talk}]))
    for style in ("android", "ios"):
        _, content, _ = phone_export(tmp_path, 0, style)
        said = read_log(content.decode(), UTC, None)
        assert [(one.speaker, one.text) for one in said] == [
            ("Ann", "I sold the boat"),
            ("Bo", "Fine"),
            ("Ann", "I sold the boat"),
        ]
        assert [f"{one.time:%m-%d %H}" for one in said if one.time] == ["05-08 13", "05-08 13", "05-21 10"]


def test_messages_of_a_list_become_mails(tmp_path: Path) -> None:
    def row(year: int, body: str) -> dict[str, object]:
        sent = datetime(year, 3, 2, tzinfo=UTC)
        return {
            "id": f"m{year}", "from_name": "Ann Lee", "subject": "The boat", "date": sent, "body": body,
            "message_id": f"<{year}@x.org>", "in_reply_to": None,
        }  # fmt: skip

    long = "The boat is sold. " * 20
    pl.DataFrame([row(2009, long), row(2010, long), row(2011, "Short.")]).write_parquet(tmp_path / "list.parquet")
    table = (tmp_path / "list.parquet").read_bytes()
    assert [name for name, _, _ in mails(table, "boats", 9, None)] == ["2009-03-02-m2009.eml", "2010-03-02-m2010.eml"]
    ((name, content, _),) = mails(table, "boats", 9, 2010)
    mail = message_from_bytes(content)
    assert name == "2010-03-02-m2010.eml" and mail["Message-ID"] == "<2010@x.org>" and "Ann Lee" in mail["From"]


def test_a_strong_penalty_keeps_the_weights_of_the_prior_and_few_labels_move_the_others() -> None:
    values = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 5)
    labels = values[:, 1]
    found = fit(values, labels, np.zeros(2), np.array([1e6, 1.0]), Fit(0.0, np.array([0.7, 0.0])))
    assert found.weights[0] == pytest.approx(0.7, abs=1e-3)
    assert found.weights[1] > 1

"""Results kept in memory for a day that is run again: equal to computed ones, bounded, and dropped."""

import pytest

from brain_pipelines.stages import remembered
from brain_pipelines.stages.remembered import MOST_CHARS, Remembered
from brain_pipelines.stages.scratch import Scratch


def _row(text: str, **more: object) -> dict[str, object]:
    return {"source_id": "s", "text": text, **more}


class _Counting:
    """Returns a list of the characters of each text and notes which texts it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, rows):
        self.asked += [row["text"] for row in rows]
        return [list(row["text"]) for row in rows]


def test_only_new_rows_are_computed_and_the_order_is_kept():
    kept, compute = Remembered(), _Counting()
    assert kept.results("f", [_row("ab"), _row("cd")], compute) == [["a", "b"], ["c", "d"]]
    assert kept.results("f", [_row("ef"), _row("ab"), _row("cd")], compute) == [["e", "f"], ["a", "b"], ["c", "d"]]
    assert compute.asked == ["ab", "cd", "ef"]


def test_another_row_option_or_function_is_computed():
    kept, compute = Remembered(), _Counting()
    for name, row, option in (("f", _row("ab"), 1), ("f", _row("ab", trust="own"), 1), ("f", _row("ab"), 2)):
        kept.results(name, [row], compute, option)
    kept.results("g", [_row("ab")], compute, 1)
    assert compute.asked == ["ab"] * 4


def test_what_a_caller_changes_is_not_kept():
    kept, compute = Remembered(), _Counting()
    for _ in range(2):
        found = kept.results("f", [_row("ab")], compute)
        assert found == [["a", "b"]]
        found[0].clear()
    kept.results("f", [_row("ab")], compute)[0].clear()
    assert kept.results("f", [_row("ab")], compute) == [["a", "b"]]


def test_it_is_bounded_and_long_texts_are_not_kept():
    kept, compute = Remembered(most_bytes=200), _Counting()
    kept.results("f", [_row(f"{n:02}") for n in range(50)], compute)
    assert 0 < len(kept) < 20
    before = len(kept)
    kept.results("f", [_row("x" * (MOST_CHARS + 1))], lambda rows: [1 for _ in rows])
    assert len(kept) == before


def test_it_is_dropped_on_request_and_with_age(monkeypatch: pytest.MonkeyPatch):
    kept, compute = Remembered(), _Counting()
    kept.results("f", [_row("ab")], compute)
    kept.forget_all()
    assert len(kept) == 0
    kept.results("f", [_row("ab")], compute)
    monkeypatch.setattr(remembered, "MOST_SECONDS", -1.0)
    kept.results("f", [_row("cd")], compute)
    assert compute.asked == ["ab", "ab", "cd"]
    assert len(kept) == 1


def test_an_error_is_not_kept():
    def fails(rows):
        raise ValueError(str(len(rows)))

    kept = Remembered()
    with pytest.raises(ValueError, match="1"):
        kept.results("f", [_row("ab")], fails)
    assert kept.results("f", [_row("ab")], _Counting()) == [["a", "b"]]


def test_a_folder_is_used_again_only_while_it_is_empty(tmp_path):
    with Scratch(tmp_path / "scratch") as scratch:
        with scratch.folder() as first:
            pass
        with scratch.folder() as second:
            (second / "page.png").write_bytes(b"x")
        assert second == first
        assert not second.exists()
        with scratch.folder() as third:
            assert list(third.iterdir()) == []
    assert list((tmp_path / "scratch").iterdir()) == []

"""Sizes of stores on disk."""

from pathlib import Path

from brain_retrieval.stores.sizes import size_of


def test_the_size_of_a_file_of_a_directory_and_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").write_bytes(b"1234")
    (tmp_path / "a" / "b" / "two").write_bytes(b"56")
    assert [size_of(tmp_path / name) for name in ("a", "a/one", "none")] == [6, 4, 0]

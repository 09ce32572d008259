"""Weights are trusted by hash: missing, damaged and swapped files are noticed, unchanged ones cost no reading."""

import os
from pathlib import Path

import pytest

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights import weights
from brain_retrieval.models.weights.weights import is_installed, locate
from tests.retrieval.models.conftest import WEIGHTS, EntryMaker


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    path = tmp_path / "tiny" / "tiny.bin"
    path.parent.mkdir()
    path.write_bytes(WEIGHTS)
    return path


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read to be hashed."""
    read: list[Path] = []
    real = weights.sha256_of

    def spy(path: Path) -> str:
        read.append(path)
        return real(path)

    monkeypatch.setattr(weights, "sha256_of", spy)
    return read


def test_missing_weights_name_the_command(tmp_path: Path, make_entry: EntryMaker) -> None:
    with pytest.raises(ModelMissingError, match="run: brain models pull tiny"):
        locate(make_entry(), tmp_path)
    assert not is_installed(make_entry(), tmp_path)


@pytest.mark.parametrize("data", [WEIGHTS[:-1], WEIGHTS + b"x", b"", WEIGHTS[:-1] + b"X"])
def test_damaged_weights_are_refused_by_name(installed: Path, make_entry: EntryMaker, data: bytes) -> None:
    installed.write_bytes(data)
    with pytest.raises(ModelMissingError, match=r"tiny\.bin does not have the hash"):
        locate(make_entry(), installed.parent.parent)


def test_hashes_once_then_only_after_a_change(installed: Path, make_entry: EntryMaker, hashed: list[Path]) -> None:
    models_dir = installed.parent.parent
    for _ in range(3):
        assert locate(make_entry(), models_dir) == {"tiny.bin": installed}
    assert len(hashed) == 1
    os.utime(installed, ns=(1, 1))
    locate(make_entry(), models_dir)
    assert len(hashed) == 2
    locate(make_entry(), models_dir, rehash=True)
    assert len(hashed) == 3


def test_notices_a_swap_of_equal_size(installed: Path, make_entry: EntryMaker) -> None:
    models_dir = installed.parent.parent
    locate(make_entry(), models_dir)
    other = installed.with_name("other")
    other.write_bytes(WEIGHTS[::-1])
    other.replace(installed)
    with pytest.raises(ModelMissingError, match="hash"):
        locate(make_entry(), models_dir)


def test_verify_notices_a_change_that_hides_its_time(installed: Path, make_entry: EntryMaker) -> None:
    models_dir = installed.parent.parent
    locate(make_entry(), models_dir)
    before = installed.stat()
    with installed.open("r+b") as stream:
        stream.write(b"W")
    os.utime(installed, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ModelMissingError, match="hash"):
        locate(make_entry(), models_dir, rehash=True)


def test_a_stamp_for_another_hash_does_not_count(installed: Path, make_entry: EntryMaker) -> None:
    models_dir = installed.parent.parent
    locate(make_entry(), models_dir)
    with pytest.raises(ModelMissingError, match="hash"):
        locate(make_entry(data=WEIGHTS[::-1]), models_dir)


def test_a_broken_stamp_is_no_error(installed: Path, make_entry: EntryMaker) -> None:
    (installed.parent / ".tiny.bin.verified").write_text("{")
    assert is_installed(make_entry(), installed.parent.parent)

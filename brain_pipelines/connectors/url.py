"""URL connector: copies new and changed files from any place that fsspec can read into an inbox.

http and https are refused: web pages go through the safe fetcher (`brain ingest URL`).
"""

import hashlib
import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from brain_pipelines.connectors.connector import ConnectorError, PollRun
from brain_pipelines.connectors.delivery import TooLargeError, safe_name, write_into_inbox
from brain_pipelines.connectors.folder import check_outside, wanted
from brain_retrieval.settings.connectors import UrlSettings, secret_of

READ_BYTES = 1 << 20
WEB = ("http", "https")
# fsspec file systems that open addresses found inside a file.
INDIRECT = ("reference", "generic", "async_wrapper", "dask", "jupyter", "jlab")
LOCAL = ("", "file", "local", "dir")
_VERSIONS = (
    "ETag",
    "etag",
    "md5Hash",
    "LastModified",
    "last_modified",
    "updated",
    "mtime",
    "modify",
    "date_time",
    "CRC",
)
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified")


def poll(run: PollRun, name: str, settings: UrlSettings) -> None:
    """Copy files that are new or changed since the last poll.

    Raises:
        ConnectorError: the protocol is refused or not installed, or the place cannot be listed.
    """
    check_url(settings.url, run.space.home)
    for option in ("target_protocol", "fo"):
        if option in settings.options:
            check_url(f"{settings.options[option]}{'://' * (option == 'target_protocol')}", run.space.home)
    system, root = _open(name, settings)
    known: dict[str, str] = run.state.setdefault("files", {})
    present = set()
    for path, relative, info in _listed(name, settings, system, root):
        if not wanted(relative, settings.pattern, settings.suffixes) or run.time_is_up():
            continue
        present.add(relative)
        version = _version(info)
        if known.get(relative) != version and _take(run, name, settings, system, (root, path), relative, info):
            known[relative] = version
    if not run.more:
        for relative in known.keys() - present:
            del known[relative]


def check_url(url: str, home: Path) -> None:
    """Refuse URLs that a connector must not read; each part of a chained URL (`zip://a.csv::file:///b.zip`) is checked.

    Raises:
        ConnectorError: for http(s), for indirect file systems, and for paths that overlap Brain's home.
    """
    for part in url.split("::"):
        protocol, parted, rest = part.partition("://")
        protocol = protocol.lower() if parted else ""
        if protocol in WEB:
            raise ConnectorError(f"{protocol}:// is not read through a connector; use `brain ingest URL`")
        if protocol in INDIRECT:
            raise ConnectorError(f"{protocol}:// reads addresses from a file, which is not allowed")
        if protocol in LOCAL and (parted or "/" in part or "::" not in url):
            check_outside(Path(rest if parted else part).expanduser(), home)


def shown(url: str) -> str:
    """Return a URL without user name, password and query, for display."""
    return "::".join(_bare(part) for part in url.split("::"))


def _bare(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("://")[0] + "://…"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if "://" in url else parts.path


def _open(name: str, settings: UrlSettings) -> tuple[Any, str]:
    import fsspec
    from fsspec.core import url_to_fs

    protocol = settings.url.split("://")[0] if "://" in settings.url else "file"
    try:
        fsspec.get_filesystem_class(protocol)
    except (ImportError, ValueError):
        raise ConnectorError(f"url {name}: no file system for {protocol}:// is installed here") from None
    secrets = {key: secret.get_secret_value() for key, secret in settings.secrets.items()}
    secrets |= {key: secret_of(None, variable) or "" for key, variable in settings.secrets_env.items()}
    try:
        system, root = url_to_fs(settings.url, use_listings_cache=False, **{**settings.options, **secrets})
    except Exception as error:  # any client library's error; its message could contain a secret
        raise ConnectorError(f"url {name}: {shown(settings.url)} cannot be opened ({type(error).__name__})") from None
    return system, root


def _listed(name: str, settings: UrlSettings, system: Any, root: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (path, path below the place, file info) for each file, sorted by path."""
    try:
        system.invalidate_cache()
        info = system.info(root) if root.strip("/") else {"type": "directory"}
        files = {root: info} if info.get("type") == "file" else system.find(root, detail=True)
    except Exception as error:
        raise ConnectorError(f"url {name}: {shown(settings.url)} cannot be listed ({type(error).__name__})") from None
    if len(files) > settings.max_files:
        raise ConnectorError(f"url {name}: more than {settings.max_files} files (max_files)")
    base = root.rstrip("/")
    for path, facts in sorted(files.items()):
        if facts.get("type") != "file" or facts.get("islink"):
            continue
        relative = path.removeprefix(base).lstrip("/") or base.rpartition("/")[2]
        yield path, relative, facts


def _version(info: dict[str, Any]) -> str:
    """Return a hash of the size and of all version attributes that the file system reports."""
    facts = {key: str(info[key]) for key in _VERSIONS if info.get(key) is not None}
    return hashlib.sha256(json.dumps([info.get("size"), facts], sort_keys=True).encode()).hexdigest()[:32]


def _take(
    run: PollRun,
    name: str,
    settings: UrlSettings,
    system: Any,
    place: tuple[str, str],
    relative: str,
    info: dict[str, Any],
) -> bool:
    """Copy one file; return whether it is finished, either copied or permanently refused."""
    root, path = place
    try:
        if (info.get("size") or 0) > run.max_bytes:
            raise TooLargeError(f"{info['size']} bytes, the limit is {run.max_bytes} (limits.max_media_bytes)")
        if _is_local(system) and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
            raise ConnectorError("a link that leads out")
        target = f"{name}/{safe_name(relative)}"
        chunks = _chunks(system, path)
        write_into_inbox(run.space, settings.source, target, chunks, most=run.max_bytes, mtime=_mtime(info))
    except (TooLargeError, ValueError, ConnectorError) as error:
        run.add_failure(f"{relative}: {error}")
        return True
    except Exception as error:
        run.add_failure(f"{relative}: {type(error).__name__}")
        return False
    run.count_taken()
    return True


def _is_local(system: Any) -> bool:
    protocol = system.protocol
    return bool(set(LOCAL) & {protocol} if isinstance(protocol, str) else set(LOCAL) & set(protocol))


def _chunks(system: Any, path: str) -> Iterator[bytes]:
    with system.open(path, "rb") as file:
        while chunk := file.read(READ_BYTES):
            yield chunk


def _mtime(info: dict[str, Any]) -> float | None:
    for key in _TIMES:
        value = info.get(key)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float) and value > 0:
            return float(value)
        if isinstance(value, str):
            try:
                return datetime.fromisoformat(value).timestamp()
            except ValueError:
                continue
    return None

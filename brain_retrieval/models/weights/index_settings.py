"""The package index settings of pip and uv on this machine. No index is named here.

Precedence: the variables of uv and pip, then their configuration files. Read are index addresses, folders of wheels
(`find-links`) and whether indexes may be used at all.
"""

import configparser
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class IndexSettings:
    """`urls` of simple indexes, best first; `folders` that may hold wheels; `offline` if no index may be used."""

    urls: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    offline: bool = False
    ca_file: Path | None = None


def read_index_settings(environment: Mapping[str, str] = os.environ) -> IndexSettings:
    """Return what pip and uv would use; no `urls` means their built-in default."""
    files = [*_uv_files(environment), *_pip_files(environment)]
    variables = {
        "main": _first(environment, "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"),
        "more": _words(environment, "UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"),
        "links": _words(environment, "UV_FIND_LINKS", "PIP_FIND_LINKS"),
    }
    main, more, links = ([place.get(key) for place in (variables, *files)] for key in ("main", "more", "links"))
    # uv writes an address as name=address where it has a name.
    chosen = [url for url in main if url][:1] + [url for urls in more for url in urls or ()]
    certificate = _first(environment, "SSL_CERT_FILE", "PIP_CERT")
    return IndexSettings(
        urls=tuple(dict.fromkeys(_without_name(url).rstrip("/") for url in chosen)),
        folders=tuple(_folders(link for found in links for link in found or ())),
        offline=_is_on(_first(environment, "UV_OFFLINE", "UV_NO_INDEX", "PIP_NO_INDEX"))
        or any(file.get("offline") for file in files),
        ca_file=Path(certificate) if certificate and Path(certificate).is_file() else None,
    )


def _first(environment: Mapping[str, str], *names: str) -> str | None:
    return next((environment[name] for name in names if environment.get(name)), None)


def _words(environment: Mapping[str, str], *names: str) -> list[str]:
    return [word for name in names for word in environment.get(name, "").replace(",", " ").split()]


def _is_on(text: str | None) -> bool:
    return text is not None and text.casefold() in ("1", "true", "yes", "on")


def _without_name(url: str) -> str:
    name, mark, address = url.partition("=")
    return address if mark and "://" not in name else url


def _folders(links: Iterable[str]) -> Iterator[Path]:
    for link in links:
        path = Path(link.removeprefix("file://")).expanduser()
        if path.is_dir():
            yield path


def _uv_files(environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    home = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    named = environment.get("UV_CONFIG_FILE")
    for path in [Path(named)] if named else [home / "uv" / "uv.toml", Path("/etc/uv/uv.toml")]:
        try:
            table = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        table = {**table, **table.get("pip", {})}
        indexes = [index for index in table.get("index", []) if isinstance(index, dict) and "url" in index]
        default = [str(index["url"]) for index in indexes if index.get("default")]
        others = [str(index["url"]) for index in indexes if not index.get("default")]
        yield {
            "main": (default or [table.get("index-url")])[0],
            "more": [*others, *table.get("extra-index-url", [])],
            "links": table.get("find-links", []),
            "offline": bool(table.get("no-index") or table.get("offline")),
        }


def _pip_files(environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    home = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    named = environment.get("PIP_CONFIG_FILE")
    paths = [Path(sys.prefix) / "pip.conf", home / "pip" / "pip.conf", Path.home() / ".pip" / "pip.conf"]
    paths = [*([Path(named)] if named else []), *paths, Path("/etc/pip.conf")]
    for path in [] if named == os.devnull else paths:
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, OSError, UnicodeDecodeError):
            continue
        for section in ("download", "install", "global"):
            yield {
                "main": parser.get(section, "index-url", fallback=None),
                "more": parser.get(section, "extra-index-url", fallback="").split(),
                "links": parser.get(section, "find-links", fallback="").split(),
                "offline": _is_on(parser.get(section, "no-index", fallback=None)),
            }

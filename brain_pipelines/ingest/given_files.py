"""The files at the paths that a command is given; a .zip, as programs export what was written in them, is unpacked.

Its members land as the files of a folder of its name do. A zip that a source type reads whole (an export of Slack) is
left as it is, and so are archives inside of archives, which land as files that are not read.
"""

import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.archive import check_declared
from brain_pipelines.readers.unread import ZIP
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

SUFFIX = ".zip"
ADVICE = "; unpack it and ingest the folder"
_UTF8 = 0x800  # flag of a member: its name is UTF-8
_LINK, _KIND = 0o120000, 0o170000  # of the mode of a file on Unix
_OF_SYSTEM = ("__MACOSX",)
_BLOCK = 1 << 20

Named = tuple[Path, Path]  # a file, and its path below the folder of its source


def files_at(paths: Iterable[Path]) -> Iterator[Named]:
    """Yield (file, path below the source's folder) for every file under the paths; skip hidden files and links."""
    for path in paths:
        if path.is_file():
            yield path, Path(path.name)
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not file.is_symlink() and not hidden:
                    yield file, file.relative_to(path)


def is_to_unpack(path: Path, source: str) -> bool:
    """Return whether a file is a zip that the source type it is meant for does not read itself."""
    if path.suffix.lower() != SUFFIX:
        return False
    detected = detect_format(path)
    return detected is ZIP and detected.name not in SOURCES_BY_NAME[source].formats


def with_members(
    files: Sequence[Named],
    source_of: Callable[[Path], str],
    folder: Path,
    limits: Limits,
    refuse: Callable[[str, str], None],
) -> Iterator[Named]:
    """Yield the files, and in the place of each archive its members, unpacked into `folder`.

    Args:
        files: with their paths below the folder of a source.
        source_of: the source type of a file.
        folder: an empty directory; what is there has to be copied before it is removed.
        limits: on the number, size and ratio of members.
        refuse: called with the path of an archive that cannot be unpacked and the reason.
    """
    for number, (path, name) in enumerate(files):
        if not is_to_unpack(path, source_of(path)):
            yield path, name
            continue
        target = folder / str(number)
        try:
            _unpack(path, target, limits)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            reason = str(error) if isinstance(error, BadInputError) else f"damaged or truncated archive: {error}"
            refuse(str(path), f"{reason[:200]}{ADVICE}")
            shutil.rmtree(target, ignore_errors=True)
            continue
        for file in sorted(one for one in target.rglob("*") if one.is_file()):
            yield file, name.with_suffix("") / file.relative_to(target)


def _unpack(path: Path, target: Path, limits: Limits) -> None:
    """Write the members of an archive below `target`, each with the time at which it was last changed.

    Raises:
        BadInputError: if it is too large, encrypted, or has a member that leads out of it.
    """
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        check_declared(members, path.stat().st_size, limits)
        left = limits.max_archive_bytes
        for member in members:
            name = _name(member)
            if member.is_dir() or _is_aside(name, member):
                continue
            file = target.joinpath(*name.parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            left -= _write(archive, member, file, left)
            os.utime(file, (changed := _changed(member), changed))


def _name(member: zipfile.ZipInfo) -> PurePosixPath:
    """Return the path of a member; macOS writes UTF-8 and does not say so.

    Raises:
        BadInputError: if it leads out of the archive.
    """
    name = member.filename
    if not member.flag_bits & _UTF8:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = member.filename
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in name or not path.parts:
        raise BadInputError(f"a member leads out of the archive: {name[:80]!r}")
    return path


def _is_aside(name: PurePosixPath, member: zipfile.ZipInfo) -> bool:
    """Return whether a member is hidden, a link, or of the operating system."""
    linked = member.external_attr >> 16 & _KIND == _LINK
    return linked or any(part.startswith(".") or part in _OF_SYSTEM for part in name.parts)


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path, left: int) -> int:
    """Write a member to `file` and return its bytes; the declared size may be too small.

    Raises:
        BadInputError: if there are more than `left`.
    """
    size = 0
    with archive.open(member) as packed, file.open("xb") as written:
        while block := packed.read(_BLOCK):
            size += len(block)
            if size > left:
                raise BadInputError("it unpacks to more than it declares")
            written.write(block)
    return size


def _changed(member: zipfile.ZipInfo) -> float:
    """Return when a member was last changed, in seconds; archives have the clock of where they were made."""
    try:
        return datetime(*member.date_time).timestamp()  # noqa: DTZ001 — no zone is stated
    except (ValueError, OverflowError):
        return 0.0

"""Download of weights: sources are tried in order, hashes checked, files renamed into place. Loads no model.

A file that is not published in the required format is converted from its original (`conversion.py`).
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights.conversion import check_library, convert
from brain_retrieval.models.weights.manifest import Bytes, ModelEntry, ModelFile, SourceError
from brain_retrieval.models.weights.sources import fetch
from brain_retrieval.models.weights.weights import file_path, is_installed, sha256_of, write_stamp

Progress = Callable[[str, int], None]
_Get = Callable[[str, Bytes, Path], None]


def pull(
    entry: ModelEntry,
    models_dir: Path,
    *,
    folders: Sequence[Path] = (),
    progress: Progress = lambda _file, _bytes: None,
) -> bool:
    """Download the files of an entry to `models_dir`; return False if all of them were installed already.

    `folders` are searched before the manifest's sources, for `<folder>/<entry>/<file>` and `<folder>/<file>`, such as
    another machine's models directory. `progress` gets a file's name and the bytes written since its last call.
    Concurrent pulls are safe: each writes its own file and renames it.

    Raises:
        ModelMissingError: no source has the right bytes; the message has the file and each source's error.
        MissingExtraError: a file has to be converted, and the library for it is not installed.
    """
    if is_installed(entry, models_dir):
        return False
    models_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models_dir, prefix=".wheels-") as wheels:
        for file in entry.files:
            _pull_file(entry, file, models_dir, folders, progress, Path(wheels))
    return True


def _pull_file(
    entry: ModelEntry, file: ModelFile, models_dir: Path, folders: Sequence[Path], progress: Progress, wheels: Path
) -> None:
    target = file_path(entry, file, models_dir)
    if target.is_file() and target.stat().st_size == file.size and sha256_of(target) == file.sha256:
        return
    target.parent.mkdir(parents=True, exist_ok=True)

    def report(size: int) -> None:
        progress(file.path, size)

    given = [
        f"dir://{path.resolve()}"
        for folder in folders
        for path in (folder / entry.name / file.path, folder / file.path)
    ]
    reasons: list[str] = []
    get = partial(fetch, progress=report, wheels=wheels)
    # In the same directory, because a rename is atomic only within one file system.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pull-") as folder:
        part = Path(folder) / target.name
        found = _first((*given, *file.sources), file, part, get, reasons)
        if not found and file.original is not None:
            found = _make(file, part, get, reasons)
        if found:
            part.replace(target)
            write_stamp(target, file)
            return
    raise ModelMissingError(f"cannot get {entry.name}/{file.path} from any source: " + "; ".join(reasons))


def _first(sources: Sequence[str], wanted: Bytes, part: Path, get: _Get, reasons: list[str]) -> bool:
    """Fetch from the first source with the right bytes; append the errors of the others to `reasons`."""
    for source in sources:
        try:
            get(source, wanted, part)
            _check(part, wanted)
        except (SourceError, OSError) as error:
            reasons.append(f"{source}: {error}")
            continue
        return True
    return False


def _make(file: ModelFile, part: Path, get: _Get, reasons: list[str]) -> bool:
    """Make a file by converting its original."""
    original = file.original
    source = part.with_name("original")
    if original is not None:
        check_library(original.by)  # before hundreds of megabytes are fetched
    if original is None or not _first(original.sources, original, source, get, reasons):
        return False
    try:
        convert(original.by, source, part)
        _check(part, file)
    except (SourceError, ValueError) as error:
        reasons.append(f"{original.by}: {error}")
        return False
    return True


def _check(part: Path, wanted: Bytes) -> None:
    if sha256_of(part) != wanted.sha256:
        raise SourceError(f"{part.name} does not have the hash of the manifest")

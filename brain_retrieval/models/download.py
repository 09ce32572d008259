"""Bringing weights to this machine: sources in order, hash checked, put in place in one step. Loads no model."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.manifest import ModelEntry, ModelFile
from brain_retrieval.models.sources import SourceError, fetch
from brain_retrieval.models.weights import file_path, is_installed, sha256_of, write_stamp

Progress = Callable[[str, int], None]


def pull(
    entry: ModelEntry,
    models_dir: Path,
    *,
    folders: Sequence[Path] = (),
    progress: Progress = lambda _file, _bytes: None,
) -> bool:
    """Bring the files of an entry to `models_dir`; return False if they were all there already.

    `folders` are looked in before the manifest's sources, as `<folder>/<entry>/<file>` and `<folder>/<file>`;
    another machine's models directory is such a folder. `progress` gets a file's name and the bytes written
    since its last call. Two pulls at once both succeed: each writes a file of its own and renames it.

    Raises:
        ModelMissingError: no source has the right bytes; names the file and what each source said. Nothing is kept.
    """
    if is_installed(entry, models_dir):
        return False
    for file in entry.files:
        _pull_file(entry, file, models_dir, folders, progress)
    return True


def _pull_file(
    entry: ModelEntry, file: ModelFile, models_dir: Path, folders: Sequence[Path], progress: Progress
) -> None:
    target = file_path(entry, file, models_dir)
    if target.is_file() and target.stat().st_size == file.size and sha256_of(target) == file.sha256:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    given = [
        f"dir://{path.resolve()}"
        for folder in folders
        for path in (folder / entry.name / file.path, folder / file.path)
    ]
    reasons = []
    for source in (*given, *file.sources):
        try:
            _try_source(source, file, target, lambda size: progress(file.path, size))
        except (SourceError, OSError) as error:
            reasons.append(f"{source}: {error}")
            continue
        return
    raise ModelMissingError(f"cannot get {entry.name}/{file.path} from any source: " + "; ".join(reasons))


def _try_source(source: str, file: ModelFile, target: Path, progress: Callable[[int], None]) -> None:
    # In the same directory, because a rename is atomic only within one file system.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pull-") as folder:
        part = Path(folder) / file.path
        fetch(source, file, part, progress)
        if sha256_of(part) != file.sha256:
            raise SourceError(f"{file.path} does not have the hash of the manifest")
        part.replace(target)
    write_stamp(target, file)

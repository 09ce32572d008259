"""The destination of backups: objects by key, in a directory or in object storage, through one library.

Keys are `<user>/…`. A stored object is complete: other readers see all of it or nothing. `create` stores an object only
if its key is free, which the destination decides, so that two writers cannot both succeed.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from brain_retrieval.errors import BrainError, InvalidSettingsError, disk_full, home_error
from brain_retrieval.extras import require
from brain_retrieval.settings import BackupSettings
from brain_retrieval.stores.durable import make_folder, sync_file, sync_folder

if TYPE_CHECKING:
    from obstore.store import LocalStore, S3Store

PART_BYTES = 8 << 20  # larger files are sent in parts
BATCH = 500
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_STATUS = re.compile(r"\b([45]\d\d) [A-Z]")
_REFUSED = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "ExpiredToken", "InvalidToken"})
_REFUSED |= {"401", "403", "XAdminUserNotFound"}  # versitygw's answer for an unknown key


class DestinationError(BrainError):
    """The destination of backups cannot be reached, refuses the credentials, or fails."""


class NoObjectError(DestinationError, LookupError):
    """There is no object of a key."""


@dataclass(frozen=True)
class Stored:
    """One object of a listing. `changed` is by the destination's clock."""

    key: str
    bytes: int
    changed: datetime


class Objects:
    """The objects of one destination; may be used by several threads."""

    def __init__(self, store: "LocalStore | S3Store", name: str, folder: Path | None) -> None:
        self._store, self.name, self._folder = store, name, folder

    def put(self, key: str, content: bytes | Path) -> None:
        """Store an object, in place of one that is there.

        Raises:
            DestinationError: it could not be stored.
        """
        import obstore

        with self._plainly(key):
            if isinstance(content, Path) and content.stat().st_size <= PART_BYTES:
                content = content.read_bytes()
            obstore.put(self._store, key, content, chunk_size=PART_BYTES, max_concurrency=4)
            self._sync(key)

    def create(self, key: str, content: bytes) -> bool:
        """Store an object unless its key is taken; return whether it was stored."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with self._plainly(key):
            try:
                obstore.put(self._store, key, content, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
            self._sync(key)
        return True

    def get(self, key: str) -> bytes:
        """Return the content of an object.

        Raises:
            NoObjectError: there is none.
        """
        import obstore

        with self._plainly(key):
            return obstore.get(self._store, key).bytes().to_bytes()

    def blocks(self, key: str) -> Iterator[bytes]:
        """Yield the content of a large object in blocks of about 8 MiB."""
        import obstore

        with self._plainly(key):
            for block in obstore.get(self._store, key).stream(PART_BYTES):
                yield bytes(block)

    def under(self, prefix: str) -> list[Stored]:
        """Return the objects whose keys begin with whole segments of a prefix, by key; [] if there is none."""
        import obstore

        found: list[Stored] = []
        with self._plainly(prefix):
            for batch in obstore.list(self._store, prefix, chunk_size=1000):
                # A writer to a directory that was killed leaves its draft, "name#1".
                found += [Stored(o["path"], o["size"], o["last_modified"]) for o in batch if "#" not in o["path"]]
        return sorted(found, key=lambda one: one.key)

    def folders(self) -> list[str]:
        """Return the first segments of all keys, sorted: the users."""
        import obstore

        with self._plainly(""):
            found = obstore.list_with_delimiter(self._store)["common_prefixes"]
        return sorted(one.strip("/") for one in found)

    def delete(self, keys: Iterable[str]) -> int:
        """Remove objects; those that are gone already are no error. Returns how many were named."""
        import obstore
        from obstore.exceptions import NotFoundError

        wanted = sorted(keys)
        for start in range(0, len(wanted), BATCH):
            with self._plainly("delete"):
                batch = wanted[start : start + BATCH]
                if self._folder is None:
                    obstore.delete(self._store, batch)
                    continue
                for key in batch:
                    try:
                        obstore.delete(self._store, key)
                    except (NotFoundError, FileNotFoundError):
                        continue
        return len(wanted)

    def _sync(self, key: str) -> None:
        """Wait until a stored file is on disk; object storage answers only then."""
        if self._folder is not None:
            path = self._folder / key
            sync_file(path)
            sync_folder(path.parent)

    @contextmanager
    def _plainly(self, key: str) -> Iterator[None]:
        """Turn the errors of the library into plain ones: its messages hold whole answers, with ids of keys."""
        from obstore.exceptions import BaseError, NotFoundError

        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            code = _CODE.search(str(error))
            if self._folder is None and code and code[1] not in ("NoSuchKey", "NotFound"):
                raise self._explained(error) from None  # the bucket is missing, or the account
            raise NoObjectError(f"{self.name}: there is no {key!r:.200}") from None
        except (BaseError, OSError) as error:
            raise self._explained(error) from None

    def _explained(self, error: Exception) -> BrainError:
        text = str(error)
        if self._folder is not None:
            if (unusable := home_error(error)) is not None:
                return unusable
            if "No space left" in text:
                return disk_full(f": {self._folder}")
            number = re.search(r"\(os error (\d{1,3})\)", text)
            return DestinationError(f"{self.name}: the directory cannot be used" + (f" {number[0]}" if number else ""))
        code, status = _CODE.search(text), _STATUS.search(text)
        said = code[1] if code else status[1] if status else ""
        if said in _REFUSED or type(error).__name__ in ("PermissionDeniedError", "UnauthenticatedError"):
            return DestinationError(f"{self.name}: the server refuses the credentials ({said or 'access denied'})")
        if said:
            return DestinationError(f"{self.name}: the server answered {said}")
        if "credential" in text.lower():
            return DestinationError(f"{self.name}: no credentials were found on this machine")
        return DestinationError(f"{self.name}: no answer; is the endpoint right and the server running?")


def open_objects(settings: BackupSettings, destination: str | None = None) -> Objects:
    """Return the destination of the settings, or another one with the same credentials.

    Raises:
        InvalidSettingsError: no destination is set.
        MissingExtraError: the library is not installed.
        DestinationError: there are no credentials, or the directory cannot be made.
    """
    place = destination or settings.destination
    if place is None:
        raise InvalidSettingsError('no destination of backups is set: backup.destination = "file:///…" or "s3://…"')
    require("obstore")
    BackupSettings(destination=place)  # one of the command line is checked as that of the settings
    return _opened(settings, place)


def _opened(settings: BackupSettings, place: str) -> Objects:
    from obstore.store import LocalStore, S3Store

    found = urlsplit(place)
    if found.scheme == "file":
        folder = Path(unquote(found.path))
        try:
            make_folder(folder)
            return Objects(LocalStore(folder), place, folder)
        except Exception as error:
            raise home_error(error) or DestinationError(f"{place}: the directory cannot be made") from None
    keys = settings.keys()
    if settings.credentials == "environment" and not {"access_key_id", "secret_access_key"} <= keys.keys():
        said = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        raise DestinationError(f'{place}: there are no credentials; {said}, or backup.credentials = "machine"')
    config: dict[str, Any] = {"region": settings.region, **(keys if settings.credentials == "environment" else {})}
    if settings.endpoint:
        config["endpoint"] = settings.endpoint
    store = S3Store(
        found.netloc,
        prefix=found.path.strip("/") or None,
        config=config,  # pyright: ignore[reportArgumentType] - a dictionary of these keys
        client_options={"allow_http": (settings.endpoint or "").startswith("http://"), "timeout": "300s"},
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=60)},
    )
    return Objects(store, place, None)

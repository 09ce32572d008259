"""Storage of received bytes under the policy `privacy.raw`: plain, encrypted, or dropped after reading.

<sha256>            plain: policy "keep", and under every policy between landing and the next step
<sha256>.enc        encrypted: policy "encrypt"
<sha256>.dropped    empty marker: the bytes were deleted by policy "drop" after their text was stored
"""

import io
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from brain_pipelines.landing.blobs import is_intact
from brain_pipelines.landing.encryption import WrongKeyError, decrypt, derive_key, encrypt, encrypt_file
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import make_folder, write_bytes

Policy = Literal["keep", "encrypt", "drop"]
State = Literal["intact", "damaged", "missing", "dropped"]
MISSING = "its bytes are missing; drop the file again"
DAMAGED = "its stored bytes are damaged: they are not those that were received; drop the file again"
_CHECK = b"the key of the raw files"


class BytesDroppedError(Exception):
    """The bytes of an item were dropped by policy; only what was derived from them remains."""


class LostBytesError(Exception):
    """The stored bytes of an item are missing, or not those that were received; nothing is read from them."""


class RawFiles:
    """The blobs of one user under a policy."""

    def __init__(self, space: Space, policy: Policy = "keep", key: bytes | None = None) -> None:
        self.space, self.policy, self._key = space, policy, key

    @property
    def keeps_inbox(self) -> bool:
        """Return whether a landed file stays in the inbox."""
        return self.policy == "keep"

    @contextmanager
    def open(self, sha256: str) -> Iterator[Path]:
        """Yield the path of a blob's plain bytes; a decrypted copy is deleted afterwards.

        Raises:
            BytesDroppedError: the bytes were dropped by policy.
            LostBytesError: the bytes are missing, or not those that were received.
        """
        blob = self.space.blob(sha256)
        if blob.is_file():
            if not is_intact(blob):
                raise LostBytesError(DAMAGED)
            yield blob
        elif self._sealed(sha256).is_file():
            make_folder(self.space.scratch)
            with TemporaryDirectory(dir=self.space.scratch) as directory:
                plain = Path(directory) / sha256
                self._decrypt(sha256, plain)
                yield plain
        elif self.is_dropped(sha256):
            raise BytesDroppedError("its bytes were dropped by policy once their text was stored")
        else:
            raise LostBytesError(MISSING)

    def state(self, sha256: str) -> State:
        """Return what is stored of a blob, comparing its bytes with its name; encrypted ones need the key."""
        if self.is_plain(sha256):
            return "intact" if is_intact(self.space.blob(sha256)) else "damaged"
        if self._sealed(sha256).is_file():
            return self._sealed_state(sha256)
        return "dropped" if self.is_dropped(sha256) else "missing"

    def _sealed_state(self, sha256: str) -> State:
        make_folder(self.space.scratch)
        with TemporaryDirectory(dir=self.space.scratch) as directory:
            try:
                self._decrypt(sha256, Path(directory) / sha256)
            except LostBytesError:
                return "damaged"
        return "intact"

    def _decrypt(self, sha256: str, plain: Path) -> None:
        try:
            with self._sealed(sha256).open("rb") as source, plain.open("wb") as target:
                decrypt(source, target, self._known_key(), sha256)
        except WrongKeyError:
            raise LostBytesError(DAMAGED) from None

    def is_plain(self, sha256: str) -> bool:
        """Return whether the bytes are stored unencrypted."""
        return self.space.blob(sha256).is_file()

    def is_dropped(self, sha256: str) -> bool:
        """Return whether the bytes were dropped by policy."""
        return self._tombstone(sha256).is_file()

    def seal(self, sha256: str) -> None:
        """Encrypt a blob; the plain file is deleted once the encrypted one is durable."""
        blob, sealed = self.space.blob(sha256), self._sealed(sha256)
        if not blob.is_file():
            return
        if not sealed.is_file():
            encrypt_file(blob, sealed, self._known_key(), sha256)
        blob.unlink()

    def drop(self, sha256: str) -> None:
        """Delete a blob and leave a marker."""
        write_bytes(self._tombstone(sha256), b"")  # on disk before the bytes go
        for path in (self.space.blob(sha256), self._sealed(sha256)):
            path.unlink(missing_ok=True)

    def purge(self, sha256: str, *, young_seconds: float = 0) -> None:
        """Delete all that is stored of a blob, unless it was written within the last `young_seconds`."""
        for path in (self.space.blob(sha256), self._sealed(sha256), self._tombstone(sha256)):
            with suppress(FileNotFoundError):
                if not young_seconds or time.time() - path.stat().st_mtime > young_seconds:
                    path.unlink()

    def after_landing(self, hashes: Iterable[str], *, held: Container[str], changed: bool) -> None:
        """Apply the policy after landing: encrypt blobs, or drop those that no stage will read.

        Args:
            hashes: blobs of a file, including its previous version.
            held: blobs that contain items; an archive itself or an old version contains none.
            changed: whether a day became dirty.
        """
        for sha256 in hashes:
            if self.policy == "encrypt":
                self.seal(sha256)
            elif self.policy == "drop" and sha256 not in held:
                self.drop(sha256)
            elif self.policy == "drop" and changed:
                self._tombstone(sha256).unlink(missing_ok=True)
            elif self.policy == "drop" and self.is_dropped(sha256):  # repeated content that was already read
                self.drop(sha256)

    def check_key(self) -> None:
        """Compare the key with the one the files were encrypted with; at first use, write a value to check against.

        Raises:
            InvalidSettingsError: the key differs, or is missing although files are encrypted.
        """
        proof = self.space.root / "raw" / "key.check"
        if not proof.is_file() and self.policy != "encrypt":
            return
        key = self._known_key()
        if not proof.is_file():
            self.space.create()
            sealed = io.BytesIO()
            encrypt(io.BytesIO(_CHECK), sealed, key, self.space.user)
            write_bytes(proof, sealed.getvalue())
            return
        try:
            decrypt(io.BytesIO(proof.read_bytes()), io.BytesIO(), key, self.space.user)
        except WrongKeyError:
            raise InvalidSettingsError(
                f"privacy.raw_key is not the key that the raw files of {self.space.user!r} were encrypted with; "
                "nothing was changed"
            ) from None

    def _known_key(self) -> bytes:
        if self._key is None:
            raise InvalidSettingsError(
                'raw files are encrypted: set BRAIN_PRIVACY__RAW_KEY (or privacy.raw to "keep" or "drop")'
            )
        return self._key

    def _sealed(self, sha256: str) -> Path:
        return self.space.blob(sha256).with_suffix(".enc")

    def _tombstone(self, sha256: str) -> Path:
        return self.space.blob(sha256).with_suffix(".dropped")


def open_raw_files(space: Space, settings: Settings) -> RawFiles:
    """Return the blobs of a user under the policy of the settings; a policy only applies if text is redacted.

    Raises:
        InvalidSettingsError: the key is missing, or is not the one the files were encrypted with.
    """
    privacy = settings.privacy
    policy: Policy = privacy.raw if privacy.redact else "keep"
    secret = privacy.raw_key.get_secret_value() if privacy.raw_key else ""
    files = RawFiles(space, policy, derive_key(secret, space.user) if secret else None)
    files.check_key()
    return files

"""Storage of received bytes under the policy `privacy.raw`: plain, encrypted, or dropped after reading.

<sha256>            plain: policy "keep", and under every policy between landing and the next step
<sha256>.enc        encrypted: policy "encrypt"
<sha256>.dropped    empty marker: the bytes were deleted by policy "drop" after their text was stored
"""

import io
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from brain_pipelines.landing.encryption import WrongKeyError, decrypt, derive_key, encrypt, encrypt_file
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

Policy = Literal["keep", "encrypt", "drop"]
_CHECK = b"the key of the raw files"


class BytesDroppedError(Exception):
    """The bytes of an item were dropped by policy; only what was derived from them remains."""


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
            FileNotFoundError: the bytes are missing unexpectedly.
            WrongKeyError: the blob is damaged.
        """
        blob = self.space.blob(sha256)
        if blob.is_file():
            yield blob
        elif self._sealed(sha256).is_file():
            self.space.scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
            with TemporaryDirectory(dir=self.space.scratch) as directory:
                plain = Path(directory) / sha256
                with self._sealed(sha256).open("rb") as source, plain.open("wb") as target:
                    decrypt(source, target, self._known_key(), sha256)
                yield plain
        elif self.is_dropped(sha256):
            raise BytesDroppedError("its bytes were dropped by policy once their text was stored")
        else:
            raise FileNotFoundError("its bytes are missing or cut short; drop the file again")

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
        self._tombstone(sha256).touch()
        for path in (self.space.blob(sha256), self._sealed(sha256)):
            path.unlink(missing_ok=True)

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
            proof.write_bytes(sealed.getvalue())
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

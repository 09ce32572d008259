"""The bytes as received, as the policy of `privacy.raw` keeps them: plain, encrypted, or gone once they are read.

<sha256>            plain: policy "keep", and in every policy between landing and what follows it
<sha256>.enc        encrypted, by policy "encrypt"
<sha256>.dropped    empty: there were such bytes, their text is stored, they are gone by policy "drop"
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
    """The bytes of an item are gone on purpose; what was made of them is all there is."""


class RawFiles:
    """The blobs of one user under a policy."""

    def __init__(self, space: Space, policy: Policy = "keep", key: bytes | None = None) -> None:
        self.space, self.policy, self._key = space, policy, key

    @property
    def keeps_inbox(self) -> bool:
        """Tell whether a landed file stays in the inbox."""
        return self.policy == "keep"

    @contextmanager
    def open(self, sha256: str) -> Iterator[Path]:
        """Yield the path of a blob's plain bytes; a decrypted copy is gone afterwards.

        Raises:
            BytesDroppedError: they were dropped by policy.
            FileNotFoundError: they should be there and are not.
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
        """Tell whether the bytes lie here as they came."""
        return self.space.blob(sha256).is_file()

    def is_dropped(self, sha256: str) -> bool:
        """Tell whether the bytes were here and were dropped by policy."""
        return self._tombstone(sha256).is_file()

    def seal(self, sha256: str) -> None:
        """Encrypt a blob; the plain one goes when the encrypted one is on disk."""
        blob, sealed = self.space.blob(sha256), self._sealed(sha256)
        if not blob.is_file():
            return
        if not sealed.is_file():
            encrypt_file(blob, sealed, self._known_key(), sha256)
        blob.unlink()

    def drop(self, sha256: str) -> None:
        """Delete a blob and remember that it was here."""
        self._tombstone(sha256).touch()
        for path in (self.space.blob(sha256), self._sealed(sha256)):
            path.unlink(missing_ok=True)

    def after_landing(self, hashes: Iterable[str], *, held: Container[str], changed: bool) -> None:
        """Encrypt what has landed, or drop what nobody is going to read.

        Args:
            hashes: of the blobs of a file, its version before included.
            held: those with items in them; not so the file around the members of an archive, or an old version.
            changed: whether a day is to be run because of it.
        """
        for sha256 in hashes:
            if self.policy == "encrypt":
                self.seal(sha256)
            elif self.policy == "drop" and sha256 not in held:
                self.drop(sha256)
            elif self.policy == "drop" and changed:
                self._tombstone(sha256).unlink(missing_ok=True)
            elif self.policy == "drop" and self.is_dropped(sha256):  # the same once more, and read already
                self.drop(sha256)

    def check_key(self) -> None:
        """Compare the key with that of the files here, or write down a proof of it at its first use.

        Raises:
            InvalidSettingsError: another key, or none where files are encrypted.
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
    """Return the blobs of a user under the policy of the settings; it applies only where text is redacted.

    Raises:
        InvalidSettingsError: a key that is missing or is not that of the files here.
    """
    privacy = settings.privacy
    policy: Policy = privacy.raw if privacy.redact else "keep"
    secret = privacy.raw_key.get_secret_value() if privacy.raw_key else ""
    files = RawFiles(space, policy, derive_key(secret, space.user) if secret else None)
    files.check_key()
    return files

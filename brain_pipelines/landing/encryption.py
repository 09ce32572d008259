"""File encryption in blocks with AES-256-GCM, so that files of any size can be streamed and tampering is detected.

Uses the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár (2015): each block's nonce holds a random prefix,
the block number and a last-block flag, so blocks cannot be reordered, dropped or taken from another file.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from brain_retrieval.stores.durable import writing

MAGIC = b"BRAIN-AESGCM-1\n"
BLOCK_BYTES = 1 << 20
_PREFIX_BYTES, _TAG_BYTES = 7, 16
_SCRYPT = {"n": 1 << 15, "r": 8, "p": 1}  # 32 MB, about 0.1 s, once per process


class WrongKeyError(Exception):
    """The file was not encrypted with this key under this name, or is damaged."""


@lru_cache(maxsize=16)
def derive_key(passphrase: str, user: str) -> bytes:
    """Return a 32-byte key for a user by scrypt (RFC 7914); users with the same passphrase get different keys."""
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=b"brain raw files of " + user.encode(), length=32, **_SCRYPT).derive(passphrase.encode())


def encrypt(source: BinaryIO, target: BinaryIO, key: bytes, name: str) -> None:
    """Write `source` encrypted to `target`. `name` is authenticated: decryption fails under another name."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher, prefix = AESGCM(key), os.urandom(_PREFIX_BYTES)
    target.write(MAGIC + prefix)
    for number, (block, last) in enumerate(_blocks(source, BLOCK_BYTES)):
        target.write(cipher.encrypt(_nonce(prefix, number, last), block, name.encode()))


def decrypt(source: BinaryIO, target: BinaryIO, key: bytes, name: str) -> None:
    """Write `source` decrypted to `target`.

    Raises:
        WrongKeyError: another key or name, or a damaged file. Discard what was written to `target` by then.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher = AESGCM(key)
    if source.read(len(MAGIC)) != MAGIC:
        raise WrongKeyError(f"{name} is not an encrypted file")
    prefix = source.read(_PREFIX_BYTES)
    for number, (block, last) in enumerate(_blocks(source, BLOCK_BYTES + _TAG_BYTES)):
        try:
            target.write(cipher.decrypt(_nonce(prefix, number, last), block, name.encode()))
        except (InvalidTag, ValueError):
            raise WrongKeyError(f"{name} cannot be decrypted: another key, or the file is damaged") from None


def encrypt_file(path: Path, target: Path, key: bytes, name: str) -> None:
    """Encrypt a file into another; `target` appears complete and durable, or not at all."""
    with path.open("rb") as source, writing(target) as writer:
        encrypt(source, writer, key, name)


def _blocks(source: BinaryIO, size: int) -> Iterator[tuple[bytes, bool]]:
    """Yield (block, is last); an empty file is one empty block."""
    block = source.read(size)
    while True:
        following = source.read(size)  # one block ahead, because the nonce of the last block differs
        yield block, not following
        if not following:
            return
        block = following


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:
    return prefix + number.to_bytes(4, "big") + bytes([last])

"""A Unix socket for processes of one owner, and its messages: four bytes of length, then JSON.

Only the standard library is imported, as a command that is answered by another process has to start at once.
"""

import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1 << 20  # of a request
MOST_PATH = 100  # bytes of a socket's path that every system takes
SECONDS = 5.0  # until a request has arrived
LENGTH = struct.Struct(">I")


def listening_at(path: Path) -> socket.socket:
    """Return a socket that listens at a path, open to its owner alone; what a killed process left there is replaced.

    Raises:
        OSError: if it cannot.
    """
    made = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # or it would be open to others until its mode is changed
    try:
        path.unlink(missing_ok=True)
        made.bind(str(path))
    except OSError:
        made.close()
        raise
    finally:
        os.umask(before)
    return made


def remove(path: Path, inode: int) -> None:
    """Remove a socket if it is still the one with this inode."""
    with suppress(OSError):
        if path.stat().st_ino == inode:
            path.unlink()


def is_owner(one: socket.socket) -> bool:
    """Return whether the other end runs as the same owner; where that cannot be asked, the mode decides."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return uid == os.geteuid()


def framed(body: bytes) -> bytes:
    """Return a message as it is sent."""
    return LENGTH.pack(len(body)) + body


def received(one: socket.socket, *, most: int | None = None) -> bytes:
    """Return the next message.

    Args:
        one: a connected socket.
        most: bytes; a longer message is an error.

    Raises:
        OSError: if the other end closes before its end, or the message is too long.
    """
    size = LENGTH.unpack(_bytes(one, LENGTH.size))[0]
    if most is not None and size > most:
        raise OSError("the message is too long")
    return _bytes(one, size)


def _bytes(one: socket.socket, size: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < size:
        if not (piece := one.recv(min(size - len(pieces), 1 << 16))):
            raise OSError("the other end has closed")
        pieces += piece
    return bytes(pieces)

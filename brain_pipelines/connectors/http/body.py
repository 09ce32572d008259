"""Decoding of response bodies under size limits: decompression stops before the limit is exceeded."""

import zlib
from collections.abc import Iterable

from brain_pipelines.connectors.http.targets import FetchError

ACCEPTED = "gzip, deflate"
MEGABYTE = 1 << 20
STEP = 1 << 16


class _Packed:
    """Decoder for one layer of gzip or deflate, yielding at most `STEP` bytes at a time."""

    def __init__(self, encoding: str) -> None:
        self._gzip = encoding in ("gzip", "x-gzip")
        self._inflate = zlib.decompressobj(31) if self._gzip else None

    def unpack(self, data: bytes) -> Iterable[bytes]:
        if self._inflate is None:  # "deflate" means zlib in the standard, but some servers send raw deflate
            self._inflate = zlib.decompressobj(15 if data[:1] and data[0] & 0x0F == 8 else -15)
        while data:
            if self._inflate.eof:
                return  # bytes after the end of the stream are padding
            yield self._inflate.decompress(data, STEP)
            data = self._inflate.unconsumed_tail

    @property
    def complete(self) -> bool:
        return self._inflate is not None and self._inflate.eof


def read_body(chunks: Iterable[bytes], encoding: str, *, max_bytes: int, max_ratio: float) -> bytes:
    """Return the decoded body.

    Args:
        chunks: the received bytes.
        encoding: the Content-Encoding header.
        max_bytes: limit for the decoded body.
        max_ratio: limit for decoded / received bytes, applied after the first decoded megabyte.

    Raises:
        FetchError: "too-large" beyond a limit; "protocol" for an unrequested encoding or damaged data.
    """
    name = encoding.strip().lower()
    if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchError(f"sent in the encoding {name[:40]!r}, which was not asked for", "protocol")
    packed = _Packed(name) if name not in ("", "identity") else None
    body, received = bytearray(), 0
    try:
        for chunk in chunks:
            received += len(chunk)
            for part in packed.unpack(chunk) if packed else (chunk,):
                body += part
                if len(body) > max_bytes:
                    raise FetchError(f"too large: more than {max_bytes / MEGABYTE:.1f} MB", "too-large")
                if len(body) > MEGABYTE and len(body) > max_ratio * received:
                    raise FetchError(f"packed more than {max_ratio:g} times", "too-large")
    except zlib.error:
        raise FetchError("its compressed body is damaged", "protocol") from None
    if packed and received and not packed.complete:
        raise FetchError("its compressed body is cut off", "network")
    return bytes(body)

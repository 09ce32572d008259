"""Magic-number tests for the containers that image, audio and video formats share: RIFF, ISO media, Matroska, MPEG."""

from collections.abc import Callable

Test = Callable[[bytes], bool]


def chunked(*kinds: bytes) -> Test:
    """Return a test for a RIFF or IFF file of one of these kinds (RFC 2361; EA IFF 85)."""
    return lambda head: head[:4] in (b"RIFF", b"RF64", b"FORM") and head[8:12] in kinds


def branded(*brands: bytes) -> Test:
    """Return a test for an ISO media file (ISO/IEC 14496-12) whose major brand, in lower case, is one of these."""
    return lambda head: is_iso_media(head) and head[8:12].lower() in brands


def is_iso_media(head: bytes) -> bool:
    """Return whether it is an ISO media file of any brand."""
    return head[4:8] == b"ftyp"


def is_matroska(head: bytes) -> bool:
    """Return whether it is an EBML file, the encoding of Matroska and WebM (RFC 8794)."""
    return head[:4] == b"\x1aE\xdf\xa3"


def synced(*seconds: int, least: int) -> Test:
    """Return a test for an MPEG audio stream: 0xFF, one of these as second byte, and more than `least` bytes."""
    return lambda head: head[0] == 0xFF and len(head) > least and head[1] in seconds and not is_iso_media(head)

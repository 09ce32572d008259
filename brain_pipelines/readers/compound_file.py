"""Names at the top level of a compound file, Microsoft's container of old Office files and Outlook messages (MS-CFB).

A document that is embedded in another has its streams in a storage below, so only the top level shows what a file is.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER, _ENTRY = 512, 128
_LAST_SECTOR = 0xFFFFFFFA  # from here on numbers mark ends and free sectors
_MOST_SECTORS = 256  # of the directory: 1,024 entries or more


def top_level_names(path: Path) -> list[str]:
    """Return the names of the streams and storages at the top level; fewer if the file is damaged or very large."""
    with path.open("rb") as file:
        header = file.read(_HEADER).ljust(_HEADER, b"\0")
        size = 1 << min(max(int.from_bytes(header[30:32], "little"), 7), 16)

        def sector(number: int) -> bytes:
            file.seek((number + 1) * size)  # the header takes the place of sector -1
            return file.read(size)

        table = [number for (number,) in struct.iter_unpack("<I", header[76:])]  # where the next sectors are listed
        entries: list[bytes] = []
        number = int.from_bytes(header[48:52], "little")
        for _ in range(_MOST_SECTORS):
            if number >= _LAST_SECTOR:
                break
            content = sector(number)
            entries += [content[at : at + _ENTRY] for at in range(0, len(content) - _ENTRY + 1, _ENTRY)]
            block, place = divmod(number, size // 4)
            if block >= len(table) or table[block] >= _LAST_SECTOR:
                break
            number = int.from_bytes(sector(table[block])[place * 4 : place * 4 + 4] or b"\xff" * 4, "little")
    return list(_siblings(entries))


def _siblings(entries: list[bytes]) -> Iterator[str]:
    """Yield the names of the tree of entries below the root, the first one."""
    waiting, seen = [int.from_bytes(entries[0][76:80], "little")] if entries else [], set[int]()
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(entries):
            continue
        seen.add(at)
        length, left, right = struct.unpack("<64xHxxII", entries[at][:76])
        yield entries[at][: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
        waiting += [right, left]

"""Writer of small Outlook messages: a compound file (MS-CFB, version 3) with the streams of MS-OXMSG."""

SECTOR, MINI, NONE, END = 512, 64, 0xFFFFFFFF, 0xFFFFFFFE


def outlook_file(texts: dict[int, str], *, attachment: tuple[str, bytes] | None = None) -> bytes:
    """Return a message with string properties and at most one attachment."""
    tree: dict[str, bytes | dict[str, bytes]] = {
        f"__substg1.0_{number:04X}001F": text.encode("utf-16-le") for number, text in texts.items()
    }
    tree["__properties_version1.0"] = bytes(32)
    if attachment:
        name, data = attachment
        tree["__attach_version1.0_#00000000"] = {
            "__properties_version1.0": bytes(8),
            "__substg1.0_37010102": data,
            "__substg1.0_3707001F": name.encode("utf-16-le"),
        }
    return compound_file(tree)


def compound_file(tree: dict[str, bytes | dict[str, bytes]]) -> bytes:
    """Return a compound file; every stream is stored in ordinary sectors padded to 4096 bytes."""
    entries: list[list[object]] = [["Root Entry", 5, NONE, NONE, NONE, END, 0]]
    sectors: list[bytes] = []
    chain: list[int] = []

    def store(data: bytes) -> int:
        data = data.ljust(4096, b"\0")
        start, count = len(sectors), -(-len(data) // SECTOR)
        sectors.extend(data[n * SECTOR : (n + 1) * SECTOR].ljust(SECTOR, b"\0") for n in range(count))
        chain.extend([*range(start + 1, start + count), END])
        return start

    def add(members: dict[str, object]) -> int:
        # The siblings form a right-linked list in the order the format requires: by length, then by name.
        first = previous = NONE
        for name in sorted(members, key=lambda name: (len(name), name.upper())):
            value, number = members[name], len(entries)
            entries.append([name, 2, NONE, NONE, NONE, END, 0])
            if isinstance(value, dict):
                entries[number][1], entries[number][5] = 1, 0
                entries[number][4] = add(value)
            elif isinstance(value, bytes):
                entries[number][5], entries[number][6] = store(value), max(len(value), 4096)
            if previous == NONE:
                first = number
            else:
                entries[previous][3] = number
            previous = number
        return first

    entries[0][4] = add(dict(tree))
    directory = b"".join(_entry(*entry) for entry in entries)  # type: ignore[arg-type]
    directory = directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0")
    start = len(sectors)
    count = len(directory) // SECTOR
    sectors.extend(directory[n * SECTOR : (n + 1) * SECTOR] for n in range(count))
    chain.extend([*range(start + 1, start + count), END])
    tables = -(-(len(sectors) + 2) // 128)
    first_table = len(sectors)
    chain.extend([0xFFFFFFFD] * tables)
    table = b"".join(n.to_bytes(4, "little") for n in chain).ljust(tables * SECTOR, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + b"\x3e\0\3\0\xfe\xff\x09\0\x06\0" + bytes(6)
    header += bytes(4) + tables.to_bytes(4, "little") + start.to_bytes(4, "little") + bytes(4)
    header += (4096).to_bytes(4, "little") + END.to_bytes(4, "little") + bytes(4) + END.to_bytes(4, "little") + bytes(4)
    header += b"".join((first_table + n).to_bytes(4, "little") for n in range(tables))
    return header.ljust(SECTOR, b"\xff") + b"".join(sectors) + table


def _entry(name: str, kind: int, left: int, right: int, child: int, start: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    parts = [encoded.ljust(64, b"\0"), len(encoded).to_bytes(2, "little"), bytes([kind, 1])]
    parts += [value.to_bytes(4, "little") for value in (left, right, child)]
    return b"".join([*parts, bytes(36), start.to_bytes(4, "little"), size.to_bytes(8, "little")])

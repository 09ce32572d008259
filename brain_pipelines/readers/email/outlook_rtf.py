"""Outlook's compressed rich text (MS-OXRTFCP) → plain text, for messages that have their text in no other form."""

WINDOW = 4096  # bytes of the dictionary, a ring buffer
# Initial content of the dictionary (MS-OXRTFCP, 2.1.2.1).
_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
HEADER = 16  # bytes: sizes, kind and checksum


def rich_text(data: bytes, most: int) -> str:
    """Return the text of a compressed body, unpacked to at most `most` bytes; "" if it has none."""
    from striprtf.striprtf import rtf_to_text

    raw = unpacked(data, most)
    if not raw.lstrip().startswith(b"{\\rtf"):
        return ""
    return rtf_to_text(raw.decode("cp1252", "replace"), errors="replace").strip()


def unpacked(data: bytes, most: int) -> bytes:
    """Return the rich text of a compressed body, cut at `most` bytes; b"" for anything else."""
    if data[8:12] == b"MELA":
        return data[HEADER : HEADER + most]
    if data[8:12] != b"LZFu":
        return b""
    ring = bytearray(_START.ljust(WINDOW, b" "))
    write, position = len(_START), HEADER
    out = bytearray()
    while position < len(data) and len(out) < most:
        flags, position = data[position], position + 1
        for bit in range(8):  # one flag per token: 0 is a literal byte, 1 a reference of 12 bits offset, 4 bits length
            if position + (flags >> bit & 1) >= len(data):
                return bytes(out)
            if not flags >> bit & 1:
                ring[write] = data[position]
                out.append(data[position])
                write, position = (write + 1) % WINDOW, position + 1
            else:
                token, position = int.from_bytes(data[position : position + 2], "big"), position + 2
                offset = token >> 4
                if offset == write:  # the end is marked by a reference to the current write position
                    return bytes(out)
                write = _copy(ring, offset, (token & 15) + 2, write, out)
    return bytes(out)


def _copy(ring: bytearray, offset: int, length: int, write: int, out: bytearray) -> int:
    """Copy earlier bytes one by one, as source and target may overlap; return the new write position."""
    for n in range(length):
        byte = ring[(offset + n) % WINDOW]
        ring[write] = byte
        out.append(byte)
        write = (write + 1) % WINDOW
    return write

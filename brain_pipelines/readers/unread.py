"""Formats that are detected but not read: such a file is refused with the format's name and, for some, advice.

Old Office files, archives, programs, databases, and a few kinds of pictures.
"""

from brain_pipelines.readers.formats import Format

_SAVE = "; save it as .docx, .pptx or PDF"
_UNPACK = "; unpack it and ingest the folder"

EMPTY = Format("empty", "application/x-empty", "an empty file")
BINARY = Format("binary", "application/octet-stream", "binary data of no known format")
ZIP = Format(
    "zip",
    "application/zip",
    "a zip archive",
    suffixes=(".zip",),
    advice="; `brain ingest` unpacks a .zip, in the inbox put what is in it",
)
OLE = Format("ole", "application/x-ole-storage", "a file in Microsoft's compound format", advice=_SAVE)
# Tested before any other compound file: the streams of the document inside are not visible.
ENCRYPTED_OFFICE = Format(
    "office-encrypted",
    "application/vnd.ms-office",
    "an encrypted Office document",
    ole_streams=("EncryptedPackage",),
    advice=": a password is needed",
)
# Tested before spreadsheets: many old documents have a workbook embedded.
OLD_OFFICE = (
    Format(
        "doc",
        "application/msword",
        "a Word document of before 2007 (.doc)",
        ole_streams=("WordDocument",),
        advice=_SAVE,
    ),
    Format(
        "ppt",
        "application/vnd.ms-powerpoint",
        "PowerPoint slides of before 2007 (.ppt)",
        ole_streams=("PowerPoint Document",),
        advice=_SAVE,
    ),
)


def _is_program(head: bytes) -> bool:
    return head[:2] == b"MZ" and b"\0" in head[:256]


UNREAD: tuple[Format, ...] = (
    Format("psd", "image/vnd.adobe.photoshop", "a Photoshop image", magic=(b"8BPS",)),
    Format("gzip", "application/gzip", "a gzip archive", magic=(b"\x1f\x8b",), advice=_UNPACK),
    Format("bzip2", "application/x-bzip2", "a bzip2 archive", magic=(b"BZh",), advice=_UNPACK),
    Format("xz", "application/x-xz", "an xz archive", magic=(b"\xfd7zXZ\0",), advice=_UNPACK),
    Format("7z", "application/x-7z-compressed", "a 7-Zip archive", magic=(b"7z\xbc\xaf\x27\x1c",), advice=_UNPACK),
    Format("rar", "application/vnd.rar", "a RAR archive", magic=(b"Rar!\x1a\x07",), advice=_UNPACK),
    Format("elf", "application/x-elf", "a Linux program", magic=(b"\x7fELF",)),
    Format("exe", "application/vnd.microsoft.portable-executable", "a Windows program", structure=_is_program),
    Format("sqlite", "application/vnd.sqlite3", "an SQLite database", magic=(b"SQLite format 3\0",)),
    Format("parquet", "application/vnd.apache.parquet", "a Parquet table", magic=(b"PAR1",)),
    ZIP,
    OLE,
    BINARY,
)

"""Recognition of files that a power cut or an interrupted copy has cut short, by comparison with what was read before.

Such a file must not replace the earlier version: its rows would be deleted, and they may be all that is left of it.
"""

from pathlib import Path

BLOCK_BYTES = 1 << 20


def torn(path: Path, before: Path | None, *, scanned: bool) -> str:
    """Return why a file is not taken in place of the version read before, "" if it is.

    Args:
        path: the file as it is now.
        before: the bytes of the version read before; None if they are not kept.
        scanned: found by a scan of the inbox. A file that a person names is taken unless it is empty.
    """
    size = path.stat().st_size
    if not size:
        return f"the file is empty now; {KEPT} Delete the file to remove it"
    if not scanned:
        return ""
    if _only_zeros(path):
        return f"all {size} bytes are zero now, as after a power cut; {KEPT} {CONFIRM}"
    if before is not None and size < before.stat().st_size and _begins(before, path):
        whole = before.stat().st_size
        return f"only the first {size} of {whole} bytes are left, as after an interrupted copy; {KEPT} {CONFIRM}"
    return ""


KEPT = "what was read before is kept."
CONFIRM = "If it is meant to be so: `brain ingest` with this file"


def _only_zeros(path: Path) -> bool:
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            if block.strip(b"\0"):
                return False
    return True


def _begins(whole: Path, start: Path) -> bool:
    with whole.open("rb") as longer, start.open("rb") as shorter:
        while block := shorter.read(BLOCK_BYTES):
            if longer.read(len(block)) != block:
                return False
    return True

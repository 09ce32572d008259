"""What becomes of the bytes of items once their text is stored: called by the engine after the text stage."""

from collections.abc import Iterable

from brain_pipelines.engine.writers import UserStores


def settle_raw(bench: UserStores, source: str, days: Iterable[str]) -> None:
    """Encrypt or drop the blobs of days whose text has just been brought up to date.

    A blob is dropped only when every item in it, on whatever day, has its text stored; one that could not be read
    keeps its bytes.
    """
    files = bench.landing.raw
    if files.policy == "keep":
        return
    hashes = {item.sha256 for day in days for item in bench.landing.items(source, day)}
    for sha256 in sorted(hashes):
        if not files.is_plain(sha256):
            continue
        if files.policy == "encrypt":
            files.seal(sha256)
        elif all(_is_read(bench, *item) for item in bench.landing.holders(sha256)):
            files.drop(sha256)


def _is_read(bench: UserStores, source_id: str, source: str, day: str) -> bool:
    """Tell whether the text of an item is stored, from what has landed last."""
    raw = bench.catalog.get_ledger(source, "raw", day)
    text = bench.catalog.get_ledger(source, "text", day)
    if raw is None or text is None or text.state != "ok" or text.input_hash != raw.output_hash:
        return False
    if raw.input_hash != bench.landing.content(source, day):
        return False
    stored = bench.lake.read("text", source=source, days=[day], columns=["source_id"])
    return source_id in stored["source_id"].to_pylist()

"""Encryption or deletion of raw bytes once their text is stored (setting `privacy.raw`).

The engine calls this after a stage with `releases_raw`, since no later stage reads the bytes.
"""

from collections.abc import Iterable

from brain_pipelines.engine.stage import Stage
from brain_pipelines.engine.writers import UserStores


def release_raw(bench: UserStores, stage: Stage, source: str, days: Iterable[str]) -> None:
    """Encrypt or delete the blobs of the days that `stage` has just brought up to date.

    A blob is deleted only when every item in it, on any day, has its rows stored; if an item could not be read, the
    blob is kept.
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
        elif all(_is_read(bench, stage, *item) for item in bench.landing.holders(sha256)):
            files.drop(sha256)


def _is_read(bench: UserStores, stage: Stage, source_id: str, source: str, day: str) -> bool:
    """Return whether the rows of an item are stored and were computed from the bytes that landed last."""
    upstream = bench.catalog.get_ledger(source, stage.upstream or "", day)
    done = bench.catalog.get_ledger(source, stage.name, day)
    if upstream is None or done is None or done.state != "ok" or done.input_hash != upstream.output_hash:
        return False
    if upstream.input_hash != bench.landing.content(source, day):
        return False
    stored = (bench.lake.read(table, source=source, days=[day], columns=["source_id"]) for table in stage.tables)
    return any(source_id in rows["source_id"].to_pylist() for rows in stored)

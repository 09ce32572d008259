"""The up-to-date rule and the ledger row that records it, shared by daily partitions and snapshots."""

from dataclasses import dataclass
from datetime import UTC, datetime

from brain_retrieval.stores.catalog import LedgerRow


@dataclass(frozen=True)
class Make:
    """Identity of a stage's rows: the hash of the input, the version of the code, the hash of the settings."""

    input_hash: str
    code_version: str
    config_hash: str

    def is_of(self, row: LedgerRow | None) -> bool:
        """Return whether a ledger row records a result with this identity, perhaps one that waits for a model."""
        if row is None or row.state != "ok":
            return False
        return (row.input_hash, row.code_version, row.config_hash) == (
            self.input_hash,
            self.code_version,
            self.config_hash,
        )


def ledger_row(
    key: tuple[str, str, str],
    make: Make,
    *,
    run_id: str,
    output_hash: str = "",
    rows: int = 0,
    error: str = "",
    waiting: str = "",
    seconds: float = 0.0,
) -> LedgerRow:
    """Return the ledger row of a stage that has just ended.

    Args:
        key: source (or "snapshot"), stage and ISO day.
        make: input, code and settings of the rows.
        error: reason of a failure, "" for success.
        waiting: what is still missing of a result that is stored, "" for nothing.
    """
    source, stage, day = key
    return LedgerRow(
        source=source,
        stage=stage,
        day=day,
        state="failed" if error else "ok",
        input_hash=make.input_hash,
        code_version=make.code_version,
        config_hash=make.config_hash,
        output_hash=output_hash,
        rows=rows,
        error=error or waiting,
        run_id=run_id,
        started_at=datetime.now(UTC),
        seconds=round(seconds, 3),
    )

"""When stored rows may stay, and the ledger row that says of what they were made: the same for days and snapshots."""

from dataclasses import dataclass
from datetime import UTC, datetime

from brain_retrieval.stores.catalog import LedgerRow


@dataclass(frozen=True)
class Make:
    """Of what, by which code and under which settings the rows of a stage are made."""

    input_hash: str
    code_version: str
    config_hash: str

    def is_of(self, row: LedgerRow | None) -> bool:
        """Tell whether the ledger says that just this was made, and whole."""
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
    seconds: float = 0.0,
) -> LedgerRow:
    """Return the ledger row of a stage that just ended.

    Args:
        key: source (or "snapshot"), stage and ISO day.
        make: what the rows were made of.
        error: why it failed; "" if it did not.
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
        error=error,
        run_id=run_id,
        started_at=datetime.now(UTC),
        seconds=round(seconds, 3),
    )

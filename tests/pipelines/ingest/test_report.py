"""What is counted in the first line of a report: stored, in quarantine, repaired, waiting."""

from io import StringIO

from rich.console import Console

from brain_pipelines.ingest.report import IngestReport


def first_line(*kinds: str) -> str:
    """Return the first line of a report of items of some kinds in quarantine."""
    report = IngestReport("alice", "note")
    for number, kind in enumerate(kinds):
        report.quarantined.append({"uri": f"{number}.md", "day": "", "stage": "text", "kind": kind, "reason": "why"})
    written = StringIO()
    report.print(Console(file=written, width=200))
    return written.getvalue().splitlines()[0]


def test_what_is_repaired_is_stored_and_not_in_quarantine() -> None:
    assert "1 in quarantine, 2 repaired, 0 runs" in first_line("repaired", "failed", "repaired")
    assert "0 in quarantine, 0 runs" in first_line()

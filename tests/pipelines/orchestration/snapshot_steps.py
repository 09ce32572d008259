"""Notes and the steps from them to a snapshot, for the tests of snapshots."""

from collections.abc import Iterable

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.snapshots import SnapshotStore

DAY = "2026-03-01"  # everything is received at noon of this day
NOTES = {
    "move.md": ("2026-01-05", "Bob Lee lives in Berlin. Bob Lee works at Acme Corp."),
    "lead.md": ("2026-01-07", "Priya Raman leads Phoenix. Phoenix depends on Kafka."),
    "lisbon.md": ("2026-02-01", "Bob Lee lives in Lisbon."),
    "again.md": ("2026-02-03", "Priya Raman leads Phoenix."),
    "denied.md": ("2026-02-10", "Bob Lee does not work at Acme Corp."),
}
READ = ("raw", "text", "enrichments", "extractions")


def write(bench, notes: dict[str, tuple[str, str]], *, user: str = "alice", order: Iterable[str] | None = None) -> None:
    """Land notes and run their days without the search index: all at once, or one after the other in an order given."""
    for name in order or notes:
        day, text = notes[name]
        bench.land(bench.drop(user, "note", name, text, day=day), user)
        if order is not None:
            read(bench, [day], user)
    if order is None:
        read(bench, sorted({day for day, _ in notes.values()}), user)


def read(bench, days: Iterable[str], user: str = "alice") -> None:
    for stage in READ:
        arguments = (STAGES_BY_NAME[stage], SOURCES_BY_NAME["note"], bench.space(user), list(days))
        materialize(*arguments, settings=bench.settings, run_id="test")


def snapshot(bench, day: str = DAY, user: str = "alice", *, force: bool = False) -> dict[str, bool]:
    """Run every stage of a snapshot; return which were skipped."""
    return {
        stage.name: run_stage(
            stage, SNAPSHOT_STAGES, bench.space(user), day, settings=bench.settings, force=force
        ).skipped
        for stage in SNAPSHOT_STAGES
    }


def content(bench, day: str = DAY, user: str = "alice") -> dict[str, str]:
    """Return the digest of each table of a snapshot: files are named by their content."""
    return {name: table.file for name, table in SnapshotStore(bench.space(user)).manifest(day).items()}


def objects(bench, about: str, predicate: str, user: str = "alice", **options) -> list[str]:
    known = Knowledge(bench.space(user), bench.settings)
    return [fact.object for fact in known.facts(about, predicate=predicate, **options) if fact.polarity == "affirmed"]


def home_of(bench) -> str:
    [fact] = [f for f in Knowledge(bench.space(), bench.settings).facts("Bob Lee") if f.object in ("Berlin", "Lisbon")]
    return fact.object

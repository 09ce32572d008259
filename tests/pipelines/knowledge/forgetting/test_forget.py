"""Forgetting: ingest A and B, forget B, equals ingest A in every store; and nothing of B is left in any file."""

import json
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain_pipelines.engine.landing_recovery import recover
from brain_pipelines.ingest.deletions import NotDeletedError, restore
from brain_pipelines.knowledge.forgetting import forget as forgetting
from brain_pipelines.knowledge.forgetting.check import Findings, check_user
from brain_pipelines.knowledge.forgetting.forget import forget, preview, resume
from brain_pipelines.knowledge.forgetting.plan import Kind, NothingToForgetError, Plan, Scope
from brain_pipelines.knowledge.forgetting.receipts import receipts
from brain_pipelines.landing.backup import back_up, backups
from brain_pipelines.landing.inbox import list_files
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError, UnknownUserError
from brain_retrieval.home import Home
from brain_retrieval.models.chat.chat_cache import Remembered, ResponseCache
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import compact
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import content, snapshot

KEPT = {
    "move.md": ("2026-01-05", "Bob Lee lives in Berlin. Bob Lee works at Acme Corp."),
    "lead.md": ("2026-01-07", "Priya Raman leads Phoenix. Phoenix depends on Kafka."),
}
GONE = {
    "lisbon.md": ("2026-01-05", "Bob Lee lives in Reykjavik. Wilhelmina Zwart brought the marzipan catalogue along."),
    "later.md": ("2026-02-03", "Wilhelmina Zwart leads Phoenix. The marzipan catalogue costs 412 kroner."),
}
WORDS = ("reykjavik", "wilhelmina", "zwart", "marzipan", "kroner")
BEFORE, DAY = "2026-03-01", "2026-03-02"
NOW = datetime(2026, 3, 1, 13, tzinfo=UTC)


def fill(bench: Bench, notes: dict[str, tuple[str, str]]) -> Bench:
    """Land notes, run every stage and take two snapshots."""
    for name, (day, text) in notes.items():
        bench.land(bench.drop("alice", "note", name, text, day=day))
    bench.run()
    for day in (BEFORE, DAY):
        snapshot(bench, day)
    return bench


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Bench]:
    """A home with A and B, and one with A only."""
    root = tmp_path_factory.mktemp("forgetting")
    return fill(Bench(Home(root / "both")), {**KEPT, **GONE}), fill(Bench(Home(root / "kept")), KEPT)


@pytest.fixture
def both(bench: Bench, templates: tuple[Bench, Bench]) -> Bench:
    shutil.copytree(templates[0].home.path, bench.home.path, dirs_exist_ok=True)
    return bench


def everything(bench: Bench) -> dict[str, object]:
    """Return the content or the digest of every store."""
    space = bench.space()
    with open_landing(space, bench.settings) as landing, Catalog(space) as catalog:
        stores: dict[str, object] = {
            "items": landing.rows("SELECT * FROM item ORDER BY 1"),
            "deliveries": landing.rows("SELECT uri, source, sha256, size, reason, policy FROM delivery"),
            "received": landing.rows("SELECT * FROM received ORDER BY 1"),
            "waiting": [landing.dirty(), landing.seen(), landing.released()],
            "ledger": [(r.source, r.stage, r.day, r.input_hash, r.output_hash, r.rows) for r in catalog.ledger()],
            "quarantine": catalog.quarantine(),
            "attempts": catalog.rows("SELECT * FROM attempt"),
        }
        stores["lake files"] = sum(1 for path in space.lake.rglob("*") if path.is_file()) - len(catalog.known_paths())
    with AccessLog(space) as log:
        stores["recalls"] = log.recalls().rows()
    with closing(EmbeddedGraph(space)) as graph:
        stores["graph"] = [graph.digest(), graph.stats()]
    stores["blobs"] = sorted(path.name for path in space.blobs.glob("*/*"))
    stores["inbox"] = sorted(file.uri for file in list_files(space.inbox))
    days = SnapshotStore(space).days()
    tables = sorted(path.name for path in (space.knowledge / "tables").glob("*.parquet"))
    stores |= {"tables": tables, "snapshots": {day: content(bench, day) for day in days}}
    stores["lake and index"] = bench.digests()
    return stores


def bytes_with(root: Path, words: tuple[str, ...]) -> list[str]:
    """Return the files below a directory whose bytes contain any of the words."""
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and any(word.encode() in path.read_bytes().lower() for word in words):
            found.append(path.relative_to(root).as_posix())
    return found


def ids_of(bench: Bench) -> list[str]:
    with open_landing(bench.space(), bench.settings) as landing:
        return [item.source_id for name in GONE for item in landing.items_of(f"inbox:note/{name}")]


def plan_of(bench: Bench, kind: Kind, value: str = "") -> Plan:
    return preview(bench.home, "alice", Scope(kind, value), command="test")


def record_recalls(bench: Bench) -> None:
    """Record that a source of B and an entity that only B mentions were recalled."""
    names = SnapshotStore(bench.space()).read(DAY, "entity_names")
    [entity] = names.filter(names["display"] == "Wilhelmina Zwart")["entity_id"].unique()
    with AccessLog(bench.space()) as log:
        log.record([("source", ids_of(bench)[0]), ("entity", entity)], at=NOW)


@pytest.fixture(scope="module")
def forgotten(templates: tuple[Bench, Bench], tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The home with A and B after B was forgotten; B was recalled, its month compacted and an answer cached before."""
    bench = Bench(Home(tmp_path_factory.mktemp("forgotten") / "home"))
    shutil.copytree(templates[0].home.path, bench.home.path)
    space = bench.space()
    record_recalls(bench)
    with ResponseCache(space) as cache:
        cache.put("model", "task", [Remembered("key", '{"said": "the marzipan catalogue"}', 1, 1)])
    with Catalog(space) as catalog:
        compact(Lake(space, catalog), "2026-12")
    assert len(bytes_with(bench.home.path, WORDS)) > 5
    plan = plan_of(bench, "mentions", "Wilhelmina Zwart")
    assert {target.uri for target in plan.targets} == {f"inbox:note/{name}" for name in GONE}
    assert len(plan.needles.words) > 2
    receipt = forget(bench.home, plan)
    assert receipt["complete"] and not receipt["to_run_again"]
    return bench


def test_forgetting_b_after_a_and_b_equals_a_in_every_store(forgotten, templates) -> None:
    kept, after = everything(templates[1]), everything(forgotten)
    assert {name for name in kept if kept[name] != after[name]} == set()


def test_nothing_of_b_is_left_in_any_file_or_retriever(forgotten, templates, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_MEMORY__LOG_ACCESS", "false")  # other tests use the homes too
    gone = ids_of(templates[0])
    assert len(gone) == 2 and bytes_with(forgotten.home.path, (*WORDS, *gone)) == []
    for home, left in ((templates[0].home, set(gone)), (forgotten.home, set())):
        with Brain.open(home.path, user="alice") as brain:
            hits = brain.search("Who leads Phoenix: Wilhelmina with the marzipan catalogue, or who?")
            assert {hit.source_ref.source_id for hit in hits} & set(gone) == left
            subjects = {fact.subject for fact in brain.knowledge().facts("Phoenix")}
            assert ("Wilhelmina Zwart" in subjects) is bool(left)


def test_receipt_holds_counts_and_no_text(forgotten) -> None:
    [receipt] = receipts(forgotten.home, "alice")
    said = json.dumps(receipt).lower()
    assert "alice" not in said and "later" not in said and not [word for word in WORDS if word in said]
    assert receipt["stores"]["own"]["lake text"] == {"before": 2, "after": 0}


def test_forgotten_file_is_not_taken_again_unless_asked_for(bench, forgotten) -> None:
    shutil.copytree(forgotten.home.path, bench.home.path, dirs_exist_ok=True)
    space, (day, text) = bench.space(), GONE["later.md"]
    for name in ("later.md", "renamed.md"):  # the same uri, and the same bytes under another name
        path = bench.drop("alice", "note", name, text, day=day)
        with open_landing(space, bench.settings) as landing:
            scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
            assert "forgotten on" in (landing.refusal(f"inbox:note/{name}") or "")
            assert landing.items_of(f"inbox:note/{name}") == [] and len(list(space.blobs.glob("*/*"))) == len(KEPT)
        path.unlink()
    path = bench.drop("alice", "note", "later.md", text, day=day)
    with open_landing(space, bench.settings) as landing:
        landing.even_forgotten = True
        scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
        assert landing.refusal("inbox:note/later.md") is None and len(landing.items_of("inbox:note/later.md")) == 1


def test_check_finds_what_was_not_removed(both, monkeypatch) -> None:
    plan = plan_of(both, "source", "note/later.md")
    findings = Findings()
    with Catalog(both.space()) as catalog:
        check_user(both.space(), catalog, plan.needles, plan.ids, findings)
    places = {place.partition("/")[0] for place in findings.remaining}
    assert places >= {"inbox", "lake", "knowledge", "search index", "text index", "raw", "graph node"}

    monkeypatch.setattr(forgetting.known, "build_again", lambda *_, **__: [])
    receipt = forget(both.home, plan)
    assert not receipt["complete"] and "knowledge/tables" in receipt["check"]["remaining"]


def test_forgetting_reaches_kept_bytes_of_deleted_sources_and_backups(both) -> None:
    space = both.space()
    back_up(space, kept=14)
    for name in ("move.md", "lisbon.md"):
        both.remove(space.inbox / "note" / name)
    receipt = forget(both.home, plan_of(both, "source", "note/lisbon.md"))
    assert receipt["complete"], receipt["check"]["remaining"]
    assert bytes_with(both.home.path, ("reykjavik", "lisbon.md")) == []
    with pytest.raises(NotDeletedError):
        restore(
            both.home, "alice", ["note/move.md"]
        )  # all that was kept goes, because nothing is known of what it says
    [backup] = backups(space)
    recover(space, both.settings, backup)
    with open_landing(space, both.settings) as landing:
        assert {item.file for item in landing.all_items()} == {"inbox:note/lead.md", "inbox:note/later.md"}


def test_preview_changes_nothing_and_names_what_goes(both) -> None:
    before = everything(both)
    plan = plan_of(both, "day", "2026-01-05")
    assert {target.uri for target in plan.targets} == {"inbox:note/move.md", "inbox:note/lisbon.md"}
    assert plan.counts["own"]["lake text"] == 2 and plan.counts["own"]["snapshots"] == 2
    assert everything(both) == before and Plan.unfinished(both.space()) is None


def test_what_is_not_there_is_refused(both) -> None:
    missing: list[tuple[Kind, str]] = [("source", "note/never.md"), ("day", "2020-01-01"), ("mentions", "Quentin")]
    wrong: list[tuple[Kind, str]] = [("day", "yesterday"), ("mentions", " ")]
    for scopes, error in ((missing, NothingToForgetError), (wrong, InvalidQueryError)):
        for scope in scopes:
            with pytest.raises(error):
                plan_of(both, *scope)


def test_killed_forgetting_is_finished_by_the_next(both, templates, monkeypatch) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(forgetting.known, "run_stage", killed)  # the old snapshots are gone, no new one is there
        with pytest.raises(KeyboardInterrupt):
            record_recalls(both)
            forget(both.home, plan_of(both, "mentions", "Wilhelmina Zwart"))
    assert Plan.unfinished(both.space()) is not None
    receipt = resume(both.home, "alice")
    assert receipt and receipt["complete"] and resume(both.home, "alice") is None
    after, kept = everything(both), everything(templates[1])
    assert {name for name in kept if kept[name] != after[name]} == set()


def test_forgetting_a_user_leaves_a_receipt_only(both) -> None:
    both.land(both.drop("bob", "note", "own.md", "Bob keeps the harbour plan.", day="2026-01-05"), "bob")
    receipt = forget(both.home, plan_of(both, "user"))
    assert receipt["complete"] and not both.space().root.exists() and not both.space().inbox.exists()
    assert bytes_with(both.home.path, (*WORDS, "priya", "alice")) == []
    assert both.home.users() == ["bob"] and receipts(both.home, "alice") == [receipt]
    with pytest.raises(UnknownUserError):
        plan_of(both, "user")


def test_the_preview_names_what_holds_the_same_content_and_stays(bench: Bench) -> None:
    text = "Wilhelmina Zwart brought the marzipan catalogue along."
    for name in ("lisbon.md", "again/lisbon.md"):
        bench.land(bench.drop("alice", "note", name, text, day="2026-01-05"))
    plan = preview(bench.home, "alice", Scope("source", "inbox:note/lisbon.md"), command="brain forget")
    assert [one.uri for one in plan.targets] == ["inbox:note/lisbon.md"]
    assert plan.copies == ("inbox:note/again/lisbon.md",)
    whole = preview(bench.home, "alice", Scope("day", "2026-01-05"), command="brain forget")
    assert (len(whole.targets), whole.copies) == (2, ())

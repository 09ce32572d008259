"""The engine: skip, replace, follow, retry, refuse."""

import dataclasses
import json
import shutil
from datetime import date, timedelta
from itertools import permutations

import pytest

from brain_pipelines.engine.run_stage import MAX_ATTEMPTS, StageFailedError, materialize
from brain_pipelines.engine.stage import StageOutput
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.readers.contract import Issue
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

DAY = "2026-01-05"


def fill(bench, days: int = 3, user: str = "alice") -> None:
    for n in range(days):
        day = (date(2026, 1, 5) + timedelta(days=2 * n)).isoformat()
        text = f"# Day {n}\n\nAlice Chen leads project number {n}. Bob Smith maintains library {n}.\n"
        bench.land(bench.drop(user, "note", f"n{n}.md", text, day=day), user)
        lines = [
            {"role": speaker, "content": f"{speaker} says {n}", "timestamp": f"{day}T09:0{m}:00Z", "session": f"s{n}"}
            for m, speaker in enumerate(("Alice", "Bob"))
        ]
        text = "\n".join(json.dumps(line) for line in lines)
        bench.land(bench.drop(user, "conversation", f"c{n}.jsonl", text, day=day), user)


def test_every_stage_writes_what_it_names(bench) -> None:
    fill(bench, 1)
    reports = bench.run()
    assert [reports[s.name].rows[DAY] > 0 for s in STAGES] == [True] * len(STAGES)
    tables, index = bench.digests()
    assert {t for t, _, _ in tables} >= {"raw", "text", "chunks", "mentions", "entities", "facts"} and index


def test_an_unchanged_partition_costs_no_model_call(bench, counted) -> None:
    fill(bench)
    bench.run()
    before, calls = bench.digests(), counted()
    reports = bench.run()
    assert all(not r.computed and len(r.skipped) == 3 for r in reports.values())
    assert (bench.digests(), counted()) == (before, calls)


def test_an_edit_moves_only_its_own_partition(bench) -> None:
    fill(bench)
    bench.run()
    before, _ = bench.digests()
    bench.land(bench.drop("alice", "note", "n1.md", "# Day 1\n\nAlice Chen left project number 1.\n", day="2026-01-07"))
    bench.run()
    after, _ = bench.digests()
    changed = {key[2] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert changed == {"2026-01-07"}
    assert "left project" in bench.texts()["inbox:note/n1.md"]


def test_an_added_file_embeds_only_itself(bench, counted) -> None:
    fill(bench, 1)
    bench.run()
    calls = counted()
    bench.land(bench.drop("alice", "note", "more.md", "One more line.", day=DAY))
    bench.run()
    assert counted() - calls == 1


def test_a_deleted_file_leaves_no_row(bench) -> None:
    fill(bench, 2)
    bench.run()
    space = bench.space()
    bench.remove(space.inbox / "note" / "n0.md")
    bench.run()
    tables, _ = bench.digests()
    assert {day for _, source, day in tables if source == "note"} == {"2026-01-07"}
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        assert index is not None
        assert set(index.read(columns=["uri"])["uri"].to_pylist()) == {"inbox:note/n1.md"}


def test_an_event_that_moves_leaves_the_old_day(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-01-05\n---\nhello there"))
    bench.run()
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-01-20\n---\nhello there"))
    bench.run()
    tables, _ = bench.digests()
    assert {day for _, _, day in tables} == {"2026-01-20"}


def test_rebuild_in_any_order_in_many_runs_equals_one_run(bench) -> None:
    fill(bench)
    bench.run_everything()
    reference = bench.digests()
    days = ["2026-01-05", "2026-01-07", "2026-01-09"]
    for order in list(permutations(range(3)))[1:4]:
        bench.drop_derived()
        for n in order:
            for source in ("conversation", "note") if n % 2 else ("note", "conversation"):
                bench.run(source=source, days=[days[n]])
        assert bench.digests() == reference, order


def test_the_order_of_arrival_does_not_matter(bench, tmp_path, monkeypatch) -> None:
    fill(bench)
    bench.run_everything()
    reference = bench.digests()
    other = type(bench)(type(bench.home)(tmp_path / "other"))
    monkeypatch.setenv("BRAIN_HOME", str(other.home.path))
    shutil.copytree(bench.home.inbox, other.home.inbox)
    for path in sorted(other.home.inbox.rglob("*.*"), reverse=True):
        other.land(path)
        other.run(source=path.parent.name)
    assert other.digests() == reference


@pytest.mark.parametrize("lost", ["lake", "index"])
def test_a_lost_store_is_noticed_and_rebuilt(bench, lost: str) -> None:
    fill(bench, 2)
    bench.run()
    reference = bench.digests()
    shutil.rmtree(getattr(bench.space(), lost))
    bench.run()
    assert bench.digests() == reference


def test_changing_chunking_runs_no_extraction(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(bench, 2)
    bench.run()
    monkeypatch.setenv("BRAIN_CHUNKING", json.dumps({"note": {"strategy": "sentence"}}))
    reports = bench.run()
    assert [name for name, r in reports.items() if r.computed] == ["chunks", "embeddings"]


def test_a_format_may_have_its_own_preset(bench) -> None:
    page = "<html><body><article><h1>Bees</h1><p>" + "Bees dance to show the way. " * 8 + "</p></article></body></html>"
    bench.land(bench.drop("alice", "document", "page.html", page))
    bench.land(bench.drop("alice", "document", "plain.txt", "Ants leave a trail to show the way."))
    bench.run(source="document")
    with Catalog(bench.space()) as catalog:
        rows = Lake(bench.space(), catalog).read("chunks", columns=["uri", "strategy"]).to_pylist()
    assert {(row["uri"], row["strategy"]) for row in rows} == {
        ("inbox:document/page.html", "document"),
        ("inbox:document/plain.txt", "recursive"),
    }


def test_a_new_extractor_embeds_nothing(bench, monkeypatch: pytest.MonkeyPatch, counted) -> None:
    fill(bench, 1)
    bench.run()
    calls = counted()
    newer = dataclasses.replace(STAGES_BY_NAME["extractions"], code_version="next")
    report = materialize(newer, SOURCES_BY_NAME["note"], bench.space(), [DAY], settings=bench.settings, run_id="r")
    assert report.computed == [DAY] and counted() == calls


def run_stage(bench, stage, run_id: str):
    return materialize(stage, SOURCES_BY_NAME["note"], bench.space(), [DAY], settings=bench.settings, run_id=run_id)


def flaky(name: str, fails: int):
    """Return the text stage with one failing item for the first `fails` runs."""
    stage, calls = STAGES_BY_NAME["text"], []

    def run(stage_input):
        calls.append(1)
        output = stage.run(stage_input)
        if len(calls) <= fails:
            row = next(r for r in stage_input.rows[DAY] if r["uri"].endswith(name))
            output.tables["text"][DAY] = [d for d in output.tables["text"][DAY] if d["source_id"] != row["source_id"]]
            issue = Issue(row["source_id"], row["uri"], "RuntimeError: broken", "rejected")
            output.failures.setdefault(DAY, []).append(issue)
        return output

    return dataclasses.replace(stage, run=run)


def test_a_failing_item_is_retried_and_the_others_go_on(bench) -> None:
    fill(bench, 1)
    bench.land(bench.drop("alice", "note", "poison.md", "poison", day=DAY))
    run_stage(bench, STAGES_BY_NAME["raw"], "r0")
    stage = flaky("poison.md", fails=1)
    assert run_stage(bench, stage, "r1").failed == [DAY]
    assert set(bench.texts()) == {"inbox:note/n0.md"}
    assert run_stage(bench, stage, "r2").computed == [DAY]
    assert set(bench.texts()) == {"inbox:note/n0.md", "inbox:note/poison.md"}
    with Catalog(bench.space()) as catalog:
        assert catalog.quarantine() == []


def test_an_item_that_fails_every_time_is_given_up_and_stays_in_quarantine(bench) -> None:
    bench.land(bench.drop("alice", "note", "poison.md", "poison", day=DAY))
    run_stage(bench, STAGES_BY_NAME["raw"], "r0")
    stage = flaky("poison.md", fails=99)
    reports = [run_stage(bench, stage, f"r{n}") for n in range(1, MAX_ATTEMPTS + 2)]
    assert [bool(r.failed) for r in reports] == [True, True, False, False]
    assert reports[-1].skipped == [DAY]
    with Catalog(bench.space()) as catalog:
        (row,) = catalog.quarantine()
    assert (row.kind, row.reason) == ("rejected", "gave up after 3 attempts: RuntimeError: broken")


def test_broken_stage_raises_and_is_recorded(bench) -> None:
    fill(bench, 1)

    def explode(_):
        raise RuntimeError("quotes a text")

    with pytest.raises(StageFailedError, match=r"note/raw: RuntimeError \(.*brain status"):
        run_stage(bench, dataclasses.replace(STAGES_BY_NAME["raw"], run=explode), "r1")
    with Catalog(bench.space()) as catalog:
        (row,) = catalog.ledger(state="failed")
    assert row.error.startswith("RuntimeError: quotes a text")
    assert run_stage(bench, STAGES_BY_NAME["raw"], "r2").computed == [DAY]


def test_rows_that_violate_a_check_are_never_stored(bench) -> None:
    fill(bench, 1)
    bench.run()
    before = bench.digests()
    bench.land(bench.drop("alice", "note", "n0.md", "changed text here", day=DAY))
    stage = STAGES_BY_NAME["raw"]

    def doubled(stage_input) -> StageOutput:
        output = stage.run(stage_input)
        output.tables["raw"][DAY] *= 2
        return output

    report = run_stage(bench, dataclasses.replace(stage, run=doubled), "r1")
    assert report.violations["ids_unique"] == 1 and report.failed == [DAY]
    assert bench.digests() == before


def test_an_item_without_its_bytes_fails_alone_and_heals_when_dropped_again(bench) -> None:
    fill(bench, 1)
    path = bench.drop("alice", "note", "lost.md", "bytes that go missing", day=DAY)
    bench.land(path)
    with open_landing(bench.space(), bench.settings) as landing:
        lost = next(item for item in landing.items("note", DAY) if item.uri.endswith("lost.md"))
    bench.space().blob(lost.sha256).unlink()
    assert bench.run(run_id="r1")["raw"].failed == [DAY]
    assert set(bench.texts()) == {"inbox:note/n0.md"}
    bench.land(path)
    bench.run(run_id="r2")
    assert set(bench.texts()) == {"inbox:note/n0.md", "inbox:note/lost.md"}

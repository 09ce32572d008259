"""The asset check `golden_questions` in the real nightly job: loud, never blocking, without text of the user."""

import base64
import io
import json

import dagster as dg
from PIL import Image
from typer.testing import CliRunner, Result

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.orchestration.golden_check import NAME
from brain_pipelines.orchestration.golden_plot import HEIGHT, WIDTH, chart
from brain_retrieval.serve.evaluation.history import past
from tests.pipelines.orchestration.snapshot_steps import DAY

KEY = dg.AssetCheckKey(dg.AssetKey(["knowledge", "quality"]), NAME)
GOLDEN = """\
questions:
- {question: Where does Bob Lee live, text: Lisbon}
- {question: Which zebra sings, text: zebra}
"""


def nightly(bench, *options: str) -> Result:
    return CliRunner().invoke(
        app, ["nightly", "--user", "alice", "--day", DAY, "--home", str(bench.home.path), *options]
    )


def checked(bench) -> dg.AssetCheckEvaluation:
    """Return the newest evaluation of the check."""
    with open_instance(bench.home.path) as instance:
        [record] = instance.event_log_storage.get_asset_check_execution_history(KEY, limit=1)
        event = record.event
    assert event is not None and event.dagster_event is not None
    return event.dagster_event.asset_check_evaluation_data


def test_a_failing_check_is_loud_and_blocks_nothing(bench, known) -> None:
    bench.run()  # the index, too
    path = bench.space().root / "golden.yaml"
    path.write_text(GOLDEN, encoding="utf-8")
    report = json.loads(nightly(bench, "--json").output)
    assert report["success"] and report["error"] == ""
    assert report["golden"]["recall_all"] == 0.5 and report["golden"]["least_recall"] == 1.0
    mrr = past(bench.space())[DAY]["mrr"]
    assert mrr and 0 < mrr <= 0.5
    found = checked(bench)
    assert not found.passed and found.severity == dg.AssetCheckSeverity.ERROR
    rows = [dict(record.data) for record in found.metadata["questions"].records]
    assert [(row["question"], row["line"], row["rank"], row["found"]) for row in rows] == [
        (1, 2, round(0.5 / mrr), "1/1"), (2, 3, 0, "0/1"),
    ]  # fmt: skip
    said = str({name: value.value for name, value in found.metadata.items()})
    assert not any(word in said for word in ("Bob", "Lisbon", "zebra"))
    coded = str(found.metadata["by_day"].value).partition("base64,")[2].rstrip(")")
    assert Image.open(io.BytesIO(base64.b64decode(coded))).size == (WIDTH, HEIGHT)
    printed = nightly(bench).output
    assert "golden questions: recall 0.500 (at least 1) too low; `brain eval --user alice` shows which" in printed

    path.write_text("min_recall: 0.5\n" + GOLDEN, encoding="utf-8")
    assert "golden questions: recall 0.500 (at least 0.5) ok" in nightly(bench).output
    assert checked(bench).passed

    path.write_text(GOLDEN.replace("text: zebra", "txt: zebra"), encoding="utf-8")
    report = json.loads(nightly(bench, "--json").output)
    assert report["success"]
    found = checked(bench)
    assert not found.passed
    assert "golden.yaml, line 3, `txt`: unknown field" in str(found.metadata["error"].value)

    path.unlink()
    assert "golden" not in nightly(bench).output
    assert checked(bench).passed


def test_the_chart_has_a_line_for_each_measure() -> None:
    days = {f"2026-02-{n:02}": {"recall_all": n / 28, "mrr": None, "as_of_accuracy": 1.0} for n in range(1, 29)}
    picture = Image.open(io.BytesIO(chart(days)))
    colours = {colour for _, colour in picture.getcolors(1 << 16) or []}
    assert {(0x1F, 0x77, 0xB4), (0x2C, 0xA0, 0x2C)} <= colours
    assert (0xFF, 0x7F, 0x0E) not in colours
    assert Image.open(io.BytesIO(chart({}))).size == (WIDTH, HEIGHT)

"""Golden questions asked through real stores: ranks and measures, the command, its exit code, and past days."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
import typer
from typer.testing import CliRunner, Result

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.serve.eval_cli import register
from brain_retrieval.serve.evaluation.evaluate import Answer, Evaluation, evaluate
from brain_retrieval.serve.evaluation.golden_file import GoldenFileError, read_golden
from brain_retrieval.serve.evaluation.history import past, remember

app = typer.Typer()
register(app)
app.callback()(lambda: None)  # so that the command keeps its name

FILE = """\
- question: Who leads Project Phoenix?
  text: led by Omar
- question: Who leads Project Phoenix?
  text: led by Nina
  as_of: 2026-01-31
- question: Who leads Project Phoenix?
  text: led by Omar
  as_of: 2026-01-31
- question: plumber leak
  source: ["TALK.j*", "inbox:note/bread.md", "inbox:note/no-*"]
- question: the router's error code
  source: "*tax*"
  text: E-4711
"""


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    (tmp_path / "questions.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path / "questions.yaml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in ("eval", *arguments)], env={"BRAIN_HOME": "", "COLUMNS": "100"})


def test_ranks_follow_from_the_hits(brain: Brain, golden: Path) -> None:
    done = evaluate(brain, read_golden(golden))
    now, then, too_early, sources, wrong_source = done.answers
    hits = brain.search("Who leads Project Phoenix?", 10, log=False)
    assert now.ranks == (next(hit.rank for hit in hits if "led by Omar" in hit.text),)
    assert (now.timely, then.timely, too_early.timely) == (None, True, False)
    assert (then.rank, too_early.ranks) == (1, (None,))
    assert sources.ranks[0] == 1 and sources.ranks[2] is None
    assert wrong_source.ranks == (None,)
    assert [answer.line for answer in done.answers] == [1, 3, 6, 9, 11]
    assert all(answer.milliseconds > 0 for answer in done.answers)


def test_an_unwanted_passage_before_the_expected_one_is_not_timely(brain: Brain, tmp_path: Path) -> None:
    text = "- {question: Who leads Project Phoenix, text: led by %s, not_text: led by %s, as_of: 2026-03-01}\n"
    path = tmp_path / "both.yaml"
    path.write_text(text % ("Nina", "Omar") + text % ("Omar", "Nina"), encoding="utf-8")
    answers = evaluate(brain, read_golden(path)).answers
    ranks = [answer.rank for answer in answers]
    assert sorted(ranks, key=str) == [1, 2]
    assert [answer.timely for answer in answers] == [rank == 1 for rank in ranks]


def test_measures_worked_out_by_hand() -> None:
    ranks = [(1, 2), (None, 4), (None,), (2,)]
    timely = [None, True, False, None]
    answers = tuple(
        Answer(n, n, "?", found, when, 10.0 * n)
        for n, (found, when) in enumerate(zip(ranks, timely, strict=True), start=1)
    )
    assert Evaluation(answers, 10).measures == pytest.approx(
        {"recall_all": 0.5, "recall_any": 0.75, "mrr": (1 + 0.25 + 0 + 0.5) / 4, "as_of_accuracy": 0.5,
         "p50_ms": 20.0, "p95_ms": 40.0}
    )  # fmt: skip
    assert Evaluation(answers[:1], 10).measures["as_of_accuracy"] is None


def test_k_and_recipe_reach_the_search(brain: Brain, golden: Path, tmp_path: Path) -> None:
    read = read_golden(golden)
    assert evaluate(brain, read, k=1).answers[3].ranks[1] is None
    assert len(brain.search("plumber leak", 10, log=False)) > 1
    own = tmp_path / "own.yaml"
    own.write_text("- {question: Phoenix, text: led, recipe: quick}", encoding="utf-8")
    with pytest.raises(GoldenFileError, match=r"own.yaml, line 1, `recipe`: unknown; the recipes are default, fast"):
        evaluate(brain, read_golden(own))


def test_the_command_prints_a_row_for_each_question_and_fails_below_the_least_recall(
    library: Path, golden: Path
) -> None:
    common = (golden, "--user", "alice", "--home", library)
    done = run(*common)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("Who leads Project Phoenix?") == 3
    assert "recall, all @10    0.400" in done.stdout and "as-of accuracy     0.500" in done.stdout
    low = run(*common, "--min-recall", "0.41")
    assert (low.exit_code, run(*common, "--min-recall", "0.4").exit_code) == (1, 0)
    assert "below the least recall" in low.stdout
    found = json.loads(run(*common, "--min-recall", "0.9", "--json").stdout)
    assert (found["passed"], found["k"], found["measures"]["recall_any"]) == (False, 10, 0.6)
    assert [row["number"] for row in found["questions"]] == [1, 2, 3, 4, 5]


def test_errors_of_the_command(library: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("- question: a\n  txt: b\n", encoding="utf-8")
    done = run(wrong, "--user", "alice", "--home", library)
    assert done.exit_code == 2
    assert "wrong.yaml, line 2, `txt`: unknown field" in done.stderr
    without = run("--user", "alice", "--home", library)
    assert without.exit_code == 2
    assert "no golden questions" in without.stderr and "golden.yaml" in without.stderr


def test_asking_golden_questions_is_no_recall(brain: Brain, golden: Path) -> None:
    log = brain.space.root / "access.sqlite"
    before = log.read_bytes() if log.exists() else None
    evaluate(brain, read_golden(golden))
    assert (log.read_bytes() if log.exists() else None) == before


def test_days_are_remembered_in_order_one_row_each(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    assert past(space) == {}
    remember(space, "2026-02-02", {"mrr": 0.5})
    remember(space, "2026-02-01", {"mrr": 0.25, "as_of_accuracy": None})
    with (space.root / "golden-history.jsonl").open("a", encoding="utf-8") as file:
        file.write("{damaged\n[]\n{}\n")
    assert remember(space, "2026-02-02", {"mrr": 0.75}) == {
        "2026-02-01": {"mrr": 0.25, "as_of_accuracy": None},
        "2026-02-02": {"mrr": 0.75},
    }
    assert list(past(space)) == ["2026-02-01", "2026-02-02"]


def test_a_pattern_that_no_source_has_is_a_warning_without_the_pattern(
    brain: Brain, golden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = pa.table({"name": ["inbox:conversation/talk.jsonl", "Talk.jsonl", None, "inbox:note/bread.md", "Tax"]})
    monkeypatch.setattr(Brain, "sql", lambda _self, _query: named)
    answers = evaluate(brain, read_golden(golden)).answers
    assert "no source has the uri or title of `source` 3" in answers[3].warnings
    assert [answer.number for answer in answers if any("no source" in warning for warning in answer.warnings)] == [4]


def test_percentiles_are_nearest_ranks() -> None:
    answers = tuple(Answer(n, n, "q", (1,), None, float(n)) for n in range(1, 21))
    measures = Evaluation(answers, 10).measures
    assert (measures["p50_ms"], measures["p95_ms"]) == (10.0, 19.0)

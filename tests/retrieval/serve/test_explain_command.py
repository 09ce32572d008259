"""`brain search --explain`: the numbers that are printed add up, bars lie where the numbers say, and fit the width."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from brain_retrieval.brain import Brain
from brain_retrieval.serve.explain_print import ASCII, BARS, BLOCKS, WIDTH, bar, print_explained
from tests.retrieval.serve.test_search_commands import run

QUESTIONS = [
    "was the plumber expensive",
    "who leads Phoenix",
    "Phoenix on 14 February 2026",
    "bake sourdough",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_printed_numbers_add_up_and_lines_fit(library: Path, question: str) -> None:
    done = run("search", question, "--user", "alice", "--home", library, "--explain")
    assert done.exit_code == 0
    hits = re.split(r"^ ?\d+\. ", done.stdout, flags=re.MULTILINE)[1:]
    assert hits
    for hit in hits:
        added = [float(number) for number in re.findall(r"^    \w+ .*?([+-]\d\.\d{3})", hit, flags=re.MULTILINE)]
        score = re.search(r"^    sum .*?(\d\.\d{3})", hit, flags=re.MULTILINE)
        assert score and len(added) >= 1
        assert sum(added) == pytest.approx(float(score[1]), abs=1e-9)
        likely = re.search(r"probability (\d\.\d{3})", hit)
        assert likely and hit.startswith(likely[1])
    assert max(map(len, done.stdout.splitlines())) <= WIDTH
    assert done.stdout.isascii() or "#" in done.stdout
    assert "█" not in done.stdout


def test_a_terminal_gets_blocks_and_colours_and_the_same_numbers(library: Path) -> None:
    output = io.StringIO()
    with Brain.open(library, user="alice") as brain:
        found = brain.search(QUESTIONS[0], log=False)
    print_explained(found, Console(file=output, force_terminal=True, width=80, color_system="standard"))
    drawn = output.getvalue()
    assert "█" in drawn and "\x1b[36m" in drawn
    plain = re.sub(r"\x1b\[[\d;]*m", "", drawn)
    assert max(map(len, plain.splitlines())) <= 80
    numbers = r"[+-]\d\.\d{3}"
    assert re.findall(numbers, plain) == re.findall(
        numbers, run("search", QUESTIONS[0], "--user", "alice", "--home", library, "--explain").stdout
    )


def test_json_has_the_contributions_only_when_asked(library: Path) -> None:
    common = ("search", QUESTIONS[1], "--user", "alice", "--home", library, "--json")
    assert "contributions" not in json.loads(run(*common).stdout)["hits"][0]
    for hit in json.loads(run(*common, "--explain").stdout)["hits"]:
        parts = hit["contributions"]
        assert {"kind", "name", "value", "detail"} == set(parts[0])
        assert sum(part["value"] for part in parts) == pytest.approx(hit["why_ranked"]["final"], abs=1e-5)


@pytest.mark.parametrize(
    ("start", "end", "drawn"),
    [
        (0.0, 1.0, "████████"),
        (0.0, 0.5, "████"),
        (0.5, 1.0, "    ████"),
        (0.0, 1 / 16, "▌"),
        (1 / 16, 2 / 16, "▐"),
        (1 / 16, 5 / 16, "▐█▌"),
        (1.0, 0.5, "    ░░░░"),
        (0.5, 0.5, "    │"),
        (1.0, 1.0, "       │"),
    ],
)
def test_a_bar_runs_from_one_sum_to_the_next(start: float, end: float, drawn: str) -> None:
    assert bar(start, end, 1.0, BLOCKS, cells=8) == drawn


def test_bars_never_leave_their_line() -> None:
    values = [-0.5, 0.0, 0.01, 0.3, 0.999, 1.0, 1.7]
    for glyphs in (BLOCKS, ASCII):
        assert all(len(bar(a, b, 1.0, glyphs)) <= BARS for a in values for b in values)


def test_what_was_read_in_the_question_is_said_first(library: Path) -> None:
    question = "What did we hear in the mails about Phoenix before 14 February 2026?"
    first = run("search", question, "--user", "alice", "--home", library, "--explain").stdout.split("\n\n")[0]
    read = " ".join(first.split())
    assert read.startswith("read as: temporal question in en")
    assert "time until 2026-02-13 (before)" in read
    assert "sources email" in read
    shown = json.loads(run("search", question, "--user", "alice", "--home", library, "--explain", "--json").stdout)
    assert shown["question"]["time"] == {"start": None, "end": "2026-02-13", "kind": "before", "event": ""}
    assert shown["question"]["sources"] == ["email"]
    assert shown["path"] is None
    assert "question" not in json.loads(run("search", question, "--user", "alice", "--home", library, "--json").stdout)

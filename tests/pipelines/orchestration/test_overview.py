"""The overview of a snapshot with two storylines: which one a question is about, and its citations."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_retrieval.brain import Brain
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import snapshot

START = datetime(2026, 1, 1, tzinfo=UTC)
SAID = {
    "phoenix": "Priya Raman reviewed Phoenix on day {n}. The budget of Phoenix grew by {n} percent.",
    "garden": "Bob Lee planted tomatoes in Greenfield on day {n}. The beds of Greenfield need water.",
}


@pytest.fixture
def stories(bench: Bench) -> Bench:
    """A home with twelve notes about each of two things, indexed, and their snapshot."""
    for topic, text in SAID.items():
        for n in range(12):
            day = (START + timedelta(days=2 * n)).date().isoformat()
            bench.land(bench.drop("alice", "note", f"{topic}{day}.md", text.format(n=n), day=day))
    bench.run()
    snapshot(bench)
    return bench


def test_an_overview_is_about_the_question_and_cited(stories: Bench) -> None:
    with Brain.open(stories.home.path, user="alice") as brain:
        everything = brain.overview()
        found = brain.overview("how is Phoenix and its budget going?")
        limited = brain.overview(limit=1)
    assert len(everything.themes) >= 2 and len(limited.themes) == 1
    # whoever reviews it is in all its notes
    assert found.themes[0].card.anchor in ("Phoenix", "Budget of Phoenix", "Priya Raman")
    assert all("garden" not in uri for _, uri, _ in found.cited[: len(found.themes[0].citations)])
    assert {theme.card.anchor for theme in everything.themes} > {theme.card.anchor for theme in found.themes}
    texts = stories.texts()
    for theme in found.themes:
        assert theme.citations and f"[{theme.citations[0]}]" in theme.text
        _, uri, (start, end) = found.cited[theme.citations[0] - 1]
        assert texts[uri][start:end].strip()
    shown = CliRunner().invoke(app, ["overview", "Phoenix budget", "--user", "alice"], env={"COLUMNS": "300"})
    assert shown.exit_code == 0 and "Phoenix" in shown.output and "[1] inbox:note/" in shown.output
    answer = json.loads(CliRunner().invoke(app, ["overview", "--user", "alice", "--json"]).output)
    assert {"snapshot", "question", "text", "themes", "citations"} <= set(answer)

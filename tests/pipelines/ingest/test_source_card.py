"""`Brain.source` and `brain source` over a home filled by the pipeline."""

import json

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError

NOTE = "The launch of the booking page moved to 16 March. Daniel decided it after the planning meeting."


def test_source_card_shows_one_source(bench) -> None:
    bench.land(bench.drop("alice", "note", "launch.md", f"# Launch\n\n{NOTE}"))
    bench.run()
    with Brain.open(bench.home.path, user="alice") as brain:
        card = brain.source("inbox:note/launch.md")
        assert brain.source(card.source_id) == card
        with pytest.raises(InvalidQueryError, match="no source"):
            brain.source("inbox:note/other.md")
    assert (card.summary, card.keywords) == ("", []) and card.bucket == "PROJECTS" and card.tags[-1] == "note"
    assert (card.context_type, card.ended_at) == ("note", None)
    assert card.provenance == {"origin": "file", "confidence": 1.0} and "Daniel" in {e["name"] for e in card.entities}
    assert not {"context_type", "provenance"} & card.attributes.keys()
    assert (card.day, card.parent, card.children) == ("2026-01-05", None, [])
    arguments = ["source", card.uri, "--user", "alice", "--home", str(bench.home.path)]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["summary"] == card.summary
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert "bucket: PROJECTS" in shown.stdout
    assert (
        CliRunner().invoke(app, ["source", "nothing", "--user", "alice", "--home", str(bench.home.path)]).exit_code == 2
    )


def test_summaries_and_keywords_are_shown_where_they_are_mostly_right(bench) -> None:
    mail = f"From: Daniel <d@example.org>\nSubject: The booking page\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\n{NOTE}\n"
    bench.land(bench.drop("alice", "email", "launch.eml", mail))
    bench.land(bench.drop("alice", "note", "launch.md", f"# The booking page\n\n{NOTE}"))
    bench.run(source="email")
    bench.run()
    with Brain.open(bench.home.path, user="alice") as brain:
        [read] = [one for one in brain.search("booking page", sources="email") if one.source_ref.source == "email"]
        mailed, noted = brain.source(read.source_ref.source_id), brain.source("inbox:note/launch.md")
        rows = brain.sql("SELECT summary FROM sources WHERE uri = 'inbox:note/launch.md'")
    assert "booking page" in mailed.summary and mailed.keywords
    assert (noted.summary, noted.keywords) == ("", [])
    assert "booking page" in str(rows)

"""`Brain.why`: down to the right bytes, up to what depends on it; only what is one's own; as a person reads it."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.why.node import LineageNode
from brain_retrieval.query.why.original import place_in, state_of
from brain_retrieval.serve.why_cli import register
from tests.pipelines.conftest import Bench


@pytest.fixture(scope="module")
def brain(served_template: Bench) -> Iterator[Brain]:
    """Alice's memory; only read."""
    with Brain.open(served_template.home.path, user="alice") as opened:
        yield opened


def nodes(node: LineageNode) -> Iterator[LineageNode]:
    yield node
    for one in node.below:
        yield from nodes(one)


def one_of(root: LineageNode, kind: str) -> LineageNode:
    return next(one for one in nodes(root) if one.kind == kind)


def test_a_memory_is_walked_down_to_its_bytes_and_up_to_what_it_ended(brain: Brain) -> None:
    (card, *_) = [one for one in brain.knowledge().memories("Bob Lee") if "Lisbon" in one.text]
    found = brain.why(card.memory_id)
    kinds = [one.kind for one in nodes(found.root)]
    assert kinds == ["memory", "sentence", "passage", "text", "original", "arrival"]
    original = one_of(found.root, "original")
    digest = original.id.removeprefix("sha256:")
    data = brain.space.blob(digest).read_bytes()
    first, last = map(int, re.findall(r"bytes (\d+)–(\d+)", original.facts["place in it"])[0])
    assert hashlib.sha256(data).hexdigest() == digest and data[first:last].decode() == card.quote
    assert original.facts["state"] == "kept, and its hash is right"
    made = {one.kind: one.made.stage for one in nodes(found.root) if one.made and one.made.at and one.made.code_version}
    assert made == {"memory": "extractions", "passage": "chunks", "text": "text", "original": "raw"}
    assert found.root.made is not None and found.root.made.models
    assert one_of(found.root, "arrival").id == "inbox:note/lisbon.md"
    ended = next(group for group in found.above if group.name == "statements it ended")
    assert [one.text for one in ended.items] == ["Bob Lee lives in Berlin."] and "rule" in ended.items[0].facts
    back = brain.why(ended.items[0].id)
    assert [one.id for group in back.above if group.name == "ended by" for one in group.items] == [card.memory_id]


def test_all_that_is_listed_can_be_asked_about(brain: Brain) -> None:
    """Whatever an answer names is itself known, and each kind is reached."""
    todo, seen = ["Bob Lee", "inbox:note/lead.md", "memory/../x"], dict[str, str]()
    while todo and len(seen) < 30:
        asked = todo.pop()
        try:
            found = brain.why(asked, limit=3)
        except InvalidQueryError:
            assert asked == "memory/../x"
            continue
        seen[asked] = found.root.kind
        ids = {one.id for one in nodes(found.root) if one.id} | {one.id for up in found.above for one in up.items}
        todo += sorted(ids - seen.keys() - set(todo))
    expected = {"name", "source", "memory", "relation", "passage"}
    assert expected <= set(seen.values()), seen


def test_unknown_ids_and_those_of_others_are_plain_errors(brain: Brain, served_template: Bench) -> None:
    own = brain.why("inbox:note/lisbon.md").root.id
    with pytest.raises(InvalidQueryError, match=f"near it: {own}"):
        brain.why(own[:14] + "f" * 17)
    with pytest.raises(InvalidQueryError, match=r"near it: inbox:note/lisbon\.md"):
        brain.why("inbox:note/lisbn.md")
    with pytest.raises(InvalidQueryError, match="Priya Raman"):
        brain.why("Pria Raman")
    with pytest.raises(InvalidQueryError, match="has 24 characters; 0:999 is not in it"):
        brain.why("inbox:note/lisbon.md [0:999]")
    for asked in ("", "x" * 3000, "\x00", "sha256:" + "0" * 64, "https://example.org/none"):
        with pytest.raises(InvalidQueryError):
            brain.why(asked)
    with pytest.raises(InvalidQueryError, match="depth"):
        brain.why("Bob Lee", depth=21)
    with Brain.open(served_template.home.path, user="bob") as bob:
        theirs = bob.why("inbox:note/plan.md")
        ids = [one.id for one in nodes(theirs.root) if one.id and one.kind != "arrival"]
        ids += [one.id for group in theirs.above for one in group.items]
    assert len(ids) > 5
    for one in ids:
        with pytest.raises(InvalidQueryError, match="nothing here has the id"):
            brain.why(one)


def test_depth_and_limit_leave_out_and_count(brain: Brain) -> None:
    assert brain.why("Bob Lee", depth=0).root.below == () and brain.why("Bob Lee", depth=0).root.more > 0
    found = brain.why("Bob Lee", depth=1, limit=1)
    assert len(found.root.below) == 1 and found.root.more == len(brain.why("Bob Lee", limit=50).root.below) - 1
    assert found.root.below[0].below == () and found.root.below[0].more == 1


def test_the_command_prints_it_in_80_columns_and_as_json(brain: Brain) -> None:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    asked = ["why", "Bob Lee", "--user", "alice", "--home", str(brain.space.home)]
    text = CliRunner().invoke(app, asked, env={"COLUMNS": "80"}).output
    assert "└ original bytes  sha256:" in text and "made by extractions, version" in text
    wide = [line for line in text.splitlines() if len(line) > 80 and "sha256:" not in line and "/blobs/" not in line]
    assert wide == []
    value = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    assert value["kind"] == "name" and value["below"][0]["below"] and value["user"] == "alice"


def test_a_place_in_the_original_counts_characters_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    text = '{"t": "Grüße aus \\"Köln\\" am Tag"}\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    segments = [{"start": 0, "end": 24, "raw_start": 0, "raw_end": len(text)}]
    place = place_in(path, segments, 0, 22, 'Grüße aus "Köln" am Ta')
    assert place is not None and place.exact and place.bytes is not None
    assert path.read_bytes()[slice(*place.bytes)].decode() == 'Grüße aus \\"Köln\\" am Ta'
    vague = place_in(path, segments, 0, 5, "other")
    assert vague is not None and not vague.exact and str(vague).startswith("within characters 0–")
    path.write_bytes("Grüße".encode("latin-1"))
    other = place_in(path, [{**segments[0], "raw_end": 5}], 0, 5, "Grüße")
    assert other is not None and other.bytes is None
    unplaced = [{**segments[0], "raw_start": None}]
    assert place_in(path, unplaced, 0, 5, "Grüße") is None
    path.write_text("<p>Grüße aus Köln.</p><p>Am Tag. Am Tag.</p>")
    once = place_in(path, unplaced, 0, 15, "Grüße aus Köln.")
    assert once is not None and once.exact and once.bytes == (3, 21)
    assert place_in(path, unplaced, 0, 7, "Am Tag.") is None  # it may be either


def test_names_are_traced_before_the_first_snapshot(bench: Bench) -> None:
    bench.land(bench.drop("carol", "note", "a.md", "Mei Tanaka leads Osprey.", day="2026-02-04"), "carol")
    bench.run("carol")
    with Brain.open(bench.home.path, user="carol") as carol:
        found = carol.why("Mei Tanaka")
    assert [one.kind for one in nodes(found.root)][:3] == ["name", "mention", "sentence"]
    assert any("no snapshot yet" in one for one in found.warnings)


def test_what_is_left_of_the_bytes_is_said(tmp_path: Path, bench: Bench) -> None:
    space, digest = bench.space("carol").create(), hashlib.sha256(b"x").hexdigest()
    blob = space.blob(digest)
    blob.parent.mkdir(parents=True)
    assert state_of(space, digest) == "missing"
    blob.with_suffix(".dropped").touch()
    assert state_of(space, digest).startswith("dropped")
    blob.with_suffix(".enc").touch()
    assert state_of(space, digest) == "kept encrypted"
    blob.write_bytes(b"y")
    assert state_of(space, digest).startswith("damaged")

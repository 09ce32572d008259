"""Bad input through the whole pipeline: a reason in quarantine for each, and the rest of its partition goes on."""

import re

import pytest

from brain_pipelines.landing.inbox import to_path
from brain_retrieval.stores.catalog import Catalog
from tests.samples.bad_inputs import AWKWARD_NAMES, BAD_INPUTS

DAY = "2026-01-05"
SOURCES = ("note", "document", "conversation")


@pytest.mark.parametrize("source", SOURCES)
def test_each_bad_file_is_quarantined_and_the_others_go_on(bench, tmp_path, source: str) -> None:
    bad_inputs = [bad for bad in BAD_INPUTS if bad.source == source and not bad.name.startswith("huge")]
    for bad in bad_inputs:
        bench.land(bench.drop("alice", source, f"{DAY} {bad.name}", bad.write(tmp_path).read_bytes(), day=DAY))
    good = '{"speaker": "Ann", "content": "All is well.", "session": "good", "timestamp": "2026-01-05T10:00:00Z"}'
    bench.land(bench.drop("alice", source, f"{DAY} good.jsonl", good, day=DAY))
    bench.run(source=source)
    with Catalog(bench.space()) as catalog:
        rows = catalog.quarantine(source=source, stage="text")
    for bad in bad_inputs:
        mine = [row for row in rows if bad.name in row.uri]
        kinds = {row.kind for row in mine if re.search(bad.reason, row.reason)}
        assert kinds & ({"repaired", "rejected"} if bad.repaired else {"rejected"}), (bad.name, mine)
    assert not any("failed" in row.kind for row in rows)
    texts = bench.texts(source=source)
    assert any("All is well." in text for uri, text in texts.items() if "good.jsonl" in uri)
    assert len(texts) == 1 + sum(bad.repaired for bad in bad_inputs)


def test_unusual_file_names_pass_all_stages(bench) -> None:
    paths = [bench.drop("alice", "note", name, f"Note number {n}.", day=DAY) for n, name in enumerate(AWKWARD_NAMES)]
    named = [path for path in paths if not path.name.startswith(".")]  # hidden files are left alone
    for path in named:
        bench.land(path)
    bench.run(source="note")
    texts = bench.texts()
    assert {to_path(bench.space().inbox, uri) for uri in texts} == set(named)
    assert sorted(texts.values()) == sorted(path.read_text() for path in named)

"""What LanceDB alone promises: stemming, folding, BM25 scores, the declared key, messages about damage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.schemas.tables import PRIMARY_KEY
from brain_retrieval.stores.index.lance import lance_table, purging
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from tests.retrieval.stores.rows import DIM, chunk, chunks, indexed

DAY = "2026-01-05"
TEXTS = ["The teams were running", "Müller's budget in Belém", "zebra crossing", "phoenix 'quoted' review 🙂"]


@pytest.fixture
def index(space: Space) -> LanceIndex:
    return LanceIndex(space, model="test-model", dim=DIM)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> LanceIndex:
    index = LanceIndex(Home(tmp_path_factory.mktemp("home")).space("alice").create(), model="m", dim=DIM)
    index.replace("note", [DAY], indexed([chunk("note", DAY, n, text=TEXTS[n % 4]) for n in range(40)]))
    return index


@pytest.mark.parametrize(
    ("query", "text"),
    [("run", TEXTS[0]), ("muller belem", TEXTS[1]), ("ZEBRAS", TEXTS[2]), ("PHOENIX reviews", TEXTS[3])],
)
def test_text_search_stems_folds_and_ignores_case(filled: LanceIndex, query: str, text: str) -> None:
    hits = filled.search_text(query, limit=5, columns=["id", "text"])
    assert [hit.row["text"] for hit in hits] == [text] * 5
    assert all(hit.score > 0 for hit in hits)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_no_text_at_all_raises(filled: LanceIndex, query: str) -> None:
    assert len(filled.search_text(query, limit=3, columns=["id"])) <= 3


def test_text_scores_are_exact_after_upkeep_whatever_was_written_before(index: LanceIndex) -> None:
    """BM25 with k1 = 1.2, b = 0.75 over this user's rows, as in Lucene; rewritten rows leave no trace."""
    words = [["apple"] * (n % 4) + ["pear"] * (n % 3) + ["fig"] * (n % 7 + 1) for n in range(60)]
    rows = [{**row, "search_text": " ".join(words[n])} for n, row in enumerate(indexed(chunks("note", DAY, 60)))]
    for part in (rows[:50], rows[20:], rows):
        index.replace("note", [DAY], part)
        index.compact()
    holding = [text.count("apple") for text in words if "apple" in text]
    idf = math.log(1 + (60 - len(holding) + 0.5) / (len(holding) + 0.5))
    mean = sum(map(len, words)) / 60
    norms = {row["id"]: 1.2 * (0.25 + 0.75 * len(text) / mean) for row, text in zip(rows, words, strict=True)}
    counts = {row["id"]: text.count("apple") for row, text in zip(rows, words, strict=True)}
    for hit in index.search_text("apples", limit=60, columns=["id"]):
        count, norm = counts.pop(hit.row["id"]), norms[hit.row["id"]]
        assert hit.score == pytest.approx(idf * count * 2.2 / (count + norm), rel=1e-4)
    assert set(counts.values()) == {0}


def test_the_table_declares_its_key(index: LanceIndex) -> None:
    """Without it two runs that write one partition at once leave duplicates."""
    index.replace("note", [DAY], indexed(chunks("note", DAY, 4)))
    key = index._open().schema.field("id")
    assert not key.nullable
    assert key.metadata == PRIMARY_KEY


@pytest.mark.parametrize("folder", ["data", "_versions"])
def test_a_damaged_table_says_what_to_do_and_a_new_one_can_take_its_place(
    index: LanceIndex, space: Space, folder: str
) -> None:
    index.replace("note", [DAY], indexed(chunks("note", DAY, 4)))
    for path in (space.index / f"{index.name}.lance" / folder).iterdir():
        path.write_bytes(b"damaged")
    opened = LanceIndex(space, model="test-model", dim=DIM)
    calls = [
        opened.read,
        lambda: opened.search_vectors(np.ones(DIM), limit=1, columns=["text"]),
        lambda: opened.replace("note", [DAY], indexed(chunks("note", DAY, 2))),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="the next run moves it aside"):
            call()
    (space.index / f"{index.name}.lance").rename(space.root / "aside")
    opened.replace("note", [DAY], indexed(chunks("note", DAY, 2)))
    assert opened.count() == 2


@pytest.mark.parametrize(
    ("language", "query", "found"),
    [
        ("en", "house", ["a house", "the houses"]),
        ("de", "haus", ["ein Haus", "das Hause"]),
        ("xx", "haus", ["ein Haus"]),
    ],
)
def test_words_are_stemmed_as_their_language_does(space: Space, language: str, query: str, found: list[str]) -> None:
    index = LanceIndex(space, model="m", dim=DIM, language=language)
    texts = ["a house", "the houses", "ein Haus", "das Hause"]
    rows = [{**row, "search_text": text} for row, text in zip(indexed(chunks("note", DAY, 4)), texts, strict=True)]
    index.replace("note", [DAY], rows)
    hits = index.search_text(query, limit=9, columns=["search_text"])
    assert {hit.row["search_text"] for hit in hits} == set(found)


def test_a_large_write_is_in_the_text_index_at_once(index: LanceIndex) -> None:
    """Rows beyond the text index are read one by one by every search; a night may be far away."""
    rows = indexed(chunks("note", DAY, lance_table.SMALL_TAIL))
    index.replace("note", [DAY], rows[:-1])
    assert lance_table.text_tail(index._open()) == len(rows) - 1
    index.replace("note", [DAY], rows)
    assert lance_table.text_tail(index._open()) == 0
    assert len(index.search_text(rows[0]["search_text"], limit=5, columns=["id"])) == 5


@pytest.mark.parametrize(
    ("rows", "deletes"), [(slice(None), False), (slice(2, 6), False), (slice(2, 3), True), (slice(0), False)]
)
def test_only_a_write_that_leaves_rows_out_reads_whole_rows_to_delete(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch, rows: slice, deletes: bool
) -> None:
    """Such a merge reads all rows with their vectors, so no other write may be one."""
    stored = indexed(chunks("note", DAY, 8))
    index.replace("note", [DAY], stored[2:6])
    merge, asked = index._open().merge_insert("id").__class__, list[str]()
    real = merge.when_not_matched_by_source_delete
    monkeypatch.setattr(
        merge, "when_not_matched_by_source_delete", lambda self, where: asked.append(where) or real(self, where)
    )
    version = index.version()
    index.replace("note", [DAY], stored[rows])
    assert index.read(columns=["id"])["id"].to_pylist() == sorted(row["id"] for row in stored[rows])
    assert (bool(asked), index.version()) == (deletes, version + 1)


@pytest.mark.parametrize("by_fragments", [True, False])
def test_purge_leaves_no_byte_of_what_was_deleted(index: LanceIndex, monkeypatch, by_fragments: bool) -> None:
    if by_fragments:
        monkeypatch.delattr(purging, "_write_again")  # only where LanceDB's compaction leaves something
    else:
        monkeypatch.setattr(purging, "ROUNDS", 0)
    kept = indexed([chunk("note", DAY, n) for n in range(6)])
    gone = [{**row, "parent_id": "parent_zanzibar", "text": "zanzibar", "search_text": "zanzibar"} for row in kept[:3]]
    index.replace("note", [DAY], [*gone, *kept[3:]])
    index.replace("note", [DAY], [{**row, "parent_id": None} for row in kept])
    index.replace("note", ["2026-01-06"], indexed([chunk("note", "2026-01-06", 0, text="zanzibar")]))
    index.replace("note", ["2026-01-06"], [])
    folder, digest = index.space.index, index.digest()
    assert any(b"zanzibar" in path.read_bytes() for path in folder.rglob("*.lance") if path.is_file())
    index.purge()
    assert len(list(folder.rglob("data/*.lance"))) == 1 and not list(folder.rglob("_deletions/*"))
    assert not [path for path in folder.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]
    assert index.digest() == digest and len(index.search_text("budget", limit=9, columns=["id"])) == 6
    assert not len(index.search_text("zanzibar", limit=9, columns=["id"]))

"""Extractive summaries: exact citations, incremental updates equal to a full run, independence of order."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.citation_check import unsupported
from brain_pipelines.knowledge.memory.summaries import Summaries, build_summaries, cited_sources
from brain_retrieval.stores.memory_tables import MACROS, SUMMARIES
from tests.pipelines.knowledge.memory.history import Said, enrichments, known, lines, summarised, texts

STORY = (
    "Bob starts the component library for the booking page.",
    "Hi Bob, thanks!\n\nBob wants every button of the component library in two sizes.",
    "The weather was fine. Bob found that nobody uses the old colour tokens of the library.",
    "Bob and Priya decided to release the component library on 20 March.",
    "The release of the component library is done, Bob says, and the old tokens are gone.",
    "Bob plans the second version of the library with Priya for June.",
)
HISTORY = [Said(f"s{n}", n * 2.0, summary=text) for n, text in enumerate(STORY)]
LATER = [Said(f"t{n}", 150 + n * 2.0, summary=f"Bob moves to Lisbon, part {n}, and rents a flat.") for n in range(6)]
NO_SPANS = enrichments([])


def no_macros() -> pl.DataFrame:
    return pl.DataFrame(MACROS.empty_table())


def test_summary_quotes_sentences_chronologically() -> None:
    made = summarised(HISTORY, 20)
    assert made.rows.to_arrow().cast(SUMMARIES).schema == SUMMARIES
    (row,) = made.rows.to_dicts()
    assert (row["item"], row["method"]) == ("storyline", "extractive")
    quotes = [texts(HISTORY).filter(pl.col("source_id") == c["source_id"])["text"][0][c["start"] : c["end"]]
              for c in row["citations"]]  # fmt: skip
    assert row["description"] == " ".join(quotes) and 2 <= len(quotes) <= 3
    assert [c["source_id"] for c in row["citations"]] == sorted(c["source_id"] for c in row["citations"])
    assert "Hi Bob" not in row["description"] and "weather" not in row["description"]
    assert unsupported(made.rows, texts(HISTORY)) == []


def test_a_macro_quotes_its_storylines() -> None:
    history = HISTORY + LATER
    made = summarised(history, 170)
    (macro,) = made.rows.filter(pl.col("item") == "macro").to_dicts()
    assert 2 <= len(macro["citations"]) <= 4
    assert {c["source_id"][0] for c in macro["citations"]} == {"s", "t"}
    assert macro["description"].index("library") < macro["description"].index("Lisbon")
    assert made.rows.height == 3 and unsupported(made.rows, texts(history)) == []


def test_only_changed_summaries_are_rewritten_and_equal_a_full_run() -> None:
    history = HISTORY + LATER
    first = summarised(history, 158)
    same = summarised(history, 158, previous=first.rows)
    assert same.carried == 3
    assert_frame_equal(same.rows, first.rows)
    later = summarised([*history, Said("t9", 160, summary="Bob bought a bicycle in Lisbon.")], 170, previous=first.rows)
    assert later.carried == 1  # the first storyline
    fresh = summarised([*history, Said("t9", 160, summary="Bob bought a bicycle in Lisbon.")], 170)
    assert_frame_equal(later.rows, fresh.rows)


def test_summaries_do_not_depend_on_row_order() -> None:
    assert_frame_equal(summarised(HISTORY + LATER, 170).rows, summarised((HISTORY + LATER)[::-1], 170).rows)


def test_edited_or_removed_source_is_not_quoted() -> None:
    first = summarised(HISTORY, 20)
    cited = first.rows["citations"][0][0]["source_id"]
    edited = [Said(s.id, s.at, summary="Bob reads a book about Lisbon.") if s.id == cited else s for s in HISTORY]
    again = summarised(edited, 20, previous=first.rows)
    assert again.carried == 0 and unsupported(again.rows, texts(edited)) == []
    left = [s for s in HISTORY if s.id != cited]
    made = summarised(left, 20, previous=first.rows)
    assert cited not in {c["source_id"] for c in made.rows["citations"][0]}


def test_text_changed_without_a_new_hash_is_not_misquoted() -> None:
    first = summarised(HISTORY, 20)
    found, attached = lines(HISTORY, 20)
    moved = texts(HISTORY).with_columns(text="By the way. " + pl.col("text"))
    again = build_summaries(found, attached, no_macros(), moved, NO_SPANS, first.rows)
    assert again.carried == 0 and unsupported(again.rows, moved) == []


def test_sources_without_text_give_an_empty_summary() -> None:
    made = summarised([Said(f"s{n}", n) for n in range(6)], 20)
    assert made.rows.select("description", "citations").to_dicts() == [{"description": "", "citations": []}]


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Bob won the lottery."},
        {"citations": [{"source_id": "s0", "start": 0, "end": 3, "memory_id": None}]},
        {"citations": [{"source_id": "gone", "start": 0, "end": 3, "memory_id": None}]},
        {"citations": []},
        {"method": "llm", "citations": []},
        {"method": "llm", "description": "Maria sells seven houses by the sea."},
    ],
)
def test_unsupported_summaries_are_detected(change: dict) -> None:
    (row,) = summarised(HISTORY, 20).rows.to_dicts()
    wrong = pl.DataFrame([{**row, **change}], schema=pl.DataFrame(SUMMARIES.empty_table()).schema)
    assert unsupported(wrong, texts(HISTORY)) == [row["item_id"]]


def test_long_storyline_reads_first_and_newest_sources() -> None:
    history = [Said(f"s{n:03}", n, summary=f"Bob writes page {n} of the handbook.") for n in range(60)]
    _, attached = lines(history, 70)
    read = cited_sources(attached, Summaries(pl.DataFrame(SUMMARIES.empty_table())).rows)
    assert len(read) == 25 and "s004" in read and "s005" not in read
    assert summarised(history, 70).rows["citations"][0][0]["source_id"] <= "s004"


def test_aliases_of_the_anchor_are_recognised() -> None:
    history = [Said(f"s{n}", n, summary=f"It rained all day {n}. Robert paints door {n} green.") for n in range(6)]
    found, attached = lines(history, 20)
    robert = known(history).with_columns(aliases=pl.lit(["Robert"], dtype=pl.List(pl.String)))
    empty = pl.DataFrame(SUMMARIES.empty_table())
    made = build_summaries(found, attached, no_macros(), texts(history), NO_SPANS, empty, known_entities=robert)
    assert made.rows["description"][0].count("Robert") == len(made.rows["citations"][0])


def test_incremental_snapshots_equal_the_last_snapshot_alone() -> None:
    history = (
        HISTORY + LATER + [Said(f"u{n}", 300 + n, summary=f"Bob learns Portuguese, lesson {n}.") for n in range(6)]
    )
    rows = None
    for until in range(4, 366, 6):
        made = summarised([s for s in history if s.at <= until], until, previous=rows)
        rows = made.rows
    assert_frame_equal(rows, summarised(history, 365).rows)
    assert rows["item"].to_list().count("storyline") == 3

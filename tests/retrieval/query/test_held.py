"""Search of texts that are held back: by words, within the filter of the search, the best passage of each source."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_retrieval.home import Home
from brain_retrieval.query import held
from brain_retrieval.query.held import search_held
from brain_retrieval.schemas.names import HELD
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.rows import document

TEXTS = {  # source, day and name of a text
    ("mail", "2026-01-05", "storm"): "The harbour was closed. A storm broke the north pier.",
    ("web", "2026-01-06", "fish"): "Herring and mackerel cost less at the harbour.",
    ("web", "2026-01-07", "bread"): "Sourdough rises overnight.",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    space = Home(tmp_path_factory.mktemp("held") / "home").space("alice").create()
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        for (source, day, item), text in TEXTS.items():
            lake.replace(HELD, source, day, [{**document(source, day, item, text), "trust": "pending"}])
        yield lake


def found(lake: Lake, words: str, limit: int = 10, **within: Any) -> list[str]:
    return [hit.title for hit in search_held(lake, words, IndexFilter(**within), limit, [])]


def test_the_rarer_the_words_that_a_text_has_the_better_it_is(lake: Lake) -> None:
    assert found(lake, "storm harbour") == ["storm", "fish"]
    assert found(lake, "storm harbour", limit=1) == ["storm"]
    assert found(lake, "mackerel storm pier gale wave") == ["storm"]  # one word of five is too little
    assert found(lake, "the") == found(lake, "giraffe") == []
    assert found(lake, "bread") == ["bread"]  # by its title


def test_a_hit_says_where_and_how_well(lake: Lake) -> None:
    [hit] = search_held(lake, "herring prices", IndexFilter(), 3, [])
    shown = hit.to_json()
    assert (shown["rank"], shown["trust"], shown["source"], shown["span"]) == (1, "pending", "web", [0, 46])
    assert shown["text"] == TEXTS["web", "2026-01-06", "fish"]
    assert shown["event_at"] == "2026-01-06T12:00:00+00:00"
    assert shown["score"] == round(hit.score, 6) and 0.3 <= hit.score < 1


@pytest.mark.parametrize(
    ("within", "titles"),
    [
        ({}, ["storm", "fish"]),
        ({"sources": ["web"]}, ["fish"]),
        ({"days": ["2026-01-05"]}, ["storm"]),
        ({"day_from": "2026-01-06"}, ["fish"]),
        ({"day_to": "2026-01-05"}, ["storm"]),
        ({"day_from": "2026-01-05", "day_to": "2026-01-06"}, ["storm", "fish"]),
        ({"source_ids": [document("web", "2026-01-06", "fish")["source_id"]]}, ["fish"]),
        ({"as_of": datetime(2026, 1, 5, 12, tzinfo=UTC)}, ["storm"]),  # when it happened counts
        ({"known_at": datetime(2026, 3, 1, tzinfo=UTC)}, ["storm", "fish"]),
        ({"known_at": datetime(2026, 2, 28, tzinfo=UTC)}, []),
        ({"speakers": ["Ana"]}, []),
        ({"titles": ["fish"]}, []),
    ],
)
def test_the_filter_of_the_search_holds(lake: Lake, within: dict[str, Any], titles: list[str]) -> None:
    assert found(lake, "storm harbour", **within) == titles


def test_beyond_the_limit_the_newest_are_read_and_a_warning_says_so(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "MOST_CHARS", 60)
    warnings: list[str] = []
    assert [hit.title for hit in search_held(lake, "storm harbour", IndexFilter(), 10, warnings)] == ["fish"]
    assert len(warnings) == 1 and "not all" in warnings[0]


def test_the_best_passage_of_a_long_text_is_shown(tmp_path: Path) -> None:
    space = Home(tmp_path / "home").space("alice").create()
    text = "\n".join(f"Line {n} is about nothing in particular, at length." for n in range(40)) + "\nA storm at last."
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        lake.replace(HELD, "web", "2026-01-05", [{**document("web", "2026-01-05", "long", text), "trust": "untrusted"}])
        [hit] = search_held(lake, "storm", IndexFilter(), 3, [])
    assert hit.text.endswith("A storm at last.")
    assert hit.text.startswith("Line ")  # whole lines
    assert hit.span[1] == len(text) and hit.span[1] - hit.span[0] <= held.PASSAGE

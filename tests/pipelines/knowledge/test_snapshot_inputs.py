"""Known sources of a snapshot, and extracted entities without retrieval echoes."""

import polars as pl

from brain_pipelines.knowledge.echo_filter import without_echoes
from brain_pipelines.knowledge.known_sources import ENRICHMENT_COLUMNS, TEXT_COLUMNS, known_sources
from tests.pipelines.knowledge.frames import frame


def test_sources_without_enrichment_are_included() -> None:
    texts = frame("text", {"source_id": "b", "source": "note", "text": "x"}, {"source_id": "a", "source": "t--note"})
    more = frame("enrichments", {"source_id": "b", "summary": "S", "bucket": "CREATOR", "keywords": ["k"]})
    found = known_sources(texts.select(TEXT_COLUMNS), more.select(ENRICHMENT_COLUMNS), {"t--note": "t"}).to_dicts()
    assert [(r["source_id"], r["summary"], r["bucket"], r["keywords"], r["team"]) for r in found] == [
        ("a", "", "UNSORTED", [], "t"),
        ("b", "S", "CREATOR", ["k"], None),
    ]
    assert found[0]["digest"] != found[1]["digest"]
    assert known_sources(
        texts.select(TEXT_COLUMNS).reverse(), more.select(ENRICHMENT_COLUMNS), {"t--note": "t"}
    ).equals(known_sources(texts.select(TEXT_COLUMNS), more.select(ENRICHMENT_COLUMNS), {"t--note": "t"}))


def test_no_sources_give_an_empty_table() -> None:
    empty = known_sources(frame("text").select(TEXT_COLUMNS), frame("enrichments").select(ENRICHMENT_COLUMNS), {})
    assert empty.height == 0 and "digest" in empty.columns


def mention(entity: str, start: int, end: int, source: str = "s") -> dict:
    return {"mention_id": f"{source}{start}", "entity_id": entity, "source_id": source, "start": start, "end": end}


def test_mentions_inside_an_echo_are_not_counted() -> None:
    entities = frame(
        "entities",
        {"entity_id": "a", "source_id": "s", "mention_count": 2},
        {"entity_id": "b", "source_id": "s", "mention_count": 1},
        {"entity_id": "user", "source_id": "s", "mention_count": 0},
        {"entity_id": "c", "source_id": "t", "mention_count": 1},
    )
    mentions = frame(
        "mentions", mention("a", 0, 5), mention("a", 50, 55), mention("b", 60, 62), mention("c", 50, 55, "t")
    )
    echoes = frame("echoes", {"echo_id": "e", "source_id": "s", "start": 40, "end": 100})
    kept = without_echoes(entities, mentions, echoes)
    assert dict(kept.select("entity_id", "mention_count").iter_rows()) == {"a": 1, "user": 0, "c": 1}
    assert kept.columns == entities.columns and kept.schema == entities.schema
    assert without_echoes(entities, mentions, frame("echoes")).equals(entities)


def test_overlapping_echoes_count_a_mention_once() -> None:
    entities = frame("entities", {"entity_id": "a", "source_id": "s", "mention_count": 2})
    mentions = frame("mentions", mention("a", 0, 5), mention("a", 50, 55))
    echoes = pl.concat(
        frame("echoes", {"echo_id": str(n), "source_id": "s", "start": 40 + n, "end": 100}) for n in range(3)
    )
    assert without_echoes(entities, mentions, echoes)["mention_count"].to_list() == [1]

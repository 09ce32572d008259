"""`Brain` over real stores and the real embedder: finding, filtering, explaining, awkward questions."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError, InvalidUserError, UnknownUserError
from brain_retrieval.home import Home
from tests.retrieval.library import RECEIVED, TALK, fill, row

HIT_KEYS = {"rank", "score", "text", "source_ref", "why_ranked", "temporal_context"}


def test_search_returns_source_score_breakdown_and_times(brain: Brain) -> None:
    best = brain.search("Who leads Project Phoenix?", k=3)[0].to_json()
    assert set(best) >= HIT_KEYS
    assert "Phoenix" in best["text"]
    assert best["rank"] == 1
    ref = best["source_ref"]
    assert ref["source"] == "note"
    assert ref["span"] == [0, len(best["text"])]
    assert ref["uri"].startswith("inbox:note/phoenix")
    assert set(best["why_ranked"]["arms"]) == {"vector", "lexical"}
    assert best["why_ranked"]["fusion"] == "weighted"
    why = best["why_ranked"]
    share, steps = 0.375, why["boosts"] | why["learned"]
    base = (1 - share) * why["neighbourhood"] + share * why["parent"]
    assert why["final"] == pytest.approx(base + sum(steps.values()), abs=1e-5)
    assert 0.5 < best["score"] < 1  # a probability
    assert best["temporal_context"]["received_at"] == RECEIVED.isoformat()
    json.dumps(best)


def test_vector_search_finds_passages_without_shared_words(brain: Brain) -> None:
    found = brain.search("how much did fixing the pipes cost", k=3)
    assert any("plumber" in hit.text or "euros" in hit.text for hit in found)


@pytest.mark.parametrize("senseless", ["blorf zint quax", "qwfpg zxcvb", "aaaaaaa", "hjkl"])
def test_words_that_do_not_exist_find_nothing(brain: Brain, senseless: str) -> None:
    found = brain.search(senseless)
    assert not found
    assert found.nearest is not None


def test_an_exact_code_is_found_by_its_letters(brain: Brain) -> None:
    best = brain.search("E-4711", k=1)[0]
    assert "E-4711" in best.text
    assert best.why_ranked.arms["lexical"].rank == 1


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_both_fusions_answer_and_say_so(brain: Brain, fusion: str) -> None:
    found = brain.search("sourdough bread", fusion=fusion)
    assert "starter" in found[0].text
    assert {hit.why_ranked.fusion for hit in found} == {fusion}
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_retriever_of_weight_zero_is_not_run(brain: Brain) -> None:
    found = brain.search("sourdough bread", weights={"lexical": 1.0})
    assert all(set(hit.why_ranked.arms) == {"lexical"} for hit in found)
    assert found.timings.embed_ms == 0.0


def test_min_similarity_filters_vector_hits_only(brain: Brain) -> None:
    gated = brain.search("sourdough", k=100, min_similarity=0.99)
    assert [hit.source_ref.title for hit in gated] == ["bread"]
    assert gated[0].why_ranked.arms["lexical"].rank == 1
    assert gated[0].why_ranked.arms["vector"].rank is None
    assert len(brain.search("sourdough", k=100)) > 1
    with pytest.raises(InvalidQueryError):
        brain.search("sourdough", min_similarity=2)


def test_a_turn_comes_with_the_turns_around_it(brain: Brain) -> None:
    best = brain.search("was the plumber expensive", k=1)[0]
    place = next(n for n, (speaker, words) in enumerate(TALK) if best.text == f"{speaker}: {words}")
    beside = {place + n.offset: n.text for n in best.neighbours}
    expected = {n: ": ".join(TALK[n]) for n in (place - 1, place + 1) if 0 <= n < len(TALK)}
    assert beside == expected
    assert best.neighbours[0].source_ref.source_id == best.source_ref.source_id
    assert brain.search("was the plumber expensive", k=1, expand=False)[0].neighbours == ()


def test_notes_have_no_neighbouring_turns(brain: Brain) -> None:
    assert all(hit.neighbours == () for hit in brain.search("Phoenix", sources=["note"]))


@pytest.mark.parametrize(
    ("as_of", "found"),
    [
        ("2026-02-13", False),
        (date(2026, 2, 14), True),
        ("2026-02-14T12:00:00Z", True),
        (datetime(2026, 2, 14, 12, tzinfo=UTC), True),
        (datetime(2026, 2, 14, 12, tzinfo=UTC) - timedelta(microseconds=1), False),
        ("2026-02-14T11:59:59", False),
        ("2999-12-31", True),
    ],
)
def test_as_of_is_inclusive_and_exact(brain: Brain, as_of: str, found: bool) -> None:
    hits = brain.search("Project Phoenix is now led by Omar", as_of=as_of, k=100)
    assert any("Omar" in hit.text for hit in hits) is found


@pytest.mark.parametrize(
    ("known_at", "found"),
    [(RECEIVED, True), (RECEIVED - timedelta(microseconds=1), False), ("2026-03-01", True), ("2026-02-28", False)],
)
def test_known_at_filters_by_time_of_receipt(brain: Brain, known_at: str, found: bool) -> None:
    hits = brain.search("Phoenix", known_at=known_at, as_of="2026-12-31")
    assert bool(hits) is found
    if hits:
        assert hits[0].to_json()["temporal_context"]["known_at"] is not None


def test_filters_apply_before_the_best_are_taken(tmp_path: Path) -> None:
    """One old note among 300 newer ones that match better must be found: filtering afterwards would lose it."""
    loud = [row("note", f"n{i}.md", "2026-02-01", f"Phoenix Phoenix Phoenix status {i}") for i in range(300)]
    fill(tmp_path, "alice", [*loud, row("note", "old.md", "2026-01-01", "A remark about Phoenix among other things.")])
    with Brain.open(tmp_path, user="alice") as brain:
        found = brain.search("Phoenix status", k=1, as_of="2026-01-15")
    assert [hit.source_ref.uri for hit in found] == ["inbox:note/old.md"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sources": ["note"]}, {"note"}),
        ({"sources": "conversation"}, {"conversation"}),
        ({"people": ["ben"]}, {"conversation"}),
        ({"days": "2026-02-20"}, {"note"}),
        ({"day_from": date(2026, 1, 5), "day_to": "2026-01-05"}, {"conversation"}),
        ({"sources": []}, set()),
        ({"sources": ["no such source"]}, set()),
    ],
)
def test_filters(brain: Brain, options: dict, expected: set[str]) -> None:
    assert {hit.source_ref.source for hit in brain.search("the", k=100, **options)} == expected


def test_one_source_can_be_asked(brain: Brain) -> None:
    wanted = brain.search("sourdough")[0].source_ref.source_id
    assert {hit.source_ref.source_id for hit in brain.search("Phoenix", source_ids=[wanted])} == {wanted}


@pytest.mark.parametrize(
    "query",
    [
        "' OR 1=1 --",
        '"; DROP TABLE chunks; --',
        "Phoenix AND NOT Nina",
        "+Phoenix -Nina",
        'text:"Phoenix" OR (',
        "Phoenix~2^4 [a TO b] {x} NEAR/3 *",
        "SELECT * FROM users WHERE password = ''",
        "Phoenix\x00\x1f null",
        "𝔓𝔥𝔬𝔢𝔫𝔦𝔵 ‮ right to left",
        "凤凰项目 谁负责",
        "lone \ud83d surrogate",
        "%s %d {0} \\' \\\\",
    ],
)
def test_operators_and_odd_characters_are_plain_text(brain: Brain, query: str) -> None:
    found = brain.search(query, k=50)
    assert found.warnings == []
    assert all("hunter2" not in hit.text for hit in found)


@pytest.mark.parametrize("query", ["?!...", "🎉🎊", "—", "()[]{}\"'"])
def test_query_of_punctuation_returns_nothing_with_a_warning(brain: Brain, query: str) -> None:
    found = brain.search(query)
    assert found == []
    assert "no letter or digit" in found.warnings[0]


def test_a_hundred_kilobytes_are_cut_with_a_warning(brain: Brain) -> None:
    found = brain.search("Phoenix leader " * 7000, k=3)
    assert "Phoenix" in found[0].text
    assert "cut to its first" in found.warnings[0]


@pytest.mark.parametrize("query", ["", " \n\t "])
def test_an_empty_query_is_an_error(brain: Brain, query: str) -> None:
    with pytest.raises(InvalidQueryError, match="empty"):
        brain.search(query)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 1001}, {"fusion": "best"}, {"as_of": "soon"}, {"days": ["x"]}])
def test_meaningless_options_are_errors(brain: Brain, options: dict) -> None:
    with pytest.raises(InvalidQueryError):
        brain.search("Phoenix", **options)


def test_a_thousand_hits_may_be_asked(brain: Brain) -> None:
    assert len(brain.search("Phoenix bread tax kitchen router", k=1000)) == len(brain.search("Phoenix bread", k=999))


@pytest.mark.parametrize("user", ["../bob", "Alice", "", "a|b", "a" * 41, "alice/../bob", None])
def test_a_malformed_user_is_refused(library: Path, user: str) -> None:
    with pytest.raises(InvalidUserError):
        Brain.open(library, user=user)


def test_an_unknown_user_is_refused_and_not_created(tmp_path: Path) -> None:
    with pytest.raises(UnknownUserError, match="brain users"):
        Brain.open(tmp_path, user="nobody")
    assert list(tmp_path.iterdir()) == []


def test_user_without_an_index_gets_an_empty_result_and_a_warning(tmp_path: Path) -> None:
    Home(tmp_path).space("alice").create()
    with Brain.open(tmp_path, user="alice") as brain:
        found = brain.search("anything")
        pack = brain.context("anything")
    assert found == []
    assert "nothing is indexed" in found.warnings[0]
    assert (pack.text, pack.total_tokens) == ("", 0)
    assert "nothing is indexed" in pack.warnings[0]


def test_concurrent_searches_equal_sequential_ones(brain: Brain) -> None:
    queries = ["Who leads Phoenix?", "sourdough", "plumber leak", "router error code", "tax receipts"] * 4
    alone = [[hit.source_ref.chunk_id for hit in brain.search(query)] for query in queries]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda q: [hit.source_ref.chunk_id for hit in brain.search(q)], queries))
    assert together == alone


def test_the_same_question_has_the_same_answer(brain: Brain) -> None:
    first, second = (brain.search("Phoenix launch", k=20) for _ in range(2))
    assert [hit.to_json() for hit in first] == [hit.to_json() for hit in second]


def test_context_cites_what_search_finds(brain: Brain) -> None:
    pack = brain.context("Who leads Project Phoenix?", max_tokens=300)
    assert 0 < pack.total_tokens <= 300
    assert "Nina" in pack.text
    assert f"[1:{pack.nonce}] " in pack.text
    assert f"> {pack.items[0].hit.text}" in pack.text
    assert pack.timings.embed_ms > 0
    json.dumps(pack.to_json())


def test_context_takes_the_options_of_search(brain: Brain) -> None:
    pack = brain.context("Phoenix", as_of="2026-01-31", sources=["note"])
    assert "Nina" in pack.text
    assert "Omar" not in pack.text
    assert pack.max_tokens == 8000

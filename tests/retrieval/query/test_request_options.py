"""How the options of a search are completed from the settings, and which rows each filter lets through."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.request import MAX_K, Options, build_options, build_scope, check_k, check_switches
from brain_retrieval.settings import RetrievalSettings
from brain_retrieval.stores.index.filters import IndexFilter

SETTINGS = RetrievalSettings(k=7, vector_weight=0.7, lexical_weight=0.2, late_interaction_weight=0.3)


def options(**given: Any) -> Options:
    return build_options(SETTINGS, **given)


def test_what_is_not_given_comes_from_the_settings() -> None:
    weights = {"vector": 0.7, "lexical": 0.2, "late_interaction": 0.3}
    assert options() == Options(7, "weighted", weights, expand=True, min_similarity=None, settings=SETTINGS)
    rrf = build_options(SETTINGS.model_copy(update={"fusion": "rrf"}))
    assert rrf.method == "rrf"


def test_given_options_win_and_retrievers_without_weight_are_not_run() -> None:
    found = options(k=1, fusion="rrf", weights={"lexical": 2.0}, expand=False, min_similarity=0.25)
    weights = {"vector": 0.0, "lexical": 2.0, "late_interaction": 0.0}
    assert found == Options(1, "rrf", weights, expand=False, min_similarity=0.25, settings=SETTINGS)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"fusion": ""}, {"weights": {}}, {"weights": {"graph": 1.0}}])
def test_an_empty_option_is_not_a_missing_one(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidQueryError):
        options(**wrong)


@pytest.mark.parametrize("cosine", [-1, -0.5, 0, 0.0, 1])
def test_any_cosine_may_be_the_least(cosine: float) -> None:
    assert options(min_similarity=cosine).min_similarity == cosine


@pytest.mark.parametrize("cosine", [-1.01, 1.01, float("nan"), float("inf")])
def test_min_similarity_outside_the_cosine_range_is_rejected(cosine: float) -> None:
    with pytest.raises(InvalidQueryError, match="min_similarity is a cosine, -1 to 1"):
        options(min_similarity=cosine)


def test_one_to_a_thousand_hits_may_be_asked() -> None:
    assert [check_k(k) for k in (1, 1000)] == [1, 1000]
    assert MAX_K == 1000
    with pytest.raises(InvalidQueryError, match="from 1 to 1000, not 1001"):
        check_k(1001)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"sources": "note"}, {"sources": ["note"]}),
        ({"sources": ["note", "email"]}, {"sources": ["email", "note"]}),
        ({"sources": (name for name in ("note",))}, {"sources": ["note"]}),
        ({"sources": []}, {"sources": []}),
        ({"source_ids": "s1"}, {"source_ids": ["s1"]}),
        ({"people": "ana de SOUZA"},
         {"speakers": ["ana de SOUZA", "ana de souza", "ANA DE SOUZA", "Ana De Souza"]}),
        ({"people": []}, {"speakers": []}),
        ({"days": []}, {"days": []}),
        ({"days": date(2026, 1, 5)}, {"days": ["2026-01-05"]}),
        ({"days": datetime(2026, 1, 5, 23, tzinfo=UTC)}, {"days": ["2026-01-05"]}),
        ({"day_from": "2026-01-05"}, {"day_from": "2026-01-05"}),
        ({"day_to": date(2026, 1, 7)}, {"day_to": "2026-01-07"}),
        ({"day_from": date(2026, 1, 5), "day_to": "2026-01-07"}, {"day_from": "2026-01-05", "day_to": "2026-01-07"}),
    ],
)  # fmt: skip
def test_each_filter_narrows_its_own_column(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert build_scope(zone=UTC, **given).within == IndexFilter(**expected)


def test_the_two_clocks_limit_two_columns_and_are_kept_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    scope = build_scope(zone=east, as_of="2026-01-05T10:00", known_at=datetime(2026, 1, 6, 10, tzinfo=UTC))
    assert scope.clocks.as_of == datetime(2026, 1, 5, 8, tzinfo=UTC)
    assert scope.clocks.known_at == datetime(2026, 1, 6, 10, tzinfo=UTC)
    assert scope.within == IndexFilter(as_of=scope.clocks.as_of, known_at=scope.clocks.known_at)
    assert build_scope(zone=UTC).clocks == type(scope.clocks)(None, None)


@pytest.mark.parametrize("clock", ["as_of", "known_at"])
def test_a_wrong_clock_is_named(clock: str) -> None:
    with pytest.raises(InvalidQueryError, match=rf"^{clock}: not an ISO 8601 date or time, such as 2026-01-31: 'soon'"):
        build_scope(zone=UTC, **{clock: "soon"})


def test_spaces_around_a_time_do_not_count() -> None:
    assert build_scope(zone=UTC, as_of=" 2026-01-05T10:00Z ").clocks.as_of == datetime(2026, 1, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize("given", [{"sources": [1]}, {"people": [None]}, {"source_ids": ["a", b"b"]}])
def test_a_filter_of_names_takes_texts(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidQueryError, match="a filter takes texts"):
        build_scope(zone=UTC, **given)


@pytest.mark.parametrize("wrong", ["no", 1, None])
def test_a_switch_is_true_or_false(wrong: object) -> None:
    with pytest.raises(InvalidQueryError, match="include_notes is True or False"):
        check_switches(expand=True, include_notes=wrong)
    if wrong is not None:
        with pytest.raises(InvalidQueryError, match="expand is True or False"):
            options(expand=wrong)

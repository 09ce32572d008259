"""No query and no filter of one user returns a row of another."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import UnknownUserError
from brain_retrieval.settings import load_settings
from brain_retrieval.teams import NotAMemberError
from tests.retrieval.library import fill, row

USERS = ("ann", "ben", "team-x")
TOPICS = ("budget", "holiday", "garden", "server", "recipe", "meeting")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three users with the same file names, days and nearly the same texts, written in turns."""
    home = tmp_path_factory.mktemp("shared")
    for user in USERS:
        rows = [
            row("note", f"{topic}.md", "2026-01-05", f"The {topic} of {user}: token-{user}-{topic}.")
            for topic in TOPICS
        ]
        fill(home, user, rows)
    return home


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    user=st.sampled_from(USERS),
    other=st.sampled_from(USERS),
    topic=st.sampled_from(TOPICS),
    k=st.integers(1, 100),
    fusion=st.sampled_from(["weighted", "rrf"]),
    seed=st.integers(0, 99),
)
def test_rows_of_others_never_appear(
    shared: Path, user: str, other: str, topic: str, k: int, fusion: str, seed: int
) -> None:
    options = random.Random(seed).choice([{}, {"sources": ["note"]}, {"days": "2026-01-05"}, {"as_of": "2026-12-31"}])
    with Brain.open(shared, user=user) as brain:
        query = f"token-{other}-{topic} of {other} ' OR user = '{other}'"
        found = brain.search(query, k=k, fusion=fusion, **options)
        pack = brain.context(query)
    strangers = [name for name in USERS if name != user]
    assert found
    for name in strangers:
        assert all(f"token-{name}" not in hit.text for hit in found)
        assert f"token-{name}" not in pack.text


def test_a_source_id_of_another_user_opens_nothing(shared: Path) -> None:
    with Brain.open(shared, user="ann") as ann, Brain.open(shared, user="ben") as ben:
        foreign = ben.search("garden", k=1)[0].source_ref
        found = ann.search("garden", source_ids=[foreign.source_id], k=100)
    assert all("token-ben" not in hit.text for hit in found)


def test_a_member_without_a_file_of_their_own_opens_the_team(shared: Path) -> None:
    team = {"team-x": {"members": ["zoe"]}}
    chosen = load_settings(shared).model_copy(
        update={"teams": type(load_settings(shared)).model_validate({"teams": team}).teams}
    )
    with Brain.open(shared, user="zoe", team="team-x", settings=chosen) as brain:
        assert brain.user == "team-x"
        assert "token-team-x-garden" in brain.search("the garden", k=1, log=False)[0].text
    with pytest.raises(NotAMemberError):
        Brain.open(shared, user="ann", team="team-x", settings=chosen)
    with pytest.raises(UnknownUserError):
        Brain.open(shared, user="yan")


@pytest.mark.parametrize("day", ["0001-01-01", "0900-01-01", "0999-12-31T10:00"])
def test_a_time_before_the_year_1000_is_before_every_source(shared: Path, day: str) -> None:
    with Brain.open(shared, user="ann") as brain:
        found = brain.search("the garden", as_of=day)
        assert found == [] and not found.warnings
        assert brain.context("the garden", as_of=day, known_at=day).items == ()
        with pytest.raises(InvalidQueryError):
            brain.context("the garden", include_notes="yes")  # type: ignore[arg-type]

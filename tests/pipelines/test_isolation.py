"""User isolation: no path, filter or query returns another user's rows, in any interleaving of the users' work."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidUserError, UnknownUserError

USERS = ("alice", "bob", "al")  # one id is a prefix of another
ACTIONS = st.lists(
    st.tuples(st.sampled_from(USERS), st.integers(0, 3), st.sampled_from(["2026-01-05", "2026-01-06"])),
    min_size=3,
    max_size=8,
)
_homes = itertools.count()


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=ACTIONS)
def test_interleaved_users_see_only_their_own_rows(bench, actions) -> None:
    run = next(_homes)
    users = {name: f"{name}-{run}" for name in USERS}  # fresh users in one shared home
    for name, number, day in actions:
        user = users[name]
        text = f"The launch code of {user} is secret{number} on {day}."
        bench.land(bench.drop(user, "note", f"n{number}.md", text, day=day), user)
        bench.run(user)
    for user in {users[name] for name, _, _ in actions}:
        assert all(user in text for text in bench.texts(user).values())
        with Brain.open(bench.home.path, user=user) as brain:
            hits = brain.search("launch code secret", k=50)
            assert hits and all(f"launch code of {user} is" in hit.text for hit in hits)


def test_user_id_cannot_escape_directory(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    bench.run()
    for user in ("../alice", "alice/../bob", "", "Alice", "a" * 41, "alice|bob", "*", "alice\n"):
        with pytest.raises(InvalidUserError):
            Brain.open(bench.home.path, user=user)


def test_unknown_user_raises_and_creates_no_files(bench) -> None:
    with pytest.raises(UnknownUserError):
        Brain.open(bench.home.path, user="nobody")
    assert not bench.home.space("nobody").root.exists()


def test_filter_cannot_reach_other_users(bench) -> None:
    for user in ("alice", "bob"):
        bench.land(bench.drop(user, "note", "a.md", f"{user} keeps a secret"), user)
        bench.run(user)
    with Brain.open(bench.home.path, user="bob") as brain:
        source_id = brain.search("secret", k=1)[0].to_json()["source_ref"]["source_id"]
    with Brain.open(bench.home.path, user="alice") as brain:
        assert brain.search("secret", source_ids=[source_id]) == []
        assert brain.search("secret", sources=["note' or '1'='1"]) == []

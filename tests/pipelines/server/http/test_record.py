"""`POST /api/record`: off by default, durable and once each, one user's alone."""

from collections.abc import Iterator

import pytest

from brain_pipelines.connectors.agent_recorder import SPOOL
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.server.keys import Keys
from brain_retrieval.home import Home
from tests.pipelines.server.http.conftest import Served, serving, settings_of

SAID = {"session_id": "s", "role": "user", "content": "The archive moved to room 12.", "timestamp": "2026-01-05T10:00Z"}
END = {"session_id": "s", "type": "session_end", "timestamp": "2026-01-05T10:01Z"}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("recording") / "home"
    home.mkdir()
    yield from serving(Home(home), record=True, process_uploads=False)


def spooled(served: Served, user: str) -> int:
    files = (served.home.space(user).root / SPOOL).glob("*.jsonl")
    return sum(path.read_text().count("\n") for path in files)


def test_recording_is_off_unless_configured(served: Served) -> None:
    answer = served.as_user("alice", "POST", "/api/record", json={"lines": [SAID]})
    assert answer.status_code == 404 and "record = true" in answer.json()["detail"]
    assert spooled(served, "alice") == 0


def test_lines_are_recorded_once_and_an_ended_session_lands(recording: Served) -> None:
    first = recording.as_user("alice", "POST", "/api/record", json={"lines": [SAID], "agent": "coder"})
    assert first.json() == {"recorded": 1, "repeated": 0, "delivered": [], "queued": False}
    again = recording.as_user("alice", "POST", "/api/record", json={"lines": [SAID, END], "agent": "coder"}).json()
    assert (again["recorded"], again["repeated"]) == (1, 1)
    assert spooled(recording, "alice") == 2
    with open_landing(recording.home.space("alice"), settings_of(recording.home)) as landing:
        assert [item.file for item in landing.all_items()] == again["delivered"]
    assert spooled(recording, "bob") == 0


def test_a_key_makes_lines_without_an_id_repeatable(recording: Served) -> None:
    body = {"lines": [{"role": "user", "content": "Again."}, {"role": "user", "content": "Again."}], "session": "k"}
    answers = [
        recording.as_user("bob", "POST", "/api/record", json=body, headers={"Idempotency-Key": "a"}) for _ in range(2)
    ]
    assert [(one.json()["recorded"], one.json()["repeated"]) for one in answers] == [(2, 0), (0, 2)]
    assert spooled(recording, "bob") == 2


def test_bad_lines_record_nothing(recording: Served) -> None:
    before = spooled(recording, "bob")
    for lines in ([], [{"role": "user", "content": "no session"}], [SAID, {"content": "no session"}], ["text"]):
        assert recording.as_user("bob", "POST", "/api/record", json={"lines": lines}).status_code == 422
    reader = Keys(recording.home).create("bob", ("read",))[0]
    headers = {"Authorization": f"Bearer {reader}"}
    assert recording.client.post("/api/record", json={"lines": [SAID]}, headers=headers).status_code == 403
    assert recording.client.post("/api/record", json={"lines": [SAID]}).status_code == 401
    assert spooled(recording, "bob") == before

"""Messages of one user that wait for their turn are stored by one write; each sender gets the answer of its own."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from brain_pipelines.ingest import one_file
from brain_pipelines.server import work
from tests.pipelines.server.http.conftest import Served


def waiting(served: Served) -> int:
    app: Any = served.client.app
    return sum(map(len, app.server.work._waiting.values()))


def sent_while_one_writes(served: Served, user: str, bodies: list[dict[str, Any]]) -> list[httpx.Response]:
    """Send messages beside each other while the user's turn is taken; return their answers."""
    app: Any = served.client.app
    assert served.client.portal is not None
    released = threading.Event()
    served.auth(user)
    with ThreadPoolExecutor(len(bodies) + 1) as threads:
        writing: Future[Any] = served.client.portal.start_task_soon(app.server.work.write, user, released.wait)
        while not app.server.work._locks.get(user) or not app.server.work._locks[user].locked():
            time.sleep(0.01)
        answers = [threads.submit(served.as_user, user, "POST", "/api/messages", json=body) for body in bodies]
        try:
            while waiting(served) < len(bodies):
                time.sleep(0.01)
        finally:
            released.set()
        writing.result()
        return [one.result() for one in answers]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each write took."""
    seen: list[int] = []
    real = one_file.take_files

    def noted(space, settings, source, files, **more):
        seen.append(len(files))
        return real(space, settings, source, files, **more)

    monkeypatch.setattr(one_file, "take_files", noted)
    return seen


def test_each_of_many_messages_gets_its_own_answer(served: Served, written: list[int]) -> None:
    bodies = [{"content": f"Crate {n} is violet."} for n in range(5)]
    bodies.insert(2, {"content": "  "})
    answers = sent_while_one_writes(served, "alice", bodies)
    assert [one.status_code for one in answers] == [200, 200, 422, 200, 200, 200] and written == [5]
    good = [one.json() for one in answers if one.status_code == 200]
    assert all(one["searchable"] for one in good) and len({one["source_id"] for one in good}) == 5
    for n, one in enumerate(good):
        assert f"Crate {n} is" in served.as_user("alice", "GET", f"/api/sources/{one['source_id']}").text
    assert "Crate" not in served.as_user("bob", "POST", "/api/search", json={"query": "crate"}).text


def test_more_than_one_write_takes_wait_for_the_next(
    served: Served, written: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST_TOGETHER", 2)
    answers = sent_while_one_writes(served, "dora", [{"content": f"Box {n} is green."} for n in range(5)])
    assert written == [2, 2, 1] and len({one.json()["source_id"] for one in answers}) == 5


def test_error_of_a_write_reaches_all_that_waited_and_the_next_one_goes_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("the secret word is 7731")

    with monkeypatch.context() as patched:
        patched.setattr(one_file, "take_files", broken)
        answers = sent_while_one_writes(served, "carol", [{"content": "One."}, {"content": "Two."}])
    assert [one.status_code for one in answers] == [500, 500] and "7731" not in answers[0].text
    assert waiting(served) == 0
    assert served.as_user("carol", "POST", "/api/messages", json={"content": "Three."}).json()["searchable"]

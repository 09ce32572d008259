"""Claims looked up online over HTTP and by agents: what is needed, what is counted, who may, and when it ends early."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from brain_pipelines.server import online
from brain_pipelines.server.keys import Keys
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.online import Asked, BusyError, look_online
from tests.pipelines.ingest.evidence.web import USER, Web, html, small_web
from tests.pipelines.server.conftest import call, text_of
from tests.pipelines.server.http.conftest import Served, serving
from tests.pipelines.server.page.conftest import csrf_of, sign_in, tags_of

CLAIM = "The Solberg bridge was opened in 1961."
PATH = "/api/evidence/online"
SLOW = "max_seconds = 3000\npage_seconds = 300\n"  # a loaded machine takes long


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with small_web(tmp_path_factory.mktemp("looked") / "home") as running:
        running.put("roads.county.example/solberg", html(f"{CLAIM} It is 412 metres long.", title="Solberg bridge"))
        yield running


@pytest.fixture(scope="module")
def served(web: Web) -> Iterator[Served]:
    yield from serving(web.home)


def test_a_claim_is_looked_up_within_limits_that_can_only_be_lowered(web: Web, served: Served) -> None:
    web.configure(trusted=("county.example",), online=f"max_rounds = 2\nmax_queries = 3\n{SLOW}")
    limits = {"max_rounds": 50, "max_addresses": 1, "max_seconds": 2500, "max_bytes": 10**9}
    answer = served.as_user(USER, "POST", PATH, json={"claim": CLAIM, **limits})
    report = answer.json()
    assert (answer.status_code, report["verdict"]) == (200, "supported"), report
    known = {"max_rounds": 2, "max_queries": 3, "max_addresses": 1, "max_seconds": 2500.0, "max_bytes": 24 << 20}
    assert report["online"]["limits"].items() >= known.items()
    assert report["online"]["addresses"]["attempted"] == 1 and report["online"]["bytes"] > 0
    asked = len(web.site.requests)
    again = served.as_user(USER, "POST", PATH, json={"claim": CLAIM}).json()
    assert (again["online"]["source"], again["digest"]) == ("memory", report["digest"])
    assert len(web.site.requests) == asked
    found = served.as_user(USER, "POST", "/api/evidence", json={"claim": CLAIM}).json()
    assert found["verdict"] == "supported"  # the server knows what was stored


def test_it_needs_a_key_that_may_write_and_a_provider(web: Web, served: Served) -> None:
    web.configure()
    asked = len(web.site.requests)
    reader = {"Authorization": f"Bearer {Keys(web.home).create(USER, ('read',))[0]}"}
    assert served.client.post(PATH, json={"claim": CLAIM}, headers=reader).status_code == 403
    assert served.client.post(PATH, json={"claim": CLAIM}).status_code == 401
    assert served.as_user(USER, "POST", PATH, json={"claim": CLAIM, "max_rounds": 0}).status_code == 422
    assert served.as_user(USER, "POST", PATH, json={"claim": CLAIM, "as_of": "soon"}).status_code == 400
    (web.home.path / "brain.toml").write_text("")
    refused = served.as_user(USER, "POST", PATH, json={"claim": CLAIM})
    assert refused.status_code == 501 and "no search provider" in refused.json()["detail"]
    memory = UserMemory(web.home, USER)
    (unset,) = call(memory, ("check_claim_online", {"claim": CLAIM}))
    assert unset.is_error and "no search provider" in text_of(unset)
    memory.close()
    assert len(web.site.requests) == asked


def test_an_agent_looks_a_claim_up(web: Web) -> None:
    web.configure(trusted=("county.example",), online=SLOW)
    memory = UserMemory(web.home, USER)
    (found,) = call(
        memory, ("check_claim_online", {"claim": "The Solberg bridge is 400 metres long.", "max_seconds": 600})
    )
    text = text_of(found)
    assert not found.is_error and "Contradicted" in text and "412 metres" in text, text
    assert found.structured_content["summary"].startswith("contradicted")
    memory.close()


def test_the_page_looks_online_only_when_asked(web: Web, served: Served) -> None:
    web.configure(trusted=("county.example",), online=SLOW)
    web.site.requests.clear()
    asked = {"claim": "The Solberg bridge has a toll."}
    key = Keys(web.home).create(USER, ("read", "write"))[0]
    visitor: Any = served.client
    assert sign_in(visitor, key).status_code == 200
    before = served.client.get("/page/check", params=asked).text
    assert 'action="/page/check/online"' in before and "Look online" in before and web.site.requests == []
    assert "Look online" not in served.client.get("/page/check", params={**asked, "known_at": "2026-01-01"}).text
    assert served.client.post("/page/check/online", data=asked).status_code == 403
    assert web.site.requests == []
    after = served.client.post("/page/check/online", data={**asked, "csrf": csrf_of(before)})
    assert after.status_code == 200 and "Looked up online" in after.text and "Stopped:" in after.text
    assert "roads.county.example" in after.text and web.queries[-1].startswith("The Solberg bridge")
    tags_of(after.text)
    served.client.cookies.clear()
    assert sign_in(visitor, Keys(web.home).create(USER, ("read",))[0]).status_code == 200
    assert "Look online" not in served.client.get("/page/check", params=asked).text
    served.client.cookies.clear()


def test_one_check_of_a_user_runs_and_ends_when_who_asked_has_gone(web: Web) -> None:
    web.configure()
    gone = threading.Event()
    gone.set()
    web.site.requests.clear()
    report = look_online(web.home, USER, Asked("Wim Loos has built the Solberg bridge.", again=True), gone)
    assert report.online.stop == "who asked has gone" and web.site.requests == []
    with online._turn(web.home, USER), pytest.raises(BusyError, match="another claim"):
        look_online(web.home, USER, Asked(CLAIM))
    with online._turn(web.home, "x"), online._turn(web.home, "y"), pytest.raises(BusyError, match="2 claims"):
        look_online(web.home, USER, Asked(CLAIM))
    assert online._running == set()

"""Trust over HTTP: a person's key decides, an agent's does not; the record names the key."""

from brain_pipelines.server.keys import Keys
from tests.pipelines.server.http.conftest import Served


def test_only_a_key_of_a_person_decides_and_the_next_answer_shows_it(served: Served) -> None:
    sent = served.as_user("ivo", "POST", "/api/messages", json={"content": "The heron nests by the old weir."}).json()
    body = {"subject": sent["uri"], "state": "untrusted", "reason": "hearsay"}
    token, agent = Keys(served.home).create("ivo", ("read", "write", "forget"), "agent")
    as_agent = {"Authorization": f"Bearer {token}"}
    for path in ("/api/trust", "/api/trust/preview"):
        assert served.as_user("ivo", "POST", path, json=body, headers=as_agent).status_code == 403
    seen = served.as_user("ivo", "POST", "/api/trust/preview", json=body).json()
    assert (seen["done"], seen["held_back"]) == (False, [sent["uri"]])
    question = {"query": "Where does the heron nest?"}
    assert "weir" in served.as_user("ivo", "POST", "/api/search", json=question).text
    done = served.as_user("ivo", "POST", "/api/trust", json=body).json()
    assert done["done"] and done["stores"]["search index"] == {"before": 1, "after": 0}
    assert "weir" not in served.as_user("ivo", "POST", "/api/search", json=question).text
    [held] = served.as_user("ivo", "GET", "/api/trust", headers=as_agent).json()["held"]
    assert (held["subject"], held["state"]) == (sent["uri"], "untrusted")
    found = served.as_user("ivo", "GET", "/api/trust/status", params={"subject": sent["source_id"]}).json()
    assert (found["state"], found["why"], found["decision"]["reason"]) == ("untrusted", "decision", "hearsay")
    served.as_user("ivo", "POST", "/api/trust", json={**body, "state": "trusted"})
    assert "weir" in served.as_user("ivo", "POST", "/api/search", json=question).text
    decided = served.as_user("ivo", "GET", "/api/trust/decisions").json()["decisions"]
    assert [one["state"] for one in decided] == ["untrusted", "trusted"]
    assert all(one["by"].startswith("key ") and agent.key_id not in one["by"] for one in decided)
    assert served.as_user("jana", "POST", "/api/trust", json=body).json()["held_back"] == []  # keys are of one user
    assert "weir" in served.as_user("ivo", "POST", "/api/search", json=question).text

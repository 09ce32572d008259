"""Keys: made, kept, revoked and managed, by the command and over HTTP."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app as command
from brain_pipelines.server.keys import Keys, StoredKey
from brain_retrieval.errors import InvalidQueryError, InvalidUserError
from brain_retrieval.home import Home
from tests.pipelines.server.http.conftest import Served


def test_a_key_names_its_user_until_it_is_revoked(tmp_path: Path) -> None:
    keys = Keys(Home(tmp_path))
    key, stored = keys.create("alice", ("write", "read"), "laptop")
    caller = keys.caller(key)
    assert caller is not None and (caller.user, caller.scopes) == ("alice", {"read", "write"})
    assert not caller.may("forget") and Keys(Home(tmp_path)).caller(key) == caller
    path = tmp_path / "users" / "alice" / "keys.json"
    assert key.rpartition(".")[2] not in path.read_text() and path.stat().st_mode & 0o077 == 0
    flipped = key[:-1] + ("A" if key[-1] != "A" else "B")
    for wrong in (flipped, key.replace("alice", "bob"), key.replace("alice", ".."), "", "brain...", key + "\n"):
        assert keys.caller(wrong) is None
    keys.revoke("alice", stored.key_id)
    assert keys.caller(key) is None and keys.list("alice") == []
    with pytest.raises(LookupError):
        keys.revoke("alice", stored.key_id)


def test_keys_fail_closed(tmp_path: Path) -> None:
    keys = Keys(Home(tmp_path))
    for user, scopes, error in (("alice", (), InvalidQueryError), ("alice", ("all",), InvalidQueryError),
                                ("../bob", ("read",), InvalidUserError)):  # fmt: skip
        with pytest.raises(error):
            keys.create(user, scopes)
    key, _ = keys.create("alice", ("read",))
    path = tmp_path / "users" / "alice" / "keys.json"
    for damaged in ("", "{}", "[1]", '[{"key_id": "x"}]'):
        path.write_text(damaged)
        assert keys.caller(key) is None
    key, _ = keys.create("carol", ("read",))
    (tmp_path / "users" / "dave").symlink_to(tmp_path / "users" / "carol")
    assert keys.caller(key) and keys.caller(key.replace("carol", "dave")) is None
    assert "digest" not in StoredKey("i", "d", ("read",), "", "").to_json()


def test_keys_by_command(tmp_path: Path) -> None:
    run = CliRunner()
    made = run.invoke(
        command, ["keys", "create", "--user", "alice", "--scope", "read", "--home", str(tmp_path), "--json"]
    )
    key = json.loads(made.stdout)
    assert Keys(Home(tmp_path)).caller(key["key"])
    listed = run.invoke(command, ["keys", "list", "--user", "alice", "--home", str(tmp_path)]).stdout
    assert key["id"] in listed and key["key"] not in listed
    gone = run.invoke(command, ["keys", "revoke", key["id"], "--user", "alice", "--home", str(tmp_path)])
    assert gone.exit_code == 0 and Keys(Home(tmp_path)).caller(key["key"]) is None
    assert run.invoke(command, ["keys", "list", "--user", "bob", "--home", str(tmp_path)]).exit_code == 3


def test_keys_are_managed_with_the_scope_admin(served: Served) -> None:
    made = served.as_user("erin", "POST", "/api/keys", json={"scopes": ["read"], "label": "phone"})
    listed = served.as_user("erin", "GET", "/api/keys").json()["keys"]
    assert made.status_code == 201 and made.json()["id"] in {one["id"] for one in listed}
    with_it = {"Authorization": f"Bearer {made.json()['key']}"}
    assert served.client.get("/api/sources", headers=with_it).status_code == 200
    assert served.client.get("/api/keys", headers=with_it).status_code == 403
    assert served.as_user("erin", "DELETE", f"/api/keys/{made.json()['id']}").status_code == 200
    assert served.client.get("/api/sources", headers=with_it).status_code == 401

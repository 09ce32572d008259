"""A server in this process: a client that sends requests as a user, with the models loaded at their first use."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from brain_pipelines.server.app import create_app
from brain_pipelines.server.keys import SCOPES, Keys
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings, load_settings

LOCAL = "http://127.0.0.1:8765"


@dataclass
class Served:
    """A home that is served. `as_user` sends a request with a key of a user that has every scope."""

    home: Home
    client: TestClient
    keys: dict[str, str]

    def as_user(self, user: str, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request; `key` in `more` is another key than the user's."""
        headers = {**self.auth(user), **more.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **more)

    def auth(self, user: str) -> dict[str, str]:
        if user not in self.keys:
            self.keys[user] = Keys(self.home).create(user, SCOPES)[0]
        return {"Authorization": f"Bearer {self.keys[user]}"}

    def drain(self) -> None:
        """Wait until the uploads have been processed."""
        app: Any = self.client.app
        assert self.client.portal is not None
        self.client.portal.call(app.server.queue.drained)


def settings_of(home: Home, **limits: Any) -> Settings:
    """Return the settings of a home, with these of the server."""
    settings = load_settings(home.path)
    given = {"load_models": False, "workers": 0, **limits}
    return settings.model_copy(update={"server": settings.server.model_copy(update=given)})


def serving(home: Home, **limits: Any) -> Iterator[Served]:
    """Yield a running server of a home."""
    before = os.environ.get("DAGSTER_HOME")
    os.environ["DAGSTER_HOME"] = str(home.path / "dagster")
    try:
        with TestClient(create_app(home, settings_of(home, **limits)), LOCAL, raise_server_exceptions=False) as client:
            yield Served(home, client, {})
    finally:
        os.environ.pop("DAGSTER_HOME", None)
        if before is not None:
            os.environ["DAGSTER_HOME"] = before


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of an empty home, for the tests of one module."""
    home: Path = tmp_path_factory.mktemp("served") / "home"
    home.mkdir()
    yield from serving(Home(home))

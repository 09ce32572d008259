"""One address for two cells: each key reaches its user's cell, none another's, and a cell that is down says so."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp

from brain_pipelines.commands.cells.parts import free_port
from brain_pipelines.server.app import create_app
from brain_pipelines.server.cells.router import create_router
from brain_pipelines.server.keys import Keys
from brain_retrieval.stores.cells import Cell
from tests.pipelines.cells.conftest import TwoCells, settings_of


@contextmanager
def listening(app: ASGIApp) -> Iterator[str]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + 120
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(120)


@pytest.fixture
def routed(two: TwoCells) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A client of the router in front of both cells, and a key of a user of each."""
    with ExitStack() as stack:
        keys = {}
        for cell, bench, user in (("north", two.north, "hanna"), ("south", two.south, "sven")):
            settings = settings_of(bench)
            limits = settings.server.model_copy(update={"load_models": False, "workers": 0})
            app = create_app(bench.home, settings.model_copy(update={"server": limits}))
            url = stack.enter_context(listening(app))
            two.directory.add(Cell(cell, str(bench.home.path), url=url))
            keys[user] = Keys(bench.home).create(user, ("read", "write"))[0]
        router = stack.enter_context(listening(create_router(settings_of(two.north))))
        yield stack.enter_context(httpx.Client(base_url=router, timeout=120)), keys


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_each_key_reaches_the_cell_of_its_user(two: TwoCells, routed: tuple[httpx.Client, dict[str, str]]) -> None:
    client, keys = routed
    content = b"The winch handle lies in the red box.\n" * 4000  # more than one piece of a stream
    sent = client.post("/api/sources?name=winch.md", content=content, headers=bearer(keys["sven"]))
    assert sent.status_code == 202 and sent.headers["x-request-id"]
    assert all(client.get("/api/sources", headers=bearer(key)).status_code == 200 for key in keys.values())
    assert (two.south.space("sven").inbox / "note" / "winch.md").read_bytes() == content
    assert not two.north.space("sven").root.exists()


def test_what_is_no_key_of_a_user_of_a_cell_gets_one_answer(routed: tuple[httpx.Client, dict[str, str]]) -> None:
    client, keys = routed
    stranger = f"brain.olga.{'0' * 16}.{'a' * 43}"
    forged = keys["sven"].replace("brain.sven.", "brain.hanna.")
    answers = [client.get("/api/sources", headers=bearer(one)) for one in (stranger, "nothing", forged)]
    assert [one.status_code for one in answers] == [401] * 3
    assert client.get("/api/sources", headers={"Host": "evil.example", **bearer(keys["sven"])}).status_code == 421
    assert client.get("/health", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/health").json() == {"status": "ok", "cells": 2}


def test_the_page_is_at_the_cell_and_a_cell_that_is_down_says_so(
    two: TwoCells, routed: tuple[httpx.Client, dict[str, str]]
) -> None:
    client, keys = routed
    there = client.get("/page", params={"user": "sven"})
    assert there.status_code == 307 and there.headers["location"] == f"{two.directory.cell('south').url}/page"
    assert client.get("/page", params={"user": "olga"}).status_code == 404
    two.directory.add(Cell("south", url=f"http://127.0.0.1:{free_port()}"))
    time.sleep(2.1)  # how long an address counts
    down = client.get("/api/sources", headers=bearer(keys["sven"]))
    assert down.status_code == 503 and down.headers["retry-after"] == "5"
    assert client.get("/api/sources", headers=bearer(keys["hanna"])).status_code == 200

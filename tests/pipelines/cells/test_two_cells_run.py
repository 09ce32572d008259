"""Two cells for real: a code server each, one daemon and one web server over PostgreSQL."""

import json
import os
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from brain_pipelines.commands.cells.parts import CodeServer, PortTakenError, code_part, free_port, page_parts
from brain_pipelines.commands.supervisor import Supervisor
from brain_retrieval import Brain
from brain_retrieval.errors import BrainError
from brain_retrieval.home import project_root
from tests.pipelines.cells.conftest import TwoCells
from tests.pipelines.commands.test_supervisor import PATIENCE, running, wait_for, when_written
from tests.pipelines.conftest import Bench

BACKFILL = """mutation($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
  __typename ... on PartitionKeysNotFoundError { partitionKeys } } }"""
NODES = "{assetNodes{assetKey{path}}}"
MOST_OF_AN_EVENT = 1000  # characters, as stored
SELDOM = 1.5  # seconds between requests that keep a processor busy, which what is waited for needs


def environment(database: str, instance: Path) -> dict[str, str]:
    url = sa.make_url(database)
    values = {"PGHOST": url.host, "PGPORT": url.port, "PGUSER": url.username, "PGPASSWORD": url.password}
    values |= {"PGDATABASE": url.database, "DAGSTER_HOME": instance, "DAGSTER_DISABLE_TELEMETRY": "yes"}
    return {**os.environ, **{name: str(value) for name, value in values.items()}}


def ask(port: int, query: str, **variables: Any) -> dict[str, Any]:
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


def cells_shown(port: int) -> set[str]:
    try:
        return {node["assetKey"]["path"][0] for node in ask(port, NODES)["assetNodes"]}
    except OSError:
        return set()


def finds(bench: Bench, user: str, query: str, text: str) -> bool:
    try:
        with Brain.open(bench.home.path, user=user) as brain:
            return any(text in hit.text for hit in brain.search(query, k=1))
    except BrainError:
        return False


@pytest.mark.timeout(900)
def test_files_and_backfills_go_to_the_cell_of_the_user(two: TwoCells, database: str, tmp_path: Path) -> None:
    instance = tmp_path / "dagster"
    instance.mkdir()
    (instance / "dagster.yaml").write_text((project_root() / "dagster_home" / "dagster.postgres.yaml").read_text())
    common = environment(database, instance)
    two.south.drop("sven", "note", "winch.md", "The winch handle lies in the red box.")
    two.directory.claim("hanna", "north")
    two.south.drop("hanna", "note", "stray.md", "A file of Hanna in the wrong cell.")
    servers = [CodeServer("north", "127.0.0.1", free_port()), CodeServer("south", "127.0.0.1", free_port())]
    port, supervisors = free_port(), []
    for server, bench in zip(servers, (two.north, two.south), strict=True):
        folder = instance / f"up-{server.name}"
        folder.mkdir()
        here = {**common, "BRAIN_HOME": str(bench.home.path)}
        part = code_part(server.host, server.port, server.name)
        supervisors.append(Supervisor([part], folder, here, lambda _: None))
    pages = instance / "up-cells"
    pages.mkdir()
    parts = page_parts(pages, servers, host="127.0.0.1", port=port)
    with running(supervisors[0]), running(supervisors[1]):
        for server in servers:
            wait_for(server.answers, PATIENCE)
        with pytest.raises(PortTakenError, match="the old code server has not ended"):
            code_part(servers[0].host, servers[0].port, "north")
        with running(Supervisor(parts, pages, common, lambda _: None)):
            wait_for(lambda: cells_shown(port) == {"north", "south"}, PATIENCE, every=SELDOM)
            look = partial(finds, two.south, "sven", "where is the winch handle", "red box")
            wait_for(when_written(two.south.home, "sven", look), PATIENCE, every=SELDOM)
            found = {user: launched(port, "south", user) for user in ("sven", "hanna")}
    assert found == {"sven": "LaunchBackfillSuccess", "hanna": "PartitionKeysNotFoundError"}
    url = sa.make_url(database).set(drivername="postgresql+psycopg2")
    with sa.create_engine(url).connect() as connection:
        sizes = list(connection.scalars(sa.text("SELECT length(event) FROM event_logs WHERE partition IS NOT NULL")))
    assert sizes and max(sizes) <= MOST_OF_AN_EVENT
    assert not two.south.space("hanna").root.exists() and two.directory.users("south") == ["sven"]


def launched(port: int, cell: str, user: str) -> str:
    params = {
        "assetSelection": [{"path": [cell, "note", "raw"]}],
        "partitionNames": [f"2026-01-05|{user}"],
        "title": f"{cell} {user}",
    }
    return ask(port, BACKFILL, params=params)["launchPartitionBackfill"]["__typename"]

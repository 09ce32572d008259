"""The processes of `brain up`: code server, web server and daemon of one home, or those of several cells apart.

Each cell runs its code server on its own machine; one web server and one daemon, anywhere, talk to all of them. Their
Dagster instance is the same, so it is on PostgreSQL.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from brain_pipelines.commands.supervisor import Part
from brain_retrieval.errors import BrainError, CellError, InvalidQueryError

if TYPE_CHECKING:  # loading the settings is half of the start of a small command
    from brain_retrieval.settings import CellSettings

DEFINITIONS = "brain_pipelines.definitions"
# A backfill whose code server restarts goes on afterwards; otherwise Dagster fails it and cancels its runs.
PATIENT_BACKFILLS = {"DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR": "1"}
SERVER = "brain_pipelines.orchestration.runs.code_server"
CODE_SERVER = "code-server"  # the name of this part
LOOPBACK = "127.0.0.1"
LOCATION = "brain"  # the name of workspace.yaml: switches and positions of sensors are stored under it
_PART = (sys.executable, "-W", "ignore", "-m", "brain_pipelines.orchestration.runs.part")


class PortTakenError(BrainError):
    """Another process listens where a code server is to listen."""


@dataclass(frozen=True)
class CodeServer:
    """Where a code server is reached, and the name of its location."""

    name: str
    host: str
    port: int

    def answers(self) -> bool:
        """Return whether a process listens there."""
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((self.host, self.port)) == 0


def build_parts(folder: Path, *, host: str, port: int, name: str = LOCATION) -> list[Part]:
    """Return all parts of a home that stands alone, in the order in which they start."""
    server = CodeServer(name, LOOPBACK, _last_port(folder))
    return [code_part(server.host, server.port, name), *page_parts(folder, [server], host=host, port=port)]


def code_part(host: str, port: int, name: str) -> Part:
    """Return the code server.

    Raises:
        PortTakenError: if another process listens there. Dagster would listen beside it, and runs would go to either.
    """
    try:
        free_port(port, host)
    except OSError:
        raise PortTakenError(
            f"port {port} is taken: the old code server has not ended, or another program has it"
        ) from None
    command = [SERVER, "api", "grpc", "--module-name", DEFINITIONS, "--host", host, "--port", str(port)]
    return Part(CODE_SERVER, [*_PART, *command, "--location-name", name])


def page_parts(folder: Path, servers: Sequence[CodeServer], *, host: str, port: int) -> list[Part]:
    """Return web server and daemon, and write the workspace that names the code servers."""
    workspace = folder / "workspace.yaml"
    named = [{"grpc_server": {"host": one.host, "port": one.port, "location_name": one.name}} for one in servers]
    workspace.write_text(json.dumps({"load_from": named}), "utf-8")

    def serve_code() -> bool:
        # A daemon that starts before would give up the retries of runs that were lost with the machine. Of several
        # cells one may be down for long.
        return any(one.answers() for one in servers)

    pages = ["dagster_webserver.cli", "-w", str(workspace), "-h", host, "-p", str(port)]
    return [
        Part("webserver", [*_PART, *pages], serve_code),
        Part("daemon", [*_PART, "dagster._daemon.cli", "run", "-w", str(workspace)], serve_code),
    ]


def servers_of_cells(settings: CellSettings) -> list[CodeServer]:
    """Return the code servers of all cells.

    Raises:
        CellError: if no cell has one.
    """
    from brain_retrieval.stores.cells import CellDirectory

    directory = CellDirectory(settings)
    try:
        found = [CodeServer(cell.name, *address_of(cell.code)) for cell in directory.cells() if cell.code]
    finally:
        directory.close()
    if not found:
        raise CellError("no cell has a code server; `brain cells add NAME --code HOST:PORT` says where one is")
    return found


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of "host:port".

    Raises:
        InvalidQueryError: for anything else.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65_536:
        raise InvalidQueryError("an address of a code server is HOST:PORT")
    return host.strip("[]"), int(port)


def _last_port(folder: Path) -> int:
    """Return the port of the last code server if it is free, else any: runs remember where their server was."""
    try:
        (location,) = json.loads((folder / "workspace.yaml").read_text("utf-8"))["load_from"]
        return free_port(location["grpc_server"]["port"])
    except (OSError, ValueError, KeyError):
        return free_port()


def free_port(wanted: int = 0, host: str = LOOPBACK) -> int:
    """Return `wanted`, or any port of an interface for 0, if no process listens there.

    Raises:
        OSError: if one does.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, wanted))
        return probe.getsockname()[1]

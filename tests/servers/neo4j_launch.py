"""Configuration and launch of a Neo4j server. `neo4j.py` installs its files and stops it."""

import os
import secrets
import socket
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.scratch import folder_in_memory

SECONDS_TO_START = 300
HEAP = "512m"
# The --add-opens options that Neo4j's own launcher passes on Java 17.
OPENS = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent")
JAVA = [
    f"-Xmx{HEAP}",
    "-Xms256m",
    "-XX:+UseSerialGC",
    # A server lives for minutes: the optimising compiler and the verifier cost more than they save in that time. The
    # files are checked against their hashes.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENS),
]
SETTINGS = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=128m
db.tx_log.preallocate=false
dbms.usage_report.enabled=false
dbms.cypher.min_replan_interval=1h
dbms.security.auth_enabled=true
"""
BOLT_HELLO = struct.pack(">IIIII", 0x6060B017, 5, 4, 0, 0)


class ServerError(RuntimeError):
    """A server cannot be installed or started; the message gives the reason."""


@dataclass(frozen=True)
class Launched:
    """A starting process, leader of its own process group."""

    port: int
    password: str
    process: tuple[int, str]  # pid, home


def launch(library: Path) -> Launched:
    """Create a new home with a random password and start the community server there, without waiting for it."""
    home = Path(tempfile.mkdtemp(prefix="brain-neo4j-", dir=folder_in_memory()))
    # A password that begins with "-" would be read as an option: one start in 64 failed.
    port, password = free_port(), secrets.token_hex(24)
    (home / "conf").mkdir()
    (home / "conf" / "neo4j.conf").write_text(SETTINGS.format(port=port), "utf-8")
    _set_password(library, home, password)
    entry = ["org.neo4j.server.CommunityEntryPoint", f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    with (home / "out.log").open("wb") as log:
        process = subprocess.Popen(
            ["java", "-cp", f"{library}/*", *JAVA, *entry],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Launched(port, password, (process.pid, str(home)))


def answers(port: int) -> bool:
    """Return whether a Bolt server at this port agrees on a protocol version."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(BOLT_HELLO)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def free_port() -> int:
    """Return a port that is currently unused."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _set_password(library: Path, home: Path, password: str) -> None:
    environment = {**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
    command = ["java", "-cp", f"{library}/*", "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", password]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise ServerError(f"Neo4j could not be prepared:\n{(done.stdout + done.stderr)[-2000:]}")

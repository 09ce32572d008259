"""What the number of partitions costs: loading the definitions, Dagster's pages, and a backfill asked for in the UI.

A home without data, `brain up` over it, and so many users that an asset has the given number of partitions. CPU
seconds and memory are those of each process, from `/proc`; the requests are those that the pages send.

    python benchmarks/partitions.py --keys 1000 100000 1000000
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

SINCE = date(2026, 1, 1)
ASSET = ["note", "raw"]
LOAD = "import time; b=time.process_time(); from brain_pipelines.definitions import defs; defs.get_repository_def()"
LOAD += "; import resource as r; print(time.process_time()-b, r.getrusage(r.RUSAGE_SELF).ru_maxrss/1024)"
STATS = "query($k:[AssetKeyInput!]){assetNodes(assetKeys:$k){partitionStats{numMaterialized numPartitions}}}"
HEALTH = """query($k:[AssetKeyInput!]){assetNodes(assetKeys:$k){assetPartitionStatuses{... on MultiPartitionStatuses{
  primaryDimensionName ranges{primaryDimStartKey primaryDimEndKey secondaryDim{
    ... on DefaultPartitionStatuses{materializedPartitions}}}}}}}"""
BACKFILL = """mutation($p:LaunchBackfillParams!){launchPartitionBackfill(backfillParams:$p){
  __typename ... on LaunchBackfillSuccess{backfillId} ... on PythonError{message}
  ... on PartitionKeysNotFoundError{message}}}"""
STATE = """query($i:String!){partitionBackfillOrError(backfillId:$i){
  ... on PartitionBackfill{status runs{status}}}}"""


def fill(home: Path, users: int) -> None:
    """Register users in the home's instance, whose days are done but for yesterday's notes."""
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.storage.done_status import Standing, write_standing

    today = datetime.now(UTC).date().isoformat()
    names = [f"user-{n}" for n in range(users)]
    with open_instance(home) as instance:
        instance.add_dynamic_partitions("users", names)
        for name in names:
            write_standing(instance, name, Standing(today, {"note": [today]}))


def usage(pid: int) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory (MB) of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = Path(f"/proc/{pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return cpu, int(peak.split()[1]) / 1024


class Server:
    """A `brain up` over a home, and requests to its web server."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.port = home, port
        command = [sys.executable, "-m", "brain_pipelines.commands.entry", "up", "--port", str(port)]
        environment = {**os.environ, "BRAIN_HOME": str(home)}
        environment.pop("DAGSTER_HOME", None)
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_until(lambda: self.ask("{version}") is not None)
        self.wait_until(lambda: bool(self.ask(STATS, k=[{"path": ASSET}])["assetNodes"]))

    def wait_until(self, holds: Callable[[], bool], seconds: float = 600) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if holds():
                    return
            except (OSError, TypeError):
                pass
            time.sleep(1)
        raise TimeoutError

    def ask(self, query: str, **variables: Any) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"Content-Type": "application/json"}
        )
        return json.loads(urllib.request.urlopen(request, timeout=600).read())["data"]

    def pids(self) -> dict[str, int]:
        state = json.loads((self.home / "dagster" / "up" / "up.json").read_text())
        return {name: part["pid"] for name, part in state["parts"].items()}

    def measure(self, part: str, do: Callable[[], Any]) -> tuple[float, Any]:
        """Return the CPU seconds of a part for a request, and its answer."""
        pid = self.pids()[part]
        before = usage(pid)[0]
        answer = do()
        return usage(pid)[0] - before, answer

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def measure(keys: int, port: int) -> dict[str, Any]:
    """Return the figures for a number of partitions of an asset."""
    days = (datetime.now(UTC).date() - SINCE).days + 1
    users = max(1, keys // days)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "brain.toml").write_text(f"first_day = {SINCE}\n")
        fill(home, users)
        environment = {**os.environ, "BRAIN_HOME": folder}
        loaded = subprocess.run([sys.executable, "-c", LOAD], env=environment, capture_output=True, check=True)
        cpu, memory = map(float, loaded.stdout.split())
        found: dict[str, Any] = {"users": users, "keys": users * days, "load_cpu": cpu, "load_mb": memory}
        server = Server(home, port)
        try:
            asset = [{"path": ASSET}]
            found["stats_cpu"], answer = server.measure("webserver", lambda: server.ask(STATS, k=asset))
            found["missing"] = users * days - answer["assetNodes"][0]["partitionStats"]["numMaterialized"]
            found["status_cpu"], _ = server.measure("webserver", lambda: server.ask(HEALTH, k=asset))
            names = [f"2026-01-{day:02}|user-0" for day in range(1, 32)]
            asked = {"assetSelection": asset, "partitionNames": names, "fromFailure": False, "tags": []}
            daemon = server.pids()["daemon"]
            before = usage(daemon)[0]
            found["backfill_cpu"], answer = server.measure("webserver", lambda: server.ask(BACKFILL, p=asked))
            if "backfillId" not in answer["launchPartitionBackfill"]:
                raise SystemExit(f"no backfill: {answer}")
            backfill = answer["launchPartitionBackfill"]["backfillId"]
            ended = ("COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED")
            state: list[Any] = []

            def is_ended() -> bool:
                state[:] = [server.ask(STATE, i=backfill)["partitionBackfillOrError"]]
                return state[0]["status"] in ended

            server.wait_until(is_ended)
            found |= {"backfill": state[0]["status"], "runs": len(state[0]["runs"])}
            found["daemon_cpu"] = usage(daemon)[0] - before
            found |= {f"{part}_mb": usage(pid)[1] for part, pid in server.pids().items()}
        finally:
            server.stop()
    return found


def main() -> None:
    """Print a table row for each number of partitions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--port", type=int, default=3987)
    arguments = parser.parse_args()
    for keys in arguments.keys:
        found = measure(keys, arguments.port)
        print(json.dumps({key: round(value, 2) if isinstance(value, float) else value for key, value in found.items()}))


if __name__ == "__main__":
    main()

"""Dagster is loaded without Alembic and its daemons for a run; both are there when Dagster uses them."""

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

CODE = """
import sys
import brain_pipelines.ingest.local_runs
heavy = ("alembic.ddl", "mako", "pygments", "dagster._daemon.controller", "brain_pipelines.orchestration.sensors")
print([name for name in heavy if name in sys.modules])
import dagster
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
storage = DagsterSqliteStorage.from_local(sys.argv[1])  # Alembic stamps the tables that it makes
print([store.alembic_version() for store in (storage.run_storage, storage.event_log_storage)])
import alembic.config
from dagster._core.storage.sql import get_alembic_config
assert isinstance(get_alembic_config.__wrapped__(sys.argv[1] + "/x"), alembic.config.Config)
from dagster._daemon import SensorDaemon
from dagster._daemon.types import DaemonHeartbeat
print(SensorDaemon.__name__, storage.run_storage.get_daemon_heartbeats(), DaemonHeartbeat.__name__)
"""


def test_what_a_run_does_not_use_is_loaded_when_it_is_used(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", CODE, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=Path(ROOT))
    assert result.returncode == 0, result.stderr
    loaded, versions, used = result.stdout.splitlines()
    assert (loaded, used) == ("[]", "SensorDaemon {} DaemonHeartbeat")
    for current, head in eval(versions):
        assert current == head is not None

"""Where the Dagster instance of a home lies. Dagster itself is not loaded for it, which takes seconds."""

import os
from pathlib import Path

from brain_pipelines.ingest.templates import read_template
from brain_retrieval.home import checkout


def dagster_home(home: Path) -> Path:
    """Return the directory of a home's Dagster instance; create and configure it if necessary."""
    if named := os.environ.get("DAGSTER_HOME"):
        return Path(named).expanduser().resolve()
    root = checkout()
    ours = root / "dagster_home" if root and home == root / "data" / "home" else home / "dagster_home"
    if (ours / "dagster.yaml").is_file():
        return ours
    own = home / "dagster"
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    config = own / "dagster.yaml"
    if not config.exists():
        config.write_text(read_template("dagster.yaml"), "utf-8")
    return own

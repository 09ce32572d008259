"""What `brain init` writes: the configuration of Dagster, its workspace and a commented `brain.toml`.

The checkout's dagster_home/ and workspace.yaml are copies of these; a test compares them.
"""

from importlib.resources import files

# Where each template goes below the directory of `brain init`.
PLACES = {
    "brain.toml": "brain.toml",
    "workspace.yaml": "workspace.yaml",
    "dagster.yaml": "dagster_home/dagster.yaml",
    "dagster.postgres.yaml": "dagster_home/dagster.postgres.yaml",
    "dagster.workers.yaml": "dagster_home/dagster.workers.yaml",
}


def read_template(name: str) -> str:
    """Return the text of a template of PLACES."""
    return (files(__name__) / name).read_text("utf-8")

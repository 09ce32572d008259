"""A process of Dagster, loaded without looking for garbage: what is loaded stays, and looking takes a sixth of a start.

python -m brain_pipelines.orchestration.runs.part dagster_webserver.cli -w workspace.yaml …
"""

import gc
import importlib
import sys

COLLECT_AFTER = 50_000  # allocations between two collections, as of a command


def main() -> None:
    """Load the module that the first argument names, and call its `main` with the others as the command line."""
    del sys.argv[0]
    gc.disable()
    program = importlib.import_module(sys.argv[0])
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    gc.enable()
    program.main()


if __name__ == "__main__":
    main()

"""The installed command `brain`: what is said when the command line's own libraries are not installed."""

import atexit
import gc
import os
import sys

from brain_pipelines.commands.shell.warm import COMMANDS, answered_by_server
from brain_retrieval.extras import MissingExtraError, naming_the_extra

# Allocations between two collections. Loading modules allocates hundreds of thousands of objects that stay; looking
# through them after every 700 new ones is a seventh of the CPU time of a start.
COLLECT_AFTER = 50_000
COLLECT_AFTER_READING = 500_000  # a command that only reads ends within seconds
REPORT_LEAKS = frozenset({"_duckdb", "onnx", "zxingcpp"})  # bound by nanobind, which prints what is left at the end


def main() -> None:
    """Run the command line."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some reads the list of all packages
    reads = sys.argv[1:2] and sys.argv[1] in COMMANDS
    gc.set_threshold(COLLECT_AFTER_READING if reads else COLLECT_AFTER, *gc.get_threshold()[1:])
    atexit.register(_leave_objects)
    try:
        with naming_the_extra():
            if (code := answered_by_server(sys.argv[1:])) is not None:
                sys.exit(code)
            if sys.argv[1:2] == ["mcp"]:  # a client waits for its first answer
                from brain_pipelines.commands.mcp import main as run
            else:
                from brain_pipelines.commands.app import main as run

            _leave_objects()  # what is loaded by now stays until the end
            run()
    except MissingExtraError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:  # before a command has begun: while its modules are loaded
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _leave_objects() -> None:
    """Let the interpreter end without looking through all objects: a seventh of the CPU time of a short command.

    Not where a library of `REPORT_LEAKS` is loaded.
    """
    if REPORT_LEAKS.isdisjoint(sys.modules):
        gc.freeze()


if __name__ == "__main__":
    main()

"""The installed command `brain`: what is said when the command line's own libraries are not installed."""

import sys

from brain_retrieval.extras import MissingExtraError, naming_the_extra


def main() -> None:
    """Run the command line."""
    try:
        with naming_the_extra():
            from brain_pipelines.commands.app import main as run

            run()
    except MissingExtraError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()

"""What `brain status` says of days that are not up to date, and the commands that bring them there."""

from typing import Any

from rich.console import Console


def print_days_to_run(user: dict[str, Any], console: Console) -> None:
    """List the sources of a user's status with unfinished days, and those with days that older code made."""
    name = user["user"]
    for row in user["sources"]:
        if row["behind_days"]:
            command = f"`brain rerun --user {name} --source {row['source']}`"
            text = f"some stages of {row['source']} have yet to run on what landed; {command} finishes them"
            console.print(f"[yellow]{days_text(row['behind_days'])} behind[/]: {text}", soft_wrap=True, highlight=False)
    if older := [row for row in user["sources"] if row["outdated_days"]]:
        days, sources = sum(row["outdated_days"] for row in older), ", ".join(row["source"] for row in older)
        text = f"made by older code or settings and in use; `brain apply --user {name}` brings them up to date"
        console.print(f"{days_text(days)} of {sources}, {text}", soft_wrap=True, highlight=False)


def days_text(count: int) -> str:
    """Return "1 day" or "2 days"."""
    return f"{count:,} day" if count == 1 else f"{count:,} days"

"""Timelines through the public commands: ingest, nightly, facts; every timeline is a user of its own in one home."""

import json
import subprocess
import sys

from benchmarks.timeline_rows import turns

MAIN = "from brain_pipelines.commands.entry import main; main()"


def brain(home, *arguments):
    """Run a command with a home of its own and return what it prints."""
    command = [sys.executable, "-c", MAIN, *arguments, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"brain {' '.join(arguments[:2])} failed: {done.stderr[-2000:]}")
    return done.stdout


def load(home, timeline):
    """Write the events as files whose names begin with their day, ingest them, and build the snapshot."""
    user, folder = user_of(timeline), home / "files" / user_of(timeline)
    for kind in ("note", "conversation"):
        paths = [
            written(folder, number, event) for number, event in enumerate(timeline["events"]) if event["kind"] == kind
        ]
        if paths:
            brain(home, "ingest", *map(str, paths), "--user", user, "--source", kind)
    brain(home, "nightly", "--user", user)


def lines(home, timeline, check, limit):
    """Return the lines that are shown for a check, and whether each is taken for true."""
    asked = ["--about", check["about"], "--as-of", f"{check['as_of']}T23:59:59Z", "--limit", str(limit), "--json"]
    asked += ["--known-at", f"{check['known']}T23:59:59Z"] if check["known"] else []
    found = json.loads(brain(home, "facts", "--user", user_of(timeline), *asked))["memories"]
    return [(f"{one['text']} | {one['quote']}", one["status"] in ("current", "upcoming")) for one in found]


def user_of(timeline):
    return f"timeline-{timeline['id']}"


def written(folder, number, event):
    folder.mkdir(parents=True, exist_ok=True)
    spoken = event["kind"] == "conversation"
    path = folder / f"{event['date']} {number:02}{'.jsonl' if spoken else '.txt'}"
    said = f"{event['date']}T12:00:00Z"
    messages = (json.dumps({"speaker": who, "content": text, "timestamp": said}) for who, text in turns(event))
    path.write_text("\n".join(messages) if spoken else event["content"], "utf-8")
    return path

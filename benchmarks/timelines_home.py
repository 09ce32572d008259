"""Share of checks answered rightly on timelines, through landing and the stages: each timeline is a user of its own.

    python -m benchmarks.timelines_home PATH [--wrong]

Files land on the day of their event, as if they had been dropped that day, so that "known at" can be asked; then the
stages raw, text and extractions run over them as `brain ingest` runs them.
"""

import argparse
import json
import tempfile
from datetime import UTC, date, datetime, time
from pathlib import Path

from benchmarks.timelines import end_of, is_right
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.candidates import rows_about
from brain_retrieval.knowledge.memories.stored import memory_index
from brain_retrieval.knowledge.memories.view import as_of
from brain_retrieval.settings import load_settings

READ = ("raw", "text", "extractions")


class TimelineHome:
    """A temporary home; `rows` returns the memories about a topic that `brain facts` would judge."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.home = Home(Path(self._folder.name))
        self.settings = load_settings(self.home.path)

    def add(self, timeline):
        """Land and read all events of a timeline; return its user."""
        user = f"t{timeline['id']}"
        space = self.home.space(user).create()
        days = {"note": set(), "conversation": set()}
        for number, event in enumerate(timeline["events"]):
            path, source = write(space.inbox, event, number)
            with open_landing(space, self.settings) as landing:
                at = datetime.combine(date.fromisoformat(event["date"]), time(12, 30), UTC)
                days[source] |= landing.land(FileState.of(path, space.inbox), now=at)
        for source, dirty in days.items():
            for stage in STAGES:
                if dirty and stage.name in READ:
                    found = SOURCES_BY_NAME[source]
                    materialize(stage, found, space, sorted(dirty), settings=self.settings, run_id="benchmark")
        return user

    def memories(self, user):
        """Return the index of all memories of a timeline."""
        return memory_index(self.home.space(user))

    @staticmethod
    def about(memories, topic, at):
        """Return the rows that a topic can match, and those that may have ended them."""
        return rows_about(memories, topic, at=at)


def write(inbox, event, number):
    """Write an event as the file that a user would have: a note with its date, or the lines of a chat."""
    content, day = event["content"], event["date"]
    if isinstance(content, str):
        path = inbox / "note" / f"{day}-{number}.md"
        text = f"---\ndate: {day}\n---\n{content}\n"
        source = "note"
    else:
        path = inbox / "conversation" / f"{day}-{number}.jsonl"
        turns = [
            {"session": f"s{number}", "speaker": who, "timestamp": f"{day}T12:{place:02}:00Z", "content": said}
            for place, (who, said) in enumerate(content)
        ]
        text = "".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns)
        source = "conversation"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path, source


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    home, right, checks = TimelineHome(), 0, 0
    for timeline in json.loads(options.path.read_text("utf-8")):
        memories = home.memories(home.add(timeline))
        for check in timeline["checks"]:
            at, known = end_of(check["as_of"]), end_of(check["known"])
            rows = home.about(memories, check["about"], at)
            seen = as_of(rows, check["about"], at=at, known_at=known, limit=10)
            lines = [(one.row["text"], one.holds) for one in seen]
            checks += 1
            right += is_right(check, lines)
            if options.wrong and not is_right(check, lines):
                print(
                    f"#{timeline['id']} {check['about']} | {check['as_of']} | want {check['want']}", *lines, sep="\n   "
                )
    print(f"{right} of {checks} checks right: {right / checks:.3f}")


if __name__ == "__main__":
    main()

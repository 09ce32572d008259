"""Backup, restore and move of one user: seconds and bytes, to a directory and to a real S3 server, beside `cp -r`.

    python benchmarks/backup.py CORPUS.jsonl [--documents 300] [--days 30] [--files DIR] [--home DIR]

CORPUS.jsonl has one object a line, whose `text` becomes a note; all stages run. `--files` are landed as they are, and
stand for recordings and pictures. The S3 server is versitygw on this machine (`make s3-install`), so the network costs
nothing here. Then the notes of one more day arrive. `--home` keeps the home and takes it the next time.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

USER = "bench"
FIRST = date(2026, 1, 1)


def measured(action: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return seconds, CPU seconds with those of child processes, and the result."""
    began, used = time.perf_counter(), cpu()
    result = action()
    return time.perf_counter() - began, cpu() - used, result


def cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usages)


def drop(home: Path, texts: list[str], day: date, name: str) -> None:
    """Write notes of a day into the inbox."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
    for number, text in enumerate(texts):
        path = home / "inbox" / USER / "note" / f"{name}-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (noon, noon))


def run(home_path: Path) -> None:
    """Land what is in the inbox and run every stage of the notes that changed."""
    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.scan import scan_inbox
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    space, settings = Home(home_path).space(USER), load_settings(home_path)
    with open_landing(space, settings) as landing:
        scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
        days = sorted({one.day for one in landing.dirty() if one.source == "note"})
    for stage in STAGES:
        materialize(stage, SOURCES_BY_NAME["note"], space, days, settings=settings, run_id="bench")


def build(home: Path, texts: list[str], days: int, files: Path | None) -> None:
    """Fill a home with notes of so many days, and files."""
    (home / "users").mkdir(parents=True, exist_ok=True)
    (home / "brain.toml").write_text('first_day = "2026-01-01"\n')
    share = max(1, len(texts) // days)
    for n in range(days):
        drop(home, texts[n * share : (n + 1) * share], FIRST + timedelta(days=n), f"day{n}")
    if files is not None:
        shutil.copytree(files, home / "inbox" / USER / "document", symlinks=False)
    run(home)


def measure(home_path: Path, label: str, backup: Any, more: list[str], folder: Path) -> None:
    """Print the rows of one destination."""
    from brain_pipelines.landing.offsite.backing_up import back_up_user
    from brain_pipelines.landing.offsite.cleaning import check, prune
    from brain_pipelines.landing.offsite.heads import heads_of
    from brain_pipelines.landing.offsite.moving import move_user
    from brain_pipelines.landing.offsite.objects import open_objects
    from brain_pipelines.landing.offsite.restoring import restore_user
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    path = folder / f"home-{label}"
    shutil.copytree(home_path, path)
    home, target = Home(path), Home(folder / f"restored-{label}")
    objects = open_objects(backup)
    settings = load_settings(path).model_copy(update={"backup": backup})

    def row(what: str, action: Callable[[], Any], size: Callable[[Any], str]) -> None:
        seconds, used, done = measured(action)
        print(f"| {what} | {label} | {seconds:.2f} | {used:.2f} | {size(done)} |", flush=True)

    def stored(made: Any) -> str:
        return f"{made.files:,} files, {made.bytes / 1e6:.1f} MB; writers held up {made.locked_seconds:.2f} s"

    row("first backup", lambda: back_up_user(home.space(USER), settings, objects), stored)
    row("unchanged", lambda: back_up_user(home.space(USER), settings, objects), stored)
    drop(path, more, FIRST + timedelta(days=60), "more")
    run(path)
    row("a day more", lambda: back_up_user(home.space(USER), settings, objects), stored)
    row("old ones removed", lambda: prune(objects, home.space(USER), backup), lambda one: f"{one.contents} contents")
    heads = heads_of(objects, USER)
    row("check", lambda: check(objects, USER, heads[-1:]), lambda faults: f"{len(faults)} faults")
    row(
        "restore",
        lambda: restore_user(target, settings, objects, USER),
        lambda one: f"{one.done.files:,} files, {one.done.bytes / 1e6:.1f} MB",
    )
    shutil.rmtree(target.path)
    row("move", lambda: move_user(home, target, settings, settings, USER), lambda one: f"{one.bytes / 1e6:.1f} MB")
    shutil.rmtree(target.path)


def main() -> None:
    """Build the home, then measure both destinations and `cp -r`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()

    from brain_retrieval.settings import BackupSettings
    from tests.servers import s3

    texts = [json.loads(line)["text"] for line in options.corpus.read_text("utf-8").splitlines()]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.home and options.home.parent)))
        home = options.home or folder / "home"
        if not home.is_dir():
            build(home, texts[: options.documents], options.days, options.files)
        files = [path for path in home.rglob("*") if path.is_file()]
        print(f"{len(files):,} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB in the home")
        print("| what | where | s | CPU s | how much |\n|---|---|---|---|---|")
        for label, command in (("cp -r", ["cp", "-r", home, folder / "copy"]), ("and synced", ["sync", folder])):
            seconds, used, _ = measured(lambda one=command: subprocess.run(one, check=True))
            print(f"| {label} | directory | {seconds:.2f} | {used:.2f} | |", flush=True)
        more = texts[options.documents :][:10] or texts[:10]
        measure(home, "directory", BackupSettings(destination=(folder / "backups").as_uri()), more, folder)
        server = stack.enter_context(s3.serving())
        measure(home, "S3", BackupSettings(**server.settings("bench")), more, folder)


if __name__ == "__main__":
    main()

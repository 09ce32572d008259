"""Floating workers: what a fetch, a publication and a run cost. Seconds and CPU seconds.

    python -m benchmarks.workers CORPUS.jsonl [--users 4] [--days 14] [--notes 2] [--directory] [--delay SECONDS]

CORPUS.jsonl has one object a line, whose `text` becomes a note. PostgreSQL, Redis and the S3 server versitygw (with
`--directory` a directory in its place) run on this machine, so the network costs nothing here. A worker is the command
`brain worker start` with its own directories. With `--delay` memories are extracted by a model whose endpoint, here a
double on the loopback interface, answers each request after so many seconds, and only the throughput is measured: what
a second worker gains where runs wait more than they compute.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.fake_openai import FakeOpenAI
from tests.pipelines.stages.extraction.llm.scripted_model import reads
from tests.pipelines.workers.cluster import (
    Cluster,
    cluster,
    cpu_of,
    days,
    drop,
    launch,
    texts_of,
    wait_for,
)

WARM = {"a": ["warm-0"], "b": ["warm-1", "warm-2"]}  # whose runs load the models of each worker


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(action: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return seconds, CPU seconds of this process, and the result."""
    began, used = time.perf_counter(), cpu()
    result = action()
    return time.perf_counter() - began, cpu() - used, result


def land(found: Cluster, users: list[str]) -> None:
    """Land what is in the inboxes, as the sensor does."""
    import dagster as dg

    from brain_pipelines.orchestration.sensors import tick
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    time.sleep(11)  # a file counts once it has not changed for ten seconds
    with dg.DagsterInstance.get() as instance:
        plan = tick(Home(found.home), load_settings(found.home), None, instance=instance)
    assert {one.user for one in plan.requests} >= set(users), plan


def workers_cpu(found: Cluster) -> float:
    return cpu_of([process.pid for name, process in found.processes.items() if name != "home"])


def throughput(found: Cluster, users: list[str], span: tuple[str, str]) -> tuple[float, float]:
    """Run every user once; return seconds and CPU seconds of the workers."""
    began, used = time.perf_counter(), workers_cpu(found)
    ended = wait_for(launch(users, [span]), 1800)
    assert set(ended.values()) == {"SUCCESS"}, ended
    return time.perf_counter() - began, workers_cpu(found) - used


def moving(found: Cluster, user: str) -> None:
    """Print what it costs to bring a user to a worker and to publish what a run changed."""
    import dagster as dg

    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.orchestration.workers.fence import address_of
    from brain_pipelines.orchestration.workers.session import session, share
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES as ALL
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    found.make("probe")
    home = Home(found.folder / "probe" / "brain")
    share(home.path, "worker")
    settings = load_settings(home.path)
    with dg.DagsterInstance.get() as instance:
        address = address_of(instance)

    def once(change: bool) -> Any:
        with session(home, settings, address, [user]) as done:
            for stage in ALL if change else ():
                materialize(
                    stage, SOURCES_BY_NAME["note"], home.space(user), [days(1)[0].isoformat()],
                    settings=settings, run_id="forced", force=True,
                )  # fmt: skip
        return done

    print("| | files | MB | fetch s | publish s | of both: CPU s |\n|---|---|---|---|---|---|")
    for what, change in (("cold worker", False), ("warm, nothing changed", False), ("a day computed again", True)):
        _, used, done = measured(lambda change=change: once(change))
        brought, sent = done.fetched[user], done.published[user]
        moved = sent if change else brought
        own = "(with the run)" if change else f"{used:.2f}"
        row = (
            f"| {what} | {moved.files} | {moved.bytes / 1e6:.2f} | {brought.seconds:.2f} | {sent.seconds:.2f} | {own} |"
        )
        print(row, flush=True)
    shutil.rmtree(home.path)


@contextmanager
def endpoint(delay: float | None) -> Iterator[FakeOpenAI | None]:
    """Serve a model that extracts memories by a trivial rule, each answer after `delay` seconds; nothing for None."""
    if delay is None:
        yield None
        return

    def answer(body: dict[str, Any]) -> str:
        time.sleep(delay)
        return reads(body)

    with FakeOpenAI(chat=answer) as server:
        os.environ |= {"BRAIN_LLM__MODEL": "double", "BRAIN_LLM__BASE_URL": server.base_url}
        os.environ |= {"BRAIN_EXTRACTION__PROVIDER": "llm", "BRAIN_EXTRACTION__ASK_ABOVE": "0"}  # every sentence
        yield server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--users", type=int, default=4)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--notes", type=int, default=2, help="a day")
    parser.add_argument("--directory", action="store_true", help="a directory in the place of S3")
    parser.add_argument("--delay", type=float, help="seconds that a model's endpoint takes to answer")
    args = parser.parse_args()
    texts = texts_of(args.corpus, args.days * args.notes)
    span = (days(1)[0].isoformat(), days(args.days)[-1].isoformat())
    groups = {"1 worker": "one", "2 workers": "two"}
    users = {label: [f"{name}-{n}" for n in range(args.users)] for label, name in groups.items()}
    with (
        endpoint(args.delay) as model,
        tempfile.TemporaryDirectory(prefix="brain-workers-") as name,
        cluster(Path(name), object_storage=not args.directory) as found,
    ):
        everyone = [user for group in (*users.values(), *WARM.values()) for user in group]
        for user in everyone:
            for number, text in enumerate(texts):
                drop(found.home, user, f"{number}.md", text, days(args.days)[number % args.days])
        land(found, everyone)
        for worker, (label, group) in zip("ab", users.items(), strict=True):
            found.worker(worker)
            throughput(found, WARM[worker], span)
            asked = len(model.requests) if model else 0
            seconds, used = throughput(found, group, span)
            waited = f", {len(model.requests) - asked} answers of {args.delay} s" if model else ""
            print(
                f"{label}: {len(group)} runs of {args.days} days in {seconds:.1f} s, {used:.1f} CPU s{waited}",
                flush=True,
            )
        if model is None:
            moving(found, users["1 worker"][0])


if __name__ == "__main__":
    main()

"""Publishing and querying the graph: embedded compared with Neo4j in one run, each in its own process.

    make neo4j-start && python -m benchmarks.graph [--users 1000] [--entities 1000] [--facts 5000] [--minutes 6]

The facts of a user are random, so that every node is close to every other; this is the hard case for paths. Each user
has the facts of the first user, moved to other entities of the same class. Neo4j publishes as many users as `--minutes`
allow, all in one database. Without a running server only the embedded graph is measured.
"""

import argparse
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
from pydantic import SecretStr

from brain_retrieval.home import Home, Space
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.protocol import FACT_KINDS, GraphSnapshot, GraphStore
from tests.retrieval.stores.graph.snapshots import Said, Story
from tests.servers import neo4j

ASKED_USERS = 200
QUESTIONS_EACH = 5  # of each kind, for each queried user
CHANGED = 50  # facts that the second snapshot of a user lacks


def story(entities: int, facts: int) -> Story:
    """Return random facts between entities; each source mentions ten entities."""
    rng = random.Random(1)
    types = {f"Thing {n}": rng.choice(["Person", "Concept", "Tool"]) for n in range(entities)}
    names = list(types)
    sources: dict[str, tuple[float, Sequence[str]]] = {
        f"s{n}": (n % 300, names[n * 10 : n * 10 + 10]) for n in range((entities + 9) // 10)
    }
    said = [
        Said(rng.choice(names), f"uses {n % 9}", rng.choice(names), (f"s{n % len(sources)}",)) for n in range(facts)
    ]
    return Story(types, sources, list({(s.subject, s.predicate, s.object): s for s in said}.values()))


def shuffled(snapshot: GraphSnapshot, user: int) -> dict[str, pl.DataFrame]:
    """Return a snapshot with the facts moved to other entities of the same class."""
    entities, rng = snapshot["known_entities"], random.Random(user)
    moved: dict[str, str] = {}
    for group in entities.partition_by("entity_class"):
        keys = group["entity_id"].to_list()
        moved |= dict(zip(keys, rng.sample(keys, len(keys)), strict=True))
    ends = [pl.col(name).replace(moved) for name in ("subject_id", "object_id")]
    return {**snapshot, "known_facts": snapshot["known_facts"].with_columns(ends)}


def publish(
    name: str, open_one: Callable[[int], GraphStore], snapshot: GraphSnapshot, users: int, minutes: float
) -> int:
    """Publish users until the time limit; return how many were published."""
    took: dict[str, list[float]] = {"publish": [], "the same again": [], f"{CHANGED} facts fewer": []}
    end = time.monotonic() + 60 * minutes
    for user in range(users):
        if time.monotonic() > end:
            users = user
            break
        snapshot = shuffled(snapshot, user)
        later = {**snapshot, "known_facts": snapshot["known_facts"].head(-CHANGED)}
        graph = open_one(user)
        for times, tables in zip(took.values(), (snapshot, snapshot, later), strict=True):
            began = time.perf_counter()
            graph.publish(tables)
            times.append(1000 * (time.perf_counter() - began))
        graph.close()
    print(f"{name}, {users} users")
    for what, times in took.items():
        show(what, times)
    return users


def ask(open_one: Callable[[int], GraphStore], users: int, keys: list[str]) -> None:
    """Query some of the users, each after one query that opens its graph."""
    rng = random.Random(1)
    questions: dict[str, Callable[[GraphStore], object]] = {
        "1 hop": lambda g: g.neighbours(rng.choice(keys), kinds=FACT_KINDS),
        "2 hops": lambda g: g.neighbours(rng.choice(keys), hops=2, kinds=FACT_KINDS),
        "shortest path": lambda g: g.shortest_path(*rng.sample(keys, 2), kinds=FACT_KINDS),
        "PageRank": lambda g: g.pagerank({rng.choice(keys): 1.0}, kinds=FACT_KINDS, max_depth=2),
    }
    took: dict[str, list[float]] = {what: [] for what in questions}
    for user in rng.sample(range(users), min(users, ASKED_USERS)):
        graph = open_one(user)
        graph.node(keys[0])
        for what, question in questions.items():
            for _ in range(QUESTIONS_EACH):
                began = time.perf_counter()
                question(graph)
                took[what].append(1000 * (time.perf_counter() - began))
        graph.close()
    for what, times in took.items():
        show(what, times)


def show(what: str, times: list[float]) -> None:
    """Print p50 and p95 of times in milliseconds."""
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"  {what}: p50 {statistics.median(ordered):.1f} ms, p95 {p95:.1f} ms ({len(ordered)})", flush=True)


def size(directory: Path) -> float:
    """Return megabytes of all files below a directory."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6


def measure_embedded(home: Home, generated: Story, users: int) -> None:
    """Print the results of the embedded graph."""

    def open_one(user: int) -> GraphStore:
        return EmbeddedGraph(space_of(home, user))

    publish("embedded", open_one, generated.snapshot(), users, 1e9)
    ask(open_one, users, [generated.id(name) for name in generated.types])
    print(f"  files: {size(home.path) / users:.1f} MB a user")
    print(f"  memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (this process)", flush=True)


def measure_neo4j(home: Home, generated: Story, users: int, minutes: float) -> None:
    """Print the results of a running Neo4j server, and delete the published users."""
    server = neo4j.running()
    if server is None:
        print("Neo4j: no server is running")
        return
    settings = GraphSettings(provider="neo4j", uri=server.uri, password=SecretStr(server.password), query_seconds=120)

    def open_one(user: int) -> GraphStore:
        return Neo4jGraph(space_of(home, user), settings)

    before = size(Path(server.home) / "data")
    published = publish("Neo4j", open_one, generated.snapshot(), users, minutes)
    ask(open_one, published, [generated.id(name) for name in generated.types])
    grown = (size(Path(server.home) / "data") - before) / published
    status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
    print(f"  files: {grown:.1f} MB a user, with transaction logs")
    print("  memory:", next(line.split(None, 1)[1] for line in status.splitlines() if "VmHWM" in line), "(the server)")
    print(f"  memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (this process)", flush=True)
    for user in range(published):
        graph = open_one(user)
        graph.delete_user()
        graph.close()


def space_of(home: Home, user: int) -> Space:
    return home.space(f"bench-{user}").create()


def main() -> None:
    parser = argparse.ArgumentParser()
    for option, default in (("users", 1000), ("entities", 1000), ("facts", 5000)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--minutes", type=float, default=6.0)
    options = parser.parse_args()
    generated = story(options.entities, options.facts)
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
        context, home = multiprocessing.get_context("spawn"), Home(Path(directory))
        for target, more in ((measure_embedded, ()), (measure_neo4j, (options.minutes,))):
            process = context.Process(target=target, args=(home, generated, options.users, *more))
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()

"""Publishing and asking the graph: embedded beside Neo4j in one run, on users of the same size.

    make neo4j-start && python -m benchmarks.graph [--users 20] [--entities 1000] [--facts 5000] [--queries 50]

The facts of each user are random, so that everything is near everything; that is the hard case for paths. Without a
running server only the embedded graph is measured. Embedded graphs are files of their own; in Neo4j all users share one
database, so `--users 1000` shows what sharing costs (and takes a while to load).
"""

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import SecretStr

from brain_retrieval.home import Home
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.protocol import FACT_KINDS, GraphStore
from tests.retrieval.graph.snapshots import Said, Story
from tests.servers import neo4j


def story(user: int, entities: int, facts: int) -> Story:
    """Return a user of random facts between entities; each source mentions ten."""
    rng = random.Random(user)
    types = {f"Thing {n}": rng.choice(["Person", "Concept", "Tool"]) for n in range(entities)}
    names = list(types)
    sources = {f"s{n}": (n % 300, names[n * 10 : n * 10 + 10]) for n in range((entities + 9) // 10)}
    said = [
        Said(rng.choice(names), f"uses {n % 9}", rng.choice(names), (f"s{n % len(sources)}",)) for n in range(facts)
    ]
    return Story(types, sources, list({(s.subject, s.predicate, s.object): s for s in said}.values()))


def measure(
    name: str, open_one: Callable[[int], GraphStore], users: int, entities: int, facts: int, queries: int
) -> None:
    """Print one store's figures."""
    rng, first, again = random.Random(1), [], []
    stores = []
    for user in range(users):
        told = story(user, entities, facts)
        snapshot, graph = told.snapshot(), open_one(user)
        for times in (first, again):
            began = time.perf_counter()
            graph.publish(snapshot)
            times.append(time.perf_counter() - began)
        stores.append((graph, [told.id(n) for n in told.types]))
    print(f"{name}: publish p50 {statistics.median(first):.2f} s a user, again {statistics.median(again):.2f} s")
    questions = {
        "1 hop": lambda g, keys: g.neighbours(rng.choice(keys), kinds=FACT_KINDS),
        "2 hops": lambda g, keys: g.neighbours(rng.choice(keys), hops=2, kinds=FACT_KINDS),
        "shortest path": lambda g, keys: g.shortest_path(*rng.sample(keys, 2), kinds=FACT_KINDS),
        "PageRank": lambda g, keys: g.pagerank({rng.choice(keys): 1.0}, kinds=FACT_KINDS, max_depth=2),
    }
    for what, ask in questions.items():
        took = []
        for _ in range(queries + 10):
            graph, keys = rng.choice(stores)
            began = time.perf_counter()
            ask(graph, keys)
            took.append(1000 * (time.perf_counter() - began))
        took = sorted(took[10:])
        print(f"  {what}: p50 {statistics.median(took):.1f} ms, p95 {took[int(len(took) * 0.95)]:.1f} ms")
    for graph, _ in stores:
        graph.delete_user()
        graph.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    for option, default in (("users", 20), ("entities", 1000), ("facts", 5000), ("queries", 50)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
        home = Home(Path(directory))
        measure("embedded", lambda user: EmbeddedGraph(home.space(f"bench-{user}").create()), **options)
        if server := neo4j.running():
            settings = GraphSettings(
                provider="neo4j", uri=server.uri, password=SecretStr(server.password), query_seconds=120
            )
            measure("Neo4j", lambda user: Neo4jGraph(home.space(f"bench-{user}").create(), settings), **options)
            status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
            print("Neo4j memory:", next(line.split(None, 1)[1] for line in status.splitlines() if "VmHWM" in line))
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()

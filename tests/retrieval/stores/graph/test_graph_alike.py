"""A random graph: the embedded graph and Neo4j give equal answers, in the same order, to every question."""

import random

from brain_retrieval.home import Space
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.protocol import FACT_KINDS
from tests.retrieval.stores.graph.snapshots import Said, Story, day, source_id

TYPES = ("Person", "Concept", "Organization", "Tool", "Location")


def random_story(seed: int) -> Story:
    """Return a story of about 25 entities and 60 facts; confidences repeat, so that ties are common."""
    rng = random.Random(seed)
    types = {f"{rng.choice(['Ann', 'Ben', 'Cay'])} {n}": rng.choice(TYPES) for n in range(25)}
    names = sorted(types)
    sources = {f"s{n}": (rng.randrange(20), rng.sample(names, 4)) for n in range(10)}
    sources["all"] = (0, names)
    facts = {}
    for _ in range(60):
        subject, object_ = rng.choice(names), rng.choice([*names, "42"])
        since = rng.randrange(10)
        until = rng.choice([None, None, since + rng.randrange(1, 10)])
        late = None if until is None else until + rng.randrange(5)
        said = tuple(sorted(rng.sample(sorted(sources), rng.choice([1, 2]))))
        polarity = rng.choice(["affirmed"] * 4 + ["negated"])
        confidence = rng.choice([0.5, 0.7, 0.9])
        predicate = rng.choice(["uses", "knows"])
        facts[subject, predicate, object_, polarity] = Said(
            subject, predicate, object_, said, confidence, since, until, late, polarity
        )
    storylines = {name: sorted(rng.sample(sorted(sources), 3)) for name in names[:3]}
    return Story(types, sources, list(facts.values()), storylines, {"Hm.": (names[0], "s1")}, names[4])


def test_both_stores_give_equal_results(space: Space, neo4j_settings: GraphSettings) -> None:
    story, rng = random_story(0), random.Random(0)
    embedded, server = EmbeddedGraph(space), Neo4jGraph(space, neo4j_settings)
    try:
        assert embedded.publish(story.snapshot()) == server.publish(story.snapshot())
        keys = [story.id(name) for name in story.types] + [source_id(name) for name in story.sources]
        for _ in range(10):
            key, other = rng.sample(keys, 2)
            times = {"as_of": rng.choice([None, day(rng.randrange(20))])}
            times["known_at"] = rng.choice([None, day(rng.randrange(20))])
            kinds = rng.choice([None, FACT_KINDS, ["mentions"]])
            options = {
                "hops": rng.choice([1, 2, 3]), "direction": rng.choice(["out", "in", "both"]), "kinds": kinds,
                "relations": rng.choice([None, ["uses"]]), "min_confidence": rng.choice([0, 0.7]),
                "limit": rng.choice([3, 50]), **times,
            }  # fmt: skip
            assert embedded.neighbours(key, **options) == server.neighbours(key, **options)
            ends = {"kinds": kinds, **times}
            assert embedded.shortest_path(key, other, **ends) == server.shortest_path(key, other, **ends)
            ranks = {"kinds": kinds, "max_depth": rng.choice([1, 2, 3]), **times}
            assert embedded.pagerank({key: 1, other: 2}, **ranks) == server.pagerank({key: 1, other: 2}, **ranks)
        some = rng.sample(keys, 8)
        assert embedded.subgraph(some) == server.subgraph(some)
        assert embedded.find("ann", prefix=True) == server.find("ann", prefix=True)
        assert embedded.delete_source(source_id("s1")) == server.delete_source(source_id("s1"))
        assert embedded._load() == server._load()
        assert embedded.stats() == server.stats()
    finally:
        server.delete_user()
        server.close()

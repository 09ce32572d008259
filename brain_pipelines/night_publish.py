"""The end of a night: readers see it, the graph shows it, what is too old goes."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

from brain_pipelines.knowledge.night_stage import NightOutput
from brain_pipelines.night_due import remember
from brain_retrieval.knowledge.nights import NightStore
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.maintenance import maintain

GRAPH_TABLES = (
    *("known_sources", "known_entities", "entity_members", "entity_names", "known_facts", "fact_evidence"),
    *("storylines", "storyline_sources", "macros", "summaries", "salience", "notes"),
)


def publish_night(
    store: NightStore, day: str, stages: Sequence[str], catalog: Catalog, settings: Settings
) -> NightOutput:
    """Complete a night, publish the graph if it is the newest, prune, and maintain the user's stores.

    Raises:
        GraphUnavailableError: the graph server failed; readers have the night and the embedded graph all the same.
    """
    from brain_retrieval.stores.graph.opening import open_graph

    space, output = store.space, NightOutput()
    changed = store.complete(day, stages)
    if store.newest() == day:
        snapshot = {name: store.read(day, name) for name in GRAPH_TABLES}
        with closing(open_graph(space, settings)) as graph:
            report = graph.publish(snapshot)
        output.measures |= {name: float(count) for name, count in asdict(report).items()}
        remember(space, settings, catalog, day)
    pruned = store.prune(settings.knowledge.keep_nights)
    output.measures |= {"changed": float(changed), "nights_pruned": float(pruned)}
    output.measures |= {name: float(count) for name, count in maintain(space).items()}
    return output

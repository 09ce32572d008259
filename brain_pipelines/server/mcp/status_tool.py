"""The tool memory_index_status: what is stored, how fresh it is, and what could not be read."""

from typing import TYPE_CHECKING, Any

from brain_pipelines.server.mcp.answers import Answer, Entry, answer, citation, heading, one_line
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.stored import source_counts

if TYPE_CHECKING:
    from brain_retrieval.stores.catalog import Catalog

MOST_PROBLEMS = 5


def memory_index_status(memory: UserMemory) -> Answer:
    """Report what this memory holds and whether it is up to date: sources by type, index, snapshot, graph, problems.

    Use it when a search finds nothing that should be there, or when the user asks what is stored. It takes no
    arguments.
    """
    from brain_pipelines.landing.landing import open_landing
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.snapshots import SnapshotStore

    brain = memory.brain
    with open_landing(brain.space, brain.settings) as landing, Catalog(brain.space) as catalog:
        inbox, index, problems = landing.size(), _index(catalog), _problems(catalog)
    with memory.graph() as graph:
        nodes = graph.stats()
    days = SnapshotStore(brain.space).days()
    counts = source_counts(brain.space)
    details: dict[str, Any] = {
        "sources": counts,
        "waiting_days": inbox["dirty_days"],
        "index": index,
        "snapshot": days[-1] if days else None,
        "graph": nodes,
        "problems": len(problems),
    }
    total = sum(row["sources"] for row in counts)
    kinds = ", ".join(f"{row['sources']} {row['source']} ({row['first']} to {row['last']})" for row in counts)
    state = "up to date" if index["fresh"] else f"{index['stale_days']} days behind"
    title = "\n".join(
        (
            f"{total} sources: {kinds or 'none'}.",
            f"Index: {index['chunks']} passages, {state}; {inbox['dirty_days']} days wait for processing.",
            f"Knowledge snapshot: {details['snapshot'] or 'none yet (brain nightly makes one)'}.",
            f"Graph: {_sum(nodes, 'node.')} nodes, {_sum(nodes, 'edge.')} relations.",
            f"{len(problems)} items could not be read in full{', the first ones:' if problems else '.'}",
        )
    )
    shown = problems[:MOST_PROBLEMS]
    return answer(title, shown, counter=memory.counter, max_tokens=1000, details=details)


def _index(catalog: "Catalog") -> dict[str, Any]:
    ledger = catalog.ledger()
    chunks = {(row.source, row.day): row.output_hash for row in ledger if row.stage == "chunks"}
    embedded = {
        (row.source, row.day): row.input_hash for row in ledger if row.stage == "embeddings" and row.state == "ok"
    }
    stale = [key for key, digest in chunks.items() if embedded.get(key, "") != digest]
    count = sum(row.rows for row in ledger if row.stage == "embeddings")
    return {"chunks": count, "stale_days": len(stale), "fresh": not stale}


def _sum(counts: dict[str, int], prefix: str) -> int:
    return sum(count for name, count in counts.items() if name.startswith(prefix))


def _problems(catalog: "Catalog") -> list[Entry]:
    return [
        Entry(one_line(row.uri), heading(row.kind, row.source, row.stage), row.reason, citation(row.uri))
        for row in catalog.quarantine()
    ]

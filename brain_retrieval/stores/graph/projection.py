"""`Projection`: snapshot tables → graph rows, a pure function, the same for every store."""

import polars as pl

from brain_retrieval.stores.graph import project_edges, project_nodes
from brain_retrieval.stores.graph.frames import Change, difference, pack, stored
from brain_retrieval.stores.graph.protocol import GraphSnapshot

# Columns of evidence beside `data`. Its text is not stored: the source, start and end say where it is.
OWN = ("evidence_id", "source_id", "subject_id")


class Projection:
    """The graph of a snapshot, computed table by table to limit memory.

    Edges to nodes that the snapshot does not have are left out and counted in `dangling`.
    """

    def __init__(self, snapshot: GraphSnapshot, user: str) -> None:
        tables = dict(snapshot)
        if "known_sources" in tables:
            tables.setdefault("sources", tables["known_sources"])
        # Empty tables are treated as missing.
        self._tables = {name: frame for name, frame in tables.items() if not frame.is_empty()}
        self._user = user
        self._keys = pl.DataFrame(schema={"key": pl.String()})
        self.dangling = 0

    def change(self, table: str, before: pl.DataFrame) -> Change:
        """Return the change of a table that has rows of the HASHES `before`. The nodes must be requested first."""
        made = {"node": self._nodes, "edge": self._edges, "evidence": self._evidence}
        return difference(made[table](), before)

    def _nodes(self) -> pl.DataFrame:
        found = [stored("node", rows) for rows in project_nodes.nodes(self._tables, self._user)]
        rows = stored("node", pl.concat(found) if found else pl.DataFrame())
        self._keys = rows.select("key")
        return rows

    def _edges(self) -> pl.DataFrame:
        found = [stored("edge", rows) for rows in project_edges.edges(self._tables)]
        rows = stored("edge", pl.concat(found) if found else pl.DataFrame())
        kept = rows
        for end in ("start", "end"):
            kept = kept.join(self._keys, left_on=end, right_on="key", how="semi")
        self.dangling = rows.height - kept.height
        return kept

    def _evidence(self) -> pl.DataFrame:
        rows = self._tables.get("fact_evidence")
        if rows is None:
            return stored("evidence", pl.DataFrame())
        data = pack(rows.drop(*OWN, "evidence"))
        return stored("evidence", rows.select("source_id", "subject_id", key="evidence_id", data=data))

"""The tables of a snapshot with their Arrow types, apart from its files: looking at a manifest needs no Arrow."""

import pyarrow as pa

from brain_retrieval.stores.knowledge_tables import KNOWLEDGE_TABLES
from brain_retrieval.stores.memory_tables import MEMORY_TABLES

SNAPSHOT_TABLES: dict[str, pa.Schema] = {**KNOWLEDGE_TABLES, **MEMORY_TABLES}

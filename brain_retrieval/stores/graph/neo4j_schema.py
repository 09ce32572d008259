"""Labels, relationship types, constraints and indexes of the graph in Neo4j. Community edition has all of these.

Every node has the label Item, which carries the one constraint that all statements find nodes by: (user_id, key). The
labels that the schema documents stand beside it, with the constraints of their own identities. Relationships run the
way the classes say (Person to Concept or Entity, Concept to Entity); a fact said the other way round is `inverted`.
"""

from brain_retrieval.schemas.names import ENTITY_TYPES
from brain_retrieval.stores.graph.protocol import EDGE_KINDS, NODE_KINDS

ITEM = "Item"
EVIDENCE = "Evidence"
LABELS = {kind: kind.title() for kind in NODE_KINDS}
# The finer types become labels too; a type that is not known stays a property.
TYPE_LABELS = frozenset(ENTITY_TYPES) - frozenset(LABELS.values())
CLASS_ORDER = ("person", "concept", "entity", "literal")

IDENTITIES = (
    (ITEM, "key"),
    ("Person", "entity_key"),
    ("Concept", "entity_key"),
    ("Entity", "entity_key"),
    ("Source", "entity_key"),
    ("Storyline", "storyline_id"),
    ("Macro", "macro_id"),
    ("Note", "note_id"),
    (EVIDENCE, "key"),
)
INDEXES = (
    (ITEM, ("user_id",)),
    ("Person", ("user_id", "canonical_name")),
    ("Concept", ("user_id", "canonical_name")),
    ("Entity", ("user_id", "canonical_name")),
    ("Source", ("user_id", "event_at")),
    (EVIDENCE, ("user_id", "source_id")),
)


def statements() -> dict[str, str]:
    """Return constraint or index name -> the statement that creates it; statements are idempotent."""
    schema: dict[str, str] = {}
    for label, name in IDENTITIES:
        schema[f"brain_{label.lower()}_{name}"] = f"CONSTRAINT {{}} FOR (n:{label}) REQUIRE (n.user_id, n.{name})"
    for kind in EDGE_KINDS:
        schema[f"brain_rel_{kind.lower()}"] = f"CONSTRAINT {{}} FOR ()-[r:{kind}]-() REQUIRE (r.user_id, r.key)"
    schema = {name: f"{text} IS UNIQUE" for name, text in schema.items()}
    schema["brain_graph"] = "CONSTRAINT {} FOR (n:BrainGraph) REQUIRE n.user_id IS UNIQUE"
    for label, names in INDEXES:
        columns = ", ".join(f"n.{name}" for name in names)
        schema[f"brain_{label.lower()}_{'_'.join(names)}"] = f"INDEX {{}} FOR (n:{label}) ON ({columns})"
    return {name: "CREATE " + text.format(f"{name} IF NOT EXISTS") for name, text in schema.items()}


def labels(kind: str, finer: str) -> str:
    """Return the labels of a node beside Item, as Cypher writes them."""
    return f":{LABELS[kind]}" + (f":{finer}" if finer in TYPE_LABELS else "")


def all_labels() -> str:
    """Return every label that a node may have beside Item, as Cypher writes them."""
    return "".join(f":{label}" for label in sorted({*LABELS.values(), *TYPE_LABELS}))


def inverted(start_kind: str, end_kind: str) -> bool:
    """Return whether a fact between these kinds of nodes is drawn from its object to its subject."""
    if start_kind not in CLASS_ORDER or end_kind not in CLASS_ORDER:
        return False
    return CLASS_ORDER.index(start_kind) > CLASS_ORDER.index(end_kind)

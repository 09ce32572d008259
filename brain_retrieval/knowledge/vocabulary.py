"""Entity classes and relationship kinds: the mapping of entity types to classes, and of class pairs to kinds."""

ENTITY_CLASSES = ("Person", "Concept", "Entity")
EDGE_KINDS = {
    ("Person", "Person"): "has_relationship_with",
    ("Person", "Concept"): "engages_with",
    ("Person", "Entity"): "associated_with",
    ("Concept", "Concept"): "relates_to",
    ("Concept", "Entity"): "involves",
    ("Entity", "Entity"): "connected_to",
}
LITERAL = "Literal"
HAS_VALUE = "has_value"


def entity_class(entity_type: str) -> str:
    """Return Person, Concept or Entity for one of ENTITY_TYPES."""
    return entity_type if entity_type in ("Person", "Concept") else "Entity"


def edge_kind(one: str, other: str) -> str:
    """Return the kind of a relationship between two classes, in either direction."""
    return EDGE_KINDS.get((one, other)) or EDGE_KINDS.get((other, one)) or HAS_VALUE

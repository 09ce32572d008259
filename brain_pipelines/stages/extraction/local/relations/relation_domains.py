"""Domain and range (entity types) of the ten relations. A fact that fits none is RELATED_TO; its predicate is kept."""

_PEOPLE = frozenset({"Person"})
_ACTORS = frozenset({"Person", "Organization"})
_WORK = frozenset({"Project", "Tool", "Document", "Concept", "Event"})
_THINGS = _WORK | {"Organization", "Location"}
_ALL = _THINGS | _PEOPLE
_SAYING = frozenset({"Document", "Event", "Project", "Concept"})

DOMAINS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "KNOWS": (_PEOPLE, _PEOPLE),
    "WORKS_WITH": (_PEOPLE, _PEOPLE),
    "MEMBER_OF": (_PEOPLE, frozenset({"Organization"})),
    "WORKED_ON": (_ACTORS, _WORK),
    "OWNS": (_ACTORS, _THINGS),
    "DEPENDS_ON": (_THINGS, _ALL),
    "PART_OF": (_ALL, _ALL),
    "USES": (_ALL, frozenset({"Tool", "Project", "Concept", "Document"})),
    "ABOUT": (_SAYING, _ALL),
}
RELATED_TO = "RELATED_TO"


def fitting_relation(relation: str, subject_type: str, object_type: str) -> str:
    """Return the relation if these types are in its domain and range, else RELATED_TO."""
    subjects, objects = DOMAINS.get(relation, (frozenset(), frozenset()))
    return relation if subject_type in subjects and object_type in objects else RELATED_TO

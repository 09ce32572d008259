"""Words for attitude and proximity on a scale of 1 to 5, by kind of relationship, as written into searchable texts."""

from brain_retrieval.knowledge.vocabulary import edge_kind

LOWEST, HIGHEST = 1, 5

ATTITUDES: dict[str, tuple[str, ...]] = {
    "has_relationship_with": ("hostile", "unfriendly", "neutral", "friendly", "close"),
    "engages_with": ("dislikes", "skeptical", "neutral", "interested", "passionate"),
    "associated_with": ("negative view", "unfavorable", "neutral", "favorable", "strongly positive"),
    "relates_to": ("contradicts", "conflicts", "independent", "complementary", "integral"),
    "involves": ("peripheral", "minor", "relevant", "important", "central"),
    "connected_to": ("adversarial", "competing", "independent", "cooperative", "integrated"),
}
PROXIMITIES: dict[str, tuple[str, ...]] = {
    "has_relationship_with": ("stranger", "acquaintance", "familiar", "known well", "intimate knowledge"),
    "engages_with": ("unfamiliar", "aware", "understands", "experienced", "expert"),
    "associated_with": ("distant", "aware of", "familiar with", "involved with", "deeply connected"),
    "relates_to": ("loosely related", "somewhat related", "related", "closely related", "inseparable"),
    "involves": ("tangential", "mentioned", "involved", "key component", "essential"),
    "connected_to": ("distantly connected", "indirectly connected", "connected", "closely linked", "tightly coupled"),
}


def attitude_word(kind: str, attitude: int) -> str:
    """Return the word for an attitude of 1–5 on a relationship of `kind`; "" for a kind without words."""
    return _word(ATTITUDES, kind, attitude)


def proximity_word(kind: str, proximity: int) -> str:
    """Return the word for a proximity of 1–5 on a relationship of `kind`; "" for a kind without words."""
    return _word(PROXIMITIES, kind, proximity)


def is_swapped(from_class: str, to_class: str) -> bool:
    """Return whether a relationship between these classes is stored from the second to the first.

    >>> is_swapped("Entity", "Person")
    True
    """
    order = ("Person", "Concept", "Entity")
    known = from_class in order and to_class in order and edge_kind(from_class, to_class) in ATTITUDES
    return known and order.index(from_class) > order.index(to_class)


def _word(words: dict[str, tuple[str, ...]], kind: str, value: int) -> str:
    if not LOWEST <= value <= HIGHEST:
        raise ValueError(f"{value} is not between {LOWEST} and {HIGHEST}")
    return words[kind][value - 1] if kind in words else ""

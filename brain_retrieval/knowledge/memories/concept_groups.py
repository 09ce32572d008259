"""Groups of concepts (`language/concepts.py`) by what a change of one says about what was said before."""

# Concepts of which a subject has one at a time: a change of one is the end of what was.
OF_LIFE = frozenset({":residence", ":work", ":study", ":school", ":team", ":stay", ":partner", ":diet"})
SINGLE = OF_LIFE | {":debt", ":version", ":rank", ":opening"}
# Concepts of a situation, which ends with whoever or whatever is in it; tastes and names do not.
OF_SITUATION = SINGLE | {":lead", ":supply", ":schedule", ":place", ":own", ":medicine", ":price"}
SCHEDULE = ":schedule"
GONE = ":gone"
VAGUE = frozenset({":attitude", GONE, ":not_yet", ":best"})
# What a slot says beyond its words: who is in a place may move from there.
_OF_SLOTS = {
    "stays_in": (":residence", ":stay"),
    "lives_in": (":residence",),
    "works_at": (":work",),
    "plays_for": (":team",),
    "leads": (":lead",),
}


def of_slot(attribute: str | None) -> tuple[str, ...]:
    """Return the concepts that an attribute of a memory stands for."""
    return _OF_SLOTS.get(attribute or "", ())

"""Names of a question → entities and speakers of the user: exact, by an alias, else by a similar spelling."""

from collections.abc import Sequence

from brain_retrieval.language.folding import fold
from brain_retrieval.query.analysis.known_names import Known, KnownNames
from brain_retrieval.query.analysis.question import Name, Resolved

MOST_COMPARED = 4  # names looked up by similarity in one question
MOST_MEANINGS = 3  # entities that share a name


def resolve(names: Sequence[Name], known: KnownNames | None) -> tuple[tuple[Resolved, ...], tuple[str, ...]]:
    """Return what the names refer to, and which of them speak in the user's sources, as written there."""
    if known is None:
        return (), ()
    entities: list[Resolved] = []
    speakers: dict[str, None] = {}
    compared = 0
    for name in names:
        form = fold(name.text)
        found = known.lookup(form) or (known.lookup(form[:-1]) if form.endswith("s") else ())  # a German genitive
        if not found and name.kind == "name" and compared < MOST_COMPARED:
            compared += 1
            found = known.similar(form)
        speakers.update(dict.fromkeys(each.speaker for each in found[:MOST_MEANINGS] if each.speaker))
        entities += _resolved(name, found[:MOST_MEANINGS])
    return tuple(entities), tuple(speakers)


def _resolved(name: Name, found: Sequence[Known]) -> list[Resolved]:
    """Return the meanings of one name; a speaker that is an entity as well is one, and several share the confidence."""
    with_id = [known for known in found if known.entity_id]
    meant = with_id or found
    return [
        Resolved(name.text, each.entity_id, each.canonical, each.kind, each.how, round(each.confidence / len(meant), 3))
        for each in meant
    ]

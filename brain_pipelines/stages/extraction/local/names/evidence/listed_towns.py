"""Names that the list of towns has: "Durban", which a parser of news takes for a company or overlooks."""

from dataclasses import replace
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.names.evidence.sentence_evidence import PLACE_PREPOSITIONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import STRONG, is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import towns
from brain_pipelines.stages.extraction.local.names.mention import GUESSED, LISTED, NAMED
from brain_pipelines.stages.extraction.local.names.people import Name

if TYPE_CHECKING:
    from spacy.tokens import Doc


def as_town(doc: "Doc", name: Name, evidence: int) -> Name | None:
    """Return a name of the list of towns as a place, None if its sentence shows something else.

    A team or company of the name of its town is typed by the parser; behind "in" or "from" it is the town.
    """
    if name.confidence > NAMED or doc[name.start : name.end].text not in towns():
        return None
    placed = _stands_behind_preposition(doc, name.start, name.end)
    if not placed and (evidence or (name.type != "Location" and name.confidence > GUESSED)):
        return None
    if name.type == "Person" and evidence == STRONG and doc[name.start - 1].lower_ in ("to", "at"):
        return None  # "talked to Lancaster"
    return replace(name, type="Location", confidence=max(name.confidence, LISTED))


def overlooked_town(doc: "Doc", start: int, end: int) -> Name | None:
    """Return large words that the parser took for no name as a town, also one that is a word: "in Bath"."""
    if doc[start:end].text not in towns():
        return None
    ordinary = end == start + 1 and is_word(doc[start])
    if ordinary and not _stands_behind_preposition(doc, start, end):
        return None
    return Name(start, end, "Location", LISTED)


def _stands_behind_preposition(doc: "Doc", start: int, end: int) -> bool:
    owned = end < len(doc) and doc[end].tag_ == "POS"
    return start > 0 and doc[start - 1].lower_ in PLACE_PREPOSITIONS and not owned

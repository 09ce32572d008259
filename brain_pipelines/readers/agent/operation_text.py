"""Text of a memory operation: its title, and blocks that keep the written content apart from the generated heading."""

from datetime import datetime

from brain_pipelines.readers.agent.memory_operation import (
    AddNote,
    AddRelationshipNote,
    CreateRelationship,
    Decide,
    Operation,
    Store,
)
from brain_pipelines.readers.extracted import Block
from brain_retrieval.knowledge.scales import attitude_word, proximity_word
from brain_retrieval.knowledge.vocabulary import edge_kind
from brain_retrieval.language.folding import fold

TITLE_CHARS = 80
SEPARATOR = "\n"


def blocks_of(operation: Operation, *, speaker: str, at: datetime) -> list[Block]:
    """Return blocks: a heading, the written content (kind "message" by `speaker`), and further details."""
    blocks = [Block(heading_of(operation), "generated")]
    written = _written(operation)
    if written:
        blocks.append(Block(written, "message", speaker=speaker, time=at))
    if isinstance(operation, CreateRelationship) and operation.properties:
        stated = "; ".join(f"{name}: {value}" for name, value in operation.properties.items())
        blocks.append(Block(stated, "data", section="properties"))
    if isinstance(operation, Store):
        if operation.context:
            blocks.append(Block(f"Context: {operation.context}", "message", speaker=speaker, time=at))
        lists = {"related": ("Related to", operation.related_to), "tags": ("Tags", operation.tags)}
        blocks += [Block(f"{name}: {', '.join(v)}", "data", section=key) for key, (name, v) in lists.items() if v]
    return blocks


def sentence_of(operation: Operation) -> str:
    """Return what an operation says as text that names its entities, "" for a merge decision.

    >>> sentence_of(AddNote(op="add_note", entity_key="Bob Lee", content="Prefers short meetings."))
    'Bob Lee: Prefers short meetings.'
    >>> sentence_of(AddNote(op="add_note", entity_key="Bob Lee", content="Bob Lee prefers short meetings."))
    'Bob Lee prefers short meetings.'
    """
    written = " ".join(_written(operation).split())
    missing = [end.name for end in operation.ends if fold(end.name) not in fold(written)]
    if isinstance(operation, CreateRelationship):
        left, right = (end.name for end in operation.ends)
        return f"{left}, {operation.relationship_type}, {right}: {written}" if missing else written
    return f"{' and '.join(missing)}: {written}" if missing and written else written


def heading_of(operation: Operation) -> str:
    """Return a one-line description of an operation.

    >>> heading_of(AddNote(op="add_note", entity_key="Bob Lee", content="Prefers short meetings."))
    'Note about Bob Lee:'
    """
    names = [end.name for end in operation.ends]
    match operation:
        case AddNote():
            return f"Note about {names[0]}:"
        case AddRelationshipNote():
            return f"Note about {names[0]} and {names[1]}:"
        case CreateRelationship():
            return f"Relationship of {names[0]} to {names[1]}: {operation.relationship_type}{_scales(operation)}."
        case Decide(op="merge"):
            return f"{names[0]} and {names[1]} are the same."
        case Decide():
            return f"{names[0]} and {names[1]} are not the same."
        case Store():
            return f"{operation.category.capitalize()}, {operation.priority} priority:"


def title_of(operation: Operation) -> str:
    """Return a short name for an operation."""
    if not isinstance(operation, Store):
        return heading_of(operation).partition(":")[0].rstrip(".")
    line = " ".join(operation.content.split())
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"


def _written(operation: Operation) -> str:
    if isinstance(operation, CreateRelationship):
        return operation.description
    return "" if isinstance(operation, Decide) else operation.content


def _scales(operation: CreateRelationship) -> str:
    """Return attitude and proximity as words; without the classes of both ends, as numbers."""
    classes = [end.entity_class or "" for end in operation.ends]
    kind = edge_kind(classes[0], classes[1])
    attitude = attitude_word(kind, operation.attitude) or f"{operation.attitude} of 5"
    proximity = proximity_word(kind, operation.proximity) or f"{operation.proximity} of 5"
    return f"; attitude {attitude}, proximity {proximity}"

"""Relation typing: predicate and the entity types of its two sides → one of the ten relations. The predicate is kept.

Domains and ranges follow the relations in `brain_retrieval.schemas.names`; a predicate whose arguments do not fit is
RELATED_TO.
"""

from brain_pipelines.stages.extraction.lexicons import LEXICONS

_WORDS = LEXICONS.read("relations")

_GROUP = frozenset({"Organization"})
_WORK = frozenset({"Project", "Tool", "Document", "Concept"})
_ACTORS = frozenset({"Person", "Organization"})

_OWN = _WORDS.words("own")
_LEAD = _WORDS.words("lead")
_JOIN = _WORDS.words("join")
_USE = _WORDS.words("use")
_MEET = _WORDS.words("meet")
_COLLABORATE = _WORDS.words("collaborate")
_DEPEND = _WORDS.words("depend")
_ABOUT = _WORDS.words("about")
_WORK_NOUNS = _WORDS.words("work_nouns")


def relation_of(predicate: str, subject_type: str, object_type: str) -> str:
    """Return the relation of a predicate in lemma form ("depend on") between two entity types."""
    words = predicate.split(" ")
    verb, last = words[0], words[-1]
    # A preference is about taste, whatever the noun: "favourite part of" is not PART_OF.
    if "favorite" in words:
        return "RELATED_TO"
    if {"part", "component", "subsidiary", "module"} & set(words) and last == "of":
        return "PART_OF"
    if last in ("about", "regarding", "concerning"):
        return "ABOUT"
    if subject_type == "Person" and object_type == "Person":
        return _between_people(words)
    if object_type == "Organization" and subject_type == "Person":
        return _with_group(words)
    if verb in _DEPEND and subject_type not in ("Person",) and object_type != "Literal":
        return "DEPENDS_ON"
    if subject_type in _ACTORS and object_type in _WORK:
        return _on_work(words, object_type)
    if subject_type == "Document" and verb in _ABOUT:
        return "ABOUT"
    return _between_things(words, subject_type, object_type)


def _between_people(words: list[str]) -> str:
    if words[0] in _COLLABORATE or _WORK_NOUNS & set(words):
        return "WORKS_WITH"
    if words[0] in _MEET or words[0] == "be":
        return "KNOWS"
    return "RELATED_TO"


def _with_group(words: list[str]) -> str:
    if words[0] in _JOIN or words[0] in ("work", "belong", "serve", "intern", "volunteer"):
        return "MEMBER_OF"
    if words[0] in ("from", "of") or (words[0] == "be" and words[-1] in ("of", "at", "from", "in", "on", "for")):
        return "MEMBER_OF"
    if words[0] in ("own", "acquire", "buy"):
        return "OWNS"
    return "RELATED_TO"


def _on_work(words: list[str], object_type: str) -> str:
    verb, last = words[0], words[-1]
    if (
        # "has an idea" does not own it: with a concept "have" and "hold" are light verbs.
        (verb in _OWN and not (verb in ("have", "hold") and object_type == "Concept"))
        or {"owner", "maintainer"} & set(words)
        or words[:2] == ["be", "responsible"]
    ):
        return "OWNS"
    if object_type == "Tool" and verb in _USE:
        return "USES"
    if verb in ("use", "adopt", "employ"):
        return "USES"
    if verb in _LEAD and (len(words) == 1 or last in ("on", "up", "out")):
        return "WORKED_ON"
    return "WORKED_ON" if {"author", "lead", "leader", "designer", "developer", "editor"} & set(words) else "RELATED_TO"


def _between_things(words: list[str], subject_type: str, object_type: str) -> str:
    verb = words[0]
    if verb in ("use", "adopt", "employ") or "built" in words or (verb == "run" and object_type == "Tool"):
        return "USES" if object_type in ("Tool", "Project", "Concept") else "RELATED_TO"
    if verb in ("belong", "contain", "include") and object_type != "Literal":
        return "PART_OF" if verb == "belong" else "RELATED_TO"
    if subject_type in _ACTORS and verb in _OWN and object_type not in ("Literal", "Person"):
        return "OWNS"
    return "RELATED_TO"

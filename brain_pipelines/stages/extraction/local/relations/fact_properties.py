"""Further properties of a stated relationship: the role that a predicate names, and a duration.

"Dana is lead designer at Northwind for three years" gives the role "lead designer" and the duration "three years"; the
start and the end of a relationship are columns of FACTS. Operations state any properties.
"""

import json
import re
from collections.abc import Iterable, Mapping

from brain_pipelines.stages.extraction.local.names.gazetteers import type_of_noun
from brain_pipelines.stages.extraction.local.time.time_expressions import TimePhrase

_ROLE = re.compile(r"(?:be|become) (?P<role>.+) (?:of|at|for|in|to|with)")
LASTING = "for"  # marker of a duration


def properties_of(predicate: str, object_name: str, times: Iterable[TimePhrase]) -> str | None:
    """Return the properties of a fact as a JSON object, None if it states none."""
    found: dict[str, str] = {}
    match = _ROLE.fullmatch(predicate)
    role = match["role"] if match else object_name if predicate == "work as" else ""
    if role and _is_role(role):
        found["role"] = role
    if lasting := next((phrase.text for phrase in times if phrase.marker == LASTING), ""):
        found["duration"] = lasting
    return to_json(found)


def to_json(properties: Mapping[str, str] | None) -> str | None:
    """Return properties as a JSON object with sorted keys, None if there are none."""
    return json.dumps(dict(properties), sort_keys=True, ensure_ascii=False) if properties else None


def _is_role(phrase: str) -> bool:
    noun = phrase.split()[-1]
    return noun.isupper() or type_of_noun(noun.lower()) == "Person"

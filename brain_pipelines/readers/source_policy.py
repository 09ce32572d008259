"""Retention and sensitivity of a source, as a sender, front matter or a memory operation states them.

They are stated under the keys `retention` (or `ttl_policy`) and `sensitivity`, or as on the command line
("keep_forever: true"), kept in the metadata of the landed item
and become columns of every table. What is not stated is `decay` and `normal`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.markdown import front_matter
from brain_retrieval.knowledge.memory_states import SENSITIVITIES, TTL_POLICIES

KEYS = {"ttl_policy": ("ttl_policy", "retention"), "sensitivity": ("sensitivity",)}
ALLOWED = {"ttl_policy": TTL_POLICIES, "sensitivity": SENSITIVITIES}


@dataclass(frozen=True)
class SourcePolicy:
    """A stated retention (one of TTL_POLICIES) and sensitivity (one of SENSITIVITIES); None: not stated.

    Raises:
        ValueError: for any other value.
    """

    ttl_policy: str | None = None
    sensitivity: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in ALLOWED.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise ValueError(f"{name} {value!r:.60} is none of {', '.join(allowed)}")

    def with_(self, other: "SourcePolicy") -> "SourcePolicy":
        """Return both statements as one: the stronger retention and the higher sensitivity count."""
        ttl = [one for one in TTL_POLICIES if one in (self.ttl_policy, other.ttl_policy)]
        level = [one for one in SENSITIVITIES if one in (self.sensitivity, other.sensitivity)]
        return SourcePolicy(ttl[0] if ttl else None, level[-1] if level else None)

    def replaced_by(self, newer: "SourcePolicy") -> "SourcePolicy":
        """Return this statement with what a newer one of the same sender states."""
        return SourcePolicy(newer.ttl_policy or self.ttl_policy, newer.sensitivity or self.sensitivity)

    def to_meta(self) -> dict[str, str]:
        """Return what is stated, as metadata of an item."""
        values = {"ttl_policy": self.ttl_policy, "sensitivity": self.sensitivity}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> "SourcePolicy":
        """Return what metadata, front matter or an operation states; a value that is not allowed is left out."""
        return stated(meta)[0]


def stated(values: Mapping[str, Any]) -> tuple[SourcePolicy, list[str]]:
    """Return the policy that a mapping states, and a sentence for each value that is not allowed."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for name, keys in KEYS.items():
        for key in keys:
            if not (said := values.get(key)):
                continue
            value = str(said).strip().lower().replace("-", "_").replace(" ", "_")
            if value in ALLOWED[name]:
                found.setdefault(name, value)
            else:
                problems.append(f"{key} {said!r:.60} is none of {', '.join(ALLOWED[name])} and does not count")
    # The words of the command line: --keep-forever, --ephemeral. The stronger of two counts.
    for policy in TTL_POLICIES:
        if any(_is_yes(values.get(key)) for key in (policy, policy.replace("_", "-"))):
            found.setdefault("ttl_policy", policy)
    return SourcePolicy(**found), problems


def _is_yes(said: Any) -> bool:
    return said is True or str(said).strip().casefold() in ("true", "yes", "on")


def stated_in(path: Path) -> tuple[SourcePolicy, list[str]]:
    """Return the policy that the front matter of a Markdown file states; bounded and without exceptions."""
    try:
        if detect_format(path).name != "markdown":
            return SourcePolicy(), []
        return stated(front_matter(beginning(path).decode("utf-8", "replace")).values)
    except Exception:  # whatever a hostile file provokes: it lands, and the read stage says what is wrong with it
        return SourcePolicy(), []

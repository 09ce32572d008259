"""The owner's entity: the first person ("I") and the names and addresses of the settings are always one entity."""

from brain_pipelines.knowledge.entities.clusters import Clusters, Link
from brain_pipelines.knowledge.entities.names import normalise, tidy
from brain_pipelines.knowledge.entities.nodes import Node, class_of
from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_retrieval.ids import content_id
from brain_retrieval.settings.knowledge import OwnerSettings

FIRST_PERSON = ("Person", OWNER)


def owner_id(user: str) -> str:
    """Return the id of the owner's entity, which depends on the user alone."""
    return content_id("entity", user, "owner")


def owner_keys(owner: OwnerSettings) -> list[tuple[str, str]]:
    """Return the nodes (class, name) of the owner, the first person first."""
    given = [n for n in (owner.name, *owner.aliases, *owner.emails) if n and n.strip()]
    keys: list[tuple[str, str]] = [FIRST_PERSON]
    for name in given:
        group = class_of(name.strip(), "Person")
        key = (group, normalise(name, group))
        if key not in keys:
            keys.append(key)
    return keys


def gather_owner(nodes: list[Node], owner: OwnerSettings, clusters: Clusters) -> int:
    """Join the owner's nodes; return the node of the displayed name: the name of the settings, else "user"."""
    keys = owner_keys(owner)
    index = {(node.entity_class, node.name): i for i, node in enumerate(nodes)}
    first = index[FIRST_PERSON]
    for key in keys[1:]:
        clusters.follow(Link(index[key], first, 1.0, "owner", "a name of the owner"), force=True)
    if owner.name is None or not owner.name.strip():
        return first
    head = index[keys[1]]
    nodes[head].display = tidy(owner.name)
    return head

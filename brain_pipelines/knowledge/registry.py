"""The stages of a snapshot, in their order.

sources ─► echoes ─► entities ─► facts ─► notes ─► storylines ─► macros ─► summaries ─► salience ─► quality ─► graph
"""

from typing import Any

from brain_pipelines.knowledge import snapshot_inputs
from brain_pipelines.knowledge.snapshot_inputs import NOTE
from brain_pipelines.knowledge.stage import SnapshotStage
from brain_retrieval.settings import OwnerSettings, Settings


def passed(check: str, value: float) -> bool:
    """Tell whether a measure of the quality gate is within its limit."""
    from brain_pipelines.knowledge.quality import LIMITS

    return value <= LIMITS[check]


def _no_config(_settings: Settings, _user: str) -> list[Any]:
    return []


def _memory(settings: Settings, _user: str) -> Any:
    return settings.memory.model_dump(mode="json", exclude={"log_access"})


def _identity(settings: Settings, user: str) -> Any:
    chosen = [settings.owners.get(user, OwnerSettings()), settings.extraction]
    dumped = [section.model_dump(mode="json") for section in chosen]
    return [*dumped, settings.knowledge.merge_score, user in settings.teams]


def _summaries(settings: Settings, _user: str) -> Any:
    chosen = settings.memory.summaries
    return [chosen, settings.llm.model if chosen == "llm" else None]


def _graph(settings: Settings, _user: str) -> Any:
    return [settings.graph.provider, settings.graph.uri, settings.graph.database]


def _checks() -> dict[str, bool]:
    from brain_pipelines.knowledge.quality import BLOCKING, LIMITS

    return {name: name in BLOCKING for name in LIMITS}


EXTRACTION = (("entities", None), ("mentions", None), ("facts", None))

SNAPSHOT_STAGES: tuple[SnapshotStage, ...] = (
    SnapshotStage(
        name="sources",
        group="knowledge",
        upstream=(),
        lake=(("text", None), ("enrichments", None)),
        tables=("known_sources",),
        code_version="1",
        config=lambda settings, _user: sorted(settings.teams),
        run=snapshot_inputs.run_sources,
        description="Every source received until the end of the day.",
    ),
    SnapshotStage(
        name="echoes",
        group="knowledge",
        upstream=("sources",),
        lake=(("text", None), ("chunks", None)),
        tables=("echoes",),
        code_version="1",
        config=_no_config,
        run=snapshot_inputs.run_echoes,
        description="What agents only repeated after retrieval had shown it to them: no evidence of anything.",
        reads_log=True,
    ),
    SnapshotStage(
        name="entities",
        group="knowledge",
        upstream=("sources", "echoes"),
        lake=(*EXTRACTION, ("text", NOTE)),
        tables=("entity_members", "known_entities", "entity_names", "entity_merges"),
        code_version="1",
        config=_identity,
        run=snapshot_inputs.run_entities,
        description="Which entities of all sources are one, each merge with its reason; counters derived from members.",
    ),
    SnapshotStage(
        name="facts",
        group="knowledge",
        upstream=("echoes", "entities"),
        lake=(("facts", None),),
        tables=("fact_evidence", "known_facts"),
        code_version="1",
        config=_no_config,
        run=snapshot_inputs.run_facts,
        description="Facts on two clocks, from all evidence: what holds, what was superseded, what is disputed.",
    ),
    SnapshotStage(
        name="notes",
        group="knowledge",
        upstream=("entities",),
        lake=(("text", NOTE),),
        tables=("notes",),
        code_version="1",
        config=_no_config,
        run=snapshot_inputs.run_notes,
        description="Notes of agents and people on entities and relationships, and which have expired.",
    ),
    SnapshotStage(
        name="storylines",
        group="memory",
        upstream=("sources", "entities"),
        lake=(),
        tables=("storylines", "storyline_sources"),
        code_version="1",
        config=_memory,
        run=snapshot_inputs.run_storylines,
        description="Sources attached to the threads of what they mention; threads with enough evidence promoted.",
        reads_log=True,
    ),
    SnapshotStage(
        name="macros",
        group="memory",
        upstream=("entities", "storylines"),
        lake=(),
        tables=("macros",),
        code_version="1",
        config=_memory,
        run=snapshot_inputs.run_macros,
        description="What has had several storylines over more than a month.",
    ),
    SnapshotStage(
        name="summaries",
        group="memory",
        upstream=("entities", "facts", "notes", "storylines", "macros"),
        lake=(("text", None), ("enrichments", None)),
        tables=("summaries",),
        code_version="1",
        config=_summaries,
        run=snapshot_inputs.run_summaries,
        description="Summaries of what rests on other evidence than the last snapshot, every sentence with its source.",
        reads_log=True,
    ),
    SnapshotStage(
        name="salience",
        group="memory",
        upstream=("sources", "entities", "facts", "storylines", "macros"),
        lake=(),
        tables=("salience",),
        code_version="1",
        config=_memory,
        run=snapshot_inputs.run_salience,
        description="How strong each memory is: a formula of its age, its mentions and the access log.",
        reads_log=True,
    ),
    SnapshotStage(
        name="quality",
        group="knowledge",
        upstream=("entities", "facts", "storylines", "summaries"),
        lake=(("text", None),),
        tables=("quality",),
        code_version="1",
        config=_no_config,
        run=snapshot_inputs.run_quality,
        description="The quality gate: orphan edges and unsupported summaries block publication, rates warn.",
        checks=_checks(),
        settles=True,
    ),
    SnapshotStage(
        name="graph",
        group="knowledge",
        upstream=(
            *("sources", "echoes", "entities", "facts", "storylines"),
            *("macros", "summaries", "salience", "notes", "quality"),
        ),
        lake=(),
        tables=(),
        code_version="1",
        config=_graph,
        run=snapshot_inputs.run_graph,
        description="The snapshot made visible to readers and published as a graph; old snapshots and files go.",
        publishes=True,
    ),
)

"""The retrieval library: `Brain.open(home, user=…)`, then `search`, `context` and `knowledge`, with cited sources.

>>> from brain_retrieval import Brain  # doctest: +SKIP
>>> with Brain.open("data/home", user="alice") as brain:  # doctest: +SKIP
...     hits = brain.search("who leads Phoenix?", k=5)
...     pack = brain.context("who leads Phoenix?", max_tokens=2000)
...     known = brain.knowledge().memories("Phoenix", as_of="2026-01-31")

Names are loaded on first use, so that reading one record's schema does not import the whole library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain_retrieval.brain import Brain
    from brain_retrieval.errors import (
        BrainError,
        InvalidQueryError,
        InvalidSettingsError,
        InvalidUserError,
        ModelMissingError,
        NoSnapshotError,
        StoreError,
        UnknownUserError,
    )
    from brain_retrieval.evidence.candidates.gathering import SearchStep
    from brain_retrieval.evidence.candidates.statement import (
        EndedBy,
        Statement,
    )
    from brain_retrieval.evidence.claims.claim import (
        Claim,
        Quantity,
        SubClaim,
        When,
    )
    from brain_retrieval.evidence.items import EvidenceItem
    from brain_retrieval.evidence.report import (
        EvidenceReport,
        Finding,
    )
    from brain_retrieval.evidence.stance.features import StanceFeatures
    from brain_retrieval.evidence.stance.judge import Stance
    from brain_retrieval.evidence.sufficiency import Sufficiency
    from brain_retrieval.evidence.trust import TrustInterval
    from brain_retrieval.extras import MissingExtraError
    from brain_retrieval.home import (
        Home,
        Space,
    )
    from brain_retrieval.knowledge.cards import (
        EntityCard,
        Evidence,
        FactCard,
        Mentioned,
        NoteCard,
        Sentence,
        StorylineCard,
        StoryPart,
    )
    from brain_retrieval.knowledge.memories.audit import (
        Audit,
        Change,
    )
    from brain_retrieval.knowledge.memories.cards import MemoryCard
    from brain_retrieval.knowledge.memories.sections import Sections
    from brain_retrieval.knowledge.memories.shown.coming import Coming
    from brain_retrieval.knowledge.reader import Knowledge
    from brain_retrieval.knowledge.stories.habit_cards import HabitCard, Occurrence
    from brain_retrieval.query.analysis.question import Resolved
    from brain_retrieval.query.ask.asked import (
        Asked,
        Cited,
        Written,
        WrittenSentence,
    )
    from brain_retrieval.query.ask.counted import CountedList
    from brain_retrieval.query.explained.connection import Connection
    from brain_retrieval.query.held_hit import HeldHit
    from brain_retrieval.query.hits import (
        ArmScore,
        Hit,
        Neighbour,
        SearchResult,
        SourceRef,
        TemporalContext,
        Timings,
        WhyRanked,
    )
    from brain_retrieval.query.overview import (
        Overview,
        Theme,
    )
    from brain_retrieval.query.packs.pack import (
        ContextItem,
        ContextPack,
        Dropped,
        KnownItem,
    )
    from brain_retrieval.query.packs.prompt import format_for_prompt
    from brain_retrieval.query.source_card import (
        Relative,
        SourceCard,
    )
    from brain_retrieval.query.superseded import (
        StatementRef,
        SupersededBy,
    )
    from brain_retrieval.query.why.node import Dependents, LineageNode, MadeBy, Why
    from brain_retrieval.settings import Settings
    from brain_retrieval.teams import NotAMemberError

__version__ = "0.2.0"  # the only place that says it

_MODULES = {
    "ArmScore": "query.hits",
    "Asked": "query.ask.asked",
    "Audit": "knowledge.memories.audit",
    "Brain": "brain",
    "BrainError": "errors",
    "Change": "knowledge.memories.audit",
    "Cited": "query.ask.asked",
    "Claim": "evidence.claims.claim",
    "HabitCard": "knowledge.stories.habit_cards",
    "Occurrence": "knowledge.stories.habit_cards",
    "Coming": "knowledge.memories.shown.coming",
    "Connection": "query.explained.connection",
    "ContextItem": "query.packs.pack",
    "ContextPack": "query.packs.pack",
    "CountedList": "query.ask.counted",
    "Dependents": "query.why.node",
    "Dropped": "query.packs.pack",
    "EndedBy": "evidence.candidates.statement",
    "EntityCard": "knowledge.cards",
    "Evidence": "knowledge.cards",
    "EvidenceItem": "evidence.items",
    "EvidenceReport": "evidence.report",
    "FactCard": "knowledge.cards",
    "Finding": "evidence.report",
    "HeldHit": "query.held_hit",
    "Hit": "query.hits",
    "Home": "home",
    "InvalidQueryError": "errors",
    "InvalidSettingsError": "errors",
    "InvalidUserError": "errors",
    "Knowledge": "knowledge.reader",
    "KnownItem": "query.packs.pack",
    "LineageNode": "query.why.node",
    "MadeBy": "query.why.node",
    "MemoryCard": "knowledge.memories.cards",
    "Mentioned": "knowledge.cards",
    "MissingExtraError": "extras",
    "ModelMissingError": "errors",
    "Neighbour": "query.hits",
    "NoSnapshotError": "errors",
    "NotAMemberError": "teams",
    "NoteCard": "knowledge.cards",
    "Overview": "query.overview",
    "Quantity": "evidence.claims.claim",
    "Relative": "query.source_card",
    "Resolved": "query.analysis.question",
    "SearchResult": "query.hits",
    "SearchStep": "evidence.candidates.gathering",
    "Sections": "knowledge.memories.sections",
    "Sentence": "knowledge.cards",
    "Settings": "settings",
    "SourceCard": "query.source_card",
    "SourceRef": "query.hits",
    "Space": "home",
    "Stance": "evidence.stance.judge",
    "StanceFeatures": "evidence.stance.features",
    "Statement": "evidence.candidates.statement",
    "StatementRef": "query.superseded",
    "StoreError": "errors",
    "StoryPart": "knowledge.cards",
    "StorylineCard": "knowledge.cards",
    "SubClaim": "evidence.claims.claim",
    "Sufficiency": "evidence.sufficiency",
    "SupersededBy": "query.superseded",
    "TemporalContext": "query.hits",
    "Theme": "query.overview",
    "Timings": "query.hits",
    "TrustInterval": "evidence.trust",
    "UnknownUserError": "errors",
    "When": "evidence.claims.claim",
    "Why": "query.why.node",
    "WhyRanked": "query.hits",
    "Written": "query.ask.asked",
    "WrittenSentence": "query.ask.asked",
    "format_for_prompt": "query.packs.prompt",
}

__all__ = [
    "ArmScore",
    "Asked",
    "Audit",
    "Brain",
    "BrainError",
    "Change",
    "Cited",
    "Claim",
    "Coming",
    "Connection",
    "ContextItem",
    "ContextPack",
    "CountedList",
    "Dependents",
    "Dropped",
    "EndedBy",
    "EntityCard",
    "Evidence",
    "EvidenceItem",
    "EvidenceReport",
    "FactCard",
    "Finding",
    "HabitCard",
    "HeldHit",
    "Hit",
    "Home",
    "InvalidQueryError",
    "InvalidSettingsError",
    "InvalidUserError",
    "Knowledge",
    "KnownItem",
    "LineageNode",
    "MadeBy",
    "MemoryCard",
    "Mentioned",
    "MissingExtraError",
    "ModelMissingError",
    "Neighbour",
    "NoSnapshotError",
    "NotAMemberError",
    "NoteCard",
    "Occurrence",
    "Overview",
    "Quantity",
    "Relative",
    "Resolved",
    "SearchResult",
    "SearchStep",
    "Sections",
    "Sentence",
    "Settings",
    "SourceCard",
    "SourceRef",
    "Space",
    "Stance",
    "StanceFeatures",
    "Statement",
    "StatementRef",
    "StoreError",
    "StoryPart",
    "StorylineCard",
    "SubClaim",
    "Sufficiency",
    "SupersededBy",
    "TemporalContext",
    "Theme",
    "Timings",
    "TrustInterval",
    "UnknownUserError",
    "When",
    "Why",
    "WhyRanked",
    "Written",
    "WrittenSentence",
    "__version__",
    "format_for_prompt",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""What `brain_retrieval` exports, and what importing it costs."""

import re
import subprocess
import sys
from dataclasses import is_dataclass
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import Any, get_args, get_type_hints

import pytest

import brain_pipelines
import brain_retrieval
from brain_retrieval.query.packs.known import SHARES

PUBLIC = {
    "ArmScore",
    "Asked",
    "Audit",
    "Brain",
    "BrainError",
    "Change",
    "Cited",
    "Connection",
    "ContextItem",
    "ContextPack",
    "CountedList",
    "Dropped",
    "EntityCard",
    "Evidence",
    "FactCard",
    "HeldHit",
    "Hit",
    "Home",
    "InvalidQueryError",
    "InvalidSettingsError",
    "InvalidUserError",
    "Knowledge",
    "KnownItem",
    "MemoryCard",
    "Mentioned",
    "MissingExtraError",
    "ModelMissingError",
    "Neighbour",
    "NoSnapshotError",
    "NotAMemberError",
    "NoteCard",
    "Overview",
    "Relative",
    "SearchResult",
    "Sections",
    "Sentence",
    "Settings",
    "SourceCard",
    "SourceRef",
    "Space",
    "StatementRef",
    "StoreError",
    "StoryPart",
    "StorylineCard",
    "SupersededBy",
    "TemporalContext",
    "Theme",
    "Timings",
    "UnknownUserError",
    "WhyRanked",
    "Written",
    "WrittenSentence",
    "Claim",
    "Coming",
    "HabitCard",
    "Occurrence",
    "EndedBy",
    "EvidenceItem",
    "EvidenceReport",
    "Finding",
    "Quantity",
    "Resolved",
    "SearchStep",
    "Stance",
    "StanceFeatures",
    "Statement",
    "SubClaim",
    "Sufficiency",
    "TrustInterval",
    "When",
    "Why",
    "LineageNode",
    "Dependents",
    "MadeBy",
    "format_for_prompt",
}


def test_the_public_names_are_exactly_these() -> None:
    assert set(brain_retrieval.__all__) == PUBLIC | {"__version__"}
    assert set(dir(brain_retrieval)) == PUBLIC | {"__version__"}
    for name in PUBLIC:
        assert getattr(brain_retrieval, name).__name__ == name


def test_what_exported_records_hold_is_exported() -> None:
    records = [value for name in PUBLIC if is_dataclass(value := getattr(brain_retrieval, name))]
    assert len(records) > 15
    held = {
        part.__name__
        for record in records
        for hint in get_type_hints(record).values()
        for part in parts(hint)
        if getattr(part, "__module__", "").startswith("brain_retrieval")
    }
    assert "ArmScore" in held
    assert held <= PUBLIC


def test_what_public_methods_return_is_exported() -> None:
    returned = set()
    for kind in (brain_retrieval.Brain, brain_retrieval.Knowledge):
        methods = {name: method for base in reversed(kind.__mro__) for name, method in vars(base).items()}
        for name, method in methods.items():
            if not name.startswith("_") and isinstance(method, FunctionType):
                returned |= set(re.findall(r"[A-Z]\w+", str(method.__annotations__["return"])))
    assert {"SearchResult", "ContextPack", "SourceCard", "EntityCard"} <= returned
    assert returned - {"Self", "None", "DataFrame", "Table", "Any"} <= PUBLIC


def test_a_context_takes_the_options_of_a_search_by_name() -> None:
    search, context = (
        signature(method).parameters for method in (brain_retrieval.Brain.search, brain_retrieval.Brain.context)
    )
    own = {"max_tokens", "buckets", *(f"include_{kind}" for kind in SHARES)}
    assert {*search, *own} - {"include_untrusted"} == set(context)  # what is not trusted is in no context


def test_both_packages_say_that_they_are_typed() -> None:
    for package in (brain_retrieval, brain_pipelines):
        assert Path(package.__file__ or "").with_name("py.typed").is_file()


def parts(hint: object) -> list[Any]:
    """Return the classes in a type, however deep."""
    return [part for one in get_args(hint) for part in parts(one)] or [hint]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Brian"):
        _ = brain_retrieval.Brian  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("code", ["import brain_retrieval", "from brain_retrieval import Brain"])
def test_importing_loads_no_store_model_or_orchestrator(code: str) -> None:
    heavy = "dagster lancedb pyarrow numpy pydantic onnxruntime spacy openai torch neo4j cv2 duckdb polars".split()
    script = f"{code}; import sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""What `brain_retrieval` exports, and what importing it costs."""

import subprocess
import sys

import pytest

import brain_retrieval

PUBLIC = {
    "Brain",
    "BrainError",
    "ContextPack",
    "EntityCard",
    "FactCard",
    "Hit",
    "Home",
    "InvalidQueryError",
    "InvalidUserError",
    "Knowledge",
    "NoSnapshotError",
    "NotAMemberError",
    "SearchResult",
    "StorylineCard",
    "UnknownUserError",
}


def test_the_public_names_are_exactly_these() -> None:
    assert set(brain_retrieval.__all__) == PUBLIC
    assert set(dir(brain_retrieval)) == PUBLIC
    for name in PUBLIC:
        assert getattr(brain_retrieval, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Brian"):
        _ = brain_retrieval.Brian  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("code", ["import brain_retrieval", "from brain_retrieval import Brain, Hit, ContextPack"])
def test_importing_loads_no_store_model_or_orchestrator(code: str) -> None:
    heavy = "dagster lancedb onnxruntime spacy openai torch neo4j cv2 duckdb polars pdfplumber trafilatura docx".split()
    script = f"{code}; import sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

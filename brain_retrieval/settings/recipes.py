"""Recipes: named sets of retrieval settings, chosen for a call with `recipe=`, or for a home with `retrieval.recipe`.

A recipe names only what it changes. `[retrieval.recipes.NAME]` in brain.toml changes fields of a built-in recipe, or
adds a recipe of that name.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from brain_retrieval.settings.section import Section


class Recipe(Section, frozen=True):
    """Fields of `RetrievalSettings` with other values; a field that is not given keeps the value of the settings."""

    k: int | None = Field(default=None, ge=1, le=1000)
    arm_depth: int | None = Field(default=None, ge=1, le=10_000)
    fusion: Literal["weighted", "rrf"] | None = None
    vector_weight: float | None = Field(default=None, ge=0)
    lexical_weight: float | None = Field(default=None, ge=0)
    late_interaction_weight: float | None = Field(default=None, ge=0)
    rrf_k: int | None = Field(default=None, ge=1)
    neighbour_weights: tuple[Annotated[float, Field(ge=0, le=1)], ...] | None = None
    window_weight: float | None = Field(default=None, ge=0, lt=1)
    parent_weight: float | None = Field(default=None, ge=0, lt=1)
    date_boost: float | None = Field(default=None, ge=0)
    around_boost: float | None = Field(default=None, ge=0)
    byline_boost: float | None = Field(default=None, ge=0)
    title_boost: float | None = Field(default=None, ge=0)
    memory_weight: float | None = Field(default=None, ge=0, lt=1)
    beside: int | None = Field(default=None, ge=0, le=10)
    second_hop: bool | None = None
    coverage_weight: float | None = Field(default=None, ge=0)
    statement_weight: float | None = Field(default=None, ge=0)
    publisher_weight: float | None = Field(default=None, ge=0)
    hop_weight: float | None = Field(default=None, ge=0)
    link_weight: float | None = Field(default=None, ge=0)
    bridge_weight: float | None = Field(default=None, ge=0)
    trained: bool | None = None
    min_similarity: float | None = Field(default=None, ge=-1, le=1)
    min_score: float | None = Field(default=None, ge=0, le=1)
    expand: bool | None = None
    neighbours: int | None = Field(default=None, ge=0, le=20)
    context_hits: int | None = Field(default=None, ge=1, le=1000)
    context_tokens: int | None = Field(default=None, ge=1)

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that are given."""
        return {name: value for name in self.model_fields_set if (value := getattr(self, name)) is not None}


BUILT_IN: Mapping[str, Recipe] = {
    "default": Recipe(),
    # Few candidates, no second search, no second read of neighbouring turns.
    "fast": Recipe(arm_depth=50, memory_weight=0.0, beside=0, second_hop=False, expand=False, context_hits=20),
    # More of everything, for a reader with time or a model with a large window.
    "thorough": Recipe(k=30, arm_depth=1000, neighbours=2, context_hits=150, context_tokens=12_000),
    # What is said in a meeting lies in a run of turns: more of the turns around, and the right meeting counts more.
    "meetings": Recipe(neighbour_weights=(0.4, 0.25, 0.15), parent_weight=0.45, neighbours=3),
    # Passages that are quoted on their own: nothing around them, and none that is only faintly similar.
    "evidence": Recipe(k=20, parent_weight=0.25, min_similarity=0.25, expand=False),
}


def unknown_recipe(name: str, known: Iterable[str]) -> str:
    """Return the message for a name that no recipe has."""
    return f"no recipe is called {name!r:.60}; the recipes are {', '.join(known)}"

"""The intent of a question, and the strategy that follows from it.

The first that applies: comparison, an overview (exploratory), a list or count (aggregation), a connection
(relational), a time or a past state (temporal), else factual.
"""

from collections.abc import Sequence

from brain_retrieval.query.analysis.grammar import has, pattern
from brain_retrieval.query.analysis.question import Intent, Name, QuestionTime, Resolved, Strategy

_STRATEGIES: dict[Intent, Strategy] = {
    "factual": "vector_only",
    "relational": "hybrid_graph",
    "temporal": "hybrid_balanced",
    "aggregation": "hybrid_graph",
    "comparison": "hybrid_balanced",
    "exploratory": "hybrid_vector",
}
ENDS_OF_A_PATH = 2


def intent_of(
    asked: str, language: str, *, names: Sequence[Name], time: QuestionTime | None, lists: bool, then: bool
) -> Intent:
    """Return the intent of the plain question `asked`."""
    if _compares(asked, language):
        return "comparison"
    if has("explores", asked, language):
        return "exploratory"
    if lists:
        return "aggregation"
    asks_when = pattern("when", language).match(asked) is not None
    if not asks_when and _relates(asked, language, names):
        return "relational"
    if asks_when or time is not None or then or has("changes", asked, language):
        return "temporal"
    return "factual"


def _compares(asked: str, language: str) -> bool:
    if has("compares", asked, language):
        return True
    return has("or", asked, language) and has("degrees", asked, language)


def _relates(asked: str, language: str, names: Sequence[Name]) -> bool:
    if not names or has("no_relation", asked, language):
        return False
    return has("relations", asked, language) or has("paths", asked, language)


def asks_then(asked: str, language: str, time: QuestionTime | None, *, is_past: bool) -> bool:
    """Return whether a past state is asked for: "used to", "… before?", or a state with a time that has passed."""
    if has("then", asked, language) or _ends_with("then_last", asked, language):
        return True
    if time is None or not has("states", asked, language):
        return False
    return is_past or (bool(time.event) and time.kind in ("before", "during"))


def _ends_with(key: str, asked: str, language: str) -> bool:
    found = pattern(key, language).finditer(asked)
    return any(not asked[match.end() :].strip(" ?!.…") for match in found)


def strategy_of(intent: Intent, asked: str, language: str | None, entities: Sequence[Resolved]) -> Strategy:
    """Return the strategy of an intent.

    A relational question is answered by the graph alone if it asks for nothing but the path between two known
    entities.
    """
    ends = {entity.entity_id for entity in entities if entity.entity_id and entity.how != "fuzzy"}
    if intent == "relational" and language and len(ends) >= ENDS_OF_A_PATH and has("paths", asked, language):
        return "graph_only"
    return _STRATEGIES[intent]

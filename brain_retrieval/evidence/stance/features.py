"""The features by which a statement is judged against a claim. All lie between 0 and 1, or are one of a few words."""

from dataclasses import asdict, dataclass
from typing import Any

from brain_retrieval.evidence.claims.claim import Agreement


@dataclass(frozen=True)
class StanceFeatures:
    """What a statement has in common with a claim, and where it differs.

    Attributes:
        subject, action, object: shares of these parts of the claim that the statement has; None: the claim has none.
        overlap: share of the content words of the claim; anchors: share of its anchors; names: share of its names.
        semantic: cosine of the two as 0–1; None without an embedding.
        graph: strength of the path of the graph that leads to it.
        reversed: who does it and who it is done to are exchanged.
        event: its opposite is another event, which does not deny the first: bought, sold.
        opposite: it uses a word of the opposite family; denied: it denies its clause.
        refuted: it calls a statement false.
        amounts, dates: whether they agree with those of the claim; stated: whether it states all that are claimed.
        contrary: it has another word of a kind in the place of the claim's: left, right.
        replaced: it has a word that the claim has not beside one it has, in the place of one it lacks.
        wider: it says of something of a kind what the claim says of the kind: a horse, an animal.
        general: it denies the action of the subject altogether, whatever the object.
        other: it names another one where there can be only one.
        hedged: it is only possible; reported: someone else says it; asked: it is a question.
        ended: it held, and surely no longer does; outdated: it may have ended.
    """

    subject: float | None = None
    action: float = 0.0
    object: float | None = None
    overlap: float = 0.0
    anchors: float = 0.0
    names: float = 1.0
    semantic: float | None = None
    graph: float = 0.0
    reversed: bool = False
    opposite: bool = False
    event: bool = False
    denied: bool = False
    refuted: bool = False
    amounts: Agreement = "none"
    dates: Agreement = "none"
    stated: bool = True
    contrary: bool = False
    replaced: bool = False
    wider: bool = False
    general: bool = False
    other: bool = False
    hedged: bool = False
    reported: bool = False
    asked: bool = False
    ended: bool = False
    outdated: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the features that say something; numbers with three digits."""
        own = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(self).items()}
        quiet = {None, False, "none"}
        return {name: value for name, value in own.items() if isinstance(value, float) or value not in quiet}

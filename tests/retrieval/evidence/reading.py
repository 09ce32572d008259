"""Claims and statements as the evidence tests read them: by word lists alone, without stores."""

from datetime import UTC, datetime
from pathlib import Path

from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.judge import Stance, judge
from brain_retrieval.evidence.stance.reading import features_of
from brain_retrieval.query.analysis import analyse

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def claim_of(text: str, language: str = "en") -> Claim:
    """Return a claim read by word lists."""
    return read_claim(analyse(text, max_characters=8000, language=language, now=NOW))


def said(text: str, source_id: str = "s", **changes: object) -> Statement:
    """Return a statement; `changes` replace its fields."""
    first = {"said_at": NOW, "received_at": NOW, "language": "en"}
    return Statement(
        text, "passage", source_id, "note", f"inbox:note/{source_id}", (0, len(text)), **{**first, **changes}
    )


def features(claim: str, statement: Statement) -> StanceFeatures:
    """Return the features of a statement towards the first statement of a claim."""
    own = claim_of(claim, statement.language or "en").statements[0]
    return features_of(Wanted(own), Read(statement), {})


def stance(claim: str, text: str, language: str = "en", **changes: object) -> Stance:
    """Return the stance of a text towards a claim."""
    own = claim_of(claim, language).statements[0]
    found = features(claim, said(text, language=language, **changes))
    return judge(found, negated=own.negated, then=own.then, hedged=own.hedged)


def lines(name: str) -> list[list[str]]:
    """Return the parts of the lines of a data file."""
    found = (HERE / name).read_text("utf-8").splitlines()
    return [[part.strip() for part in line.split(" |")] for line in found if line and not line.startswith("#")]

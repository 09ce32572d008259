"""`check_claim`: from a claim to its report. Nothing leaves the machine unless a model is set; nothing is written.

claim ─► statements ─► search in steps ─► features and stance ─► ranking ─► verdict ─► trust and sufficiency
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.candidates.gathering import LEAST_OVERLAP, Gathered, Gatherer, Search, SearchStep, overlap
from brain_retrieval.evidence.candidates.provenance import Provenance, read_provenance
from brain_retrieval.evidence.candidates.statement import Statement, rank_score
from brain_retrieval.evidence.claims.claim import Claim, SubClaim
from brain_retrieval.evidence.claims.parsed import parser_for
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.judging import SHOWN, Embed, Judging
from brain_retrieval.evidence.model_judge import ModelJudge
from brain_retrieval.evidence.report import EvidenceReport, Finding
from brain_retrieval.evidence.stance.compared import Wanted
from brain_retrieval.evidence.stance.coverage import Aliases, aliases_of
from brain_retrieval.evidence.sufficiency import Evidence, State, Sufficiency, state_of, sufficiency
from brain_retrieval.evidence.trust import agreement, diversity, grade_of, interval
from brain_retrieval.evidence.verdict import Verdict, whole_verdict
from brain_retrieval.knowledge.memory_cards import OWNER
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.models.chat.protocol import TokenMeter
from brain_retrieval.query.analysis import Question
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.trust_book import TrustBook

if TYPE_CHECKING:
    import polars as pl

FURTHER = "pages not yet approved"
_LABELS: dict[Verdict, str] = {"supported": SUPPORT, "contradicted": CONTRADICT, "partly supported": SUPPORT}


def check_claim(
    question: Question,
    search: Search,
    knowledge: Knowledge,
    settings: Settings,
    *,
    as_of: datetime | None = None,
    limit: int = SHOWN,
    further: Sequence[Statement] = (),
    meter: TokenMeter | None = None,
    plain: Search | None = None,
) -> EvidenceReport:
    """Return the report on a claim.

    Args:
        question: the claim as the analysis of questions has it.
        search: finds passages, with the clocks of the request.
        knowledge: of the user, known at the time of the request.
        settings: of the home.
        as_of: the time asked about; without it that of `knowledge.known_at`, or now.
        limit: of the evidence shown for each statement.
        further: statements that no search finds, such as those of pages that wait for an approval.
        meter: counts and limits the tokens of the model that judges, if one is set.
        plain: the user's own search, whose order the evidence follows with bounded corrections; by default `search`.
    """
    warnings = list(question.warnings)
    at = as_of or knowledge.known_at or datetime.now(UTC)
    claim = read_claim(question, parser=parser_for(settings, question.language))
    moment = _moment(claim, at)
    aliases = _aliases(claim, knowledge, settings, warnings)
    gatherer = Gatherer(search, knowledge, at=moment, until=at, aliases=aliases, plain=plain)
    known = [one for one in further if one.said_at <= at]
    gathered = [_with_further(gatherer.gather(part, claim), part, known, aliases) for part in claim.statements]
    gathered = _with_provenance(gathered, knowledge, settings, warnings)
    model = ModelJudge(knowledge.space, settings, warnings, meter) if settings.retrieval.judge.model else None
    judging = Judging(moment, aliases, _embedder(settings, warnings), claim.key, model)
    parts = [judging.finding(part, found, limit) for part, found in zip(claim.statements, gathered, strict=True)]
    return _report(claim, parts, at=moment, known_at=knowledge.known_at, warnings=warnings)


def _report(
    claim: Claim, findings: list[Finding], *, at: datetime, known_at: datetime | None, warnings: list[str]
) -> EvidenceReport:
    verdict = whole_verdict([finding.verdict for finding in findings])
    items = [item for finding in findings for item in finding.items]
    judged = [_for_verdict(finding) for finding in findings]
    found = sufficiency(
        judged,
        agreement=sum(agreement(one.items, _label(one.verdict)) for one in findings) / len(findings),
        diversity=diversity([item for item in items if item.label != NEITHER]),
        contradicted=any(_against(finding) for finding in findings),
    )
    trust = interval([item.trust for part in judged for item in part.items], claim.key)
    state = state_of(found, ended=verdict == "contradicted" and _has_ended(findings))
    if verdict in ("unknown", "disputed"):
        state = "evidence_insufficiency"
    state = _without_approval(state, findings)
    return EvidenceReport(
        claim=claim,
        verdict=verdict,
        state=state,
        findings=tuple(findings),
        sufficiency=_explained(found, verdict),
        trust=trust,
        grade=grade_of(trust.value),
        at=at,
        known_at=known_at,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _without_approval(state: State, findings: Iterable[Finding]) -> State:
    """Return the state; a verdict that rests on pages which wait for an approval is not confirmed by them alone."""
    for finding in findings:
        own = finding.of(_label(finding.verdict)) if finding.verdict != "unknown" else ()
        if state == "confirmed" and own and not any(item.statement.approved for item in own):
            return "provisional"
    return state


def _with_further(gathered: Gathered, part: SubClaim, further: Sequence[Statement], aliases: Aliases) -> Gathered:
    """Add the further statements that are about a statement of the claim, ranked by their words."""
    if not further:
        return gathered
    wanted = Wanted(part)
    about = [(overlap(wanted, one, aliases), one) for one in further]
    chosen = sorted((pair for pair in about if pair[0] >= LEAST_OVERLAP), key=lambda pair: (-pair[0], pair[1].key))
    added = tuple(
        replace(one, score=rank_score(rank), found_by=(f"{FURTHER}: words",)) for rank, (_, one) in enumerate(chosen)
    )
    step = SearchStep(FURTHER, "words", "", found=len(added))
    return Gathered((*gathered.statements, *added), (*gathered.steps, step))


def _explained(found: Sufficiency, verdict: Verdict) -> Sufficiency:
    return replace(found, enough=False, reason="the evidence disagrees") if verdict == "disputed" else found


def _for_verdict(finding: Finding) -> Evidence:
    """Return the items that speak for the verdict on a statement."""
    label = _label(finding.verdict)
    own = tuple(item for item in finding.items if item.label != NEITHER and label in (item.label, NEITHER))
    return Evidence(own, finding.trust.value)


def _label(verdict: Verdict) -> str:
    return _LABELS.get(verdict, NEITHER)


def _against(finding: Finding) -> bool:
    label = _label(finding.verdict)
    return any(item.label not in (label, NEITHER) for item in finding.items)


def _has_ended(findings: Iterable[Finding]) -> bool:
    """Return whether what contradicts is that the claim held before."""

    def ended(items: Iterable[EvidenceItem]) -> bool:
        return any(item.features.ended and item.label == CONTRADICT for item in items)

    return any(finding.verdict == "contradicted" and ended(finding.items) for finding in findings)


def _moment(claim: Claim, at: datetime) -> datetime:
    """Return the time that a claim is judged at: the end of the days it names, if they have passed by then."""
    if claim.until is None or any(one.dates and one.family in ("schedule", "begin") for one in claim.statements):
        return at
    end = datetime.combine(claim.until, time.max, tzinfo=at.tzinfo)
    return min(end, at)


def _aliases(claim: Claim, knowledge: Knowledge, settings: Settings, warnings: list[str]) -> Aliases:
    """Return the other names of the people and things in a claim, and those of the owner."""
    groups: list[list[str]] = []
    named = settings.owners.get(knowledge.space.user)
    owner = [] if named is None else [name for name in (named.name, *named.aliases) if name]
    try:
        reader = knowledge.memory_reader
        groups += [[one.name, one.canonical, *reader.names(one.canonical)] for one in claim.entities]
        if knowledge.day is not None:
            owner += _owner_names(knowledge.table("known_entities"))
    except (BrainError, OSError) as error:
        warnings.append(f"other names of those in the claim were not read: {error}")
    return aliases_of([*groups, [OWNER, *owner]])


def _owner_names(entities: "pl.DataFrame") -> list[str]:
    rows = entities.filter(entities["is_owner"])
    return [name for row in rows.iter_rows(named=True) for name in (row["name"], *(row["aliases"] or ()))]


def _with_provenance(
    gathered: list[Gathered], knowledge: Knowledge, settings: Settings, warnings: list[str]
) -> list[Gathered]:
    """Add the trust, language and address of their sources to statements."""
    places = {(one.source, one.day) for each in gathered for one in each.statements}
    with Catalog(knowledge.space) as catalog:
        known = read_provenance(Lake(knowledge.space, catalog), places, warnings)
    book = TrustBook.open(knowledge.space, settings)

    def complete(one: Statement) -> Statement:
        source = known.get(one.source_id) or Provenance(one.trust)
        url = one.url or source.url
        validated = book.is_vouched(url, uri=one.uri)
        language = source.language or one.language
        return replace(one, trust=source.trust, language=language, url=url, validated=validated)

    return [replace(each, statements=tuple(map(complete, each.statements))) for each in gathered]


def _embedder(settings: Settings, warnings: list[str]) -> Embed | None:
    """Return the local or configured embedder; None and a warning where there is none."""
    from brain_retrieval.models.embedding.build import build_embedder

    try:
        return build_embedder(settings.embedding, models_dir=settings.models_dir).embed
    except BrainError as error:
        warnings.append(f"statements are compared by words alone: {error}")
        return None

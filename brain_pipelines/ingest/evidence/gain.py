"""What another query may bring, and when it is not worth one.

    gain = 0.34 (1 − coverage) + 0.22 (1 − diversity) + 0.16 (1 − agreement) + 0.20 (1 − 2 |0.5 − trust|)
           + 0.08 if something contradicts the verdict

It is largest where little is covered and the trust is open, and 0 where everything is covered, by many, and agrees.
Where nothing decides the claim, all is open: agreement and diversity of no items count as none.
"""

from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.report import EvidenceReport
from brain_retrieval.evidence.trust import domain_of

COVERAGE, DIVERSITY, AGREEMENT, TRUST, CONTRADICTION = 0.34, 0.22, 0.16, 0.20, 0.08
LEAST_DOMAINS = 2
NO_CHANGE = 0.02
_LABELS = {"supported": SUPPORT, "contradicted": CONTRADICT, "partly supported": SUPPORT}


def gain_of(report: EvidenceReport) -> float:
    """Return what another query may bring, 0–1."""
    found = report.sufficiency
    if not decided(report):
        return COVERAGE + DIVERSITY + AGREEMENT + TRUST
    own = COVERAGE * (1 - found.coverage) + DIVERSITY * (1 - found.diversity) + AGREEMENT * (1 - found.agreement)
    own += TRUST * (1 - 2 * abs(0.5 - min(1.0, max(0.0, found.trust))))
    return min(1.0, own + (CONTRADICTION if 0 < found.agreement < 1 else 0.0))


def decided(report: EvidenceReport) -> list[EvidenceItem]:
    """Return the items of a report that support or contradict."""
    return [item for finding in report.findings for item in finding.items if item.label != NEITHER]


def is_enough(report: EvidenceReport) -> bool:
    """Return whether the evidence is enough to stop: sufficient, and of two owners unless one is approved."""
    if not report.sufficiency.enough or report.state == "evidence_insufficiency":
        return False
    for finding in report.findings:
        own = finding.of(_LABELS.get(finding.verdict, NEITHER))
        owners = {domain_of(item) for item in own}
        if finding.verdict == "unknown" or not own:
            # a claim is contradicted by one of its statements, whatever is known of the others
            if report.verdict != "contradicted":
                return False
        elif len(owners) < LEAST_DOMAINS and not any(item.statement.approved for item in own):
            return False
    return True

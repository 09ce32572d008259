"""A report on a claim as text of at most 80 columns: the verdict, then the evidence of each statement."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.report import EvidenceReport, Finding
from brain_retrieval.evidence.verdict import Verdict

WIDTH, INDENT = 80, 4
SHARED = 0.5  # share of a part of the claim
MOST_RELATED = 2  # statements shown that decide nothing
COLOURS: dict[Verdict, str] = {
    "supported": "green",
    "partly supported": "green",
    "contradicted": "red",
    "disputed": "yellow",
    "unknown": "cyan",
}
STATES = {
    "confirmed": "confirmed",
    "provisional": "provisional: more evidence would help",
    "revoked": "revoked: it held before and has ended",
    "evidence_insufficiency": "not enough evidence to rely on",
}
HEADINGS = {SUPPORT: ("supports", "green"), CONTRADICT: ("contradicts", "red"), NEITHER: ("related", "dim")}


def print_report(report: EvidenceReport, output: Console) -> None:
    """Show a report."""
    for line in report_lines(report):
        output.print(line, soft_wrap=True)


def report_lines(report: EvidenceReport) -> Iterator[Text]:
    """Yield the lines of a report, none of them longer than 80 characters but for an address without blanks."""
    yield from _wrapped(report.claim.text, "bold")
    colour = COLOURS[report.verdict]
    head = Text(report.verdict.upper(), f"bold {colour}")
    said = f"{report.undecided}; that does not make it false" if report.undecided else STATES[report.state]
    yield head.append(f"  {said}", "default")
    yield Text(f"{_trust(report)}as of {report.at.date().isoformat()}{_known(report)}", "dim")
    several = len(report.findings) > 1
    for number, finding in enumerate(report.findings, start=1):
        found = list(_finding(finding))
        if several or found:
            yield Text()
        if several:
            yield from _wrapped(f"{number}. {finding.claim.text}", "bold")
            yield Text(f"   {finding.verdict}{_why_open(finding, report)}", COLOURS[finding.verdict])
        yield from found
    yield from _closing(report)


def _finding(finding: Finding) -> Iterator[Text]:
    for label in (SUPPORT, CONTRADICT, NEITHER):
        items = finding.of(label)
        shown = items if label != NEITHER else _related(items)
        if shown:
            name, colour = HEADINGS[label]
            yield Text(f"  {name}", colour)
            for item in shown:
                yield from _item(item)
    for unknown in finding.gaps:
        yield from _wrapped(f"  unknown  {unknown}", "cyan", indent=11)


def _related(items: Iterable[EvidenceItem]) -> list[EvidenceItem]:
    """Return the undecided items that are worth a look: more than the name is the same."""

    def says_something(item: EvidenceItem) -> bool:
        own = item.features
        return own.overlap >= SHARED and (own.action >= SHARED or (own.object or 0.0) >= SHARED)

    return [item for item in items if item.later or says_something(item)][:MOST_RELATED]


def _item(item: EvidenceItem) -> Iterator[Text]:
    one = item.statement
    yield from _wrapped(f"    {one.said_at.date().isoformat()}  {one.text}", "default", indent=16)
    for line in _notes(item):
        yield from _wrapped(f"    {'':10}  {line}", "yellow" if item.stance.label != NEITHER else "dim", indent=16)
    place = f"{one.url or one.uri} [{one.span[0]}:{one.span[1]}]"
    yield Text(f"    {'':10}  {place}", "dim")
    yield Text(f"    {'':10}  {_why(item)}", "dim")


def _notes(item: EvidenceItem) -> Iterator[str]:
    """Yield what has ended a statement, what is later, and the relations that lead to it."""
    ended = item.statement.ended_by
    if ended is not None:
        perhaps = "" if ended.sure else "perhaps "
        place = f"{ended.uri} [{ended.span[0]}:{ended.span[1]}]"
        yield f"{perhaps}ended {ended.since.date().isoformat()}: {ended.text} · {place}"
    elif item.features.ended and item.statement.valid_to is not None:
        yield f"ended {item.statement.valid_to.date().isoformat()}"
    if item.later:
        yield f"later: {item.later}"
    if item.statement.path and item.label != NEITHER:
        yield f"graph: {'; '.join(item.statement.path)}"


def _why(item: EvidenceItem) -> str:
    copies = f", {item.copies} {'copy' if item.copies == 1 else 'copies'}" if item.copies else ""
    strength = f" {item.stance.strength:.2f}" if item.stance.label != NEITHER else ""
    source = f"{item.statement.trust} source" if item.statement.approved else "page not yet approved"
    return f"{item.stance.reason}{strength} · {source}, trust {item.trust:.2f}{copies}"


def _why_open(finding: Finding, report: EvidenceReport) -> str:
    """Return why an unknown statement is, unless that has been said of the whole claim."""
    reason = "; ".join(finding.unknown) if finding.verdict == "unknown" else ""
    return f": {reason}" if reason and reason != report.undecided else ""


def _trust(report: EvidenceReport) -> str:
    if report.verdict == "unknown":
        judged = sum(finding.considered for finding in report.findings)
        return f"{judged} statement{'' if judged == 1 else 's'} judged, "
    trust = report.trust
    return f"grade {report.grade}  trust {trust.value:.2f} ({trust.low:.2f}–{trust.high:.2f})  "


def _known(report: EvidenceReport) -> str:
    return "" if report.known_at is None else f", known by {report.known_at.date().isoformat()}"


def _closing(report: EvidenceReport) -> Iterator[Text]:
    failed = {(step.part, step.failure): None for finding in report.findings for step in finding.failures}
    notes = [f"not looked at: {part}: {failure}" for part, failure in failed]
    notes += [f"warning: {warning}" for warning in report.warnings]
    if report.verdict != "unknown" and not report.sufficiency.enough:
        notes.insert(0, f"not enough: {report.sufficiency.reason}")
    if notes:
        yield Text()
    for note in notes:
        yield from _wrapped(note, "yellow" if note.startswith("warning") else "dim")


def _wrapped(text: str, style: str, indent: int = 0) -> Iterator[Text]:
    lines = wrap(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    yield from (Text(line, style) for line in lines or [""])

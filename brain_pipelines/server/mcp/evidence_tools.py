"""Tools that weigh a claim, here or online, and that show where something comes from: check_claim, memory_why."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from brain_pipelines.server.mcp.answers import Answer, Entry, answer, citation, day, heading, one_line
from brain_pipelines.server.mcp.arguments import KnownAt, Limit, MaxTokens, When
from brain_pipelines.server.mcp.memory import UserMemory

if TYPE_CHECKING:
    from brain_pipelines.ingest.evidence.report import Online
    from brain_retrieval.evidence.items import EvidenceItem
    from brain_retrieval.evidence.report import EvidenceReport, Finding
    from brain_retrieval.query.why.node import Dependents, LineageNode

SAID = {"support": "supports", "contradict": "contradicts"}


def check_claim(
    memory: UserMemory,
    claim: Annotated[
        str, Field(min_length=1, max_length=2000, description='What is stated: "The launch is on 1 May."')
    ],
    as_of: When = None,
    known_at: KnownAt = None,
    limit: Limit = 5,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Check a statement against what is stored: supported, contradicted, disputed or unknown, with the passages.

    Use it before you assert something about the user's life, work or documents, and when the user asks whether
    something is true. "unknown" never means false. Nothing is looked up online. Example: check_claim(claim="Bob Lee
    lives in Lisbon.", as_of="2026-02-01").
    """
    report = memory.brain.evidence(claim, as_of=as_of, known_at=known_at, limit=limit)
    return _report(memory, report, max_tokens)


def check_claim_online(
    memory: UserMemory,
    claim: Annotated[
        str, Field(min_length=1, max_length=2000, description='What is stated: "The Solberg bridge opened in 1961."')
    ],
    as_of: When = None,
    max_seconds: Annotated[float, Field(ge=5, le=600, description="It answers within this time.")] = 45,
    limit: Limit = 5,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Check a statement as check_claim does, and search the web for what is missing, if memory does not decide it.

    Only on the user's wish: the words of the claim are sent to the search provider of the settings, and pages found
    are stored; those of sites the user has not approved count less. Without a provider nothing is sent. Example:
    check_claim_online(claim="The Solberg bridge was opened in 1961.").
    """
    from brain_pipelines.server.online import Asked, look_online

    asked = Asked(claim, as_of, limit, limits={"max_seconds": max_seconds})
    found = look_online(memory.home, memory.user, asked)
    known = _report(memory, found.evidence, max_tokens, _looked(found.online))
    return Answer(known.text, {"summary": f"{found.evidence.verdict}; {one_line(found.online.stop)}", **known.values})


def _looked(online: "Online") -> list[str]:
    """Return in plain words what was done online."""
    if not online.rounds:
        return [f"nothing was fetched: {one_line(online.stop)}"]
    counts = online.counts()
    spent = f"{online.queries} queries, {counts['attempted']} pages ({counts['failed']} failed), {online.seconds:.0f} s"
    return [f"looked online: {spent}; stopped: {one_line(online.stop)}", *(one_line(one) for one in online.warnings)]


def _report(memory: UserMemory, report: "EvidenceReport", max_tokens: int, looked: Sequence[str] = ()) -> Answer:
    entries = [entry for number, one in enumerate(report.findings, 1) for entry in _weighed(one, number, report)]
    title = _title(report)
    details = {
        "verdict": report.verdict,
        "state": report.state,
        "trust": round(report.trust.value, 3),
        "grade": report.grade,
        "statements": [one.verdict for one in report.findings],
    }
    failed = [f"not looked at: {step.part}" for one in report.findings for step in one.failures]
    return answer(
        title, entries, counter=memory.counter, max_tokens=max_tokens, details=details,
        warnings=list(dict.fromkeys((*looked, *report.warnings, *failed))), advice=_advice(report),
    )  # fmt: skip


def _title(report: "EvidenceReport") -> str:
    if report.undecided:
        return f"Unknown, as of {day(report.at)}: {report.undecided}. That does not make it false."
    partly = any(one.verdict == "unknown" for one in report.findings)
    said = f"{report.verdict.capitalize()} ({report.state.replace('_', ' ')}), as of {day(report.at)}."
    return f"{said} Unknown is not false." if partly else said


def memory_why(
    memory: UserMemory,
    id: Annotated[  # noqa: A002 - the name that the other tools have
        str, Field(min_length=1, max_length=2000, description='Any id or name that was shown, or "uri [first:last]".')
    ],
    limit: Limit = 5,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Show where something comes from, down to the original file and how it arrived, and what depends on it.

    Takes the id of a statement, relation, passage, source, name, storyline or note. Use it when the user asks "how do
    you know that" or what would change if a source were wrong. Example: memory_why(id="memory_6f…").
    """
    found = memory.brain.why(id, limit=limit)
    entries = [*_below(found.root), *(entry for group in found.above for entry in _above(group))]
    details = {"kind": found.root.kind, "depends_on_it": {group.name: group.total for group in found.above}}
    advice = "Read a passage with memory_get(id=…)."
    return answer(
        "From what was asked about down to its bytes, then what depends on it.", entries, counter=memory.counter,
        max_tokens=max_tokens, warnings=found.warnings, details=details, advice=advice,
    )  # fmt: skip


def _weighed(finding: "Finding", number: int, report: "EvidenceReport") -> Iterator[Entry]:
    unknown = "\n".join(f"unknown: {one}" for one in finding.unknown if one != report.undecided)
    said = f"statement {number} of the claim: {finding.verdict}"
    yield Entry(f"statement {number}", heading(said), f"{finding.claim.text}\n{unknown}".strip(), "", {"kind": "claim"})
    for label, words in SAID.items():
        for item in finding.of(label):
            yield _item(item, words)


def _item(item: "EvidenceItem", words: str) -> Entry:
    one = item.statement
    ended = f"\nended {day(one.ended_by.since)}: {one.ended_by.text}" if one.ended_by else ""
    values = {
        "kind": words,
        "source_id": one.source_id,
        "uri": citation(one.uri),
        "span": list(one.span),
        "said_at": one.said_at.isoformat(),
        "trust": round(item.trust, 3),
    }
    cite = citation(one.url or one.uri, one.span)
    about = heading(
        words, f"said {day(one.said_at)}", item.stance.reason, f"{one.trust} source, trust {item.trust:.2f}"
    )
    return Entry(one.memory_id or one.source_id, about, one.text + ended, cite, values)


def _advice(report: "EvidenceReport") -> str:
    if report.verdict == "unknown":
        return "Say that it is not known; memory_search may find what is related."
    return "Trace one with memory_why(id=…)."


def _below(node: "LineageNode") -> Iterator[Entry]:
    facts = "; ".join(f"{name}: {value}" for name, value in node.facts.items())
    made = f"made by {node.made.stage}, version {node.made.code_version}" if node.made else ""
    text = "\n".join(part for part in (node.text, facts) if part)
    yield Entry(node.id or node.kind, heading(node.kind, made), text, "", {"kind": node.kind})
    for one in node.below:
        yield from _below(one)


def _above(group: "Dependents") -> Iterator[Entry]:
    for one in group.items:
        yield Entry(one.id, heading("depends on it", group.name), one.text, "", {"kind": one.kind})

"""Queries, information gain, copies of texts, and queries worded by a model. Nothing is fetched or stored."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.robots import Robots
from brain_pipelines.ingest.evidence.budget import Budget
from brain_pipelines.ingest.evidence.gain import gain_of, is_enough
from brain_pipelines.ingest.evidence.host_rules import RulesFetcher
from brain_pipelines.ingest.evidence.likeness import is_copy, shingles
from brain_pipelines.ingest.evidence.model_queries import worded_queries
from brain_pipelines.ingest.evidence.queries import next_query
from brain_retrieval.evidence.candidates.gathering import Gathered
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.check import _report
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.judging import Judging
from brain_retrieval.evidence.report import EvidenceReport
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.query.analysis import analyse
from brain_retrieval.settings import FetchSettings, load_settings
from brain_retrieval.settings.evidence import OnlineSettings
from tests.fake_openai import FakeOpenAI
from tests.pipelines.connectors.http.servers import reply, serve

AT = datetime(2026, 1, 1, tzinfo=UTC)
CLAIM = "Nina leads the Harbour project and the Harbour project costs 4 million euros."


def said(text: str, number: int = 0, *, host: str = "", approved: bool = True) -> Statement:
    url = f"https://{host}/" if host else None
    place = (f"source_{number}", "document", f"inbox:{number}", (0, len(text)))
    return Statement(text, "passage", *place, AT, AT, url=url, language="en", approved=approved)


def weighed(claim: str, *statements: Statement) -> EvidenceReport:
    read = read_claim(analyse(claim, max_characters=8000, language="en", now=AT), parser=None)
    judging = Judging(AT, {}, None, read.key)
    findings = [judging.finding(part, Gathered(statements, ())) for part in read.statements]
    return _report(read, findings, at=AT, known_at=None, warnings=[])


def test_queries_are_of_the_claims_words_and_none_repeats_another() -> None:
    report, asked = weighed(CLAIM), list[str]()
    while (query := next_query(report, asked)) is not None:
        asked.append(query.text)
    assert len(asked) >= 4
    assert all(set(forms_in(text, None)) <= set(forms_in(CLAIM, None)) for text in asked)
    assert len({frozenset(forms_in(text, None)) for text in asked}) == len(asked)


def test_the_statement_of_which_least_is_known_is_asked_for_first() -> None:
    known = weighed(CLAIM, said("Nina leads the Harbour project."), said("Nina leads the Harbour project now.", 1))
    query = next_query(known, [])
    assert query is not None and "4 million" in query.text


@cache
def _known() -> EvidenceReport:
    return weighed("Nina leads the Harbour project.", said("Nina leads the Harbour project."))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_gain_falls_with_what_is_known_and_is_largest_for_open_trust(
    a: float, b: float, c: float, t: float, more: float
) -> None:
    report = _known()

    def gain(**changes: float) -> float:
        numbers = {"coverage": a, "diversity": b, "agreement": c, "trust": t} | changes
        return gain_of(replace(report, sufficiency=replace(report.sufficiency, **numbers)))

    assert 0 <= gain() <= 1
    for name, value in (("coverage", a), ("diversity", b)):
        assert gain(**{name: value + (1 - value) * more}) <= gain() + 1e-9
    assert gain(trust=0.5) >= gain()
    assert gain(coverage=1, diversity=1, agreement=1, trust=1) == 0


def test_enough_needs_two_owners_or_an_approved_page() -> None:
    claim, text = "Nina leads the Harbour project.", "Nina leads the Harbour project."
    one = said(text, host="a.example", approved=False)
    assert not is_enough(weighed(claim, one))
    assert is_enough(weighed(claim, one, said(f"In fact {text}", 1, host="b.example", approved=False)))
    assert not is_enough(weighed(claim, one, said(f"In fact {text}", 1, host="www.a.example", approved=False)))
    assert is_enough(weighed(claim, replace(one, approved=True)))
    assert not is_enough(weighed(claim))


def test_a_later_page_that_was_not_approved_replaces_nothing_alone() -> None:
    claim = "Marta lives in Ghent."
    old = replace(said("Marta lives in Ghent.", host="a.example", approved=False), said_at=AT - timedelta(days=400))
    new = said("Marta lives in Lisbon.", 1, host="b.example", approved=False)
    assert weighed(claim, old, new).verdict in ("disputed", "unknown", "supported")
    assert (
        weighed(
            claim,
            old,
            new,
            replace(new, source_id="2", url="https://c.example/", text="Since May Marta lives in Lisbon."),
        ).verdict
        == "contradicted"
    )
    assert weighed(claim, old, replace(new, url="https://a.example/new")).verdict == "contradicted"


def test_copies_are_texts_that_share_most_of_the_shorter_one() -> None:
    text = "The swimming pool in Marrow is closed since January because the roof leaked and the repair cost too much."
    frame = shingles(f"Welcome to our page. {text} Subscribe to our letter and never miss a story again.")
    assert is_copy(frame, [shingles(text)]) and is_copy(shingles(text), [frame])
    assert not is_copy(shingles(text), [shingles("The library in Marrow is open since January because people asked.")])
    assert not is_copy(shingles("Pool closed."), [shingles("Pool closed.")])


@pytest.mark.parametrize(("most", "asked"), [(5000, 1), (300, 0), (0, 0)])
def test_a_model_words_queries_within_its_tokens(tmp_path, most: int, asked: int) -> None:
    answer = '{"queries": ["who leads the harbour project", "buy cheap watches", "harbour project budget"]}'
    with FakeOpenAI(chat=lambda _: answer) as server:
        (tmp_path / "brain.toml").write_text(
            f'[llm]\nmodel = "some"\nbase_url = "{server.base_url}"\n[evidence.online]\nmax_model_tokens = {most}\n'
        )
        settings, warnings = load_settings(tmp_path), list[str]()
        budget = Budget(settings.evidence.online)
        queries = worded_queries(CLAIM, settings, budget, warnings)
        assert len(server.requests) == asked
    assert queries == (["who leads the harbour project", "harbour project budget"] if asked else [])
    assert bool(warnings) == (most == 300) and (budget.tokens > 0) == bool(asked)


def test_rules_of_hosts_count_and_none_is_read_beyond_a_limit() -> None:
    rules = b"User-agent: *\nDisallow: /closed\n"
    with serve({"/robots.txt": lambda _: reply(rules)}) as site:
        settings = FetchSettings(allow_networks=("127.0.0.0/8",), ports=(site.port,))
        budget = Budget(OnlineSettings(max_bytes=2048))
        robots = Robots(RulesFetcher(Fetcher(settings), budget))
        assert robots.allows(site.url("/open")) and not robots.allows(site.url("/closed"))
        assert (budget.robots, budget.bytes, len(site.requests)) == (1, len(rules), 1)
        budget.bytes = 2048
        assert not Robots(RulesFetcher(Fetcher(settings), budget)).allows(site.url("/open"))
        gone = Budget(OnlineSettings(), left=lambda: True)
        assert not Robots(RulesFetcher(Fetcher(settings), gone)).allows(site.url("/open"))
        assert len(site.requests) == 1


def test_a_budget_names_the_limit_that_is_reached() -> None:
    budget = Budget(OnlineSettings(max_rounds=1, max_bytes=2048))
    assert budget.why() == ""
    budget.bytes = 2048
    assert budget.why() == budget.page_stopped() == "the limit of 2048 bytes"
    budget.rounds = 1
    assert budget.why() == "the limit of 1 rounds"

"""Subjects of trust: what may be named, which of several decisions holds, and what a crawl vouches for."""

import json
from itertools import permutations

import pytest

from brain_pipelines.connectors.crawl.job import CrawlConfig, new_job
from brain_pipelines.ingest.trust import is_registrable
from brain_pipelines.ingest.trust_overview import held_sites
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.settings import CrawlSettings, Settings
from brain_retrieval.stores.trust_book import FILE, Decision, TrustBook, parse_subject
from tests.pipelines.conftest import Bench
from tests.pipelines.ingest.test_trust import choose, fetched

PAGE, URI = "https://news.site.example/a?b=1", "inbox:web-page/news.site.example/a-1.warc.gz"


def book(*decided: tuple[str, str], **settings) -> TrustBook:
    lines = [Decision("2026-01-01T00:00:00+00:00", "ann", subject, state) for subject, state in decided]  # type: ignore[arg-type]
    return TrustBook(lines, Settings(**settings))


def test_the_most_specific_decision_holds_and_a_rejection_holds_for_all_below() -> None:
    assert book().state(PAGE, origin="online") == "pending" and book().state(PAGE) == "trusted"
    trusted, pending, rejected = "trusted", "pending", "untrusted"
    cases = [
        ((("site.example", trusted),), trusted),
        ((("site.example", trusted), ("news.site.example", pending)), pending),
        ((("site.example", pending), (PAGE, trusted)), trusted),
        ((("site.example", trusted), (PAGE, pending), (URI, trusted)), trusted),
        ((("inbox:web-page/", pending), (PAGE, trusted)), pending),
        ((("site.example", rejected), (PAGE, trusted), (URI, trusted)), rejected),
        ((("other.example", trusted), ("example", trusted), ("site.example.org", trusted)), trusted),
        ((("ite.example", trusted), ("other.example", trusted)), pending),
    ]
    for decided, state in cases:
        for order in permutations(decided):
            assert book(*order).state(PAGE, uri=URI, origin="online") == state, order
    assert book(("site.example", rejected), ("site.example", trusted)).state(PAGE) == trusted  # the last one
    vouching = {"crawl": CrawlSettings(trusted_domains=("site.example",))}
    assert book(**vouching).is_vouched(PAGE) and not book().is_vouched(PAGE)
    assert not book(("news.site.example", rejected), **vouching).is_vouched(PAGE)


def test_one_subject_has_one_form() -> None:
    for text in ("Site.Example", "site.example.", "*.site.example", "https://SITE.example/", "site.example/"):
        assert parse_subject(text).name == "site.example", text
    assert parse_subject("HTTPS://Site.example:443/A#b").name == "https://site.example/A"
    assert parse_subject("bücher.example").name == "xn--bcher-kva.example"
    assert book(("http://127.0.0.1:81/", "untrusted")).state("http://127.0.0.1:82/x") == "trusted"


def test_endings_are_no_owner() -> None:
    assert not any(map(is_registrable, ("com", "co.uk", "github.io")))
    assert all(map(is_registrable, ("example.org", "a.github.io", "127.0.0.1:8000", "localhost")))


def test_a_subject_must_be_one(bench: Bench) -> None:
    fetched(bench)
    for wrong in ("", "a b", "ftp://x.example/", "source_000000000000000000000000", "x" * 3000):
        with pytest.raises(InvalidQueryError):
            choose(bench, "trusted", wrong)
    with pytest.raises(InvalidQueryError, match="anyone may register"):
        choose(bench, "trusted", "co.uk")
    assert not (bench.space().landing.parent / FILE).exists()
    assert json.dumps([one.to_json() for one in held_sites(bench.home, "alice")])


def test_a_crawl_vouches_for_the_sites_of_its_seeds_alone(bench: Bench) -> None:
    config = CrawlConfig(allowed_domains=("site.example", "other.example"))
    job = new_job("alice", ("https://www.site.example/docs",), config)
    own = ("https://www.site.example/a", "https://site.example/", "https://docs.site.example:8443/a")
    assert all(map(job.is_of_seeds, own))
    assert not any(map(job.is_of_seeds, ("https://other.example/", "https://mysite.example/", "https://example/")))
    fetched(bench, "https://other.example/a", origin="followed")
    fetched(bench, "https://site.example/a", origin="")
    assert [(one.subject, one.origin) for one in held_sites(bench.home, "alice")] == [("other.example", "followed")]

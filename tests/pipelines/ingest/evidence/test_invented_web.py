"""The invented web of the benchmark: what it holds, and one of its claims end to end."""

from collections import Counter
from pathlib import Path

from benchmarks.evidence_online import USER, prepared
from benchmarks.evidence_web import Search, read_web, serving, settings_text
from brain_pipelines.ingest.evidence.online import check_online


def test_what_the_web_holds() -> None:
    pages, claims, trusted = read_web()
    kinds = Counter(page.kind for page in pages)
    assert len(pages) >= 120 and len(claims) >= 60 and set(trusted) < {page.host for page in pages}
    assert {"true", "false", "outdated", "hedged", "negated", "copy", "spam", "noise"} == set(kinds)
    assert set(Counter(verdict for verdict, _ in claims)) == {"supported", "contradicted", "unknown"}
    assert len({(page.host, page.path) for page in pages}) == len(pages) and all(page.text for page in pages)
    first = Search(pages).find("Who is the rector of Hexley University?")[0]
    assert first.host in ("hexley-university.example", "campus-radio.example")


def test_a_claim_of_the_web(tmp_path: Path) -> None:
    pages, _, trusted = read_web()
    with serving(pages) as (port, requested):
        home = prepared(tmp_path / "home", settings_text(port, trusted))
        report = check_online(home, USER, "Peter Dale is the rector of Hexley University.")
        asked = len(requested)
        again = check_online(home, USER, "Peter Dale is the rector of Hexley University.")
    assert report.evidence.verdict == "contradicted" and report.evidence.state != "confirmed"
    assert (again.online.source, again.evidence.digest) == ("memory", report.evidence.digest)
    assert len(requested) == asked

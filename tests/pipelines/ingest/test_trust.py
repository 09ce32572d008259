"""Trust as a gate: what is held back is in no derived store; a decision gives what another history would have given."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.connectors.http.archive import keep_page
from brain_pipelines.connectors.http.fetch import Page
from brain_pipelines.engine.landing_recovery import ensure_landing, recover
from brain_pipelines.ingest.trust import TrustReport, decide
from brain_pipelines.ingest.trust_overview import decisions_of, held_sites, standing_of
from brain_pipelines.knowledge.forgetting.forget import forget, preview
from brain_pipelines.knowledge.forgetting.plan import Scope
from brain_pipelines.landing.backup import back_up
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.trust_gate import record
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError, StoreError
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore
from brain_retrieval.stores.trust_book import FILE, Decision
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import content, home_of, snapshot

NOTE = "Bob Lee lives in Berlin. Bob Lee works at Acme Corp."
STORY = "Bob Lee lives in Lisbon. Wilhelmina Zwart brought the marzipan catalogue along to the harbour office."
WORDS = ("lisbon", "wilhelmina", "zwart", "marzipan")
URL, SITE = "https://news.harbour.example/story", "harbour.example"
FETCHED = datetime(2026, 2, 3, 9, tzinfo=UTC)


def fetched(bench: Bench, url: str = URL, text: str = STORY, *, origin: str = "online", user: str = "alice") -> Path:
    """Store a page as the fetcher does and land it."""
    html = f"<html lang=en><head><title>Story</title></head><body><article><p>{text}</p></article></body></html>"
    page = Page(url, url, 200, (("content-type", "text/html"),), html.encode(), FETCHED, (), "93.184.216.34", ())
    path = keep_page(bench.space(user), "web-page", url, page, {"origin": origin})
    bench.land(path, user)
    return path


def run(bench: Bench, user: str = "alice") -> None:
    for source in ("note", "web-page"):
        bench.run(user, source)


def choose(bench: Bench, state, subject: str = SITE, user: str = "alice", **options) -> TrustReport:
    return decide(bench.home, user, subject, state, by="ann", through_dagster=False, **options)


def fill(bench: Bench, page: str) -> Bench:
    """Land a note and perhaps a page ("", "pending" or "trusted"), run everything and take a snapshot."""
    bench.land(bench.drop("alice", "note", "berlin.md", NOTE))
    if page == "trusted":
        record(bench.space(), Decision("2026-01-01T00:00:00+00:00", "ann", SITE, "trusted"))
    if page:
        fetched(bench)
    run(bench)
    snapshot(bench)
    return bench


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bench]:
    root = tmp_path_factory.mktemp("trust")
    return {name: fill(Bench(Home(root / (name or "none"))), name) for name in ("", "pending", "trusted")}


@pytest.fixture
def home_with(bench: Bench, templates: dict[str, Bench]):
    def copied(name: str) -> Bench:
        shutil.copytree(templates[name].home.path, bench.home.path, dirs_exist_ok=True)
        return bench

    return copied


def stored(bench: Bench) -> tuple[object, ...]:
    """Return the digests of what was derived and consolidated, without the tables that hold what is held back."""
    lake, index = bench.digests()
    derived = {key: digest for key, digest in lake.items() if key[0] not in ("raw", "held")}
    return derived, index, {day: content(bench, day) for day in SnapshotStore(bench.space()).days()}


def tables(bench: Bench) -> set[str]:
    with Catalog(bench.space()) as catalog:
        return {file.table for file in catalog.lake_files(source="web-page")}


def files_with_words(bench: Bench) -> set[str]:
    """Return the folders of derived files that hold a word of the page, packed or not."""
    found, root = set[str](), bench.space().root
    with Catalog(bench.space()) as catalog:
        for table in {file.table for file in catalog.lake_files()}:
            rows = str(Lake(bench.space(), catalog).read(table).to_pylist()).lower()
            found |= {f"lake/{table}"} if any(word in rows for word in WORDS) else set()
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(("raw/", "lake/")):
            found |= {name} if any(word.encode() in path.read_bytes().lower() for word in WORDS) else set()
    return found


def test_what_is_held_back_is_in_no_derived_store(templates: dict[str, Bench]) -> None:
    bench = templates["pending"]
    assert tables(bench) == {"raw", "held"}
    assert stored(bench) == stored(templates[""])
    assert files_with_words(bench) == {"lake/held"}
    assert files_with_words(templates["trusted"]) > {"lake/text", "lake/chunks"}  # the search finds what is there
    assert home_of(bench) == "Berlin" and home_of(templates["trusted"]) == "Lisbon"


def test_an_approval_gives_what_was_trusted_from_the_start_and_runs_no_other_day(home_with, templates) -> None:
    bench = home_with("pending")
    with Catalog(bench.space()) as catalog:
        before = set(catalog.ledger(source="note"))
    seen = choose(bench, "trusted", preview=True)
    assert (seen.done, seen.days, len(seen.let_in), seen.held_back) == (False, 0, 1, [])
    assert tables(bench) == {"raw", "held"} and not decisions_of(bench.home, "alice")
    report = choose(bench, "trusted", reason="the paper of the town")
    assert report.success and report.days == 1 and report.let_in == seen.let_in
    snapshot(bench)
    assert bench.digests() == templates["trusted"].digests()
    assert stored(bench) == stored(templates["trusted"])
    with Catalog(bench.space()) as catalog:
        assert set(catalog.ledger(source="note")) == before
    assert choose(bench, "trusted").days == 0


def test_a_rejection_takes_everything_away_in_the_same_call(home_with, templates) -> None:
    bench = home_with("trusted")
    gone = choose(bench, "untrusted", preview=True)
    assert gone.gone["search index"] >= 1 and gone.gone["lake memories"] >= 1 and home_of(bench) == "Lisbon"
    report = choose(bench, "untrusted")
    assert report.success and report.gone == gone.gone and not any(report.left.values())
    assert home_of(bench) == "Berlin"  # what the page had ended holds again
    assert stored(bench) == stored(templates[""])
    # former versions of the index lie on disk for an hour, for readers that have them open
    assert {name for name in files_with_words(bench) if not name.startswith("index/")} == {"lake/held"}
    choose(bench, "trusted")
    snapshot(bench)
    assert stored(bench) == stored(templates["trusted"])


def test_neither_the_order_of_landing_nor_of_deciding_matters(bench: Bench, templates) -> None:
    fetched(bench)
    for state in ("untrusted", "trusted"):
        choose(bench, state)
    bench.land(bench.drop("alice", "note", "berlin.md", NOTE))
    run(bench)
    snapshot(bench)
    assert stored(bench) == stored(templates["trusted"])


def test_decisions_are_of_one_user(home_with) -> None:
    bench = home_with("pending")
    fetched(bench, user="bob")
    choose(bench, "trusted", user="bob")
    assert [one.subject for one in held_sites(bench.home, "alice")] == ["news.harbour.example"]
    assert not held_sites(bench.home, "bob") and not (bench.space().landing.parent / FILE).exists()


def test_it_is_found_only_when_asked_for_and_marked(home_with) -> None:
    bench = home_with("pending")
    with Brain.open(bench.home.path, user="alice") as brain:
        assert brain.search("marzipan catalogue").held is None
        found = brain.search("marzipan catalogue", include_untrusted=True)
        assert not any("marzipan" in hit.text for hit in found)
        assert found.held is not None
        [hit] = found.held
        assert (hit.trust, hit.url, "marzipan" in hit.text) == ("pending", URL, True)
        assert found.to_json()["held"][0]["trust"] == "pending"
        elsewhere: list[dict[str, Any]] = [{"sources": ["note"]}, {"day_to": "2026-01-31"}, {"known_at": "2026-02-01"}]
        for narrowed in elsewhere:
            assert brain.search("marzipan catalogue", include_untrusted=True, **narrowed).held == ()
        assert "marzipan" not in brain.context("marzipan catalogue").text
        with pytest.raises(InvalidQueryError):
            brain.search("marzipan", include_untrusted="yes")  # type: ignore[arg-type]


def test_the_record_says_who_and_when_and_is_only_added_to(home_with) -> None:
    bench = home_with("pending")
    path = bench.space().landing.parent / FILE
    choose(bench, "untrusted", reason="copies others", now=datetime(2026, 3, 2, 8, tzinfo=UTC))
    first = path.read_bytes()
    choose(bench, "pending")
    assert path.read_bytes().startswith(first)
    before, after = decisions_of(bench.home, "alice")
    assert (before.at, before.by) == ("2026-03-02T08:00:00.000000+00:00", "ann")
    assert (before.state, before.reason, after.state) == ("untrusted", "copies others", "pending")
    assert decisions_of(bench.home, "alice", current=True) == [after]
    found = standing_of(bench.home, "alice", URL)
    assert (found["state"], found["why"], found["sources"]) == ("pending", "decision", {"pending": 1})
    path.write_bytes(path.read_bytes() + b'{"at": "cut')  # a write that was never acknowledged
    choose(bench, "trusted")
    assert [one.state for one in decisions_of(bench.home, "alice")] == ["untrusted", "pending", "trusted"]


def test_a_damaged_record_lets_nothing_in(home_with) -> None:
    bench = home_with("pending")
    choose(bench, "untrusted")
    path = bench.space().landing.parent / FILE
    path.write_bytes(b"?" + path.read_bytes())
    with pytest.raises(StoreError, match="trust"):
        fetched(bench, "https://other.harbour.example/a")


def test_the_record_is_backed_up_and_survives_the_loss_of_the_landing_record(home_with) -> None:
    bench = home_with("trusted")
    choose(bench, "untrusted")
    space = bench.space()
    back_up(space, kept=3)
    (space.landing.parent / FILE).unlink()
    ensure_landing(space, bench.settings)
    assert [one.state for one in decisions_of(bench.home, "alice")] == ["trusted", "untrusted"]
    shutil.rmtree(space.backups)
    for path in space.landing.parent.glob("landing.sqlite*"):
        path.unlink()
    recover(space, bench.settings)  # from the lake: what was rejected stays so
    run(bench)
    assert tables(bench) == {"raw", "held"}


def test_forgetting_takes_held_texts_and_the_words_of_decisions(home_with) -> None:
    bench = home_with("pending")
    with open_landing(bench.space(), bench.settings) as landing:
        [item] = landing.held_items()
    for subject in (URL, item.uri, SITE):
        choose(bench, "pending", subject, reason="zwart")
    plan = preview(bench.home, "alice", Scope("source", item.uri), command="test")
    assert "marzipan" in plan.needles.words
    receipt = forget(bench.home, plan)
    assert receipt["complete"], receipt["check"]
    decided = [(one.subject.split("/")[0], one.reason, one.by) for one in decisions_of(bench.home, "alice")]
    assert decided == [("inbox:forgotten", "", "ann")] * 2 + [(SITE, "zwart", "ann")]


def test_settings_decide_where_nothing_was_decided_and_the_days_follow_them(home_with) -> None:
    bench = home_with("pending")
    toml = bench.home.path / "brain.toml"
    for text, held in (('[trust]\nonline = "trusted"', 0), (f'[crawl]\ntrusted_domains = ["{SITE}"]', 0), ("", 1)):
        toml.write_text(text)
        with open_landing(bench.space(), bench.settings) as landing:
            assert len(landing.held_items()) == held
            assert [day.day for day in landing.dirty()] == ["2026-02-03"]
    fetched(bench, "https://shop.example/a", origin="")
    toml.write_text('[trust]\nnamed = "pending"')
    with open_landing(bench.space(), bench.settings) as landing:
        assert len(landing.held_items()) == 2  # every page of the web, and no note


def test_parts_are_never_trusted_more_than_what_they_belong_to(bench: Bench) -> None:
    mail = (
        "From: Ann <ann@mail.example>\nTo: bob@mail.example\nSubject: Plan\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nSee it.\n'
        '--b\nContent-Type: text/plain; name="plan.txt"\nContent-Disposition: attachment; filename="plan.txt"\n\n'
        "The marzipan is in the cellar.\n--b--\n"
    )
    bench.land(bench.drop("alice", "email", "plan.eml", mail))
    bench.run(source="email")
    assert any("marzipan" in text for text in bench.texts(source="email").values())
    report = choose(bench, "untrusted", "inbox:email/plan.eml")
    assert len(report.held_back) == 2 and not bench.texts(source="email")
    choose(bench, "trusted", report.held_back[1])  # a rejection holds for everything below it
    assert not bench.texts(source="email")


def test_the_commands_show_what_waits_and_ask_before_they_take_away(home_with) -> None:
    bench = home_with("trusted")
    fetched(bench, "https://shop.example/a", "The shop sells lamps of brass.")
    run(bench)

    def brain(*words: str):
        return CliRunner().invoke(app, [*words, "--user", "alice", "--home", str(bench.home.path)])

    assert "pending shop.example 1 source, found online" in brain("trust", "list").output
    assert json.loads(brain("trust", "list", "--json").output)["held"][0]["names"] == ["https://shop.example/a"]
    before = stored(bench)
    seen = brain("trust", "reject", SITE)
    assert "would be untrusted" in seen.output and "nothing was changed; --yes does it" in seen.output
    assert json.loads(brain("trust", "reject", SITE, "--json").output)["done"] is False
    assert stored(bench) == before and "untrusted" not in brain("trust", "history").output
    assert "is trusted by your decision" in brain("trust", "status", SITE).output
    assert "1 waits for approval" in brain("status").output
    assert "trust: pending" in brain("search", "lamps of brass", "--include-pending").output
    assert "lamps" not in brain("search", "lamps of brass").stdout
    assert brain("trust", "approve", "co.uk").exit_code == 2

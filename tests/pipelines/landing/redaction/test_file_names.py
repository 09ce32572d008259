"""Names of files: personal data in them is not shown, and the identity of a source does not depend on it."""

from urllib.parse import quote

import pytest

from brain_pipelines.ingest.report import IngestReport, report_items
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.redaction.file_names import FileNames
from brain_pipelines.landing.scan import scan_inbox
from brain_retrieval.settings import Settings
from brain_retrieval.settings.language import PrivacySettings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

ON = FileNames(Settings(privacy=PrivacySettings(redact=True)))
OFF = FileNames(Settings())
SSN = "078-05-1120"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (f"Jane SSN {SSN}.txt", "Jane SSN [SSN].txt"),
        (f"Jane_SSN_{SSN}.txt", "Jane_SSN_[SSN].txt"),
        ("alice@b.example.pdf", "[EMAIL].pdf"),
        ("tel 0171 2345678.vcf", "tel [PHONE].vcf"),
        ("2026-01-05 Invoice 2024-00158.pdf", "2026-01-05 Invoice 2024-00158.pdf"),
        ("photo_20240102_130405.jpg", "photo_20240102_130405.jpg"),
    ],
)
def test_names(name: str, shown: str) -> None:
    assert ON.name(name) == shown and OFF.name(name) == name


def test_uris_stay_unique() -> None:
    uris = [f"inbox:note/{quote(f'Jane SSN {ssn}')}.txt" for ssn in (SSN, "219-09-9999")]
    first, second = map(ON.uri, uris)
    assert first.startswith("inbox:note/Jane%20SSN%20[SSN]~") and first.endswith(".txt") and first != second
    assert ON.uri(uris[0] + "#part-1") == first + "#part-1"
    assert [OFF.uri(uri) for uri in uris] == uris
    assert ON.uri("inbox:note/plain%20name%FF.txt#a") == "inbox:note/plain%20name%FF.txt#a"
    assert SSN not in ON.uri(f"inbox:note/{SSN}/x.txt") and SSN not in ON.uri(f"inbox:chat/x.json#1~{SSN}.txt")


def test_nothing_derived_shows_the_name_and_the_source_keeps_its_id(bench, monkeypatch) -> None:
    bench.drop("alice", "note", f"Jane SSN {SSN}.txt", "The component library team met in Porto.")
    bench.drop("alice", "note", f"bad {SSN}.txt", b"\x7fELF" + bytes(range(256)) * 20)
    space, ids = bench.space(), []
    for redact in ("false", "true"):
        monkeypatch.setenv("BRAIN_PRIVACY__REDACT", redact)
        monkeypatch.setenv("BRAIN_PRIVACY__RAW", "keep")
        with open_landing(space, bench.settings) as landing:
            scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
            uris = set(landing.landed())
        bench.run()
        report = IngestReport("alice", "note")
        report_items(space, bench.settings, "note", uris, report)
        with Catalog(space) as catalog:
            lake, index = Lake(space, catalog), active_index(space, catalog)
            assert index is not None
            rows = [*lake.read("raw", source="note").to_pylist(), *lake.read("text", source="note").to_pylist()]
            shown = str(
                [rows, index.read(columns=["source_id", "uri", "title"]).to_pylist(), catalog.quarantine(), report]
            )
        assert (SSN in shown) is (redact == "false")
        assert len(report.quarantined) == 1 and len(report.stored) == 1
        ids.append({row["source_id"] for row in rows})
    assert ids[0] == ids[1]
    assert "Jane SSN [SSN]" in {row.get("title") for row in rows}

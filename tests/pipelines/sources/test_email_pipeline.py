"""A mail and a calendar through the whole pipeline: landing, run, replacement, removal."""

from tests.paths import ROOT

SAMPLES = ROOT / "data/samples/alice"


def test_mail_and_attachment_are_added_and_removed_together(bench) -> None:
    path = bench.drop("alice", "email", "lab.eml", (SAMPLES / "email/2026-02-04-lab.eml").read_bytes())
    assert bench.land(path) == {"2026-02-04"}
    bench.run(source="email")
    texts = bench.texts(source="email")
    assert sorted(uri.partition("#")[2] for uri in texts) == ["", "part-1"]
    assert "Task 3. Change" in texts["inbox:email/lab.eml#part-1"]
    assert bench.remove(path) == {"2026-02-04"}
    bench.run(source="email")
    assert bench.texts(source="email") == {}


def test_event_removed_from_the_calendar_is_deleted(bench) -> None:
    whole = (SAMPLES / "calendar/work.ics").read_text("utf-8")
    path = bench.drop("alice", "calendar", "work.ics", whole)
    bench.land(path)
    bench.run(source="calendar")
    assert len(bench.texts(source="calendar")) == 5
    start, end = whole.index("BEGIN:VTODO"), whole.index("END:VCALENDAR")
    path = bench.drop("alice", "calendar", "work.ics", whole[:start] + whole[end:], day="2026-01-06")
    assert bench.land(path) == {"2026-02-10"}  # no other day changed
    bench.run(source="calendar")
    assert len(bench.texts(source="calendar")) == 4

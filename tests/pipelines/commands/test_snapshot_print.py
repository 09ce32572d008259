"""What `brain nightly` says of a snapshot: what is known, and only those checks that did not pass."""

from typing import Any

from rich.console import Console

from brain_pipelines.commands.consolidate import print_snapshot


def shown(capsys, **changes: Any) -> list[str]:
    passing = [{"metric": "junk_rate", "value": 0.2, "limit": 0.6, "passed": True}]
    report = {"day": "2026-03-01", "run_id": "r", "success": True, "error": "", "golden": None, "quality": passing}
    rows = {"known_entities": 1, "known_facts": 1234, "entity_members": 9, "storylines": 0, "topics": 2}
    print_snapshot({"rows": rows, **report, **changes}, Console(highlight=False, width=200))
    return capsys.readouterr().out.splitlines()


def test_it_counts_what_a_reader_meets(capsys) -> None:
    assert shown(capsys) == [
        "snapshot of 2026-03-01: done; 1 entity, 1,234 relations, 2 topics",
        "  all checks of its quality passed",
    ]
    assert shown(capsys, rows={}, quality=[]) == ["snapshot of 2026-03-01: done; nothing is known yet"]


def test_it_names_the_checks_that_failed(capsys) -> None:
    quality = [
        {"metric": "junk_rate", "value": 0.75, "limit": 0.6, "passed": False},
        {"metric": "odd_people", "value": 0.0, "limit": 0.1, "passed": True},
    ]
    assert shown(capsys, quality=quality)[1:] == ["  junk rate: 0.750, at most 0.6 is expected"]

"""Lines of forms and programs that are no memories, and sentences like them that are."""

import pytest

from brain_pipelines.stages.prose.records import is_list_of_names, is_record, is_title_of_issue
from brain_pipelines.stages.prose.statements import is_statement


@pytest.mark.parametrize(
    "text",
    [
        "Start: 19:00",
        "Meeting ended: 20:15",
        "Date: 2026-03-05",
        "Chair: Ann Lee",
        "Note taker: Ann Lee, Bo Day",
        "Beginn der Sitzung: 17:30Uhr",
        "Ende der Sitzung: 20:42 Uhr",
        "Protokoll: Marlene",
        "Sitzungsleitung: Ann Lee und Bo Day",
        "Hora comienzo: 11:00",
        "Fecha de redacción: 12/02/2026",
        "Secretario: Juan Pérez",
        "Heure de fin : 21h30",
        "Animateur : Ilhan",
        "Responsable : @Ilhan",
        "Ora di fine: 17:00;",
        "Verificatori Riccardo Fabbian",
        "Horário de Término: 16:40",
        "Relator: João da Silva",
    ],
)
def test_fields_of_minutes_are_no_statements(text: str) -> None:
    assert is_record(text) and not is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Date: the boat leaves on 5 March",
        "Chair: the red one in the hall is broken",
        "Responsable : Ilhan doit réparer le toit",
        "Beginn: wir treffen uns vor dem Haus",
        "Next meeting: 5 March at the town hall",
        "Presidente eletto il 5 marzo con dieci voti",
    ],
)
def test_what_is_said_behind_a_label_is_kept(text: str) -> None:
    assert not is_record(text)


@pytest.mark.parametrize(
    "text",
    [
        "Michael Dawson (@mhdawson)",
        "Sam Roberts @sam-github (TSC)",
        "@Tom uploaded a file: image.png",
        "Ann Lee has joined the channel",
        "[qTox-Website] zetok opened pull request #20: Translations",
        "[23:02:44.211 UTC] persistence/db/rawdatabase.cpp:566 : Warning: no table of that name",
        "Extracted from tsc-agenda labeled issues and pull requests from the nodejs org prior to the meeting.",
        "Click +GoogleCalendar at the bottom right to add to your own Google calendar.",
        "cannot install both R-core-4.5.0-3.fc42.x86_64 from updates and R-core-4.4.3-1.fc42.x86_64 from fedora",
    ],
)
def test_entries_of_those_present_and_reports_of_programs_are_no_statements(text: str) -> None:
    assert is_record(text) and not is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee (@annlee) will write to the board",
        "Tom uploaded the photos of the wedding in Kiel",
        "Ann joined the choir",
    ],
)
def test_what_people_did_is_kept(text: str) -> None:
    assert not is_record(text) and is_statement(text)


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("doc: update TSC charter #698", "note", True),
        ("Dojo report link in Code of Conduct is broken #645", "document", True),
        (r"\[WIP\] Start listing documents maintained by the CPC #789", "note", True),
        ("Pieter Wuille will push a few changes to PR #7575", "note", False),
        ("Review #7568 & #7715", "note", False),
        ("We merged the new plan #12", "note", False),
        ("update the TSC charter #698", "conversation", False),
    ],
)
def test_titles_of_issues(text: str, source: str, *, expected: bool) -> None:
    assert is_title_of_issue(text, source) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Adriano Fonseca Carvalho Costa e Necivaldo Amaral Pinto Junior.", True),
        ("Ann Lee, Bo Day and Ida May", True),
        ("María López y Juan de la Cruz", True),
        ("Ann Lee met Bo Day", False),
        ("Ann Lee", False),
    ],
)
def test_lists_of_names(text: str, *, expected: bool) -> None:
    assert is_list_of_names(text) is expected

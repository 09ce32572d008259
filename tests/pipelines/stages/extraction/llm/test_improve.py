"""A model's entries against the words of their sentences: what is lost or added, dates, notes."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.stages.extraction.llm.checks import fault_of
from brain_pipelines.stages.extraction.llm.client import Kept
from brain_pipelines.stages.extraction.llm.improve import Improved, improve_group
from brain_pipelines.stages.extraction.llm.lines import groups_of
from brain_pipelines.stages.extraction.llm.notes import period_of, slot_of
from brain_pipelines.stages.extraction.llm.prompt import Entry
from brain_retrieval.schemas.tables import MEMORIES
from tests.pipelines.stages.extraction.llm.local_rows import memories
from tests.pipelines.stages.extraction.llm.scripted_model import entry
from tests.pipelines.stages.extraction.local.documents import document

# Two sentences by Katrin to Salim on 2 March 2026; the second one is asked about.
BEFORE = "Mira Vogel called."


def improved(said: str, *entries: dict, zone=UTC, language: str = "en", **changes) -> Improved:
    """Return the rows after a model gave `entries` for `said`, with the local row changed."""
    row = document(f"{BEFORE} {said}", language=language)
    rows = memories(row, speaker="Katrin", listener="Salim", **changes)[1:]
    (group,) = groups_of(0, row, rows, above=0.05, size=20, zone=zone)
    return improve_group(group, Kept(entries=[Entry(**one) for one in entries], names=[]), zone)


def fault(said: str, line: str, language: str = "en", **changes) -> str:
    """Return what is wrong with `line` for the sentence `said`."""
    row = document(f"{BEFORE} {said}", language=language)
    rows = memories(row, speaker="Katrin", listener="Salim", **changes)[1:]
    (group,) = groups_of(0, row, rows, above=0.05, size=20, zone=UTC)
    return fault_of(line, group.lines[0], language)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I pay 2,140.50 euros at 12 Rue Pasteur.", "Katrin pays 2,140.50 euros at 12 Rue Pasteur."),
        ("She moves out on Friday.", "Mira Vogel moves out on Friday [2026-03-06]."),
        ("I told you that Bo left yesterday.", "Katrin told Salim that Bo left yesterday [2026-03-01]."),
        ("I don’t eat meat.", "Katrin doesn't eat meat."),
        ("I don't eat meat.", "Katrin does not eat meat."),
        ("Salim, we sold the car.", "Katrin: We sold the car."),
        ("Room no. 5 is ours.", "Katrin: Room no. 5 is ours."),
        ("We met in 1998.", "Katrin: We met in 1998 [1998]."),
        ("She was late.", "She was late [Mira Vogel called]."),
        ("Bo met Ann, whom Bo knows.", "Ann and Bo: Bo met Ann, whom Bo knows."),
        ("The contract ends in 2031.", "The contract ends in 2031 [2031]."),
    ],
)
def test_lines_that_only_resolve_are_accepted(said: str, text: str) -> None:
    assert fault(said, text) == ""


@pytest.mark.parametrize(
    ("said", "text", "what"),
    [
        ("I pay 2,140.50 euros.", "Katrin pays about 2,100 euros.", "number or a date is lost"),
        ("I pay 840 euros.", "Katrin pays rent in euros.", "number or a date is lost"),
        ("I pay euros for the flat.", "Katrin pays 840 euros for the flat.", "number is added"),
        ("I met Bo in Jena.", "Katrin met Bo.", "name is lost"),
        ("I met him in Jena.", "Katrin met Rafael in Jena.", "name is added"),
        ("He lives in Jena.", "Rafael lives in Jena.", "name is added"),
        ("I don't eat meat.", "Katrin eats meat.", "negation"),
        ("I eat meat.", "Katrin doesn't eat meat.", "negation"),
        ("I no longer work there.", "Katrin works there.", "negation"),
        ("I left the choir yesterday.", "Katrin left the choir yesterday [2026-13-01].", "date is added"),
        ("I left the choir yesterday.", "Katrin left the choir yesterday [2019-03-01].", "date is added"),
        ("My bicycle was stolen at the station.", "The dentist found holes.", "something else"),
        ("I eat meat.", "[2026]", "empty"),
        ("I eat meat.", "Katrin eats meat [with Rafael].", "in brackets"),
        ("Bo owes Ann the rent.", "Ann owes Bo the rent.", "changed places"),
        ("I eat meat.", "Katrin eats meat [2026-03-02, 900 euros].", "in brackets"),
    ],
)
def test_lines_that_lose_or_add_are_refused(said: str, text: str, what: str) -> None:
    assert what in fault(said, text)


@pytest.mark.parametrize(
    ("language", "said", "text", "what"),
    [
        (
            "en",
            "I lent Bo 300 euros, he returns 100 euros.",
            "Katrin lent Bo 100 euros, he returns 300 euros.",
            "places",
        ),
        ("en", "The fee rose from 412 to 467 euros.", "The fee rose from 467 to 412 euros.", "amount"),
        ("en", "I pay 840 euros.", "Katrin pays 840 dollars.", "amount"),
        ("en", "I ran 7 km.", "Katrin ran 7 miles.", "amount"),
        ("en", "We hired three testers.", "Katrin hired five testers.", "amount"),
        ("en", "Ten sessions were prescribed.", "Sessions were prescribed.", "amount"),
        ("en", "I take half a tablet.", "Katrin takes a tablet.", "amount"),
        ("en", "It costs more than 900 euros.", "It costs 900 euros.", "amount"),
        ("en", "I take it in the morning.", "Katrin takes it in the evening.", "day or a month"),
        ("de", "Ich habe zwei Kartons im Keller.", "Katrin hat drei Kartons im Keller.", "amount"),
        ("fr", "Je paie le loyer en mars.", "Katrin paie le loyer en mai.", "day or a month"),
        ("es", "Pago 90 euros cada lunes.", "Katrin paga 90 euros cada martes.", "day or a month"),
    ],
)
def test_quantities_without_another_digit_are_compared(language: str, said: str, text: str, what: str) -> None:
    assert what in fault(said, text, language)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I went there two days ago.", "Katrin went there [2026-02-28]."),
        ("I paid 50 euros on 3 May.", "On 3 May [2026-05-03] Katrin paid 50 euros."),
        ("I have two of them, three kilos each.", "Katrin has two of them, three kilos each."),
        ("Last Friday I may have met Bo.", "Katrin may have met Bo on Friday [2026-02-27]."),
    ],
)
def test_quantities_may_be_said_in_another_order(said: str, text: str) -> None:
    assert fault(said, text) == ""


@pytest.mark.parametrize(
    ("said", "day", "stated"),
    [
        ("Two keys are with Bo.", "2026-01-11", False),
        ("I rent it until June.", "2026-06", True),
        ("I rent it until June.", "2026-08", False),
        ("I rent it since last week.", "2026-02-23", True),
    ],
)
def test_a_start_or_end_has_to_be_stated(said: str, day: str, stated: bool) -> None:
    (row,) = improved(said, entry(1, since=day)).rows.values()
    assert row["from_stated"] is stated


def test_a_date_that_the_rules_worked_out_stays() -> None:
    local = "Bo left the day after tomorrow [2026-03-04]."
    assert "lost" in fault(
        "Bo left the day after tomorrow.", "Bo left the day after tomorrow [2026-03-03].", text=local
    )
    assert not fault("Bo left the day after tomorrow.", local, text=local)


def test_a_lost_first_name_is_seen_if_the_local_tier_knows_it() -> None:
    entities = [{"entity_id": "e", "name": "Rafael", "type": "Person", "role": "subject"}]
    assert fault("Rafael owes me the rent.", "He owes Katrin the rent.", entities=entities)


@pytest.mark.parametrize(
    ("language", "said", "text", "accepted"),
    [
        ("de", "Ich zahle 840 Euro Miete.", "Katrin zahlt 840 Euro Miete.", True),
        ("de", "Ich zahle die Miete nicht.", "Katrin zahlt die Miete.", False),
        ("es", "No como carne en Madrid.", "Katrin no come carne en Madrid.", True),
        ("es", "No como carne en Madrid.", "Katrin come carne en Madrid.", False),
        ("fr", "Je ne fume plus.", "Katrin ne fume plus.", True),
    ],
)
def test_other_languages(language: str, said: str, text: str, accepted: bool) -> None:
    assert (fault(said, text, language) == "") == accepted


def test_a_kept_sentence_is_raised_and_another_lowered() -> None:
    (row,) = improved("I sold the car.", entry(1, "Katrin sold the car.", "event")).rows.values()
    assert (row["text"], row["kind"], row["keep"], row["method"]) == ("Katrin sold the car.", "event", 0.8, "llm")
    assert row["self_contained"] and row["evidence"] == "I sold the car."
    assert set(row) <= set(MEMORIES.names)
    (row,) = improved("What a day it was!").rows.values()
    assert (row["text"], row["keep"], row["method"]) == ("What a day it was!", 0.3, "llm")
    (row,) = improved("I sold the car.", entry(1), keep=0.95, text="Katrin sold the car.").rows.values()
    assert (row["text"], row["keep"]) == ("Katrin sold the car.", 0.95)


def test_a_refused_line_leaves_the_local_row() -> None:
    found = improved("I pay 840 euros.", entry(1, "Katrin pays 900 euros.", "plan", until="2026-05"))
    assert not found.rows and found.faults == ["a number or a date is lost"]


@pytest.mark.parametrize(
    ("notes", "start", "end"),
    [
        ({"since": "2026-05-01"}, "2026-05-01T00:00", None),
        ({"until": "2026-08"}, "2026-03-02T09:00", "2026-09-01T00:00"),
        ({"since": "2026-05", "until": "2026-05-31"}, "2026-05-01T00:00", "2026-06-01T00:00"),
        ({"since": "2026-09", "until": "2026-05"}, "2026-03-02T09:00", None),
        ({"since": "soon", "until": "2026-02-30"}, "2026-03-02T09:00", None),
        ({"since": "0001", "until": "9999"}, "2026-03-02T09:00", None),
        ({"since": "1990"}, "2026-03-02T09:00", None),  # no year of the sentence, and far from it
    ],
)
def test_periods_are_half_open_days(notes: dict[str, str], start: str, end: str | None) -> None:
    # "since" and "until" a time that the rules could not work out.
    (row,) = improved("I rent the flat for the next year.", entry(1, "", **notes)).rows.values()
    shown = [t and t.strftime("%Y-%m-%dT%H:%M") for t in (row["effective_from"], row["valid_to"])]
    assert shown == [start, end] and row["from_stated"] == (start != "2026-03-02T09:00")


def test_a_day_is_one_of_the_users_time_zone() -> None:
    zone = ZoneInfo("Europe/Berlin")
    (row,) = improved("I rent the flat next month.", entry(1, since="2026-07-01"), zone=zone).rows.values()
    assert row["effective_from"] == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_days_that_the_rules_found_stay() -> None:
    stated = datetime(2026, 4, 1, tzinfo=UTC)
    local = {"effective_from": stated, "from_stated": True, "valid_to": datetime(2026, 5, 1, tzinfo=UTC)}
    (row,) = improved("I rent it.", entry(1, since="2026-03-05", until="2026-03-09"), **local).rows.values()
    assert {name: row[name] for name in local} == local


@pytest.mark.parametrize(
    ("local", "given", "stored"),
    [("asserted", "possible", "possible"), ("possible", "reported", "possible"), ("asserted", "sure", "asserted")],
)
def test_a_model_may_doubt_but_not_assert(local: str, given: str, stored: str) -> None:
    (row,) = improved("I may leave.", entry(1, stance=given), modality=local).rows.values()
    assert row["modality"] == stored


@pytest.mark.parametrize(
    ("slot", "stored"),
    [
        ("Katrin | lives_in | Jena", ("Katrin", "lives_in", "Jena")),
        ("Katrin | lives in | Jena", ("Katrin", "lives_in", "Jena")),
        ("Katrin | lives_in | Berlin", (None, None, None)),
        ("Bo | lives_in | Jena", (None, None, None)),
        ("Katrin lives in Jena", (None, None, None)),
        ("Katrin | manager | Jena", (None, None, None)),  # no office that the sentence names
        ("Jena | lives_in | in", (None, None, None)),
        ("Katrin | lives_in | Katrin", (None, None, None)),
    ],
)
def test_a_slot_stands_in_its_line(slot: str, stored: tuple) -> None:
    (row,) = improved("I live in Jena.", entry(1, "Katrin lives in Jena.", slot=slot)).rows.values()
    assert (row["slot_subject"], row["slot_attribute"], row["slot_value"]) == stored


def test_a_change_names_earlier_memories_only() -> None:
    found = improved("I live in Jena. Jena has ended.", entry(1, changes="2"), entry(2, changes="1, 2, 7"))
    first, second = found.rows.values()
    assert (first["ends_hint"], first["cue"]) == (None, "none")
    assert (second["ends_hint"], second["cue"]) == ([first["memory_id"]], "strong")


def test_an_office_is_one_that_the_sentence_names() -> None:
    (row,) = improved("Bo is our manager.", entry(1, "", slot="Bo | manager | our")).rows.values()
    assert row["slot_value"] is None
    (row,) = improved("The manager of Ann is Bo.", entry(1, "", slot="Ann | manager | Bo")).rows.values()
    assert (row["slot_subject"], row["slot_attribute"], row["slot_value"]) == ("Ann", "manager", "Bo")
    (row,) = improved("The manager comes on Tuesday.", entry(1, "", slot="Tuesday | manager | comes")).rows.values()
    assert row["slot_value"] is None


def test_what_has_nothing_in_common_ends_nothing() -> None:
    found = improved("The boiler is new. Two keys hang here.", entry(1), entry(2, changes="1"))
    assert [row["ends_hint"] for row in found.rows.values()] == [None, None]
    found = improved("The boiler leaks. No boiler now.", entry(1), entry(2, changes="1"))
    assert found.rows[list(found.rows)[1]]["ends_hint"] == [next(iter(found.rows))]


def test_a_sentence_that_ends_everything_before_it_ends_nothing() -> None:
    lines = " ".join(f"Bo owes Ann {number} euros." for number in range(1, 7))
    found = improved(lines, *(entry(n) for n in range(1, 6)), entry(6, changes="1 2 3 4 5"))
    assert all(row["ends_hint"] is None for row in found.rows.values())


@pytest.mark.parametrize(
    ("given", "expected"),
    [("2024", ("2024-01-01", "2025-01-01")), ("2024-12", ("2024-12-01", "2025-01-01")), ("2024-13", None), ("", None)],
)
def test_periods(given: str, expected: tuple[str, str] | None) -> None:
    found = period_of(given)
    assert (found and tuple(day.isoformat() for day in found)) == expected
    assert slot_of(f"{given}||") is None

"""What a life turns on, in the words of six languages, and what only sounds like it."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.shown.matters import (
    AHEAD,
    LEAST_KEEP,
    LEAST_KEEP_DECIDED,
    is_matter,
    is_to_come,
    matter_of,
    stays,
    superseded,
)
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
ENTITY = pl.Struct(dict.fromkeys(("entity_id", "name", "type", "role"), pl.String))
SCHEMA = {"source_id": pl.String, "entities": pl.List(ENTITY), "anchors": pl.List(pl.String), "evidence": pl.String}
SCHEMA |= {"keep": pl.Float64, "source": pl.String, "end": pl.Int64, "said_at": pl.Datetime("us", "UTC")}


def entity(name: str, kind: str = "Person", role: str = "named") -> dict[str, Any]:
    return {"entity_id": None, "name": name, "type": kind, "role": role}


ME, LEEDS = entity("user", role="speaker"), entity("Leeds", "Location")


def row(text: str, *entities: dict[str, Any], values: tuple[tuple[str, str], ...] = (), **changes: object):
    made: dict[str, Any] = {
        "memory_id": text, "text": text, "evidence": text, "kind": "fact", "method": "local", "keep": 0.7,
        "entities": list(entities), "values": [{"dimension": one, "value": value} for one, value in values],
        "anchors": [], "said_at": NOW, "source": "note", "source_id": "day1", "speaker": "user", "start": 0,
        "end": 4000, "slot_attribute": None, "valid_to": None, "modality": "asserted", "self_contained": True,
        "sensitivity": "normal", "polarity": "affirmed",
    }  # fmt: skip
    return made | changes


def home(*rows: dict[str, Any]) -> Surroundings:
    return Surroundings.of(pl.DataFrame([{name: one[name] for name in SCHEMA} for one in rows], schema=SCHEMA))


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("My sister Nora got married in April.", "partner"),
        ("Nora becomes head of the archive.", "work"),
        ("Nora gets braces in the autumn.", "health"),
        ("O Nuno aceitou o cargo na biblioteca.", "work"),
        ("Lucía cambió de trabajo en marzo.", "work"),
        ("Lena kommt im Herbst ins Pflegeheim.", "home"),
        ("Pavel ist mit Rita verlobt.", "partner"),
        ("Our neighbour passed away.", "family"),
        ("La petite Zoé est née à l'aube.", "family"),
        ("My aunt was diagnosed with gout.", "health"),
        ("Der Orthopäde hat ein MRT angesetzt.", "health"),
        ("I moved to Leeds.", "home"),
        ("Nos mudamos a Vigo en mayo.", "home"),
        ("Ci siamo trasferiti a Lecce.", "home"),
        ("Leo hat eine Sesamallergie.", "health"),
        ("Grandpa is in hospital with pneumonia.", "health"),
        ("We're expecting again, due in August.", "family"),
        ("Ida is the new treasurer.", "standing"),
        ("She was promoted to head nurse.", "work"),
        ("Fui contratada pela biblioteca.", "work"),
        ("Er hat seine Doktorarbeit abgegeben.", "study"),
        ("We sold the van.", "owned"),
        ("I've worked at the mill since May.", "oneself"),
        ("I'm Bo, I mend clocks.", "oneself"),
    ],
)
def test_what_happens_to_a_person_is_a_matter(text: str, matter: str) -> None:
    assert matter_of(row(text, ME, LEEDS)) == matter


@pytest.mark.parametrize(
    "text",
    [
        "I moved to adopt the report.",
        "I'm an idiot.",
        "We decided to stay for another coffee.",
        "Ich habe festgestellt, dass der Zug fährt.",
        "Decidimos parar a comer.",
        "I work for 25 minutes and rest for five.",
        "Maud rang at lunch.",
        "We broke up the walk with a coffee.",
        "Our regular bakery has closed down.",
        "My watch died halfway up the hill.",
        "I took the prescribed rest between the laps.",
        "I decided to keep the walk flat.",
        "The rest is subject to Parkinson's Law.",
    ],
)
def test_a_step_of_a_day_is_none(text: str) -> None:
    assert matter_of(row(text, ME, LEEDS)) is None


def test_the_words_of_the_text_itself_count_where_a_name_stands_for_its_writer() -> None:
    kim = row("Kim: Kim has worked at the mill since May.", entity("Kim", role="speaker"), speaker="Kim")
    assert matter_of(kim) is None
    assert matter_of(kim | {"evidence": "I have worked at the mill since May."}) == "oneself"


def test_what_happens_to_no_person_is_none() -> None:
    assert matter_of(row("The old server was laid off.", entity("Hydra", "Tool"))) is None
    assert matter_of(row("Can hat eine Nussallergie.")) is None  # no name is found
    assert matter_of(row("Can hat eine Nussallergie.", source="conversation", speaker="Ida")) == "health"
    assert matter_of(row("I moved to Leeds.", ME)) is None  # no place is known to be named


@pytest.mark.parametrize(
    "text",
    [
        "I coach the under-tens on Saturdays.",
        "We went on our regular survey of the pond with Graham.",
        "Ich singe im Chor, jeden Dienstag.",
        "Soy miembro de la coral.",
        "J'anime un atelier tous les jeudis.",
        "Alleno i pulcini.",
        "Treino os miúdos todos os sábados.",
    ],
)
def test_offices_and_what_comes_back_every_week_are_wanted_back(text: str) -> None:
    assert matter_of(row(text, ME)) == "standing"
    assert matter_of(row(text)) is None


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("I sat beside a man who had just graduated.", None),
        ("My cousin graduated, and a man who had moved house helped.", "study"),
        ("Ich traf jemanden, der gerade geheiratet hat.", None),
        ("On a été guidés par une dame très drôle qui déménage à Sète.", None),
        ("Ho parlato con un uomo che è stato operato.", None),
        ("We used the profiler to diagnose the leak.", None),
        ("The DrQ policy of run 101 is slow.", None),
    ],
)
def test_what_strangers_go_through_and_words_of_other_trades_are_no_matter(text: str, matter: str | None) -> None:
    assert matter_of(row(text, ME, values=(("number", "101"),))) == matter


def test_what_people_say_of_themselves_for_a_few_days_is_of_those_days() -> None:
    often = row("I work in tech and could not get it running this week.", ME, values=(("date", "2026-05-28"),))
    lasts = row("I work in tech in Leeds.", ME)
    around = home(often, lasts)
    assert matter_of(often) == matter_of(lasts) == "oneself"
    assert (is_matter(often, around), is_matter(lasts, around)) == (False, True)


def test_only_what_tells_such_a_thing_itself_may_have_changed_one() -> None:
    wed, aside = row("We got married in Graz.", ME), row("I'm in love with the idea now.", ME)
    later, rent = row("We are divorced now.", ME), row("Rent is 780 now.", ME, values=(("EUR", "780"),))
    around = home(wed, aside, later, rent)
    assert stays(wed, [], around)
    assert stays(wed, [aside], around)
    assert not stays(wed, [aside, later], around)
    assert stays(rent, [aside], around)
    assert not stays(rent, [aside, row("It is 820 now.", values=(("EUR", "820"),))], around)
    assert not stays(rent, [row("I moved out of the flat.", ME)], around)
    assert not stays(aside, [], around)


def test_a_decision_needs_no_person_and_an_amount_needs_words() -> None:
    rent = (("EUR", "780"),)
    assert matter_of(row("We voted to close the pool.")) == "decided"
    assert matter_of(row("It was decided.", polarity="negated")) is None
    assert matter_of(row("Rent for the studio is 780 euros.", values=rent)) == "dues"
    assert matter_of(row("Rent for the studio is 780.", values=(("number", "780"),))) == "dues"
    assert matter_of(row("In 2019 we paid rent.", values=(("number", "2019"),))) is None
    assert matter_of(row("The coat was 780 euros.", values=rent)) is None


@pytest.mark.parametrize(
    ("changes", "is_one"),
    [
        ({}, True),
        ({"keep": LEAST_KEEP - 0.01}, False),
        ({"self_contained": False}, False),
        ({"modality": "possible"}, False),
        ({"sensitivity": "high"}, False),
        ({"source": "web-page"}, False),
        ({"source": "conversation", "speaker": "Kim"}, True),
        ({"source": "email", "speaker": "Kim"}, True),
        ({"speaker": "assistant"}, False),
        ({"method": "agent"}, False),
        ({"text": "I was promoted to:", "evidence": "I was promoted to:"}, False),
        ({"text": "We voted to close.", "evidence": "We voted to close.", "keep": LEAST_KEEP_DECIDED}, True),
        ({"text": "Kim was promoted to cook."}, True),
    ],
)
def test_only_what_a_note_asserts_whole_is_shown(changes: dict[str, Any], is_one: bool) -> None:
    said = row("I was promoted to cook.", ME) | changes
    assert is_matter(said, home(said)) is is_one


@pytest.mark.parametrize(
    ("value", "kind", "comes"),
    [
        (("date", "2026-06-02"), "fact", True),
        (("month", "2026-07"), "plan", True),
        (("date", "2026-06-01"), "fact", False),
        (("month", "2026-06"), "fact", False),
        (("date", "2026-06-02"), "event", False),
        (("date", (NOW + AHEAD + timedelta(days=1)).date().isoformat()), "fact", False),
        (("EUR", "9000"), "fact", False),
    ],
)
def test_a_day_after_all_that_is_said_is_to_come(value: tuple[str, str], kind: str, comes: bool) -> None:
    said = row("The fair is on that day.", values=(value,), kind=kind)
    older = row("The fair was fun.", said_at=NOW - timedelta(days=90))
    assert is_to_come(said, home(older, said)) is comes


def test_what_is_arranged_with_others_is_to_come_in_notes_alone() -> None:
    said = row("The fair is on 2 June.", values=(("date", "2026-06-02"),))
    assert is_matter(said, home(said))
    assert not is_matter(said | {"source": "conversation", "speaker": "Kim"}, home(said))


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("Gate code of the pool is 4471.", "details"),
        ("Gate code from 1 May [2026-05-01] is 4471.", "details"),
        ("Neue Adresse: Teichstraße 8, Plön.", "details"),
        ("Il codice del portone è 90B.", "details"),
        ("The gate code changes on Monday [2026-06-01].", None),
        ("We have a new address.", None),
    ],
)
def test_an_address_or_a_code_needs_its_digits(text: str, matter: str | None) -> None:
    assert matter_of(row(text)) == matter


def test_the_same_matter_of_two_speakers_is_not_the_same() -> None:
    ann, bea = ({"source": "conversation", "speaker": name} for name in ("Ann Lee", "Bea"))
    rows = [
        row("I graduated.", entity("Ann Lee", role="speaker"), said_at=NOW - timedelta(days=9)) | ann,
        row("I have enrolled in law.", entity("Bea", role="speaker")) | bea,
    ]
    assert superseded(rows) == set()
    assert superseded([rows[0], rows[1] | {"speaker": "Ann"}]) == {"I graduated."}


def test_a_later_line_on_the_same_matter_of_a_person_replaces_the_earlier_one_in_any_order() -> None:
    iker, zuri = entity("Iker Sanz"), entity("Íker")
    rows = [
        row("Iker has begun his PhD.", iker, said_at=NOW - timedelta(days=900)),
        row("Iker graduated.", zuri, said_at=NOW),
        row("I graduated.", ME, said_at=NOW - timedelta(days=2000)),
        row("The doctor prescribed an inhaler.", ME, said_at=NOW - timedelta(days=30)),
        row("I broke my left wrist.", ME, said_at=NOW - timedelta(days=20)),
        row("I had surgery on 3 May.", ME, said_at=NOW - timedelta(days=10)),
        row("We voted to close the pool.", said_at=NOW - timedelta(days=900)),
        row("We voted to open the pool.", said_at=NOW),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert superseded(rows) == {"Iker has begun his PhD.", "The doctor prescribed an inhaler."}


MOVED = "Moved by Ida, Seconded by Bo, Status Accepted"


@pytest.mark.parametrize(
    ("text", "entities", "values", "shown"),
    [
        (f"Appoint Lena Voss as treasurer: {MOVED}", (entity("Lena Voss"),), (), True),
        (f"Approve $640 for a kiln: {MOVED}", (), (("USD", "640"),), True),
        (f"Accept the last minutes: {MOVED}", (entity("Ida"),), (), False),
        ("Appoint Lena Voss as treasurer: Moved by Ida, Status Lapsed", (entity("Lena Voss"),), (), False),
    ],
)
def test_a_motion_that_was_carried_is_a_decision_if_it_names_whom_or_how_much(
    text: str, entities: tuple[dict[str, Any], ...], values: tuple[tuple[str, str], ...], shown: bool
) -> None:
    one = row(text, *entities, values=values, kind="event", self_contained=False)
    assert is_matter(one, home(one)) == shown


def test_what_was_paid_by_no_one_named_is_a_step_of_a_day() -> None:
    sums = (("GBP", "75"),)
    sent, renewed = ("Invoice sent, 75 pounds.", "The insurance went to Aviva, 75 pounds.")
    first, second = (row(text, values=sums, kind="event") for text in (sent, renewed))
    assert not is_matter(first, home(first))
    assert is_matter(second, home(second))


def test_a_contract_of_an_organisation_is_a_matter() -> None:
    corley = entity("Corley Foods", "Organization")
    assert matter_of(row("The Corley Foods contract ends in May.", corley)) == "project"
    assert matter_of(row("The contract ends in May.")) is None


def test_what_a_meeting_says_of_every_month_is_no_matter() -> None:
    one = row("Metal night (Coordinator: Ida) - business as usual, Bo taking over as host.", entity("Bo"))
    assert not is_matter(one, home(one))

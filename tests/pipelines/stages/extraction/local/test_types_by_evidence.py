"""The type of a name follows the words around it, for names of any country."""

import pytest

from brain_pipelines.stages.extraction.local.names.evidence.sentence_evidence import is_written_as_code
from brain_pipelines.stages.extraction.local.names.mention import GUESSED
from brain_pipelines.stages.extractions_local import extract_document, extract_documents
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.local.people_and_things import HELD_OUT, TUNED


def _types(text: str) -> dict[str, str]:
    return {e["name"]: e["type"] for e in extract_document(document(text)).entities}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My dentist Okonkwo moved to the new clinic.", "Okonkwo"),
        ("The plumber, Raghavan, comes back on Friday.", "Raghavan"),
        ("Spoke with Sukhwinder on the phone.", "Sukhwinder"),
        ("Ishita's sister is staying with us.", "Ishita"),
        ("Emeka and Adaeze are getting married in June!", "Adaeze"),
        ("Forwarded your note to Bao Tran, who is responsible for bookings.", "Bao Tran"),
        ("I gave the spare keys to Parvathi Menon.", "Parvathi Menon"),
        ("Thanks, Olumide Balogun, for fixing the gate.", "Olumide Balogun"),
    ],
)
def test_people_by_apposition_verb_pronoun_and_address(text: str, name: str) -> None:
    assert _types(text).get(name) == "Person"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Fallen Leaves is a lovely track for a rainy evening.", "Fallen Leaves"),
        ("The WiFi in the kitchen is slow again.", "WiFi"),
        ("I had Covid in spring and was tired for weeks.", "Covid"),
        ("Watched Moonlit Harbour on the sofa, it was too long.", "Moonlit Harbour"),
    ],
)
def test_songs_networks_and_illnesses_are_no_people(text: str, name: str) -> None:
    assert _types(text).get(name) != "Person"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lynn Road was closed on Monday.", "Lynn Road"),
        ("Nether Ferry Feed Mill\n\nMinutes of the meeting", "Nether Ferry Feed Mill"),
        ("He is based in Nether Wallop and runs the mill there.", "Nether Wallop"),
        ("We sweep Martin St and Clara Ave this Saturday.", "Martin St"),
        ("The march ends at N. Harlow St. by the fountain.", "N. Harlow St."),
    ],
)
def test_streets_mills_and_what_one_is_in_are_places(text: str, name: str) -> None:
    assert _types(text) | {name: "Location"} == _types(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Marta Lund booked the room in Rua do Salitre for Friday.", "Rua do Salitre"),
        ("We met at the corner of Calle de las Huertas and had lunch.", "Calle de las Huertas"),
        ("Our hotel is near Piazza della Rovere, five minutes away.", "Piazza della Rovere"),
    ],
)
def test_streets_with_small_words_inside_are_one_place_in_english(text: str, name: str) -> None:
    found = _types(text)
    assert found.get(name) == "Location" and not any(one != name and one in name for one in found)


MINUTES = """# Thursday

## Attendees

- Nora Keel

## Followup

* Ping Nora about how to move the server
"""


def test_headings_of_minutes_name_nothing_and_a_task_does_not_begin_a_name() -> None:
    assert {name for name in _types(MINUTES) if name not in ("Nora", "Nora Keel")} == set()


@pytest.mark.parametrize("text", ["Diane Lane sang.", "Marcus Hall sang.", "Napoleon Hill told her a joke."])
def test_surnames_that_also_end_places_stay_people(text: str) -> None:
    assert set(_types(text).values()) >= {"Person"}


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("es", "Ayer quedamos en la Calle Fernando Robles con los vecinos.", "Calle Fernando Robles"),
        ("fr", "Hier nous étions à la Rue Benoît Caron avec les voisins.", "Rue Benoît Caron"),
        ("it", "Ieri ci siamo visti in Via Giuseppe Riva con gli amici.", "Via Giuseppe Riva"),
        ("pt", "Ontem o carro parou na Rua Augusto Severo e ficou ali.", "Rua Augusto Severo"),
        ("fr", "Hier nous étions rue Victor Caron avec les voisins.", "rue Victor Caron"),
    ],
)
def test_streets_called_after_people_are_places(language: str, text: str, name: str) -> None:
    found = extract_document({**document(text), "language": language}).entities
    assert {e["name"]: e["type"] for e in found} == {name: "Location"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Apologies have been received from Mr Lionel Tarrant & Mr Dave Ott", "Lionel Tarrant"),
        ("Mrs Vogel - quarter salary to end August", "Vogel"),
        ("Cllr Tarrant said that the lamp is broken.", "Tarrant"),
        ("Councillor Tarrant will write to the county.", "Tarrant"),
        ("P.C. Tarrant would be in the village on Tuesday.", "Tarrant"),
    ],
)
def test_a_name_ends_at_a_dash_or_title_and_begins_behind_one(text: str, name: str) -> None:
    assert _types(text)[name] == "Person"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hope Jonah has a wonderful day!", "Jonah"),
        ("Unfortunately Miana isn't back until Friday.", "Miana"),
        ("You can email Miss Lee 1-2 photos if you wish.", "Lee"),
        ("Emily Stone called.", "Emily Stone"),
    ],
)
def test_what_a_sentence_begins_with_and_numbers_are_no_part_of_a_name(text: str, name: str) -> None:
    assert [one for one, kind in _types(text).items() if kind == "Person"] == [name]


@pytest.mark.parametrize("text", ["Hahah that is so good", "Awwww I miss you both", "Hahaha Ruben called me"])
def test_laughter_and_drawn_out_words_are_no_names(text: str) -> None:
    assert not {"Hahah", "Awwww", "Hahaha", "Hahaha Ruben"} & _types(text).keys()


def test_a_day_is_no_part_of_a_name() -> None:
    assert "Person" not in _types("7th Jun Noise from a door left open.").values()
    assert _types("The 6th Fleet left Naples.")["6th Fleet"] == "Organization"


@pytest.mark.parametrize("text", ["Chelsea were relegated in 1988.", "PharmaMar agreed to conduct a study."])
def test_groups_that_do_what_people_do_are_no_people(text: str) -> None:
    assert "Person" not in _types(text).values()


@pytest.mark.parametrize(("half", "at_least"), [(TUNED, 0.95), (HELD_OUT, 0.88)])
def test_people_of_thirteen_countries_and_things(half: list, at_least: float) -> None:
    right = people = mistaken = things = 0
    documents = [document(m.text, source_id=f"s{n}") for n, m in enumerate(half)]
    for marked, found in zip(half, extract_documents(documents), strict=True):
        spans = {(m["start"], m["end"]): m for m in found.mentions if m["type"] == "Person"}
        for start, end, is_person in marked.names:
            if is_person:
                people, right = people + 1, right + ((start, end) in spans)
            else:
                sure = [s for s, m in spans.items() if s[0] < end and start < s[1] and m["confidence"] > GUESSED]
                things, mistaken = things + 1, mistaken + bool(sure)
    assert right / people >= at_least
    assert mistaken / things <= 0.15


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Kate will post the summary on Zulip tomorrow.", "Zulip"),
        ("Cooklang is a markup language for recipes.", "Cooklang"),
        ("WASI.dev includes all phases of the proposals.", "WASI.dev"),
    ],
)
def test_platforms_tools_and_names_written_as_code_are_no_people(text: str, name: str) -> None:
    assert _types(text).get(name) != "Person"


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Helio Systems sent an invoice.", "Helio Systems", "Organization"),
        ("Benjamin Franklin Parkway is wide.", "Benjamin Franklin Parkway", "Location"),
        ("Diane Lane called about the tickets.", "Diane Lane", "Person"),
        ("Half marathon in April. Mei lives in Konstanz.", "Konstanz", "Location"),
        ("Raspberry Pi Camera", "Raspberry Pi Camera", "Tool"),
        ("Lisa on Instagram said hi.", "Lisa", "Person"),
        ("- Sander Pick - Textile", "Sander Pick", "Person"),
        ("Lead: @alanshaw, thanks to @vasco-santos.", "@vasco-santos", "Person"),
    ],
)
def test_the_last_word_and_the_form_of_a_name_tell_its_type(text: str, name: str, kind: str) -> None:
    assert _types(text).get(name) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Commit 7c41e0d: fixed the table",
        "npm i @scope/parser libp2p@0.24.0, `@dataclass`, @here and @name",
    ],
)
def test_codes_packages_and_calls_to_all_are_no_names(text: str) -> None:
    assert not _types(text)


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("The DHT is slow today.", "DHT", False),
        ("Our cousin works for DHT in Rotterdam.", "DHT", True),
        ("- Data Management", "Data Management", False),
    ],
)
def test_an_organisation_without_evidence_is_a_guess(text: str, name: str, named: bool) -> None:
    found = {e["name"]: e["confidence"] for e in extract_document(document(text)).entities}
    assert (found.get(name, 0) > GUESSED) == named


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("AsRef<[u8", "Location", True),
        ("manganese(IV", "Organization", True),
        ("L1", "Location", True),
        ("UdpPacket", "Person", True),
        ("McAllen", "Location", False),
        ("New York", "Location", False),
        ("eBay", "Organization", False),
        ("Acme (Europe)", "Organization", False),
    ],
)
def test_names_written_as_code(name: str, kind: str, *, code: bool) -> None:
    assert is_written_as_code(name, kind) is code


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I wrote the music for a project called Emberfall.", "Emberfall"),
        ("Kitchen Shared. Bills are extra.", "Kitchen Shared"),
        ("From Lisboa Oriente it takes three hours.", "Lisboa Oriente"),
    ],
)
def test_titles_headings_and_stations_are_no_people(text: str, name: str) -> None:
    assert _types(text).get(name) != "Person"


def test_who_is_called_by_a_name_is_a_person() -> None:
    assert _types("We met a plumber named Okonkwo in the yard.").get("Okonkwo") == "Person"


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("The wedding is in August in Durban!!", "Durban", "Location"),
        ("Her brother was visiting from Medellín, he works as a nurse.", "Medellín", "Location"),
        ("The flights to Recife are 900.", "Recife", "Location"),
        ("They moved to Bath in June.", "Bath", "Location"),
        ("His contract at Marlup was extended until December.", "Marlup", "Organization"),
        ("She lives in Walthamstow and works for Shelter.", "Shelter", "Organization"),
        ("She talked to Accenture about it.", "Accenture", "Organization"),
        ("Boiled eggs only, Ines is vegetarian.", "Ines", "Person"),
        ("Ran into Henrike at the market.", "Henrike", "Person"),
        ("Happy with the onboarding of Tomasz and Hyun-woo", "Tomasz", "Person"),
        ("Happy with the onboarding of Tomasz and Hyun-woo", "Hyun-woo", "Person"),
    ],
)
def test_listed_towns_workplaces_and_given_names_of_the_world(text: str, name: str, kind: str) -> None:
    assert _types(text).get(name) == kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Plumber came on Monday and fixed the tap.", "Plumber"),
        ("Auntie Bisi is coming for Easter.", "Easter"),
        ("Easter in Ghent was lovely.", "Easter in Ghent"),
    ],
)
def test_callings_at_the_start_and_holidays_are_no_names(text: str, name: str) -> None:
    found = extract_document(document(text)).entities
    assert not [e for e in found if e["name"] == name and (e["type"] != "Concept" or e["confidence"] > GUESSED)]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Customer Support replied on Monday.", "Customer Support", "Concept"),
        ("Volunteer Stories are listed in our channel.", "Volunteer Stories", "Concept"),
        ("Dinner at the Foxhill Tavern at eight.", "Foxhill Tavern", "Organization"),
        ("Lumenfield Photography took the pictures.", "Lumenfield Photography", "Organization"),
        ("The Parks Dept wants a new plan.", "Parks Dept", "Organization"),
    ],
)
def test_what_is_named_in_ordinary_words_is_no_person(text: str, name: str, kind: str) -> None:
    assert _types(text).get(name) == kind


@pytest.mark.parametrize("title", ["Mayor", "Councilmember", "Councilwoman", "Governor"])
def test_the_title_of_an_office_is_not_part_of_a_name(title: str) -> None:
    found = _types(f"{title} Amara Quill came, and {title} Tolliver spoke with her.")
    assert (found.get("Amara Quill"), found.get("Tolliver")) == ("Person", "Person")
    assert not any(title in name for name in found)

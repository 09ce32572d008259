"""Titles of storylines: what sources share, trips, areas of life, months; who has no storyline."""

from datetime import datetime

import polars as pl
import pytest

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.areas import FRAMES, NAMES, SUBJECT, areas_of
from brain_pipelines.knowledge.memory.stories.passing import is_listed
from brain_pipelines.knowledge.memory.stories.periods import main_language, period
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_pipelines.knowledge.memory.storylines import build_storylines
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, known, members, sources
from tests.pipelines.knowledge.memory.memory_history import built, memories

LANGUAGES = ("de", "en", "es", "fr", "it", "pt")


def test_a_title_is_about_what_the_sources_share() -> None:
    varied = ["Bob bought a red bicycle.", "Bob sings.", "Bob reads a book.", "Bob cooks rice.", "Bob fixes a roof."]
    history = [Said(f"s{n}", n * 2.0, summary=text) for n, text in enumerate(varied)]
    assert built(history, memories(history), 20)[0]["name"].to_list() == ["Bob, January 2026"]
    again = [*history, Said("s9", 9, summary="Bob sold the red bicycle.")]
    assert "bicycle" in built(again, memories(again), 20)[0]["name"][0]


def test_a_unit_or_two_letters_are_no_subject() -> None:
    varied = ["Bob got 20 Euro.", "Bob spent 50 Euro on PT.", "Bob found 5 Euro.", "Bob lost 9 Euro and PT.", "Bob PT."]
    history = [Said(f"s{n}", n * 2.0, keywords=("Euro", "PT"), summary=text) for n, text in enumerate(varied)]
    assert built(history, memories(history), 20)[0]["name"].to_list() == ["Bob, January 2026"]


@pytest.mark.parametrize("called", ["ACTION", "ATTENTION", "AVISO"])
def test_a_word_of_headings_is_no_subject(called: str) -> None:
    said = [f"{called} - Bob sweeps {what}." for what in ("the yard", "a hall", "two steps", "the loft", "one barn")]
    history = [Said(f"s{n}", n * 2.0, keywords=(called,), summary=text) for n, text in enumerate(said)]
    assert built(history, memories(history), 20)[0]["name"].to_list() == ["Bob, January 2026"]


def test_a_word_among_much_else_is_no_area_of_a_person() -> None:
    def said_by(*texts: str) -> list[StoryMemory]:
        return [
            StoryMemory(
                f"{source}-{n}", source, "note", day(n), 0, len(text), text, "event", 0.8, "none", valued=False,
                asserted=True, whole=True, named=True, over=False, ahead=False, words=frozenset(text.split()),
            )
            for source in ("a", "b", "c") for n, text in enumerate(texts)
        ]  # fmt: skip

    assert areas_of(said_by("saw doctor"), "en") == ["health"]
    assert areas_of(said_by("saw doctor", "swept yard", "drew plans", "dug ditch", "sold bikes"), "en") == []


def test_one_event_names_a_storyline_of_weeks_and_not_of_months() -> None:
    texts_ = [f"Bob builds the garden shed with tool {n}." for n in range(6)]

    def title(apart: float) -> str:
        history = [Said(f"s{n}", n * apart, summary=text) for n, text in enumerate(texts_)]
        anchors = {s.id: {"kind": "event", "anchors": ["bob", "build", "shed", s.id]} for s in history}
        return built(history, memories(history, **anchors), 200)[0]["name"][0]

    assert title(2).startswith("Bob builds the garden shed with tool ")
    assert title(20) == "Bob: garden shed"


def test_someone_on_lists_of_names_has_no_storyline() -> None:
    spoken = [f"Bob, Carla Reed, Dan and Eve came to meeting {n}." for n in range(6)]
    history = [Said(f"s{n}", n * 5.0, summary=text) for n, text in enumerate(spoken)]
    assert built(history, memories(history), 60, recalls={})[0].is_empty()
    told = [Said(f"s{n}", n * 5.0, summary=f"Bob opened meeting {n}.") for n in range(6)]
    found, _, made = built(told, memories(told), 60, recalls={})
    assert found.height == 1 and len(made.rows["parts"][0]) > 0


def test_what_one_sentence_tells_is_no_storyline() -> None:
    spoken = ("paints a wall", "sings well", "cooks rice", "fixes a roof", "reads a book", "sold the red bicycle")
    history = [Said(f"s{n}", n * 5.0, summary=f"He saw that Bob {what}.") for n, what in enumerate(spoken)]
    unclear = {s.id: {"self_contained": False} for s in history}
    for clear, height in ((1, 0), (2, 1)):
        rows = memories(history, **dict(list(unclear.items())[clear:]))
        assert built(history, rows, 60, recalls={})[0].height == height


@pytest.mark.parametrize(
    ("kind", "days", "title"),
    [
        ("Location", 5, "Trip to Lisbon"),
        ("Location", 70, "Lisbon, January – October 2026"),  # one lives there
        ("Person", 60, "Lisbon: trips"),
    ],
)
def test_a_place_that_one_travels_to_is_a_trip(kind: str, days: int, title: str) -> None:
    texts_ = [f"The flight to Lisbon has number {n}." for n in range(5)]
    history = [Said(f"s{n}", float(n * days), about=("lisbon",), summary=text) for n, text in enumerate(texts_)]
    anchors = {s.id: {"anchors": ["lisbo", "flight"]} for s in history}
    place = known(history).with_columns(type=pl.lit(kind))
    found, _ = build_storylines(
        members(history), place, sources(history), recalls={"lisbon": 1}, now=day(300), settings=SETTINGS,
        memories=StoryMemories(memories(history, **anchors), members(history), day(300)),
    )  # fmt: skip
    assert found["name"].to_list() == [title]


@pytest.mark.parametrize(
    ("language", "who", "title"),
    [
        ("en", "user", "Moving to Lisbon"),
        ("de", "user", "Lisbon: Umzug"),
        ("pt", "user", "Mudança: Lisbon"),
        ("en", "Ben", "Lisbon, January – February 2026"),
    ],
)
def test_a_place_that_the_owner_moved_to_is_a_move(language: str, who: str, title: str) -> None:
    history = [Said(f"s{n}", n * 7.0, about=("lisbon",), summary=f"Lisbon has hill {n}.") for n in range(6)]
    home = {"slot_subject": who, "slot_attribute": "lives_in", "slot_value": "Lisbon", "cue": "strong"}
    rows = memories(history, s3=home).with_columns(language=pl.lit(language))
    found, _ = build_storylines(
        members(history), known(history), sources(history), recalls={"lisbon": 1}, now=day(60), settings=SETTINGS,
        memories=StoryMemories(rows, members(history), day(60)),
    )  # fmt: skip
    assert found["name"].to_list() == [title]


@pytest.mark.parametrize(
    ("began", "ended", "language", "written"),
    [
        ("2024-05-01", "2024-05-30", "en", "May 2024"),
        ("2024-03-02", "2024-07-01", "de-AT", "März – Juli 2024"),
        ("2024-12-02", "2025-02-01", "fr", "décembre 2024 – février 2025"),
        ("2024-01-20", "2024-12-01", "pt", "2024"),
        ("2023-03-01", "2025-02-01", "it", "2023 – 2025"),
        ("2024-03-01", "2024-04-01", "es", "marzo – abril 2024"),
        ("2024-03-01", "2024-04-01", "fi", "2024-03 – 2024-04"),  # months that are not known
        ("2024-03-01", "2024-03-09", "fi", "2024-03"),
    ],
)
def test_a_period_is_written_in_the_language(began: str, ended: str, language: str, written: str) -> None:
    assert period(datetime.fromisoformat(began), datetime.fromisoformat(ended), language) == written


def test_the_language_is_the_commonest() -> None:
    assert main_language(["de", "fr", "fr-CA"]) == "fr"
    assert main_language(["pt", "de"]) == "de"
    assert main_language([]) == "en"


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("Bob, Carla Reed, Dan and Eve came.", True),
        ("Anwesend: Carla (Gast), Dan, Bob.", True),
        ("Camping with Carla, Dan, Eve, and Bob", True),
        ("Bob and Carla moved to Lisbon.", False),
        ("Carla, Dan, Eve came; Bob was ill.", False),
        ("Carla, Dan and Eve came.", False),  # two of three, and not Bob
    ],
)
def test_someone_may_stand_in_a_list_of_names_only(text: str, listed: bool) -> None:
    assert is_listed(text, Names(["Bob"])) == listed


@pytest.mark.parametrize("language", LANGUAGES)
def test_areas_have_names_and_words_in_every_language(language: str) -> None:
    lexicon = LEXICONS.read(SUBJECT, language)
    areas = set(LEXICONS.read(SUBJECT).table(NAMES))
    assert set(lexicon.table(NAMES)) == areas == {key for key in lexicon.keys if lexicon.listed(key)} - {NAMES, FRAMES}
    assert all("{name}" in frame for frame in lexicon.table(FRAMES).values())


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Bob built it.", True),
        ("@bob, look at it.", False),
        ("Ann: @bob the file is here", False),
        ("We released gov.bob again.", False),
        ("It is done. Bob went home.", True),
    ],
)
def test_a_name_in_an_address_or_to_someone_names_nobody(sentence: str, named: bool) -> None:
    assert Names(["Bob"]).mentioned_in(sentence) == named


def test_a_title_before_a_name_is_no_subject() -> None:
    said_ = [f"The group met Prof. Bob about {what}." for what in ("tests", "money", "the plan", "a book", "maps")]
    history = [Said(f"s{n}", n * 20.0, keywords=("Prof",), summary=text) for n, text in enumerate(said_)]
    assert built(history, memories(history), 120)[0]["name"].to_list() == ["Bob, January – March 2026"]


def test_an_anchor_has_the_longer_name_that_texts_have() -> None:
    said_ = [
        f"The proof of concept, Proof of Bob, shows {what}." for what in ("tests", "money", "a plan", "books", "maps")
    ]
    history = [Said(f"s{n}", n * 20.0, summary=text) for n, text in enumerate(said_)]
    assert built(history, memories(history), 120)[0]["name"][0].startswith("Proof of Bob")

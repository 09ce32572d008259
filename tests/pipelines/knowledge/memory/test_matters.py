"""Storylines of what has no name of its own: a matter, a relative, a group of a chat; and of names in titles."""

from string import ascii_uppercase

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.stories.groups import group_name
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.storylines import build_storylines
from brain_retrieval.language.content_words import content_words
from brain_retrieval.stores.memory_tables import THEME
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, known, members, sources
from tests.pipelines.knowledge.memory.memory_history import memories

BOAT = (
    ("The boat needs a new mast.", ("boat", "mast")),
    ("We scraped the hull of the boat.", ("hull",)),
    ("Dora paid 900 euros for the sails of the boat.", ("sails", "boat")),
    ("The library closes at six.", ("library",)),
    ("The varnish on the boat has cracked.", ("varnish",)),
    ("The boat was launched at Easter.", ("boat",)),
)


def stories(
    history: list[Said], *, language: str = "en", uris: dict[str, str] | None = None, seed: int | None = None
) -> pl.DataFrame:
    """Return the storylines of sources that were never looked up."""
    changes = {s.id: {"anchors": list(content_words(s.summary, language))} for s in history}
    rows = memories(history, **changes).with_columns(language=pl.lit(language))
    found = sources(history).with_columns(
        uri=pl.col("source_id").replace_strict(uris or {}, default="inbox:note/a.md", return_dtype=pl.String),
        participants=pl.lit(["Ann", "Ben", "Cem"], dtype=pl.List(pl.String)),
    )
    if seed is not None:
        rows, found = (frame.sample(fraction=1, shuffle=True, seed=seed) for frame in (rows, found))
    entities, mentioned = known(history), members(history)
    usable = StoryMemories(rows, mentioned, day(90), known=entities, sources=found)
    return build_storylines(
        mentioned, entities, found, recalls={}, now=day(90), settings=SETTINGS, memories=usable
    )[0]  # fmt: skip


def jottings(texts: tuple[tuple[str, tuple[str, ...]], ...]) -> list[Said]:
    return [Said(f"s{n}", n * 9.0, (), keywords=keys, summary=text) for n, (text, keys) in enumerate(texts)]


def test_what_sources_are_about_has_a_storyline_without_a_name() -> None:
    (line,) = stories(jottings(BOAT)).to_dicts()
    assert (line["anchor"], line["source_count"]) == ("Boat", 5)
    assert line["anchor_id"].startswith(f"{THEME}_") and line["name"].startswith("Boat")


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_sources_does_not_matter(seed: int) -> None:
    assert stories(jottings(BOAT), seed=seed).equals(stories(jottings(BOAT)))


def test_what_people_are_addressed_by_is_no_matter() -> None:
    met = ("Guillou", "Pérennès", "Roudaut", "Cariou", "Le Goff", "Salaün")
    history = [(f"Voir Mme {name} pour le permis.", ("mme",)) for name in met]
    assert stories(jottings(tuple(history)), language="fr").is_empty()


def test_a_call_for_attention_is_no_part_of_what_a_matter_is_called() -> None:
    said = ("the mast is cracked", "the hull leaks", "the sails are torn", "the deck is wet", "the keel is bent")
    texts = tuple((f"The boat ATTENTION please, {one}.", ("boat",)) for one in said)
    (line,) = stories(jottings(texts)).to_dicts()
    assert line["anchor"] == "Boat"
    assert "ATTENTION" not in line["name"]


def test_a_noun_in_four_sources_is_none() -> None:
    assert stories(jottings(BOAT[1:])).is_empty()


def test_a_noun_that_is_a_keyword_of_none_is_none() -> None:
    assert stories([Said(s.id, s.at, (), summary=s.summary) for s in jottings(BOAT)]).is_empty()


def test_a_word_of_every_life_is_none() -> None:
    texts = tuple((f"The neighbour has sold {n} chairs.", ("neighbour",)) for n in range(6))
    assert stories(jottings(texts)).is_empty()


@pytest.mark.parametrize(
    ("language", "texts", "name"),
    [
        ("es", ("La abuela se cayó en la cocina.", "He llevado a la abuela al médico."), "Abuela"),
        ("de", ("Oma hat einen neuen Rollator.", "Mit Oma beim Arzt gewesen."), "Oma"),
        ("en", ("Mum sleeps badly.", "Took Mum to the clinic."), "Mum"),
    ],
)
def test_a_relative_has_a_storyline(language: str, texts: tuple[str, ...], name: str) -> None:
    history = jottings(tuple((f"{text[:-1]} {n}.", ()) for n, text in enumerate(texts * 3)))
    (line,) = stories(history, language=language).to_dicts()
    assert (line["anchor"], line["source_count"]) == (name, 6)


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("inbox:conversation/WhatsApp%20Chat%20with%20Choir%20trip.txt#2026-03-02", "Choir trip"),
        ("inbox:conversation/2026/WhatsApp-Chat%20mit%20Chorreise.txt#2026-03-02", "Chorreise"),
        ("inbox:conversation/WhatsApp%20Chat%20-%20Choir%20trip/_chat.txt#2026-03-02", "Choir trip"),
        ("inbox:slack-thread/acme.zip#C0AB12345~choir-trip/2026-01-05", "Choir trip"),
        ("inbox:slack-thread/acme.zip#C0AB12345~general/2026-01-05", ""),
        ("inbox:conversation/chats/messages.txt#2026-03-02", ""),
        ("inbox:conversation/talk.json#03dcbf99-01cf", ""),
        ("inbox:note/Choir%20trip.md", ""),
    ],
)
def test_the_name_of_a_group(uri: str, name: str) -> None:
    assert group_name(uri) == name


@pytest.mark.parametrize(("called", "count"), [("Choir%20trip", 1), ("Ben", 0)])
def test_a_group_of_a_chat_is_a_storyline_but_not_a_talk_with_someone(called: str, count: int) -> None:
    texts = (
        "The bus costs 40 euros.",
        "Rooms are booked.",
        "Bring warm clothes.",
        "Nine of us sing.",
        "All back well.",
    )
    history = [Said(f"s{n}", n * 4.0, (), "conversation", summary=text) for n, text in enumerate(texts)]
    uris = {
        s.id: f"inbox:conversation/WhatsApp%20Chat%20with%20{called}.txt#2026-01-0{n + 1}"
        for n, s in enumerate(history)
    }
    found = stories(history, uris=uris)
    assert found["source_count"].to_list() == [5] * count
    assert found["anchor"].to_list() == ["Choir trip"] * count


def test_a_title_names_what_its_source_is_about() -> None:
    mentioned = [Said(f"m{n}", n * 5.0, ("lagan",), summary=f"Lagan costs {n} euros.") for n in range(2)]
    titled = [Said(f"t{n}", 20 + n * 5.0, (), title="Lagan: costs", summary=f"We pay {n} bills.") for n in range(3)]
    other = [Said("o", 50, (), title="Weekly", summary="The lamp is on.")]
    (line,) = stories([*mentioned, *titled, *other]).to_dicts()
    assert (line["anchor"], line["source_count"]) == ("Lagan", 5)


MINUTES = (
    "The council offers ten years for 900 euros [Boathouse].",
    "Dora signs on Friday [Boathouse].",
    "The landlord wants a deposit [Boathouse].",
    "Two windows are broken [Boathouse].",
    "Ben paints the door in June [Boathouse].",
)


OTHERS = ("Kitchen", "Insurance", "Newsletter", "Parking", "Juniors", "Raffle")


def minuted(others: tuple[str, ...], *, alike: bool = True) -> list[Said]:
    """Return the minutes of ten meetings, one memory each; the second half has each another heading."""
    texts = (*MINUTES, *(f"Ben reports number {n} [{heading}]." for n, heading in enumerate(others)))
    keys = ("minutes", "club")
    titles = (f"Minutes of {n + 1} May" for n in range(len(texts))) if alike else ascii_uppercase
    return [
        Said(f"m{n}", n * 15.0, (), keywords=keys, summary=text, title=title)
        for n, (text, title) in enumerate(zip(texts, titles, strict=False))
    ]


def test_the_headings_of_minutes_name_a_matter() -> None:
    (line,) = stories(minuted(OTHERS)).to_dicts()
    assert (line["anchor"], line["source_count"]) == ("Boathouse", 5)


def test_a_heading_of_most_minutes_or_of_other_texts_names_none() -> None:
    assert stories(minuted(OTHERS[:2])).is_empty()
    assert stories(minuted(OTHERS, alike=False)).is_empty()


def test_an_adjective_of_a_german_heading_names_none() -> None:
    told = (
        "Dora holt ein Angebot ein.",
        "Ben kauft Schindeln.",
        "Das kostet 900 Euro.",
        "Cem hilft.",
        "Es hält.",
    )
    headings = ("Küche", "Versicherung", "Rundbrief", "Jugend", "Tombola")
    texts = (*(f"{text} [Die tropfende Scheune]." for text in told), *(f"Ben berichtet [{one}]." for one in headings))
    history = [
        Said(f"m{n}", n * 15.0, (), keywords=("protokoll",), summary=text, title=f"Protokoll vom {n + 1}. Mai")
        for n, text in enumerate(texts)
    ]
    assert stories(history, language="de")["anchor"].to_list() == ["Scheune"]

"""Storylines of what people do without a name for it: which memories are of a theme, in which language it is called."""

from typing import Any

import polars as pl
import pytest

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.stories.themes import NAMES, SUBJECT, theme_name, themed, themes
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.lookup import one_anchor
from brain_retrieval.language.content_words import content_words
from brain_retrieval.stores.graph.project_edges import edges
from brain_retrieval.stores.memory_tables import THEME
from tests.pipelines.knowledge.frames import frame
from tests.pipelines.knowledge.memory.history import Said
from tests.pipelines.knowledge.memory.memory_history import built, memories

RUNS = (
    "I signed up for a 10k in spring.",
    "I ran six miles along the river.",
    "Emily painted the kitchen.",
    "I ran into an old friend.",
    "My knee hurts, so I will not jog for two weeks.",
    "I ran eight miles in the rain.",
    "I finished my first marathon.",
)
LANGUAGES = ("de", "en", "es", "fr", "it", "pt")


def of_words(history: list[Said], language: str | None = None, **changes: dict[str, Any]) -> pl.DataFrame:
    said = {s.id: {"anchors": list(content_words(s.summary, language or "en")), "entities": []} for s in history}
    rows = memories(history, **{s.id: said[s.id] | changes.get(s.id, {}) for s in history})
    return rows.with_columns(language=pl.lit(language, pl.String))


def themes_of(text: str, language: str | None) -> list[str]:
    history = [Said("s0", 0.0, summary=text)]
    found = themed(of_words(history, language))
    return sorted(themes()[anchor]["en"] for anchor in found["anchor_id"])


@pytest.mark.parametrize(
    ("text", "language", "theme"),
    [
        ("I finished my first marathon.", "en", "Running"),
        ("I ran eight miles in the rain.", None, "Running"),
        ("Die Hebamme kommt am Montag.", "de", "Baby"),
        ("Hemos pedido presupuesto para la reforma de la cocina.", "es", "Renovation"),
        ("Nous préparons le déménagement.", "fr-FR", "Moving house"),
        ("Ho dato l'ultimo esame.", "it", "Studies"),
        ("Plantei tomates na horta.", "pt", "Garden"),
        ("We're into a new cycle of the audit.", "en", None),  # "cycling" has the same form
        ("I ran into an old friend.", "en", None),  # one word that is not enough alone
        ("Die Reform kommt.", "de", None),
        ("La reforma.", "en", None),  # a word of another language
        ("Juoksin maratonin.", "fi", None),  # a language without a list
    ],
)
def test_memories_are_of_a_theme_by_their_words(text: str, language: str | None, theme: str | None) -> None:
    assert themes_of(text, language) == ([theme] if theme else [])


def test_what_one_does_has_a_storyline_without_a_name() -> None:
    history = [Said(f"s{n}", n * 7.0, about=(), summary=text) for n, text in enumerate(RUNS)]
    found, macros, made = built(history, of_words(history, "en"), 60, recalls={})
    (line,) = found.to_dicts()
    assert (line["anchor"], line["source_count"]) == ("Running", 5)
    assert line["anchor_id"].startswith(f"{THEME}_") and line["name"] == "Running, January – February 2026"
    assert macros.is_empty()
    (row,) = made.rows.to_dicts()
    assert [part["text"] for part in row["parts"]][-1] == RUNS[6]
    assert not {RUNS[2], RUNS[3]} & {part["text"] for part in row["parts"]}


def test_four_days_of_it_are_none() -> None:
    history = [Said(f"s{n}", n * 7.0, about=(), summary=text) for n, text in enumerate(RUNS[:6])]
    assert built(history, of_words(history, "en"), 60, recalls={})[0].is_empty()


def test_a_theme_is_called_in_the_language_of_most_of_its_memories() -> None:
    (running,) = [one for one, names in themes().items() if names["en"] == "Running"]
    assert theme_name(running, ["de", "en", "de"]) == "Laufen"
    assert theme_name(running, ["en", "de"]) == "Laufen"  # as many: the first in the alphabet
    assert theme_name(running, ["fi"]) == "Running"


def test_every_language_has_every_theme() -> None:
    english = LEXICONS.read(SUBJECT)
    for code in LANGUAGES:
        lexicon = LEXICONS.read(SUBJECT, code)
        assert lexicon.keys == english.keys or set(lexicon.keys) == set(english.keys)
        assert lexicon.table(NAMES).keys() == english.table(NAMES).keys()
        for key, name in lexicon.table(NAMES).items():
            assert name[0].isupper() and len(name.split()) <= 3
            assert lexicon.words(key) and not lexicon.words(key) & lexicon.words(f"{key}_hints")


def test_a_theme_is_found_by_its_name_and_is_no_node_of_the_graph() -> None:
    (running,) = [one for one, names in themes().items() if names["en"] == "Running"]
    rows = [{"storyline_id": "s", "anchor_id": running, "anchor": "Running"}]
    rows += [{"storyline_id": "t", "anchor_id": "bob", "anchor": "Bob"}]
    tables = {
        "storylines": frame("storylines", *rows),
        "entity_names": frame("entity_names", {"name_id": "bob", "entity_id": "bob", "name": "bob", "display": "Bob"}),
    }
    assert one_anchor(tables.__getitem__, " running ") == running
    assert one_anchor(tables.__getitem__, "Bob") == "bob"
    with pytest.raises(InvalidQueryError):
        one_anchor(tables.__getitem__, "swimming")
    (about,) = [edge for edge in edges({"storylines": tables["storylines"]}) if edge.height]
    assert about["end"].to_list() == ["bob"]


def test_the_words_of_a_short_note_count_together() -> None:
    history = [Said("s0", 0.0, summary="The kitchen is in!"), Said("s1", 1.0, summary="The cellar is dry.")]
    rows = of_words(history, "en")
    assert themed(rows).is_empty()
    together = rows.with_columns(source_id=pl.lit("s0"))
    assert {themes()[one]["en"] for one in themed(together)["anchor_id"]} == {"Renovation"}
    many = pl.concat([together, *(together.with_columns(pl.col("memory_id") + f"-{n}", anchors=[]) for n in range(3))])
    assert themed(many).is_empty()  # a long source has several subjects


def test_one_word_is_enough_while_a_steady_theme_goes_on() -> None:
    texts_ = ["The plumber came.", "New wallpaper.", "Asbestos!", "The plasterer is ill."]
    history = [Said(f"s{n}", n * 9.0, summary=text) for n, text in enumerate(texts_)]
    kitchen = Said("kitchen", 20.0, summary="The kitchen is in!")
    late = Said("late", 200.0, summary="The kitchen smells.")
    of = {row["memory_id"] for row in themed(of_words([*history, kitchen, late], "en")).to_dicts()}
    assert of == {"m-s0", "m-s1", "m-s2", "m-s3", "m-kitchen"}
    assert "m-kitchen" not in themed(of_words([*history[:3], kitchen], "en"))["memory_id"].to_list()


def test_a_word_of_much_else_is_not_enough_alone_in_a_steady_theme() -> None:
    texts_ = ["The landlord called.", "The movers came.", "Our relocation starts.", "A housewarming!"]
    history = [Said(f"s{n}", n * 9.0, summary=text) for n, text in enumerate(texts_)]
    history += [
        Said("launch", 20.0, summary="The launch moved."),
        Said("job", 21.0, summary="I took the offer."),
        Said("flat", 22.0, summary="The flat is dry."),
    ]
    found = themed(of_words(history, "en"))
    moves = found.filter(
        pl.col("anchor_id").is_in([one for one, names in themes().items() if names["en"] == "Moving house"])
    )
    assert {"m-launch", "m-job"}.isdisjoint(moves["memory_id"])
    assert "m-flat" in moves["memory_id"].to_list()

"""Which memories answer a question: by its words, its names, what is asked for, and the passages that state them."""

from dataclasses import replace
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT, MOMENT, NAME
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.filling import PLACE
from brain_retrieval.query.ask.judged import Judge
from brain_retrieval.query.hits import Hit
from tests.retrieval.knowledge.memories.rows import row
from tests.retrieval.query.packs.made_hits import hit, memory


def answers(
    question: str, *texts: str, language: str = "en", names: str = "", found: tuple[Hit, ...] = (), **asked: Any
) -> list[str]:
    """Return those of some sentences that answer a question, the best first."""
    cards = {text: memory(text, source_id=f"s{n}") for n, text in enumerate(texts, start=1)}
    anchors = {text: [*content_words(text, language), *concepts_of(text, language)] for text in texts}
    facets = {text: Facet(row(text, text, "2026-01-05", anchors=anchors[text])) for text in texts}
    wanted = Wanted(question, language, names=frozenset(content_words(names)))
    rated = Judge(wanted, frozenset(), asked.pop("kind", None), found, {}, **asked).rated(cards, facets)
    return sorted(rated, key=lambda text: -rated[text].whole)


def test_one_word_in_two_is_enough_where_a_passage_states_it_and_nothing_else_otherwise() -> None:
    oboe = "The oboe is at the workshop."
    assert answers("who mends the oboe", oboe) == []
    assert answers("who mends the oboe", oboe, found=(hit(oboe, 2, source_id="s1"),)) == [oboe]
    assert answers("which oboe workshop", oboe) == [oboe]


def test_a_name_alone_is_no_answer_to_what_is_asked_of_it() -> None:
    key = "Ann has the key."
    sure = (hit(key, 1, source_id="s1"),)
    assert answers("When is Ann's birthday?", key, names="Ann", found=sure) == []
    assert answers("Who is Ann?", key, names="Ann", found=sure) == [key]


def test_who_somebody_is_comes_before_what_else_is_said_of_the_person() -> None:
    said = ("Ann has the key of the shed.", "Ann is the new harbour master.", "Send Ann the invoice.")
    sure = tuple(hit(text, source_id=f"s{n}") for n, text in enumerate(said, start=1))
    found = answers("Who is Ann?", *said, names="Ann", found=sure, asks_who=True)
    assert found[0] == "Ann is the new harbour master."


def test_a_short_question_in_german_is_answered_without_a_passage() -> None:
    chief = "Chefin ist Frau Pohl."
    assert answers("wer ist meine Chefin", chief, language="de") == [chief]
    assert answers("wie heißt mein Zahnarzt", chief, "Er heißt jetzt Anton.", language="de") == []


def test_how_something_is_called_is_answered_by_a_name() -> None:
    assert answers("what is the name of our dog", "A dog is allowed.", kind=NAME) == []
    assert answers("what is the name of our dog", "Our dog Bruno ran away.", kind=NAME) == ["Our dog Bruno ran away."]


@pytest.mark.parametrize(
    ("question", "kind", "right"),
    [
        ("when is the regatta", MOMENT, "The regatta is on 4 May."),
        ("how much is the regatta", AMOUNT, "The regatta costs 40 euros."),
    ],
)
def test_what_states_the_day_or_amount_asked_for_leaves_the_rest_out(question: str, kind: str, right: str) -> None:
    values = {"The regatta is on 4 May.": [("date", "2026-05-04")], "The regatta costs 40 euros.": [("EUR", "40")]}
    texts = [*values, "The regatta was fun."]
    cards = {text: memory(text) for text in texts}
    facets = {text: Facet(row(text, text, "2026-01-05", values=values.get(text, []))) for text in texts}
    assert list(Judge(Wanted(question, "en"), frozenset(), kind, (), {}).rated(cards, facets)) == [right]


def test_what_is_told_of_a_life_answers_in_other_words() -> None:
    flat = "Ann moved to Ghent."
    assert answers("where does Ann live", flat, names="Ann", kind=NAME) == [flat]
    assert answers("where does Ann study", flat, names="Ann", kind=NAME) == []
    assert answers("where do I live", "We moved to Ghent.", kind=NAME, of_oneself=True) == ["We moved to Ghent."]
    assert answers("where do I live", "We moved to Ghent.", kind=NAME) == []


def test_a_title_says_what_each_of_a_few_lines_is_about_and_not_of_many() -> None:
    def answered(count: int) -> int:
        cards = {f"m{n}": memory(f"Moved to Ghent {n}.", source_id="s1", memory_id=f"m{n}") for n in range(count)}
        facets = {
            key: Facet(row(key, card.text, "2026-01-05", anchors=[*content_words(card.text), ":title:larkspur"]))
            for key, card in cards.items()
        }
        found = (hit("Moved to Ghent", 2, source_id="s1"),)
        return len(Judge(Wanted("larkspur", "en"), frozenset(), None, found, {}).rated(cards, facets))

    assert (answered(5), answered(6)) == (5, 0)


def test_each_line_below_a_title_is_about_it_if_the_question_asks_something_of_it() -> None:
    def answered(title: str) -> int:
        texts = [f"Moved to Ghent {n}." for n in range(6)]
        cards = {text: memory(text, source_id="s1") for text in texts}
        anchors = {text: [*content_words(text), *concepts_of(text), *title.split()] for text in texts}
        facets = {text: Facet(row(text, text, "2026-01-05", anchors=anchors[text])) for text in texts}
        found = (hit("Moved to Ghent", 4, source_id="s1"),)
        wanted = Wanted("where does Larkspur live", "en", names=frozenset({"larkspur"}))
        return len(Judge(wanted, frozenset(), None, found, {}).rated(cards, facets))

    assert (answered(":title:larkspur"), answered(":title:larkspur :title:job")) == (6, 0)


def test_a_line_is_of_the_name_that_stands_in_its_passage_unless_someone_else_says_it() -> None:
    def answered(question: str, speaker: str | None, beside: str) -> bool:
        text = "Rent: 850 euros."
        cards = {text: memory(text, source_id="s1", speaker=speaker)}
        facets = {text: Facet(row(text, text, "2026-01-05", values=[("EUR", "850")], speaker=speaker))}
        found = (replace(hit(f"{text} {beside}", source_id="s1"), score=0.3),)
        wanted = Wanted(question, "en", names=frozenset({"ghent"}))
        return bool(Judge(wanted, frozenset(), AMOUNT, found, {}).rated(cards, facets))

    asked = "how much is the rent in Ghent"
    assert answered(asked, None, "Dock Road, Ghent")
    assert not answered(asked, None, "Dock Road, Bruges")
    assert not answered(asked, "Ben", "Dock Road, Ghent")
    assert not answered("how much is the deposit in Ghent", None, "Dock Road, Ghent")


def test_what_was_read_stands_behind_what_is_ones_own_and_answers_about_as_well() -> None:
    def behind(own: str) -> list[bool]:
        texts = {"The rent in Ghent is 900 euros.": "web-page", own: "note"}
        cards = {text: memory(text, source_id=source) for text, source in texts.items()}
        values = [("EUR", "900")]
        facets = {
            text: Facet(row(text, text, "2026-01-05", values=values, source=source)) for text, source in texts.items()
        }
        found = tuple(hit(text, source_id=source) for text, source in texts.items())
        rated = Judge(Wanted("how much is the rent in Ghent", "en"), frozenset(), AMOUNT, found, {}).rated(
            cards, facets
        )
        return [rated[text].behind for text in texts if text in rated]

    assert behind("My rent in Ghent: 850 euros.") == [True, False]
    assert behind("My rent: 850 euros.") == [False, False]


def test_a_line_of_a_likely_passage_has_what_is_asked_for() -> None:
    line = "Treasurer = Ann Lee"
    asked = "who is the treasurer of the rowing club"
    assert answers(asked, line, kind=NAME, found=(hit(line, 2, source_id="s1"),)) == [line]
    assert answers(asked, line, kind=NAME, found=(hit(line, 3, source_id="s1"),)) == []


def amounts(question: str, said: dict[str, list[tuple[str, str]]], language: str = "en", *shown: Hit) -> list[str]:
    """Return those of some sentences with their values that answer a question for an amount, the best first."""
    cards = {text: memory(text, source_id="s1", span=(n * 100, n * 100 + 1)) for n, text in enumerate(said)}
    found = shown or (hit(" " * 1000, source_id="s1"),)
    facets = {text: Facet(row(text, text, "2026-01-05", values=values)) for text, values in said.items()}
    rated = Judge(Wanted(question, language), frozenset(), AMOUNT, found, {}).rated(cards, facets)
    return sorted(rated, key=lambda text: -rated[text].whole)


def test_a_number_of_the_question_is_no_answer_to_it() -> None:
    said = {"The rent of unit 4 is due soon.": [("unit", "4")], "The rent is 900 euros.": [("EUR", "900")]}
    assert amounts("how much is the rent", said) == ["The rent is 900 euros.", "The rent of unit 4 is due soon."]
    assert amounts("how much is the rent of unit 4", said) == ["The rent is 900 euros."]


def test_a_thing_with_another_number_is_another_thing() -> None:
    assert answers("who rents plot 7", "Ann rents plot 7.", "Bob rents plot 8.") == ["Ann rents plot 7."]
    assert answers("wer pachtet Parzelle 7", "Ann pachtet Parzelle 71.", language="de") == []


@pytest.mark.parametrize(
    ("question", "language", "right", "wrong"),
    [
        ("how much is the roof with a battery", "en", "Roof with battery: 900.", "Roof without battery: 700."),
        ("was kostet das Dach ohne Speicher", "de", "Dach ohne Speicher: 700.", "Dach mit Speicher: 900."),
        ("¿cuánto cuesta el techo sin batería?", "es", "Techo sin batería: 700.", "Techo con batería: 900."),
        ("combien coûte le toit avec batterie", "fr", "Toit avec batterie : 900.", "Toit sans batterie : 700."),
        ("quanto costa il tetto senza batteria", "it", "Tetto senza batteria: 700.", "Tetto con batteria: 900."),
        ("quanto custa o telhado com bateria", "pt", "Telhado com bateria: 900.", "Telhado sem bateria: 700."),
    ],
)
def test_with_is_not_without(question: str, language: str, right: str, wrong: str) -> None:
    said = {text: [("number", text[-4:-1])] for text in (wrong, right)}
    assert amounts(question, said, language)[0] == right


def test_an_amount_of_money_beside_a_thing_says_what_it_costs() -> None:
    said = {"Fence done in 3 hours": [("hour", "3")], "Fence done by Ann, 480": [("number", "480")]}
    assert amounts("what did the fence cost", said)[0] == "Fence done by Ann, 480"


def test_a_line_without_the_amount_gives_way_to_its_passage_that_has_one() -> None:
    line: dict[str, list[tuple[str, str]]] = {"The new boiler is here.": []}
    shown, silent = (hit(f"The new boiler is here. {rest}", source_id="s1") for rest in ("It has 9 kW.", "It hums."))
    assert (
        amounts("how big is the boiler", line, "en", shown),
        amounts("how big is the boiler", line, "en", silent),
    ) == (
        [],
        [*line],
    )
    assert amounts("what did the new boiler cost", line, "en", silent) == []
    free: dict[str, list[tuple[str, str]]] = {"The new boiler was free.": []}
    assert amounts("what did the new boiler cost", free, "en", silent) == [*free]


def test_where_something_is_says_a_place_and_not_any_name() -> None:
    said = ("Ann liked the fair.", "The fair is at the Malting House.", "Bob opens the fair on Sunday.")
    sure = tuple(hit(text, source_id=f"s{n}") for n, text in enumerate(said, start=1))
    assert answers("where is the fair", *said, kind=PLACE, found=sure)[0] == said[1]


def test_a_noun_is_no_name_in_german() -> None:
    said = "Der Hund mag Regen."
    assert answers("wie heißt der Hund", said, kind=NAME, language="de") == []
    assert answers("wie heißt der Hund", "Der Hund heißt Bello.", kind=NAME, language="de") != []


def test_since_when_needs_no_other_word_than_the_name_where_the_passage_is_likely() -> None:
    line = "Ann (full time), since May 2023"
    facets = {line: Facet(row(line, line, "2026-01-05", values=[("month", "2023-05")]))}
    wanted = Wanted("since when has Ann worked here", "en", names=frozenset({"ann"}))
    cards = {line: memory(line, source_id="s1")}
    assert list(Judge(wanted, frozenset(), MOMENT, (hit(line, source_id="s1"),), {}).rated(cards, facets)) == [line]
    assert not Judge(wanted, frozenset(), MOMENT, (hit(line, 3, source_id="s1"),), {}).rated(cards, facets)


def test_all_that_is_asked_with_the_amount_answers_whatever_the_passage_and_other_words_are() -> None:
    said = {"The regatta has 30 boats.": [("boat", "30")], "The regatta was fun.": []}
    assert amounts("how many boats take part in the regatta", said)[0] == "The regatta has 30 boats."
    low = (replace(hit(" " * 1000, source_id="s1"), score=0.01),)
    assert amounts("how many boats did the regatta have in July", said, "en", *low) == ["The regatta has 30 boats."]
    assert amounts("how many boats sank", {"The regatta has 30 boats.": [("boat", "30")]}, "en", *low) == []


def test_a_telephone_number_is_no_amount_and_no_length_of_time_a_moment() -> None:
    said = {
        "The mast: call 0161 555 0188.": [("number", "0161"), ("number", "555")],
        "The mast is 900.": [("number", "900")],
    }
    assert amounts("how much is the mast", said) == ["The mast is 900."]
    months = {"The mast takes 3 months.": [("month", "3")], "The mast comes in May.": [("month", "2026-05")]}
    facets = {text: Facet(row(text, text, "2026-01-05", values=values)) for text, values in months.items()}
    judge = Judge(Wanted("when does the mast come", "en"), frozenset(), MOMENT, (), {})
    assert [text for text, facet in facets.items() if judge.fills(facet)] == ["The mast comes in May."]


def test_only_money_or_a_bare_number_is_a_price() -> None:
    said = {"The berth is 12 metres, paid.": [("m", "12")], "The berth, paid 300.": [("number", "300")]}
    assert amounts("what did we pay for the berth", said) == ["The berth, paid 300."]


def test_what_a_mail_names_in_one_sentence_is_meant_in_the_next() -> None:
    fee, whole = "The fee is 900 euros.", "We offer you Larkspur Rising. The fee is 900 euros."
    card = memory(fee, source_id="s1", speaker="Ann", span=(30, 50))
    found = (hit(whole, source_id="s1"),)
    wanted = Wanted("what is the fee for Larkspur Rising", "en", names=frozenset({"larkspur", "ris"}))
    for source, count in (("email", 1), ("conversation", 0)):
        facet = Facet(row(fee, fee, "2026-01-05", values=[("EUR", "900")], source=source, speaker="Ann"))
        assert len(Judge(wanted, frozenset(), AMOUNT, found, {}).rated({fee: card}, {fee: facet})) == count

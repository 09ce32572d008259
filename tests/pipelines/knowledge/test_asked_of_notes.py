"""Questions in a layman's short words, asked of notes, a saved page and a mail: what comes first, what is not there."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.query.ask.asked import Asked
from brain_retrieval.serve.ask_print import print_asked
from tests.pipelines.conftest import Bench

NOTES = {
    "2024-11-04 boat.md": "# Boat\nMooring at the marina is 610 euros a year. Harbour master is Mr Brandt.\n",
    "2026-02-08 boat.md": "The mooring went up to 695 euros. Harbour master is now Mrs Iversen.\n",
    "sailed.md": "# Lakes sailed 2025\n- Mjosa\n- Femund\n- Snasavatnet\n- Rossvatnet\n",
    "2026-03-01 people.md": (
        "# Birthdays\nTilda 4 August 1979\nIngrid (Tilda's sister) 17 May 1983\nOskar 2 December 2014\n"
    ),
    "2025-05-06 verein.md": (
        "# Ruderclub\nDer Spindschlüssel hängt im Bootshaus. Die Versicherung für das Boot kostet 240 Euro.\n"
    ),
    "2026-01-12 verein.md": "Optiker Frau Rehm, Termin am 3. Februar um 11:30. Der Trainer heißt jetzt Holger Lund.\n",
}
PAGE = "<html><head><title>Moorings</title></head><body><p>A mooring costs 1,450 euros on average.</p></body></html>"
MAIL = (
    "From: Tilda Moen <tilda@moen.example>\nTo: Nils <nils@lund.example>\nDate: Tue, 10 Mar 2026 10:00:00 +0100\n"
    "Subject: Sails\nMessage-ID: <1@moen.example>\n\n"
    "Dear Nils,\n\nthe sails are cut. My new number is 0047 555 80 91.\n\nTilda\n"
)


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[Brain]:
    bench = Bench(Home(tmp_path_factory.mktemp("asked")))
    files = [("note", name, text) for name, text in NOTES.items()]
    for source, name, text in (*files, ("document", "moorings.html", PAGE), ("email", "sails.eml", MAIL)):
        path = bench.home.inbox / "nils" / source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        bench.land(path, "nils")
    for source in ("note", "document", "email"):
        bench.run("nils", source)
    with Brain.open(bench.home.path, user="nils") as opened:
        yield opened


def first(asked: Asked) -> str:
    return next((one for one in (*(card.text for card in asked.memories), *asked.excerpts)), "")


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How much is the mooring?", "695"),
        ("How much was the mooring in 2025?", "610"),  # what held then
        ("Who was the harbour master in June 2025?", "Brandt"),
        ("Who is the harbour master?", "Iversen"),
        ("When is Tilda's birthday?", "Tilda 4 August"),  # and not that of her sister
        ("When is Tilda's sister's birthday?", "Ingrid"),
        ("Optikertermin?", "3. Februar"),  # a compound, without a word that only German has
        ("Bootsversicherung wie teuer?", "240"),
        ("What is Tilda's phone number?", "555 80 91"),
    ],
)
def test_the_first_line_answers(brain: Brain, question: str, wanted: str) -> None:
    assert wanted in first(brain.ask(question))


def test_the_number_of_entries_of_a_list_is_counted(brain: Brain, capsys: pytest.CaptureFixture[str]) -> None:
    asked = brain.ask("How many lakes have I sailed?")
    assert asked.counted is not None
    assert (asked.counted.number, asked.counted.title) == (4, "Lakes sailed 2025")
    print_asked(asked)
    assert "4 entries of “Lakes sailed 2025”" in capsys.readouterr().out
    count = asked.to_json()["count"]
    assert (count["number"], count["of"], len(count["entries"])) == (4, "Lakes sailed 2025", 4)
    assert asked.to_json()["passages"][count["citation"] - 1 - len(asked.memories)]["text"].startswith("# Lakes sailed")
    assert brain.ask("How many lakes have I sailed in 2019?").counted is None
    assert brain.ask("How many lakes are in Norway?").counted is None


def test_what_held_at_a_time_that_has_passed_is_shown_as_that(brain: Brain, capsys: pytest.CaptureFixture[str]) -> None:
    then, now = brain.ask("How much was the mooring in 2025?"), brain.ask("How much is the mooring?")
    assert (then.held_on, now.held_on) == (date(2025, 12, 31), None)
    assert then.to_json()["held_on"] == "2025-12-31"
    print_asked(then)
    assert "Held then" in capsys.readouterr().out


@pytest.mark.parametrize(
    "question", ["How old is Mrs Iversen?", "What is Mr Brandt's address?", "Who is Holger's wife?", "Tierarzttermin?"]
)
def test_what_only_has_a_name_or_the_end_of_a_word_is_no_answer(brain: Brain, question: str) -> None:
    assert not brain.ask(question).found

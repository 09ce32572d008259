"""What a note quotes: only what has a source; all other block quotes and callouts are its writer's."""

import pytest

from brain_pipelines.stages.prose.note_quotes import note_quotes

SAID = "Whoever works with the door open gets all kinds of interruptions."


def quotes(text: str, *authors: str) -> list[tuple[str, str | None]]:
    return [(text[start:end].strip(), writer) for start, end, writer in note_quotes(text, authors)]


@pytest.mark.parametrize(
    ("text", "writer"),
    [
        (f"> {SAID}\n> — Richard Hamming", "Richard Hamming"),
        (f"> {SAID}\n>\n> -- [[Richard Hamming]], *You and Your Research*", "Richard Hamming"),
        (f"> {SAID}\n> - Richard Hamming", "Richard Hamming"),
        (f"> “{SAID}” — Richard Hamming", "Richard Hamming"),
        (f"> {SAID}\n\n— Richard Hamming", "Richard Hamming"),
        (f"> {SAID}\n> — Krishnamurti", None),
        (f"> {SAID}\n> — Financial Times", None),
        (f"> {SAID}\n> Source: https://example.org/talk", None),
        (f"> {SAID}\n> Quelle: Die Zeit, 4. Mai 2023", None),
        (f"> {SAID}\n> Fuente: El País", None),
        (f"> {SAID}\n> Fonte: Folha de S.Paulo", None),
        (f"> {SAID}\n([The talk](https://example.org/talk))", None),
        (f"Richard Hamming wrote:\n\n> {SAID}", "Richard Hamming"),
        (f"Wie Richard Hamming schrieb:\n> {SAID}", "Richard Hamming"),
        (f"Comme Marie Curie a dit :\n> {SAID}", "Marie Curie"),
        (f"Como decía mi abuela:\n> {SAID}", None),
        (f"Come diceva la nonna:\n> {SAID}", None),
        (f"- [The talk](https://example.org/talk)\n\t- > {SAID}", None),
        (f"> [!quote] {SAID}\n> — Woody Allen", "Woody Allen"),
        (f"> [!cite]\n> {SAID}", None),
        (f"#+BEGIN_QUOTE\n{SAID}\n— Richard Hamming\n#+END_QUOTE", "Richard Hamming"),
        (f"“{SAID}” — K", None),
        (f"- “{SAID}” ~ Rumi", None),
        (f"„{SAID}“\n— Anna Seghers", "Anna Seghers"),
        (f"- {SAID} ([Location 269](https://readwise.io/to_kindle?action=open&asin=B01))", None),
        (f"{SAID} (Position 1204)", None),
        (f"“{SAID}” ([Hamming, 1986, p. 3](zotero://select/library/items/ABC))", None),
        (f"- 1. {SAID}\n\t- Your Highlight on page 18 | Location 269-270", None),
        (f"- {SAID}\n\t- Ihre Markierung auf Seite 18 | Position 269-270", None),
        (f"- Highlights first synced by [[Readwise]] [[May 4th, 2023]]\n\t- {SAID}", None),
        (f"## Quotes\n\n- “{SAID}”", None),
        (f"## Zitate\n\n> {SAID}", None),
        (f"- [[book snippets]] [[The Art]]\n\t- {SAID}", None),
        (f"- [[book snippets]] [[The Art]]\n\t- Doors\n\t\t- page 3\n\t- {SAID}", None),
    ],
)
def test_what_has_a_source_is_quoted(text: str, writer: str | None) -> None:
    found = quotes(f"Today I met Tom in Ashby.\n\n{text}\n\nI slept well.\n")
    assert any(SAID in words for words, _ in found)
    assert {who for words, who in found if SAID in words} == {writer}
    assert not any("Tom" in words or "slept" in words for words, _ in found)


@pytest.mark.parametrize(
    "text",
    [
        f"> {SAID}",
        f"> I won a tiger at the fair.\n\n---\n\n> {SAID}",
        f"> [!note] {SAID}\n> — so far",
        f"> [!warning]\n> {SAID}",
        f"> - [ ] Call Tom\n> - {SAID}",
        f"> {SAID}\n> - buy milk",
        f"I wrote to Tom:\n> {SAID}",
        f"Ich schrieb an Tom:\n> {SAID}",
        f"The plan for May:\n> {SAID}",
        '"The Art of Doing Things Well" - Required',
        '"The Art" — Richard Hamming',
        f"La semaine dernière, j'avais écrit ceci :\n> {SAID}",
        f"> {SAID}\n> [The hours of the hall](https://example.org/hours)",
        f"```\n> {SAID}\n> — Richard Hamming\n```",
        f">>> {SAID}",
        f"#+BEGIN_QUOTE\n{SAID}\n#+END_QUOTE",
        f"## Quotes of suppliers\n\nTom asks for 300 euros. {SAID}",
        f"## Highlights\n\n- {SAID}",
        f"- [[book snippets]] [[The Art]]\n\t- I like that, {SAID}",
        f"- [[book snippets]] [[The Art]]\n- Tom\n\t- {SAID}",
        f"He works at home. {SAID} — a long day",
        f"- [Tasks](https://example.org/tasks)\n- > {SAID}",
    ],
)
def test_what_has_none_is_the_writers(text: str) -> None:
    assert quotes(f"Today I met Tom in Ashby.\n\n{text}\n\nI slept well.\n") == []


def test_what_the_author_of_a_note_signs_is_no_quotation() -> None:
    assert quotes(f"> {SAID}\n> — Anna Lee", "Anna Lee") == []


def test_a_clipped_page_is_quoted_as_a_whole() -> None:
    matter = '---\nsource: "https://example.org/hall"\nauthor:\n  - "[[Craig Rosen]]"\ntags:\n  - "clippings"\n---\n'
    assert quotes(matter + SAID, "Craig Rosen") == [(SAID, "Craig Rosen")]
    assert quotes(matter.replace("clippings", "garden") + SAID) == []
    assert quotes(matter.replace("source", "origin") + SAID) == []


CLIPPINGS = """The Art of Doing (Hamming, Richard)
- {highlight} 18 | Location 269-270 | Added on Friday, May 5, 2023 10:00:00 AM

Whoever works with the door open gets all kinds of interruptions.
==========
The Art of Doing (Richard Hamming)
- {note} 19 | Location 280 | Added on Friday, May 5, 2023 10:01:00 AM

I should tell Tom about this.
==========
"""


@pytest.mark.parametrize(
    ("highlight", "note"),
    [
        ("Your Highlight on page", "Your Note on page"),
        ("Ihre Markierung auf Seite", "Ihre Notiz auf Seite"),
        ("Votre surlignement sur la page", "Votre note sur la page"),
        ("Tu subrayado en la página", "Tu nota en la página"),
        ("Seu destaque na página", "Sua nota na página"),
        ("La tua evidenziazione alla pagina", "La tua nota alla pagina"),
    ],
)
def test_passages_of_a_reading_device_are_quoted_and_notes_are_not(highlight: str, note: str) -> None:
    assert quotes(CLIPPINGS.format(highlight=highlight, note=note)) == [(SAID, None)]


def test_notes_under_gathered_passages_are_the_readers() -> None:
    gathered = f"\t- {SAID}\n\t\t- **Note**: I should tell Tom.\n\t- Doors close.\n"
    text = f"- Highlights first synced by [[Readwise]]\n{gathered}- Slept well.\n"
    assert [words for words, _ in quotes(text)] == [f"- {SAID}", "- Doors close."]

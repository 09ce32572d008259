"""Authors of pages: full names of persons or nothing."""

import pytest

from brain_pipelines.readers.webpage.html import parse_tree
from brain_pipelines.readers.webpage.page_facts import linked_data
from brain_pipelines.readers.webpage.page_people import page_authors
from brain_pipelines.readers.webpage.person_name import person_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ada Lovelace and Charles Babbage, 3 March 2020", ["Ada Lovelace", "Charles Babbage"]),
        ("Ada Lovelace March 25, 2015", ["Ada Lovelace"]),
        ("Laura June Webb", ["Laura June Webb"]),
        ("Von Käthe van der Berg und Jörg Maß", ["Käthe van der Berg", "Jörg Maß"]),
        ("Brenda Goodman, MA", ["Brenda Goodman"]),
        ("J. R. Smith (https://example.org/smith)", ["J. R. Smith"]),
        ("ADA LOVELACE; Ada Lovelace", ["Ada Lovelace"]),
        ("作者：肖春芳", ["肖春芳"]),
        ("Username", []),
        ("Follow Author", []),
        ("Our Foreign Staff", []),
        ("FOCUS-Online-Experte", []),
        ("Last Updated: January 7, 2025", []),
        ("mei77", []),
        ("", []),
    ],
)
def test_names_in_an_author_field(text: str, names: list[str]) -> None:
    assert person_names(text) == names


def test_a_field_for_one_person_may_be_inverted() -> None:
    assert person_names("Jong, Michiel de", inverted=True) == ["Michiel de Jong"]


LINKED = '<script type="application/ld+json">{"@type": "Article", "author": [%s]}</script>'
PERSON, FIRM = '{"@type": "Person", "name": "Mei Lin"}', '{"@type": "Organization", "name": "Northwind Labs"}'


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (f"{LINKED % f'{PERSON}, {FIRM}'}<meta name='author' content='Tom Ray'>", ["Mei Lin"]),
        (f"{LINKED % FIRM}<meta name='author' content='Tom Ray'>", ["Tom Ray"]),
        (
            '<meta name="author" content="Username"><p class="byline">By <a href="/x">Tom Ray</a>, news editor</p>',
            ["Tom Ray"],
        ),
        ('<div class="comment"><span class="author">Mei Lin</span></div>', []),
        ('<button rel="author" class="author">Follow Author</button>', []),
        ('<span class="author">留言</span>', []),
    ],
)
def test_the_first_place_with_a_person_counts(page: str, names: list[str]) -> None:
    tree = parse_tree(f"<html><body>{page}<p>Text</p></body></html>")
    assert page_authors(tree, linked_data(tree)) == names

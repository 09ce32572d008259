"""The text stage: language, title, and the limits."""

from pathlib import Path

import pytest

from brain_pipelines.stages.text import declared_language, language_of
from tests.samples.taking import take_one


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The launch of the new interface moved to the middle of March.", "en"),
        ("Die Veröffentlichung der neuen Oberfläche wurde auf Mitte März verschoben.", "de"),
        ("Le lancement de la nouvelle interface est reporté à la mi-mars.", "fr"),
        ("新しい画面の公開は三月の半ばに延期されました。よろしくお願いします。", "ja"),
        ("API", None),
        ("12:30 | 14:45 | https://example.org/a/b/c", None),
        ("", None),
    ],
)
def test_language(text: str, expected: str | None) -> None:
    assert language_of(text) == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en-GB", "en"),
        ("fr_FR", "fr"),
        (" DE ", "de"),
        ("zh-Hant-TW", "zh"),
        ("English", None),
        ("eng", None),
        ("", None),
    ],
)
def test_declared_language(tag: str, expected: str | None) -> None:
    assert declared_language(tag) == expected


FRENCH = "Le lancement de la nouvelle interface est reporté à la mi-mars."
MORE = (
    "Nous avons parlé de la date avec l'équipe, et personne ne voulait attendre. Le client a demandé une démonstration."
)


@pytest.mark.parametrize(
    ("tag", "more", "expected"),
    [("fr-FR", "", "fr"), ("français", "", "fr"), ("en-GB", "", "en"), ("en-GB", MORE * 2, "fr")],
)
def test_language_of_front_matter(tmp_path: Path, tag: str, more: str, expected: str) -> None:
    path = tmp_path / "blob"
    path.write_text(f"---\nlang: {tag}\n---\n{FRENCH} {more}\n")
    document = take_one("note", path, name="a.md").document
    assert document and document["language"] == expected


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", "---\ntitle: Given\n---\n# Heading\n", "Given"),
        ("a.md", "# Heading\n\ntext", "Heading"),
        ("a.txt", "A first line\n\nMore text.", "A first line"),
        ("my_shopping list.txt", "Milk, eggs.", "my shopping list"),
        ("a.md", f"# {'long ' * 100}\n\ntext", ("long " * 40).strip()),
        (".txt", "Milk.", ".txt"),
    ],
)
def test_title(tmp_path: Path, name: str, content: str, title: str) -> None:
    path = tmp_path / "blob"
    path.write_text(content)
    document = take_one("note", path, name=name).document
    assert document and document["title"] == title

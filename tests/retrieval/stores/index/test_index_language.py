"""The language of the full text: stems and stop words of the user's language, and the text index follows a change."""

import pytest

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings, UserSettings, load_settings
from brain_retrieval.settings.language import TextLanguage
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance import lance_table
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.lance.lean_import import import_lancedb
from brain_retrieval.stores.index.migration import after_write
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.maintenance import maintain
from tests.retrieval.stores.rows import DIM, chunks, indexed

DAY = "2026-01-05"


def filled(space: Space, language: str | None) -> LanceIndex:
    index = LanceIndex(space, model="m", dim=DIM, language=language)
    rows = [row | {"search_text": "Die Häuser der Stadt wurden gebaut"} for row in indexed(chunks("note", DAY, 1))]
    index.replace("note", [DAY], rows)
    return index


def found(index: LanceIndex, words: str) -> int:
    return len(index.search_text(words, limit=5, columns=["id"]))


def test_german_text_is_found_by_its_stem_and_not_by_its_articles(space: Space) -> None:
    index = filled(space, "de")
    assert (found(index, "Haus"), found(index, "die")) == (1, 0)


def test_english_is_the_default_and_knows_no_german_stems(space: Space) -> None:
    index = filled(space, None)
    assert (found(index, "Haus"), found(index, "die")) == (0, 1)


def test_write_in_another_language_rebuilds_the_text_index(space: Space) -> None:
    assert found(filled(space, "en"), "Haus") == 0
    assert found(filled(space, "de"), "Haus") == 1
    reader = LanceIndex(space, model="m", dim=DIM)  # as searches open it, without a language
    assert found(reader, "Haus") == 1


def test_maintenance_rebuilds_the_text_index_after_a_language_change(
    space: Space, catalog: Catalog, lake: Lake
) -> None:
    index = filled(space, "en")
    after_write(space, catalog, lake, index)
    maintain(space, language="en")
    assert found(index, "Haus") == 0
    maintain(space, language="de")
    assert found(index, "Haus") == 1
    assert lance_table.text_language(import_lancedb().connect(space.index).open_table(index.name)) == "de"


def test_every_language_of_the_setting_can_be_indexed(space: Space) -> None:
    index = filled(space, None)
    for code in TextLanguage.__args__:  # pyright: ignore[reportAttributeAccessIssue]
        index.use_language(code)
        assert lance_table.text_language(import_lancedb().connect(space.index).open_table(index.name)) == code


def test_language_is_a_setting_of_each_user() -> None:
    settings = Settings(users={"alice": UserSettings(language="de")})
    assert (settings.language_of("alice"), settings.language_of("bob")) == ("de", "en")


def test_unknown_language_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_USERS__ALICE__LANGUAGE", "klingon")
    with pytest.raises(InvalidSettingsError, match=r"users\.alice\.language"):
        load_settings()

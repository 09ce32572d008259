"""Decoding of bytes: encoding detection and repair of mojibake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.readers.encoding import decode, repair_mojibake
from brain_retrieval.errors import BadInputError

GERMAN = "Grüße aus München, der Bär läuft schön über die Straße – 5 €"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "cp1252"),
        ("Le café était fermé à l'été", "cp1252"),
        ("café", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
        ("Привет, как дела сегодня", "cp1251"),
        ("これは日本語の文章です。漢字もあります。", "shift_jis"),
        ("A wide text without a mark", "utf-16-le"),
        ("A wide text without a mark", "utf-16-be"),
    ],
)
def test_common_encodings_are_detected(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-32-be", "utf-32-le", "utf-16-be", "utf-16-le"])
def test_wide_texts_with_a_mark_are_read(encoding: str) -> None:
    assert decode("\ufeffГрузия".encode(encoding)).text == "Грузия"


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf8_is_never_guessed(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded.text == text.removeprefix("\ufeff") and not decoded.repairs


def test_mixed_encodings_are_decoded_line_by_line() -> None:
    rows = ["Zürich", "Müller kommt später", "plain", "naïve café"]
    data = b"\n".join(row.encode("cp1252" if n in (1, 3) else "utf-8") for n, row in enumerate(rows))
    decoded = decode(data)
    assert decoded.text == "\n".join(rows)
    assert decoded.repairs == ["mixed encodings: UTF-8, but cp1252 in line 2, 4"]


def test_declared_encoding_is_used_if_valid() -> None:
    assert decode("Ťažký žluťoučký".encode("iso8859-2"), declared="iso8859-2").text == "Ťažký žluťoučký"
    assert decode(GERMAN.encode(), declared="ascii").text == GERMAN
    assert decode(GERMAN.encode("cp1252"), declared="no-such-table").text == GERMAN


def test_binary_data_is_refused() -> None:
    with pytest.raises(BadInputError, match="binary"):
        decode(bytes(range(256)) * 10)


@pytest.mark.parametrize("text", ["Café über naïve", GERMAN, "â is a letter", "日本語", "plain"])
def test_mojibake_repair_keeps_good_text(text: str) -> None:
    assert repair_mojibake(text) == text


@pytest.mark.parametrize("text", ["Café Tejo isn’t far", "Grüße – 5 €"])
def test_mojibake_is_repaired(text: str) -> None:
    assert repair_mojibake(text.encode().decode("cp1252")) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Die Tür klemmt seit dem Frühjahr. Herr Müller kümmert sich.", "cp1252"),
        ("Zażółć gęślą jaźń, proszę bardzo. Łódź jest miastem w Polsce, nad rzeką Łódką.", "cp1250"),
        ("Привет, как дела? Встреча будет завтра в пять часов вечера.", "cp1251"),
    ],
)
def test_short_texts_of_windows_are_read_in_their_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_umlauts_of_dos_are_no_western_words() -> None:
    dos = "Die Tür klemmt, über die Jahre, fürchterlich, schöne Grüße".encode("cp850")
    assert decode(dos).text == "Die Tür klemmt, über die Jahre, fürchterlich, schöne Grüße"


@pytest.mark.parametrize(
    ("rest", "line", "encoding"),
    [
        ("Zażółć gęślą jaźń", "Łódź, spotkanie", "iso8859_2"),
        ("Grüße aus Köln, schöne Straße", "Ärger mit der Tür", "cp1252"),
        ("Договор подписан вчера", "Звонила Ольга", "cp1251"),
        ("Договор подписан вчера", "Звонила Ольга", "koi8_r"),
    ],
)
def test_a_line_of_another_encoding_has_the_letters_of_the_rest(rest: str, line: str, encoding: str) -> None:
    decoded = decode(rest.encode() + b"\n" + line.encode(encoding) + b"\n")
    assert decoded.text == f"{rest}\n{line}\n"
    assert decoded.repairs == [f"mixed encodings: UTF-8, but {encoding} in line 2"]

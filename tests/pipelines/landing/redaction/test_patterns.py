"""Pattern recognisers on labelled sentences: recall, false positives, and bounded time on adversarial texts."""

import time

import pytest

from brain_pipelines.landing.redaction.patterns import find_patterns
from brain_pipelines.landing.redaction.redactor import Redactor
from tests.pipelines.landing.redaction.labelled import HARMLESS, PERSONAL


@pytest.mark.parametrize(("text", "expected"), PERSONAL, ids=lambda v: None)
def test_personal_data_is_found_with_exact_span(text: str, expected: dict[str, str]) -> None:
    assert {text[f.start : f.end]: f.kind for f in find_patterns(text)} == expected


@pytest.mark.parametrize("text", HARMLESS)
def test_lookalikes_are_not_redacted(text: str) -> None:
    assert Redactor().text(text) == text


def test_equal_values_get_equal_numbers() -> None:
    redactor = Redactor()
    text = "a@b.example, c@d.example, A@B.example, +351 912 345 678 and 00351912345678"
    assert redactor.text(text) == "[EMAIL_1], [EMAIL_2], [EMAIL_1], [PHONE_1] and [PHONE_1]"
    assert redactor.text("c@d.example") == "[EMAIL_2]" and Redactor().text("c@d.example") == "[EMAIL_1]"


def test_redaction_is_idempotent() -> None:
    for text, _ in PERSONAL:
        once = Redactor().text(text)
        assert Redactor().text(once) == once


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.example/a?mail=alice%40b.example&page=2", "https://x.example/a?mail=[EMAIL_1]&page=2"),
        ("https://x.example/u/alice@b.example", "https://x.example/u/[EMAIL_1]"),
        ("https://me:pw12@x.example/", "https://[SECRET_1]@x.example/"),
        ("https://x.example/a%20b?q=tea%20pot", "https://x.example/a%20b?q=tea%20pot"),
        (None, None),
    ],
)
def test_urls(url: str | None, expected: str | None) -> None:
    assert Redactor().url(url) == expected


def test_values_are_redacted_at_any_depth() -> None:
    value = {"to": [{"a@b.example": 1}], "n": 3, "note": "PIN: 4711"}
    assert Redactor().value(value) == {"to": [{"[EMAIL_1]": 1}], "n": 3, "note": "PIN: [SECRET_1]"}


def test_message_identifiers_are_equal_across_sources() -> None:
    mail = {"message_id": "<7@b.example>", "references": ["<6@b.example>", "plain-5"], "to": "a@b.example"}
    first, second = Redactor().value(mail), Redactor().value({**mail, "to": "x@y.example, a@b.example"})
    assert first["message_id"] == second["message_id"] and first["references"] == second["references"]
    assert "b.example" not in str(first) and first["references"][1] == "plain-5"
    assert Redactor().value({"references": []}) == {"references": []}


@pytest.mark.parametrize(
    "text",
    [
        "1" * 300_000,
        "1 " * 150_000,
        "a@" * 100_000,
        "+1-" * 80_000,
        "DE89 " * 60_000,
        "-----BEGIN PRIVATE KEY-----" * 8000,
        "password: " * 30_000,
        ":" * 200_000,
        "a.b-c_d" * 40_000,
        "x@y.example " * 20_000,
    ],
    ids=range(10),
)
def test_adversarial_texts_are_processed_quickly(text: str) -> None:
    began = time.process_time()
    find_patterns(text)
    assert time.process_time() - began < 10

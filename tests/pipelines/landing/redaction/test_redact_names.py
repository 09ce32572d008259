"""Redaction of person and place names with the extra `pii`; without it, the settings error names the missing extra."""

import importlib.util

import pytest

from brain_pipelines.landing.redaction.document import build_redactor
from brain_pipelines.landing.redaction.version import config
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import Settings
from brain_retrieval.settings.language import PrivacySettings

HERE = importlib.util.find_spec("presidio_analyzer") is not None
NAMES = Settings(privacy=PrivacySettings(redact=True, detector="presidio"))


@pytest.mark.skipif(HERE, reason="the extra is installed")
def test_missing_extra_is_reported() -> None:
    with pytest.raises(InvalidSettingsError, match=r"brain\[pii\]"):
        config(NAMES)


@pytest.mark.skipif(not HERE, reason="needs the extra pii")
def test_names_and_places_are_replaced_and_patterns_win() -> None:
    redactor = build_redactor(NAMES)
    text = "Alice Chen lives in Lisbon. Mail alice.chen@northwind.example, card 4111 1111 1111 1111. Alice Chen called."
    clean = redactor.text(text)
    assert "Alice Chen" not in clean and "Lisbon" not in clean
    assert "[EMAIL_1]" in clean and "[CARD_1]" in clean
    assert clean.count("[PERSON_1]") == 2
    assert redactor.name("alice chen") == "[PERSON_1]" and redactor.name("user") == "user"

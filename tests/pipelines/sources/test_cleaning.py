"""What is cleaned from texts can be switched off by source type in the settings."""

from pathlib import Path

import pytest

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.email.mail_reply import split_reply
from brain_pipelines.readers.webpage.html import read_html
from brain_pipelines.stages.normalise import normalise
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import Cleaning, Settings, load_settings

MAIL = "The lab is booked.\n\n-- \nAnn Weber\nAtlas Ltd\n\nOn 3 May 2026, Ben <ben@example.org> wrote:\n> Is it?\n"


def test_each_source_has_its_own_switches(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text("[cleaning.email]\nsignatures = false\n")
    settings = load_settings(tmp_path)
    assert not Reading(settings, tmp_path, source="email").limits.cleaning.signatures
    assert Reading(settings, tmp_path, source="note").limits.cleaning == Cleaning()
    (tmp_path / "brain.toml").write_text("[cleaning.email]\nsignature = false\n")
    with pytest.raises(InvalidSettingsError):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("cleaning", "kept"),
    [
        (Cleaning(), set()),
        (Cleaning(signatures=False), {"Atlas Ltd"}),
        (Cleaning(quotes=False), {"> Is it?"}),
        (Cleaning(signatures=False, quotes=False), {"Atlas Ltd", "> Is it?"}),
    ],
)
def test_signatures_and_quotes_of_mails(cleaning: Cleaning, kept: set[str]) -> None:
    own = split_reply(MAIL, sender="Ann Weber", cleaning=cleaning).own
    assert {words for words in ("Atlas Ltd", "> Is it?") if words in own} == kept and "The lab is booked." in own


def test_navigation_of_pages_and_blanks() -> None:
    body = "<p>Ann Weber moved the launch of Atlas to May, because the tests in Jena failed.</p>" * 8
    page = f"<html><body><nav><a href='/'>Start of the site</a></nav><article>{body}</article></body></html>"
    shown = ["\n".join(block.text for block in read_html(page, whole=whole).blocks) for whole in (False, True)]
    assert ["Start of the site" in text for text in shown] == [False, True]
    segment = [{"start": 0, "end": 12, "section": None}]
    assert [normalise("a  b \n\n\n\n  c", segment, spaces=spaces)[0] for spaces in (True, False)] == [
        "a b\n\n  c",
        "a  b \n\n\n\n  c",
    ]
    assert Settings().limits_for("note") == Settings().limits

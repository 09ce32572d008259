"""Which labels of subtitles name a speaker, and which are words with a colon."""

from pathlib import Path

import pytest

from brain_pipelines.readers.audio.subtitle_file import read_file
from brain_retrieval.settings import Limits

PLAIN = tuple(f"They walked for {n} miles." for n in range(30))


def read(folder: Path, lines: tuple[str, ...]) -> tuple[list[str], list[str | None], str]:
    """Return the speakers, the speaker of each turn, and all words; the cues are five seconds apart."""
    cues = [f"{n + 1}\n00:{n // 12:02}:{n % 12 * 5:02},000 --> 00:{n // 12:02}:{n % 12 * 5 + 2:02},000\n{line}\n"
            for n, line in enumerate(lines)]  # fmt: skip
    path = folder / "film.srt"
    path.write_text("\n".join(cues))
    found = read_file(path, Limits(), None)
    return (
        list(found.participants),
        [block.speaker for block in found.blocks],
        " ".join(block.text for block in found.blocks),
    )


@pytest.mark.parametrize("label", ["Rule number one", "I said", "Grund Nummer zwei", "Evening news", "Warning"])
def test_a_colon_in_a_film_names_nobody(tmp_path: Path, label: str) -> None:
    speakers, turns, text = read(tmp_path, (f"{label}: never be late.", *PLAIN))
    assert speakers == [] and set(turns) == {None}
    assert f"{label}: never be late." in text


def test_labels_that_recur_name_speakers(tmp_path: Path) -> None:
    speakers, turns, text = read(
        tmp_path, ("Ada: Good morning.", "Ben van Rooy: Hello.", "Ada: Shall we begin?", *PLAIN)
    )
    assert speakers == ["Ada"] and turns[:4] == ["Ada", None, "Ada", None]
    assert "Ben van Rooy: Hello." in text and "Ada" not in text


def test_where_most_lines_have_a_label_all_are_speakers(tmp_path: Path) -> None:
    talk = (
        "Ada: Good morning.",
        "Ben van Rooy: Hello.",
        "guest: Hi.",
        "Ada: We begin.",
        "guest: Fine.",
        "my rule: be brief.",
    )
    speakers, turns, text = read(tmp_path, talk)
    assert speakers == ["Ada", "Ben van Rooy", "guest"]
    assert turns == ["Ada", "Ben van Rooy", "guest", "Ada", "guest", None]
    assert text.endswith("my rule: be brief.")

"""Scripts that write no words apart, as pairs of letters."""

import pytest

from brain_retrieval.language.letter_pairs import is_in_letter_pairs, with_letter_pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", ""),
        ("Meeting on 3 June, naïve café, Вторник, مرحبا, שלום", None),
        ("我们在上海开会", "我们 们在 在上 上海 海开 开会"),
        ("東京タワーへ。", "東京 京タ タワ ワー ーへ 。"),
        ("PDFを3つ", "PDF を 3 つ"),
        ("회의록을 보냈다", "회의 의록 록을 보냈 냈다"),
        ("人々・時々", "人々 ・ 時々"),
    ],
)
def test_runs_become_overlapping_pairs(text: str, pairs: str | None) -> None:
    done = with_letter_pairs(text)
    assert done == text if pairs is None else done.split() == pairs.split()


def test_a_text_is_in_such_a_script_if_half_of_its_letters_are() -> None:
    assert is_in_letter_pairs("会議は3時から (Zoom)") and is_in_letter_pairs("회의")
    assert (
        not is_in_letter_pairs("The word 会議 means meeting")
        and not is_in_letter_pairs("")
        and not is_in_letter_pairs("42")
    )

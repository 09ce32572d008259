"""Where sentences end."""

import pytest

from brain_retrieval.language.sentences import sentences


@pytest.mark.parametrize("text", ["12.3. Auto abgeholt", "Sa 12.3. Grillen", "- 3.10. Feiertag", "le ven. 12/5, puis"])
def test_a_day_at_the_beginning_and_a_short_weekday_end_no_sentence(text: str) -> None:
    assert sentences(text) == [(0, len(text))]

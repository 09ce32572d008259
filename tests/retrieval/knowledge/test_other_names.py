"""The other names that are shown of an entity."""

import pytest

from brain_retrieval.knowledge.lookup import other_names


@pytest.mark.parametrize(
    ("is_owner", "names"), [(True, ("Ines", "Ines Duarte")), (False, ("Ines", "Ines Duarte", "user"))]
)
def test_the_owner_is_not_called_what_extraction_calls_any_owner(is_owner: bool, names: tuple[str, ...]) -> None:
    assert other_names({"aliases": ["Ines", "Ines Duarte", "user"], "is_owner": is_owner}) == names

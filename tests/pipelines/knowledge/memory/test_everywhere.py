"""Who is no anchor because most sources are theirs: the owner by name, and who writes everywhere."""

import pytest

from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.everywhere import has_name_of_user, is_everywhere


@pytest.mark.parametrize(
    ("names", "user", "found"),
    [
        (("Odile Brun",), "odile-brun", True),
        (("Odile", "Odile Brun"), "odile-brun", True),
        (("José Núñez",), "jose-nunez", True),
        (("Odile",), "odile", False),  # a first name alone may be another's
        (("Odile Brunet",), "odile-brun", False),
        (("Odile Brun",), "", False),
    ],
)
def test_a_full_name_that_is_the_user_id_is_the_owner(names: tuple[str, ...], user: str, *, found: bool) -> None:
    assert has_name_of_user(names, user) is found


OTHERS = ("Tamsin", "Kwame", "Ilse")


def everywhere(own: int, silent: int, total: int, others: tuple[str, ...] = OTHERS) -> bool:
    spoken = [frozenset({"Odile Brun", others[n % len(others)]}) for n in range(own)]
    unspoken = [frozenset({others[n % len(others)]}) for n in range(silent)]
    return is_everywhere(Names(["Odile Brun", "Odile"]), [*spoken, *unspoken], total=total, share=0.5)


def test_who_is_in_most_sources_and_writes_to_several_is_no_subject() -> None:
    assert everywhere(own=6, silent=9, total=25)
    assert not everywhere(own=6, silent=6, total=25)  # in fewer than half
    assert not everywhere(own=2, silent=13, total=25)  # others write about her
    assert not everywhere(own=6, silent=9, total=19)  # too few sources to tell
    assert not everywhere(own=15, silent=0, total=25, others=("Tamsin",))  # one of two in a talk

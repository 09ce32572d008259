"""Which storylines are left out, because others tell the same."""

from dataclasses import replace

import pytest

from brain_pipelines.knowledge.memory.stories.superfluous import Line, superfluous, without_subject
from brain_pipelines.knowledge.memory.topics import Topics
from tests.pipelines.knowledge.memory.history import Said, sources


def line(name: str, kind: str, sources: str, told: str = "", *, title: str = "", recalled: bool = False) -> Line:
    return Line(name, name, kind, title or f"{name}, 2026", frozenset(sources), frozenset(told), recalled)


HYDRO = line("Hydro", "Concept", "abcdefgh", "1234567890")


@pytest.mark.parametrize(
    ("other", "dropped"),
    [
        (line("Ann", "Person", "abcxyz", "123xyz"), True),  # half of what she does is told there
        (line("Ann", "Person", "abcxyz", "12wxyz", title="Ann: trips"), False),
        (line("Ann", "Person", "abcxyz", "12wxyz", title="Ann: Hydro"), True),  # she has its title
        (line("Ann", "Person", "abcdeX", "vwxyz"), True),  # on its minutes, and nothing is said of her
        (line("Ann", "Person", "abcdeX", "vwxyz", title="Ann: trips"), False),
        (line("Ann", "Person", "abcxyz", "123xyz", recalled=True), False),  # someone asked for her
        (line("Weir", "Location", "abcde", "123xyz"), True),
        (line("Weir", "Location", "abcde", "1vwxyz"), False),  # minutes that name both have several subjects
        (line("Weir", "Location", "abxyz", "123456"), False),
    ],
)
def test_what_a_larger_storyline_tells_is_left_out(other: Line, dropped: bool) -> None:
    for lines in ([HYDRO, other], [other, HYDRO]):
        assert superfluous(lines) == ({other.storyline_id} if dropped else set())


def test_a_thing_within_what_is_taken_for_a_person_is_left_out() -> None:
    millrace = line("Millrace", "Person", "abcdefgh", "12345678", title="Millrace: Fund")
    assert superfluous([millrace, line("Fund", "Organization", "abcd", "1234")]) == {"Fund"}


def test_a_move_is_one_storyline_though_few_of_its_sources_name_the_place() -> None:
    graz = replace(line("Graz", "Location", "abcdefgh", "0123456", title="Moving to Graz"), moves=frozenset("6"))
    house = replace(line("Moving house", "Theme", "abcdX", "6vwxyz"), moves=frozenset("6"))
    for lines in ([graz, house], [house, graz]):
        assert superfluous(lines) == {"Moving house"}
    assert superfluous([graz, replace(house, sources=frozenset("abXYZ"))]) == set()
    assert superfluous([graz, replace(house, moves=frozenset("7"))]) == set()  # another move
    assert superfluous([graz, replace(house, recalled=True)]) == set()


def test_members_of_a_group_have_no_storyline_of_their_own() -> None:
    group = replace(line("Ferry Lane", "Matter", "abcdefghij"), whole=True)
    member, friend = (
        line("Ann", "Person", "abcxy", title="Ann: trips"),
        line("Bo", "Person", "abwxy", title="Bo: trips"),
    )
    assert superfluous([group, member, friend]) == {"Ann"}
    assert superfluous([group, replace(member, recalled=True)]) == set()


def test_a_group_hides_nothing_and_goes_where_its_matters_have_most_of_it() -> None:
    group = replace(line("Ferry Lane", "Matter", "abcdefghij", "0123456789"), whole=True)
    boat, wall, feast = (
        line("Boat", "Matter", "abc", "012"),
        line("Wall", "Matter", "de", "34"),
        line("Feast", "Matter", "fg"),
    )
    assert superfluous([group, boat, wall]) == set()
    assert superfluous([group, boat, wall, feast]) == {"Ferry Lane"}
    assert superfluous([replace(group, recalled=True), boat, wall, feast]) == set()
    assert (
        superfluous([group, line("Boat", "Matter", "ab"), line("Wall", "Matter", "c"), line("Feast", "Matter", "f")])
        == set()
    )


MOST = "abcdefghijk"  # of twenty sources


@pytest.mark.parametrize(
    ("one", "dropped"),
    [
        (line("Hull", "Location", MOST), True),  # where one lives
        (line("Hull", "Location", MOST[1:]), False),
        (line("Hull", "Location", MOST, recalled=True), False),
        (line("Leo", "Person", MOST), False),  # a child in a diary
        (replace(line("Leo", "Person", "abcde"), in_series=True), True),  # someone on the minutes
        (line("status.json", "Document", "abcde"), True),
    ],
)
def test_a_name_of_which_nothing_is_said_is_left_out(one: Line, dropped: bool) -> None:
    assert without_subject([replace(one, bare=True)], 20) == ({one.storyline_id} if dropped else set())
    assert without_subject([one], 20) == set()  # its title says something of it


def test_a_few_sources_may_all_be_about_one_project() -> None:
    phoenix = replace(line("Phoenix", "Organization", MOST), bare=True)
    assert without_subject([phoenix], len(MOST)) == set()


def test_minutes_of_several_kinds_are_series() -> None:
    titles = [f"{kind} of {day} May" for kind in ("Board", "Rowing day") for day in range(1, 5)] + ["To Ann", "Summer"]
    history = [Said(f"s{n}", float(n), (), title=title) for n, title in enumerate(titles)]
    topics = Topics(sources(history))
    ids = [one.id for one in history]
    assert topics.in_series([*ids[:2], *ids[4:6], *ids[8:]], frozenset({"ann"}))
    assert not topics.in_series([ids[0], *ids[8:]], frozenset({"ann"}))  # most are letters
    assert not topics.in_series(ids[4:8], frozenset({"rowing"}))  # they are called after it

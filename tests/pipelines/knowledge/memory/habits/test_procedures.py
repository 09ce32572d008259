"""Procedures: steps that are told, and steps that are done alike on several days."""

from datetime import date

from tests.pipelines.knowledge.memory.habits.written_texts import habits, notes, talks

DAYS = [date(2026, 9, day) for day in (1, 8, 15, 22)]
DONE = (
    "Dumped the database, stopped the workers, restored the dump on the mirror and started the workers.",
    "Dumped the database, stopped both workers, restored the dump on the mirror, then started the workers again.",
    "I dumped the database, stopped the workers, restored the dump on the mirror and started them.",
)


def done(accounts):
    """Return talks with a program that says what it has done, one a day."""
    return talks({day: [("user", "Go."), ("assistant", said)] for day, said in zip(DAYS, accounts, strict=False)})


def procedures(texts):
    return [habit for habit in habits(texts) if habit["kind"] == "procedure"]


def test_steps_done_on_three_days_in_other_words_are_a_procedure() -> None:
    (found,) = procedures(done(DONE))
    assert found["times"] == 3 and len(found["steps"]) == 4
    assert found["steps"][1:3] == ["Stopped the workers", "Restored the dump on the mirror"]


def test_steps_done_twice_and_a_form_are_none() -> None:
    assert procedures(done(DONE[:2])) == []
    assert procedures(done([DONE[0]] * 4)) == []


def test_what_a_program_is_told_in_steps_names_the_steps_of_what_was_done() -> None:
    steps = ("dump the database", "stop the workers", "restore the dump on the mirror", "start the workers")
    told = "The steps are: " + " ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1)) + "."
    entries = {DAYS[0]: [("user", told), ("assistant", DONE[0])], DAYS[1]: [("user", "Go."), ("assistant", DONE[1])]}
    (found,) = procedures(talks(entries))
    assert found["steps"] == [step.capitalize() for step in steps]
    assert found["times"] == 2


def test_steps_with_commas_behind_a_word_for_steps() -> None:
    told = "Procedure for a backup: dump the database, stop the workers, then restore the dump on the mirror."
    (found,) = procedures(talks({DAYS[0]: [("user", told), ("assistant", "Understood.")]}))
    assert found["steps"] == ["Dump the database", "Stop the workers", "Restore the dump on the mirror"]


def test_names_of_those_present_and_steps_of_a_text_are_none() -> None:
    present = ("Present: Ada Lind, Bert Roe, Cleo Marsh", "Present: Ada Lind, Cleo Marsh, Dora Ek, Bert Roe")
    assert procedures(done((*present, present[0] + ", Finn Oak"))) == []
    assert (
        procedures(notes({DAYS[0]: "Steps to glory: sow the corn, cut the corn, grind the corn, bake the bread."}))
        == []
    )
    assert procedures(notes(dict(zip(DAYS, DONE, strict=False)))) == []  # in a diary it is a manner of writing

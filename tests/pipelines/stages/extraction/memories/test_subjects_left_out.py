"""Subjects that a clause behind "now" leaves to the clause before it, in languages that need no pronoun."""

import pytest

from brain_pipelines.stages.extraction.memories.clauses import clauses_of, subject_left_out
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text", "subject"),
    [
        ("es", "Nuria dejó el coro, ahora baila tango los sábados", "Nuria"),
        ("it", "Carlo ha lasciato il nuoto, adesso fa canottaggio", "Carlo"),
        ("pt", "O Rui deixou a natação, agora anda de canoa", "Rui"),
        ("es", "Nuria dejó el coro, ahora el coro busca soprano", None),
        ("es", "Nuria dejó el coro, ahora canta Olga", None),
    ],
)
def test_the_clause_behind_now_has_the_subject_of_the_first(language: str, text: str, subject: str | None) -> None:
    whole = sentence(text, language)
    clauses = clauses_of(whole)
    assert len(clauses) == 2
    assert subject_left_out(clauses[1], whole) == subject

"""What `brain audit` prints of a change: every rule by which a statement may have ended has words."""

import pytest

from brain_retrieval.knowledge.memories import supersession
from brain_retrieval.knowledge.memories.audit import Audit, Change
from brain_retrieval.serve.audit_cli import print_audit
from tests.retrieval.query.packs.made_hits import MAY, memory

RULES = sorted(
    supersession.SURE | {supersession.SITUATION, supersession.CHANGE, supersession.ASIDE, supersession.ANSWER},
)


@pytest.mark.parametrize("rule", RULES)
def test_a_change_is_printed_with_what_ended_it_and_why(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = memory("The rent is 840."), memory("From July we pay 890.")
    change = Change(old, new, rule, "none", sure=rule in supersession.SURE, since=MAY)
    print_audit(Audit("rent", MAY, None, (new,), (new,), (change,)))
    printed = capsys.readouterr().out
    assert "The rent is 840." in printed
    assert "ended by: From July we pay 890." in printed
    assert ("perhaps:" in printed) is (rule not in supersession.SURE)
    assert "    it " in printed


@pytest.mark.parametrize(
    ("cue", "words"),
    [("none", "another value\n"), ("weak", "words that may be of a change"), ("strong", "in words of a change")],
)
def test_a_cue_is_said_in_words(cue: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    change = Change(memory("The rent is 840."), memory("It is 890 now."), "value", cue, sure=True, since=MAY)
    print_audit(Audit("rent", MAY, None, (), (), (change,)))
    assert words in capsys.readouterr().out

"""Share of claims whose parts are read rightly, by word lists alone and with the English parser.

python -m benchmarks.evidence_claims tests/retrieval/evidence/read_claims.txt [--wrong]
"""

import argparse
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from brain_retrieval.evidence.claims.parsed import parser_for
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.home import default_home
from brain_retrieval.query.analysis import analyse
from brain_retrieval.settings import load_settings

FIELDS = ("statements", "type", "polarity", "subject", "object")
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def labelled(path):
    """Return (claim, what it is made up of) for each line of a file."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    parts = ([part.strip() for part in line.split(" |")] for line in lines)
    return [(claim, dict(zip(FIELDS, said, strict=True))) for *said, claim in parts]


def read(text, parser=None):
    """Return what a claim is read as, in the form of the labels; subject and object as their content words."""
    claim = read_claim(analyse(text, max_characters=8000, language="en", now=NOW), parser=parser)
    first = claim.statements[0]
    return {
        "statements": str(len(claim.statements)),
        "type": claim.type,
        "polarity": "-" if first.negated else "+",
        "subject": first.subject,
        "object": first.object,
    }, claim


def is_right(field, found, wanted):
    """Return whether a field is as labelled: of subject and object the content words."""
    if field in ("subject", "object"):
        return set(forms_in(found, "en")) == set(forms_in(wanted, "en"))
    return found == wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    claims = labelled(options.path)
    with_grammar = parser_for(load_settings(default_home()), "en")
    for name, each in (("word lists", None), ("parser", with_grammar)):
        right, anchored = Counter(), 0
        for text, wanted in claims:
            found, claim = read(text, each)
            wrong = [field for field in FIELDS if not is_right(field, found[field], wanted[field])]
            right.update(field for field in FIELDS if field not in wrong)
            right["all"] += not wrong
            anchored += all(2 <= len(one.anchors) <= 5 for one in claim.statements)
            if wrong and options.wrong:
                print(name, "|", text, {field: (found[field], wanted[field]) for field in wrong})
        shares = ", ".join(f"{field} {right[field] / len(claims):.2f}" for field in (*FIELDS, "all"))
        print(f"{name}: {shares}, 2-5 anchors {anchored / len(claims):.2f} of {len(claims)}")


if __name__ == "__main__":
    main()

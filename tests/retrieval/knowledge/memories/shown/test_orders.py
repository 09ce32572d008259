"""What a program is asked to do once, and what it is always to do."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.shown.orders import is_order
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from tests.retrieval.knowledge.memories.shown.test_matters import SCHEMA, row

ANSWER = row("Done.", source_id="talk", speaker="Assistant")
COLUMNS = {**SCHEMA, "speaker": pl.String}


def around(*rows: dict[str, Any]) -> Surroundings:
    return Surroundings.of(pl.DataFrame([{name: one[name] for name in COLUMNS} for one in rows], schema=COLUMNS))


@pytest.mark.parametrize(
    ("text", "changes", "order"),
    [
        ("Schreib mir einen Brief an Ida Brandt, 900 Euro.", {}, True),
        ("Please translate the letter to Ida.", {}, True),
        ("Por favor, resume el correo de Ida.", {}, True),
        ("Traduis la lettre d'Ida.", {}, True),
        ("Escreve uma carta à Ida.", {}, True),
        ("Scrivimi una lettera per Ida.", {}, True),
        ("Fold the maps of Oban.", {"kind": "instruction"}, True),
        ("From now on, answer in Danish.", {"kind": "instruction"}, False),
        ("I moved to Leeds in May.", {}, False),
        ("Schreib mir einen Brief an Ida.", {"source_id": "diary"}, False),
        ("Schreib mir einen Brief an Ida.", {"speaker": "Ida"}, False),
        ("Schreib mir einen Brief an Ida.", {"method": "owner"}, False),
    ],
)
def test_an_order_is_said_to_a_program_and_done_once(text: str, changes: dict[str, Any], order: bool) -> None:
    said = row(text, **({"source_id": "talk", "said_at": datetime(2026, 5, 1, tzinfo=UTC)} | changes))
    assert is_order(said, around(said, ANSWER)) is order

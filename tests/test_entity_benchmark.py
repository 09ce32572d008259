"""The benchmark of the types of entities: its labels and recipes can be read, and shares are counted as it says."""

from pathlib import Path

import pytest

from benchmarks.entity_kinds import label_key, read_labels, recipes, shares


def entity(name: str, kind: str, *, is_owner: bool = False) -> dict[str, object]:
    return {"name": name, "type": kind, "is_owner": is_owner, "aliases": []}


def test_labels_are_of_homes_with_a_recipe() -> None:
    labels = read_labels()
    assert set(labels) <= set(recipes())
    assert all(labels.values())


def test_shares() -> None:
    given = {"Ann Lee": "P", "Ann L": "PD", "Bo": "PW", "Oriente": "L", "Dart": "G"}
    labels = {label_key("h", name): letters for name, letters in given.items()}
    found = shares(
        "h",
        [
            entity("Me", "Person", is_owner=True),
            entity("Ann Lee", "Person"),
            entity("Ann L", "Concept"),
            entity("Bo", "Person"),
            entity("Oriente", "Person"),
            entity("Dart", "Tool"),
            entity("New", "Person"),
        ],
        labels,
    )
    assert (found.labelled, found.unlabelled, found.typed, found.typed_right, found.people) == (5, 1, 3, 2, 3)
    assert (found.generic, found.duplicates, found.wrong_merges) == (1, 1, 1)


@pytest.mark.parametrize("line", ["0123abcd\tX", "0123abcd", "0123abcd\tP?"])
def test_a_line_that_is_no_label_is_an_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text(f"[home]\n{line}\n")
    with pytest.raises(ValueError, match="line 2"):
        read_labels(path)

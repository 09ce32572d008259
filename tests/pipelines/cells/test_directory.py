"""The database of cells: who lives where, decided once, whoever asks first."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.server.keys import Keys
from brain_retrieval import Brain
from brain_retrieval.errors import (
    CellError,
    DirectoryUnreachableError,
    InvalidSettingsError,
    OtherCellError,
    UnknownUserError,
)
from brain_retrieval.settings import CellSettings
from brain_retrieval.stores.cells import Cell, CellDirectory
from tests.pipelines.cells.conftest import TwoCells, settings_of


def test_of_two_cells_that_make_the_same_user_at_once_one_is_refused(two: TwoCells) -> None:
    def attempt(cell: str) -> str:
        try:
            return two.directory.claim("hanna", cell).cell
        except OtherCellError as error:
            assert error.cell != cell
            return ""

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(attempt, ["north", "south"] * 8))
    assert {one for one in found if one} == {two.directory.home_of("hanna").name} and "" in found  # type: ignore[union-attr]


def test_a_move_counts_once_and_only_from_the_place_that_was_seen(two: TwoCells) -> None:
    seen = two.directory.claim("hanna", "north").version
    assert two.directory.assign("hanna", "south", seen=seen).version == seen + 1
    with pytest.raises(CellError, match="moved meanwhile"):
        two.directory.assign("hanna", "north", seen=seen)
    assert two.directory.users("south") == ["hanna"] and two.directory.counts() == {"north": 0, "south": 1}
    with pytest.raises(CellError, match="1 users live in"):
        two.directory.remove("south")


def test_a_new_user_goes_to_the_emptiest_open_cell(two: TwoCells) -> None:
    two.directory.claim("hanna", "north")
    assert two.directory.emptiest().name == "south"
    two.directory.add(Cell("south", open=False))
    assert two.directory.emptiest().name == "north"
    with pytest.raises(CellError, match="no new users"):
        two.directory.claim("sven", "south")


def test_nothing_of_a_user_of_another_cell_is_made_here(two: TwoCells) -> None:
    create_space(two.north.space("hanna"), settings_of(two.north))
    with pytest.raises(OtherCellError, match="'hanna' lives in cell 'north'"):
        create_space(two.south.space("hanna"), settings_of(two.south))
    with pytest.raises(OtherCellError):
        Keys(two.south.home).create("hanna", ("read",))
    assert not two.south.space("hanna").root.exists()


def test_opening_a_user_of_another_cell_on_this_machine_opens_that_cell(two: TwoCells) -> None:
    create_space(two.north.space("hanna"), settings_of(two.north))
    with Brain.open(two.south.home.path, user="hanna") as brain:
        assert brain.space.home == two.north.home.path
    two.directory.add(Cell("north", "/nowhere/north", url="http://north.example:8765"))
    with pytest.raises(OtherCellError, match=r"http://north\.example:8765"):
        Brain.open(two.south.home.path, user="hanna")
    with pytest.raises(UnknownUserError):
        Brain.open(two.south.home.path, user="olga")


def test_an_embedded_database_does_too_and_a_bad_address_shows_no_secret(tmp_path: Path) -> None:
    directory = CellDirectory(CellSettings(directory=f"sqlite:///{tmp_path / 'cells.sqlite'}"))
    directory.add(Cell("north"))
    assert directory.claim("hanna", "north") == directory.claim("hanna", "north")
    directory.close()
    with pytest.raises(InvalidSettingsError, match="not an address"):
        CellDirectory(CellSettings(directory="no address"))
    with pytest.raises(DirectoryUnreachableError) as caught:
        CellDirectory(CellSettings(directory="postgresql://brain:hidden-word@127.0.0.1:1/x"))
    assert "hidden-word" not in str(caught.value)


def test_a_moved_user_lives_in_the_other_cell(two: TwoCells) -> None:
    two.north.drop("hanna", "note", "ferry.md", "The ferry leaves at nine.")
    create_space(two.north.space("hanna"), settings_of(two.north))
    two.north.land(two.north.home.inbox / "hanna" / "note" / "ferry.md", "hanna")
    for _ in range(2):  # the same command again changes nothing
        done = CliRunner().invoke(
            app, ["cells", "move", "-u", "hanna", "--to", "south", "--home", str(two.north.home.path)]
        )
        assert done.exit_code == 0, done.output
    place = two.directory.place("hanna")
    assert place and (place.cell, place.version) == ("south", 2)
    assert not two.north.space("hanna").root.exists() and two.south.space("hanna").landing.is_file()
    with pytest.raises(OtherCellError):
        create_space(two.north.space("hanna"), settings_of(two.north))


def test_a_user_restored_from_another_machine_lives_in_the_cell_where_they_arrived(two: TwoCells) -> None:
    two.directory.claim("hanna", "north")
    arrived = ["cells", "arrived", "--home", str(two.south.home.path), "--user"]
    assert CliRunner().invoke(app, [*arrived, "hanna"]).exit_code == 3  # nothing of hers is there
    two.south.space("hanna").create()  # as a restore does
    for _ in range(2):  # the same command again changes nothing
        done = CliRunner().invoke(app, [*arrived, "hanna", "--json"])
        assert done.exit_code == 0 and json.loads(done.output) == {"user": "hanna", "cell": "south"}
    place = two.directory.place("hanna")
    assert place and (place.cell, place.version) == ("south", 2)

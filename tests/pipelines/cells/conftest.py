"""A PostgreSQL server, and two homes that are cells of one Dagster instance in it."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from brain_retrieval.home import Home
from brain_retrieval.settings import CellSettings, Settings, load_settings
from brain_retrieval.stores.cells import Cell, CellDirectory
from tests.pipelines.conftest import Bench
from tests.servers.postgres import programs, server


@pytest.fixture(scope="package")
def postgres() -> Iterator[str]:
    """The address of a server for the tests of this folder."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="brain-postgres-") as folder:
        Path(folder).chmod(0o755)
        with server(Path(folder)) as url:
            yield url


@pytest.fixture
def database(postgres: str, request: pytest.FixtureRequest) -> str:
    """The address of a database of one test."""
    name = f"test_{abs(hash(request.node.nodeid))}"
    url = sa.make_url(postgres).set(drivername="postgresql+psycopg2")
    with sa.create_engine(url, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    return url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)


@dataclass(frozen=True)
class TwoCells:
    """Two homes, and the database that says who lives in which."""

    north: Bench
    south: Bench
    directory: CellDirectory


@pytest.fixture
def two(tmp_path: Path, database: str, models_dir: Path) -> Iterator[TwoCells]:
    """The cells `north` and `south`, without users."""
    benches = {}
    for name in ("north", "south"):
        home = Home(tmp_path / name)
        home.path.mkdir()
        (home.path / "brain.toml").write_text(
            f'models_dir = "{models_dir}"\n[server]\nprocess_uploads = false\n'
            f'[cells]\nname = "{name}"\ndirectory = "{database}"\n'
        )
        os.chmod(home.path / "brain.toml", 0o600)
        benches[name] = Bench(home)
    directory = CellDirectory(CellSettings(directory=database))
    for name, bench in benches.items():
        directory.add(Cell(name, str(bench.home.path)))
    yield TwoCells(benches["north"], benches["south"], directory)
    directory.close()


def settings_of(bench: Bench) -> Settings:
    return load_settings(bench.home.path)

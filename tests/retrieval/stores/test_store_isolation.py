"""Two users' stores, written in any interleaving: each holds exactly its own rows, whatever the other does."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.rows import DIM, chunks, indexed

USERS = ("alice", "bob")
SOURCES = ("note", "mail")
DAYS = ("2026-01-05", "2026-01-06")
STEPS = st.lists(
    st.tuples(st.sampled_from(USERS), st.sampled_from(SOURCES), st.sampled_from(DAYS), st.integers(0, 3)), max_size=8
)

Stores = dict[str, tuple[Lake, LanceIndex]]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    home: Path = tmp_path_factory.mktemp("home")
    opened = {}
    for user in USERS:
        space = Home(home).space(user).create()
        opened[user] = (Lake(space, Catalog(space)), LanceIndex(space, model="m", dim=DIM))
    yield opened
    for lake, _ in opened.values():
        lake.catalog.close()


@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_concurrent_users_never_see_each_others_rows(stores: Stores, steps: list) -> None:
    for lake, index in stores.values():
        for source in SOURCES:
            lake.replace_many("chunks", source, dict.fromkeys(DAYS, ()))
            index.replace(source, DAYS, [])
    expected: dict[str, dict] = {user: {} for user in USERS}
    for user, source, day, count in steps:
        rows = chunks(source, day, count, salt=user, text=f"shared words {user}")
        lake, index = stores[user]
        lake.replace("chunks", source, day, rows)
        index.replace(source, [day], indexed(rows))
        expected[user][source, day] = {row["chunk_id"] for row in rows}
    for user, (lake, index) in stores.items():
        ids = set().union(*expected[user].values())
        assert set(lake.read("chunks").column("chunk_id").to_pylist()) == ids
        assert set(index.read(columns=["id"]).column("id").to_pylist()) == ids
        hits = list(index.search_vectors(np.ones(DIM), limit=100, columns=["id"]))
        hits += index.search_text("shared words alice bob", limit=100, columns=["id"])
        assert {hit.row["id"] for hit in hits} == ids

"""Products of many vectors with one: the same in one thread and in two, and while the other thread is busy."""

import threading

import numpy as np
import pytest

from brain_retrieval.stores.index.products import ALONE, _other_thread, products

WIDTH = 48


def vectors(count: int) -> np.ndarray:
    return np.random.default_rng(count).normal(size=(count, WIDTH)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, ALONE, ALONE + 1, 2 * ALONE + 7])
def test_each_product_is_that_of_its_own_vector(count: int) -> None:
    rows, query = vectors(count), vectors(1)[0]
    found = products(rows, query)
    assert found.dtype == np.float32
    assert np.array_equal(found, np.einsum("ij,j->i", rows, query))
    assert found == pytest.approx(rows @ query, abs=1e-4)


def test_a_search_does_not_wait_for_a_thread_that_is_busy() -> None:
    rows, query, busy = vectors(2 * ALONE), vectors(1)[0], threading.Event()
    waiting = _other_thread().submit(busy.wait, 60)
    try:
        assert np.array_equal(products(rows, query), np.einsum("ij,j->i", rows, query))
        assert not waiting.done()
    finally:
        busy.set()

"""Products of many vectors with one, in two threads where that pays."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

ALONE = 20_000  # vectors that one thread multiplies: 1 ms


def products(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return float32 (rows,), the product of each of float32 (rows, width) with `query`.

    Reading the vectors is what takes the time, and two cores read twice as fast as one. The products are the same.
    """
    scores = np.empty(len(vectors), dtype=np.float32)
    half = len(vectors) // 2 if len(vectors) > ALONE else len(vectors)
    second = (vectors[half:], query, scores[half:])
    other = _other_thread().submit(_multiply, *second) if half < len(vectors) else None
    _multiply(vectors[:half], query, scores[:half])
    if other is not None and other.cancel():  # it is busy with another search
        _multiply(*second)
    elif other is not None:
        other.result()
    return scores


def _multiply(vectors: np.ndarray, query: np.ndarray, scores: np.ndarray) -> None:
    # Not `@`: BLAS does it in threads that keep all cores busy for 15 ms afterwards.
    np.einsum("ij,j->i", vectors, query, out=scores)


@cache
def _other_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="products")

"""Agglomerative clustering of the voice vectors of `voices.py`: one cluster per speaker."""

import numpy as np

# See docs/sources/audio.md: below .36 one voice is often split in two, from .40 on two are merged.
MAX_DISTANCE = 0.36
MIN_WINDOWS = 3  # smaller clusters are noise or overlapping speech


def cluster_voices(vectors: np.ndarray, speakers: int | None = None) -> np.ndarray:
    """Return the centroids of the voices among `vectors` (n, d), rows of length 1, as (k, d), rows of length 1.

    Without `speakers`, average linkage over cosine distance is cut at MAX_DISTANCE, and clusters of fewer than
    MIN_WINDOWS are discarded, unless there are no others. With it, Ward's method gives that many clusters, at most
    one per vector.
    """
    if len(vectors) < 2:
        return vectors.copy()
    labels = _ward(vectors, speakers) if speakers else _average(vectors)
    groups = [vectors[labels == label] for label in np.unique(labels)]
    if not speakers:
        groups = [group for group in groups if len(group) >= MIN_WINDOWS] or [max(groups, key=len)]
    centroids = np.stack([group.mean(axis=0) for group in groups])
    return centroids / np.linalg.norm(centroids, axis=1, keepdims=True)


def _average(vectors: np.ndarray) -> np.ndarray:
    from scipy.cluster.hierarchy import fcluster, linkage

    return fcluster(linkage(vectors, "average", metric="cosine"), MAX_DISTANCE, "distance")


def _ward(vectors: np.ndarray, speakers: int) -> np.ndarray:
    from scipy.cluster.hierarchy import fcluster, linkage

    return fcluster(linkage(vectors, "ward"), speakers, "maxclust")

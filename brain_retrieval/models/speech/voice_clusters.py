"""Which vectors are one voice: agglomerative clustering of what `voices.py` heard. Knows nothing of words."""

import numpy as np

# docs/sources/audio.md: below .36 one voice is often heard as two, from .40 on two as one.
MAX_DISTANCE = 0.36
MIN_WINDOWS = 3  # fewer are a cough or two voices at once


def cluster_voices(vectors: np.ndarray, speakers: int | None = None) -> np.ndarray:
    """Return the centroids of the voices among `vectors` (n, d), rows of length 1, as (k, d), rows of length 1.

    Without `speakers`, average linkage over cosine distance is cut at MAX_DISTANCE, and groups of fewer than
    MIN_WINDOWS are nobody, unless there is no other. With it, Ward's method gives that many, or as many as there
    are vectors.
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

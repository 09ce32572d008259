"""Personalised PageRank over the subgraph around some seeds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

DIGITS = 9  # of a score; sums in another order differ in later ones


def personalised_pagerank(
    keys: Sequence[str],
    edges: Mapping[str, tuple[str, str, float]],
    seeds: Mapping[str, float],
    damping: float,
) -> dict[str, float]:
    """Return a score for each key; scores add up to 1.

    r = (1 − d)·s + d·Wᵀr, with s the normalised weights of the seeds and W the row-normalised sums of the weights of
    the edges between two nodes, taken in both directions (Page et al. 1999; Haveliwala 2002).

    Args:
        keys: The nodes, in an order of their own that decides nothing but rounding.
        edges: Ends and weight of each edge.
        seeds: Weight of each seed, above 0.
        damping: d, between 0 and 1.
    """
    import rustworkx as rx

    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    for _, (one, other, weight) in sorted(edges.items()):
        weights[min(one, other), max(one, other)] += weight
    index = {key: position for position, key in enumerate(keys)}
    graph = rx.PyDiGraph()
    graph.add_nodes_from(list(keys))
    for (one, other), weight in sorted(weights.items()):
        graph.add_edge(index[one], index[other], weight)
        graph.add_edge(index[other], index[one], weight)
    start = {index[key]: weight for key, weight in seeds.items()}
    scores = rx.pagerank(
        graph, alpha=damping, weight_fn=float, personalization=start, dangling=start, tol=1e-12, max_iter=500
    )
    return {keys[position]: round(score, DIGITS) for position, score in scores.items()}

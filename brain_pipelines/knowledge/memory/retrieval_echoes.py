"""Detection of retrieval echoes: sentences of machines that only repeat retrieved text, excluded from evidence.

Otherwise an agent that repeats a retrieved memory would strengthen it every day. A sentence is an echo of a passage if
the passage was retrieved at most 30 days before, contains at least 80 % of the sentence's 5-word shingles, and these
shingles cover every content word: a new name, number or "not" makes it a new statement.
"""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from brain_pipelines.knowledge.memory.machine_turns import MachineTurn, machine_turns
from brain_pipelines.knowledge.memory.sentences import Sentence, says_more, sentences_to_compare, whole_sentences
from brain_pipelines.knowledge.memory.shingles import SIZE, all_runs, run_hashes
from brain_retrieval.ids import content_id
from brain_retrieval.stores.memory_tables import ECHOES

SAME = 0.8
WITHIN = timedelta(days=30)
DIGITS = 9


# (time of retrieval, similarity, source id of the passage) of each passage that a sentence repeats, by time.
_Shown = list[tuple[datetime, float, str]]


def find_echoes(texts: pl.DataFrame, recalled: pl.DataFrame, *, within: timedelta = WITHIN) -> pl.DataFrame:
    """Return ECHOES, one row for each sentence. Speech of persons and repetitions within one source are no echoes.

    Args:
        texts: source_id, source_type, text, segments, event_at.
        recalled: chunk_id, source_id, text, at: retrieved passages and the times of retrieval.
        within: maximum time between the retrieval of a passage and the turn.
    """
    passages = _passages(recalled)
    said = [(turn, s) for turn in machine_turns(texts) if passages for s in sentences_to_compare(turn.text)]
    unique = sorted({sentence.words for _, sentence in said})
    shown = _shown(_matches(unique, list(passages)), list(passages.values()))
    rows = [row for turn, sentence in said if (row := _echo(turn, sentence, shown, within))]
    schema = pl.DataFrame(ECHOES.empty_table()).schema
    return pl.DataFrame(rows, schema=schema, orient="row").unique("echo_id").sort("echo_id")


def _passages(recalled: pl.DataFrame) -> dict[str, list[tuple[datetime, str]]]:
    """Return by text the (time, source id) pairs of its retrievals."""
    shown = recalled.select("text", "at", "source_id").unique().sort("text", "at", "source_id")
    grouped = shown.group_by("text", maintain_order=True).agg("at", "source_id")
    return {text: list(zip(times, sources, strict=True)) for text, times, sources in grouped.iter_rows()}


def _shown(
    found: dict[tuple[str, ...], list[tuple[float, int]]], occasions: list[list[tuple[datetime, str]]]
) -> dict[tuple[str, ...], _Shown]:
    return {
        words: sorted((at, similarity, key) for similarity, passage in pairs for at, key in occasions[passage])
        for words, pairs in found.items()
    }


def _echo(
    turn: MachineTurn, sentence: Sentence, shown: dict[tuple[str, ...], _Shown], within: timedelta
) -> tuple[str, str, int, int, str, float] | None:
    """Return the ECHOES row for the passage of another source that was retrieved last before the turn."""
    times = shown.get(sentence.words, [])
    # Backwards in time from the turn: the first retrieval of another source is the latest one.
    for place in range(bisect_right(times, turn.said_at, key=lambda occasion: occasion[0]) - 1, -1, -1):
        at, similarity, source_id = times[place]
        if at < turn.said_at - within:
            return None
        if source_id != turn.source_id:
            start, end = turn.start + sentence.start, turn.start + sentence.end
            return content_id("echo", turn.source_id, start, end), turn.source_id, start, end, source_id, similarity
    return None


def _matches(sentences: list[tuple[str, ...]], passages: list[str]) -> dict[tuple[str, ...], list[tuple[float, int]]]:
    """Return by sentence the (similarity, passage number) pairs with at least SAME similarity."""
    runs = _sentence_runs(sentences)
    shared = _shared_runs(runs, passages)
    whole: dict[int, set[tuple[str, ...]]] = {}
    found: dict[tuple[str, ...], list[tuple[float, int]]] = {}
    for number, passage, hashes in shared.iter_rows():
        words = sentences[number]
        if len(words) < SIZE:
            if passage not in whole:
                whole[passage] = whole_sentences(passages[passage])
            similarity = float(words in whole[passage])
        else:
            similarity = _similarity(words, set(hashes))
        if similarity >= SAME:
            found.setdefault(words, []).append((similarity, passage))
    return found


def _similarity(words: tuple[str, ...], known: set[int]) -> float:
    """Return the share of shingles that are known, 0 if a content word is outside of them."""
    runs = run_hashes(words, SIZE).tolist()
    covered = [False] * len(words)
    for place, run in enumerate(runs):
        if run in known:
            covered[place : place + SIZE] = [True] * SIZE
    if says_more(words, covered):
        return 0.0
    return round(sum(run in known for run in runs) / len(runs), DIGITS)


def _sentence_runs(sentences: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    """Return sentence, run: the distinct shingle hashes of each sentence."""
    hashes = [np.unique(run_hashes(words, min(SIZE, len(words)))) for words in sentences]
    numbers = np.repeat(np.arange(len(hashes)), [len(found) for found in hashes])
    runs = np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64)
    return pl.DataFrame({"sentence": numbers.astype(np.int64), "run": runs.astype(np.uint64)})


def _shared_runs(runs: pl.DataFrame, passages: list[str]) -> pl.DataFrame:
    """Return sentence, passage, run (list) of the pairs that share at least SAME of the sentence's shingles.

    Prefix filtering: if at most k shingles may be missing, every such pair shares one of the k + 1 rarest shingles of
    the sentence. Only these are looked up, so that a common phrase does not pair every sentence with every passage.
    """
    hashes, owners = all_runs(passages)
    # Only hashes that occur in a sentence are kept; passages have far more.
    asked = np.isin(hashes, runs["run"].to_numpy())
    known = pl.DataFrame({"run": hashes[asked], "passage": owners[asked]}).unique()
    counted = runs.join(known.group_by("run").len("spread"), on="run", how="left").fill_null(0)
    size = pl.len().over("sentence")
    place = pl.struct("spread", "run").rank("ordinal").over("sentence")
    rarest = counted.filter(place <= size - (size * SAME).ceil() + 1)
    pairs = rarest.join(known, on="run").select("sentence", "passage").unique()
    shared = pairs.join(runs, on="sentence").join(known, on=["passage", "run"], how="semi")
    grouped = shared.group_by("sentence", "passage").agg("run", pl.len().alias("shared"))
    sizes = runs.group_by("sentence").len("size")
    enough = grouped.join(sizes, on="sentence").filter(pl.col("shared") >= pl.col("size") * SAME)
    return enough.select("sentence", "passage", "run").sort("sentence", "passage")

"""Entity resolution: precision and recall of merged pairs on labelled data; seconds and memory by history size.

    python benchmarks/resolution.py EVAL_DIR            # quality: EVAL_DIR/resolution/{febrl,amazon-google}
    python benchmarks/resolution.py --rows 1000 10000   # speed, each size in its own process

Baselines in the same run: equal names ignoring case, and rapidfuzz with the threshold that is best on the tuned half.
Febrl records and product titles are not mentions in a history, so resolution's name comparison is applied to each pair;
for persons, the other fields of both records stand in for the entities mentioned together with a name.
"""

import argparse
import csv
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

Pair = tuple[str, str]
Scores = list[tuple[float, bool]]
START = datetime(2016, 1, 1, tzinfo=UTC)
SYLLABLES = "ka lo mi ra ne to su vi da pe ro sha ber gan ton ley dor fin hal jun mar nor".split()


def rates(scores: Iterable[tuple[float, bool]], at_least: float, missed: int = 0) -> tuple[float, float, float]:
    """Return precision, recall and F1 of pairs (score, truth); `missed` true pairs were never compared."""
    joined = [truth for score, truth in scores if score >= at_least]
    right = sum(joined)
    true = sum(truth for _, truth in scores) + missed
    precision, recall = right / max(len(joined), 1), right / max(true, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def best_threshold(scores: Scores, missed: int = 0) -> float:
    return max((t / 100 for t in range(50, 101)), key=lambda t: rates(scores, t, missed)[2])


def line(name: str, found: tuple[float, float, float], note: str = "") -> None:
    precision, recall, f1 = found
    print(f"| {name} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {1 - precision:.3f} | {1 - recall:.3f} | {note} |")


def head(title: str) -> None:
    print(f"\n{title}\n\n| | precision | recall | F1 | false merges | missed merges | |\n|---|---|---|---|---|---|---|")


def labelled_history() -> None:
    """Run the whole resolution on the labelled history, tuned and held-out half."""
    import polars as pl

    from brain_pipelines.knowledge.entities.resolve import resolve
    from brain_retrieval.settings.knowledge import KnowledgeSettings, OwnerSettings
    from tests.pipelines.knowledge.entities.labelled_people import HALVES, labelled

    threshold = 0.0
    for half, title in zip(HALVES, ("tuned", "held out"), strict=True):
        items = list(labelled(half))
        truth = {row["entity_id"]: key for row, key in items}
        name = {row["entity_id"]: row["name"] for row, _ in items}
        frame = pl.DataFrame([row for row, _ in items])
        found = resolve(frame, user="u", owner=OwnerSettings(), settings=KnowledgeSettings())
        entity = dict(pl.concat([found.members, found.topic_members]).select("member_id", "entity_id").iter_rows())
        pairs = list(combinations(sorted(truth), 2))

        def scored(score: Callable[[str, str], float], pairs: list[Pair] = pairs, truth: dict = truth) -> Scores:
            return [(score(a, b), truth[a] == truth[b]) for a, b in pairs]

        fuzzy = scored(lambda a, b, name=name: ratio(name[a], name[b]))
        threshold = threshold or best_threshold(fuzzy)
        head(f"Labelled history, {title}: {len(truth)} mentions of {len(set(truth.values()))} entities")
        line("resolution", rates(scored(lambda a, b, e=entity: float(e[a] == e[b])), 1))
        line("equal name", rates(scored(lambda a, b, n=name: float(n[a].casefold() == n[b].casefold())), 1))
        line("rapidfuzz token sort ratio", rates(fuzzy, threshold), f"≥ {threshold:.2f}")


def ratio(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(one.casefold(), other.casefold()) / 100


FIELDS = "street_number address_1 address_2 suburb postcode date_of_birth soc_sec_id".split()


def febrl(directory: Path) -> None:
    """Persons: pairs of records that share a field or part of a name, scored by name and other fields."""
    thresholds: dict[str, float] = {}
    for file, title in (("dataset1.csv", "tuned"), ("dataset2.csv", "held out from tuning")):
        with (directory / file).open(encoding="utf-8", newline="") as stream:
            records = [{k.strip(): v.strip() for k, v in row.items()} for row in csv.DictReader(stream)]
        pairs = blocked(records)
        same = defaultdict(int)
        for record in records:
            same[identity(record)] += 1
        true = sum(n * (n - 1) // 2 for n in same.values())
        truth = [identity(records[a]) == identity(records[b]) for a, b in pairs]
        missed = true - sum(truth)
        head(f"Febrl {file} ({title}): {len(records)} records, {true} true pairs, {len(pairs)} compared, {missed} not")
        judges: dict[str, Callable[[dict, dict], float]] = {
            "names of resolution": lambda a, b: name_score(a, b, company=False),
            "names and company": lambda a, b: name_score(a, b, company=True),
            "equal name": lambda a, b: float(full_name(a) == full_name(b)),
            "rapidfuzz, name": lambda a, b: ratio(full_name(a), full_name(b)),
            "rapidfuzz, whole record": lambda a, b: ratio(" ".join(a.values()), " ".join(b.values())),
        }
        bare = [{k: v for k, v in record.items() if k != "rec_id"} for record in records]
        for name, judge in judges.items():
            scores = [(judge(bare[a], bare[b]), t) for (a, b), t in zip(pairs, truth, strict=True)]
            fixed = 0.85 if name.startswith("names") else 1.0
            if name.startswith("rapidfuzz"):
                fixed = thresholds.setdefault(name, best_threshold(scores, missed))
            line(name, rates(scores, fixed, missed), f"≥ {fixed:.2f}")


def identity(record: dict[str, str]) -> str:
    return record["rec_id"].split("-")[1]


def full_name(record: dict[str, str]) -> str:
    return f"{record['given_name']} {record['surname']}".strip()


def blocked(records: list[dict[str, str]]) -> list[tuple[int, int]]:
    """Return pairs of records that share an identifying field, a family name, or a given name and a suburb."""
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, r in enumerate(records):
        keys = [(f, r[f]) for f in ("soc_sec_id", "date_of_birth", "surname", "address_1")]
        for key in (*keys, ("given, suburb", r["given_name"] and f"{r['given_name']} {r['suburb']}")):
            if key[1]:
                blocks[key].append(i)
    return sorted({pair for block in blocks.values() for pair in combinations(block, 2)})


def name_score(one: dict[str, str], other: dict[str, str], *, company: bool) -> float:
    """Return the score of two names.

    With `company`, names that share no other field are two people, and an equal identifier merges names that do not
    contradict each other, as an e-mail address does in a history.
    """
    from brain_pipelines.knowledge.entities.names import normalise
    from brain_pipelines.knowledge.entities.people import fits, parse_person
    from brain_pipelines.knowledge.entities.similarity import Support, agree, pair_score

    left, right = normalise(full_name(one), "Person"), normalise(full_name(other), "Person")
    shared = sum(one[f] == other[f] != "" for f in FIELDS) if company else 0
    likeness = pair_score(left, right, "Person", Support(rare=False, together=shared >= 2)).score
    if not company:
        return likeness
    people = parse_person(left), parse_person(right)
    part = fits(*people) or fits(people[1], people[0])
    recorded = one["soc_sec_id"] == other["soc_sec_id"] != "" and (
        shared >= 3 or bool(part) or agree(*people) or people[0].family == people[1].family
    )
    return 0.95 if recorded else likeness * (shared >= 1)


def products(directory: Path) -> None:
    """Product titles: behaviour of the name comparison on phrases that are not names."""
    from brain_pipelines.knowledge.entities.names import normalise
    from brain_pipelines.knowledge.entities.similarity import pair_score

    threshold = 0.0
    for file, title in (("train.txt", "tuned"), ("valid.txt", "held out from tuning")):
        rows = [text.rstrip("\n").split("\t") for text in (directory / file).open(encoding="utf-8")]
        pairs = [(product(a), product(b), truth == "1") for a, b, truth in rows]
        head(f"Amazon–Google {file} ({title}): {len(pairs)} pairs, {sum(t for *_, t in pairs)} true")
        ours = [(pair_score(normalise(a, "Entity"), normalise(b, "Entity"), "Entity").score, t) for a, b, t in pairs]
        line("names of resolution", rates(ours, 0.85), "≥ 0.85")
        line("equal name", rates([(float(a == b), t) for a, b, t in pairs], 1))
        fuzzy = [(ratio(a, b), t) for a, b, t in pairs]
        threshold = threshold or best_threshold(fuzzy)
        line("rapidfuzz token sort ratio", rates(fuzzy, threshold), f"≥ {threshold:.2f}")


def product(record: str) -> str:
    return record.split("COL title VAL", 1)[-1].split("COL manufacturer", 1)[0].strip()


def made_up(rows: int):
    """Return ENTITIES rows with names that follow a power law, ten per source, up to 50,000 names."""
    import polars as pl

    from brain_pipelines.stages.extraction.local.names.gazetteers import given_names

    rng = random.Random(7)
    unique = max(50, min(50_000, rows // 10))
    given = sorted(given_names())
    family = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize() for _ in range(4000)]
    kinds: list[Callable[[], tuple[str, str]]] = [
        lambda: (f"{rng.choice(given)} {rng.choice(family)}", "Person"),
        lambda: (f"{rng.choice(given)} {rng.choice(family)}", "Person"),
        lambda: (rng.choice(given), "Person"),
        lambda: (f"{rng.choice(family)} {rng.choice(['Labs', 'Group', 'Inc', 'Systems'])}", "Organization"),
        lambda: (f"{rng.choice(family)} {rng.choice(family)} {rng.choice(['review', 'plan'])}", "Concept"),
    ]
    names = [kinds[i % len(kinds)]() for i in range(unique)]
    drawn = rng.choices(names, [1 / (i + 3) for i in range(unique)], k=rows)
    at = [START + timedelta(hours=i // 10) for i in range(rows)]
    return pl.DataFrame(
        {
            "entity_id": [f"member_{i}" for i in range(rows)],
            "source_id": [f"src_{i // 10}" for i in range(rows)],
            "event_at": at,
            "received_at": at,
            "name": [name for name, _ in drawn],
            "type": [kind for _, kind in drawn],
            "aliases": [[n.split()[0]] if k == "Person" and " " in n and rng.random() < 0.3 else [] for n, k in drawn],
        }
    ).with_columns(source=pl.lit("note"), mention_count=pl.lit(1), confidence=pl.lit(0.8))


def speed(rows: int) -> None:
    from brain_pipelines.knowledge.entities.resolve import resolve
    from brain_retrieval.settings.knowledge import KnowledgeSettings, OwnerSettings

    frame = made_up(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    frame.group_by("name", "type").len()
    floor = time.perf_counter() - began
    began = time.perf_counter()
    found = resolve(frame, user="u", owner=OwnerSettings(), settings=KnowledgeSettings())
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    names = frame["name"].n_unique()
    known = found.known_entities.height
    print(f"| {rows} | {names} | {known} | {took:.2f} | {floor:.3f} | {before:.0f} | {peak:.0f} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("eval_dir", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, nargs="*", default=[])
    given = parser.parse_args(arguments)
    if given.eval_dir:
        labelled_history()
        febrl(given.eval_dir / "resolution" / "febrl")
        products(given.eval_dir / "resolution" / "amazon-google")
    if len(given.rows) == 1:
        speed(given.rows[0])
    elif given.rows:
        print("| rows | names | entities | seconds | group by name, s | MB before | MB peak |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for rows in given.rows:
            subprocess.run([sys.executable, __file__, "--rows", str(rows)], check=True)


if __name__ == "__main__":
    main()

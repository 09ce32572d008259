"""The corrective loop on an invented web: verdicts, what a claim costs, and whether it is answered from memory again.

    python -m benchmarks.evidence_online [--home FOLDER] [--limit N] [--wrong] [--apart]

The web (`evidence_web.txt`) has pages that are true, false, outdated, hedged, negated, copied and spammed. All claims
are asked of one home, so that later ones find pages of earlier ones in memory; with --apart each has a home of its own.
Every claim is asked again at once, which must give the same digest without a request, and all once more at the end.
"""

import argparse
import shutil
import statistics
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.evidence_web import read_web, serving, settings_text
from brain_pipelines.ingest.evidence.online import check_online
from brain_pipelines.ingest.message import take_message
from brain_retrieval.home import Home

USER = "reader"
FOLDED = {"partly supported": "supported", "disputed": "unknown"}


def prepared(folder, toml):
    """Return a home with these settings and one message in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "brain.toml").write_text(toml)
    take_message(Home(folder), USER, "I planted tulips behind the shed today.", report=False)
    return Home(folder)


def measure(folder, limit, wrong, apart):
    """Print verdicts and costs."""
    pages, claims, trusted = read_web()
    claims = claims[:limit] if limit else claims
    pairs, costs, stops, kinds, repeated = Counter(), [], Counter(), Counter(), []
    with serving(pages) as (port, requested):
        toml = settings_text(port, trusted)
        home = prepared(folder / "home", toml)
        for number, (wanted, claim) in enumerate(claims):
            if apart and number:
                home = prepared(folder / "home", toml)
            began, before = time.process_time(), len(requested)
            report = check_online(home, USER, claim)
            seconds, online = time.process_time() - began, report.online
            found = FOLDED.get(report.evidence.verdict, report.evidence.verdict)
            pairs[wanted, found] += 1
            stops[online.stop.partition(":")[0].partition(" (")[0]] += 1
            costs.append((len(online.rounds), online.queries, online.counts()["attempted"], seconds, online.bytes))
            kinds.update(_kind_of(pages, address) for address in online.refreshed)
            kinds["requests beside pages and searches"] += len(requested) - before - online.queries - costs[-1][2]
            before = len(requested)
            again = check_online(home, USER, claim)
            repeated.append((again.evidence.digest == report.evidence.digest, len(requested) == before))
            if wrong and found != wanted:
                _show(wanted, claim, report)
        if not apart:
            before, last = len(requested), [check_online(home, USER, claim) for _, claim in claims]
            from_memory = sum(one.online.source == "memory" for one in last) / len(last)
            print(f"all once more: {from_memory:.3f} from memory, {len(requested) - before} requests")
    _print(pairs, costs, stops, kinds, repeated, len(pages))


def _kind_of(pages, address):
    host, _, path = address.removeprefix("http://").partition("/")
    return next((one.kind for one in pages if (one.host, one.path) == (host.partition(":")[0], f"/{path}")), "?")


def _show(wanted, claim, report):
    print(f"{wanted} -> {report.evidence.verdict}: {claim} [{report.online.stop}]")
    for finding in report.evidence.findings:
        for item in finding.items[:4]:
            shown = f"{item.label} {item.stance.strength:.2f} {item.stance.reason}"
            print(f"    {shown}: {item.statement.text[:120]} ({item.statement.url})")


def _print(pairs, costs, stops, kinds, repeated, pages):
    total = pairs.total()
    right = sum(count for (wanted, found), count in pairs.items() if wanted == found)
    false = sum(count for (wanted, found), count in pairs.items() if found == "contradicted" != wanted)
    print(f"{pages} pages, {total} claims: accuracy {right / total:.3f}, false contradict {false / total:.3f}")
    for pair, count in sorted(pairs.items()):
        print(f"    {pair[0]} -> {pair[1]}: {count}")
    names = ("rounds", "queries", "addresses", "CPU seconds", "bytes")
    for name, values in zip(names, zip(*costs, strict=True), strict=True):
        print(f"{name}: mean {statistics.mean(values):.2f}, median {statistics.median(values):.2f}, most {max(values)}")
    same, none = (sum(values) / len(repeated) for values in zip(*repeated, strict=True))
    print(f"asked again at once: {same:.3f} the same digest, {none:.3f} without a request")
    print(f"stopped: {dict(stops.most_common())}")
    print(f"pages kept: {dict(kinds.most_common())}")


def main():
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--wrong", action="store_true", help="show claims with a wrong verdict")
    parser.add_argument("--apart", action="store_true", help="a home of its own for each claim")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="brain-online-") as folder:
        measure(given.home or Path(folder), given.limit, given.wrong, given.apart)


if __name__ == "__main__":
    main()

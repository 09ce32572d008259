"""Receipts of what was forgotten: JSON files without a text, a name or a uri.

<home>/users/<user>/receipts/<id>.json    of a source, a day or a person's mentions; they go with the user
<home>/receipts/<id>.json                 of a whole user, who is named by a hash only
"""

import json
from pathlib import Path
from typing import Any

from brain_pipelines.knowledge.forgetting.check import Findings
from brain_pipelines.knowledge.forgetting.plan import Plan
from brain_pipelines.landing.tombstones import of_item
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.stores.durable import write_bytes

FOLDER = "receipts"
WAITING = "waiting"  # place -> what removes it there, and when
WORKERS = {
    "object storage of the workers": "removed with the commit of this run",
    "disks of the workers": "replaced when a worker next runs the user; `brain worker leave` there removes it now",
}
KEPT = ["costs: counts of tokens and money, without texts"]


def make_receipt(
    plan: Plan,
    after: dict[str, dict[str, int]],
    findings: Findings,
    failed: list[str],
    done_at: str,
    removed_backups: int,
    *,
    workers: bool = False,
) -> dict[str, Any]:
    """Return the receipt of a plan.

    Args:
        after: the counts of the stores, as `plan.counts` before.
        failed: stages that have to run again; what was forgotten is gone nevertheless.
        removed_backups: at the destination.
        workers: workers compute the user, and have copies of their own.
    """
    stores = {
        space: {store: {"before": count, "after": after.get(space, {}).get(store, 0)} for store, count in found.items()}
        for space, found in plan.counts.items()
    }
    return {
        "receipt_id": receipt_id(plan),
        "user": user_hash(plan.user),
        "kind": plan.kind,
        "command": plan.command,
        "asked_at": plan.asked_at,
        "done_at": done_at,
        "items": [of_item(target.source_id, target.digest)[0] for target in plan.targets],
        "stores": stores,
        "kept": KEPT if plan.kind != "user" else [],
        "check": {
            "words": len(plan.needles.words),
            "phrases": len(plan.needles.phrases),
            "ids": len(plan.needles.ids),
            "files": findings.files,
            "bytes": findings.bytes,
            "remaining": dict(sorted(findings.remaining.items())),
        },
        "removed_backups": removed_backups,
        **({WAITING: dict(WORKERS)} if workers else {}),
        "to_run_again": failed,
        "complete": not findings.remaining,
    }


def receipt_id(plan: Plan) -> str:
    """Return the id of the receipt of a plan: the same when it is resumed."""
    return content_id("receipt", plan.user, plan.kind, plan.asked_at, *sorted(plan.ids))


def user_hash(user: str) -> str:
    """Return what stands for a user in a receipt."""
    return content_id("user", user)


def store_receipt(home: Home, plan: Plan, receipt: dict[str, Any]) -> Path:
    """Write a receipt to where the module says; return its path."""
    root = home.path if plan.kind == "user" else home.space(plan.user).root
    path = root / FOLDER / f"{receipt['receipt_id']}.json"
    write_bytes(path, json.dumps(receipt, indent=2, sort_keys=True).encode())
    return path


def receipts(home: Home, user: str) -> list[dict[str, Any]]:
    """Return the receipts of a user, oldest first; of a forgotten user the one that is left."""
    own = [home.space(user).root / FOLDER, home.path / FOLDER]
    found = [json.loads(path.read_text("utf-8")) for folder in own for path in sorted(folder.glob("receipt_*.json"))]
    mine = [one for one in found if one["user"] == user_hash(user)]
    return sorted(mine, key=lambda one: (one["asked_at"], one["receipt_id"]))

"""Store maintenance: compaction, garbage collection, index optimisation. Rows and digests do not change."""

from collections import Counter

import dagster as dg

from brain_pipelines.engine.examination import STORES
from brain_pipelines.landing.cleanup import remove_leftovers
from brain_pipelines.landing.upkeep import keep_up
from brain_pipelines.orchestration.asset_catalogue import NIGHTLY_FRESHNESS, docs_of
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.budget import measure_budget
from brain_pipelines.orchestration.days.open_days import record_open_days
from brain_pipelines.orchestration.doctor import check_up_or_reason
from brain_pipelines.orchestration.partitions import unregister_left_out
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home
from brain_retrieval.stores.maintenance import maintain

GROUP = "maintenance"
BUDGET = "partition_budget"


def build_maintenance(names: Names) -> list[dg.AssetsDefinition]:
    """Return the assets `maintenance/stores` and `maintenance/health`."""
    stores, health = names.asset(GROUP, "stores"), names.asset(GROUP, "health")

    @dg.asset(
        key=stores,
        group_name=GROUP,
        description=__doc__,
        kinds={"lancedb", "parquet"},
        metadata=docs_of(GROUP),
        freshness_policy=NIGHTLY_FRESHNESS,
        check_specs=[
            dg.AssetCheckSpec(
                BUDGET, asset=stores, description="Users × partitions lie far enough below the partition budget."
            )
        ],
    )
    def maintenance_stores(context: dg.AssetExecutionContext, brain: BrainResource) -> dg.MaterializeResult:
        return _maintain_all(context, brain)

    @dg.asset(
        key=health,
        deps=[stores],
        group_name=GROUP,
        description="Bytes, lake, index and snapshots of every user checked against each other; damage computed again.",
        check_specs=[
            dg.AssetCheckSpec(
                f"{store}_sound", asset=health, description=f"Nothing in {store} is damaged beyond repair."
            )
            for store in STORES
        ],
    )
    def maintenance_health(context: dg.AssetExecutionContext, brain: BrainResource) -> dg.MaterializeResult:
        return _check_up_all(context, brain)

    return [maintenance_stores, maintenance_health]


def _maintain_all(context: dg.AssetExecutionContext, brain: BrainResource) -> dg.MaterializeResult:
    """Maintain every user's stores; an error for one user does not affect the others."""
    totals: dict[str, float] = {}
    failed = 0
    home = Home(brain.path)
    users = home.users()
    for user in users:
        try:
            done = maintain(home.space(user), language=brain.settings.language_of(user))
            done |= {"removed_leftovers": remove_leftovers(home.space(user))}
            done |= keep_up(home.space(user), brain.settings)
        except Exception as error:
            failed += 1
            context.log.error(f"one user's stores were not maintained: {type(error).__name__}")
            continue
        for key, value in done.items():
            if isinstance(value, (int, float)):
                totals[key] = totals.get(key, 0) + value
    if users and failed == len(users):
        raise dg.Failure(f"no stores could be maintained ({failed} users)")
    removed = unregister_left_out(context.instance, home, brain.settings)
    counts = {"users": len(users), "failed": failed, "users_unregistered": removed}
    record_open_days(context.instance, home, brain.settings, users)
    return dg.MaterializeResult(metadata={**counts, **totals}, check_results=[_budget(home, brain)])


def _budget(home: Home, brain: BrainResource) -> dg.AssetCheckResult:
    """Return whether the partitions of an asset are far enough below the budget; it warns and stops nothing."""
    budget = measure_budget(home, brain.settings)
    return dg.AssetCheckResult(
        check_name=BUDGET,
        passed=not budget.warning,
        severity=dg.AssetCheckSeverity.WARN,
        description=budget.warning or budget.product,
        metadata={"users": budget.users, "partitions_per_asset": budget.partitions, "budget": budget.budget},
    )


def _check_up_all(context: dg.AssetExecutionContext, brain: BrainResource) -> dg.MaterializeResult:
    """Check up every user; counts only, because the event log is never purged."""
    healed: Counter[str] = Counter()
    remaining: Counter[str] = Counter()
    home = Home(brain.path)
    for user in home.users():
        health = check_up_or_reason(home.space(user), brain.settings)
        healed.update(one.store for one in health.healed)
        remaining.update(one.store for one in health.remaining)
    if remaining:
        context.log.warning(f"{remaining.total()} damages remain; `brain status` names them")
    checks = [
        dg.AssetCheckResult(
            check_name=f"{store}_sound",
            passed=not remaining[store],
            severity=dg.AssetCheckSeverity.ERROR,
            metadata={"healed": healed[store], "remaining": remaining[store]},
        )
        for store in STORES
    ]
    counts = {"users": len(home.users()), "healed": healed.total(), "remaining": remaining.total()}
    return dg.MaterializeResult(metadata=counts, check_results=checks)

"""Store maintenance: compaction, garbage collection, index optimisation. Rows and digests do not change."""

import dagster as dg

from brain_pipelines.landing.cleanup import remove_leftovers
from brain_pipelines.orchestration.partitions import unregister_left_out
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home
from brain_retrieval.stores.maintenance import maintain


@dg.asset(key=["maintenance", "stores"], group_name="maintenance", description=__doc__, kinds={"lancedb", "parquet"})
def maintenance_stores(context: dg.AssetExecutionContext, brain: BrainResource) -> dg.MaterializeResult:
    """Maintain every user's stores; an error for one user does not affect the others."""
    totals: dict[str, float] = {}
    failed = 0
    home = Home(brain.path)
    users = home.users()
    for user in users:
        try:
            done = maintain(home.space(user), language=brain.settings.language_of(user))
            done |= {"removed_leftovers": remove_leftovers(home.space(user))}
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
    return dg.MaterializeResult(metadata={**counts, **totals})


MAINTENANCE = maintenance_stores

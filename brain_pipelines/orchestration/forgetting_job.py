"""The Dagster job `forget`: a source, a day or a user named in the run config; and the removal of a user's runs.

Names given in a run config stay in Dagster's records, so a source is given by its id, and a person's mentions can only
be forgotten on the command line.
"""

from pathlib import Path

import dagster as dg

from brain_pipelines.knowledge.forgetting.forget import forget, preview, resume
from brain_pipelines.knowledge.forgetting.plan import Scope
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.storage.done_status import write_standing
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home

JOB = "forget"
SOURCE_ID = "source_"


class ForgetConfig(dg.Config):
    """What to forget: of `user` the source `source_id`, else the day `day` (of `source_type`), else all (`whole_user`).

    Without `confirmed` the run only counts.
    """

    user: str
    source_id: str = ""
    day: str = ""
    source_type: str = ""
    whole_user: bool = False
    confirmed: bool = False


def scope_of(config: ForgetConfig) -> Scope:
    """Return the scope that a run config names.

    Raises:
        dg.Failure: unless it names exactly one.
    """
    named = [bool(config.source_id), bool(config.day), config.whole_user]
    if sum(named) != 1:
        raise dg.Failure("name one of source_id, day and whole_user", allow_retries=False)
    if config.source_id and not config.source_id.startswith(SOURCE_ID):
        raise dg.Failure(f"source_id begins with {SOURCE_ID!r}; a uri would stay in the records", allow_retries=False)
    if config.source_id:
        return Scope("source", config.source_id)
    return Scope("day", config.day, config.source_type or None) if config.day else Scope("user")


@dg.op(name="forget_named", description="Removes a source, a day or a user from every store; metadata: the receipt.")
def forget_op(context: dg.OpExecutionContext, config: ForgetConfig, brain: BrainResource) -> None:
    """Forget what the run config names; the metadata holds the counts of the receipt, never a text."""
    home, scope, elsewhere = Home(brain.path), scope_of(config), [Path(context.instance.root_directory)]
    try:
        resume(home, config.user, elsewhere=elsewhere)
        plan = preview(home, config.user, scope, command="dagster")
        if not config.confirmed:
            context.add_output_metadata(_counts(plan.counts["own"]))
            context.log.info(f"{len(plan.targets)} items would be forgotten; set confirmed to do it")
            return
        if config.whole_user:
            forget_runs(context.instance, config.user, Names.of(brain.settings), keep=context.run_id)
        receipt = forget(home, plan, elsewhere=elsewhere)
    except BrainError as error:
        raise dg.Failure(type(error).__name__, allow_retries=False) from None  # its message may name a source
    check = receipt["check"]
    found = {"receipt": receipt["receipt_id"], "items": len(receipt["items"]), "files_searched": check["files"]}
    context.add_output_metadata({**_counts(plan.counts["own"]), **found, "places_remaining": len(check["remaining"])})
    if not receipt["complete"]:
        raise dg.Failure("something was still found; the receipt says where", allow_retries=False)


def _counts(counts: dict[str, int]) -> dict[str, int]:
    return {store.replace(" ", "_"): count for store, count in counts.items()}


@dg.job(name=JOB, description="Forgets a source, a day or a user: `brain forget` as a run. docs/privacy.md")
def forget_job() -> None:
    """Run the one op of the job."""
    forget_op()


def forget_runs(instance: dg.DagsterInstance, user: str, names: Names, *, keep: str = "") -> int:
    """Remove a user's runs with their events, and the user's partition, from Dagster; return how many runs went.

    They hold the user's id, days and counts. Dagster keeps the last materialisation of each asset until the next one,
    and those reported without a run.

    Args:
        keep: id of a run that is in progress.
    """
    gone = {
        run.run_id
        for tag in ("brain/user", "dagster/partition/user")
        for run in instance.get_runs(dg.RunsFilter(tags={tag: user}))
        if run.run_id != keep
    }
    for run_id in sorted(gone):
        instance.delete_run(run_id)
    if instance.has_dynamic_partition(names.users, user):
        instance.delete_dynamic_partition(names.users, user)
    write_standing(instance, user, None)
    return len(gone)

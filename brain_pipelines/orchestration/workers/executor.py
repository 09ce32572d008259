"""The executor of a home with workers: the run holds its users' locks, and succeeds once its work is committed.

Dagster writes the end of a run after the executor has returned. So a run is never shown as successful before what it
did is the newest copy of the user, and one whose commit is refused fails.
"""

from collections.abc import Iterator

import dagster as dg
from dagster._core.events import DagsterEvent, EngineEventData
from dagster._core.execution.context.system import PlanOrchestrationContext
from dagster._core.execution.plan.plan import ExecutionPlan
from dagster._core.execution.retries import RetryMode
from dagster._core.executor.base import Executor
from dagster._core.executor.in_process import InProcessExecutor
from dagster._core.executor.init import InitExecutorContext

from brain_pipelines.orchestration.run_queue import names_of, users_of
from brain_pipelines.orchestration.workers.fence import Fence, address_of
from brain_pipelines.orchestration.workers.session import Session, session
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home
from brain_retrieval.settings import load_settings

WITHOUT_USERS = frozenset({"crawl", "agent_batch"})  # jobs that write to inboxes only
UPKEEP = "maintenance"  # the nightly job over all users


class ParentNotCommittedError(BrainError):
    """A run was to go on after steps of another one whose work was never committed."""


class CommittingExecutor(InProcessExecutor):
    """Runs the steps in this process between fetching and committing the users of the run."""

    def execute(self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan) -> Iterator[DagsterEvent]:
        """Yield the events of the steps.

        Raises:
            LostLockError: the lock was lost; Dagster records the run as failed.
            ParentNotCommittedError: the run continues one that has committed nothing.
        """
        run, instance = plan_context.dagster_run, plan_context.instance
        home = Home(default_home())
        settings = load_settings(home.path)
        users = users_of(run.tags, instance.get_dynamic_partitions(names_of(run).users))
        if not users and run.job_name in WITHOUT_USERS:
            yield from super().execute(plan_context, execution_plan)
            return
        with Fence(address_of(instance)) as fence:
            _check_parent(fence, run)
            address, names, sweeping = address_of(instance), users or home.users(), run.job_name == UPKEEP
            with session(home, settings, address, names, run_id=run.run_id, fence=fence, sweeping=sweeping) as done:
                yield _event(plan_context, "fetched", done)
                yield from super().execute(plan_context, execution_plan)
            yield _event(plan_context, "committed", done)


def _check_parent(fence: Fence, run: dg.DagsterRun) -> None:
    """Refuse to go on after the successful steps of a run that has published nothing of what they did."""
    parent = run.parent_run_id
    if parent and run.step_keys_to_execute and not fence.committed(parent):
        raise ParentNotCommittedError(
            f"run {parent[:8]} has committed nothing, so its successful steps have to run too: re-execute all of them"
        )


def _event(context: PlanOrchestrationContext, what: str, done: Session) -> DagsterEvent:
    moved = done.fetched if what == "fetched" else done.published
    files, size = (sum(getattr(one, name) for one in moved.values()) for name in ("files", "bytes"))
    seconds = sum(one.seconds for one in moved.values())
    said = f"{what} {files} files, {size / 1e6:.1f} MB in {seconds:.2f} s"
    return DagsterEvent.engine_event(context, f"{said}; users: {len(done.users)}", EngineEventData())


@dg.executor(name="committing", config_schema=dg.Permissive())
def committing_executor(_context: InitExecutorContext) -> Executor:
    """Return the executor of a home with workers."""
    return CommittingExecutor(retries=RetryMode.ENABLED)

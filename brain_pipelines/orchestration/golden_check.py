"""The asset check `golden_questions`: a user's own questions, asked after each nightly run.

It never blocks: the snapshot is published whatever it finds. Its metadata has numbers, ranks and places in the file,
no question and no text of a source, because the event log cannot be purged by user.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg

from brain_pipelines.orchestration.days.snapshot_days import snapshot_days
from brain_pipelines.orchestration.golden_plot import chart_markdown
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.readers.contract import public
from brain_retrieval.brain import Brain
from brain_retrieval.serve.evaluation.evaluate import Answer, Evaluation, evaluate
from brain_retrieval.serve.evaluation.golden_file import GoldenFileError, find_golden, read_golden
from brain_retrieval.serve.evaluation.history import Measures, remember

NAME = "golden_questions"
MIN_RECALL = 1.0  # of a file that does not say: what a user expects is expected to be found
SHOWN_ROWS = 500


@dataclass(frozen=True)
class Checked:
    """The result for one user: an evaluation, or the reason why there is none."""

    user: str
    done: Evaluation | None = None
    least: float = MIN_RECALL
    error: str = ""
    days: dict[str, Measures] | None = None

    @property
    def passed(self) -> bool:
        return not self.error and (self.done is None or self.done.recall >= self.least)

    @property
    def verdict(self) -> str:
        """What is wrong, in one line without text of the user."""
        return self.error or (
            f"recall {self.done.recall:.3f}, at least {self.least:g} is expected" if self.done else ""
        )


def build_golden_check(asset: dg.AssetKey, partitions: dg.PartitionsDefinition) -> dg.AssetChecksDefinition:
    """Return the check of the asset after which the golden questions are asked."""

    @dg.asset_check(
        asset=asset,
        name=NAME,
        blocking=False,
        partitions_def=partitions,
        description="Golden questions of the user (golden.yaml or .toml in the user's folder): recall, MRR, latency.",
    )
    def golden_questions(context: dg.AssetCheckExecutionContext, brain: BrainResource) -> dg.AssetCheckResult:
        items = snapshot_days(context.partition_keys, brain.settings, context.run.tags)
        checked = [check_user(brain, user, max(days)) for user, days in items.items()]
        for one in checked:
            if not one.passed:
                context.log.error(f"golden questions of {one.user}: {one.verdict}; `brain eval --user {one.user}`")
        return result_of(checked)

    return golden_questions


def check_user(brain: BrainResource, user: str, day: str) -> Checked:
    """Ask the questions of a user and store the measures of the day; whatever fails is a failed check."""
    space = brain.space(user)
    if (path := find_golden(space)) is None:
        return Checked(user)
    try:
        golden = read_golden(path)
        with Brain.open(brain.path, user=user, settings=brain.settings) as opened:
            done = evaluate(opened, golden)
        least = MIN_RECALL if golden.min_recall is None else golden.min_recall
        row = {**done.measures, "least_recall": least}
        return Checked(user, done, least, days=dict(remember(space, day, row)))
    except GoldenFileError as error:
        return Checked(user, error=str(error))  # it repeats no value of the file
    except Exception as error:
        return Checked(user, error=public(error))


def result_of(checked: Sequence[Checked]) -> dg.AssetCheckResult:
    """Return one result for the users of a run."""
    asked = [one for one in checked if one.done is not None]
    metadata: dict[str, dg.MetadataValue] = {"users_with_questions": dg.MetadataValue.int(len(asked))}
    for one in checked:
        suffix = f" ({one.user})" if len(checked) > 1 else ""
        if one.error:
            metadata[f"error{suffix}"] = dg.MetadataValue.text(one.error)
        if one.done is not None:
            metadata |= _measures(one.done, suffix)
            metadata[f"least_recall{suffix}"] = dg.MetadataValue.float(one.least)
            metadata[f"questions{suffix}"] = dg.MetadataValue.table(
                [_record(answer) for answer in one.done.answers[:SHOWN_ROWS]]
            )
            metadata[f"by_day{suffix}"] = dg.MetadataValue.md(chart_markdown(one.days or {}))
    passed = all(one.passed for one in checked)
    return dg.AssetCheckResult(passed=passed, severity=dg.AssetCheckSeverity.ERROR, metadata=metadata)


def _measures(done: Evaluation, suffix: str) -> dict[str, dg.MetadataValue]:
    return {
        f"{name}{suffix}": dg.MetadataValue.float(round(value, 6))
        for name, value in done.measures.items()
        if value is not None
    }


def _record(answer: Answer) -> dg.TableRecord:
    return dg.TableRecord(
        {
            "question": answer.number,
            "line": answer.line,
            "rank": answer.rank or 0,
            "found": f"{answer.found}/{len(answer.ranks)}",
            "as_of": {None: "", True: "right", False: "wrong"}[answer.timely],
            "ms": round(answer.milliseconds, 1),
            "warnings": len(answer.warnings),
        }
    )

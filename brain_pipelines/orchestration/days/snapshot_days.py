"""Which days a run of the consolidation job makes a snapshot of."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partitions import DAYS_TAG, work_items
from brain_retrieval.settings import Settings


def yesterday(settings: Settings, now: datetime) -> str:
    """Return the last complete knowledge day (ISO) in the time zone of the settings."""
    return (now.astimezone(settings.zone).date() - timedelta(days=1)).isoformat()


def snapshot_days(keys: Sequence[str], settings: Settings, tags: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the days of each user to make a snapshot of; of a month, without a day in the tags, the last complete."""
    calendar = Calendar.of(settings)
    last = yesterday(settings, datetime.now(UTC))
    chosen = {}
    for user, work in work_items(keys, calendar, tags).items():
        days = sorted(work.days)
        if calendar.unit == "month" and DAYS_TAG not in tags:
            until = {span: max(last, f"{span}-01") for span in work.spans}
            days = sorted({max(d for d in days if d[:7] == span and d <= end) for span, end in until.items()})
        chosen[user] = days
    return chosen

"""When a thread of sources is a storyline: thresholds on number, weight and days, and on what the sources tell."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from brain_pipelines.knowledge.memory.threads import DAY_US, Mention
from brain_retrieval.settings.knowledge import MemorySettings

UNRECALLED = 2  # factor on the number of sources for an anchor that was never recalled
# Minimum share of sources about a never recalled anchor: a firm may be named in many texts, the subject of none.
SUBJECT_SHARE = 0.25
# Without them fewer sources are enough if this share of them, and of the threshold, tell of the anchor.
TELLING_SHARE, TELLING_OF_WANTED = 0.5, 0.75
WEIGHT_SHARE = 0.5  # minimum sum of source weights, as a share of the source threshold
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def promotion(
    mentions: Sequence[Mention],
    now: datetime,
    settings: MemorySettings,
    about: Mapping[str, bool] | None = None,
    telling: Container[str] = (),
) -> int | None:
    """Return the event time (µs) of the mention with which a thread reached the thresholds, None if it did not.

    Required are `storyline_sources` sources with WEIGHT_SHARE of that as weight on `storyline_days` days, and a start
    more than `storyline_age_days` before `now`. With `about` (the anchor was never recalled) UNRECALLED times as many
    sources are needed, and SUBJECT_SHARE of them must be about the anchor; days and weight are the same. As many as for
    a recalled anchor are enough if TELLING_SHARE of the sources, and TELLING_OF_WANTED of the threshold, tell of it;
    or if those that tell of it meet the threshold and are SUBJECT_SHARE of all.

    Args:
        mentions: of the thread, in order of event time.
        now: the snapshot's end.
        settings: thresholds.
        about: by source_id, whether it is about the anchor; sources of which this is unknown are missing.
        telling: source_ids with a memory worth keeping that names the anchor.
    """
    if micros(now) - mentions[0].at <= settings.storyline_age_days * DAY_US:
        return None
    every, tellers = _Count(), _Count()
    wanted = settings.storyline_sources * (1 if about is None else UNRECALLED)
    judged, found = 0, 0
    for mention in mentions:
        every.add(mention)
        if mention.source_id in telling:
            tellers.add(mention)
        if about is not None and mention.source_id in about:
            judged += 1
            found += about[mention.source_id]
        if every.reached(wanted, settings) and found >= SUBJECT_SHARE * judged:
            return mention.at
        most = tellers.sources >= max(TELLING_SHARE * every.sources, TELLING_OF_WANTED * settings.storyline_sources)
        if most and every.reached(settings.storyline_sources, settings):
            return mention.at
        some = tellers.sources >= SUBJECT_SHARE * every.sources
        if some and tellers.reached(settings.storyline_sources, settings):
            return mention.at
    return None


@dataclass(slots=True)
class _Count:
    """Number, weight and days of some of the sources of a thread."""

    sources: int = 0
    weight: float = 0.0  # exact: weights are multiples of a quarter
    days: set[int] = field(default_factory=set)

    def add(self, mention: Mention) -> None:
        self.sources += 1
        self.weight += mention.weight
        self.days.add(mention.day)

    def reached(self, wanted: int, settings: MemorySettings) -> bool:
        heavy = self.weight >= settings.storyline_sources * WEIGHT_SHARE
        return heavy and self.sources >= wanted and len(self.days) >= settings.storyline_days


def micros(at: datetime) -> int:
    """Return microseconds since 1970 in exact integer arithmetic."""
    return (at - EPOCH) // timedelta(microseconds=1)

"""Forgetting in the stores of a team's members: their extractions, requests and snapshots of the team's sources."""

from collections import defaultdict
from dataclasses import replace

from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.knowledge.forgetting.derived import Days
from brain_pipelines.knowledge.team_extraction import EXTRACTIONS, TeamTexts, wanted_days
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.requests import Requests
from brain_retrieval.teams import shared_name


def readers(home: Home, team: str, ids: set[str]) -> dict[str, dict[str, list[str]]]:
    """Return the users who requested any of the team's items, with the partitions of their own that hold them."""
    found: dict[str, dict[str, list[str]]] = {}
    for user in home.users():
        with Requests(home.space(user)) as requests:
            asked = [one for one in requests.all(team) if one.source_id in ids]
        days: dict[str, set[str]] = defaultdict(set)
        for one in asked:
            days[shared_name(team, one.source)].add(one.day)
        if days:
            found[user] = {name: sorted(members) for name, members in sorted(days.items())}
    return found


def requests_of(space: Space, team: str, ids: set[str]) -> int:
    """Return how many of a team's items a reader has requested."""
    with Requests(space) as requests:
        return len({one.source_id for one in requests.all(team)} & ids)


def drop_requests(space: Space, team: str, ids: set[str]) -> int:
    """Remove a reader's requests of items; return how many."""
    with Requests(space) as requests:
        held = {one.source_id for one in requests.all(team)} & ids
        if held:
            with requests.transaction() as connection:
                connection.executemany("DELETE FROM request WHERE source_id = ?", [(one,) for one in sorted(held)])
    return len(held)


def extract_again(home: Home, user: str, team: str, days: Days, settings: Settings, run_id: str) -> list[str]:
    """Run a reader's extraction of the items that are left on these days; return what failed."""
    space, failed = home.space(user), []
    wanted = [day for day in wanted_days(space, settings) if day.team == team]
    for source, found in SOURCES_BY_NAME.items():
        name = shared_name(team, source)
        if name not in days or found.name != source:
            continue
        left = {day.day: day.source_ids for day in wanted if day.source == source and day.day in days[name]}
        texts = TeamTexts(home, team, source, left)
        try:
            named = replace(found, name=name)
            materialize(EXTRACTIONS, named, space, days[name], settings=settings, run_id=run_id, upstream=texts)
        except StageFailedError:
            failed.append(f"{name}/{EXTRACTIONS.name}")
        finally:
            texts.catalog.close()
    return failed

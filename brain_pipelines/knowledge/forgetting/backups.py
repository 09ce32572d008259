"""Forgetting in the backups at a destination: one that holds nothing of it is made, and all earlier ones are removed.

If the destination cannot be reached, the receipt says so and is not complete; the next backup removes them.
"""

import json
import sqlite3

from brain_pipelines.knowledge.forgetting.check import Findings
from brain_pipelines.knowledge.forgetting.receipts import FOLDER
from brain_pipelines.landing.offsite.backing_up import back_up_after_forgetting
from brain_pipelines.landing.offsite.cleaning import prune, remove_user
from brain_pipelines.landing.offsite.objects import open_objects
from brain_pipelines.landing.offsite.state import ask_to_replace, read_state
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

PLACE = "backups at the destination, until the next backup"
PLACE_OF_USER = "backups at the destination, until the next `brain backup --all`"


def replace_backups(space: Space, settings: Settings, findings: Findings) -> int:
    """Replace the backups of a user by one of what is left; return how many went.

    What could not be replaced is added to the findings. Not under the writer lock, which backups take themselves.
    """
    ask_to_replace(space)  # first: if this fails or is killed, the next backup does it
    if not read_state(space).replace:
        return 0
    try:
        objects = open_objects(settings.backup, read_state(space).destination)
        back_up_after_forgetting(space, settings, objects)
        return prune(objects, space, settings.backup).backups
    except (BrainError, OSError, sqlite3.DatabaseError):
        findings.add(PLACE, read_state(space).number)
        return 0


def remove_backups(space: Space, settings: Settings, findings: Findings) -> int:
    """Remove all backups of a user; return how many went. If that fails, it is added to the findings."""
    state = read_state(space)
    if not state.number:
        return 0
    try:
        return remove_user(open_objects(settings.backup, state.destination), space.user).backups
    except (BrainError, OSError):
        findings.add(PLACE_OF_USER, state.number)
        return 0


def forgotten_users(home: Home) -> dict[str, str]:
    """Return which users were forgotten as a whole in this home: their hash -> when, ISO 8601 UTC."""
    found = dict[str, str]()
    for path in sorted((home.path / FOLDER).glob("receipt_*.json")):
        receipt = json.loads(path.read_text("utf-8"))
        if receipt["kind"] == "user":
            found[receipt["user"]] = max(receipt["done_at"], found.get(receipt["user"], ""))
    return found

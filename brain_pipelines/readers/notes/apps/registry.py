"""Registry of the apps whose notes are read from JSON, in the order in which a file is compared with them."""

from brain_pipelines.readers.notes.apps import (
    asana,
    day_one,
    facebook,
    hypothesis,
    journey,
    keep,
    roam,
    simplenote,
    standard_notes,
    trello,
    twitter,
)
from brain_pipelines.readers.notes.apps.app import App

APPS: tuple[App, ...] = (
    keep.APP,
    day_one.APP,
    journey.APP,
    simplenote.APP,
    standard_notes.APP,
    roam.APP,
    twitter.APP,
    facebook.APP,
    hypothesis.APP,
    trello.APP,
    asana.APP,
)


def app_of(start: bytes) -> App | None:
    """Return the app that wrote a file which begins with these bytes, None if it is none of them."""
    return next((app for app in APPS if app.fits(start)), None)

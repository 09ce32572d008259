"""Maintenance deletes old temporary files of crashed processes, and nothing that is in use or belongs to the user."""

import os
from pathlib import Path

from brain_pipelines.landing.cleanup import remove_leftovers


def old(path: Path, days: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("half")
    then = path.stat().st_mtime - days * 86_400
    os.utime(path, (then, then))
    return path


def test_only_old_leftovers_are_deleted(bench) -> None:
    space = bench.space().create()
    gone = [
        old(space.blobs / ".landing-abc", 2),
        old(space.inbox / "note" / "deep" / ".xyz.part", 2),
        old(space.scratch / "page.png", 2),
    ]
    nested = old(space.scratch / "item" / "sound.wav", 2)
    os.utime(nested.parent, (0, 0))
    stays = [
        old(space.blobs / ".landing-new", 0),
        old(space.scratch / "now.png", 0),
        old(space.inbox / "note" / "a.md", 5),
        old(space.inbox / "note" / "download.part", 5),
        old(space.blobs / "ab" / "abcd", 5),
    ]
    assert remove_leftovers(space) == 4
    assert not any(path.exists() for path in [*gone, nested, nested.parent])
    assert all(path.exists() for path in stays)
    assert remove_leftovers(bench.home.space("nobody")) == 0

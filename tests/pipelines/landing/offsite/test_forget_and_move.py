"""Backups and what changes a user as a whole: forgetting reaches them, and a move leaves nothing behind."""

import shutil
from pathlib import Path

import dagster as dg
import pytest

from brain_pipelines.knowledge.forgetting.backups import forgotten_users
from brain_pipelines.knowledge.forgetting.forget import forget, preview
from brain_pipelines.knowledge.forgetting.plan import Kind, Scope
from brain_pipelines.landing.archive.importing import UserForgottenError
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.offsite import moving
from brain_pipelines.landing.offsite.all_users import back_up_users
from brain_pipelines.landing.offsite.backing_up import UnfinishedForgettingError, back_up_user
from brain_pipelines.landing.offsite.heads import heads_of
from brain_pipelines.landing.offsite.moving import cancel_move, move_user, read_mark
from brain_pipelines.landing.offsite.objects import open_objects
from brain_pipelines.landing.offsite.restoring import restore_user
from brain_pipelines.landing.offsite.state import read_state
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.upkeep.backups import backups_job, build_backup_schedule
from brain_retrieval.errors import InvalidQueryError, MovedUserError
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.settings import BackupSettings, load_settings
from brain_retrieval.stores.locking import writer_lock
from tests.pipelines.conftest import Bench
from tests.pipelines.landing.offsite.conftest import WORDS
from tests.victims import run_until_killed


def bytes_with(root: Path) -> list[str]:
    """Return the files below a directory whose bytes contain a word of the note that is forgotten."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return [str(path) for path in files if any(word.encode() in path.read_bytes().lower() for word in WORDS)]


def forget_now(bench: Bench, kind: Kind, value: str = "") -> dict:
    return forget(bench.home, preview(bench.home, "alice", Scope(kind, value), command="test"))


def test_forgotten_source_goes_from_backups_and_does_not_come_back(filled, objects, folder, tmp_path) -> None:
    space, settings = filled.space(), filled.settings
    back_up_user(space, settings, objects)
    assert bytes_with(folder)
    shutil.copytree(folder, tmp_path / "earlier")  # a copy of which Brain does not know
    folder.rename(tmp_path / "unplugged")
    folder.write_text("not a directory")

    receipt = forget_now(filled, "source", "note/gone.md")
    assert not receipt["complete"] and list(receipt["check"]["remaining"]) == [
        "backups at the destination, until the next backup"
    ]
    folder.unlink()
    (tmp_path / "unplugged").rename(folder)
    result = back_up_users(filled.home, settings, objects, ["alice"], forgotten={})
    assert [one.number for one in heads_of(objects, "alice")] == [2] and result.removed["alice"].backups == 1
    assert bytes_with(folder) == [] and not read_state(space).replace

    earlier = open_objects(BackupSettings(destination=(tmp_path / "earlier").as_uri()))
    restored = restore_user(filled.home, settings, earlier, "alice", replacing=True)
    assert restored.done.forgotten and not restored.whole
    filled.run()
    assert set(filled.texts()) == {"inbox:note/lead.md"} and bytes_with(filled.home.path) == []
    with open_landing(space, settings) as landing:
        assert not landing.items_of("inbox:note/gone.md")
    assert read_state(space).replace  # the next backup there replaces all

    (space.root / "forgetting.json").write_text("{}")
    with pytest.raises(UnfinishedForgettingError):
        back_up_user(space, settings, objects)


def test_forgetting_replaces_backups_at_once_and_a_user_s_go_whole(filled, objects, folder, other) -> None:
    back_up_user(filled.space(), filled.settings, objects)
    receipt = forget_now(filled, "source", "note/gone.md")
    assert receipt["complete"] and receipt["removed_backups"] == 1 and bytes_with(folder) == []
    shutil.copytree(folder, folder.with_name("earlier"))
    receipt = forget_now(filled, "user")
    assert receipt["complete"] and receipt["removed_backups"] == 1 and objects.under("alice") == []

    shutil.copytree(folder.with_name("earlier"), folder, dirs_exist_ok=True)  # a destination that was away
    forgotten = forgotten_users(filled.home)
    with pytest.raises(UserForgottenError, match="--even-forgotten"):
        restore_user(
            filled.home, filled.settings, objects, "alice", forgotten=lambda name: forgotten[content_id("user", name)]
        )
    assert back_up_users(other.home, other.settings, objects, [], forgotten=forgotten).forgotten == 1
    assert objects.under("alice") == []


def move(bench: Bench, other: Bench):
    return move_user(bench.home, other.home, bench.settings, other.settings, "alice")


def test_moved_user_is_in_the_other_home_and_refused_in_this_one(filled, other, monkeypatch) -> None:
    before = filled.digests()
    late = filled.space().inbox / "note" / "late.md"

    def restored(*args, **options):
        done = restore_user(*args, **options)
        late.write_text("Written while the move went on.")
        with pytest.raises(MovedUserError, match="other"), writer_lock(filled.space()):
            pass
        return done

    monkeypatch.setattr(moving, "restore_user", restored)
    done = move(filled, other)
    assert done.files > 20 and done.left == (str(late),) and other.digests() == before
    assert filled.home.users() == [] and list(filled.space().inbox.rglob("*.md")) == [late]
    with pytest.raises(MovedUserError, match="was moved to"):
        filled.land(late)
    with pytest.raises(MovedUserError):
        filled.home.existing_space("alice")
    assert [path.name for path in other.home.path.iterdir() if path.name.startswith(".")] == []
    with pytest.raises(InvalidQueryError, match="has arrived"):
        cancel_move(filled.home, "alice")

    late.unlink()
    monkeypatch.undo()
    move(other, filled)  # and back
    assert filled.digests() == before and read_mark(filled.space()) is None and other.home.users() == []


def victim_of_move(home: Path, other: Path, moment: str) -> None:
    from tests.pipelines.landing.offsite.test_backup import die

    setattr(moving, moment, die)
    move(Bench(Home(home)), Bench(Home(other)))


@pytest.mark.parametrize("moment", ["back_up_user", "restore_user", "_leave"])
def test_killed_move_goes_on(filled, other, moment) -> None:
    before = filled.digests()
    run_until_killed(victim_of_move, filled.home.path, other.home.path, moment)
    with pytest.raises(MovedUserError), writer_lock(filled.space()):
        pass
    if moment == "back_up_user":
        cancel_move(filled.home, "alice")
        with writer_lock(filled.space()):
            assert filled.digests() == before
    move(filled, other)
    assert other.digests() == before and filled.home.users() == []


def test_scheduled_backups_need_a_destination_and_report_what_was_stored(filled, folder, monkeypatch) -> None:
    resource = BrainResource(home=str(filled.home.path))
    schedule = build_backup_schedule(filled.settings)
    with dg.build_schedule_context(resources={"brain": resource}) as context:
        assert "no backup.destination" in (schedule.evaluate_tick(context).skip_message or "")

    monkeypatch.setenv("BRAIN_BACKUP__DESTINATION", folder.as_uri())
    resource = BrainResource(home=str(filled.home.path))
    with dg.build_schedule_context(resources={"brain": resource}) as context:
        assert schedule.evaluate_tick(context).run_requests
    done = backups_job.execute_in_process(resources={"brain": resource})
    [event] = [one for one in done.all_node_events if one.event_type_value == "STEP_OUTPUT"]
    found = {name: value.value for name, value in event.event_specific_data.metadata.items()}
    assert found["users"] == 1 and found["failed"] == 0 and found["stored_bytes"] > 1000
    objects = open_objects(load_settings(filled.home.path).backup)
    assert [one.files for one in heads_of(objects, "alice")] == [found["files"]]

    monkeypatch.setattr("brain_pipelines.landing.offsite.all_users.back_up_user", broken)
    failed = backups_job.execute_in_process(resources={"brain": resource}, raise_on_error=False)
    assert not failed.success


def broken(*_args, **_options):
    raise OSError("the disk is away")

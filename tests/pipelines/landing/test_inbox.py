"""Listing of an inbox and detection of changes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.landing.inbox import FileState, compare, list_files, source_of, to_path, to_uri

SECOND = 1_000_000_000
NOW = 1_000 * SECOND
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda name: name not in (".", "..")
)


def changes_of(files: list[FileState], landed: list[FileState] = [], seen: list[FileState] = []):  # noqa: B006
    by_uri = ({f.uri: f for f in group} for group in (landed, seen))
    return compare(files, *by_uri, now_ns=NOW, settle_ns=10 * SECOND)


OLD = FileState("inbox:note/a.md", 3, 1 * SECOND)
FRESH = FileState("inbox:note/a.md", 3, NOW - SECOND)
GROWN = FileState("inbox:note/a.md", 9, NOW - SECOND // 2)


def test_new_settled_file_is_ready_at_once() -> None:
    assert changes_of([OLD]).new == [OLD]


def test_recently_written_file_waits_until_two_scans_agree() -> None:
    assert changes_of([FRESH]).waiting == [FRESH]
    assert changes_of([FRESH], seen=[FRESH]).new == [FRESH]


def test_growing_file_keeps_waiting() -> None:
    changes = changes_of([GROWN], seen=[FRESH])
    assert (changes.ready, changes.waiting) == ([], [GROWN])


def test_modified_file_is_ready_even_with_older_mtime() -> None:
    earlier = FileState(OLD.uri, 4, OLD.mtime_ns - 5)
    assert changes_of([earlier], landed=[OLD]).modified == [earlier]


def test_edit_with_same_size_and_mtime_is_detected() -> None:
    edited = FileState(OLD.uri, OLD.size, OLD.mtime_ns, ctime_ns=5)
    assert changes_of([edited], landed=[OLD]).modified == [edited]


def test_unchanged_file_is_ignored() -> None:
    changes = changes_of([OLD], landed=[OLD])
    assert not changes.ready and not changes.waiting and not changes.deleted


def test_renamed_file_is_one_new_and_one_deleted() -> None:
    renamed = FileState("inbox:note/b.md", OLD.size, OLD.mtime_ns)
    changes = changes_of([renamed], landed=[OLD])
    assert (changes.new, changes.deleted) == ([renamed], [OLD.uri])


def test_ready_files_come_oldest_first() -> None:
    files = [FileState(f"inbox:note/{n}", 1, n * SECOND) for n in (3, 1, 2)]
    assert [f.mtime_ns for f in changes_of(files).ready] == [SECOND, 2 * SECOND, 3 * SECOND]


@given(st.lists(NAMES, min_size=2, max_size=4))
def test_uri_round_trip_for_any_name(parts: list[str]) -> None:
    relative = Path(*parts)
    uri = to_uri(relative)
    assert uri.isascii() and "\n" not in uri and "#" not in uri
    assert to_path(Path("/inbox"), uri + "#item") == Path("/inbox") / relative


@pytest.mark.parametrize("uri", ["inbox:../bob/note/a.md", "inbox:/etc/passwd", "file:a", "inbox:note/%2e%2e/x"])
def test_uri_outside_inbox_is_refused(uri: str) -> None:
    with pytest.raises(ValueError):
        to_path(Path("/inbox"), uri)


def test_source_is_first_directory() -> None:
    assert source_of("inbox:note/sub/a.md") == "note"
    assert source_of("inbox:stray.md") == ""


def test_listing_skips_links_hidden_and_unfinished_files(tmp_path: Path) -> None:
    inbox, other = tmp_path / "alice", tmp_path / "bob"
    (inbox / "note").mkdir(parents=True)
    other.mkdir()
    (other / "secret.md").write_text("bob's")
    for name in ("a.md", ".hidden.md", "b.md.part", "c.TMP"):
        (inbox / "note" / name).write_text("x")
    (inbox / "note" / "link.md").symlink_to(other / "secret.md")
    (inbox / "linked").symlink_to(other)
    assert [f.uri for f in list_files(inbox)] == ["inbox:note/a.md"]


def test_missing_inbox_is_empty(tmp_path: Path) -> None:
    assert list(list_files(tmp_path / "nobody")) == []

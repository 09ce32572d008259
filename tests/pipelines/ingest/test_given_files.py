"""Archives among the given files: members in the place of the archive, within the limits."""

import zipfile
from pathlib import Path

import pytest

from brain_pipelines.ingest.given_files import files_at, with_members
from brain_pipelines.sources.choice import choose_source
from brain_retrieval.settings import Limits

EXPORT = '[{"title": "A boat", "mapping": {}}]'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "unpacked"
    made.mkdir()
    return made


def archive(path: Path, members: dict[str | zipfile.ZipInfo, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in members.items():
            made.writestr(name, text)
    return path


def unpacked(path: Path, folder: Path, limits: Limits | None = None) -> tuple[dict[str, str], list[tuple[str, str]]]:
    refused: list[tuple[str, str]] = []
    refuse = lambda name, reason: refused.append((name, reason))  # noqa: E731
    found = with_members(list(files_at([path])), choose_source, folder, limits or Limits(), refuse)
    return {name.as_posix(): file.read_text() for file, name in found}, refused


def test_members_stand_in_the_place_of_an_archive(tmp_path: Path, folder: Path) -> None:
    changed = zipfile.ZipInfo("notes/Boat.md", (2024, 5, 6, 7, 8, 10))
    members = {changed: "# Boat", "conversations.json": EXPORT, "__MACOSX/notes/._Boat.md": "x", ".DS_Store": "x"}
    archive(tmp_path / "Export 1.zip", members)
    (tmp_path / "plain.txt").write_text("A note.")
    found, refused = unpacked(tmp_path, folder)
    assert found == {"Export 1/conversations.json": EXPORT, "Export 1/notes/Boat.md": "# Boat", "plain.txt": "A note."}
    assert not refused
    boat = next(folder.rglob("Boat.md"))
    assert boat.stat().st_mtime == pytest.approx(1714979290, abs=86_400)  # of the archive, not of today


def test_an_archive_that_a_source_reads_whole_is_left_as_it_is(tmp_path: Path, folder: Path) -> None:
    members = {"channels.json": "[]", "users.json": "[]", "general/2026-01-05.json": '[{"type": "message"}]'}
    path = archive(tmp_path / "Team Slack export.zip", members)  # pyright: ignore[reportArgumentType]
    given = list(files_at([path]))
    assert list(with_members(given, lambda _: "slack-thread", folder, Limits(), pytest.fail)) == given


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside.txt", "a/../../outside.txt", "..\\outside.txt"])
def test_a_member_that_leads_out_refuses_the_archive(tmp_path: Path, folder: Path, name: str) -> None:
    found, refused = unpacked(archive(tmp_path / "a.zip", {"good.txt": "x", name: "x"}), folder)
    assert not found
    assert "leads out of the archive" in refused[0][1]
    assert not list(tmp_path.glob("outside*"))
    assert not list(folder.iterdir())


def test_links_are_left_out(tmp_path: Path, folder: Path) -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    found, refused = unpacked(archive(tmp_path / "a.zip", {link: "/etc/passwd", "good.txt": "x"}), folder)
    assert (found, refused) == ({"a/good.txt": "x"}, [])


def test_bombs_and_damaged_archives_are_refused_with_the_reason(tmp_path: Path, folder: Path) -> None:
    bomb = archive(tmp_path / "bomb.zip", {"zeros.txt": "0" * 30_000_000})
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(bomb.read_bytes()[:-40])
    good = archive(tmp_path / "good.zip", {"a.txt": "x"})
    assert good.is_file()
    found, refused = unpacked(tmp_path, folder)
    assert found == {"good/a.txt": "x"}
    assert ["zip bomb" in refused[0][1], "damaged" in refused[1][1]] == [True, True]
    assert all("unpack it and ingest the folder" in reason for _, reason in refused)
    _, refused = unpacked(good, folder, Limits(max_archive_bytes=1, max_archive_ratio=1))
    assert not refused
    big = archive(tmp_path / "big.zip", {"a.txt": "xyz"})
    _, refused = unpacked(big, folder, Limits(max_archive_bytes=2))
    assert "when unpacked" in refused[0][1]


def test_names_that_macos_wrote_are_read_as_utf8(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("Jörg.txt".encode().decode("cp437"), "x")
    path.write_bytes(_without_flag(path.read_bytes()))
    found, _ = unpacked(path, folder)
    assert list(found) == ["a/Jörg.txt"]


def _without_flag(content: bytes) -> bytes:
    """Return a zip of one member whose name is given as bytes without the flag of UTF-8."""
    name = "Jörg.txt".encode()
    written = name.decode("cp437").encode("utf-8")
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    shorter = len(written) - len(name)

    def renamed(part: bytes, flag_at: int, length_at: int) -> bytes:
        part = part[:flag_at] + b"\0\0" + part[flag_at + 2 :]
        part = part[:length_at] + len(name).to_bytes(2, "little") + part[length_at + 2 :]
        return part.replace(written, name)

    first, second = renamed(content[local:central], 6, 26), renamed(content[central:end], 8, 28)
    tail = bytearray(content[end:])
    tail[12:16] = len(second).to_bytes(4, "little")
    tail[16:20] = (central - shorter).to_bytes(4, "little")
    return first + second + bytes(tail)

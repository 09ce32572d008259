"""Files that a user would have, made from what is kept otherwise: mails, archives of a chat, exports of a phone."""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

LEAST_CHARS = 300  # of a mail
SECONDS = 47  # between the messages of a phone, whose sessions only state a beginning
ENCRYPTED = "Messages and calls are end-to-end encrypted. No one outside of this chat can read them."

File = tuple[str, bytes, float]  # name, content, time of change
Said = tuple[datetime, str, str]  # when, who, what


def mails(table: bytes, name: str, most: int, year: int | None) -> list[File]:
    """Return messages of a mailing list as .eml files: the last `most` of at least LEAST_CHARS, or the first of a year.

    Args:
        table: a Parquet file with the columns of r-mailing-lists/data.
        name: of the list, which its footer has.
        most: messages.
        year: None: the last ones of all.
    """
    long = pl.read_parquet(io.BytesIO(table)).sort("date").filter(pl.col("body").str.len_chars() > LEAST_CHARS)
    chosen = long.tail(most) if year is None else long.filter(pl.col("date").dt.year() == year).head(most)
    return [
        (f"{row['date']:%Y-%m-%d}-{row['id']}.eml", _mail(row, name), row["date"].timestamp())
        for row in chosen.to_dicts()
    ]


def _mail(row: dict[str, Any], name: str) -> bytes:
    mail = EmailMessage()
    who = row["from_name"] or "unknown"
    mail["From"] = f'"{who}" <{re.sub("[^a-z]", ".", who.lower())}@example.org>'
    mail["To"] = f"{name}@r-project.org"
    mail["Subject"] = (row["subject"] or "").replace("\n", " ")
    mail["Date"] = row["date"]
    if row["message_id"]:
        mail["Message-ID"] = row["message_id"].strip()
    if row["in_reply_to"]:
        mail["In-Reply-To"] = row["in_reply_to"].strip().split()[0]
    footer = f"{name} mailing list\n{name}@r-project.org\nhttps://stat.ethz.ch/mailman/listinfo/{name}\n"
    mail.set_content(f"{row['body'] or ''}\n\n{'_' * 47}\n{footer}")
    return mail.as_bytes()


def mail_archive(table: bytes, name: str, most: int, year: int | None) -> File:
    """Return the messages of `mails` as one mbox file, as a mail program exports them."""
    found = mails(table, name, most, year)
    written = [b"From - Thu Jan  1 00:00:00 1970\n" + _quoted(content) + b"\n" for _, content, _ in found]
    return f"{name}.mbox", b"".join(written), max(changed for _, _, changed in found)


def _quoted(mail: bytes) -> bytes:
    """Return a mail with the lines quoted that an mbox would read as the beginning of another one."""
    return re.sub(rb"(?m)^(>*From )", rb">\1", mail)


def mails_of(files: Sequence[File], box: str) -> list[File]:
    """Return those of files with a mail each that lie in the box of a person, as the header X-Origin has it."""
    made: list[File] = []
    for path, content, _ in files:
        mail = message_from_bytes(content)
        if (mail["X-Origin"] or "").strip().lower() == box:
            sent = parsedate_to_datetime(mail["Date"])
            made.append((f"{sent:%Y-%m-%d}-{PurePosixPath(path).stem}.eml", content, sent.timestamp()))
    return made


def assistant_export(banks: bytes, who: str) -> File:
    """Return the dialogues of a user of MemoryBank as an assistant exports them, one conversation a day.

    Args:
        banks: JSON of all users: a name, and by day a list of queries and responses.
        who: the name of the user.
    """
    history = next(bank["history"] for name, bank in json.loads(banks).items() if name.strip() == who)
    talks = [_assistant_talk(day, turns) for day, turns in history.items()]
    return "conversations.json", json.dumps(talks).encode(), talks[-1]["create_time"]


def _assistant_talk(day: str, turns: Sequence[dict[str, str]]) -> dict[str, Any]:
    begun = datetime.fromisoformat(f"{day}T10:00:00+00:00").timestamp()
    said = [(role, turn[key]) for turn in turns for role, key in (("user", "query"), ("assistant", "response"))]
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for number, (role, text) in enumerate(said):
        name = f"{day}-{number}"
        content = {"content_type": "text", "parts": [text]}
        written = {"author": {"role": role}, "create_time": begun + SECONDS * number, "content": content, "id": name}
        nodes[name] = {"id": name, "message": written, "parent": last, "children": []}
        nodes[last]["children"].append(name)
        last = name
    return {
        "title": f"Chat of {day}",
        "create_time": begun,
        "mapping": nodes,
        "current_node": last,
        "id": f"talk-{day}",
    }


def first_lines(file: File, most: int, name: str) -> File:
    """Return the first lines of a file under another name."""
    return name, b"".join(file[1].splitlines(keepends=True)[:most]), file[2]


def first_turns(file: File, least: int) -> File:
    """Return a transcript up to the first turn (a paragraph that begins in bold) after `least` characters."""
    text = file[1].decode()
    end = text.find("\n**", least)
    return file[0], (text if end < 0 else text[: end + 1]).encode(), file[2]


def packed(files: Iterable[File]) -> bytes:
    """Return files as an archive, as a chat tool exports them."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content, _ in files:
            archive.writestr(name, content)
    return made.getvalue()


def phone_export(folder: Path, number: int, style: str) -> File:
    """Return a conversation of LoCoMo as a phone exports a chat; `style` is "android" or "ios"."""
    talk = json.loads((folder / "conversations.json").read_text("utf-8"))[number]["conversation"]
    sessions = sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key))
    said: list[Said] = []
    for each in sessions:
        stated = talk[f"session_{each}_date_time"].replace("am", "AM").replace("pm", "PM")
        begun = datetime.strptime(stated, "%I:%M %p on %d %B, %Y")  # noqa: DTZ007 - a phone writes its own clock
        turns = talk[f"session_{each}"]
        said += [
            (begun + timedelta(seconds=SECONDS * n), turn["speaker"], turn["text"]) for n, turn in enumerate(turns)
        ]
    return phone_chat(said, talk["speaker_b"], style)


def phone_chat(said: Sequence[Said], friend: str, style: str) -> File:
    """Return what was said with a friend as a phone exports a chat; `style` is "android" or "ios"."""
    first, last = said[0][0], said[-1][0]
    name = f"WhatsApp Chat with {friend}.txt" if style == "android" else "_chat.txt"
    head = f"{first:%d/%m/%Y, %H:%M} - {ENCRYPTED}"
    if style == "ios":
        head = f"[{first:%d.%m.%y, %H:%M:%S}] {friend}: \u200e{ENCRYPTED}"
    return name, "\n".join([head, *_lines(said, style), ""]).encode(), last.timestamp()


def _lines(said: Sequence[Said], style: str) -> list[str]:
    if style == "android":
        return [f"{when:%d/%m/%Y, %H:%M} - {who}: {text}" for when, who, text in said]
    return [f"[{when:%d.%m.%y, %H:%M:%S}] {who}: {text}" for when, who, text in said]

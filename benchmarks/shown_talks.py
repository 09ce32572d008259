"""Chats that a user would have, made from published dialogues: with an assistant, with friends, on a server.

A recipe names what is taken (sessions by their digests, rows, scenes, pages), so the same files are written again.
"""

import hashlib
import html
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from benchmarks.shown_forms import File, phone_chat

UNKNOWN = "???"
SPEAKERS = ("Speaker 2", "Speaker 1")  # the friend begins
DIGITS = 10  # of a digest that names a session
SESSION = re.compile(
    r"### Session \d+:\s*\nSession Date: (\d{4}/\d\d/\d\d) \(\w+\) (\d\d:\d\d)\s*\nSession Content:\s*\n+(?=\[)"
)
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
BETWEEN_SESSIONS = timedelta(hours=3)
SEASON = datetime(1994, 9, 20, 19, tzinfo=UTC)  # begin of the first season of the series
SPACES = (  # which the texts of FriendsQA have around marks
    (r"\s+([.,!?;:%)])", r"\1"), (" n't", "n't"), (" '", "'"), ("`` ", '"'), ("''", '"'), (r"\( ", "("),
)  # fmt: skip
GROUP = '<div class="chatlog__message-group">'
AUTHOR = re.compile(r'chatlog__author-name" title="[^"]*" data-user-id="(\d+)">([^<]*)')
TIME = re.compile(r'chatlog__timestamp">([^<]*)<')
MESSAGE = re.compile(r'data-message-id="(\d+)".*?chatlog__content">(.*?)</div>', re.DOTALL)


def _talk(name: str, key: str, turns: Sequence[tuple[str, str]], begun: datetime) -> File:
    """Return a conversation of (who, text) as JSON lines, a minute a turn; `key` names the one who speaks."""
    rows = [
        {key: who, "content": text, "timestamp": f"{begun + timedelta(minutes=number):%Y-%m-%dT%H:%M:%SZ}"}
        for number, (who, text) in enumerate(turns)
    ]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return f"{begun:%Y-%m-%d}{name}.jsonl", content.encode(), begun.timestamp()


def assistant_sessions(pages: Sequence[File], wanted: Sequence[str]) -> list[File]:
    """Return sessions of LongMemEval with an assistant.

    Args:
        pages: texts, or JSON lines with texts, that quote sessions as prompts of the benchmark do.
        wanted: the first DIGITS of the MD5 digests of the turns of a session as JSON.

    Raises:
        KeyError: if a session is on none of the pages.
    """
    found: dict[str, tuple[datetime, list[dict[str, str]]]] = {}
    for name, content, _ in pages:
        for text in _texts(name, content.decode(errors="replace")):
            for begun, turns in _sessions(text):
                digest = hashlib.md5(json.dumps(turns).encode(), usedforsecurity=False).hexdigest()
                found.setdefault(digest[:DIGITS], (begun, turns))
    return [
        _talk(f"-{each}", "role", [(turn["role"], turn["content"]) for turn in found[each][1]], found[each][0])
        for each in wanted
    ]


def _texts(name: str, content: str) -> Iterator[str]:
    if not name.endswith(".jsonl"):
        yield content
        return
    for line in content.splitlines():
        yield from (value for value in json.loads(line).values() if isinstance(value, str))


def _sessions(text: str) -> Iterator[tuple[datetime, list[dict[str, str]]]]:
    for match in SESSION.finditer(text):
        try:
            turns, _ = json.JSONDecoder().raw_decode(text[match.end() :])
        except json.JSONDecodeError:
            continue  # a quotation that was cut
        if turns and isinstance(turns[0], dict) and "role" in turns[0]:
            yield datetime.strptime(f"{match[1]} {match[2]} +0000", "%Y/%m/%d %H:%M %z"), turns


def dialogues(
    table: bytes, rows: Sequence[int], owner: str, friends: Sequence[str], last: datetime, apart: int, phone: str
) -> list[File]:
    """Return dialogues of Multi-Session Chat or XPersona between the owner, who is Speaker 1, and a friend a row.

    Args:
        table: JSON lines of a session with `previous_dialogs`, each of which says how long before it was; or a JSON
            list of rows with a `dialogue` of one session, pairs of what the friend and the owner say.
        rows: numbers of the lines, or of the rows of the list.
        owner: name of Speaker 1.
        friends: names of the others, one a row.
        last: time of the last session of the first row.
        apart: days from there to that of the next row.
        phone: style of `phone_chat`, one file a friend; empty: a file of JSON lines a session.
    """
    stored = _rows(table.decode())
    made: list[File] = []
    for place, (row, friend) in enumerate(zip(rows, friends, strict=True)):
        now = last + timedelta(days=apart * place)
        sessions = list(_chat_sessions(stored[row], owner, friend, now))
        if phone:
            said = [(begun + timedelta(minutes=n), *turn) for begun, turns in sessions for n, turn in enumerate(turns)]
            made.append(phone_chat(sorted(said, key=lambda each: each[0]), friend, phone))
        else:
            made += [_talk(f" {friend} {n}", "speaker", turns, begun) for n, (begun, turns) in enumerate(sessions)]
    return made


def _rows(table: str) -> list[dict[str, Any]]:
    if not table.startswith("["):
        return [json.loads(line) for line in table.splitlines()]
    return [{"previous_dialogs": [], "dialog": _pairs(row["dialogue"])} for row in json.loads(table)]


def _pairs(said: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    return [{"id": who, "text": text} for pair in said for who, text in zip(SPEAKERS, pair, strict=False)]


def threads(table: bytes, rows: Sequence[int], last: datetime, apart: int) -> list[File]:
    """Return talks with an assistant, one a row of JSON lines with `messages`, each `apart` days before the next."""
    lines = table.decode().splitlines()
    made: list[File] = []
    for place, row in enumerate(rows):
        turns = [(each["role"], each["content"]) for each in json.loads(lines[row])["messages"]]
        made.append(_talk(f"-{row}", "role", turns, last - timedelta(days=apart * (len(rows) - 1 - place))))
    return made


def spoken(pages: Sequence[File], most: int, last: datetime, apart: int) -> list[File]:
    """Return transcripts as talks, at most `most` turns of each, `apart` days before the next.

    Args:
        pages: lines of a speaker, a tab and what is said; those of one speaker after another are one turn, and those of
            a speaker who is not known ("???") are left out.
        most: turns.
        last: time of the last talk.
        apart: days.
    """
    made: list[File] = []
    for place, (path, content, _) in enumerate(pages):
        turns: list[tuple[str, str]] = []
        for line in content.decode().splitlines():
            who, _, text = line.partition("\t")
            if turns and turns[-1][0] == who:
                turns[-1] = (who, f"{turns[-1][1]} {text.strip()}")
            elif who != UNKNOWN:
                turns.append((who, text.strip()))
        begun = last - timedelta(days=apart * (len(pages) - 1 - place))
        made.append(_talk(f" {PurePosixPath(path).stem}", "speaker", turns[:most], begun))
    return made


def _chat_sessions(
    row: dict[str, Any], owner: str, friend: str, now: datetime
) -> Iterator[tuple[datetime, list[tuple[str, str]]]]:
    sessions = [*row["previous_dialogs"], row]
    for number, session in enumerate(sessions):
        stated = re.findall(r"(\d+) (day|week|month|year)", session.get("time_back", ""))
        ago = timedelta(days=sum(int(count) * DAYS[unit] for count, unit in stated))
        turns = [
            (_speaker(turn, place, owner, friend), turn["text"].strip()) for place, turn in enumerate(session["dialog"])
        ]
        yield now - ago - BETWEEN_SESSIONS * (len(sessions) - 1 - number), turns


def _speaker(turn: dict[str, str], place: int, owner: str, friend: str) -> str:
    of_owner = turn["id"] == "Speaker 1" if "id" in turn else place % 2 == 0
    return owner if of_owner else friend


def scenes(data: bytes, wanted: Sequence[str]) -> list[File]:
    """Return scenes of FriendsQA by their titles, as s01_e23_c01: an episode a week, a scene a quarter of an hour."""
    of_title = {each["title"]: each["paragraphs"][0]["utterances:"] for each in json.loads(data)["data"]}
    made: list[File] = []
    for title in wanted:
        season, episode, scene = map(int, re.findall(r"\d+", title))
        begun = SEASON.replace(year=SEASON.year + season - 1) + timedelta(weeks=episode - 1, minutes=15 * scene)
        said = [each for each in of_title[title] if each["utterance"].strip() and each["speakers"]]
        turns = [(each["speakers"][0], _spaced(each["utterance"])) for each in said if each["speakers"][0] != "#NOTE#"]
        made.append(_talk(f" {title}", "speaker", turns, begun))
    return made


def _spaced(text: str) -> str:
    for pattern, put in SPACES:
        text = re.sub(pattern, put, text)
    return text.strip()


def server_export(pages: Sequence[File], server: str) -> list[File]:
    """Return pages of a chat server, exported as HTML to CATEGORY/CHANNEL/NUMBER.html, as the JSON of that exporter."""
    return [made for page in pages for made in _channel(page, server)]


def _channel(page: File, server: str) -> Iterator[File]:
    path = PurePosixPath(page[0])
    category, channel = path.parts[-3:-1]
    text = page[1].decode().replace("\r\n", "\n")
    messages = [each for group in text.split(GROUP)[1:] for each in _messages(group)]
    if messages:
        about = {"type": "GuildTextChat", "category": category, "name": channel}
        content = {"guild": {"name": server}, "channel": about, "messages": messages, "messageCount": len(messages)}
        changed = datetime.fromisoformat(messages[-1]["timestamp"]).timestamp()
        name = f"{server} - {category} - {channel} [{path.stem}].json"
        yield name, json.dumps(content, ensure_ascii=False).encode(), changed


def _messages(group: str) -> Iterator[dict[str, Any]]:
    author, time = AUTHOR.search(group), TIME.search(group)
    if not author or not time:
        return
    begun = datetime.strptime(f"{time[1].strip()} +0000", "%d-%b-%y %I:%M %p %z")
    name = html.unescape(author[2])
    who = {"id": author[1], "name": name, "discriminator": "0000", "nickname": name, "isBot": "bot-tag" in group}
    for second, message in enumerate(MESSAGE.finditer(group)):
        text = _plain(message[2])
        if text:
            sent = f"{begun + timedelta(seconds=second):%Y-%m-%dT%H:%M:%S}+00:00"
            rest = {"attachments": [], "embeds": [], "reactions": [], "mentions": []}
            yield {"id": message[1], "type": "Default", "timestamp": sent, "content": text, "author": who, **rest}


def _plain(marked: str) -> str:
    with_breaks = re.sub(r"<br\s*/?>", "\n", marked)
    with_names = re.sub(r'<img[^>]*alt="([^"]*)"[^>]*>', r"\1", with_breaks)
    return html.unescape(re.sub(r"<[^>]+>", "", with_names)).strip()

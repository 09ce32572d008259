"""The sets of the retrieval benchmark as the files that a user would have, and the evidence of their questions.

A conversation is one chat file per session, a meeting one subtitle file, a passage or news fact one Markdown document
with its title as heading and, where known, its date, author and publisher.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]

UNDATED = datetime(2024, 1, 1, 9, tzinfo=UTC)  # time of files whose set states none
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
SECONDS_A_WORD = 0.4
CUE_WORDS = 30
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True)
class Evidence:
    """Where the evidence is: a file and, within it, ids of messages or a span of seconds. `text` is what it says."""

    file: str
    text: str
    messages: tuple[str, ...] = ()
    seconds: tuple[float, float] | None = None


@dataclass(frozen=True)
class Question:
    """A question with all the evidence that answers it."""

    query: str
    category: str
    evidence: list[Evidence]


@dataclass(frozen=True)
class File:
    """A file of the inbox; `path` is relative to it and begins with the source type."""

    path: str
    text: str
    modified: datetime = UNDATED


@dataclass
class Material:
    """The files of one user and the questions about them."""

    user: str
    files: list[File] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def read_material(folder: Path) -> list[Material]:
    """Return the material of a set, one for each corpus, in the order of the set."""
    if folder.name == "locomo":
        return list(_locomo(folder))
    kind = next(read_lines(folder / "corpus.jsonl"))["meta"]
    read = _meetings if "meeting" in kind else _chats if "session" in kind else _documents
    return list(read(folder))


def data_files(folder: Path) -> list[Path]:
    """Return the files that a set consists of."""
    return sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl"))


def read_lines(path: Path) -> Iterator[Json]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _corpora(folder: Path) -> Iterator[tuple[str, list[Json], list[Json]]]:
    """Yield (user, units, questions) for each corpus of a set."""
    units: dict[str, list[Json]] = {}
    for unit in read_lines(folder / "corpus.jsonl"):
        units.setdefault(unit["corpus"], []).append(unit)
    queries = list(read_lines(folder / "queries.jsonl"))
    for corpus, members in units.items():
        yield corpus.lower(), members, [query for query in queries if query["corpus"] == corpus]


# -- conversations ----------------------------------------------------------------------------------------------------


def _locomo(folder: Path) -> Iterator[Material]:
    for one in json.loads((folder / "conversations.json").read_text("utf-8")):
        material, turns = Material(one["sample_id"].lower()), {}
        said = one["conversation"]
        numbers = sorted(int(m[1]) for key in said if (m := re.fullmatch(r"session_(\d+)", key)))
        for number in numbers:
            file, lines = _session(number, said)
            material.files.append(file)
            turns |= {line["message_id"]: Evidence(file.path, line["content"], (line["message_id"],)) for line in lines}
        for asked in one["qa"]:
            found = [turns[turn] for turn in _turn_ids(asked["evidence"]) if turn in turns]
            if found:
                category = LOCOMO_CATEGORIES[asked["category"]]
                material.questions.append(Question(asked["question"], category, found))
        yield material


def _session(number: int, said: Json) -> tuple[File, list[Json]]:
    began = datetime.strptime(said[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    lines = [
        {
            "session": f"session-{number}",
            "message_id": turn["dia_id"],
            "speaker": turn["speaker"],
            "timestamp": (began + timedelta(seconds=30 * place)).isoformat(),
            "content": _said(turn),
        }
        for place, turn in enumerate(said[f"session_{number}"])
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return File(f"conversation/session-{number:02}.jsonl", text, began), lines


def _said(turn: Json) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shared a photo: {caption}]" if caption else turn["text"]


def _turn_ids(evidence: list[str]) -> list[str]:
    found = [f"D{session}:{turn}" for said in evidence for session, turn in _TURN_ID.findall(said)]
    return list(dict.fromkeys(found))


def _chats(folder: Path) -> Iterator[Material]:
    """Read units "Speaker: words" with their session; a unit of several messages has them as `meta.messages`."""
    for user, units, queries in _corpora(folder):
        material, evidence = Material(user), {}
        sessions: dict[str, list[Json]] = {}
        for unit in units:
            sessions.setdefault(str(unit["meta"]["session"]), []).append(unit)
        for number, (session, members) in enumerate(sessions.items()):
            path = f"conversation/{number:03}.jsonl"
            lines = [line for unit in members for line in _messages(unit, session)]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            material.files.append(File(path, text, UNDATED + timedelta(days=number)))
            for unit in members:
                ids = tuple(line["message_id"] for line in _messages(unit, session))
                evidence[unit["id"]] = Evidence(path, unit["text"], ids)
        material.questions = _questions(queries, evidence)
        yield material


def _messages(unit: Json, session: str) -> list[Json]:
    meta = unit["meta"]
    stated = {"timestamp": f"{meta['date']}Z"} if meta.get("date") else {}
    said = meta.get("messages") or [re.sub(r"^\[[^\]]*\] ", "", unit["text"]).split(": ", 1)]
    return [
        {"session": session, "message_id": f"{unit['id']}.{place}", "speaker": who, "content": words, **stated}
        for place, (who, words) in enumerate(said)
    ]


# -- meetings ---------------------------------------------------------------------------------------------------------


def _meetings(folder: Path) -> Iterator[Material]:
    for user, units, queries in _corpora(folder):
        material, evidence = Material(user), {}
        meetings: dict[int, list[Json]] = {}
        for unit in units:
            meetings.setdefault(unit["meta"]["meeting"], []).append(unit)
        for number, members in meetings.items():
            path = f"meeting/meeting-{number:02}.vtt"
            cues, clock = ["WEBVTT"], 0.0
            for unit in members:
                began = clock
                for line in unit["text"].split("\n"):
                    clock = _speak(line, clock, cues)
                evidence[unit["id"]] = Evidence(path, unit["text"], seconds=(began, clock))
            material.files.append(File(path, "\n\n".join(cues) + "\n", UNDATED + timedelta(days=number)))
        material.questions = _questions(queries, evidence)
        yield material


def _speak(line: str, clock: float, cues: list[str]) -> float:
    """Append the cues of a turn, "Speaker: words", from the second `clock`; return the second at which it ends."""
    speaker, colon, words = line.partition(": ")
    spoken = (words if colon else line).split()
    for place in range(0, len(spoken), CUE_WORDS):
        cue = spoken[place : place + CUE_WORDS]
        end = clock + SECONDS_A_WORD * len(cue)
        voice = f"<v {html.escape(speaker)}>" if colon else ""
        cues.append(f"{_clock(clock)} --> {_clock(end)}\n{voice}{html.escape(' '.join(cue), quote=False)}")
        clock = end
    return clock


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds * 1000), 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


# -- documents --------------------------------------------------------------------------------------------------------


def _documents(folder: Path) -> Iterator[Material]:
    for user, units, queries in _corpora(folder):
        material, evidence = Material(user), {}
        for unit in units:
            file, body = _document(unit)
            material.files.append(file)
            evidence[unit["id"]] = Evidence(file.path, body)
        material.questions = _questions(queries, evidence)
        yield material


def _document(unit: Json) -> tuple[File, str]:
    """Return a unit as a Markdown document and its body, which is the evidence."""
    meta = unit["meta"]
    title = meta.get("title", "")
    body = meta.get("fact") or unit["text"].removeprefix(f"{title}\n")
    date = meta["date"][:10] if meta.get("date") else ""
    stated = {"date": date, "author": meta.get("author"), "publisher": meta.get("source")}
    matter = "".join(f"{key}: {value}\n" for key, value in stated.items() if value)
    byline = ", ".join(value for value in (meta.get("source"), meta.get("author"), date) if value)
    head = [f"---\n{matter}---\n"] if matter else []
    head += [f"# {title}\n\n"] if title else []
    head += [f"{byline}\n\n"] if byline else []
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower())[:40].strip("-")
    name = "-".join(filter(None, [f"{unit['id']:05}", slug]))
    return File(f"document/{name}.md", "".join([*head, body, "\n"])), body


def _questions(queries: list[Json], evidence: dict[int, Evidence]) -> list[Question]:
    return [Question(q["query"], q["category"] or "all", [evidence[gold] for gold in q["gold"]]) for q in queries]

"""Writes the sample of a Slack export: Alice's design team in January 2026. The others are JSON, edited by hand.

.venv/bin/python data/samples/make_slack.py
"""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "alice/slack-thread/Fieldnote Slack export Jan 5 2026 - Jan 23 2026.zip"
USERS = {
    "U0ALICE01": ("alice", "Alice Chen"),
    "U0PRIYA01": ("priya", "Priya Nair"),
    "U0BOBSM01": ("bob", "Bob Smith"),
    "U0DANIEL1": ("daniel", "Daniel Weber"),
}
DESIGN, DIRECT = "C0DESIGN1", "D0PRIYA01"


def stamp(day: str, time: str, micro: int = 100) -> str:
    """Return Slack's id of a message written then, UTC."""
    return f"{datetime.fromisoformat(f'{day}T{time}').replace(tzinfo=UTC).timestamp():.0f}.{micro:06d}"


def message(user: str, day: str, time: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a message as an export holds it."""
    return {"type": "message", "user": user, "ts": stamp(day, time), "text": text, "team": "T0FIELD01", **more}


def members() -> dict[str, Any]:
    """Return the export's JSON values by member name."""
    root = stamp("2026-01-20", "09:10:00")
    root_file = {"name": "scope.pdf", "title": "Scope of version 3", "url_private": "https://files.example/x?t=secret"}
    return {
        "users.json": [
            {"id": i, "name": n, "profile": {"real_name": real, "display_name": n}} for i, (n, real) in USERS.items()
        ],
        "channels.json": [{"id": DESIGN, "name": "ui-redesign", "members": list(USERS)}],
        "dms.json": [{"id": DIRECT, "members": ["U0ALICE01", "U0PRIYA01"]}],
        "ui-redesign/2026-01-19.json": [
            {**message("U0BOBSM01", "2026-01-19", "08:00:00", "<@U0BOBSM01> has joined"), "subtype": "channel_join"},
            message(
                "U0ALICE01",
                "2026-01-19",
                "14:02:00",
                "Notes of the navigation study are at <https://design.example.org/nav|the study page>. "
                "Search &amp; filters come first.",
            ),
            message("U0PRIYA01", "2026-01-19", "14:05:30", "Thanks <@U0ALICE01>, I will test the filters on Thursday."),
        ],
        "ui-redesign/2026-01-20.json": [
            message(
                "U0DANIEL1",
                "2026-01-20",
                "09:10:00",
                "<!here> can the component library be ready for 2 March?",
                thread_ts=root,
                reply_count=3,
                files=[root_file],
            ),
            message(
                "U0BOBSM01",
                "2026-01-20",
                "09:31:00",
                "Not all of it: the table component needs two more weeks.",
                thread_ts=root,
                edited={"user": "U0BOBSM01", "ts": stamp("2026-01-20", "09:33:00")},
            ),
        ],
        "ui-redesign/2026-01-21.json": [
            message(
                "U0ALICE01",
                "2026-01-21",
                "10:15:00",
                "Then I suggest 16 March for the launch of the UI redesign.",
                thread_ts=root,
                subtype="thread_broadcast",
            ),
            message("U0DANIEL1", "2026-01-21", "11:40:00", "Agreed. 16 March it is.", thread_ts=root),
        ],
        f"{DIRECT}/2026-01-22.json": [
            message("U0PRIYA01", "2026-01-22", "16:20:00", "Five of six people found the new filters at once."),
            message("U0ALICE01", "2026-01-22", "16:22:00", "Wonderful! Please put that into the report for Daniel."),
        ],
    }


def main() -> None:
    """Write the archive; the same bytes each time."""
    with zipfile.ZipFile(TARGET, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members().items():
            info = zipfile.ZipInfo(name, (2026, 1, 23, 12, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""Writes the samples of messages with media: a note with an attached table, and a captured page.

.venv/bin/python data/samples/make_messages.py
"""

import base64
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "alice/message"
TABLE = "Participant,Task,Seconds\nP1,Find the filters,12\nP2,Find the filters,9\nP3,Find the filters,41\n"
PAGE = "# Whiteboard, 3 February\n\nOrder of the settings page: account, language, notifications.\n"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def values() -> dict[str, dict[str, Any]]:
    """Return the messages by file name."""
    return {
        "2026-01-29-filter-times.json": {
            "type": "user_input",
            "userId": "alice",
            "sessionId": "phone",
            "timestamp": "2026-01-29T17:45:00Z",
            "content": [
                {"type": "text", "text": "Remember: the third participant needed 41 seconds to find the filters."},
                {"type": "document", "title": "filter-times.csv", "source": {"data": _encoded(TABLE)}},
            ],
        },
        "2026-02-03-whiteboard.json": {
            "type": "capture",
            "captureId": "cap-17",
            "mediaType": "document",
            "filename": "whiteboard.md",
            "content": _encoded(PAGE),
            "metadata": {"source": "camera", "capturedAt": "2026-02-03T11:20:00Z", "format": "text/markdown"},
        },
    }


def main() -> None:
    """Write the files; the same bytes each time."""
    for name, value in values().items():
        (FOLDER / name).write_text(json.dumps(value, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Chats that programs export in forms of their own: SMS, LINE, LinkedIn, Twitter, Matrix, Gemini, transcripts, IRC."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.sources.choice import choose_source
from tests.samples.taking import take

ZONE = ZoneInfo("Europe/Vienna")
SMS = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<!--File Created By SMS Backup & Restore-->
<smses count="2">
<sms address="+431" date="1648893600000" type="1" body="The keys are here" contact_name="Gerd Holl" />
<sms address="+431" date="1648897200000" type="2" body="Thanks &amp; bye" contact_name="Gerd Holl" />
<mms date="1680000000000" msg_box="1" address="+431" contact_name="Gerd Holl"><parts>
<part ct="text/plain" text="The pane costs 90" /></parts></mms>
</smses>"""
LINE = "[LINE] Chat history with Yuki\nSaved on: 2024/03/05, 10:11\n\nTue, 03/05/2024\n"
LINE += "10:11\tYuki\tThe flat is free\nfrom May\n"
LINE += "10:12\tNora\tHow much?\n\n2024/03/06(Wed)\n08:00\tYuki\t92000 yen\n"
MESSAGES = """May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)
Ilse Berger
Still on for Friday?

May 18, 2022  9:00:11 AM
Me
Yes!
Loved by Ilse Berger

"""
LINKEDIN = """CONVERSATION ID,CONVERSATION TITLE,FROM,TO,DATE,SUBJECT,CONTENT,FOLDER
2-a,,Fenella Grant,Nora,2023-02-01 10:11:12 UTC,,"Hi, <p>we look</p>",INBOX
"""
DIRECT = [
    {
        "dmConversation": {
            "conversationId": "1-2",
            "messages": [
                {
                    "messageCreate": {
                        "senderId": "2",
                        "text": "Is the bike there?",
                        "id": "9",
                        "createdAt": "2019-03-04T10:12:00.000Z",
                    }
                }
            ],
        }
    }
]
DIRECT_MESSAGES = f"window.YTD.direct_messages.part0 = {json.dumps(DIRECT)}"
MATRIX = {
    "room_name": "Choir",
    "exported_by": "Nora",
    "messages": [
        {"type": "m.room.member", "sender": "@b:x.org", "state_key": "@b:x.org", "content": {"displayname": "Birgit"}},
        {
            "type": "m.room.message",
            "sender": "@b:x.org",
            "content": {"msgtype": "m.text", "body": "14 June"},
            "origin_server_ts": 1677664800000,
            "event_id": "$1",
        },
    ],
}
GEMINI = [
    {
        "header": "Gemini Apps",
        "title": "Prompted When does it leave?",
        "time": "2024-02-10T20:11:12.000Z",
        "safeHtmlItem": [{"html": "<p>At <b>7:12</b>.</p>"}],
    }
]
OTTER = "Ann Lee  0:02\nGood morning, we begin.\n\nOtto Brandt  0:09\nFine.\n\nTranscribed by https://otter.ai\n"
IRSSI = "--- Log opened Mon Mar 04 18:00:00 2024\n18:00 -!- a [~a@h] has joined #x\n18:01 -!- b [~b@h] has joined #x\n"
IRSSI += "18:10 <hanno> Sunday at 9\n--- Day changed Tue Mar 05 2024\n09:01 <hanno> Sunday at 10\n"
WEECHAT = "2024-03-04 18:00:00\t-->\ta (~a@h) has joined #x\n2024-03-04 18:00:01\t-->\tb (~b@h) has joined #x\n"
WEECHAT += "2024-03-04 18:10:00\t@hanno\tSunday at 9\n"
SIGNAL = "[2022-05-17 17:29] Me: Got the ladder?\n[2022-05-17 17:31] Bram: Yes\n[2022-05-18 09:00] Bram: It is long\n"

CASES = [
    (
        "sms.xml",
        SMS,
        {"2022-04-02": "Gerd Holl: The keys are here\nMe: Thanks & bye", "2023-03-28": "Gerd Holl: The pane costs 90"},
    ),
    (
        "chat.txt",
        LINE,
        {"2024-03-05": "Yuki: The flat is free\nfrom May\nNora: How much?", "2024-03-06": "Yuki: 92000 yen"},
    ),
    ("Ilse.txt", MESSAGES, {"2022-05-17": "Ilse Berger: Still on for Friday?", "2022-05-18": "Me: Yes!"}),
    ("messages.csv", LINKEDIN, {"2023-02-01": "Fenella Grant: Hi,\n\nwe look"}),
    ("direct-messages.js", DIRECT_MESSAGES, {"2019-03-04": "account 2: Is the bike there?"}),
    ("export.json", json.dumps(MATRIX), {"2023-03-01": "Birgit: 14 June"}),
    ("MyActivity.json", json.dumps(GEMINI), {"2024-02-10": "user: When does it leave?\nassistant: At 7:12."}),
    ("2024-03-05 call.txt", OTTER, {"2024-03-05": "Ann Lee: Good morning, we begin.\nOtto Brandt: Fine."}),
    ("x.log", IRSSI, {"2024-03-04": "hanno: Sunday at 9", "2024-03-05": "hanno: Sunday at 10"}),
    ("y.log", WEECHAT, {"2024-03-04": "hanno: Sunday at 9"}),
    ("chat.md", SIGNAL, {"2022-05-17": "Me: Got the ladder?\nBram: Yes", "2022-05-18": "Bram: It is long"}),
]


@pytest.mark.parametrize(("name", "text", "days"), CASES, ids=[case[0] for case in CASES])
def test_each_day_of_a_chat_is_an_item(tmp_path: Path, name: str, text: str, days: dict[str, str]) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert choose_source(path) == "conversation"
    found = take("conversation", path, zone=ZONE)
    assert {one.item.event_at.astimezone(ZONE).date().isoformat(): one.text for one in found} == days


@pytest.mark.parametrize(("name", "text", "days"), CASES, ids=[case[0] for case in CASES])
def test_what_landed_as_a_note_or_document_before_is_still_read(
    tmp_path: Path, name: str, text: str, days: dict[str, str]
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    for source in ("note", "document"):
        assert all(not one.refusal for one in take(source, path, zone=ZONE))


def test_the_log_of_a_program_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("".join(f"[2026-01-05 10:11:{n:02}] worker: step {n} done\n" for n in range(20)))
    assert choose_source(path) != "conversation"


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sms.xml"
    path.write_text(SMS.replace("<smses", '<!DOCTYPE smses [<!ENTITY a "aaaa">]>\n<smses', 1))
    (only,) = take("conversation", path, zone=ZONE)
    assert "entities" in only.refusal

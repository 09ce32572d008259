"""Exports of apps of notes, diaries and blogs: each note is an item with its own bytes, day, title, tags and prose."""

import base64
import csv
import io
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.sources.choice import choose_source
from brain_retrieval.settings import Limits
from tests.samples.taking import Taken, take, take_one

ZONE = ZoneInfo("Europe/Vienna")


def land(tmp_path: Path, name: str, content: str | Any, **options: Any) -> list[Taken]:
    """Return the items of a file, which goes to the source `note` by its content."""
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    assert choose_source(path) == "note"
    return take("note", path, zone=ZONE, **options)


def seen(found: list[Taken]) -> list[tuple[str, str, str]]:
    """Return day, title and text of each item."""
    assert all(one.item.event_from == "content" for one in found)
    rows = []
    for one in found:
        assert one.document is not None, one.refusal
        rows.append((one.item.event_at.astimezone(ZONE).date().isoformat(), one.document["title"], one.text))
    return rows


def enml(body: str) -> str:
    return f'<![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "x.dtd"><en-note>{body}</en-note>]]>'


PICTURE = base64.b64encode(b"The tap drips.").decode()
EVERNOTE = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20240602T071122Z" application="Evernote" version="10">
<note><title>Boiler</title><created>20230914T081500Z</created><updated>20231002T101112Z</updated><tag>house</tag>
<note-attributes><author>Nora Keel</author></note-attributes>
<content>{enml("<div>Piet serviced it.&nbsp;He takes 95.</div><div><en-todo checked='true'/>pay</div>")}</content>
<resource><data encoding="base64">{PICTURE}</data><mime>text/plain</mime>
<resource-attributes><file-name>tap.txt</file-name></resource-attributes></resource></note>
<note><title>Untitled Note</title><created>20210308T171614Z</created>
<content>{enml("<div>Moved to Harrow Lane.</div>")}</content></note>
<note><title>Bread</title><created>20190501T090000Z</created><note-attributes><source>web.clip7</source>
<source-url>https://example.org/bread</source-url></note-attributes>
<content>{enml("<h2>Dough</h2><p>I feed my starter at night.</p>")}</content></note>
</en-export>"""


def test_evernote(tmp_path: Path) -> None:
    found = land(tmp_path, "House.enex", EVERNOTE)
    boiler, tap, moved, bread = found
    assert seen([boiler, moved]) == [
        ("2023-09-14", "Boiler", "Tags: house\n\nPiet serviced it. He takes 95.\n[x] pay"),
        ("2021-03-08", "Moved to Harrow Lane.", "Moved to Harrow Lane."),
    ]
    assert boiler.document is not None and boiler.document["authors"] == []  # the owner speaks
    assert json.loads(boiler.document["attributes"])["author"] == "Nora Keel"
    assert tap.text == "The tap drips." and tap.item.parent == "inbox:note/House.enex#20230914T081500Z"
    assert {segment["kind"] for segment in bread.segments} == {"article"}  # not said by the owner
    assert bread.document is not None and bread.document["url"] == "https://example.org/bread"
    assert not any(one.reasons for one in found)


def test_the_bytes_of_a_note_do_not_depend_on_the_day_of_the_export(tmp_path: Path) -> None:
    first = land(tmp_path, "a.enex", EVERNOTE)
    later = land(tmp_path, "a.enex", EVERNOTE.replace("20240602T071122Z", "20250101T000000Z"))
    assert [one.item.content for one in first] == [one.item.content for one in later]


def test_a_truncated_export_is_read_up_to_the_damage(tmp_path: Path) -> None:
    found = land(tmp_path, "a.enex", EVERNOTE[: EVERNOTE.index("Untitled Note")])
    assert found[0].text.startswith("Tags: house")
    assert found[-1].refusal.startswith("damaged XML: ") and "left out" in found[-1].refusal


def test_attachments_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    found = land(tmp_path, "a.enex", EVERNOTE, limits=Limits(max_parts=0))
    assert found[-1].refusal.startswith("1 attachments are left out") and len(found) == 4


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    bomb = EVERNOTE.replace('SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd"', '[<!ENTITY a "aaaa">]')
    (only,) = land(tmp_path, "a.enex", bomb)
    assert "entities" in only.refusal


KEEP = {"color": "DEFAULT", "isTrashed": False, "isPinned": False, "isArchived": False, "title": "Car"}
KEEP |= {"createdTimestampUsec": 1652778000000000, "userEditedTimestampUsec": 1652781600144000}


def test_keep(tmp_path: Path) -> None:
    note = KEEP | {"textContent": "Sold the Fabia.", "textContentHtml": "<p>Sold</p>", "labels": [{"name": "car"}]}
    assert seen(land(tmp_path, "Car.json", note)) == [("2022-05-17", "Car", "Tags: car\n\nSold the Fabia.")]
    boxes = [{"text": "milk", "isChecked": True, "textHtml": "<p>"}, {"text": "rice", "isChecked": False}]
    assert seen(land(tmp_path, "x.json", KEEP | {"listContent": boxes}))[0][2] == "- [x] milk\n- [ ] rice"
    (binned,) = land(tmp_path, "y.json", KEEP | {"isTrashed": True, "textContent": "no"})
    assert "bin" in binned.refusal


def test_keep_as_a_page(tmp_path: Path) -> None:
    page = """<?xml version="1.0" ?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head>
<title>Garden</title><style>.note {margin: 0}</style></head>
<body><div class="note"><div class="heading"><div class="meta-icons"></div>
Apr 15, 2021, 7:07:43 PM</div>
<div class="title">Garden</div>
<div class="content">Planted the quince.<br>Ravi lent the spade.</div>
<div class="chips"><span class="chip label"><span class="label-name">plot</span></span></div>
</div></body></html>"""
    found = land(tmp_path, "Garden.html", page)
    assert seen(found) == [("2021-04-15", "Garden", "Tags: plot\n\nPlanted the quince.\nRavi lent the spade.")]
    assert found[0].item.event_at.astimezone(ZONE).hour == 19


def test_a_page_of_notion(tmp_path: Path) -> None:
    page = """<html><head><title>Interview</title></head><body><article id="2f2a3b4c-5d6e-7f80-91a2-b3c4d5e6f708"
 class="page sans"><header><h1 class="page-title">Interview</h1><table class="properties"><tbody>
<tr class="property-row property-row-created_time"><th>Created</th><td><time>@February 9, 2023 2:00 PM</time></td></tr>
<tr class="property-row property-row-multi_select"><th>Tags</th><td><span class="selected-value">work</span></td></tr>
</tbody></table></header><div class="page-body"><p>Fenella pays 64,000.</p><ul class="to-do-list"><li>
<div class="checkbox checkbox-off"></div> <span>send references</span></li></ul></div></article></body></html>"""
    page = page.replace("\n class", " class", 1)
    assert seen(land(tmp_path, "Interview 2f2a3b4c5d6e7f8091a2b3c4d5e6f708.html", page)) == [
        ("2023-02-09", "Interview", "Tags: work\n\nFenella pays 64,000.\n\n- [ ] send references")
    ]


def test_the_id_behind_a_title_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "Packing aa2a3b4c5d6e7f8091a2b3c4d5e6f708.md"
    path.write_text("Created: March 5, 2023 10:11 AM\nLast edited: March 9, 2023 8:00 PM\n\nTake the tent.\n")
    taken = take_one("note", path, zone=ZONE)
    assert taken.item.event_at.date().isoformat() == "2023-03-05"


CARD = "Tags: urgent\n\n180 a day.\n\n- [ ] permit\n\nList: Doing\nMembers: Nora Keel\n\n"
CARD += "Nora Keel, 2023-09-19: Griet drives."
JSON_EXPORTS: list[tuple[str, Any, list[tuple[str, str, str]]]] = [
    (
        "Journal.json",
        {
            "metadata": {"version": "1.0"},
            "entries": [
                {
                    "uuid": "A1",
                    "creationDate": "2018-07-21T19:30:12Z",
                    "text": "# Hike\n\nIlse moves\\.",
                    "tags": ["hike"],
                },
                {"uuid": "B2", "creationDate": "2021-01-02T07:05:00Z", "text": "Dad is ill\\."},
            ],
        },
        [("2018-07-21", "Hike", "Tags: hike\n\n# Hike\n\nIlse moves."), ("2021-01-02", "Dad is ill.", "Dad is ill.")],
    ),
    (
        "1532.json",
        {"text": "<p>Met <b>Tomasz</b>.</p>", "date_journal": 1532167200000, "preview_text": "Met", "type": "html"},
        [("2018-07-21", "Met Tomasz.", "Met Tomasz.")],
    ),
    (
        "notes.json",
        {
            "activeNotes": [
                {
                    "id": "a",
                    "content": "Dentist\r\nDr. Halloran.",
                    "creationDate": "2017-02-08T21:28:43Z",
                    "tags": ["me"],
                }
            ],
            "trashedNotes": [{"id": "t", "content": "no", "creationDate": "2016-02-08T21:28:43Z"}],
        },
        [("2017-02-08", "Dentist", "Tags: me\n\nDentist\nDr. Halloran.")],
    ),
    (
        "Standard Notes Backup and Import File.txt",
        {
            "version": "004",
            "items": [
                {
                    "uuid": "n1",
                    "content_type": "Note",
                    "content": {"title": "Plot", "text": "Plot 31 costs 60.", "references": []},
                    "created_at": "2020-05-04T09:00:00.000Z",
                },
                {"content_type": "Tag", "content": {"title": "garden", "references": [{"uuid": "n1"}]}},
                {"content_type": "SN|Component", "content": {"name": "Editor"}},
            ],
        },
        [("2020-05-04", "Plot", "Tags: garden\n\nPlot 31 costs 60.")],
    ),
    (
        "graph.json",
        [
            {
                "title": "January 5th, 2024",
                "edit-time": 1704448800000,
                "children": [
                    {"string": "Met Odile", "uid": "x", "children": [{"string": "{{[[TODO]]}} call her", "uid": "y"}]}
                ],
            }
        ],
        [("2024-01-05", "January 5th, 2024", "- Met Odile\n  - [ ] call her")],
    ),
    (
        "your_posts_1.json",
        [
            {"timestamp": 1439114400, "data": [{"post": "Mit Fam\u00c3\u00adlia in Triest"}], "title": "N updated"},
            {
                "timestamp": 1470736800,
                "data": [{"update_timestamp": 1}],
                "attachments": [{"data": [{"media": {"uri": "x.jpg", "description": "Our kitchen"}}]}],
            },
        ],
        [
            ("2015-08-09", "Mit Família in Triest", "Mit Família in Triest"),
            ("2016-08-09", "Our kitchen", "Our kitchen"),
        ],
    ),
    (
        "board.json",
        {
            "labelNames": {"green": "urgent"},
            "prefs": {},
            "lists": [{"id": "l", "name": "Doing"}],
            "members": [{"id": "m", "fullName": "Nora Keel"}],
            "cards": [
                {
                    "id": "64fd8a3b1c9d440000a1b2c3",
                    "name": "Van",
                    "desc": "180 a day.",
                    "idList": "l",
                    "idMembers": ["m"],
                    "labels": [{"name": "urgent"}],
                }
            ],
            "checklists": [
                {"idCard": "64fd8a3b1c9d440000a1b2c3", "checkItems": [{"name": "permit", "state": "incomplete"}]}
            ],
            "actions": [
                {
                    "type": "commentCard",
                    "date": "2023-09-19T18:00:00Z",
                    "memberCreator": {"fullName": "Nora Keel"},
                    "data": {"text": "Griet drives.", "card": {"id": "64fd8a3b1c9d440000a1b2c3"}},
                }
            ],
        },
        [("2023-09-10", "Van", CARD)],
    ),
    (
        "tasks.json",
        {
            "data": [
                {
                    "gid": "1",
                    "name": "Grant",
                    "notes": "Ask Priya.",
                    "assignee": {"name": "Otto"},
                    "completed": False,
                    "created_at": "2022-03-04T10:11:12Z",
                    "due_on": "2022-04-01",
                }
            ]
        },
        [("2022-03-04", "Grant", "Ask Priya.\n\nAssignee: Otto\nDue: 2022-04-01")],
    ),
    (
        "marks.json",
        {
            "annotations": [
                {
                    "id": "x",
                    "created": "2022-03-04T10:11:12+00:00",
                    "uri": "https://example.org/q",
                    "text": "Try this.",
                    "document": {"title": ["Quinces"]},
                    "target": [{"selector": [{"exact": "Prune in winter."}]}],
                }
            ]
        },
        [("2022-03-04", "Quinces", "> Prune in winter.\n> Source: Quinces https://example.org/q\n\nTry this.")],
    ),
]


@pytest.mark.parametrize(("name", "content", "expected"), JSON_EXPORTS, ids=[one[0] for one in JSON_EXPORTS])
def test_json(tmp_path: Path, name: str, content: Any, expected: list[tuple[str, str, str]]) -> None:
    found = land(tmp_path, name, content)
    assert seen(found) == expected
    assert not any(one.reasons for one in found)


@pytest.mark.parametrize(("name", "content", "expected"), JSON_EXPORTS, ids=[one[0] for one in JSON_EXPORTS])
def test_a_file_that_landed_as_one_item_before_is_still_read(
    tmp_path: Path, name: str, content: Any, expected: list[tuple[str, str, str]]
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(content), "utf-8")
    for source in ("note", "document"):
        whole = take(source, path, zone=ZONE, landed=[take_one("document", path).item])
        words = [line for _, _, text in expected for line in text.split("\n")]
        assert all(word in whole[0].text for word in words)


def test_an_encrypted_backup_is_refused(tmp_path: Path) -> None:
    content = {"version": "004", "items": [{"uuid": "n", "content_type": "Note", "content": "004:abc"}]}
    (only,) = land(tmp_path, "backup.json", content)
    assert "encrypted" in only.refusal


def post(at: str, text: str, number: str) -> dict[str, Any]:
    urls = [{"url": "https://t.co/a", "expanded_url": "https://example.org/desk"}]
    entities = {"urls": urls, "user_mentions": [{"screen_name": "karl_b", "name": "Karl Brandt"}]}
    return {"tweet": {"id_str": number, "created_at": at, "full_text": text, "entities": entities}}


def test_posts_of_a_day_are_one_item(tmp_path: Path) -> None:
    posts = [
        post("Sun Mar 11 09:15:00 +0000 2018", "My desk &amp; window https://t.co/a", "1"),
        post("Sun Mar 11 10:15:00 +0000 2018", "RT @other: I bake my bread", "2"),
        post("Thu Jan 02 20:19:24 +0000 2020", "@karl_b See you", "3"),
    ]
    found = land(tmp_path, "tweets.js", f"window.YTD.tweets.part0 = {json.dumps(posts)}")
    assert [one.item.fragment for one in found] == ["2018-03-11", "2020-01-02"]
    assert [one.text for one in found] == [
        "My desk & window https://example.org/desk\n\nRT @other: I bake my bread",
        "@karl_b (Karl Brandt) See you",
    ]
    assert [segment["kind"] for segment in found[0].segments] == ["body", "article"]


def test_lists_of_an_archive_without_posts_are_refused(tmp_path: Path) -> None:
    (only,) = land(tmp_path, "ip-audit.js", 'window.YTD.ip_audit.part0 = [{"ipAudit": {"loginIp": "10.0.0.1"}}]')
    assert "'ip_audit' of Twitter's archive" in only.refusal


def clipping(title: str, place: str, words: str) -> str:
    return f"{title}\r\n- {place}\r\n\r\n{words}\r\n==========\r\n"


@pytest.mark.parametrize(
    ("marked", "own"),
    [
        (
            "Your Highlight on page 1 | Added on Sunday, March 11, 2018 9:15:00 PM",
            "Your Note on page 1 | Added on Sunday, March 11, 2018 9:18:00 PM",
        ),
        (
            "Ihre Markierung bei Position 170 | Hinzugefügt am Sonntag, 11. März 2018 21:15:00",
            "Ihre Notiz bei Position 190 | Hinzugefügt am Sonntag, 11. März 2018 21:18:00",
        ),
        (
            "La subrayado en la página 1 | Añadido el domingo, 11 de marzo de 2018 21:15:00",
            "La nota en la página 1 | Añadido el domingo, 11 de marzo de 2018 21:18:00",
        ),
        (
            "Votre surlignement sur la page 1 | Ajouté le dimanche 11 mars 2018 21:15:00",
            "Votre note sur la page 1 | Ajouté le dimanche 11 mars 2018 21:18:00",
        ),
        (
            "Seu destaque na página 1 | Adicionado: domingo, 11 de março de 2018 21:15:00",
            "Sua nota na página 1 | Adicionado: domingo, 11 de março de 2018 21:18:00",
        ),
        (
            "La tua evidenziazione a pagina 1 | Aggiunto in data domenica 11 marzo 2018 21:15:00",
            "La tua nota a pagina 1 | Aggiunto in data domenica 11 marzo 2018 21:18:00",
        ),
    ],
)
def test_clippings_of_a_reading_device(tmp_path: Path, marked: str, own: str) -> None:
    text = clipping("The Tale (Moe, Ann)", marked, "The sea was calm.") + clipping(
        "The Tale (Moe, Ann)", own, "Ask Bo."
    )
    found = land(tmp_path, "My Clippings.txt", "\ufeff" + text)
    assert seen(found) == [("2018-03-11", "The Tale", "> The sea was calm.\n> — Ann Moe, *The Tale*\n\nAsk Bo.")]
    assert found[0].item.event_at.astimezone(ZONE).strftime("%H:%M") == "21:15"


def test_wordpress(tmp_path: Path) -> None:
    def item(number: int, kind: str, title: str, body: str, status: str = "publish") -> str:
        return (
            f"<item><title><![CDATA[{title}]]></title><link>https://example.org/{number}</link><dc:creator>n</dc:creator>"
            f"<content:encoded><![CDATA[{body}]]></content:encoded><wp:post_id>{number}</wp:post_id>"
            f"<wp:post_date><![CDATA[2019-02-12 08:00:00]]></wp:post_date><wp:status>{status}</wp:status>"
            f"<wp:post_type>{kind}</wp:post_type><category>Pets</category></item>"
        )

    spaces = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    author = "<wp:author_login>{}</wp:author_login><wp:author_display_name>{}</wp:author_display_name>"
    author = f"<wp:author>{author}</wp:author>"
    one, two = author.format("n", "Nora Keel"), author.format("o", "Otto Brandt")
    items = item(5, "post", "Our dog", "<!-- wp:paragraph --><p>He is <em>three</em>.</p><!-- /wp:paragraph -->")
    items += (
        item(6, "attachment", "p.jpg", "")
        + item(7, "page", "About", "One.\n\nTwo.")
        + item(8, "post", "x", "y", "trash")
    )
    text = (
        f'<?xml version="1.0"?><rss version="2.0" {spaces} xmlns:wp="http://wordpress.org/export/1.2/"><channel>'
        f"<wp:wxr_version>1.2</wp:wxr_version>{one}{items}</channel></rss>"
    )
    found = land(tmp_path, "export.xml", text)
    assert seen(found) == [
        ("2019-02-12", "Our dog", "Tags: Pets\n\nHe is three."),
        ("2019-02-12", "About", "Tags: Pets\n\nOne.\n\nTwo."),
    ]
    assert all(taken.document and taken.document["authors"] == [] for taken in found)  # the owner speaks
    found = land(tmp_path, "blog.xml", text.replace(one, one + two))
    assert all(taken.document and taken.document["authors"] == ["Nora Keel"] for taken in found)


def test_joplin(tmp_path: Path) -> None:
    fields = "id: 0123456789abcdef0123456789abcdef\ncreated_time: 2020-10-05T08:53:36.123Z\nauthor: \ntype_: "
    assert seen(land(tmp_path, "a.md", f"Choir\n\nBirgit leads.\n\n{fields}1")) == [
        ("2020-10-05", "Choir", "Birgit leads.")
    ]
    (only,) = land(tmp_path, "b.md", f"House\n\n{fields}2")
    assert only.refusal == "a notebook of Joplin, not a note"


def test_logseq(tmp_path: Path) -> None:
    page = "title:: Desmond\ntype:: person\ntags:: [[loft]], trades\n\n- Roofer from Bath\n  id:: 65c8a1b2-1111\n"
    page += "- DONE pay\n  :LOGBOOK:\n  CLOCK: [2024-02-11 Sun]\n  :END:\n\t- TODO call\n\t  collapsed:: true\n"
    (only,) = land(tmp_path, "Desmond.md", page)
    assert only.document is not None and only.document["title"] == "Desmond"
    assert only.text == "Tags: loft, trades\n\ntype: person\n\n- Roofer from Bath\n- [x] pay\n\t- [ ] call"


def test_outline(tmp_path: Path) -> None:
    text = '<?xml version="1.0"?>\n<opml version="2.0"><head><title>Home</title></head><body><outline text="Roof">'
    text += '<outline text="Done by &lt;b&gt;Kessler&lt;/b&gt;" _note="8,200 euros"/></outline></body></opml>'
    (only,) = land(tmp_path, "home.opml", text)
    assert only.text == "- Roof\n  - Done by Kessler\n    8,200 euros"


def table(*rows: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


def test_tables_of_what_was_marked_posted_and_read(tmp_path: Path) -> None:
    columns = ["Highlight", "Book Title", "Book Author", "Note", "Tags", "Highlighted at"]
    marked = table(columns, ["The sea was calm.", "The Tale", "Ann Moe", "Ask Bo.", "", "2022-03-04 10:11:12+00:00"])
    assert seen(land(tmp_path, "readwise-data.csv", marked)) == [
        ("2022-03-04", "The Tale", "> The sea was calm.\n> — Ann Moe, *The Tale*\n\nAsk Bo.")
    ]
    columns = ["id", "permalink", "date", "ip", "subreddit", "body"]
    posted = table(columns, ["a", "https://example.org/1", "2021-03-04 10:11:12 UTC", "", "gardening", "I planted it."])
    assert seen(land(tmp_path, "comments.csv", posted)) == [
        ("2021-03-04", "I planted it.", "Tags: r/gardening\n\nI planted it.")
    ]
    columns = ["Book Id", "Title", "Author", "My Rating", "Date Read", "Date Added", "Exclusive Shelf", "My Review"]
    read = table(columns, ["1", "The Tale", "Ann Moe", "5", "2021/03/14", "2021/02/01", "read", "Loved<br/>it."])
    assert seen(land(tmp_path, "goodreads.csv", read)) == [
        ("2021-03-14", "The Tale", "Author: Ann Moe\nShelf: read\nMy rating: 5 of 5\nRead: 2021-03-14\n\nLoved\nit.")
    ]


def test_an_address_book_is_read_card_by_card(tmp_path: Path) -> None:
    cards = (
        "BEGIN:VCARD\nVERSION:3.0\nN:Keel;Nora;;;\nFN:Nora Keel\nEMAIL;TYPE=HOME:nora@keel.example\n"
        f"PHOTO;ENCODING=b;TYPE=JPEG:{PICTURE * 40}\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:3.0\nFN:Piet Holl\nTEL;TYPE=CELL:+43 660 1\nBDAY:19790901\nEND:VCARD\n"
    )
    (found,) = land(tmp_path, "contacts.vcf", cards)
    assert found.text.split("\n\n") == [
        "name: Nora Keel\ne-mail (home): nora@keel.example",
        "name: Piet Holl\nphone (cell): +43 660 1\nbirthday: 1979-09-01",
    ]
    assert found.document is not None and found.document["title"] == "Nora Keel, Piet Holl"

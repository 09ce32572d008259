"""The page of `brain serve`: sign-in, forms, what is shown, and that nothing that is shown becomes markup."""

import re
from collections import Counter
from html import unescape
from urllib.parse import urlsplit

import httpx
import pytest

from brain_pipelines.server.keys import Keys
from brain_pipelines.server.log import flush
from brain_pipelines.server.page.session import COOKIE, Sessions
from brain_pipelines.server.page.words import FOLDER, FORBIDDEN, MARK, wanted, words_of
from brain_retrieval.brain import Brain
from tests.pipelines.server.page.conftest import (
    HOSTILE_NAME,
    MARKUP,
    SECRET,
    Site,
    csrf_of,
    path_of,
    post,
    sign_in,
    tags_of,
)

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGES_OF_A_KIND = 15
FORMS = (
    "/page/sign-out",
    "/page/inbox/retry",
    "/page/forget/preview",
    "/page/forget",
    "/page/keys",
    "/page/keys/revoke",
)


def test_a_key_opens_a_session_that_ends_with_it(site: Site) -> None:
    keys = Keys(site.home)
    key, stored = keys.create("alice", ("read",))
    with httpx.Client(base_url=site.url) as client:
        asked = client.get("/page/inbox?offset=0")
        assert (asked.status_code, asked.headers["location"]) == (303, "/page/sign-in?next=/page/inbox%3Foffset%3D0")
        assert client.get("/").headers["location"] == "/page/"
        wrong = sign_in(client, key[:-1] + ("A" if key[-1] != "A" else "B"))
        assert wrong.status_code == 401 and COOKIE not in client.cookies and key[-20:] not in wrong.text
        again = sign_in(client, key, "/page/inbox?offset=0")
        assert (again.status_code, again.headers["location"]) == (303, "/page/inbox?offset=0")
        (cookie,) = [one for one in again.headers.get_list("set-cookie") if one.startswith(f"{COOKIE}=")]
        assert {"HttpOnly", "Path=/page", "SameSite=strict"} <= set(cookie.split("; ")) and key not in cookie
        assert client.get("/page/inbox").status_code == 200
        assert client.get("/api/sources").status_code == 401  # the routes of programs take no cookie
        token = client.cookies[COOKIE]
        assert client.get("/page/inbox", headers={"Cookie": f"{COOKIE}={token}x"}).status_code == 303
        keys.revoke("alice", stored.key_id)
        assert client.get("/page/inbox").status_code == 303
    bearer = {"Authorization": f"Bearer {keys.create('alice', ('read',))[0]}"}
    assert httpx.get(f"{site.url}/page/inbox", headers=bearer).status_code == 303  # and the page takes no key


def test_signing_out_and_waiting_end_a_session(site: Site) -> None:
    with site.visitor() as client:
        kept = client.cookies[COOKIE]
        assert post(client, "/page/sign-out").headers["location"] == "/page/sign-in"
        assert httpx.get(f"{site.url}/page/", headers={"Cookie": f"{COOKIE}={kept}"}).status_code == 303
    now = [0.0]
    keys = Keys(site.home)
    sessions = Sessions(keys, lambda: now[0])
    caller = keys.caller(keys.create("alice", ("read",))[0])
    assert caller is not None
    cookie = {"cookie": f"{COOKIE}={sessions.open(caller)}"}
    for hours in range(0, 14 * 24, 11):
        now[0] = hours * 3600.0
        assert sessions.of(cookie) is not None
    now[0] = 14 * 24 * 3600.0 + 1
    assert sessions.of(cookie) is None
    cookie = {"cookie": f"{COOKIE}={sessions.open(caller)}"}
    now[0] += 12 * 3600.0 + 1
    assert sessions.of(cookie) is None and sessions.of({"cookie": "\x00=;;"}) is None


@pytest.mark.parametrize("onward", ["//evil.example/", "https://evil.example/", "/page/\\evil", "/page/../api", "/x"])
def test_signing_in_leads_nowhere_else(site: Site, onward: str) -> None:
    with httpx.Client(base_url=site.url) as client:
        key, _ = Keys(site.home).create("carol", ("read",))
        assert sign_in(client, key, onward).headers["location"] == "/page/"
        assert client.get("/page/").status_code == 200 and "Nothing is in this memory yet" in client.get("/page/").text


def test_a_form_of_another_page_changes_nothing(site: Site, alice: httpx.Client, bob: httpx.Client) -> None:
    theirs = csrf_of(bob.get("/page/forget").text)
    for path in FORMS:
        for fields in ({"kind": "day"}, {"csrf": ""}, {"csrf": theirs}):
            assert alice.post(path, data=fields).status_code == 403
        assert alice.post(path, json={"csrf": csrf_of(alice.get("/page/forget").text)}).status_code == 415
        own = {"csrf": csrf_of(alice.get("/page/forget").text)}
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{urlsplit(site.url).port - 1}"):
            assert alice.post(path, data=own, headers={"Origin": origin}).status_code == 403
        assert alice.post(path, data=own, headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert alice.get("/page/", headers={"Host": "evil.example"}).status_code == 421
    with httpx.Client(base_url=site.url) as stranger:
        key = Keys(site.home).create("alice", ("read",))[0]
        token = csrf_of(stranger.get("/page/sign-in").text)
        stranger.cookies.clear()  # as in a browser that has not asked for the form
        assert stranger.post("/page/sign-in", data={"csrf": token, "key": key}).status_code == 403


def test_no_page_shows_markup_of_a_source(site: Site, alice: httpx.Client, capfd: pytest.CaptureFixture[str]) -> None:
    """Follow every link that alice can see, and ask hostile questions."""
    capfd.readouterr()
    todo = [
        "/page/",
        "/page/names",
        f"/page/?q={SECRET}",
        "/page/?q=%3Cscript%3Ealert(5)%3C/script%3E+Priya&as_of=2026-03-01",
    ]
    todo += [
        f"/page/?q=x&as_of={MARKUP}&person=%22onfocus=x",
        "/page/about/%3Cscript%3E",
        "/page/%3Cscript%3E",
        "/page/costs?month=9999-12",
        site.ids(alice)["harbour.pdf"],
    ]
    seen: dict[str, str] = {}
    visits: Counter[str] = Counter()
    shown = ""
    while todo:
        path = todo.pop()
        bare = path.partition("#")[0]
        kind = " ".join(re.split(r"[/?]", bare)[2:3]) + re.sub(r"[^a-z].*", "", bare.rpartition("/")[2])
        if bare in seen or visits[kind] >= PAGES_OF_A_KIND:
            continue
        visits[kind] += 1
        answer = alice.get(bare)
        seen[bare] = answer.headers["content-type"]
        assert answer.status_code in (200, 400, 404, 422), bare
        assert answer.headers["x-content-type-options"] == "nosniff"
        if not seen[bare].startswith("text/html"):
            continue
        assert (answer.headers["content-security-policy"], answer.headers["cache-control"]) == (POLICY, "no-store")
        shown += answer.text
        for tag, attrs in tags_of(answer.text):
            assert not any(name.startswith("on") or name == "style" for name in attrs) and tag != "style"
            assert tag != "script" or attrs["src"].startswith("/page/assets/page.js?v=")
            for name in ("href", "src", "action"):
                assert attrs.get(name, "/page/").startswith(("/page/", "#")), attrs
            followed = tag == "a" and attrs["href"].startswith("/page/") and "/page/language?" not in attrs["href"]
            todo += [attrs["href"]] if followed else []
            todo += [attrs["src"]] if tag == "img" else []
    assert {"text/html; charset=utf-8", "application/octet-stream", "image/png"} <= set(seen.values())
    assert sum(path.startswith("/page/source/") for path in seen) > 5 and any("/about/entity_" in path for path in seen)
    assert shown.count("&lt;script&gt;alert(1)") > 5 and SECRET in shown
    flush()
    logged = capfd.readouterr().err
    assert '"route": "/page/source/{source_id}"' in logged
    assert not any(word in logged for word in (SECRET, "alert", "harbour", "Priya", "evil"))


def test_nothing_of_one_user_reaches_another(site: Site, alice: httpx.Client, bob: httpx.Client) -> None:
    own = site.ids(alice)
    pages = [alice.get(path).text for path in ("/page/names", "/page/storylines", f"/page/?q={SECRET}")]
    links = {*own.values(), *re.findall(r'href="(/page/(?:about|storyline|source)/[^"#?]+)', "".join(pages))}
    links |= {f"{one}/{what}" for one in own.values() for what in ("original", "picture", "media")}
    assert len(links) > 12
    for path in links:
        answer = bob.get(path)
        assert answer.status_code == 404 and SECRET not in answer.text and "harbour" not in answer.text, path
    assert SECRET not in re.sub(
        r'value="[^"]*"|<title>[^<]*|/page/language[^"]*', "", bob.get(f"/page/?q={SECRET}").text
    )
    source = own["plan.md"].rpartition("/")[2]
    refused = post(bob, "/page/forget/preview", kind="source", value=source)
    assert refused.status_code == 404 and "plan.md" not in refused.text
    assert post(bob, "/page/inbox/retry", uri="inbox:note/plan.md").headers["location"] == "/page/inbox?again=refused"
    assert alice.get(own["plan.md"]).status_code == 200


def test_a_session_may_what_its_key_may(site: Site) -> None:
    with site.visitor("alice", "read") as reader:
        assert "/page/forget" not in reader.get("/page/").text and "inbox/retry" not in reader.get("/page/inbox").text
        assert reader.get("/page/forget").status_code == 403
        for path in FORMS[1:]:
            assert post(reader, path, uri="inbox:document/empty.txt").status_code == 403
    with site.visitor("alice", "write") as writer:
        assert writer.get("/page/").status_code == 403


def test_keys_are_made_and_revoked(site: Site) -> None:
    with site.visitor("carol") as carol, httpx.Client(base_url=site.url) as other:
        assert post(carol, "/page/keys", label="<b>").status_code == 422  # without a scope
        made = post(carol, "/page/keys", label="<b>phone", read="yes").text
        (key,) = re.findall(r"brain\.carol\.[0-9a-f]{16}\.[\w-]{43}", made)
        assert "&lt;b&gt;phone" in made and key not in carol.get("/page/keys").text
        assert sign_in(other, key).status_code == 303 and other.get("/page/keys").status_code == 403
        assert post(carol, "/page/keys/revoke", id=key.split(".")[2]).status_code == 303
        assert other.get("/page/").status_code == 303
        assert post(carol, "/page/keys/revoke", id=key.split(".")[2]).status_code == 404


def test_a_source_shows_the_passage_in_its_place(site: Site, alice: httpx.Client) -> None:
    own = site.ids(alice)
    note = alice.get(own["plan.md"], params={"start": 0, "end": 20}).text
    assert re.search(r'<section class="part section here">', note) and '<mark id="here">' in note
    mail = alice.get(own["m2.eml"]).text
    assert "Lea &lt;lea@a.example&gt;" in mail and "Shall we meet at the quay?" in mail and "shown above" in mail
    page = alice.get(own["harbour.pdf"], params={"start": 0, "end": 30})
    (picture,) = [attrs["src"] for tag, attrs in tags_of(page.text) if tag == "img"]
    boxes = [attrs for tag, attrs in tags_of(page.text) if tag == "rect"]
    assert boxes and all(0 <= float(one["x"]) <= 1 and 0 < float(one["width"]) <= 1 for one in boxes)
    drawn = alice.get(picture)
    assert drawn.content.startswith(b"\x89PNG") and "sandbox" in drawn.headers["content-security-policy"]
    assert alice.get(picture.replace("page=1", "page=2")).status_code == 422
    whole = alice.get(f"{own['plan.md']}/original")
    assert whole.content == path_of(site.home, "alice", "note", "plan.md").read_bytes()
    assert whole.headers["content-disposition"] == "attachment; filename*=UTF-8''plan.md"
    assert whole.headers["content-type"] == "application/octet-stream"
    part = alice.get(f"{own['plan.md']}/original", headers={"Range": "bytes=2-5"})
    assert (part.status_code, part.text) == (206, "Plan")
    assert MARKUP in alice.get(f"{own[HOSTILE_NAME]}/original").text


def test_an_answer_shows_why_and_takes_days(alice: httpx.Client) -> None:
    answer = alice.get("/page/", params={"q": f"Who leads {SECRET}?"}).text
    assert f"<mark>{SECRET}</mark>" in answer and "Found by: " in answer and '<tr class="retriever">' in answer
    earlier = alice.get("/page/", params={"q": f"Who leads {SECRET}?", "as_of": "2026-01-01"}).text
    assert f"<mark>{SECRET}</mark>" not in earlier and "Nothing was found within these limits" in earlier
    unknown = alice.get("/page/", params={"q": SECRET, "known_at": "2026-02-30"})
    assert unknown.status_code == 200 and "not an ISO 8601 date" in unknown.text


def test_a_file_is_read_again(site: Site, alice: httpx.Client) -> None:
    path = site.bench.drop("alice", "note", "later.md", "The ferry leaves at noon.", day="2026-02-06")
    site.bench.land(path)
    site.bench.run("alice", days=["2026-02-06"])
    path.write_text("")
    site.bench.land(path)  # an empty file does not replace one that was read
    assert "later.md" in alice.get("/page/inbox").text.partition("All files")[0]
    uri = "inbox:note/later.md"
    assert post(alice, "/page/inbox/retry", uri=uri).headers["location"] == "/page/inbox?again=refused"
    path.write_text("The ferry leaves at one.")
    assert post(alice, "/page/inbox/retry", uri=uri).headers["location"] == "/page/inbox?again=done"
    inbox = alice.get("/page/inbox").text
    assert "later.md" not in inbox.partition("All files")[0]
    assert "empty file" in inbox and "at one" in alice.get(site.ids(alice)["later.md"]).text
    assert post(alice, "/page/inbox/retry", uri="inbox:note/../x").headers["location"] == "/page/inbox?again=refused"


def test_forgetting_shows_what_goes_and_a_receipt(site: Site, alice: httpx.Client) -> None:
    address = site.ids(alice)["m1.eml"]
    source = address.rpartition("/")[2]
    preview = post(alice, "/page/forget/preview", kind="source", value=source)
    assert "That is 1 source on 1 day" in preview.text and "Nothing has been changed" in preview.text
    fields = {"kind": "source", "value": source, "items": "1"}
    assert post(alice, "/page/forget", **fields).status_code == 422  # the box is not ticked
    assert post(alice, "/page/forget", **{**fields, "items": "2"}, sure="yes").status_code == 409
    assert alice.get(address).status_code == 200
    done = post(alice, "/page/forget", **fields, sure="yes")
    receipt = alice.get(done.headers["location"])
    assert done.status_code == 303 and "nothing of it was found" in receipt.text
    assert alice.get(address).status_code == 404
    assert post(alice, "/page/forget/preview", kind="source", value=source).status_code == 404


def test_a_claim_is_checked_and_traced(site: Site, alice: httpx.Client, bob: httpx.Client) -> None:
    assert "Nothing is looked up on the web" in alice.get("/page/check").text
    report = alice.get("/page/check", params={"claim": f"Priya Raman leads {SECRET}."}).text
    assert ">supported</span>" in report and "What supports it" in report
    traced = next(attrs["href"] for tag, attrs in tags_of(report) if attrs.get("href", "").startswith("/page/why"))
    why = alice.get(traced)
    assert "kept, and its hash is right" in why.text and "What depends on it" in why.text and "plan.md" in why.text
    assert SECRET in why.text and bob.get(traced).status_code == 404 and SECRET not in bob.get(traced).text
    unknown = bob.get("/page/check", params={"claim": "Priya Raman leads Osprey."}).text
    assert unknown.count("nothing found decides it") == unknown.count("that does not make it false") == 1
    assert "not enough evidence" not in unknown and "Not decided" not in unknown
    assert "not an ISO 8601" in alice.get("/page/check", params={"claim": "x", "as_of": "soon"}).text


def test_files_are_put_in_on_the_page(site: Site, alice: httpx.Client, bob: httpx.Client) -> None:
    token = csrf_of(alice.get("/page/inbox").text)
    send = {"headers": {"X-Form-Token": token}, "params": {"name": "put.md"}, "content": b"Sorrel grows by the quay."}
    for wrong in ({}, {"X-Form-Token": csrf_of(bob.get("/page/forget").text)}):
        assert alice.post("/page/upload", **{**send, "headers": wrong}).status_code == 403
    evil = {"X-Form-Token": token, "Origin": "https://evil.example"}
    assert alice.post("/page/upload", **{**send, "headers": evil}).status_code == 403
    sent = alice.post("/page/upload", **send)
    assert sent.status_code == 202 and sent.json() == {"uri": "inbox:note/put.md", "unchanged": False}
    asked = {"params": {"uri": "inbox:note/put.md"}}
    assert alice.get("/page/upload/state", **asked).json()["waiting"]
    assert bob.get("/page/upload/state", **asked).status_code == 404
    site.bench.run("alice")
    state = alice.get("/page/upload/state", **asked).json()
    assert state["good"] and "Sorrel grows" in alice.get(state["link"]).text
    refused = [alice.post("/page/upload", **{**send, **one}) for one in ({"content": b""}, {"content": b"Other."})]
    refused.append(alice.post("/page/upload", **{**send, "params": {"name": "../../bob/x.md"}}))
    said = [(one.status_code, one.json()["error"].split(" ")[0]) for one in refused]
    assert said == [(422, "the"), (409, "Another"), (400, "a")]
    with site.visitor("alice", "read") as reader:
        own = {"X-Form-Token": csrf_of(reader.get("/page/storylines").text)}
        assert reader.post("/page/upload", **{**send, "headers": own}).status_code == 403


def test_members_search_and_read_the_sources_of_a_team(alice: httpx.Client, bob: httpx.Client) -> None:
    found = alice.get("/page/", params={"q": "What is ochre for?", "team": "crew"}).text
    assert "In the sources of the team" in found and "Ochre</mark>" in found
    source = next(a["href"] for tag, a in tags_of(found) if "/page/source/" in a.get("href", "")).partition("?")[0]
    page = alice.get(source).text
    assert "of the team" in page and "Ochre is for warnings" in page and "Forget this source" not in page
    assert alice.get(f"{source}/original").text == "Ochre is for warnings."
    assert "palette" in alice.get("/page/teams").text
    for path in (source, f"{source}/original", f"{source}/media", "/page/?q=ochre&team=crew"):
        assert bob.get(path).status_code == 404 and "warnings" not in bob.get(path).text
    assert alice.get("/page/?q=ochre&team=none").status_code == 404


def test_the_page_speaks_the_language_of_the_reader(alice: httpx.Client) -> None:
    german = {"headers": {"Accept-Language": "de-AT,en;q=0.5"}}
    paths = ("/page/", f"/page/?q={SECRET}", "/page/check?claim=x", "/page/names", "/page/inbox", "/page/forget")
    for path in (*paths, "/page/storylines", "/page/teams", "/page/costs", "/page/keys", "/page/none"):
        page = alice.get(path, **german).text
        assert '<html lang="de">' in page and "[[" not in page and "Abmelden" in page, path
    assert '<html lang="en">' in alice.get("/page/", headers={"Accept-Language": "fr"}).text
    with httpx.Client(base_url=str(alice.base_url), cookies=alice.cookies) as other:
        answer = other.get("/page/language", params={"to": "de", "next": "//evil.example"})
        assert answer.headers["location"] == "/page/"
        assert '<html lang="de">' in other.get("/page/", headers={"Accept-Language": "en"}).text
        assert other.get("/page/language", params={"to": "xx"}).headers.get("set-cookie") is None


def test_every_word_of_the_templates_has_its_german_one() -> None:
    marked = {one for path in (FOLDER.parent / "templates").glob("*.html") for one in MARK.findall(path.read_text())}
    words = words_of("de")
    assert set(words["templates"]) == marked and not any(FORBIDDEN.search(one) for one in words["templates"].values())
    fields = {said: set(re.findall(r"\{\w*\}", said)) for said in words["modules"]}
    assert all(set(re.findall(r"\{\w*\}", words["modules"][said])) == found for said, found in fields.items())
    code = "".join(path.read_text() for path in (FOLDER.parent).glob("*.py"))
    sentences = [said for said in words["modules"] if said.endswith(".") and said[0].isupper() and "{" not in said]
    assert len(sentences) > 10 and [said for said in sentences if said not in code] == []


@pytest.mark.parametrize(
    ("accepted", "cookie", "language"),
    [("", "", "en"), ("de;q=0,en", "", "en"), ("fr,de;q=0.1", "", "de"), ("de", "en", "en"), ("x;q=z,,", "q", "en")],
)
def test_the_language_is_one_that_is_known(accepted: str, cookie: str, language: str) -> None:
    assert wanted(accepted, cookie) == language


def test_memories_beside_an_answer_are_those_of_ask(site: Site, alice: httpx.Client) -> None:
    question = f"who leads {SECRET}"
    with Brain.open(site.home.path, user="alice") as brain:
        expected = [card.text for card in brain.ask(question, write=False).memories]
    shown = re.findall(r'<p class="said"[^>]*>(.*?)</p>', alice.get("/page/", params={"q": question}).text, re.DOTALL)
    assert expected and [unescape(re.sub(r"<[^>]+>", "", one)) for one in shown] == expected

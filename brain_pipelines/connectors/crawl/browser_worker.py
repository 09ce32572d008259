"""The child of `browser.py`: shows one page in a browser that has no network of its own, and prints its HTML.

Every request of the page is answered by the safe fetcher; the browser itself resolves no name and knows no way out.
Run as a module; not for import by anything else.
"""

import contextlib
import json
import os
import sys
import time
from typing import Any

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError
from brain_retrieval.settings import FetchSettings

KINDS = ("document", "script", "xhr", "fetch", "stylesheet")
MAX_REQUESTS, MAX_HTML = 100, 8 << 20
SETTLE_SECONDS = 0.5  # without a request, after which a page counts as complete
ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",  # the discard port: what is not routed goes nowhere
    "--proxy-bypass-list=<-loopback>",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=WebRtcHideLocalIpsWithMdns,DnsOverHttps,Translate",
)
_DROPPED = ("content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection")


class _Router:
    """Answers the requests of one page, as many as it may make."""

    def __init__(self, fetcher: Fetcher, seconds: float) -> None:
        self._fetcher, self._until = fetcher, time.monotonic() + seconds
        self.count, self.last = 0, time.monotonic()

    def handle(self, route: Any) -> None:
        request = route.request
        self.count, self.last = self.count + 1, time.monotonic()
        left = self._until - time.monotonic()
        if request.method != "GET" or request.resource_type not in KINDS or self.count > MAX_REQUESTS or left <= 0:
            route.abort()
            return
        try:
            page = self._fetcher.fetch(request.url, seconds=left)
        except FetchError:
            route.abort()
            return
        headers = {key: value for key, value in page.headers if key not in _DROPPED}
        route.fulfill(status=page.status, headers=headers, body=page.body)
        self.last = time.monotonic()


def show(request: dict[str, Any]) -> str:
    """Return the HTML of a page once it asks for nothing more, or when its time is up."""
    from playwright.sync_api import Error, sync_playwright  # pyright: ignore[reportMissingImports]

    seconds = float(request["seconds"])
    fetcher = Fetcher(FetchSettings(**request["fetch"]))
    router = _Router(fetcher, seconds)
    until = time.monotonic() + seconds
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=request["browser"], args=list(ARGUMENTS), chromium_sandbox=os.geteuid() != 0
        )
        context = browser.new_context(
            user_agent=fetcher.user_agent, service_workers="block", accept_downloads=False, permissions=[]
        )
        page = context.new_page()
        context.route("**/*", router.handle)
        context.route_web_socket("**/*", lambda socket: socket.close())
        with contextlib.suppress(Error):  # what is there by then is taken
            page.goto(request["url"], wait_until="load", timeout=seconds * 1000)
        while time.monotonic() < until and time.monotonic() - router.last < SETTLE_SECONDS:
            page.wait_for_timeout(100)
        html = page.content()
        browser.close()
    return html if len(html) <= MAX_HTML else ""


def main() -> None:
    """Read the request from standard input and answer on standard output."""
    answer = show(json.load(sys.stdin))
    sys.stdout.write(json.dumps({"html": answer}))


if __name__ == "__main__":
    main()

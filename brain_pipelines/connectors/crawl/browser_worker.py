"""Child process of `browser.py`: renders one page in a browser without network access and prints its HTML.

The safe fetcher answers every request of the page; the browser itself cannot resolve names or open connections. Run as
a module; do not import.
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
SETTLE_SECONDS = 0.5  # without a request, after which the page counts as loaded
ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",  # the discard port: any request that is not routed fails
    "--proxy-bypass-list=<-loopback>",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=WebRtcHideLocalIpsWithMdns,DnsOverHttps,Translate",
)
_DROPPED = ("content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection")


class _Router:
    """Answers the requests of one page, up to MAX_REQUESTS."""

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
    """Return the HTML of a page once it makes no more requests, or when the time limit is reached."""
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
        with contextlib.suppress(Error):  # on a timeout, use the content loaded so far
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

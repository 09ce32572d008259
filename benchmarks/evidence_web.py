"""An invented web on this machine: its pages by host and path, and a search over them in the form of SearXNG."""

import json
import math
import re
import socket
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

WEB = Path(__file__).with_name("evidence_web.txt")
ENDING = ".example"
SEARCH_HOST = "search" + ENDING
OPENINGS = ("As many know:", "Read this first.", "We say it again.", "Share with your friends!", "It is official.")
K1, B, MOST = 1.2, 0.75, 20


@dataclass(frozen=True)
class WebPage:
    """A page of the invented web; `kind` is true, false, outdated, hedged, negated, noise, copy or spam."""

    host: str
    path: str
    date: str
    kind: str
    title: str
    text: str

    def html(self):
        """Return it as a server would send it."""
        body = "".join(f"<p>{part}</p>" for part in self.text.split("\n"))
        return (
            f'<!doctype html><html lang="en"><head><title>{self.title}</title>'
            f'<meta property="article:published_time" content="{self.date}T09:00:00Z"></head>'
            f"<body><nav><a href='/'>Start</a></nav><article><h1>{self.title}</h1>{body}</article></body></html>"
        ).encode()


def read_web(path=WEB):
    """Return (pages, claims as (verdict, text), trusted hosts) of a file."""
    pages, claims, trusted = [], [], []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("trusted:"):
            trusted = [host.strip() for host in line.removeprefix("trusted:").split(",")]
        elif line.startswith("? "):
            verdict, _, text = line[2:].partition(" | ")
            claims.append((verdict, text))
        elif line.startswith("@ "):
            place, date, kind = line[2:].partition(" | ")[0].split()
            host, _, rest = place.partition("/")
            pages.append(WebPage(host, f"/{rest}", date, kind, line.partition(" | ")[2], ""))
        elif line.startswith("+ "):
            kind, count = line[2:].split()
            pages += _repeated(pages[-1], kind, int(count))
        elif line.strip() and not line.startswith("#"):
            last = pages.pop()
            pages.append(WebPage(*list(vars(last).values())[:5], f"{last.text}\n{line}".strip()))
    return pages, claims, trusted


def _repeated(page, kind, count):
    """Return copies of a page on other hosts; spam varies its first words and title."""
    stem = page.host.removesuffix(ENDING)
    for number in range(count):
        text = page.text if kind == "copy" else f"{OPENINGS[number % len(OPENINGS)]} {page.text}"
        title = page.title if kind == "copy" else f"{page.title} ({number + 2})"
        yield WebPage(f"{stem}-{number + 2}{ENDING}", f"/p{number}", page.date, kind, title, text)


class Search:
    """BM25 over title and text."""

    def __init__(self, pages):
        self.pages = pages
        self.words = [Counter(_words(f"{page.title} {page.text}")) for page in pages]
        self.lengths = [words.total() for words in self.words]
        self.holding = Counter(word for words in self.words for word in words)

    def find(self, query):
        """Return the pages with a word of the query, the best first."""
        mean, total = sum(self.lengths) / len(self.lengths), len(self.pages)
        scores = []
        for place, (words, length) in enumerate(zip(self.words, self.lengths, strict=True)):
            score = 0.0
            for word in set(_words(query)):
                if count := words[word]:
                    rarity = math.log(1 + (total - self.holding[word] + 0.5) / (self.holding[word] + 0.5))
                    score += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean))
            if score > 0:
                scores.append((-score, place))
        return [self.pages[place] for _, place in sorted(scores)[:MOST]]


def _words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


@contextmanager
def serving(pages):
    """Serve pages and their search on loopback, with the names of their hosts; yield (port, requested addresses)."""
    by_place = {(page.host, page.path): page for page in pages}
    search, requested, ports = Search(pages), [], []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            host, parts = self.headers["Host"].partition(":")[0], urlsplit(self.path)
            requested.append(f"{host}{self.path}")
            kind = "text/html; charset=utf-8"
            if host == SEARCH_HOST:
                found = search.find(parse_qs(parts.query)["q"][0])
                rows = [
                    {
                        "url": f"http://{page.host}:{ports[0]}{page.path}",
                        "title": page.title,
                        "content": page.text[:160],
                    }
                    for page in found
                ]
                body, kind = json.dumps({"results": rows}).encode(), "application/json"
            else:
                page = by_place.get((host, parts.path))
                body = page.html() if page else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    real = socket.getaddrinfo

    def named(host, *rest, **options):
        return real("127.0.0.1" if str(host).endswith(ENDING) else host, *rest, **options)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ports.append(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    socket.getaddrinfo = named
    try:
        yield ports[0], requested
    finally:
        socket.getaddrinfo = real
        server.shutdown()
        server.server_close()


def settings_text(port, trusted, more=""):
    """Return the settings of a home that searches the invented web."""
    hosts = ", ".join(f'"{host}"' for host in trusted)
    return (
        f'[fetch]\nallow_networks = ["127.0.0.0/8"]\nports = [{port}]\n'
        f"[crawl]\nrequests_per_second = 500.0\ntrusted_domains = [{hosts}]\n"
        f'[evidence.online.search.own]\nurl = "http://{SEARCH_HOST}:{port}"\nallow_private = true\n{more}'
    )

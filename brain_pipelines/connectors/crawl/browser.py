"""Rendering of pages that need JavaScript, in a real browser. Optional: needs playwright and Chromium.

The browser runs in its own process group, which is killed after the time limit; `browser_worker.py` is the child
process.
"""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from brain_pipelines.connectors.crawl.visit import Render
from brain_pipelines.connectors.http.fetch import Page
from brain_retrieval.errors import BrainError
from brain_retrieval.home import project_root
from brain_retrieval.settings import Settings

WORKER = "brain_pipelines.connectors.crawl.browser_worker"
GRACE_SECONDS = 10.0  # allowance for starting and stopping the browser
_KEPT_VARIABLES = ("PATH", "LANG", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PLAYWRIGHT_BROWSERS_PATH")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class BrowserMissingError(BrainError):
    """The settings require a browser, but none is available."""

    exit_code = 4


def why_missing(path: Path | None = None) -> str | None:
    """Return what is missing for rendering pages, or None."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install 'brain[browser]'"
    if path is not None and not path.is_file():
        return f"no browser at {path}"
    return None


def build_render(settings: Settings) -> Render | None:
    """Return the function that renders pages, or None if the settings do not enable it.

    Raises:
        BrowserMissingError: if it is enabled but not available.
    """
    if not settings.crawl.browser:
        return None
    if reason := why_missing(settings.crawl.browser_path):
        raise BrowserMissingError(f"crawl.browser is on, but {reason}")
    return lambda url: render(url, settings)


def render(url: str, settings: Settings) -> Page | None:
    """Return the page at `url` after its scripts have run, or None on failure or timeout."""
    found = settings.crawl.browser_path or next((Path(p) for n in _NAMES if (p := shutil.which(n))), None)
    request = {
        "url": url,
        "browser": str(found) if found else None,
        "seconds": settings.crawl.browser_seconds,
        "fetch": settings.fetch.model_dump(mode="json"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=project_root(),
        env={key: os.environ[key] for key in _KEPT_VARIABLES if key in os.environ},
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(
            json.dumps(request).encode(), timeout=settings.crawl.browser_seconds + GRACE_SECONDS
        )
        answer = json.loads(output)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    finally:
        _end(process)
    html = answer.get("html")
    if not isinstance(html, str) or not html:
        return None
    headers = (("content-type", "text/html; charset=utf-8"), ("x-rendered", "yes"))
    return Page(url, url, 200, headers, html.encode("utf-8", "replace"), datetime.now(UTC))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole process group, because the browser starts processes of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

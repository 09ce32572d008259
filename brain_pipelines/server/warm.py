"""Loading of libraries and models in the background, so that the server answers before they are ready.

A message is ingested into a temporary home with the local models: that loads everything that the first real one needs.
Nothing is sent to a model of another machine.
"""

import shutil
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from brain_pipelines.server.log import log
from brain_pipelines.server.reading import keep_loaded
from brain_pipelines.server.writer import Place, Write, Writer
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home
from brain_retrieval.settings import CellSettings, EnrichmentSettings, ExtractionSettings, Settings

TEXT = "Mei Tanaka leads the harbour project in Lisbon since March."


class Warm:
    """State of the loading: "loading", "ready", or "failed" with the reason."""

    def __init__(self, settings: Settings, writer: Writer, *, then: Callable[[], None] = lambda: None) -> None:
        """`then` is called when the loading has ended; if another process loads, at once, to load beside it."""
        self._settings, self._writer, self._then = settings, writer, then
        self.state = "loading"
        self.reason = ""
        self._done = threading.Event()

    def start(self) -> None:
        """Begin in a thread of its own."""
        threading.Thread(target=self._run, name="models", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the loading; return whether it has ended."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        if self._writer.apart:
            self._then()
        try:
            if self._settings.embedding.provider == "onnx":
                self._writer.run(Write("", load))
            self.state = "ready"
        except BrainError as error:
            self.state, self.reason = "failed", str(error)
        except Exception as error:
            self.state, self.reason = "failed", type(error).__name__
        self._done.set()
        log("models", state=self.state, reason=self.reason)
        if not self._writer.apart:
            self._then()


def load(place: Place) -> None:
    """Take in a message in a home of its own; where this process also reads, search for it."""
    from brain_pipelines.ingest.one_file import NewFile, take_file
    from brain_retrieval.brain import Brain

    local = place.settings.model_copy(
        update={"cells": CellSettings(), "extraction": ExtractionSettings(), "enrichment": EnrichmentSettings()}
    )
    folder = Path(tempfile.mkdtemp(prefix="brain-warm-"))
    try:
        home = Home(folder)
        file = NewFile("warm.txt", TEXT.encode(), datetime.now(UTC))
        take_file(home.space("warm"), local, "message", file, report=False)
        with Brain.open(folder, user="warm", settings=local) as brain:
            brain.search("who leads the project?", k=1, log=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        keep_loaded()

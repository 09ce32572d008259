"""Dropping what processes keep of texts in memory: this one, and a running `brain serve` of the same home."""

import json
import socket
import struct
from contextlib import suppress

from brain_pipelines.stages.remembered import REMEMBERED
from brain_retrieval.home import SERVE_SOCKET, Home

SECONDS = 5.0  # that a server has to take the request; it asks for nothing that could wait


def drop_remembered(home: Home) -> None:
    """Drop the results that are kept of texts here, and have a server that listens in the home drop its own.

    Without a server, or with one that does not answer, nothing else happens: what it keeps goes with its process.
    """
    REMEMBERED.forget_all()
    body = json.dumps({"home": str(home.path), "drop_remembered": True}).encode()
    with suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        one.settimeout(SECONDS)
        one.connect(str(home.path / SERVE_SOCKET))
        one.sendall(struct.pack(">I", len(body)) + body)
        one.recv(1)  # once it answers, it is done

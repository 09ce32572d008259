"""The writer lock: one process and one thread at a time, re-entrant, gone when its holder dies."""

import subprocess
import sys
import threading
import time

import pytest

from brain_retrieval.errors import WriterBusyError
from brain_retrieval.home import Home, Space
from brain_retrieval.stores.locking import writer_lock

HOLD = """
import sys, time
from pathlib import Path
from brain_retrieval.home import Home
from brain_retrieval.stores.locking import writer_lock
with writer_lock(Home(Path(sys.argv[1])).space("alice")):
    print("held", flush=True)
    time.sleep(60)
"""


def test_lock_blocks_other_processes_and_is_released_on_kill(space: Space) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(space.home)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        with pytest.raises(WriterBusyError, match="alice"), writer_lock(space, timeout=0.1):
            pass
        with writer_lock(Home(space.home).space("bob"), timeout=60):
            pass
    finally:
        holder.kill()
        holder.wait()
    with writer_lock(space, timeout=60):
        pass


def test_reentrant_in_a_thread_and_exclusive_between_threads(space: Space) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with writer_lock(space), writer_lock(space):
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_an_exception_releases_the_lock(space: Space) -> None:
    with pytest.raises(KeyError), writer_lock(space):
        raise KeyError
    done = threading.Event()

    def work() -> None:
        with writer_lock(space, timeout=60):
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done.is_set()

"""A reader that has been taken over by its file: it tries to leave the sandbox and reports what the kernel answered."""

import ctypes
import errno
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.settings import Limits

LIBC = ctypes.CDLL(None, use_errno=True)
ATTACH, NEW_NETWORK = 16, 0x40000000


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Try every attack; the file holds the path of a secret. Returns {attack: name of the error, or "done"}."""
    secret = Path(path.read_text())
    assert scratch is not None
    (scratch / "picture.png").write_bytes(b"allowed")
    tried = {name: _outcome(attack) for name, attack in _attacks(path, secret, scratch).items()}
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    thread = threading.Thread(target=lambda: tried.update(thread="started"))
    thread.start()
    thread.join()
    tried |= {"NoNewPrivs": status["NoNewPrivs"], "CapEff": status["CapEff"]}
    return Extracted("text", [Block("tried")], attributes=tried)


def _attacks(path: Path, secret: Path, scratch: Path) -> dict[str, Callable[[], Any]]:
    return {
        "open a connection": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
        "send a datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
        "talk to a local service": lambda: socket.socket(socket.AF_UNIX),
        "make a pair of sockets": socket.socketpair,
        "read a secret": secret.read_bytes,
        "list its directory": lambda: os.listdir(secret.parent),
        "read the list of users": lambda: Path("/etc/passwd").read_bytes(),
        "read the parent's environment": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "overwrite the secret": lambda: secret.write_bytes(b"x"),
        "delete the secret": secret.unlink,
        "take the secret over": lambda: secret.rename(scratch / "secret"),
        "give the secret a second name": lambda: os.link(secret, scratch / "secret"),
        "leave a link to the secret": lambda: (scratch / "link.png").symlink_to(secret),
        "write beside": lambda: (secret.parent / "new").write_bytes(b"x"),
        "change the file it reads": lambda: path.write_bytes(b"x"),
        "change the product": lambda: Path(str(sys.modules[Block.__module__].__file__)).open("ab"),
        "change byte code": lambda: Path(str(sys.modules[Block.__module__].__cached__)).open("ab"),
        "start a program": lambda: subprocess.run(["/bin/true"], check=True),
        "become a program": lambda: os.execv("/bin/true", ["true"]),
        "fork": _fork,
        "raise the limits": lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
        "take 10 GB": _ten_gigabytes,
        "write a file of 3 GB": lambda: os.pwrite(os.open(scratch / "big", os.O_RDWR | os.O_CREAT), b"x", 3 << 30),
        "become another user": lambda: os.setuid(65534),
        "enter a new network": lambda: _call(LIBC.unshare(NEW_NETWORK)),
        "mount": lambda: _call(LIBC.mount(b"none", str(scratch).encode(), b"tmpfs", 0, None)),
        "trace the parent": lambda: _call(LIBC.ptrace(ATTACH, os.getppid(), None, None)),
        "signal the parent": lambda: os.kill(os.getppid(), 0),
        "signal all": lambda: os.kill(0, 0),
    }


def _outcome(attack: Callable[[], Any]) -> str:
    try:
        attack()
    except MemoryError:
        return "MemoryError"
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    except ValueError as error:
        return str(error)
    return "done"


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _ten_gigabytes() -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    bytearray(10 << 30)


def _call(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "refused")


def fill(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Write without end."""
    assert scratch is not None
    for number in range(1 << 30):
        (scratch / str(number)).write_bytes(bytes(1 << 20))
    raise AssertionError


def leave_link(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Leave a second name of a file, which the sandbox must not take over."""
    assert scratch is not None
    (scratch / "a").write_bytes(b"x")
    os.link(scratch / "a", scratch / "b")
    return Extracted("text", [Block("x")])


HOSTILE, FILL, LEAVE_LINK = Isolated(read_file), Isolated(fill), Isolated(leave_link)

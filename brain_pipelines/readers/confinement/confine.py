"""What the process that parses foreign files gives up before it sees the first one.

Each part is independent: where the kernel lacks one, the others still apply, and `missing` says which are absent.
"""

import contextlib
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

from brain_pipelines.readers.confinement import kernel, landlock, seccomp
from brain_pipelines.readers.confinement.box import Box

FILE_BYTES = 2 << 30  # of one file that a reader writes
OPEN_FILES = 512
CPU_SECONDS = 24 * 3600  # of one child over all its files; the parent ends it after half of them
NO_LIMITS_HERE = "readers run without confinement by the kernel: it needs Linux on x86_64 or aarch64"
NO_LANDLOCK = "readers can open any file that this user can: the kernel has no Landlock (Linux 5.13), or forbids it"
NO_SECCOMP = "readers can open connections and start programs: the kernel takes no seccomp filters, or forbids them"
_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/usr/share/fonts"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/timezone", "/etc/mime.types", "/etc/fonts", "/dev/urandom"),
    *("/dev/random", "/dev/zero", "/proc/cpuinfo", "/proc/meminfo", "/proc/self", "/sys/devices/system/cpu"),
)


def missing() -> list[str]:
    """Return a sentence for each part of the confinement that this system does not offer; changes nothing."""
    if not kernel.machine():
        return [NO_LIMITS_HERE]
    return [*([] if landlock.version() else [NO_LANDLOCK]), *([] if seccomp.is_available() else [NO_SECCOMP])]


def confine(box: Box) -> None:
    """Give up, for this process and for good, what reading a file does not need. Call it before starting threads."""
    _limit_resources()
    if not kernel.machine():
        return
    # Each may be refused, in a container for example; `missing` reports that to the owner.
    with contextlib.suppress(OSError):
        kernel.forbid_new_privileges()
    if not seccomp.is_available():
        with contextlib.suppress(OSError):
            kernel.leave_network()
    with contextlib.suppress(OSError):
        kernel.drop_capabilities()
    if landlock.version():
        with contextlib.suppress(OSError):
            landlock.restrict(_rules(box))
    with contextlib.suppress(OSError):
        seccomp.restrict()


def _limit_resources() -> None:
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))


def _rules(box: Box) -> Iterator[tuple[Path, int]]:
    yield box.inside, landlock.READ
    yield box.outside, landlock.WRITE
    yield Path(os.devnull), landlock.READ_FILE | landlock.WRITE_FILE
    installed = [Path(name) for name in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)]
    for path in (*map(Path, _SYSTEM), *installed):
        yield path, landlock.READ
    for entry in map(Path, sys.path):
        if any(entry.is_relative_to(path) for path in installed):
            continue
        yield entry, landlock.READ_DIR
        # Packages alone: a checkout may also hold the home of the users.
        for package in entry.glob("*/__init__.py"):
            yield package.parent, landlock.READ
        for module in (*entry.glob("*.py"), *entry.glob("*.so"), *entry.glob("*.pth")):
            yield module, landlock.READ_FILE

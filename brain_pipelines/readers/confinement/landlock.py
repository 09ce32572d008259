"""Landlock (Linux 5.13 and later): a process gives up access to all files but those that it names."""

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from brain_pipelines.readers.confinement.kernel import call, machine

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every machine
GET_VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
REMOVE_FILE, MAKE_REG, TRUNCATE = 1 << 5, 1 << 8, 1 << 14
READ = READ_FILE | READ_DIR
# Plain files: no directories, links, devices, pipes or sockets.
WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_REG | TRUNCATE
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
# By version: rights over files, TCP (bind, connect), and reach beyond the process (abstract sockets, signals).
_FILES_BY_VERSION = {1: 13, 2: 14, 3: 15, 5: 16}
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_NETWORK, _SCOPES = 0b11, 0b11


def version() -> int:
    """Return the version of Landlock in this kernel, 0 if it has none or forbids it."""
    if not machine():
        return 0
    try:
        return call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(GET_VERSION))
    except OSError:
        return 0


def restrict(rules: Iterable[tuple[Path, int]]) -> None:
    """Limit this process to the files below the given paths, each with its rights; paths that are missing are left out.

    Applies to threads started later. `no_new_privs` must be set.

    Raises:
        OSError: if the kernel refuses.
    """
    known = version()
    bits = max(count for since, count in _FILES_BY_VERSION.items() if since <= known)
    handled = (1 << bits) - 1
    attributes = (ctypes.c_uint64 * 3)(
        handled, _NETWORK if known >= _NETWORK_SINCE else 0, _SCOPES if known >= _SCOPES_SINCE else 0
    )
    size = 8 * (1 + (known >= _NETWORK_SINCE) + (known >= _SCOPES_SINCE))
    ruleset = call(CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path, rights in rules:
            _add(ruleset, path, rights & handled)
        call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _add(ruleset: int, path: Path, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, parent)
        call(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(parent)

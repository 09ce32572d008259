"""System calls of Linux that Python has no function for, through the C library."""

import ctypes
import os
import sys
from functools import cache
from typing import Any

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION = 0x20080522
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


@cache
def machine() -> str:
    """Return the machine whose system calls are known here, "" for any other and for other systems than Linux."""
    name = os.uname().machine if sys.platform == "linux" else ""
    return name if name in CAPSET and sys.maxsize > 1 << 32 else ""


@cache
def library() -> Any:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: Any) -> int:
    """Call the kernel.

    Raises:
        OSError: if the call fails.
    """
    result = library().syscall(ctypes.c_long(number), *arguments)
    return _checked(result)


def prctl(*arguments: Any) -> int:
    """Change a property of this process.

    Raises:
        OSError: if the call fails.
    """
    padded = [a if isinstance(a, ctypes.c_void_p) else ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:5]]
    return _checked(library().prctl(*padded))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def forbid_new_privileges() -> None:
    """Make programs with the set-user-id bit run without it, for good."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up the powers of the superuser except to read and write files whatever their mode; others have none."""
    kept = sum(1 << bit for bit in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)) if os.geteuid() == 0 else 0
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    call(CAPSET[machine()], header, data)


def leave_network() -> None:
    """Move to a network of this process's own, which has no interfaces.

    Raises:
        OSError: if the kernel does not let this user have one.
    """
    if library().unshare(CLONE_NEWNET) < 0:
        _checked(library().unshare(CLONE_NEWUSER | CLONE_NEWNET))

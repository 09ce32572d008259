"""A seccomp filter: the kernel refuses system calls that no parser of files needs.

Refused with EPERM: sockets, new processes and programs, tracing and signalling other processes, and everything that
changes privileges, mounts, clocks or the kernel. All else is allowed, so that libraries keep working.
"""

import ctypes
import errno
import os
import struct

from brain_pipelines.readers.confinement.kernel import PR_SET_SECCOMP, SECCOMP_MODE_FILTER, machine, prctl

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, EQUALS, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
AT_NUMBER, AT_MACHINE, AT_FIRST_ARGUMENT = 0, 4, 16
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # system calls of x86_64 with pointers of 32 bits
CLONE_THREAD = 0x10000

# Names and numbers of system calls: x86_64, aarch64 (-1: it has none).
REFUSED = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "process_madvise": (440, 440),
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149), "setgroups": (116, 159), "setfsuid": (122, 151),
    "setfsgid": (123, 152), "capset": (126, 91), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "move_mount": (429, 429), "open_tree": (428, 428),
    "fsopen": (430, 430), "fsmount": (432, 432), "mount_setattr": (442, 442), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "mknod": (133, -1), "mknodat": (259, 33), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "sethostname": (170, 161), "iopl": (172, -1), "ioperm": (173, -1),
    "personality": (135, 92), "quotactl": (179, 60), "syslog": (103, 116),
}  # fmt: skip
CLONE, CLONE3 = (56, 220), (435, 435)
# Their first argument is a process, which must be this one; 0 is this one for prlimit64, and all of a group for kill.
OF_THIS_PROCESS = {"kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261)}


def is_available() -> bool:
    """Return whether the kernel takes filters; nothing is changed."""
    if not machine():
        return False
    try:
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(None))
    except OSError as error:
        return error.errno == errno.EFAULT  # it wants a filter, and there is none at address 0
    return False


def restrict() -> None:
    """Install the filter in this thread and those started later. `no_new_privs` must be set.

    Raises:
        OSError: if the kernel refuses.
    """
    code = program(machine(), os.getpid())
    instructions = ctypes.create_string_buffer(code, len(code))
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions)))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(filter_)))


def program(name: str, process: int) -> bytes:
    """Return the filter for a machine as instructions of 8 bytes; `process` is the one that is restricted."""
    column = tuple(MACHINES).index(name)
    refuse, no_such_call = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS
    code = [
        _step(LOAD, AT_MACHINE),
        _step(EQUALS, MACHINES[name], 1, 0),
        _step(RETURN, refuse),
        _step(LOAD, AT_NUMBER),
    ]
    if name == "x86_64":
        code += [_step(AT_LEAST, X32, 0, 1), _step(RETURN, refuse)]
    for numbers in REFUSED.values():
        if numbers[column] >= 0:
            code += [_step(EQUALS, numbers[column], 0, 1), _step(RETURN, refuse)]
    # The C library then takes clone, whose flags can be read here.
    code += [_step(EQUALS, CLONE3[column], 0, 1), _step(RETURN, no_such_call)]
    code += [_step(EQUALS, CLONE[column], 0, 4), _step(LOAD, AT_FIRST_ARGUMENT)]
    code += [_step(ANY_BIT, CLONE_THREAD, 1, 0), _step(RETURN, refuse), _step(RETURN, ALLOW)]
    for call, numbers in OF_THIS_PROCESS.items():
        also = 0 if call == "prlimit64" else process
        code += [_step(EQUALS, numbers[column], 0, 5), _step(LOAD, AT_FIRST_ARGUMENT)]
        code += [_step(EQUALS, process, 2, 0), _step(EQUALS, also, 1, 0), _step(RETURN, refuse), _step(RETURN, ALLOW)]
    return b"".join([*code, _step(RETURN, ALLOW)])


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", operation, if_true, if_false, value)

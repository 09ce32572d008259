"""The child process of `sandbox.py`: reads files one by one under resource limits and writes the results to stdout.

Run as a module with its box as the argument, never imported. It is confined before it reads anything but its own code.
"""

import importlib
import json
import os
import resource
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from brain_pipelines.readers.confinement.box import Box
from brain_pipelines.readers.confinement.confine import confine
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

GRACE_SECONDS = 30
LIBRARIES_MB = 2048  # of address space that libraries loaded after the first file may map
_seen_modules: set[str] = set()


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the pipe closes, which it does whenever the parent ends, also when it is killed."""
    while header := requests.read(8):
        request = json.loads(requests.read(int.from_bytes(header, "big")))
        try:
            for library in request["libraries"]:  # before limits apply
                importlib.import_module(library)
            read_file = getattr(importlib.import_module(request["module"]), request["function"])
        except ModuleNotFoundError as error:
            _send(answers, {"missing": error.name or str(error)})
            continue
        _send(answers, {"ready": True})
        scratch = Path(request["scratch"]) if request["scratch"] else None
        limits = Limits(**request["limits"])
        _send(answers, _answer(read_file, Path(request["path"]), limits, scratch, request["seconds"]))


def _answer(read_file: Any, path: Path, limits: Limits, scratch: Path | None, seconds: float) -> dict[str, Any]:
    # If the parent is killed, only this alarm ends a hanging reader.
    signal.alarm(int(seconds) + GRACE_SECONDS)
    _limit_memory(limits.parse_memory_mb)
    try:
        found = read_file(path, limits, scratch)
        if found.embedded:  # imported when needed, since it knows every format
            from brain_pipelines.readers.embedded import read_embedded

            found = read_embedded(found, path, limits, scratch)
        found = _checked(found, limits)
        answer: dict[str, Any] = {"extracted": asdict(found)}
    except BadInputError as error:
        answer = {"bad_input": str(error)}
    except MemoryError:
        answer = {"bad_input": f"reading it takes more than {limits.parse_memory_mb} MB of memory", "poisoned": True}
    except RecursionError:
        answer = {"bad_input": "nested too deeply", "poisoned": True}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {str(error)[:160]}", "poisoned": True}
    finally:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        signal.alarm(0)
    if hard != resource.RLIM_INFINITY and (_status("VmSize:") << 10) + (limits.parse_memory_mb << 20) > hard:
        answer["poisoned"] = True
    measured = {"rss_mb": _status("VmRSS:") // 1024, "cpu_seconds": time.process_time(), "uncached": _uncached()}
    return {**answer, **measured}


def _checked(found: Extracted, limits: Limits) -> Extracted:
    length = sum(len(block.text) for block in found.blocks)
    if length > limits.max_text_chars:
        raise BadInputError(f"too long: {length} characters, the limit is {limits.max_text_chars}")
    return found


def _limit_memory(megabytes: int) -> None:
    """Limit the address space to `megabytes` more than what the loaded libraries have already mapped.

    The first call also sets the hard limit, which a file that takes over this process cannot raise.
    """
    used = _status("VmSize:") << 10
    most, hard = used + (megabytes << 20), resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY and used:
        hard = most + (LIBRARIES_MB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _uncached() -> list[str]:
    """Return the sources of modules loaded since the last call whose byte code is not stored: only the parent may."""
    found: list[str] = []
    if len(sys.modules) == len(_seen_modules):
        return found
    for name in sys.modules.keys() - _seen_modules:
        _seen_modules.add(name)
        spec = getattr(sys.modules[name], "__spec__", None)
        if spec and spec.has_location and spec.cached and not os.path.exists(spec.cached):  # noqa: PTH110
            found.append(str(spec.origin))
    return sorted(found)


def _status(field: str) -> int:
    """Return a field of this process's memory status in kB, 0 where the system has none."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def _send(answers: BinaryIO, value: dict[str, Any]) -> None:
    data = json.dumps(value, default=str).encode("utf-8", "surrogatepass")
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()


def main() -> None:
    """Serve the parent. Output that libraries print goes to /dev/null, so that it cannot be taken for an answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    confine(Box(Path(sys.argv[1])))
    with os.fdopen(os.dup(1), "wb") as answers:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()

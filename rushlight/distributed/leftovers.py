"""What killed processes leave behind, and who clears it away: their children, and shared memory.

A `Guardian` is a process beside a launcher that outlives it. It reads lines, `+number` and
`-number` for process groups that there are and that are over; when the launcher's end of the pipe
closes, it kills the groups that are left, and sweeps. This file is run by itself for it, and
imports nothing of Rushlight.

`sweep` removes names of shared memory that MPI's library had not taken away when its process was
killed: those that no process has open, and that were made since the job began. (The library takes
a name away as soon as all ranks have the memory; between the two are a few milliseconds.)
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

MEMORY = "/dev/shm"
NAMES = ("mpich_", "ucx_shm_")


def orphans(since: float) -> dict[str, int]:
    """Shared memory that nobody uses, of this user and made after `since` (seconds since 1970):
    its path and its number."""
    if not os.path.isdir(MEMORY) or not os.path.isdir("/proc/self/fd"):
        return {}
    suspects = {}
    for name in os.listdir(MEMORY):
        if name.startswith(NAMES):
            path = os.path.join(MEMORY, name)
            with contextlib.suppress(OSError):
                found = os.lstat(path)
                if found.st_uid == os.getuid() and found.st_ctime >= since - 1:
                    suspects[path] = found.st_ino
    for path in used(set(suspects)) if suspects else ():
        suspects.pop(path, None)
    return suspects


def sweep(since: float) -> list[str]:
    """Remove the names of the `orphans`; what they were."""
    gone = []
    for path, number in orphans(since).items():
        with contextlib.suppress(OSError):
            if os.lstat(path).st_ino == number:
                os.unlink(path)
                gone.append(path)
    return gone


def used(paths: set[str]) -> set[str]:
    """Those of the paths that a process of this user has open or in its memory."""
    found: set[str] = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    found.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
        with (
            contextlib.suppress(OSError),
            open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file,
        ):
            found.update(line.split()[-1] for line in file if MEMORY in line)
    return found & paths


class Guardian:
    """The agent's end of the pipe."""

    current: Guardian | None = None

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        if hasattr(os, "killpg"):
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__], stdin=subprocess.PIPE, text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        Guardian.current = self

    def tell(self, line: str) -> None:
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()

    def close(self) -> None:
        """All processes are over, and the guardian with them."""
        Guardian.current = None
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)

    def forget(self) -> None:
        """In a forked child: the pipe must end with the agent."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()


def main() -> None:
    groups: set[int] = set()
    began = time.time()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    if groups:
        time.sleep(0.1)  # until they are over
    sweep(began)


if __name__ == "__main__":
    main()

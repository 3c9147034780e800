"""A process beside an agent that outlives it, to end the processes of an agent that was killed.

It reads lines: `+number` and `-number` for process groups that there are and that are over, `name`
for a piece of shared memory's name. When the agent's end of the pipe closes, it kills the groups
that are left, and removes shared memory whose name holds one of the names. This file is run by
itself and imports nothing of Rushlight.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

MEMORY = "/dev/shm"


def unlink(names: set[str]) -> list[str]:
    """Remove shared memory of killed processes, whose name holds one of `names`; what it was."""
    found = []
    with contextlib.suppress(OSError):
        for file in os.listdir(MEMORY):
            if any(n in file for n in names):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(MEMORY, file))
                    found.append(file)
    return found


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
    names: set[str] = set()
    for line in sys.stdin:
        kind, rest = line[0], line[1:].strip()
        if kind == "+":
            groups.add(int(rest))
        elif kind == "-":
            groups.discard(int(rest))
        else:
            names.add(line.strip())
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    unlink(names)


if __name__ == "__main__":
    main()

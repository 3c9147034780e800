"""A process that has imported the main program once, and forks workers that begin with it.

Workers begin clean (decision 0014), and so each would import the main program again, in every pass
over the data: seconds, when the program imports much. The template imports it instead, and is from
then on a fork server of the standard library, which forks a worker in milliseconds. What workers
change stays in them: the template runs nothing but imports.

Not every program can be forked after its import. One that has started threads, or holds open files
that workers would read with one position between them, is not: `Template.fault` says why, and its
workers import it themselves. Read next: `start.py`, which asks for the template.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import importlib
import multiprocessing
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import connection, forkserver, popen_spawn_posix, process, spawn
from typing import Any

from ....blocks import contextmanager
from ....kernels.runtime import threads as kernel_threads
from .patches import replaced, undecided, without_main

# What multiprocessing tells a process before it imports the main program: what an import may see.
TOLD = ("sys_path", "sys_argv", "dir", "orig_dir", "init_main_from_name", "init_main_from_path")
Main = dict[str, Any]  # that, of a program

_lock = threading.Lock()
_current: Template | None = None
_ended: list[Template] = []  # processes that are still to be waited for


class Template(forkserver.ForkServer):
    """The template of a main program, started without waiting for it.

    Args:
        main: how multiprocessing prepares a process for the program.
        names: modules to import first, where they can be.
    """

    def __init__(self, main: Main, names: Sequence[str]) -> None:
        super().__init__()
        self.main = main
        self._fault: str | None = None
        alive, self._alive = multiprocessing.Pipe(duplex=False)
        self._told, tell = multiprocessing.Pipe(duplex=False)
        with socket.socket(socket.AF_UNIX) as listener, alive, tell:
            address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
            self._forkserver_address = address
            listener.bind(address)
            listener.listen()
            child = multiprocessing.get_context("spawn").Process(
                target=serve,
                args=(main, names, listener, alive, tell),
                name="DataLoaderTemplate",
                daemon=True,
            )
            # Not `child.start()`: a program that waits for its active_children() does not mean it.
            with without_main(), undecided():
                self._process = popen_spawn_posix.Popen(child)
        self._forkserver_alive_fd = self._alive.fileno()

    def ensure_running(self) -> None:
        """Nothing: `of_main` gives one that runs."""

    @property
    def fault(self) -> str:
        """Why workers cannot be forked from it; "" if they can. Waits for the program's import."""
        if self._fault is None:
            try:
                self._fault = self._told.recv_bytes().decode()
            except (EOFError, OSError):
                self._fault = "the process ended while it imported the main program"
        return self._fault

    @property
    def gone(self) -> bool:
        """Whether it has ended, of itself or by somebody else's doing."""
        return self._process.poll() is not None

    def start(self, worker: Any) -> None:
        """`worker.start()` of a process of the fork server's context, from here.

        Raises ConnectionError when the template does not answer.
        """
        with replaced(forkserver, "connect_to_new_process", lambda _: self.connect_to_new_process):
            try:
                worker.start()
            except (EOFError, OSError) as error:
                self._fault = "it does not answer"
                raise ConnectionError(self._fault) from error

    def end(self) -> None:
        """Let it end, when its workers have."""
        self.hang_up()
        with contextlib.suppress(OSError):
            os.unlink(self._forkserver_address)
        if self._fault is None:  # it imports, for nobody
            self._process.terminate()

    def hang_up(self) -> None:
        """Close what this process has of it."""
        self._alive.close()
        self._told.close()


def of_main(names: Sequence[str] = ()) -> Template:
    """The template of the main program, as workers would be prepared for it now."""
    global _current
    with undecided():
        data = spawn.get_preparation_data("")
    main = {k: data[k] for k in TOLD if k in data}
    with _lock:
        _ended[:] = [old for old in _ended if not old.gone]
        old = _current
        # One that cannot be forked has ended, and another would fare no better.
        if old is not None and old.main == main and (not old.gone or old.fault):
            return old
        if old is not None:
            _ended.append(old)
            old.end()
        _current = None
        _current = Template(main, names)
        return _current


def end_all() -> None:
    """At the interpreter's exit: no more workers are wanted."""
    global _current
    current, _current = _current, None
    if current is not None:
        current.end()


def _forget() -> None:
    """In a forked child: the template is the parent's."""
    global _current, _lock
    current, _current, _lock = _current, None, threading.Lock()
    _ended.clear()
    if current is not None:
        current.hang_up()


atexit.register(end_all)
os.register_at_fork(after_in_child=_forget)


# -- in the process of the template ----------------------------------------------------------------


def serve(main: Main, names: Sequence[str], listener: Any, alive: Any, tell: Any) -> None:
    """Import the main program, say whether it can be forked, and fork workers until `alive` ends.

    Args:
        main: how multiprocessing prepares a process for the program.
        names: modules to import first, where they can be.
        listener: the socket to which requests for workers come.
        alive: ends when the program and its last worker have.
        tell: takes the fault.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what becomes of it
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    before = _shared_files()
    try:
        with _importing():
            spawn.prepare({k: v for k, v in main.items() if k.startswith("init_main")})
        fault = _fault(before)
    except BaseException as error:  # a worker that imports the program will say it in full
        fault = f"importing the main program: {type(error).__name__}: {error}"
    for stream in (sys.stdout, sys.stderr):  # or each worker would write what is still in them
        with contextlib.suppress(Exception):
            stream.flush()
    with contextlib.suppress(BrokenPipeError), tell:
        tell.send_bytes(fault.encode())
    if not fault:
        gc.freeze()  # collections in workers leave shared pages alone
        with contextlib.suppress(SystemExit):
            forkserver.main(listener.detach(), os.dup(alive.fileno()), [])
    os._exit(0)  # what the program has registered for its exit is not for this process


@contextmanager
def _importing() -> Iterator[None]:
    """Within the block, this process is known to import the main program."""
    current: Any = process.current_process()
    current._inheriting = True
    try:
        yield
    finally:
        del current._inheriting


def _fault(before: set[Any]) -> str:
    """Why this process should not be forked after the import; "" if it may."""
    kernel_threads.stop()
    others = [t.name for t in threading.enumerate() if t is not threading.current_thread()]
    if others:
        return f"the main program has started threads: {', '.join(others)}"
    if _shared_files() - before:
        return "the main program has opened files or connections"
    try:
        os.waitpid(-1, os.WNOHANG)
        return "the main program has started processes"
    except ChildProcessError:
        pass
    # Libraries that know of forks end their threads for one, as OpenBLAS does. Others are left.
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    if len(os.listdir("/proc/self/task")) > 1:
        return "a library of the main program has started threads"
    return ""


def _shared_files() -> set[Any]:
    """Open files of which two processes would notice that they share them: not devices, and not
    files that are only written to, such as logs."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the folder was open while it was listed
            fd = int(name)
            info = os.fstat(fd)
            written = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
            harmless = stat.S_ISCHR(info.st_mode) or (stat.S_ISREG(info.st_mode) and written)
            if not harmless:
                found.add((fd, info.st_dev, info.st_ino))
    return found

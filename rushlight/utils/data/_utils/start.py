"""How workers are started: by which method, and how the data set gets to them.

`forkserver` on Linux and its like, `spawn` elsewhere: processes that begin clean, whatever
threads and locks this one has. Two things cannot be given to such a process: what cannot be pickled
(a lambda, a local class, an open file), and what is defined in a main program that cannot be
imported a second time, because it does its work without asking for `__name__ == "__main__"` or has
no file (a notebook). There `fork` helps, as it does in PyTorch on Linux; where there is no fork,
the error says what to change. A main program that can be imported is so once, by its `template`
(Linux), which then forks all workers of all passes.

The data set is pickled once for all workers, and the memory of its arrays lies in one shared block
which every worker maps as its own (a page is copied when somebody writes to it).
"""

from __future__ import annotations

import ast
import contextlib
import multiprocessing
import os
import pickle
import sys
import sysconfig
from functools import cache
from types import FunctionType
from typing import Any

from .... import dtypes
from ....errors import message
from .patches import undecided, without_main
from .shared import Block
from .transport import pack, parcel_size, write_parcel
from .worker import Job

SMALL = 32 << 10  # bytes that fit into a socket's buffer: sending them never waits
# Settings of libraries that programs make at their top, and that are lost in a process that does
# not run the program's top.
FLAGS = (
    ("PIL.ImageFile", "LOAD_TRUNCATED_IMAGES"),
    ("PIL.Image", "MAX_IMAGE_PIXELS"),
)
PRELOAD = "rushlight.utils.data._utils.process_worker"


class Launch:
    """How the workers of one pool are started. Made once a pool; `send` once a worker."""

    def __init__(self, job: Job, context: Any) -> None:
        self.asked = context is not None
        self.job: Job | None = job  # for a forked process
        self.without_main = False
        self._template: Any = None
        self._setup: dict[str, Any] | None = None
        self._block: Block | None = None
        if process_is_importing():
            raise unguarded("this process is a worker that is importing the main program")
        chosen = multiprocessing.get_start_method(allow_none=True)
        if context is None and chosen not in (None, multiprocessing.get_all_start_methods()[0]):
            context = multiprocessing.get_context(chosen)  # the program has called set_start_method
        if context is not None and context.get_start_method() == "fork":
            self.context = context
            return
        try:
            pickled, memory = pack(job)
        except Exception as error:
            self._fork_or_raise(context, cannot_pickle(job, error), error)
            return
        needs_main = b"__main__" in pickled
        if not main_is_importable():
            if needs_main:
                self._fork_or_raise(
                    context, unguarded("the data set is defined in the main program")
                )
                return
            self.without_main = True
        elif not needs_main and main_is_installed():
            self.without_main = True
        size = sum(m.nbytes for m in memory)
        if not self.asked and fork_context() is not None and size > available_memory() // 2:
            self.context = fork_context()  # no room for a second copy
            return
        if context is None:
            context = default_context()
        self.context = context
        self.job = None
        if not (self.asked or self.without_main) and self.method == "forkserver":
            self._template = forkable_template()
        self._prepare(pickled, memory)

    def _fork_or_raise(
        self, context: Any, error: Exception, cause: Exception | None = None
    ) -> None:
        fork = None if self.asked else fork_context()
        if fork is None:
            raise error from cause
        self.context = fork

    def _prepare(self, pickled: bytes, memory: list[Any]) -> None:
        parts = [*memory, pickled]
        size = parcel_size(parts)
        environ = dict(os.environ) if self.method == "forkserver" else None
        self._setup = {
            "environ": environ,
            "dtype": str(dtypes.get_default_dtype()).partition(".")[2],
            "flags": flags(),
            "size": 0,
            "parts": [bytes(part) for part in parts] if size <= SMALL else len(parts),
        }
        if size > SMALL:
            self._block = Block.make(size)
            write_parcel(self._block, parts)
            self._setup["size"] = self._block.size

    @property
    def method(self) -> str:
        """fork, forkserver or spawn."""
        return str(self.context.get_start_method())

    def start(self, process: Any) -> None:
        """`process.start()`, without handing on the main program if it is not wanted."""
        # Classes of the main program come back from workers under this name.
        sys.modules["__mp_main__"] = sys.modules["__main__"]
        if self._template is not None:
            self._template.start(process)
            return
        if self.method == "forkserver":
            preload(self.context)
        with without_main() if self.without_main else contextlib.nullcontext():
            process.start()

    def send(self, connection: Any) -> None:
        """Send a worker its job, if it has not inherited it."""
        if self._setup is not None:
            connection.send_bytes(pickle.dumps(self._setup, 5))
            if self._block is not None:
                self._block.send(connection)

    def otherwise(self, job: Job) -> Launch | None:
        """The next way to try, when a server that forks has failed; None if there is none."""
        if self._template is not None:
            self._template = None
            return self
        return self.forked(job) if self.method == "forkserver" else None

    def forked(self, job: Job) -> Launch | None:
        """The same by fork, when this way has failed; None if the program has chosen this way."""
        if self.asked or fork_context() is None:
            return None
        if self.method == "fork":
            return self
        twin = object.__new__(Launch)
        twin.asked, twin.job, twin.context = False, job, fork_context()
        twin.without_main, twin._template, twin._setup, twin._block = False, None, None, None
        return twin


def default_context() -> Any:
    """The best of the start methods that begin clean."""
    return multiprocessing.get_context("forkserver" if _has_forkserver() else "spawn")


def _has_forkserver() -> bool:
    # On macOS even a server that does nothing but import has loaded libraries that fear a fork.
    return sys.platform != "darwin" and "forkserver" in multiprocessing.get_all_start_methods()


def warm_up(*parts: Any) -> None:
    """Start the process that will fork workers, so that it is ready when the first are wanted.

    A program makes its loaders before it makes its model; the process imports meanwhile. It is not
    wanted if one of the `parts` that workers need cannot be pickled for them.
    """
    names = multiprocessing.get_all_start_methods()
    chosen = multiprocessing.get_start_method(allow_none=True)
    if not _has_forkserver() or chosen not in (None, names[0], "forkserver"):
        return
    # A worker that imports the main program: `parent_process` is not known yet while it does.
    if process_is_importing() or multiprocessing.parent_process() is not None:
        return
    named = [part if isinstance(part, FunctionType) else type(part) for part in parts]
    if any("<" in thing.__qualname__ for thing in named):
        return  # a <lambda>, or something of <locals>
    from multiprocessing import forkserver

    with contextlib.suppress(OSError), undecided():
        if sys.platform == "linux" and main_is_guarded_here() and not main_is_installed():
            from . import template

            template.of_main(preloaded())
            return
        preload(multiprocessing.get_context("forkserver"))
        forkserver.ensure_running()


def forkable_template() -> Any:
    """The template of the main program; None where there is none, or it cannot be forked."""
    if sys.platform != "linux":  # `/proc` tells whether a process can be forked
        return None
    from . import template

    try:
        found = template.of_main(preloaded())
    except OSError:  # the fork server may have been started when there was still room
        return None
    return None if found.fault else found


def fork_context() -> Any:
    """The context of fork, where it can be relied upon; else None."""
    if sys.platform == "darwin" or "fork" not in multiprocessing.get_all_start_methods():
        return None
    return multiprocessing.get_context("fork")


def preload(context: Any) -> None:
    """Have the fork server import what workers need, so that they begin with it.

    It counts when the server starts, which is once a program, unless the program has a list of its
    own.
    """
    from multiprocessing import forkserver

    if getattr(forkserver._forkserver, "_preload_modules", None) != ["__main__"]:
        return
    context.set_forkserver_preload(preloaded())


def preloaded() -> list[str]:
    """The modules that workers of this program need, of those that take time to import."""
    wanted = (
        "PIL.Image",
        "PIL.ImageOps",
        "PIL.ImageEnhance",
        "rushlight.dropin",
        "rushlight.nn",
        "rushlight.vision",
        "rushlight.vision.datasets",
        "rushlight.vision.transforms",
    )
    return [PRELOAD, *(name for name in wanted if name in sys.modules)]


def flags() -> list[tuple[str, str, Any]]:
    """The known settings of other libraries, as they are here."""
    return [
        (module, name, getattr(sys.modules[module], name))
        for module, name in FLAGS
        if module in sys.modules and hasattr(sys.modules[module], name)
    ]


def available_memory() -> int:
    """Bytes that may still be used; a great number where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            found = [line for line in file if line.startswith("MemAvailable:")]
        return int(found[0].split()[1]) << 10
    except (OSError, ValueError, IndexError):
        return 1 << 62


# -- the main program ----------------------------------------------------------------------------


def main_is_importable() -> bool:
    """Whether a worker can import the main program without running again what runs now."""
    path = _main_path()
    if path is None:
        return False
    if not main_is_guarded_here() and _main_line() is not None:
        _works_unguarded.add(path)
    return bool(_guards(path)) and path not in _works_unguarded


def main_is_guarded_here() -> bool:
    """Whether the line of the main program that this thread executes stands under a guard."""
    path, line = _main_path(), _main_line()
    return path is not None and any(line in guard for guard in _guards(path))


def main_is_installed() -> bool:
    """Whether the main program is an installed one (`python -m pytest`), which sets up nothing."""
    path = _main_path()
    if path is None:
        return False
    folders = {sysconfig.get_paths()[name] for name in ("purelib", "platlib", "stdlib", "scripts")}
    return any(os.path.abspath(path).startswith(folder + os.sep) for folder in folders)


def process_is_importing() -> bool:
    """Whether this is a child of multiprocessing that has not got to its own work yet."""
    return bool(getattr(multiprocessing.current_process(), "_inheriting", False))


def _main_path() -> str | None:
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return path if isinstance(path, str) and os.path.isfile(path) else None


_works_unguarded: set[str] = set()  # programs that have used workers outside of any guard


def _main_line() -> int | None:
    """The line of the main program's top level that is being executed by this thread."""
    frame = sys._getframe()
    main = vars(sys.modules["__main__"])
    while frame is not None:
        if frame.f_globals is main and frame.f_code.co_name == "<module>":
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


@cache
def _guards(path: str) -> list[range]:
    """The lines of a program's statements `if __name__ …` at its top level."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return []
    return [
        range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        for statement in tree.body
        if isinstance(statement, ast.If)
        and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(statement.test))
    ]


# -- errors --------------------------------------------------------------------------------------


def unguarded(why: str) -> RuntimeError:
    """What a program hears that starts workers at its top level."""
    return RuntimeError(
        message(
            "DataLoader: an attempt has been made to start a worker process before the current "
            "process has finished its bootstrapping phase, or without a main program that workers "
            "can import",
            got=why,
            wanted="a main program that workers can import without starting it again",
            hint='putting what the program does below `if __name__ == "__main__":`, or the data '
            'set into a file of its own, or worker_method="thread", or num_workers=0',
        )
    )


def cannot_pickle(job: Job, error: Exception) -> Exception:
    """What a program hears whose data set cannot be sent to workers."""
    guilty = []
    for name, part in (
        ("dataset", job.dataset),
        ("collate_fn", job.collate_fn),
        ("worker_init_fn", job.init_fn),
    ):
        try:
            pack(part)
        except Exception:
            guilty.append(name)
    return pickle.PicklingError(
        message(
            f"DataLoader: {' and '.join(guilty) or 'the job'} cannot be pickled for the workers",
            got=f"{type(error).__name__}: {error}",
            wanted="functions and classes at the top level of a module, and no open files or "
            "connections",
            hint='def instead of lambda, or multiprocessing_context="fork" where there is fork, or '
            'worker_method="thread", or num_workers=0',
        )
    )

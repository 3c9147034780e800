"""Run a script, a module or a piece of code as `python` itself would.

The program finds what it would find without us: `sys.argv`, `sys.path[0]`, `__name__ ==
"__main__"` in a fresh `sys.modules["__main__"]` (from which multiprocessing's children start), its
exit code, and tracebacks that begin in its own lines. The command line is in `command.py`.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import Any

from ..tracebacks import WHOLE, explains_itself, programs_lines

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = {
    os.path.join(HERE, "runner.py"),
    os.path.join(HERE, "command.py"),
    os.path.join(os.path.dirname(HERE), "__main__.py"),
    os.path.join(os.path.dirname(HERE), "explain", "command.py"),
    "<frozen runpy>",
}


def run_file(path: str, args: list[str]) -> None:
    """Run a script, or a folder or zip file that has a `__main__.py`."""
    import pkgutil

    sys.argv[:] = [path, *args]
    if not os.path.exists(path):
        found = f"can't open file '{os.path.abspath(path)}': [Errno 2] No such file or directory"
        print(f"{sys.executable}: {found}", file=sys.stderr)
        near = meant(path)
        if near:
            print(f"  try     python -m rushlight {near}", file=sys.stderr)
        raise SystemExit(2)
    if pkgutil.get_importer(path) is not None and not is_script(path):
        first_entry(path)
        guarded(lambda: as_main("__main__", alter_argv=False))
        return
    first_entry(os.path.dirname(os.path.realpath(path)))
    file = os.path.abspath(path)
    main = fresh_main()
    main.__file__ = file
    guarded(lambda: execute(code_of(file, main), main))


def meant(path: str) -> str | None:
    """A command of ours or a file that is called nearly so, for a path that does not exist."""
    import difflib

    folder, name = os.path.split(path)
    commands = [] if folder or "." in name else ["explain", "tune", "cache info", "cache clear"]
    try:
        files = [f for f in os.listdir(folder or ".") if f.endswith(".py")]
    except OSError:
        files = []
    if name + ".py" in files:
        return os.path.join(folder, name + ".py")
    near = difflib.get_close_matches(name, commands + files, 1, 0.7)
    return os.path.join(folder, near[0]) if near else None


def run_module(name: str, args: list[str]) -> None:
    """Run a module or a package as `python -m` does."""
    sys.argv[:] = ["-m", *args]
    first_entry(os.getcwd())
    guarded(lambda: as_main(name, alter_argv=True))


def run_code(source: str, args: list[str], option: str = "-c") -> None:
    """Run a piece of code as `python -c` does; `option` "-" is a program from standard input."""
    sys.argv[:] = [option, *args]
    first_entry("")
    main = fresh_main()
    name = "<string>" if option == "-c" else "<stdin>"
    guarded(lambda: execute(compile(source, name, "exec", dont_inherit=True), main))


def is_script(path: str) -> bool:
    """Whether Python would read the file at `path` itself instead of importing from it."""
    import zipfile

    return os.path.isfile(path) and not zipfile.is_zipfile(path)


def first_entry(folder: str) -> None:
    """Put the program's folder where `python -m rushlight` has put the current one."""
    if not sys.flags.safe_path and sys.path:
        sys.path[0] = folder


def fresh_main() -> ModuleType:
    """A new `__main__`, with what Python puts there."""
    main: Any = ModuleType("__main__")
    main.__builtins__ = builtins
    main.__annotations__ = {}
    kept.append(sys.modules["__main__"])
    sys.modules["__main__"] = main
    return main


kept: list[ModuleType] = []  # the module that `python -m rushlight` runs in must live on


def code_of(file: str, main: Any) -> CodeType:
    """The code of a script: a source in whatever encoding it declares, or a compiled file."""
    import pkgutil
    from importlib.machinery import SourceFileLoader, SourcelessFileLoader

    if file.endswith(".pyc"):
        with io.open_code(file) as stream:
            found = pkgutil.read_code(stream)
        main.__loader__ = SourcelessFileLoader("__main__", file)
        if found is None:
            raise RuntimeError(f"Bad magic number in {file}")
        return found
    main.__loader__ = SourceFileLoader("__main__", file)
    main.__cached__ = None
    with io.open_code(file) as stream:
        return compile(stream.read(), file, "exec", dont_inherit=True)


def execute(code: CodeType, main: ModuleType) -> None:
    exec(code, vars(main))


def as_main(name: str, alter_argv: bool) -> None:
    import runpy

    fresh_main()
    run: Any = runpy._run_module_as_main  # type: ignore[attr-defined]
    run(name, alter_argv=alter_argv)


def guarded(program: Callable[[], None]) -> None:
    """Run; an error travels on to the interpreter, which then shows the program's own lines."""
    try:
        program()
    except SystemExit:
        raise
    except BaseException:
        shorten_tracebacks()
        raise


def shorten_tracebacks() -> None:
    """Wrap the hook that prints the last error, so that it leaves our frames out."""
    hook = sys.excepthook

    def shown(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        own = without_ours(where)
        left_out = 0
        if hook is sys.__excepthook__ and explains_itself(error, own) and WHOLE not in os.environ:
            own, left_out = programs_lines(own)
        hook(kind, error.with_traceback(own), own)
        if left_out > 1:
            print(
                f"({left_out} lines of Rushlight's own are left out; {WHOLE}=1 in the environment "
                "shows them)",
                file=sys.stderr,
            )

    sys.excepthook = shown


def without_ours(where: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first line on."""
    while where is not None and where.tb_frame.f_code.co_filename in OURS:
        where = where.tb_next
    return where

"""Run a program as it is, with its modules and with its functions compiled, and say what has become
of it.

    python compiled_runner.py folder program.py options...

`eager`; `modules`: each module that the program itself calls is compiled; `functions`: each
function at the top of the program is. Each mode runs in the folder of its name, which is there, in
a child of this process, so that what takes long to import is imported once; its output goes to the
file `output` in it, whose last line is a digest of all parameters, buffers and the generator.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import rushlight
from rushlight import dropin, nn
from rushlight.compiler.replay import Compiled

made: list[nn.Module] = []
runs = [0]


def remember_modules() -> None:
    plain = nn.Module.__init__

    def init(self: Any, *args: Any, **kw: Any) -> None:
        plain(self, *args, **kw)
        made.append(self)

    nn.Module.__init__ = init  # type: ignore[method-assign]


def count_replays() -> None:
    from rushlight.compiler.entry import Entry

    plain = Entry.replay

    def replay(self: Any, *args: Any, **kw: Any) -> Any:
        runs[0] += 1
        return plain(self, *args, **kw)

    Entry.replay = replay  # type: ignore[method-assign]


def compile_modules() -> None:
    """Calls of modules that are no part of another module's call are replayed."""
    plain, depth = nn.Module.__call__, [0]
    known: dict[int, Any] = {}

    def call(self: Any, *args: Any, **kw: Any) -> Any:
        if depth[0]:
            return plain(self, *args, **kw)
        depth[0] += 1
        try:
            if id(self) not in known:
                known[id(self)] = self, Compiled(self)
            return known[id(self)][1](*args, **kw)
        finally:
            depth[0] -= 1

    nn.Module.__call__ = call  # type: ignore[method-assign, assignment]


def with_compiled_functions(source: str, path: str) -> Any:
    """The program's code, with a decorator at each function at its top but `main`."""
    tree = ast.parse(source, path)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and node.name != "main":
            name = ast.Name("_compile", ast.Load())
            node.decorator_list = [ast.copy_location(name, node)]
    return compile(tree, path, "exec")


def digest() -> str:
    found = hashlib.sha256(rushlight.get_rng_state().numpy().tobytes())
    for module in made:
        for t in (*module._parameters.values(), *module._buffers.values()):
            if t is not None:
                found.update(t.detach().contiguous().numpy().tobytes())
    return found.hexdigest()


LONG = ("numpy", "sklearn.datasets", "matplotlib.pyplot", "PIL.Image", "tqdm")  # to import


def run(mode: str, path: str, options: list[str]) -> None:
    """One mode, in a process of its own."""
    warnings.simplefilter("ignore")
    dropin.install()
    remember_modules()
    count_replays()
    if mode == "modules":
        compile_modules()
    source = Path(path).read_text(encoding="utf-8")
    code = (with_compiled_functions if mode == "functions" else compile)(
        source, path, *([] if mode == "functions" else ["exec"])
    )
    sys.argv = [path, *options]
    sys.path.insert(0, str(Path(path).parent))
    space = sys.modules["__main__"].__dict__
    space.update(__file__=path, _compile=rushlight.compile)
    try:
        exec(code, space)
    except AssertionError as error:  # a run this short has learned too little for the program
        print(f"assertion {error}")
    print(f"replayed {runs[0]}")
    print(f"digest {digest()}")


def main() -> None:
    folder, path, *options = sys.argv[1:]
    source = Path(path).read_text(encoding="utf-8")
    for name in LONG:
        if name.partition(".")[0] in source:
            importlib.import_module(name)
    for place in sorted(Path(folder).iterdir()):
        mode = place.name
        child = os.fork()
        if not child:
            os.chdir(place)
            output = os.open("output", os.O_WRONLY | os.O_CREAT, 0o666)
            os.dup2(output, 1)
            os.dup2(output, 2)
            status = 1
            try:
                run(mode, path, options)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{mode}: " + (place / "output").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()

"""Documentation runs: the examples of docstrings, and the Python blocks of the Markdown files.

In a docstring `torch` is this package, `nn`, `F` and `optim` are its modules, `np` is NumPy. In a
Markdown file the blocks marked ```python run one after another in one namespace; a block of `>>>`
lines is a doctest.
"""

from __future__ import annotations

import builtins
import doctest
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import rushlight
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry

ROOT = Path(__file__).parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
GROUPS = ("rushlight.distributed", "rushlight.nn.parallel")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

NAMES = {
    "F": rushlight.nn.functional,
    "nn": rushlight.nn,
    "np": np,
    "optim": rushlight.optim,
    "rushlight": rushlight,
    "torch": rushlight,
}


def modules() -> list[str]:
    return [
        "rushlight",
        *(m.name for m in pkgutil.walk_packages(rushlight.__path__, "rushlight.")),
    ]


def run(test: doctest.DocTest) -> None:
    rushlight.manual_seed(0)
    report: list[str] = []
    downloads = rushlight.hub._hub_dir  # None, which no call can set again
    try:
        results = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(
            test, out=report.append
        )
    finally:
        rushlight.hub._hub_dir = downloads
    assert results.failed == 0, "".join(report)


def with_group(test: doctest.DocTest) -> bool:
    """Whether an example joins a process group: that needs MPI, and leaves threads behind."""
    return any("init_process_group(" in example.source for example in test.examples)


def run_with_groups() -> int:
    """Run the examples that join a process group; how many docstrings they stand in."""
    found = 0
    for name in modules():
        if name.startswith(GROUPS):
            module = importlib.import_module(name)
            names = {**NAMES, **vars(module)}
            for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=names):
                if with_group(test):
                    run(test)
                    found += 1
    return found


@functools.cache
def published() -> dict[str, dict[str, str]]:
    """Docstrings of records and composites by the file that they stand in: doctest does not find
    what is no function, or one that another module has wrapped."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for record in registry.values():
        found[record.declared[0]][f"record.{record.name}"] = record.__doc__ or ""
    for path, made in composites.items():
        fn = made.fn.fget if isinstance(made.fn, property) else made.fn
        code = getattr(inspect.unwrap(fn), "__code__", None)
        if code is not None:
            found[code.co_filename][path] = made.fn.__doc__ or ""
    return found


@pytest.mark.parametrize("name", modules())
def test_docstrings(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    for value in list(vars(module).values()):
        getattr(value, "__doc__", None)  # modules that come late (`late.py`) may bring others along
    names = {**NAMES, **vars(module)}
    if module is rushlight:  # whose `float` is a type of tensors
        names = {**names, **vars(builtins)}
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=names):
        if with_group(test):
            assert name.startswith(GROUPS), f"{test.name} is run by nobody"
        elif test.examples:
            run(test)
    for path, text in published().get(module.__file__ or "", {}).items():
        test = doctest.DocTestParser().get_doctest(text, names, path, module.__file__, 0)
        if test.examples:
            run(test)


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)
def test_docstrings_with_a_process_group() -> None:
    """In a process of their own."""
    command = [sys.executable, "-m", "tests.test_docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 10


def test_docstrings_of_records_are_found() -> None:
    for name in ("record.relu", "nn.functional.relu6"):
        assert any(name in found for found in published().values()), name


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__page__"}
    rushlight.manual_seed(0)
    for match in BLOCK.finditer(text):
        line = text[: match.start()].count("\n") + 1
        code = match.group(1)
        if code.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
            run(test)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)


def test_public_names_exist() -> None:
    for name in rushlight.__all__:
        assert hasattr(rushlight, name), name


if __name__ == "__main__":
    print(f"{run_with_groups()} docstrings")

"""Imports only look down: read from the source, not from a running package."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "rushlight"
FOREIGN = {"torch", "torchvision", "jax", "tensorflow", "tinygrad", "mlx", "scipy"}

# From the bottom up. A file may import from its own layer and from those below it.
LAYERS: list[tuple[str, ...]] = [
    ("blocks", "errors", "once", "tracebacks", "config", "dtypes", "dtypes_unheld", "device",
     "size", "layout", "unsupported", "torch_names", "torch_version", "futures", "backends", "late",
     "drawn"),
    ("kernels",),
    ("storage", "array_memory", "shared_memory", "random", "printing"),
    ("autograd", "storage_moves", "lazy_clones"),
    ("ops", "interchange"),
    ("tensor", "tensor_storage", "tensor_copies", "tensor_dispatch", "legacy_tensors",
     "legacy_storages", "storage_files"),
    ("nn", "optim", "utils", "serialization", "multiprocessing", "profiler", "func", "amp", "fx",
     "jit", "ao", "library", "hub", "publish", "assembly", "show", "testing", "compiler", "_dynamo",
     "_inductor", "autograd.profiler", "autograd.profiler_util", "autograd.profiler_legacy",
     "sparse", "cpu", "cuda", "distributed", "dropin", "namespaces", "__main__", "explain",
     "display"),
    ("vision", "distributions"),
]  # fmt: skip
# The public surface re-exports everything, so it stands above all.
TOP = len(LAYERS)


def files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> int | None:
    """The layer of a module; None for what is none of ours."""
    found = [
        (len(name), number)
        for number, names in enumerate(LAYERS)
        for name in names
        if module == name or module.startswith(name + ".")
    ]
    if found:
        return max(found)[1]  # the most exact name
    return TOP if module == "" else None


# What holds statements, in the fields of statements and of what hangs on them.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@functools.cache
def imported(path: Path) -> tuple[tuple[str, int, bool], ...]:
    """Absolute names that a file imports, their lines, and whether importing the file does it.

    What is kept is this and no tree: a garbage collection would look through millions of nodes.
    """
    package = ["rushlight", *path.relative_to(ROOT).parent.parts]
    found = []
    # Imports are statements, and statements stand in blocks: expressions need not be looked at.
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while pending:
        node, at_once = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        at_once &= not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for block in BLOCKS:
            pending.extend((child, at_once) for child in getattr(node, block, ()))
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno, at_once) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            found += [(f"{start}.{alias.name}", node.lineno, at_once) for alias in node.names]
    return tuple(found)


def imports(path: Path, everywhere: bool) -> Iterator[tuple[str, int]]:
    """Absolute names that a file imports: on import (not inside functions), or everywhere."""
    for name, line, at_once in imported(path):
        if at_once or everywhere:
            yield name, line


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_look_down(path: Path) -> None:
    own = layer(module_name(path))
    if own in (None, TOP):
        return
    for name, line in imports(path, everywhere=False):
        if not name.startswith("rushlight."):
            continue
        target = name.removeprefix("rushlight.")
        other = layer(target)
        assert other is None or other <= own, (
            f"{path.relative_to(ROOT.parent)}:{line} imports {name}, which lies above it"
        )


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_other_engine_is_imported(path: Path) -> None:
    for name, line in imports(path, everywhere=True):
        # optional: decision 0032, and the direction numbers of Sobol's sequence
        optional = "sparse" in path.parent.name or path.name == "quasirandom.py"
        allowed = {"scipy"} if optional else set()
        assert name.split(".")[0] not in FOREIGN - allowed, f"{path.name}:{line} imports {name}"


def test_kernels_have_never_heard_of_a_tensor() -> None:
    for path in sorted((ROOT / "kernels").rglob("*.py")):
        for name, line in imports(path, everywhere=True):
            target = name.removeprefix("rushlight.")
            found = layer(target) if target != name else None
            assert found is None or found <= 1, f"{path.name}:{line} imports {name}"


def test_every_module_has_a_layer() -> None:
    assert not [p.name for p in files() if layer(module_name(p)) is None]


def test_no_module_imports_one_that_imports_it() -> None:
    """Imports at the top of files make no circle."""
    modules = {"rushlight." + module_name(p) for p in files()}
    graph: dict[str, set[str]] = {}
    for path in files():
        own = "rushlight." + module_name(path)
        names = [name for name, _ in imports(path, everywhere=False)]
        found = {name if name in modules else name.rpartition(".")[0] for name in names}
        graph[own] = (found & modules) - {own}
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " -> ".join((*above[above.index(module) :], module))
        if module not in done:
            for other in sorted(graph[module]):
                visit(other, (*above, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


def test_a_module_has_one_name() -> None:
    """`namespaces/fft.py` is `rushlight.fft`; as `rushlight.namespaces.fft` it would be another."""
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("rushlight.namespaces.fft")

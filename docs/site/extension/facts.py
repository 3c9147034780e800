"""What is known of a public name: its signature, its record, and where everything of it lies.

All of it is read from the package that is documented: records say formula, derivative, types and
what is kept; code objects say file and line; the names that a function's code asks for say which
kernels it uses; the words of the test files say which tests are about it.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import rushlight
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import Op, registry
from rushlight.show import formula as formula_of
from rushlight.show import source as source_of

ROOT = Path(__file__).resolve().parents[3]
DEPTH = 3  # of functions that a function calls, in which records and kernels are looked for
MOST_TESTS = 5
MOST_KERNELS = 4
COMMON = 150  # a word that more test files have says nothing
PROMOTE = {
    None: "operands are taken in the types that they have",
    "common": "mixed operands are brought to their common type",
    "float": "integers and bools give the default float type",
}


@dataclass
class Facts:
    """What the site says of a name, beside its docstring; what is empty is left out."""

    formula: str = ""
    derivative: str = ""
    keeps: str = ""
    types: str = ""
    result: str = ""
    operations: list[str] = field(default_factory=list)
    source: str = ""
    kernels: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)


def facts(path: str, space: str, value: Any) -> Facts:
    """Everything that is known of a name."""
    name = path.rpartition(".")[2]
    file, line = home(value, space, name)
    found = Facts(source=f"{file}:{line}" if line else file)
    op = record(value)
    functions = [value] if op is None else [op]
    if isinstance(value, type):
        functions = [value.__dict__[k] for k in ("forward", "step") if k in vars(value)]
    used, found.kernels = reached(functions)
    if op is None and not isinstance(value, type):
        op = behind(used, file)
    if op is not None:
        of_record(op, found)
    front = [] if op is None or op in functions else reached([op])[1]  # before those of its checks
    others = [] if front or found.kernels else [k for o in used for k in reached([o])[1]]
    found.kernels = list(dict.fromkeys(front + found.kernels + others))
    found.kernels = found.kernels[:MOST_KERNELS]
    found.operations = [o.name for o in used if o is not op]
    if op is not None and op.kind == "elementwise" and not found.kernels:
        found.kernels = ["rushlight/kernels/elementwise/select.py"]
    found.tests = tests(name, file, op, space)
    found.differs = differences(path, value)
    return found


def behind(used: list[Op], file: str) -> Op | None:
    """The one record that a function stands in front of, if it is one: the only one that it calls,
    or the first that is declared beside it."""
    if len(used) == 1:
        return used[0]
    own = file.removesuffix(".py").removesuffix("_public")
    if not file.endswith("_public.py"):
        return None
    return next((o for o in used if relative(o.declared[0]).removesuffix(".py") == own), None)


# -- records ---------------------------------------------------------------------------------------


def record(value: Any) -> Op | None:
    """The record that a public function was made from."""
    while value is not None:
        op = value if isinstance(value, Op) else getattr(value, "op", None)
        if isinstance(op, Op):
            return op
        value = getattr(value, "__wrapped__", None)
    return None


def of_record(op: Op, found: Facts) -> None:
    """What a record says."""
    found.formula = formula_of(op) or ""
    found.types = PROMOTE[op.promote] + (
        "; types narrower than float32 are computed in float32" if op.numerics.low != "keep" else ""
    )
    found.result = "a view of the first input" if op.view else ""
    rules = op.get_rules()
    if rules is None:
        found.derivative = "none: the result is not differentiated"
        return
    if not rules:
        return
    names = ["y", *op.inputs]
    kept: list[str] = []
    texts: list[str] = []
    for k, rule in enumerate(rules):
        if rule is None:
            continue
        keeps = op.keeps(k, len(op.inputs))
        kept += [n for n, keep in zip(names, keeps, strict=False) if keep and n not in kept]
        if hasattr(rule, "formula"):
            told = rule.formula
            texts.append(f"{op.inputs[k]}: {told!r}")
        else:
            texts.append(source_of(rule))
    found.derivative = "\n".join(dict.fromkeys(texts))
    found.keeps = ", ".join("the result" if n == "y" else n for n in kept) or "nothing"


def reached(functions: list[Any]) -> tuple[list[Op], list[str]]:
    """The records that functions call, and the kernels' files, by the names in their code."""
    ops: dict[str, Op] = {}
    kernels: dict[str, None] = {}
    pending: list[tuple[Any, int]] = [(f, 0) for f in functions]
    seen: set[int] = set()
    while pending:
        value, depth = pending.pop(0)
        if isinstance(value, Op):
            if depth:
                ops[value.name] = value
                continue
            planned = [value.plan] if value.plan is not None else []
            pending += [(f, 1) for f in (value.formula, *planned)]
            continue
        fn = inspect.unwrap(value) if callable(value) else value
        fn = getattr(fn, "__func__", fn)
        module = getattr(fn, "__module__", None) or ""
        if module.startswith("rushlight.kernels"):
            kernels[file_of(module)] = None
            continue
        if not isinstance(fn, FunctionType) or id(fn) in seen:
            continue
        seen.add(id(fn))
        for other in mentioned(fn):
            if isinstance(other, ModuleType):
                if other.__name__.startswith("rushlight.kernels."):
                    kernels[file_of(other.__name__)] = None
                continue
            found = record(other)
            if found is not None:
                if depth == 0:
                    ops[found.name] = found
                continue
            inside = getattr(other, "__module__", None) or ""
            if depth < DEPTH and inside.startswith(("rushlight.ops", "rushlight.kernels")):
                pending.append((other, depth + (module != inside)))
    telling = [k for k in kernels if not k.endswith(("/meta.py", "/codegen/expr.py"))]
    return list(ops.values()), telling


def mentioned(fn: FunctionType) -> Iterator[Any]:
    """What the code of a function asks for: `conv2d`, and `kernel.plan` of a module `kernel`."""
    last: Any = None
    for step in dis.get_instructions(fn):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            last = fn.__globals__.get(step.argval)
            if last is not None and not isinstance(last, BuiltinFunctionType):
                yield last
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(last, ModuleType):
            own = last.__name__.startswith("rushlight")
            last = getattr(last, step.argval, None) if own else None
            if last is not None:
                yield last
        else:
            last = None


# -- where things lie ------------------------------------------------------------------------------


@functools.cache
def file_of(module: str) -> str:
    """The file of a module, from the repository's root."""
    base = ROOT / module.replace(".", "/")
    found = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return found.relative_to(ROOT).as_posix() if found.exists() else ""


@functools.cache
def lines_of(file: str) -> dict[str, int]:
    """The lines on which the classes of a file begin."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node.lineno for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def home(value: Any, space: str, name: str) -> tuple[str, int]:
    """(file from the repository's root, line) of what is behind a name; line 0: not known."""
    op = record(value)
    if op is not None:
        return relative(op.declared[0]), op.declared[1]
    if isinstance(value, type):
        file = file_of(getattr(value, "__module__", "") or "") or file_of("rushlight")
        return file, lines_of(file).get(value.__name__, 0)
    made = composites.get(f"torch.{name}" if space in ("", "Tensor") else f"torch.{space}.{name}")
    candidates = [value, getattr(value, "fget", None)]
    if made is not None:
        candidates.append(made.fn)
    for candidate in candidates:
        fn = inspect.unwrap(candidate) if callable(candidate) else candidate
        fn = getattr(fn, "__func__", getattr(fn, "fget", None) or fn)
        code = getattr(fn, "__code__", None)
        if code is not None and relative(code.co_filename):
            return relative(code.co_filename), code.co_firstlineno
    plain = name.removesuffix("_").strip("_")
    if space in ("", "Tensor") and plain in registry:
        return relative(registry[plain].declared[0]), registry[plain].declared[1]
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    owner = "tensor" if space == "Tensor" else space
    return file_of(module) or file_of(f"rushlight.{owner}".rstrip(".")), 0


def relative(file: str) -> str:
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


@functools.cache
def words() -> dict[str, list[str]]:
    """The test files that have a word."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        file = path.relative_to(ROOT).as_posix()
        for word in set(re.findall(r"[A-Za-z_]\w*", path.read_text(encoding="utf-8"))):
            found.setdefault(word, []).append(file)
    return found


def tests(name: str, source: str, op: Op | None, space: str) -> list[str]:
    """The tests of a name: those made of its record, then those that have its name."""
    found = []
    if op is not None:
        found.append("tests/ops/core/test_records.py")
    elif f"torch.{name}" in composites or f"torch.{space}.{name}" in composites:
        found.append("tests/ops/core/test_composites.py")
    parts = [p.removesuffix(".py") for p in source.split("/")[1:]]

    def nearness(file: str) -> tuple[int, str]:
        own = file.removesuffix(".py").split("/")[1:]
        shared = sum(p in own or f"test_{p}" in own for p in parts)
        return (-3 * (f"test_{name.lower()}" in own) - shared, file)

    files = words().get(name, [])
    near = sorted(files, key=nearness)
    if len(files) > COMMON:  # only where the folder says that it is meant
        near = [f for f in near if nearness(f)[0] < -1]
    return list(dict.fromkeys([*found, *near]))[:MOST_TESTS]


# -- what differs ----------------------------------------------------------------------------------

DIFFERS = re.compile(r"unlike|differ|refuse|instead|does not|do not|never|not ", re.IGNORECASE)
PAGES = ("README.md", "docs/fully_sharded.md", "docs/pytorch_tests.md")


@functools.cache
def stated() -> list[tuple[set[str], str]]:
    """What the pages say under "What differs" and "What is not there": (names, text)."""
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for part in re.split(r"^## ", text, flags=re.MULTILINE):
            if not part.startswith(("What differs", "What is not there")):
                continue
            for item in re.split(r"^(?:[-*] |\| )", part, flags=re.MULTILINE)[1:]:
                said = " ".join(item.replace(" | ", ": ").strip("| \n").split())
                if said.startswith("Speed"):
                    continue
                spans = re.findall(r"`([^`]+)`", said)
                names = {re.sub(r"\(.*", "", s).removeprefix("torch.").strip() for s in spans}
                found.append((names, re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", said)))
    return found


def differences(path: str, value: Any) -> list[str]:
    """What differs from PyTorch, as the pages and the docstring say."""
    short = path.removeprefix("torch.")
    found = [text for names, text in stated() if {short, short.removeprefix("Tensor.")} & names]
    doc = " ".join((inspect.getdoc(value) or "").split(">>>")[0].split())
    for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])", doc):
        if "PyTorch" in sentence and DIFFERS.search(sentence):
            found.append(sentence)
    return found


__all__ = ["Facts", "facts", "home", "rushlight"]

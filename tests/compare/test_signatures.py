"""Names and order of parameters are PyTorch's, of every published function and method.

PyTorch says them in the stub files of its package, in `inspect.signature` and in the first lines of
docstrings. Where it has several signatures, ours is one of them, or has the parameters of all.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import assembly

torch = pytest.importorskip("torch")

Parameters = list[tuple[str, str]]  # (name, kind): "p" by position, "k" by name, "*" and "**"
KINDS = dict(zip(inspect._ParameterKind, ("p", "p", "*", "k", "**"), strict=True))
SPACES = ("torch", "Tensor", "nn.functional", "linalg", "fft", "special")

LINALG = "torch's is linalg's, whose first parameter is A; it takes input= as well"
CUTS = "PyTorch has signatures for sections, for indices and for a tensor; all names are taken"
OPEN = "PyTorch's is open"
INDICES = "nn.functional's function, which has return_indices"
FORMAT = "PyTorch's stub lacks memory_format, which the method takes"
STACK = "_stacklevel is PyTorch's own matter"
AXES = "it is transpose; axis0= and axis1= are taken"
DTYPE = "PyTorch's stub lets dtype come by position, which raises"

DIFFERENT = {
    "torch.hsmm": "hspmm under an older name, whose first parameter is mat1",
    "torch.det": LINALG,
    "torch.matrix_exp": LINALG,
    "torch.matrix_power": LINALG,
    **dict.fromkeys(("torch.dsplit", "torch.hsplit", "torch.vsplit", "torch.tensor_split"), CUTS),
    **dict.fromkeys(("Tensor.dsplit", "Tensor.hsplit", "Tensor.vsplit"), CUTS),
    "Tensor.tensor_split": CUTS,
    **dict.fromkeys(("torch.lu", "torch.unique", "torch.unique_consecutive"), OPEN),
    **dict.fromkeys([f"torch.max_pool{d}d" for d in (1, 2, 3)], INDICES),
    "torch.max_pool1d_with_indices": INDICES,
    **dict.fromkeys([f"nn.functional.max_pool{d}d" for d in (1, 2, 3)], OPEN),
    **dict.fromkeys([f"nn.functional.adaptive_max_pool{d}d" for d in (1, 2, 3)], OPEN),
    **dict.fromkeys([f"nn.functional.fractional_max_pool{d}d" for d in (2, 3)], OPEN),
    "torch.range": "PyTorch's stub has pin_memory, which raises, and lacks layout",
    **dict.fromkeys(("torch.swapaxes", "Tensor.swapaxes", "Tensor.swapaxes_"), AXES),
    "torch.tensor": DTYPE,
    "Tensor.new_tensor": DTYPE,
    **dict.fromkeys(("torch.true_divide", "Tensor.true_divide", "Tensor.true_divide_"),
                    "it is div, which has rounding_mode"),
    "Tensor.backward": "retain_variables, which PyTorch's first versions had",
    **dict.fromkeys([f"Tensor.{n}" for n in ("bfloat16", "bool", "byte", "cdouble", "cfloat",
                     "chalf", "char", "double", "float", "half", "int", "long", "short")], FORMAT),
    "Tensor.const_data_ptr": "PyTorch's docstring lacks self",
    "Tensor.new": "PyTorch's is a signature for each kind of argument",
    "Tensor.record_stream": "PyTorch's stub has another name than its docstring",
    "Tensor.requires_grad_": "PyTorch's stub says mode, which raises; it is requires_grad",
    "Tensor.to": "three signatures in one: what comes by position may be each of three things",
    "nn.functional.gelu": "PyTorch's stub lets approximate come by position, which raises",
    **dict.fromkeys([f"nn.functional.{n}" for n in ("softmax", "softmin", "log_softmax")], STACK),
    "nn.functional.rrelu": "generator, which torch.rrelu has",
    "nn.functional.rrelu_": "generator, which torch.rrelu_ has",
    "linalg.matrix_rank": "tol, which PyTorch has in signatures that its docstring does not say",
    "linalg.pinv": "rcond, which PyTorch has in signatures that its docstring does not say",
    "linalg.vander": "PyTorch's docstring lets N come by position, which raises",
    "fft.fftfreq": "pin_memory, which PyTorch takes without saying so",
    "fft.rfftfreq": "pin_memory, which PyTorch takes without saying so",
    "special.log_softmax": "dtype, which PyTorch takes by position as well",
    "special.softmax": "dtype, which PyTorch takes by position as well",
    "special.round": "decimals, which PyTorch takes without saying so",
}  # fmt: skip
# Of which PyTorch has no text.
UNSAID = {"torch.get_device", "Tensor.__buffer__", "nn.functional.conv_tbc", "linalg.lu_factor"}


def parameters(fn: ast.FunctionDef) -> Parameters:
    a = fn.args
    found = [(p.arg, "p") for p in a.posonlyargs + a.args]
    found += [(a.vararg.arg, "*")] if a.vararg else []
    found += [(p.arg, "k") for p in a.kwonlyargs]
    return found + ([(a.kwarg.arg, "**")] if a.kwarg else [])


@functools.cache
def stubs(file: str, cls: str | None = None) -> dict[str, list[Parameters]]:
    """The signatures of each function in one of PyTorch's stub files."""
    body = ast.parse((Path(torch.__file__).parent / file).read_text()).body
    if cls is not None:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == cls)
    found: dict[str, list[Parameters]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(parameters(node))
    return found


def of_inspect(fn: Any) -> Parameters:
    shown = inspect.signature(fn).parameters.values()
    return [(p.name, KINDS[p.kind]) for p in shown]


def theirs(space: str, name: str) -> list[Parameters]:
    """PyTorch's signatures of a function; none where it has no text."""
    home: Any = torch
    for part in () if space == "torch" else space.split("."):
        home = getattr(home, part)
    fn = getattr(home, name, None)
    if space == "Tensor" and name in stubs("_C/__init__.pyi", "TensorBase"):
        return stubs("_C/__init__.pyi", "TensorBase")[name]
    if not inspect.isfunction(fn):
        files = {"torch": "_C/_VariableFunctions.pyi", "nn.functional": "_C/_nn.pyi"}
        if space in files and name in stubs(files[space]):
            return stubs(files[space])[name]
    try:
        return [of_inspect(fn)]
    except (ValueError, TypeError):
        pass
    first = ((getattr(fn, "__doc__", "") or "").strip() or " ").splitlines()[0]
    said = re.match(r"[\w.]+\((.*)\)\s*(->.*)?$", first)
    try:
        return [parameters(ast.parse(f"def f({said[1]}): ...").body[0])] if said else []
    except SyntaxError:
        return []


def alike(own: Parameters, all_of_theirs: list[Parameters]) -> bool:
    """Whether ours is one of theirs, or has the parameters of all of theirs (`out` may be more)."""

    def plain(found: Parameters) -> Parameters:
        first = [("self" if n in ("input", "cls") else n, k) for n, k in found[:1]]
        return [*first, *((n, k) for n, k in found[1:] if n != "out")]

    mine = plain(own)
    several = [plain(t) for t in all_of_theirs]
    every = {n for t in several for n, _ in t}
    return mine in several or (len(several) > 1 and {n for n, _ in mine} == every)


@pytest.mark.parametrize("space", SPACES)
def test_parameters_have_pytorchs_names_and_order(space: str) -> None:
    home: Any = rushlight
    for part in () if space == "torch" else space.split("."):
        home = getattr(home, part)
    own = set(vars(home)) if space == "Tensor" else set()
    names = {*assembly.namespaces[space], *(n for n in own if not n.startswith("_"))}
    different, unsaid = set(), set()
    for name in names:
        fn = getattr(home, name)
        if not callable(fn) or isinstance(fn, type):
            continue
        said = theirs(space, name)
        if not said:
            unsaid.add(f"{space}.{name}")
        elif not alike(of_inspect(fn), said):
            different.add(f"{space}.{name}")
    assert different == {n for n in DIFFERENT if n.rpartition(".")[0] == space}
    assert unsaid == {n for n in UNSAID if n.rpartition(".")[0] == space}

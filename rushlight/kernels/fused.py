"""Formulas about one element, computed in one pass: the choice between NumPy and machine code.

`fuse(formula, name)` gives a function with the same meaning. Small arrays, mixed types and whatever
has no machine code go to the formula itself, which is NumPy calls; large arrays of one type go to
a kernel that is compiled when it is first needed and shared by the pool's threads. The choice looks
at sizes, types and layouts alone, so that the same call gives the same bits every time; the one
exception is a formula called with more than MOST_VARIANTS different constants.

Not here: operands of several shapes (`broadcast.py`), how a kernel is made (`llvm/`). Read next:
`llvm/lower.py`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .expr import Expr, Trace

ndarray = np.ndarray
ALWAYS = os.environ.get("RUSHLIGHT_JIT") == "always"  # kernels whatever the size: for tests
LEAST = 1 if ALWAYS else 4096  # elements from which on a formula of several steps is a kernel
FUNCTION_LEAST = 1 if ALWAYS else 1 << 16  # the same for exp, tanh, … alone, which NumPy does well
ARITHMETIC_LEAST = 1 if ALWAYS else 1 << 19  # and for a + b: threads pay when memory is the limit
FAR = 1 << 25  # bytes of a result from which on it goes past the cache
MOST_VARIANTS = 64  # kernels of one formula with different constants; others stay with NumPy
ELEMENTS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double", np.dtype(bool): "i8"}
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
BOOLEAN = {
    "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_not", "logical_not",
}  # fmt: skip
BARE = {"add", "sub", "mul", "div", "neg"}  # their rules stay bare: they are called most often
_jit: Any = None  # the modules of kernels/llvm, once asked for: False when they cannot be used


def jit() -> Any:
    """The machinery of `llvm/`, imported when the first large array comes; False without it."""
    global _jit
    if _jit is None:
        from .llvm import jit as compiler

        if compiler.available():
            from .llvm import elementwise, lower, threads

            _jit = (elementwise, lower, threads)
        else:
            _jit = False
    return _jit


def least_for(name: str, alone: bool) -> int:
    """Elements from which on a kernel is used, for a formula or for one step alone."""
    if not alone:
        return LEAST
    return ARITHMETIC_LEAST if name in BARE else FUNCTION_LEAST


def fuse(
    formula: Callable[..., Any], name: str, traced: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """`formula`, by a kernel where arrays are large. Arguments may be None where it allows.

    `traced` is what is called on `Expr` variables to see the formula, where that differs: where
    the formula is one step, a NumPy ufunc.
    """
    kernels: dict[Any, Any] = {}
    seen = traced or formula
    alone = traced is not None
    least = least_for(name, alone)

    def call(*args: Any, **kw: Any) -> Any:
        for a in args:
            if a.__class__ is ndarray and a.size >= (least if alone else LEAST):
                y = large(seen, name, kernels, args, kw)
                return formula(*args, **kw) if y is None else y
        return formula(*args, **kw)

    call.__name__ = name
    call.__doc__ = formula.__doc__
    return call


def fuse_rule(rule: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A derivative rule (g, y, *inputs), by a kernel where its gradient is large."""
    kernels: dict[Any, Any] = {}

    def call(g: Any, *values: Any, **kw: Any) -> Any:
        if g.__class__ is ndarray and g.size >= LEAST:
            found = large(rule, name, kernels, (g, *values), kw)
            if found is not None:
                return found
        return rule(g, *values, **kw)

    return call


def large(
    formula: Callable[..., Any],
    name: str,
    kernels: dict[Any, Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
) -> Any:
    """The result by a kernel; None when this call is not one for kernels."""
    arrays: list[Any] = []
    kinds: list[str] = []
    first: Any = None
    for a in args:
        if a.__class__ is ndarray:
            if a.ndim == 0 and len(args) > 1:
                kinds.append("one")
            else:
                if first is None:
                    first = a
                elif a.shape != first.shape:
                    from .broadcast import spread

                    return spread(formula, name, kernels, args, kw)
                kinds.append("array")
            arrays.append(a)
        elif a is None:
            kinds.append("none")
        elif a.__class__ is float or a.__class__ is int:
            kinds.append("number")
            arrays.append(a)
        else:
            return None
    if first is None:  # 0-d arrays alone
        return None
    dtype = first.dtype
    types = tuple([a.dtype if a.__class__ is ndarray else dtype for a in arrays])
    key = (dtype, *kinds, *types, *kw.items())
    try:
        found = kernels.get(key)
    except TypeError:  # a parameter that cannot be hashed
        return None
    if found is None:
        found = kernels[key] = make(formula, name, len(kernels), tuple(kinds), types, kw)
    if found is False:
        return None
    kernels_of_sizes, out_type = found
    y = np.empty_like(first, out_type)
    for a, kind in zip(arrays, [k for k in kinds if k != "none"], strict=True):
        if kind == "array" and not same_layout(a, y):
            return None
    given = [a if a.__class__ is ndarray else np.array(a, dtype) for a in arrays]
    jit()[2].ready()
    kernels_of_sizes(y.nbytes >= FAR)(*given, y, y.size)
    return y


def same_layout(a: ndarray, y: ndarray) -> bool:
    """Whether the elements of a (dense) array lie in the order of those of the fresh array y."""
    if a.itemsize == y.itemsize:
        if a.strides == y.strides:
            return True
    elif tuple(s * y.itemsize for s in a.strides) == tuple(s * a.itemsize for s in y.strides):
        return True
    return a.flags.c_contiguous and y.flags.c_contiguous


def make(
    formula: Callable[..., Any],
    name: str,
    variants: int,
    kinds: tuple[str, ...],
    types: tuple[Any, ...],
    kw: dict[str, Any],
) -> Any:
    """(what gives the kernel of near or far results, their type), or False when the formula has no
    machine code."""
    found = planned(formula, kinds, types, kw) if variants < MOST_VARIANTS else None
    if found is None:
        return False
    root, write, operands, out = found
    elementwise = jit()[0]

    @functools.cache
    def kernel(far: bool) -> Any:
        return elementwise.kernel((name, repr(root)), write, operands, [ELEMENTS[out]], far)

    try:
        kernel(False)
    except jit()[1].NoKernel:
        return False
    return kernel, out


def planned(
    formula: Callable[..., Any],
    kinds: tuple[str, ...],
    types: tuple[Any, ...],
    kw: dict[str, Any],
) -> tuple[Expr, Any, list[tuple[str, str]], Any] | None:
    """(formula, what writes it, operands, type of the result) of a kernel; None: there is none."""
    floats = {t for t in types if t in FLOATS}
    if len(floats) != 1 or any(t not in ELEMENTS for t in types) or not jit():
        return None
    lower = jit()[1]
    trace = Trace()
    variables: list[Expr] = []
    given: list[Any] = []
    for kind in kinds:
        if kind == "none":
            given.append(None)
        else:
            variables.append(trace.variable(f"x{len(variables)}"))
            given.append(variables[-1])
    operands = [
        (ELEMENTS[t], "one" if k == "number" else k)
        for t, k in zip(types, [k for k in kinds if k != "none"], strict=True)
    ]
    try:
        root = lower.expanded(formula(*given, **kw), trace)
        if not isinstance(root, Expr) or root.op is None:
            return None
        (dtype,) = floats
        out = np.dtype(bool) if is_boolean(root) else dtype
        return root, lower.written(root, variables), operands, out
    except (lower.NoKernel, TypeError, AttributeError, ValueError):
        return None  # the formula does what formulas cannot: it has no kernel


def is_boolean(root: Expr) -> bool:
    """Whether a formula's value is true or false."""
    return root.op.name in BOOLEAN


def explain(formula: Callable[..., Any], name: str, args: tuple[Any, ...],
            kw: dict[str, Any]) -> list[str]:  # fmt: skip
    """How a call would be computed, and the machine code if there is some, as lines of text."""
    arrays = [a for a in args if isinstance(a, ndarray)]
    size = max((a.size for a in arrays), default=0)
    if size < LEAST:
        return [f"NumPy: {size} elements, a kernel from {LEAST} on"]
    kinds = tuple("none" if a is None else "array" for a in args)
    plan = planned(formula, kinds, tuple(a.dtype for a in arrays), kw)
    if plan is None:
        return ["NumPy: these types, or this formula, have no kernel"]
    root, write, operands, out = plan
    elementwise = jit()[0]
    module = elementwise.build(name, write, operands, [ELEMENTS[out]])
    share = elementwise.share_of(size)
    lines = [f"machine code: one pass, {-(-size // share)} chunks of {share} elements", f"{root}"]
    chunk = next(f for f in module.functions if f.name == "chunk")
    code = re.sub(r"<((\w+ [\w.]+)(?:, \2)+)>", r"splat (\2)", chunk.text())  # for people to read
    return [*lines, "", *code.splitlines(), "", *assembly_of(module, "chunk")]


def assembly_of(module: Any, function: str) -> list[str]:
    """The lines of one function of a module as the CPU will run them."""
    from .llvm import jit as compiler

    lines = compiler.assembly(module.text()).splitlines()
    start = lines.index(f"{function}:")
    end = next(i for i in range(start, len(lines)) if lines[i].startswith(".Lfunc_end"))
    return [line for line in lines[start:end] if not line.strip().startswith((".cfi", ".p2align"))]

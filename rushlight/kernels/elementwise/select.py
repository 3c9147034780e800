"""Formulas about one element, computed in one pass: the choice between NumPy and machine code.

`fuse(formula, name)` gives a function with the same meaning. Small arrays, complex numbers and
whatever has no machine code go to the formula itself, which is NumPy calls; large arrays go to
a kernel that is compiled when it is first needed and shared by the pool's threads. The choice looks
at sizes, types and layouts alone, so that the same call gives the same bits every time. Numbers are
operands of a kernel, so one serves all slopes and limits; only exponents such as 2 are part of it.

float16 and bfloat16 are computed in float32 and rounded once, integers of less than 32 bits in 32.

Not here: operands of several shapes (`axes.py`), how a kernel is made (`codegen/`). Read next:
`codegen/lower.py`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..codegen.expr import Expr, Trace

ndarray = np.ndarray
ALWAYS = os.environ.get("RUSHLIGHT_JIT") == "always"  # kernels whatever the size: for tests
LEAST = 1 if ALWAYS else 4096  # elements from which on a formula of several steps is a kernel
FUNCTION_LEAST = 1 if ALWAYS else 1 << 16  # the same for exp, tanh, … alone, which NumPy does well
ARITHMETIC_LEAST = 1 if ALWAYS else 1 << 19  # and for a + b: threads pay when memory is the limit
FAR = 1 << 25  # bytes of a result from which on it goes past the cache
BOOLEAN = np.dtype(bool)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
LOW = (np.dtype(np.float16), BFLOAT16)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64), *LOW)
ELEMENTS = {  # what an array's elements are called in kernels
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", BOOLEAN: "i8",
    np.dtype(np.float16): "half", BFLOAT16: "bfloat", np.dtype(np.int64): "i64",
    np.dtype(np.int32): "i32", np.dtype(np.int16): "i16", np.dtype(np.int8): "s8",
    np.dtype(np.uint8): "u8",
}  # fmt: skip
COMPUTED = {"double": "double", "i64": "i64", "i32": "i32", "i16": "i32", "s8": "i32", "u8": "i32"}
BARE = {"add", "sub", "mul", "div", "neg"}  # their rules stay bare: they are called most often
_jit: Any = None  # the modules that write kernels, once asked for: False when they cannot be used


def jit() -> Any:
    """What writes and runs kernels, imported when the first large array comes; False without it."""
    global _jit
    if _jit is None:
        from ..runtime import jit as compiler

        if compiler.available():
            from ..codegen import lower
            from ..runtime import threads
            from . import contiguous

            _jit = (contiguous, lower, threads)
        else:
            _jit = False
    return _jit


def running() -> bool:
    """Whether machine code has been asked for before, and is there."""
    return bool(_jit)


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
    the formula is one step, a NumPy ufunc. float16 and bfloat16 may come as they are.
    """
    kernels: dict[Any, Any] = {}
    seen = traced or formula
    alone = traced is not None
    least = least_for(name, alone)

    def call(*args: Any, **kw: Any) -> Any:
        for a in args:
            if a.__class__ is ndarray and a.size >= (least if alone else LEAST):
                y = large(seen, name, kernels, args, kw)
                if y is not None:
                    return y
                break
        for a in args:
            if a.__class__ is ndarray and a.dtype in LOW:
                return computed_wide(formula, a.dtype, args, kw)
        return formula(*args, **kw)

    call.__name__ = name
    call.__doc__ = formula.__doc__
    return call


def computed_wide(formula: Callable[..., Any], low: Any, args: Any, kw: Any) -> Any:
    """A formula of narrow floats by NumPy, in float32."""
    wide = [a if a is None else np.asarray(a, None if is_wide(a) else np.float32) for a in args]
    y = formula(*wide, **kw)
    return y.astype(low) if y.dtype == np.float32 else y


def is_wide(a: Any) -> bool:
    return a.__class__ is ndarray and a.dtype not in LOW


def takes_low(name: str, alone: Any, arrays: list[Any]) -> bool:
    """Whether a call of float16 or bfloat16 may come as it is: one is large, and all are known."""
    least = least_for(name, alone is not None)
    large = False
    for a in arrays:
        if a.__class__ is ndarray:
            if a.dtype not in ELEMENTS:
                return False
            large = large or (a.ndim > 0 and a.size >= least)
        elif a is not None and not isinstance(a, (int, float)):
            return False
    return large


def fuse_rule(
    rule: Callable[..., Any], name: str, otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A derivative rule (g, y, *inputs), by a kernel where its gradient is large, else by
    `otherwise`, or by the rule itself."""
    kernels: dict[Any, Any] = {}
    plain = otherwise or rule

    def call(g: Any, *values: Any, **kw: Any) -> Any:
        if g.__class__ is ndarray and g.size >= LEAST:
            found = large(rule, name, kernels, (g, *values), kw)
            if found is not None:
                return found
        return plain(g, *values, **kw)

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
    numbers: list[Any] = []
    kinds: list[Any] = []
    first: Any = None
    for a in args:
        if a.__class__ is ndarray:
            if a.ndim == 0 and len(args) > 1:
                if name in EXPONENTS and a.dtype.kind == "f":
                    fixed = fixed_number(name, len(kinds), a)
                    if fixed is not None:
                        kinds.append(fixed)
                        continue
                kinds.append("one")
            else:
                if first is None:
                    first = a
                elif a.shape != first.shape:
                    from .axes import spread

                    return spread(formula, name, kernels, args, kw)
                kinds.append("array")
            arrays.append(a)
        elif a is None:
            kinds.append("none")
        elif a.__class__ is float or a.__class__ is int:
            if name in EXPONENTS:
                fixed = fixed_number(name, len(kinds), a)
                if fixed is not None:
                    kinds.append(fixed)
                    continue
            kinds.append(a.__class__)
            numbers.append(a)
        else:
            return None
    if first is None:  # 0-d arrays alone
        return None
    key: Any = (*kinds, *[a.dtype for a in arrays])
    if kw:
        numbers, words = [*numbers, *parameters(kw)], signature(kw)
        key = (*key, *words)
    try:
        found = kernels.get(key)
    except TypeError:  # a parameter that cannot be hashed
        return None
    if found is None:
        found = kernels[key] = make(formula, name, kinds, [a.dtype for a in arrays], kw)
    if found is False:
        return None
    kernels_of_sizes, out_type = found
    y = np.empty_like(first, out_type)
    for a in arrays:
        if a.ndim and not same_layout(a, y):
            from .axes import spread

            return spread(formula, name, kernels, args, kw)
    jit()[2].ready()
    kernels_of_sizes(y.nbytes >= FAR)(*arrays, y, y.size, *numbers)
    return y


EXPONENTS = ("pow", "pow_backward0")


def fixed_number(name: str, place: int, a: Any) -> float | None:
    """A 0-d operand that decides on the code, as the exponent 2 of a power does."""
    position, values = jit()[1].FIXED[name] if jit() else (-1, ())
    return float(a) if place == position and float(a) in values else None


def parameters(kw: dict[str, Any]) -> list[Any]:
    """Those parameters that are operands of the kernel: numbers."""
    return [v for v in kw.values() if v.__class__ is float or v.__class__ is int]


def signature(kw: dict[str, Any]) -> list[Any]:
    """What a kernel depends on, of parameters: the types of numbers, the values of others."""
    return [
        (k, v.__class__ if v.__class__ is float or v.__class__ is int else v) for k, v in kw.items()
    ]


def same_layout(a: ndarray, y: ndarray) -> bool:
    """Whether the elements of a (dense) array lie in the order of those of the fresh array y."""
    if a.itemsize == y.itemsize:
        if a.strides == y.strides:
            return True
    elif tuple(s * y.itemsize for s in a.strides) == tuple(s * a.itemsize for s in y.strides):
        return True
    return a.flags.c_contiguous and y.flags.c_contiguous


def make(formula: Callable[..., Any], name: str, kinds: Any, types: Any, kw: dict[str, Any]) -> Any:
    """(what gives the kernel of near or far results, their type), or False when the formula has no
    machine code."""
    found = planned(formula, kinds, types, kw)
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
    formula: Callable[..., Any], kinds: Any, types: Any, kw: dict[str, Any]
) -> tuple[Expr, Any, list[tuple[str, str]], Any] | None:
    """(formula, what writes it, operands, type of the result) of a kernel; None: there is none.

    Operands are the arrays, then the numbers, each in the order of the call.
    """
    dtype = common_type(types)
    if dtype is None or not jit():
        return None
    lower = jit()[1]
    compute = "i1" if dtype == BOOLEAN else COMPUTED.get(ELEMENTS[dtype], "float")
    integers = compute not in ("float", "double")
    trace = Trace()
    arrays: list[Expr] = []
    numbers: list[Expr] = []
    operands: list[tuple[str, str]] = []
    last: list[tuple[str, str]] = []
    booleans: set[str] = set()
    given: list[Any] = []

    def number(kind: type, called: str) -> Expr:
        last.append(("i64" if kind is int and integers else "double", "number"))
        numbers.append(trace.variable(called))
        return numbers[-1]

    for kind in kinds:
        if kind == "none":
            given.append(None)
        elif kind is float or kind is int:
            given.append(number(kind, f"c{len(numbers)}"))
        elif kind.__class__ is float:
            given.append(kind)
        else:
            memory = ELEMENTS[types[len(arrays)]]
            arrays.append(trace.variable(f"x{len(arrays)}"))
            if memory == "i8":
                booleans.add(arrays[-1].name)
            operands.append((memory, kind))
            given.append(arrays[-1])
    with_numbers = {
        k: number(v.__class__, k) if v.__class__ is float or v.__class__ is int else v
        for k, v in kw.items()
    }
    try:
        root = lower.expanded(formula(*given, **with_numbers), trace)
        if not isinstance(root, Expr) or root.op is None:
            return None
        out = BOOLEAN if lower.is_boolean(root, booleans) else dtype
        write = lower.written(root, [*arrays, *numbers], compute)
        return root, write, [*operands, *last], out
    except (lower.NoKernel, TypeError, AttributeError, ValueError):
        return None  # the formula does what formulas cannot: it has no kernel


def common_type(types: Any) -> Any:
    """The type of a result of operands of these types: beside booleans there may be one; float32
    with narrower floats is float32. None: no kernel."""
    found = {t for t in types if t != BOOLEAN}
    if any(t not in ELEMENTS for t in types):
        return None
    if len(found) > 1 and found <= {np.dtype(np.float32), *LOW}:
        return np.dtype(np.float32)
    return found.pop() if len(found) == 1 else None if found else BOOLEAN


def explain(formula: Callable[..., Any], name: str, args: tuple[Any, ...],
            kw: dict[str, Any]) -> list[str]:  # fmt: skip
    """How a call would be computed, and the machine code if there is some, as lines of text."""
    arrays = [a for a in args if isinstance(a, ndarray)]
    size = max((a.size for a in arrays), default=0)
    if size < LEAST:
        return [f"NumPy: {size} elements, a kernel from {LEAST} on"]
    kinds = ["none" if a is None else "array" for a in args]
    plan = planned(formula, kinds, [a.dtype for a in arrays], kw)
    if plan is None:
        return ["NumPy: these types, or this formula, have no kernel"]
    root, write, operands, out = plan
    elementwise = jit()[0]
    try:
        module = elementwise.build(name, write, operands, [ELEMENTS[out]])
    except jit()[1].NoKernel as reason:
        return [f"NumPy: no kernel, {reason}"]
    share = elementwise.share_of(size)
    lines = [f"machine code: one pass, {-(-size // share)} chunks of {share} elements", f"{root}"]
    chunk = next(f for f in module.functions if f.name == "chunk")
    code = re.sub(r"<((\w+ [\w.]+)(?:, \2)+)>", r"splat (\2)", chunk.text())  # for people to read
    return [*lines, "", *code.splitlines(), "", *assembly_of(module, "chunk")]


def assembly_of(module: Any, function: str) -> list[str]:
    """The lines of one function of a module as the CPU will run them."""
    from ..runtime import jit as compiler

    lines = compiler.assembly(module.text()).splitlines()
    start = lines.index(f"{function}:")
    end = next(i for i in range(start, len(lines)) if lines[i].startswith(".Lfunc_end"))
    return [line for line in lines[start:end] if not line.strip().startswith((".cfi", ".p2align"))]

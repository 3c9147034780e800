"""PyTorch's old functions for the two Jacobians that gradcheck compares: deprecated there, and kept
because `torch.autograd.gradcheck` lists them.

Read first: `gradcheck.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import door
from .backward import grad
from .gradcheck import _as_tuple, _close, _differentiable, _flat, _unit, numbers, put
from .node import TensorBase


def _old(name: str, grad_out: float) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed: gradcheck "
        "computes both Jacobians itself",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0."
        )


def get_numerical_jacobian(
    fn: Callable[..., Any],
    inputs: Any,
    target: Any = None,
    eps: float = 1e-3,
    grad_out: float = 1.0,
) -> tuple[Any, ...]:
    """The Jacobian of the first output of `fn(inputs)`, from differences: for each input that
    requires a gradient (or of `target`) a tensor of (its elements, elements of the output)."""
    _old("get_numerical_jacobian", grad_out)
    varied = _as_tuple(inputs if target is None else target)
    found = []
    for x in varied:
        if not (isinstance(x, TensorBase) and x._fn is not None):
            continue
        a = numbers(x)
        rows = []
        for place in np.ndindex(a.shape):
            ends = []
            for step in (eps, -eps):
                moved = a.copy()
                moved[place] += step
                put(x, moved)
                ends.append(numbers(_differentiable(fn(inputs))[0]).reshape(-1))
            rows.append((ends[0] - ends[1]) / (2 * eps))
        put(x, a)
        found.append(door.wrap(np.array(rows)))
    return tuple(found)


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Any, ...], bool, bool, bool]:
    """(The Jacobians of `output` as backward computes them, whether they were the same the second
    time, whether gradients had the sizes of the inputs, and their types)."""
    _old("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports "
            "functions that return complex outputs."
        )
    xs = [x for x in _as_tuple(inputs) if isinstance(x, TensorBase) and x._fn is not None]
    sizes = kinds = True
    passes = []
    for _ in range(2):
        rows: list[list[Any]] = [[] for _ in xs]
        for j in range(output._a.size):
            v = _unit(output, j, 1.0)
            gs = grad((output,), xs, (v,), retain_graph=True, allow_unused=True)
            for row, g, x in zip(rows, gs, xs, strict=True):
                sizes &= g is None or tuple(g.shape) == tuple(x.shape)
                kinds &= g is None or g.dtype is x.dtype
                row.append(_flat(g, x))
        passes.append([np.array(row).T for row in rows])
    same = all(_close(a, b, 0.0, nondet_tol) for a, b in zip(*passes, strict=True))
    return tuple(map(door.wrap, passes[0])), same, sizes, kinds


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable[..., Any],
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Any = None,
    is_forward_ad: bool = False,
) -> tuple[Any, ...]:
    """The Jacobians of all outputs of `fn(*inputs)` with respect to one input, from differences."""
    x = inputs[input_idx] if input is None else input
    a = numbers(x)
    rows: list[list[Any]] = [[] for _ in outputs]
    for place in np.ndindex(a.shape):
        ends = []
        for step in (eps, -eps):
            moved = a.copy()
            moved[place] += step
            put(x, moved)
            ends.append([numbers(y).reshape(-1) for y in _differentiable(fn(*inputs))])
        for row, up, down in zip(rows, *ends, strict=True):
            row.append((up - down) / (2 * eps))
    put(x, a)
    return tuple(door.wrap(np.array(row)) for row in rows)

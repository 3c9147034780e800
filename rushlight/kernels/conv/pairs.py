"""Convolutions of bfloat16 on CPUs that multiply pairs of them (`matmul/pairs.py`).

A convolution sums over channels, the gradient of its input over output channels, that of its weight
over images and positions. Two neighbours along such an axis are laid side by side, as one number of
32 bits, in both operands: then the kernels of float32 compute it, of half as many channels (or
images), with tiles that add two products where theirs add one. Margins, windows, tables and packing
only move numbers.

An odd number of them, or an operand with gaps, is left to float32.

Not here: when this is used (`select.py`), the launches (`launches.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..matmul.pairs import laying
from ..meta import MetaArray
from ..narrow import rounded, widened
from ..plan import Draft, Plan, is_dense
from . import launches
from .problem import Conv

FLOAT = np.dtype(np.float32)  # as what kernels hold a pair


def forward(c: Conv, x: MetaArray, w: MetaArray, bias: MetaArray | None) -> Plan | None:
    """The plan of operands x, w and bias (or None) for c, which is of float32; None where there are
    no pairs."""
    half = replace(c, c=c.c // 2, pairs=True)
    lines = {"x": c.n * c.groups * half.c, "w": c.groups * c.o * half.c}
    pairs = {
        "x": MetaArray((c.n, c.groups * half.c, *c.size), FLOAT),
        "w": MetaArray((c.groups * c.o, half.c, *c.kernel), FLOAT),
    }
    y = MetaArray((c.n, c.groups * c.o, *c.out), FLOAT)

    def add(sub: Draft) -> Plan:
        launches.implicit_gemm_forward(half, sub, "x", "y")
        return launches.finished(half, sub, "implicit_gemm", "y")

    if c.c % 2:
        return None
    flops = 2 * c.work + (y.size if bias is not None else 0)
    return plan_of({"x": x, "w": w, "bias": bias}, lines, pairs, ("y", y), add, flops)


def input_gradient(c: Conv, g: MetaArray, w: MetaArray) -> Plan | None:
    """The same for the gradient of the input, of operands g and w, as a convolution of g with the
    flipped kernel."""
    half = replace(c, o=c.o // 2, pairs=True)
    lines = {"g": c.n * c.groups * half.o, "w": c.groups * half.o}
    pairs = {
        "g": MetaArray((c.n, c.groups * half.o, *c.out), FLOAT),
        "w": MetaArray((c.groups * half.o, c.c, *c.kernel), FLOAT),
    }
    dx = MetaArray((c.n, c.groups * c.c, *c.size), FLOAT)

    def add(sub: Draft) -> Plan:
        launches.implicit_gemm_forward(half.flipped(), sub, "g", "dx")
        return launches.finished(half, sub, "implicit_gemm", "dx")

    if c.o % 2:
        return None
    return plan_of({"g": g, "w": w}, lines, pairs, ("dx", dx), add, 2 * c.work)


def weight_gradient(c: Conv, x: MetaArray, g: MetaArray, direct: bool) -> Plan | None:
    """The same for the gradient of the weight, of operands x and g: from windows where they lie
    (`direct`), or packed."""
    half = replace(c, n=c.n // 2, pairs=True)
    lines = {"x": half.n, "g": half.n}
    pairs = {
        "x": MetaArray((half.n, c.groups * c.c, *c.size), FLOAT),
        "g": MetaArray((half.n, c.groups * c.o, *c.out), FLOAT),
    }
    dw = MetaArray((c.groups * c.o, c.c, *c.kernel), FLOAT)

    def add(sub: Draft) -> Plan:
        way = launches.direct_weight if direct else launches.implicit_gemm_weight
        return way(half, sub)

    if c.n % 2:
        return None
    return plan_of({"x": x, "g": g}, lines, pairs, ("dw", dw), add, 2 * c.work)


def plan_of(
    given: dict[str, MetaArray | None], lines: dict[str, int], pairs: dict[str, MetaArray],
    result: tuple[str, MetaArray], add: Callable[[Draft], Plan], flops: int,
) -> Plan | None:  # fmt: skip
    """The plan that lays operands in pairs, does what `add` adds to a draft of these, and rounds.

    Args:
        given: the operands.
        lines: of those that are laid: how often two neighbours of the axis follow each other.
        pairs: and how the pairs lie.
        result: the name and the array of what is computed in float32.
        add: makes the plan of float32 from a draft.
        flops: of the whole.
    """
    d = Draft(given)
    of: dict[str, MetaArray | None] = dict(pairs)
    names: dict[str, str | None] = {}
    for name, meta in given.items():
        if name not in pairs:
            names[name] = None if meta is None else widened(d, name)
            of[name] = None if meta is None else MetaArray(meta.shape, FLOAT)
            continue
        assert meta is not None
        made = laid(meta, lines[name])
        if made is None:
            return None
        names[name] = d.array(f"{name}_pairs", pairs[name])
        d.include(made, {"x": name, "y": names[name]})
    name, meta = result
    sub = Draft(of)
    sub.array(name, meta)
    plan = add(sub)
    d.array(f"{name}_wide", meta)
    d.include(plan, names | {name: f"{name}_wide"})
    dtype: Any = next(m.dtype for m in given.values() if m is not None)
    rounded(d, f"{name}_wide", name, dtype)
    return d.plan(f"conv.{dtype.name} by {plan.way} of pairs", (name,), flops)


def laid(x: MetaArray, lines: int) -> Plan | None:
    """The copy of a dense array, seen as (lines, 2, rest), into (lines, rest, 2)."""
    rest = math.prod(x.shape) // (2 * lines) if lines else 0
    if not rest or not is_dense(x):
        return None
    return laying(MetaArray((lines, rest), FLOAT), (4 * rest, 2), 2 * rest)

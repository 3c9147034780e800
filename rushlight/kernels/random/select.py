"""Random numbers: which way fills an array from a stream.

Dense arrays of the usual types are filled by kernels (`generator.py`), others by NumPy
(`distributions.py`); the numbers are the same, and so is the place of the stream afterwards. A
kernel is used for many numbers, and for few where kernels are in use anyway
(`mersenne_twister.Twister.native`). A stream counts as an operand: drawing changes it.

Not here: numbers made by rejection (`rejection.py`), what NumPy alone computes
(`distributions.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..matmul.select import ELEMENTS
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, is_dense
from . import distributions
from .mersenne_twister import Twister

Shape = tuple[int, ...]
SINGLE, DOUBLE, INT64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
OPERANDS = ("a", "state", "rng")


def uniform(a: np.ndarray, rng: Twister, low: float = 0.0, high: float = 1.0) -> None:
    """Fill an array with numbers in [low, high)."""
    state = rng.native(a.size)
    unit = low == 0.0 and high == 1.0
    plan_uniform(a.dtype, a.shape, a.strides, unit, state is not None).run(a, state, rng, low, high)


def standard_uniform(a: np.ndarray, rng: Twister) -> None:
    """`uniform` between 0 and 1, with a plan that is found by the number of elements."""
    if not a.flags.c_contiguous:
        return uniform(a, rng)
    n = a.size
    state = rng.native(n)
    plan_standard_uniform(a.dtype, n, state is not None).run(a, state, rng, 0.0, 1.0)
    return None


def normal(
    a: np.ndarray, rng: Twister, mean: float = 0.0, std: float = 1.0, grouped: bool | None = None
) -> None:
    """Fill an array with normal numbers.

    `grouped` says whether `a` counts as contiguous, when it stands for another array: those of 16
    elements and more go by groups, others by pairs.
    """
    if grouped is None:
        grouped = a.flags.c_contiguous
    by_group = grouped and a.size >= 16 and a.dtype != DOUBLE
    state = rng.native(a.size) if by_group else None
    plain = mean == 0 and std == 1
    plan_normal(a.dtype, a.shape, a.strides, grouped, plain, state is not None).run(
        a, state, rng, mean, std
    )


def bernoulli(a: np.ndarray, rng: Twister, p: float, value: float = 1.0) -> None:
    """Fill an array with `value`, with probability p, and else 0."""
    state = rng.native(a.size) if a.dtype in ELEMENTS and a.flags.c_contiguous else None
    plan_bernoulli(a.dtype, a.shape, a.strides, state is not None).run(a, state, rng, p, value)


def permutation(n: int, rng: Twister) -> np.ndarray:
    """0 .. n-1 shuffled (Fisher and Yates), int64."""
    return plan_permutation(n, rng.native(max(n - 1, 0)) is not None).run(rng)  # type: ignore[no-any-return]


# -- plans ---------------------------------------------------------------------------------------


def filling(name: str, a: MetaArray, launches: Any, scalars: tuple[str, ...]) -> Plan:
    """A plan that writes an array and moves a stream on."""
    return Plan(
        f"random.{name}", OPERANDS, {}, launches, scalars=scalars, mutates=("a", "state", "rng"),
        bytes=a.nbytes,
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_uniform(dtype: Any, shape: Shape, strides: Shape, unit: bool, native: bool) -> Plan:
    """Operands a, state (the stream's memory, or None) and rng; scalars low and high."""
    a, scalars = MetaArray(shape, dtype, strides), ("low", "high")
    if native and is_dense(a):
        from .generator import draw, uniform

        if unit and dtype in (SINGLE, DOUBLE):
            kernel = draw("floats" if dtype == SINGLE else "doubles")
            launch = Launch(kernel, out="a", state="state", n=a.size)
            return filling("draw", a, [launch], scalars)
        if dtype == SINGLE:
            numbers = {"low": "low", "high": "high"}
            launch = Launch(uniform(), out="a", state="state", n=a.size, **numbers)
            return filling("uniform", a, [launch], scalars)
    given = ("a", "rng", "low", "high")
    return filling("numpy", a, [Reference(distributions.uniform, given, ())], scalars)


@functools.lru_cache(maxsize=1024)
def plan_standard_uniform(dtype: Any, n: int, native: bool) -> Plan:
    """`plan_uniform` of an array without gaps: how many dims it has does not matter."""
    return plan_uniform(dtype, (n,), (dtype.itemsize,), True, native)


@functools.lru_cache(maxsize=1024)
def plan_normal(
    dtype: Any, shape: Shape, strides: Shape, grouped: bool, plain: bool, native: bool
) -> Plan:
    """Operands a, state (the stream's memory, or None) and rng; scalars mean and std."""
    a, scalars = MetaArray(shape, dtype, strides), ("mean", "std")
    numbers = {"mean": "mean", "std": "std"}
    launch: Launch | Reference
    if native and dtype == SINGLE and is_dense(a):
        from .generator import normal

        launch = Launch(normal(plain), out="a", state="state", n=a.size, **numbers)
        return filling("normal", a, [launch], scalars)
    if native and dtype.itemsize == 2 and is_dense(a):
        return plan_half_normal(a, plain)
    launch = Reference(distributions.normal, ("a", "rng", "mean", "std"), (), grouped=grouped)
    return filling("numpy", a, [launch], scalars)


def plan_half_normal(a: MetaArray, plain: bool) -> Plan:
    """Normal numbers in float32, rounded; unlike those of wider types, what is left of the size
    when whole groups are made is not drawn before the last 16 are drawn anew."""
    from .generator import draw, normals

    n = a.size
    whole = n - n % 16
    z = {"z": MetaArray((whole,), SINGLE)} | ({"last": MetaArray((16,), SINGLE)} if n % 16 else {})
    launches: list[Launch | Reference] = []
    for k, meta in z.items():
        launches.append(Launch(draw("floats"), out=k, state="state", n=meta.size))
        launches.append(
            Launch(normals(plain), u=k, out=k, groups=meta.size // 16, mean="mean", std="std")
        )
    launches.append(Reference(distributions.rounded, ("a", *z), ()))
    return Plan(
        "random.half_normal", OPERANDS, z, launches, scalars=("mean", "std"), returns=(),
        mutates=("a", "state", "rng"), bytes=a.nbytes,
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_bernoulli(dtype: Any, shape: Shape, strides: Shape, native: bool) -> Plan:
    """Operands a, state (the stream's memory, or None) and rng; scalars p and value."""
    a, scalars = MetaArray(shape, dtype, strides), ("p", "value")
    launch: Launch | Reference
    if native and is_dense(a):
        from .generator import bernoulli

        numbers = {"p": "p", "value": "value"}
        kernel = bernoulli(ELEMENTS[dtype])
        launch = Launch(kernel, out="a", state="state", n=a.size, **numbers)
        return filling("bernoulli", a, [launch], scalars)
    launch = Reference(distributions.bernoulli, ("a", "rng", "p", "value"), ())
    return filling("numpy", a, [launch], scalars)


@functools.lru_cache(maxsize=256)
def plan_permutation(n: int, native: bool) -> Plan:
    """Operand rng; output order."""
    meta = MetaArray((n,), INT64)
    launches: list[Launch | Reference]
    launches = [Reference(distributions.partners, ("rng",), ("partner",), n=n)]
    if native and n > 1:
        from .generator import swaps

        launches.append(Reference(np.arange, (), ("order",), start=0, stop=n))
        launches.append(Launch(swaps(), partner="partner", order="order", n=n))
    else:
        launches.append(Reference(distributions.swapped, ("partner",), ("order",)))
    return Plan(
        "random.permutation", ("rng",), {"partner": meta, "order": meta}, launches,
        returns=("order",), mutates=("rng",), bytes=meta.nbytes,
    )  # fmt: skip

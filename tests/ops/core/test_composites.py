"""Every composite, tested from its own samples.

float32 against float64, meta tensors against the real result, the gradient against a central
difference along one random direction, strided operands against contiguous ones, and the adapters
(methods, aliases, `out=`, forms that end in an underscore) against the function itself.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door
from rushlight.autograd.node import TensorBase
from rushlight.kernels.meta import MetaArray
from rushlight.ops.core.composite import Composite, composites
from rushlight.ops.core.samples import make, static

NAMES = sorted(composites)
CASES = [(name, i) for name in NAMES for i in range(len(composites[name].samples))]
STEP = 1e-5
NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


def cases(has: Callable[[Composite], bool]) -> Any:
    """A test of each sample of the composites of which something holds."""
    return pytest.mark.parametrize(("name", "i"), [c for c in CASES if has(composites[c[0]])])


def in_place(c: Composite) -> bool:
    return c.name.endswith("_") and not c.name.endswith("__")


def arguments(name: str, i: int) -> tuple[Composite, list[Any], dict[str, Any]]:
    """(composite, arguments with arrays, parameters): the same numbers in every run."""
    c = composites[name]
    seed = crc32(f"{name} {i}".encode())
    print(f"seed {seed} for {name} sample {i}")
    args, kw = c.samples[i].make(np.random.default_rng(seed))
    return c, args, kw


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with `change` applied to the arrays in it."""
    if isinstance(value, static):
        return value.value
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, dict):
        return {k: each(v, change) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)([each(v, change) for v in value])
    return value


def tensors(value: Any) -> Any:
    return each(value, lambda a: door.wrap(a.copy()))


def function(c: Composite) -> Any:
    return c.fn.fget if isinstance(c.fn, property) else c.fn


def call(c: Composite, args: Any, kw: Any) -> Any:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some are deprecated, and say so
        return function(c)(*args, **kw)


def flat(value: Any) -> list[Any]:
    """The tensors and other values of a result, in order."""
    if isinstance(value, (tuple, list)):
        return [v for part in value for v in flat(part)]
    return [value]


def arrays_in(value: Any) -> list[Any]:
    found: list[Any] = []
    each(value, lambda a: found.append(a) or a)
    return found


def same(a: Any, b: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Two results are alike, as far as rounding allows."""
    left, right = flat(a), flat(b)
    assert len(left) == len(right)
    for x, y in zip(left, right, strict=True):
        if isinstance(x, TensorBase):
            assert tuple(x._a.shape) == tuple(y._a.shape)
            p, q = np.asarray(x._a), np.asarray(y._a)
            if p.dtype.kind in "fcV":
                wide = np.complex128 if p.dtype.kind == "c" else np.float64
                p, q = p.astype(wide), q.astype(wide)
                np.testing.assert_allclose(p, q, rtol=rtol, atol=atol)
            else:
                np.testing.assert_array_equal(p, q)
        elif isinstance(x, float):
            assert x == pytest.approx(y, rel=rtol, abs=atol)
        elif x is not y:
            assert x == y


def test_every_composite_has_samples() -> None:
    missing = [n for n in NAMES if not composites[n].samples and not composites[n].samples.errors]
    assert not missing, f"composites without samples: {missing}"


# (Not: memory as it was, or a result that tells the type of the operand.)
@cases(lambda c: not c.samples.undefined and not c.samples.typed)
def test_float32_rounds_what_float64_gives(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    if c.samples.random or c.samples.ambiguous:
        got = [call(c, tensors(args), tensors(kw)) for _ in range(2)]
        if not c.samples.layout:  # about memory itself
            same(*got)
        return
    wide = call(c, tensors(args), tensors(kw))

    def narrowed(a: Any) -> Any:
        return door.wrap(a.astype(NARROW.get(a.dtype, a.dtype)))

    if not any(a.dtype in NARROW for a in arrays_in([args, kw])):
        return
    narrow = call(c, each(args, narrowed), each(kw, narrowed))
    same(narrow, wide, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_meta_tensors_know_shape_and_dtype(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    real = call(c, tensors(args), tensors(kw))

    def stand_in(a: Any) -> Any:
        return door.wrap(MetaArray(a.shape, a.dtype))

    if not arrays_in([args, kw]):
        if "device" not in inspect.signature(inspect.unwrap(function(c))).parameters:
            return
        stated = call(c, args, {**kw, "device": "meta"})
    elif c.data_dependent:
        with pytest.raises((NotImplementedError, RuntimeError), match=r"[Mm]eta"):
            call(c, each(args, stand_in), each(kw, stand_in))
        return
    else:
        stated = call(c, each(args, stand_in), each(kw, stand_in))
    for s, r in zip(flat(stated), flat(real), strict=True):
        if isinstance(r, TensorBase):
            assert s._a.__class__ is MetaArray
            assert tuple(s._a.shape) == tuple(r._a.shape)
            assert s._a.dtype == r._a.dtype


# (Not: samples on steps, or results that are one of several.)
@cases(lambda c: c.samples.smooth and not c.samples.ambiguous)
def test_gradient_is_the_slope(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)

    def run(values: list[Any], track: bool) -> tuple[list[Any], list[Any]]:
        """(operands, outputs that carry a gradient)."""
        given = iter(values)
        leaves: list[Any] = []

        def leaf(a: Any) -> Any:
            t = door.wrap(next(given).copy())
            if track and a.dtype.kind in "fc" and len(leaves) not in c.samples.constant:
                t.requires_grad_()
            leaves.append(t)
            # an operand that is written to may not be a leaf
            return t * 1.0 if track and a.dtype.kind in "fc" else t

        out = call(c, each(args, leaf), each(kw, leaf))
        return leaves, [t for t in flat(out) if isinstance(t, TensorBase)]

    values = arrays_in([args, kw])
    which = [k for k, a in enumerate(values) if a.dtype.kind in "fc" and k not in
             c.samples.constant]  # fmt: skip
    leaves, outs = run(values, True)
    live = [k for k, y in enumerate(outs) if y.requires_grad]
    if not which or not live or any(outs[k]._a.dtype not in NARROW for k in live):
        pytest.skip("no gradient, or one that is rounded")
    rng = np.random.default_rng(1)

    def direction(a: Any) -> Any:
        u = rng.standard_normal(a.shape)
        return u + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else u

    weights = [direction(outs[k]._a).astype(outs[k]._a.dtype) for k in live]
    us = {k: direction(values[k]) for k in which}
    gs = torch.autograd.grad(
        [outs[k] for k in live],
        [leaves[k] for k in which],
        [door.wrap(w) for w in weights],
        allow_unused=True,
    )
    slope = sum(
        np.real(np.vdot(g._a, us[k])) for g, k in zip(gs, which, strict=True) if g is not None
    )

    def moved(sign: float) -> float:
        shifted = [a + sign * STEP * us[k] if k in us else a for k, a in enumerate(values)]
        with torch.no_grad():
            _, ys = run([np.asarray(a) for a in shifted], False)
        return float(
            sum(np.real(np.vdot(w, ys[k]._a)) for w, k in zip(weights, live, strict=True))
        )

    measured = (moved(1) - moved(-1)) / (2 * STEP)
    scale = 1 + sum(np.abs(w).sum() for w in weights)
    assert slope == pytest.approx(measured, rel=5e-5, abs=5e-6 * scale)


# (Not: where the subject is the layout itself, or the order of drawing.)
@cases(lambda c: not (c.samples.layout or c.samples.random or c.samples.undefined))
def test_layouts_do_not_matter(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)

    def strided(a: Any) -> Any:
        if a.ndim == 0:
            return door.wrap(a.copy())
        big = np.zeros(tuple(2 * n for n in reversed(a.shape)), a.dtype)
        view = big[tuple(slice(None, None, 2) for _ in a.shape)].T
        view[...] = a
        return door.wrap(view)

    plain = call(c, tensors(args), tensors(kw))
    same(call(c, each(args, strided), each(kw, strided)), plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_operands_are_left_alone(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    given, more = tensors(args), tensors(kw)
    got = call(c, given, more)
    if in_place(c):
        assert got is given[0]
        return
    if kw.get("inplace") or any(a is True for a in args):
        return
    before = arrays_in([args, kw])
    after: list[Any] = []

    def collect(value: Any) -> None:
        for v in value.values() if isinstance(value, dict) else value:
            if isinstance(v, TensorBase):
                after.append(v)
            elif isinstance(v, (list, tuple, dict)):
                collect(v)

    collect(given)
    collect(more)
    for a, t in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, t._a)


def space(path: str) -> Any:
    where = torch
    for part in path.split("."):
        where = getattr(where, part) if part != "torch" else where
    return where


@pytest.mark.parametrize("name", NAMES)
def test_it_stands_under_all_its_names(name: str) -> None:
    c = composites[name]
    for where in c.public:
        for known in c.publication.names(c.name):
            assert hasattr(space(where), known), f"{where}.{known}"


def has_method(c: Composite) -> bool:
    return "Tensor" in c.public and not isinstance(c.fn, property) and not c.samples.layout


@cases(has_method)
def test_the_method_is_the_function(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    first, *rest = tensors(args)
    torch.manual_seed(0)
    got = getattr(first, c.name)(*rest, **tensors(kw))
    same(got, call(c, tensors(args), tensors(kw)))


def takes_out(c: Composite) -> bool:
    if c.samples.layout or c.name.endswith("_"):
        return False
    return bool(c.adapted) or "out" in inspect.signature(inspect.unwrap(function(c))).parameters


@cases(takes_out)
def test_out_holds_the_result(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    want = call(c, tensors(args), tensors(kw))
    assert isinstance(want, (TensorBase, tuple)), "what gives no tensor takes no out="
    if isinstance(want, tuple):
        out: Any = tuple(torch.empty(0, dtype=t.dtype) for t in want)
    else:
        out = torch.empty(0, dtype=want.dtype)
    got = call(c, tensors(args), {**tensors(kw), "out": out})
    same(got, want)
    same(out, want)


@cases(lambda c: in_place(c) and not c.samples.random)
def test_the_form_in_place_is_the_function(name: str, i: int) -> None:
    c, args, kw = arguments(name, i)
    first, *rest = tensors(args)
    plain = getattr(first, c.name[:-1], None)
    if plain is None:
        pytest.skip("there is no other form")
    want = plain(*rest, **tensors(kw))
    same(call(c, tensors(args), tensors(kw)), want.to(first.dtype), rtol=1e-12, atol=1e-12)


ERRORS = [(name, k) for name in NAMES for k in range(len(composites[name].samples.errors))]


@pytest.mark.parametrize(("name", "k"), ERRORS)
def test_declared_errors(name: str, k: int) -> None:
    c = composites[name]
    declared = c.samples.errors[k]
    rng = np.random.default_rng(0)
    args = tensors([make(a, rng) for a in declared.args])
    with pytest.raises(declared.kind) as caught:
        call(c, args, declared.kw)
    assert declared.words in str(caught.value)

"""Every op of the registry, tested from its own record.

Forward on arrays against forward on Tensors, stated shape and dtype against the array that came
out, the
gradient against a central difference along one random direction, second order the same way,
layouts, narrow types,
extreme values, and the declared errors. What is special about an op has a test of its own
elsewhere.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door
from rushlight.kernels.meta import MetaArray
from rushlight.ops.core.derivative import LAZY
from rushlight.ops.core.record import Op, registry

OPS = sorted(registry)
CASES = [(name, i) for name in OPS for i in range(len(registry[name].samples))]
DIFFERENTIABLE = [
    (name, i)
    for name, i in CASES
    if registry[name].rules is not None and registry[name].samples.smooth
]
STEP = 1e-5


def sample(name: str, i: int) -> tuple[Op, list[Any], dict[str, Any]]:
    """(op, arguments, parameters): the same numbers in every run."""
    op = registry[name]
    seed = crc32(f"{name} {i}".encode())
    print(f"seed {seed} for {name} sample {i}")
    args, kw = op.samples[i].make(np.random.default_rng(seed))
    return op, args, kw


def padded(op: Op, args: list[Any]) -> tuple[Any, ...]:
    return tuple(args) + (() if op.variadic else tuple(op.input_defaults[len(args) :]))


def as_tensors(op: Op, args: list[Any]) -> tuple[Any, ...]:
    return tuple(door.wrap(a.copy()) if isinstance(a, np.ndarray) else a for a in padded(op, args))


def outputs(y: Any) -> list[Any]:
    return list(y) if isinstance(y, tuple) else [y]


def arrays(y: Any) -> list[Any]:
    return [np.asarray(getattr(v, "_a", v)) for v in outputs(y)]


def equal(a: Any, b: Any) -> None:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "V":
        a, b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(a, b)


def test_every_op_has_samples() -> None:
    missing = [name for name in OPS if not registry[name].samples]
    assert not missing, f"ops without samples: {missing}"


def test_every_public_op_has_a_docstring() -> None:
    missing = [
        name for name in OPS if registry[name].public and not (registry[name].__doc__ or "").strip()
    ]
    assert not missing, f"ops without a docstring: {missing}"


@pytest.mark.parametrize(("name", "i"), CASES)
def test_tensors_give_what_arrays_give(name: str, i: int) -> None:
    op, args, kw = sample(name, i)
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    direct = op.fn(*padded(op, args), **kw)
    for a, b in zip(args, before, strict=True):
        equal(a, b) if isinstance(a, np.ndarray) else None
    through = door.apply(op, as_tensors(op, args), kw)
    for a, b in zip(arrays(direct), arrays(through), strict=True):
        assert a.shape == b.shape
        equal(a, b)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_meta_tensors_know_shape_and_dtype(name: str, i: int) -> None:
    op, args, kw = sample(name, i)
    real = door.apply(op, as_tensors(op, args), kw)
    metas = tuple(
        door.wrap(MetaArray(a.shape, a.dtype)) if isinstance(a, np.ndarray) else a
        for a in padded(op, args)
    )
    try:
        stated = door.apply(op, metas, kw)
    except Exception as error:
        if depends_on_values(op, real):
            pytest.skip(f"the result's shape depends on values: {error}")
        raise
    for s, r in zip(outputs(stated), outputs(real), strict=True):
        assert s._a.__class__ is MetaArray
        assert tuple(s._a.shape) == tuple(r._a.shape)
        assert s._a.dtype == r._a.dtype


def depends_on_values(op: Op, real: Any) -> bool:
    """Ops like nonzero, unique and mask indexing, whose result's size is not a matter of shapes."""
    return op.numerics.data_dependent


def floats(args: Any) -> list[int]:
    return [k for k, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind in "fc"]


def with_gradient(
    op: Op, args: list[Any], kw: dict[str, Any], which: list[int]
) -> tuple[list[Any], list[Any]]:
    """(leaves, differentiable outputs) of a call in which the arguments `which` require grad."""
    ts = list(as_tensors(op, args))
    for k in which:
        ts[k].requires_grad_()
    y = door.apply(op, tuple(ts), kw)
    return [ts[k] for k in which], [v for v in outputs(y) if v.requires_grad]


def project(
    op: Op, args: list[Any], kw: dict[str, Any], weights: list[Any], places: list[int]
) -> float:
    """<weights, outputs>, real part: the scalar whose derivative is checked."""
    got = arrays(op.fn(*padded(op, args), **kw))
    return float(sum(np.real(np.vdot(w, got[p])) for w, p in zip(weights, places, strict=True)))


def difference(
    op: Op, args: list[Any], kw: dict[str, Any], weights: Any, places: Any, which: Any, us: Any
) -> float:
    up, down = list(args), list(args)
    for k, u in zip(which, us, strict=True):
        up[k], down[k] = np.asarray(args[k] + STEP * u), np.asarray(args[k] - STEP * u)
    return (project(op, up, kw, weights, places) - project(op, down, kw, weights, places)) / (
        2 * STEP
    )


def direction(rng: np.random.Generator, a: Any) -> Any:
    u = rng.standard_normal(a.shape)
    return u + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else u


@pytest.mark.parametrize(("name", "i"), DIFFERENTIABLE)
def test_gradient_is_the_slope(name: str, i: int) -> None:
    op, args, kw = sample(name, i)
    which = differentiable_inputs(op, args)
    if not which:
        pytest.skip("no floating input")
    rng = np.random.default_rng(1)
    leaves, ys = with_gradient(op, args, kw, which)
    if not ys:
        pytest.skip("no differentiable output")
    all_outs = outputs(door.apply(op, as_tensors(op, args), kw))
    places = differentiable_outputs(op, all_outs)
    weights = [direction(rng, y._a) for y in ys]
    us = [direction(rng, args[k]) for k in which]
    gs = torch.autograd.grad(
        ys,
        leaves,
        [door.wrap(w.astype(y._a.dtype)) for w, y in zip(weights, ys, strict=True)],
        allow_unused=True,
    )
    slope = sum(np.real(np.vdot(g._a, u)) for g, u in zip(gs, us, strict=True) if g is not None)
    measured = difference(op, args, kw, weights, places, which, us)
    assert slope == pytest.approx(
        measured, rel=2e-5, abs=2e-6 * (1 + sum(np.abs(w).sum() for w in weights))
    )


def differentiable_inputs(op: Op, args: list[Any]) -> list[int]:
    """Floating arguments that have a rule."""
    n = len(args)
    which = []
    for k in floats(args):
        if k in op.samples.constant:
            continue
        if op.rules is LAZY or op.joint_rule or len(op.rules) != n or op.rules[k] is not None:
            which.append(k)
    return which


def differentiable_outputs(op: Op, ys: list[Any]) -> list[int]:
    return [
        p for p, y in enumerate(ys)
        if y._a.dtype.kind in "fcV" and (op.differentiable is None or p in op.differentiable)
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "i"), DIFFERENTIABLE)
def test_second_order(name: str, i: int) -> None:
    op, args, kw = sample(name, i)
    which = differentiable_inputs(op, args)
    if not which:
        pytest.skip("no floating input")
    if op.samples.once:
        pytest.skip("declared differentiable once, as in PyTorch")
    rng = np.random.default_rng(2)

    def first(values: list[Any], graph: bool) -> tuple[list[Any], Any]:
        leaves, ys = with_gradient(op, values, kw, which)
        if not ys:
            pytest.skip("no differentiable output")
        vs = [door.wrap(direction(np.random.default_rng(3), y._a).astype(y._a.dtype)) for y in ys]
        return leaves, torch.autograd.grad(ys, leaves, vs, create_graph=graph, allow_unused=True)

    leaves, gs = first(args, True)
    shapes = [direction(rng, x._a) for x in leaves]
    us = [direction(rng, x._a) for x in leaves]
    live = [(g, w) for g, w in zip(gs, shapes, strict=True) if g is not None and g.requires_grad]

    def value(values: list[Any]) -> float:
        _, got = first(values, False)
        return float(
            sum(
                np.real(np.vdot(w, g._a)) for g, w in zip(got, shapes, strict=True) if g is not None
            )
        )

    slope = 0.0
    if live:
        hs = torch.autograd.grad(
            [g for g, _ in live],
            leaves,
            [door.wrap(w.astype(g._a.dtype)) for g, w in live],
            allow_unused=True,
        )
        slope = float(
            sum(np.real(np.vdot(h._a, u)) for h, u in zip(hs, us, strict=True) if h is not None)
        )
    up, down = list(args), list(args)
    for k, u in zip(which, us, strict=True):
        up[k], down[k] = np.asarray(args[k] + STEP * u), np.asarray(args[k] - STEP * u)
    measured = (value(up) - value(down)) / (2 * STEP)
    assert slope == pytest.approx(
        measured, rel=2e-4, abs=2e-5 * (1 + sum(np.abs(w).sum() for w in shapes))
    )


@pytest.mark.parametrize(("name", "i"), CASES)
def test_layouts_do_not_matter(name: str, i: int) -> None:
    """Strided operands (every second element of a larger array, Fortran order) give the same
    numbers."""
    op, args, kw = sample(name, i)
    if op.samples.layout:
        pytest.skip("its subject is the layout itself")
    plain = arrays(op.fn(*padded(op, args), **kw))
    strided = [strided_copy(a) if isinstance(a, np.ndarray) else a for a in args]
    if op.name == "view_as_shape":
        strided = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    for a, b in zip(plain, arrays(op.fn(*padded(op, strided), **kw)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def strided_copy(a: Any) -> Any:
    if a.ndim == 0:
        return a.copy()
    big = np.zeros(tuple(2 * n for n in reversed(a.shape)), a.dtype)
    view = big[tuple(slice(None, None, 2) for _ in a.shape)].T
    view[...] = a
    return view


def rounds(op: Any) -> bool:
    """Whether results of narrow types are those of float32, rounded. (What several results hold
    beside the first, such as a norm's moments, may stay in float32.)"""
    return bool(op.compute or (op.numerics.low == "inside" and op.outputs == 1))


NARROW = [(name, i) for name, i in CASES if rounds(registry[name])]


@pytest.mark.parametrize(("name", "i"), NARROW)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_narrow_types_round_the_float32_result(name: str, i: int, dtype: Any) -> None:
    op, args, kw = sample(name, i)
    floating = any(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in args)
    if not floating or op.samples.no_narrow:
        pytest.skip("no floating operand, or a routine of double precision only")
    narrow = [
        a.astype(dtype.np) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a for a in args
    ]
    wide = [
        a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == dtype.np else a
        for a in narrow
    ]
    if op.promote is not None:  # the door makes arrays of numbers
        wide = [np.asarray(a, np.float32) if isinstance(a, float) else a for a in wide]
    got = outputs(door.apply(op, as_tensors(op, narrow), kw))
    want = arrays(op.fn(*padded(op, wide), **kw))
    for g, w in zip(got, want, strict=True):
        if w.dtype == np.float32:
            assert g.dtype is dtype
            equal(g._a, w.astype(dtype.np))
        else:
            # complex numbers of float16 parts are complex32
            assert g._a.dtype == door.NARROWED.get((w.dtype, dtype.np), w.dtype)


LARGE = [80.25, -80.25, 800.25, -800.25]  # off the steps of floor and its like
EXTREMES = np.array([0.0, -0.0, 1, -1, *LARGE, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1e-40])
UNARY = [n for n in OPS if registry[n].kind == "elementwise" and len(registry[n].inputs) == 1]


@pytest.mark.parametrize("name", UNARY)
def test_extreme_values(name: str) -> None:
    """Where f and its slope are finite, the gradient is neither NaN nor wrong: formulas must not
    overflow inside."""
    op = registry[name]
    args, kw = op.samples[0].make(np.random.default_rng(0))
    if args[0].dtype.kind != "f":
        pytest.skip("integers only")
    x = door.wrap(EXTREMES.copy()).requires_grad_()
    y = door.apply(op, (x,), kw)
    assert y.shape == x.shape
    for shape in ((0,), (0, 3), ()):
        assert tuple(door.apply(op, (door.wrap(np.ones(shape)),), kw).shape) == shape
    if not y.requires_grad or not op.samples.smooth:
        return
    (g,) = torch.autograd.grad((y,), (x,), (torch.ones_like(y),))
    with np.errstate(all="ignore"):
        slope = (op.fn(EXTREMES + 1e-4, **kw) - op.fn(EXTREMES - 1e-4, **kw)) / 2e-4
    big = np.isin(EXTREMES, LARGE) & np.isfinite(y._a) & np.isfinite(slope)
    assert not np.isnan(g._a[big]).any(), f"gradient {g._a[big]} at {EXTREMES[big]}"
    np.testing.assert_allclose(g._a[big], slope[big], rtol=1e-2, atol=1e-6)


ERRORS = [(name, k) for name in OPS for k in range(len(registry[name].samples.errors))]


@pytest.mark.parametrize(("name", "k"), ERRORS)
def test_declared_errors(name: str, k: int) -> None:
    op = registry[name]
    declared = op.samples.errors[k]
    rng = np.random.default_rng(0)
    from rushlight.ops.core.samples import make

    args = [make(a, rng) for a in declared.args]
    with pytest.raises(declared.kind) as caught:
        door.apply(op, as_tensors(op, args), declared.kw)
    assert declared.words in str(caught.value)


def test_old_forms_are_named_as_they_are_called() -> None:
    x, a = torch.ones(2, 2), torch.ones(1, 2, 2)
    with pytest.warns(UserWarning, match=r"This overload of addbmm_ is deprecated"):
        x.addbmm_(1, a, a)
    with pytest.warns(UserWarning, match=r"This overload of addbmm is deprecated"):
        torch.addbmm(1, x, a, a)


# Of these a lazy clone is its operand's memory until somebody writes, which is what it is for.
SHARING = ("_lazy_clone",)


@pytest.mark.parametrize(("name", "i"), [c for c in CASES if registry[c[0]].fresh])
def test_a_result_that_is_said_to_be_fresh_shares_no_memory(name: str, i: int) -> None:
    op, args, kw = sample(name, i)
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in padded(op, args)]
    owned = [a for a in given if isinstance(a, np.ndarray)]
    for y in arrays(op.fn(*given, **op.bind(tuple(args), dict(kw))[1])):
        if name not in SHARING:
            assert not any(np.shares_memory(y, a) for a in owned)


@pytest.mark.parametrize(("name", "i"), DIFFERENTIABLE)
def test_no_two_gradients_of_a_call_are_one_array(name: str, i: int) -> None:
    """The engine gives a leaf the array that a rule has made, without a copy (`Node.apart`)."""
    op, args, kw = sample(name, i)
    _, ys = with_gradient(op, args, kw, differentiable_inputs(op, args))
    if not ys:
        pytest.skip("no differentiable output")
    node = getattr(ys[0].grad_fn, "node", ys[0].grad_fn)
    assert node.apart
    many = [np.ones(y.shape, y._a.dtype) for y in ys]
    g: Any = many[0]
    if node.n_out > 1:
        places = {
            (y._fn.nr if hasattr(y._fn, "nr") else 0): m for y, m in zip(ys, many, strict=True)
        }
        g = [places.get(nr) for nr in range(node.n_out)]
    found = [
        r for r in node.run(g, False) if isinstance(r, np.ndarray) and not any(r is m for m in many)
    ]
    assert len({id(r) for r in found}) == len(found)

"""Every record of convolution, pooling, normalisation and resampling: derivatives and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.meta import MetaArray
from rushlight.ops.core.record import Op, registry
from rushlight.ops.nn import conv, fold, norm, pad, pixel_shuffle, pool, resample, unpool


def tensors(arrays: list[Any]) -> list[Any]:
    """Tensors of the arrays (copies), floating ones with a gradient; the rest as it is."""
    found = []
    for a in arrays:
        if isinstance(a, np.ndarray):
            t = rushlight.from_numpy(a.copy())
            a = t.requires_grad_() if a.dtype.kind == "f" else t
        found.append(a)
    return found


def weighted(ys: Any, weights: list[Any]) -> Any:
    """A number made of all outputs that can carry a gradient."""
    ys = ys if isinstance(ys, tuple) else (ys,)
    total: Any = 0
    for y, w in zip(ys, weights, strict=True):
        if y.dtype.is_floating_point and w is not None:
            total = total + (y * rushlight.from_numpy(w)).sum()
    return total


def check_record(op: Op, rng: np.random.Generator, second: bool = True) -> None:
    """First and second derivatives along one random direction, for every sample of the record."""
    assert op.samples, op.name
    for sample in op.samples:
        args, kw = sample.make(rng)
        inputs = tensors(args)
        ys = op(*inputs, **kw)
        ys = ys if isinstance(ys, tuple) else (ys,)
        weights = [rng.standard_normal(y.shape) if y.grad_fn is not None else None for y in ys]
        if op.rules is None:
            assert all(w is None for w in weights), op.name
            continue

        def value(arrays: list[Any], kw: Any = kw, weights: Any = weights) -> float:
            return float(weighted(op(*tensors(arrays), **kw), weights).item())

        live = [t for t in inputs if isinstance(t, rushlight.Tensor) and t.requires_grad]
        grads = rushlight.autograd.grad(weighted(ys, weights), live, create_graph=True)
        steps = [rng.standard_normal(t.shape) for t in live]
        slope = sum(
            float((g.detach().numpy() * s).sum()) for g, s in zip(grads, steps, strict=True)
        )
        assert np.isclose(slope, difference(value, args, steps), rtol=1e-5, atol=1e-7), (op, sample)
        if not second:
            continue
        # Second order: <grad, v> has itself a gradient, which must agree with differences of it.
        vs = [rng.standard_normal(t.shape) for t in live]

        def along(arrays: list[Any], kw: Any = kw, weights: Any = weights, vs: Any = vs) -> float:
            ts = tensors(arrays)
            live = [t for t in ts if isinstance(t, rushlight.Tensor) and t.requires_grad]
            gs = rushlight.autograd.grad(weighted(op(*ts, **kw), weights), live)
            return sum(float((g.numpy() * v).sum()) for g, v in zip(gs, vs, strict=True))

        inner: Any = 0
        for g, v in zip(grads, vs, strict=True):
            inner = inner + (g * rushlight.from_numpy(v)).sum()
        slope2 = 0.0
        if inner.requires_grad:
            seconds = rushlight.autograd.grad(inner, live, allow_unused=True)
            slope2 = sum(
                float((g.numpy() * s).sum())
                for g, s in zip(seconds, steps, strict=True)
                if g is not None
            )
        expected = difference(along, args, steps)
        assert np.isclose(slope2, expected, rtol=1e-4, atol=1e-6), (op, sample, slope2, expected)


def difference(f: Any, args: list[Any], steps: list[Any], h: float = 1e-6) -> float:
    """The central difference of f along `steps` of its floating arguments."""

    def moved(sign: float) -> list[Any]:
        rest = iter(steps)
        return [
            a + sign * h * next(rest) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a
            for a in args
        ]

    return (f(moved(1)) - f(moved(-1))) / (2 * h)


def records(*modules: Any) -> list[Op]:
    """The op records declared in the modules (those made in loops too)."""
    names = {m.__name__ for m in modules}
    return [r for r in registry.values() if r.fn.__module__ in names]


RECORDS = records(conv, fold, norm, pad, unpool, pool, resample, pixel_shuffle)


@pytest.mark.parametrize("op", RECORDS, ids=lambda op: op.name)
def test_derivatives(op, rng):
    check_record(op, rng)


@pytest.mark.parametrize("op", RECORDS, ids=lambda op: op.name)
def test_stated_shapes(op, rng):
    for sample in op.samples:
        args, kw = sample.make(rng)
        want = op.fn(*args, **kw)
        metas = [MetaArray(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
        got = op.infer(metas, kw)
        want, got = (x if isinstance(x, tuple) else (x,) for x in (want, got))
        assert [(w.shape, w.dtype) for w in want] == [(g.shape, g.dtype) for g in got]


@pytest.mark.parametrize("op", RECORDS, ids=lambda op: op.name)
def test_error_samples(op, rng):
    for e in op.samples.errors:
        args = [rng.standard_normal(a) if isinstance(a, tuple) else a for a in e.args]
        with pytest.raises(e.kind, match=e.words):
            op(*[rushlight.from_numpy(a) for a in args], **e.kw)

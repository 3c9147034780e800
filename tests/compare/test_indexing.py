"""Random programs of indexing, assignment, views and in-place changes: values and gradients as in
PyTorch.

A program is drawn from one integer, so a failure is repeated by that integer.
"""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import rushlight

torch = pytest.importorskip("torch")

seeds = st.integers(0, 2**31)
MANY = settings(max_examples=300, deadline=None, derandomize=True)


# -- indexing ------------------------------------------------------------------------------------


def draw_slice(rng, size):
    def end():
        return rng.choice([None, rng.randrange(-size - 2, size + 3)])

    return slice(end(), end(), rng.choice([None, 1, 2, 3]))


def draw_key(rng, shape):
    """A key of every kind of part; index tensors as ("tensor", array) and ("list", values)."""
    key, d, ellipsis = [], 0, False
    wanted = rng.randrange(0, len(shape) + 2)
    while len(key) < wanted:
        kind = rng.choice(["int", "slice", "slice", "none", "ellipsis", "tensor", "list", "mask"])
        if kind == "none":
            key.append(None)
            continue
        if kind == "ellipsis":
            if not ellipsis:
                ellipsis = True
                key.append(Ellipsis)
                d += rng.randrange(0, len(shape) - d + 1)
            continue
        if d >= len(shape):
            break
        size = shape[d]
        if kind == "slice":
            key.append(draw_slice(rng, size))
            d += 1
        elif kind == "mask":
            over = shape[d : d + rng.choice([1, 1, 2])]
            key.append(
                (
                    "tensor",
                    np.array([rng.random() < 0.5 for _ in range(int(np.prod(over)))], bool).reshape(
                        over
                    ),
                )
            )
            d += len(over)
        elif size == 0:
            break
        elif kind == "int":
            key.append(rng.randrange(-size, size))
            d += 1
        else:
            form = (
                rng.choice([(2,), (1,), (2, 2), ()]) if kind == "tensor" else (rng.choice([1, 2]),)
            )
            picks = np.array(
                [rng.randrange(-size, size) for _ in range(int(np.prod(form)))], np.int64
            ).reshape(form)
            key.append((kind, picks))
            d += 1
    if ellipsis:  # it takes as many dimensions as was counted, no more
        key += [slice(None)] * (len(shape) - d)
    return key


def build(key, lib):
    parts = []
    for k in key:
        if isinstance(k, tuple):
            parts.append(lib.tensor(k[1]) if k[0] == "tensor" else k[1].tolist())
        else:
            parts.append(k)
    return parts[0] if len(parts) == 1 else tuple(parts)


def draw_base(rng):
    shape = tuple(
        rng.choice([1, 2, 3, 4, 0]) if rng.random() < 0.2 else rng.choice([2, 3, 4])
        for _ in range(rng.randrange(4))
    )
    return np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape) + 1


def weighted(lib, t):
    return (t * (lib.arange(t.numel(), dtype=lib.float64).reshape(t.shape) + 1)).sum()


def outcome(program, lib, *args):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return program(lib, *args)
    except (RuntimeError, IndexError, TypeError, ValueError) as e:
        return type(e)


def compare(program, *args):
    ours, theirs = outcome(program, rushlight, *args), outcome(program, torch, *args)
    if isinstance(ours, type) or isinstance(theirs, type):
        assert ours is theirs, (ours, theirs)
        return
    for a, b in zip(ours, theirs, strict=True):
        if a is None or b is None:  # no gradient, or zeros
            assert not np.any(b if a is None else a)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def array(t):
    return None if t is None else t.detach().numpy().copy()


@MANY
@given(seeds)
def test_reading(seed):
    rng = random.Random(seed)
    base = draw_base(rng)
    key = draw_key(rng, base.shape)

    def program(lib):
        x = lib.tensor(base, requires_grad=True)
        y = x[build(key, lib)]
        weighted(lib, y).backward()
        return array(y), array(x.grad)

    compare(program)


@MANY
@given(seeds)
def test_writing_a_number(seed):
    rng = random.Random(seed)
    base = draw_base(rng)
    key = draw_key(rng, base.shape)

    def program(lib):
        x = lib.tensor(base, requires_grad=True)
        y = x * 2
        y[build(key, lib)] = 5.0
        weighted(lib, y).backward()
        return array(y), array(x.grad)

    compare(program)


@MANY
@given(seeds)
def test_writing_a_tensor(seed):
    rng = random.Random(seed)
    base = draw_base(rng)
    key = draw_key(rng, base.shape)
    drop, ones = rng.random(), [rng.random() < 0.2 for _ in range(8)]

    def program(lib):
        x = lib.tensor(base, requires_grad=True)
        y = x * 2
        shape = tuple(y[build(key, lib)].shape)
        shape = shape[int(drop * (len(shape) + 1)) :]
        shape = tuple(1 if one else n for one, n in zip(ones, shape, strict=False))
        v = (
            lib.arange(int(np.prod(shape)), dtype=lib.float64).reshape(shape) + 100
        ).requires_grad_()
        y[build(key, lib)] = v * 1
        weighted(lib, y).backward()
        return array(y), array(x.grad), array(v.grad)

    compare(program)


@MANY
@given(seeds)
def test_changing_a_part_in_place(seed):
    rng = random.Random(seed)
    base = draw_base(rng)
    key = [k for k in draw_key(rng, base.shape) if not (isinstance(k, tuple) and k[1].size == 0)]

    def program(lib):
        x = lib.tensor(base, requires_grad=True)
        y = x * 2
        z = y[build(key, lib)]
        z *= 3
        z.add_(1)
        (weighted(lib, y) + (z * z).sum()).backward()
        return array(y), array(z), array(x.grad)

    compare(program)


# -- views and in-place changes --------------------------------------------------------------------

VIEWS = {
    "transpose": lambda t, d: t.transpose(0, d),
    "select": lambda t, d: t.select(d, t.shape[d] - 1),
    "narrow": lambda t, d: t.narrow(d, 0, t.shape[d] - 1),
    "every other": lambda t, d: t[::2],
    "unsqueeze": lambda t, d: t.unsqueeze(d),
    "reshape": lambda t, d: t.reshape(-1),
    "diagonal": lambda t, d: t.diagonal() if t.dim() > 1 else t,
    "split": lambda t, d: t.split(1, d)[0],
    "unbind": lambda t, d: t.unbind(d)[-1],
    "expand": lambda t, d: t.unsqueeze(0).expand(2, *t.shape),
    "detach": lambda t, d: t.detach(),
    "squeeze": lambda t, d: t.squeeze(),
    "permute": lambda t, d: t.permute(*range(t.dim() - 1, -1, -1)),
    "unfold": lambda t, d: t.unfold(d, 2, 2) if t.shape[d] > 1 else t,
    "view": lambda t, d: t.view(t.shape),
}
FRESH = {
    "double": lambda t: t * 2.5,
    "sin": lambda t: t.sin(),
    "square": lambda t: t * t,
    "exp": lambda t: (t * 0.1).exp(),
}
CHANGES = {
    "mul_": lambda lib, t, z, ts: t.mul_(1.5),
    "add_": lambda lib, t, z, ts: t.add_(1),
    "zero_": lambda lib, t, z, ts: t.zero_(),
    "copy_": lambda lib, t, z, ts: t.copy_(ts[0].sum()),
    "set first": lambda lib, t, z, ts: t.__setitem__(0, 3.0),
    "clamp_": lambda lib, t, z, ts: t.clamp_(0.2, 1.2),
    "sigmoid_": lambda lib, t, z, ts: t.sigmoid_(),
    "add leaf": lambda lib, t, z, ts: t.add_(z if t.shape[-1] == 4 else z[0]),
    "pow_": lambda lib, t, z, ts: t.pow_(2),
    "fill_": lambda lib, t, z, ts: t.fill_(2.0),
    "fill with leaf": lambda lib, t, z, ts: t.fill_(z[1]),
    "sub_": lambda lib, t, z, ts: t.sub_(ts[-1].mean()),
    "unsqueeze_": lambda lib, t, z, ts: t.unsqueeze_(0),
    "transpose_": lambda lib, t, z, ts: t.transpose_(0, t.dim() - 1),
}


def draw_program(rng):
    steps = []
    for _ in range(rng.randrange(2, 9)):
        table = rng.choices([VIEWS, FRESH, CHANGES], [45, 15, 40])[0]
        steps.append((table, rng.choice(sorted(table)), rng.random(), rng.random()))
    return steps


def run_program(lib, steps):
    x = ((lib.arange(12, dtype=lib.float64).reshape(3, 4) + 1) / 7).requires_grad_()
    z = ((lib.arange(4, dtype=lib.float64) + 2) / 5).requires_grad_()
    ts = [x * 1.5]
    for table, name, which, where in steps:
        t = ts[int(which * len(ts))]
        if not t.dim() or not t.numel():
            continue
        if table is VIEWS:
            ts.append(VIEWS[name](t, int(where * t.dim())))
        elif table is FRESH:
            ts.append(FRESH[name](t))
        else:
            CHANGES[name](lib, t, z, ts)
    sum((t * t).sum() * (i + 1) for i, t in enumerate(ts) if t.numel()).backward()
    return [array(t) for t in ts] + [array(x.grad), array(z.grad)]


@settings(max_examples=500, deadline=None, derandomize=True)
@given(seeds)
def test_views_and_in_place_changes(seed):
    steps = draw_program(random.Random(seed))
    theirs = outcome(run_program, torch, steps)
    if isinstance(theirs, type):
        # PyTorch forbids some changes that have a clear meaning (parts of split, operands of
        # themselves)
        return
    compare(run_program, steps)


# -- broadcasting ----------------------------------------------------------------------------------


@MANY
@given(
    mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3),
    st.sampled_from(["add", "mul", "where", "addcmul", "lerp", "maximum"]),
)
def test_broadcasting(shapes, name):
    arrays = [
        np.arange(int(np.prod(s)), dtype=np.float64).reshape(s) / 7 + i
        for i, s in enumerate(shapes.input_shapes)
    ]

    def program(lib):
        a, b, c = (lib.tensor(v, requires_grad=True) for v in arrays)
        y = {
            "add": lambda: a + b - c,
            "mul": lambda: a * b * c,
            "where": lambda: lib.where(a > b, b, c),
            "addcmul": lambda: lib.addcmul(a, b, c, value=2),
            "lerp": lambda: lib.lerp(a, b, c),
            "maximum": lambda: lib.maximum(a, lib.minimum(b, c)),
        }[name]()
        weighted(lib, y).backward()
        return [array(y), array(a.grad), array(b.grad), array(c.grad)]

    compare(program)


@MANY
@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_broadcasting_in_place(shapes):
    a, b = (
        np.arange(int(np.prod(s)), dtype=np.float64).reshape(s) + 1 for s in shapes.input_shapes
    )

    def program(lib):
        x, y = lib.tensor(a, requires_grad=True), lib.tensor(b, requires_grad=True)
        z = x * 2
        z.mul_(y)
        z += y
        weighted(lib, z).backward()
        return [array(z), array(x.grad), array(y.grad)]

    compare(program)

"""Fake quantization beside PyTorch: the same values, masks, gradients and refusals, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as ours

real = pytest.importorskip("torch")

FLOATS = ["float32", "float64", "float16", "bfloat16"]


def inputs(rng: np.random.Generator, scale: float) -> np.ndarray:
    """Random numbers, halves of steps, what is large and what is no number."""
    odd = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e19, 0.0, -0.0]
    x = np.concatenate([rng.normal(size=80) * 12 * scale, (np.arange(-16, 16) + 0.5) * scale, odd])
    return x.reshape(8, 15)


def both(x: np.ndarray, dtype: str, calls: object, grad: bool = True) -> None:
    """The same values and first gradients from `calls(library, tensor)` in both libraries."""
    found = []
    for lib in (ours, real):
        t = lib.tensor(x.tolist(), dtype=getattr(lib, dtype)).requires_grad_(grad)
        y = calls(lib, t)
        out = [y]
        if grad:
            weights = lib.arange(float(y.numel())).reshape(y.shape).to(y.dtype)
            out += lib.autograd.grad(y, t, weights)
        assert str(y.dtype) == f"torch.{dtype}"
        found.append([v.detach().to(lib.float64).numpy() for v in out])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("zero", [0, 1, -3])
@pytest.mark.parametrize("scale", [0.25, 0.1, 1 / 3])
def test_one_scale(rng, dtype: str, scale: float, zero: int) -> None:
    x = inputs(rng, scale)
    both(x, dtype, lambda lib, t: lib.fake_quantize_per_tensor_affine(t, scale, zero, -10, 11))
    both(x.T, dtype, lambda lib, t: lib.fake_quantize_per_tensor_affine(t.t(), scale, zero, -9, 8))
    both(
        x,
        dtype,
        lambda lib, t: lib.fake_quantize_per_tensor_affine(
            t, lib.tensor([scale]), lib.tensor(zero, dtype=lib.int32), -10, 11
        ),
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("zeros", ["int32", "float32", "float16"])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_scale_a_channel(rng, dtype: str, zeros: str, axis: int) -> None:
    x = inputs(rng, 0.2)
    x[x > 1e18] = 1e4  # which PyTorch counts as the lower end here: no int64 holds so many steps
    n = x.shape[axis]
    scale, zero = rng.uniform(0.05, 0.4, n), rng.integers(-4, 5, n)
    zero = zero + (0.375 if zeros != "int32" else 0)

    def call(lib, t):
        s = lib.tensor(scale.tolist(), dtype=lib.float32)
        z = lib.tensor(zero.tolist(), dtype=getattr(lib, zeros))
        return lib.fake_quantize_per_channel_affine(t, s, z, axis, -10, 11)

    both(x, dtype, call)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 3, 4, 5)])
def test_shapes(rng, shape: tuple[int, ...]) -> None:
    x = rng.normal(size=shape)
    both(x, "float32", lambda lib, t: lib.fake_quantize_per_tensor_affine(t, 0.1, 3, 0, 15))


@pytest.mark.parametrize("zero", [-0.7, -0.5, 0.3, 0.5, 0.7, 1.5, 2.5, 40.0])
@pytest.mark.parametrize("factor", [1.0, 0.25])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_what_is_learned(rng, zero: float, factor: float, axis: int | None) -> None:
    x = rng.normal(size=(6, 7)).astype("float32") * 2
    x[0] = [0.1, 0.3, 0.5, -0.1, -0.3, 9, -9]
    n = 1 if axis is None else x.shape[axis]
    scale = rng.uniform(0.1, 0.4, n).astype("float32")
    found = []
    for lib in (ours, real):
        t = [lib.tensor(v.tolist(), requires_grad=True) for v in (x, scale, np.full(n, zero))]
        place = () if axis is None else (axis,)
        kind = "tensor" if axis is None else "channel"
        fn = getattr(lib, f"_fake_quantize_learnable_per_{kind}_affine")
        y = fn(*t, *place, -8, 7, factor)
        g = lib.arange(float(y.numel())).reshape(y.shape)
        found.append([y, *lib.autograd.grad(y, t, g)])
        again = lib.autograd.grad((fn(*t, *place, -8, 7, factor) ** 2).sum(), t, create_graph=True)
        with pytest.raises(RuntimeError, match=r"derivative for .*_affine_backward.* not implem"):
            again[0].sum().backward()
    for a, b in zip(*found, strict=True):
        a, b = a.detach().numpy(), b.detach().numpy()
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-4)


SPANS = [(-3, 3), (0.5, 3), (-3, -0.5), (-1e-6, 2e-6), (0, 0), (-1e-45, 0)]
SPANS += [(np.nan, np.nan), (np.inf, np.inf)]


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("span", SPANS)
def test_observed(rng, rows: bool, symmetric: bool, span: tuple[float, float]) -> None:
    low, high = (-128, 127) if symmetric else (0, 255)
    finite = np.isfinite(span).all()
    data = rng.uniform(*(span if finite else (-1, 1)), size=(4, 5, 6)).astype("float32")
    if not finite:
        data[..., 0] = span[0]
    states = []
    for lib in (ours, real):
        n = 5 if rows else 1
        state = [lib.full((n,), lib.inf), lib.full((n,), -lib.inf), lib.ones(n)]
        state.append(lib.zeros(n, dtype=lib.int32))
        seen = []
        for i, (on, fake) in enumerate([(1, 1), (1, 0), (1, 1), (0, 1)]):
            x = lib.tensor(data[i].tolist(), requires_grad=True)
            flags = lib.tensor([on]), lib.tensor([fake])
            axis = 0 if rows else -1
            try:
                y = lib.fused_moving_avg_obs_fake_quant(
                    x, *flags, *state, 0.3, low, high, axis, rows, symmetric
                )
            except RuntimeError:  # of rows without a range, which have no zero point
                assert not finite
                seen += [s.clone() for s in state]
                continue
            assert type(y.grad_fn).__name__ == "FusedMovingAvgObsFqHelperBackward0"
            seen += [y, *lib.autograd.grad(y.sum(), x), *[s.clone() for s in state]]
        states.append(seen)
    for i, (a, b) in enumerate(zip(*states, strict=True)):
        assert str(a.dtype) == str(b.dtype)
        a, b = a.detach().numpy(), b.detach().numpy()
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12, err_msg=str(i))


X = "x = torch.arange(6.).reshape(2, 3) - 2; s = torch.tensor([.1, .2, .3]); z = s.int(); "
REFUSED = [
    "torch.fake_quantize_per_tensor_affine(x.long(), .1, 0, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x.bool(), s[:1], z[:1], 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, .1, 0, 255, 0)",
    "torch.fake_quantize_per_tensor_affine(x, .1, 300, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, .1, -1, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, .1, .5, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, 'a', 0, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(None, .1, 0, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(3, .1, 0, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, s, z[:1], 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, s[:1], z, 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, s[:0], z[:0], 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, s[0], z[0], 255, 0)",
    "torch.fake_quantize_per_tensor_affine(x, s[:1].requires_grad_(), z[:1], 0, 255)",
    "torch.fake_quantize_per_tensor_affine(x, torch.tensor(.1, requires_grad=True), 0, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x.long(), s, z, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z, -1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z, 0, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z, 2, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z, -3, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z.long(), 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z.double(), 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s.double(), z, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s.half(), z, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z + 300, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z - 1, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z, 1, 255, 0)",
    "torch.fake_quantize_per_channel_affine(x, s[:2], z, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s, z[:2], 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s[None], z[None], 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s[0], z[0], 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(torch.tensor(1.), s[:1], z[:1], 0, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, .1, 0, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(x, s.requires_grad_(), z, 1, 0, 255)",
    "torch.fake_quantize_per_channel_affine(torch.zeros(2, 0), s[:0], z[:0], 1, 0, 255)",
    "torch._fake_quantize_learnable_per_tensor_affine(x, s[0], s[:1], -2, 2)",
    "torch._fake_quantize_learnable_per_tensor_affine(x, s[:0], s[:0], -2, 2)",
    "torch._fake_quantize_learnable_per_tensor_affine(x, s[:1], s[:1], 2, -2)",
    "torch._fake_quantize_learnable_per_tensor_affine(x, .1, 0, 2, -2)",
    "torch._fake_quantize_learnable_per_tensor_affine(x.long(), s[:1], s[:1], -2, 2)",
    "torch._fake_quantize_learnable_per_channel_affine(x, s, z, -1, -2, 2)",
    "torch._fake_quantize_learnable_per_channel_affine(x, s, z, 0, -2, 2)",
    "torch._fake_quantize_learnable_per_channel_affine(x, s.double(), z, 1, -2, 2)",
    "torch._fake_quantize_learnable_per_channel_affine(x, s, z, 1, 2, -2)",
]
OBSERVED = "torch.fused_moving_avg_obs_fake_quant(%s, one, one, low, -low, s, z, .1, %s)"
REFUSED += [
    "one = torch.tensor([1]); low = torch.tensor(inf); s = torch.ones(1); z = s.int(); "
    + OBSERVED % (x, rest)
    for x, rest in [
        ("x.double()", "0, 255, -1"),
        ("x.long()", "0, 255, -1"),
        ("x", "0, 255, 1, True"),
        ("x", "0, 255, -2, True"),
        ("x", "0, 255, 5"),
        ("x", "5, 2, -1"),
        ("3", "0, 255, -1"),
    ]
]


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(line: str) -> None:
    """The same class of error and the same first line, but for blanks."""
    told = []
    for lib in (ours, real):
        *statements, last = (X + line).split("; ")
        names = {"torch": lib, "inf": float("inf")}
        for statement in statements:
            exec(statement, names)
        with pytest.raises(Exception, match=r".") as caught:
            eval(last, names)
        told.append((caught.type, " ".join(str(caught.value).split("\n")[0].split())))
    assert issubclass(told[0][0], told[1][0])
    assert told[0][1].removesuffix(".") in told[1][1] or told[1][1] in told[0][1]

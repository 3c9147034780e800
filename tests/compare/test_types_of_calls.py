"""What calls of transforms, dropout and samplers do with each type: results and errors."""

from __future__ import annotations

import pytest

import rushlight

torch = pytest.importorskip("torch")

TRANSFORMS = [
    "F.jvp(lambda v: v.isfinite(), (x,), (x,))", "F.jvp(lambda v: v.sort(0), (x,), (x,))",
    "F.jvp(lambda v: v * 2, (i,), (i,))", "F.jvp(lambda v: v * 2, (x,), (i,))",
    "F.jvp(lambda v: 1 / 0, (i,), (i,))", "F.jvp(lambda v: v * 2, (x.cfloat(),), (x,))",
    "F.jvp(lambda v: torch.ones(2, dtype=torch.int64), (x,), (x,))",
    "F.jacfwd(lambda v: v.isfinite())(x)", "F.jacfwd(lambda v: v.sort(0))(x)",
    "F.jacfwd(lambda v: v * 2)(i)", "F.jacrev(lambda v: v * 2)(i)",
    "F.jacrev(lambda v: v.sort(0))(x)", "F.jacrev(lambda v: v.isfinite())(x)",
    "F.vjp(lambda v: v.isfinite(), x)[0]", "F.vjp(lambda v: v.long(), x)[0]",
    "F.vjp(lambda v: v * 2, i)[0]", "F.hessian(lambda v: v.isfinite().sum())(x)",
    "F.hessian(lambda v: v.sum())(i)", "F.linearize(lambda v: v * 2, i)",
    "F.grad(lambda v: (v * 1j).sum())(x)", "F.grad(lambda v: (v * 1j).abs().sum())(x)",
    "F.jacrev(lambda v: v.real)(torch.zeros(0, 3, dtype=torch.bfloat16))",
    "F.jacfwd(lambda v: v.sum(1))(torch.zeros(0, 3, dtype=torch.float64))",
    "torch.autograd.functional.jacobian(lambda v: v * 2, x.cfloat())",
    "torch.autograd.functional.hessian(lambda v: (v * 2).sum(), x.cfloat())",
    "torch.autograd.functional.jacobian(lambda v: v * 2, x.double())",
]  # fmt: skip
DROPOUT = [
    "torch.dropout({}, 0.4, True)", "N.dropout({})", "N.dropout({}, 0.0)", "N.dropout({}, 1.0)",
    "N.dropout({}, 0.4, False)", "N.dropout({}, 0.4, True, True)",
    "N.alpha_dropout({}, 0.3, True)", "N.feature_alpha_dropout({}, 0.3, True)",
    "torch.feature_dropout({}, 0.3, True)", "torch.feature_dropout({}[0, 0], 0.3, True)",
    "N.dropout1d({})", "torch.native_dropout({}, 0.3, True)",
    "torch.native_dropout({}, 0.3, False)", "torch.binomial({}, {})",
    "torch.binomial({}, torch.rand(2, 3, 3))", "N.rrelu({}, training=True)",
    "N.gumbel_softmax({}.mT)",
]  # fmt: skip
CALLS = [
    *TRANSFORMS,
    *(text.replace("{}", f"y.{kind}()") for text in DROPOUT
      for kind in ("float", "long", "byte", "bool", "cfloat")),
    "N.gumbel_softmax(torch.zeros(0), hard=True)", "N.gumbel_softmax(torch.zeros(0))",
    *(f"torch.{name}({a}, {b}, {k})" for name in ("linspace", "logspace") for k in (0, 1, 2, 5)
      for a, b in (("float('nan')", 2), (2, "float('nan')"), (0, "float('inf')"),
                   ("-float('inf')", "float('inf')"), ("float('inf')", 0), (0, 3))),
    *(f"torch.{name}(torch.ones{a}, torch.zeros{g}, 0, 0, False)"
      for name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
      for a, g in (((1, 2, 4, 4), (1, 3, 3, 2)), ((1, 2, 4, 4, 4), (1, 3, 3, 3, 3)),
                   ((1, 2, 4, 4), (1, 3, 3, 3)), ((2, 4, 4), (1, 3, 3, 2)))),
]  # fmt: skip


def told(t, text):
    """The result's text, or the class and the first words of the error."""
    t.manual_seed(1)
    names = {"torch": t, "F": t.func, "N": t.nn.functional, "x": t.tensor([3.0, 1.0, 2.0]),
             "i": t.tensor([1, 2, 3]), "y": t.ones(2, 3, 3)}  # fmt: skip
    try:
        return "".join(repr(eval(text, names)).replace("rushlight.", "torch.").split())
    except Exception as error:
        return type(error).__name__, str(error)[:50].split("\n")[0]


@pytest.mark.filterwarnings("ignore")  # PyTorch's
def test_transforms_of_inference_tensors():
    told = []
    for t in (rushlight, torch):
        with t.inference_mode():
            x = t.tensor([1.0, 2.0])
        told.append([
            t.func.grad(lambda v: (v * v).sum())(x).tolist(),
            t.func.vjp(lambda v: v * v, x)[0].tolist(),
            t.func.jacrev(lambda v: v * v)(x).tolist(),
            t.func.jacfwd(lambda v: v * v)(x).tolist(),
            x.is_inference(),
        ])  # fmt: skip
    assert told[0] == told[1]


@pytest.mark.filterwarnings("ignore")  # PyTorch's own, of what jvp loads
@pytest.mark.parametrize("text", CALLS)
def test_same(text):
    assert told(rushlight, text) == told(torch, text)


def test_zeros_of_an_input_that_is_not_used_lie_as_it_does():
    strides = []
    for t in (rushlight, torch):
        x = t.ones(2, 3).t().clone().requires_grad_()
        y = t.ones(2, requires_grad=True) * 2
        (g,) = t.autograd.grad(y.sum(), x, materialize_grads=True)
        strides.append(g.stride())
    assert strides[0] == strides[1]


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3), (0, 0)])
def test_multinomial_of_nothing(shape, samples):
    """Indices of no weights were memory as it was."""
    def told(t):
        try:
            return tuple(t.multinomial(t.zeros(shape), samples, True).shape)
        except RuntimeError:
            return "refused"

    assert told(rushlight) == told(torch)


def test_binomial_of_infinitely_many():
    """Where PyTorch gives any number, or never ends."""
    count = rushlight.tensor([float("inf"), float("nan")])
    got = rushlight.binomial(count, rushlight.tensor([0.4, 0.4])).tolist()
    assert got[0] == float("inf")
    assert got[1] != got[1]


def test_poisson_of_an_infinite_rate():
    rates = rushlight.tensor([float("inf"), 0.0])
    assert rushlight.poisson(rates).tolist() == [float("inf"), 0.0]


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("place", [(0, 0), (1, 0), (1, 1)])
def test_cholesky_of_nan_is_refused(place, upper):
    """Where a pivot becomes NaN the matrix is not positive definite."""
    told = []
    for t in (rushlight, torch):
        a = t.eye(2)
        a[place] = float("nan")
        infos = t.linalg.cholesky_ex(t.stack([t.eye(2), a]), upper=upper).info.tolist()
        try:
            told.append((t.linalg.cholesky(a, upper=upper).tolist(), infos))
        except t.linalg.LinAlgError as error:
            told.append((str(error)[:90], infos))
    assert told[0] == told[1]

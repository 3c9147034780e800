"""What PyTorch refuses, Rushlight refuses: by the type of an operand, by its kind, by its memory.

Each line raises in both, and whoever catches PyTorch's exception catches ours. Of the types, one
line names the operations whose records state what they take (`ops/core/accepted.py`).
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

# operations, by what they take: called with a tensor of another type, or with two
FLOATS_ALONE = """
torch.igamma(x, x) torch.igammac(x, x) torch.nextafter(x, x) torch.cdist(m, m) torch.frac(x)
x.igamma_(x) F.elu(x) F.selu(x) F.celu(x) F.gelu(x) F.mish(x) F.softplus(x) F.logsigmoid(x)
F.hardswish(x) F.hardsigmoid(x) F.hardshrink(x) F.softshrink(x) F.leaky_relu(x) F.glu(m)
F.mse_loss(x,x) F.smooth_l1_loss(x,x) F.huber_loss(x,x) F.binary_cross_entropy(x,x)
F.binary_cross_entropy_with_logits(x,x) F.kl_div(x,x) F.nll_loss(m,y) F.cross_entropy(m,y)
F.adaptive_avg_pool1d(m,1) F.adaptive_max_pool1d(m,1) F.max_pool1d(m,2) torch.histc(x)
F.multi_margin_loss(m,y) F.multilabel_soft_margin_loss(m,m) torch.prelu(x,x) F.pdist(m)
"""
NO_INTEGERS = """
torch.logaddexp(x, x) torch.logaddexp2(x, x) torch.dist(x, x) torch.renorm(m, 2, 0, 1)
torch.logcumsumexp(x, 0) torch.lerp(x, x, 0.5) F.silu(x) torch.linalg.vecdot(x, x)
torch.cholesky_solve(m, m) torch.cholesky_inverse(m) torch.linalg.cholesky(m) torch.geqrf(m)
torch.linalg.lu_factor(m) torch.linalg.eigh(m) torch.linalg.eigvalsh(m) torch.triangular_solve(m,m)
"""
NO_COMPLEX = """
torch.max(x) torch.min(x) torch.max(x,0) torch.amax(x,0) torch.amin(x,0) torch.aminmax(x)
torch.sign(x) x.sign_() torch.fmax(x,x) torch.fmin(x,x) torch.signbit(x) torch.isposinf(x)
torch.heaviside(x,x) torch.cummax(x,0) torch.cummin(x,0) torch.mode(x) torch.median(x)
torch.kthvalue(x,1) torch.deg2rad(x) F.relu(x) F.hardtanh(x) F.relu6(x) torch.bucketize(x,x)
torch.special.chebyshev_polynomial_t(x,x) F.interpolate(x.reshape(1,1,-1),scale_factor=2)
F.max_pool2d(m.reshape(1,1,2,2),2) F.avg_pool1d(m,2) F.threshold(x,0,1) torch.round(x)
"""
NO_BOOLS = """
torch.median(x) torch.nanmedian(x) torch.topk(x,1) torch.kthvalue(x,1) torch.floor(x) x.floor_()
torch.ceil(x) torch.trunc(x) torch.round(x) torch.mm(m,m) m@m torch.bmm(m[None],m[None])
torch.mv(m,y.bool()) torch.dot(x,x) torch.addmm(m,m,m) torch.trace(m) F.relu(x) F.hardtanh(x)
torch.cov(m) torch.corrcoef(m) torch.trapezoid(x) F.threshold(x,0,1) torch.rsub(x,x)
F.max_pool2d_with_indices(m[None],2)
F.softsign(x) torch.bucketize(x,x) torch.searchsorted(x,x) F.linear(m,m)
"""
# The other lines: numbers where tensors are wanted, memory that is written twice, leaves, kinds.
LINES = """
x.logical_and_(0.5)
x.atan2_(2)
x.hypot_(1)
x.heaviside_(1)
torch.igamma(x, 1)
torch.igammac(x, 1)
torch.logaddexp2(x, 3)
torch.cat(x)
torch.stack(x)
x[[0]] = torch.tensor([1])
x[torch.tensor([True, False])] = torch.tensor([1, 2])
m[:, [0]] = torch.tensor(1.0, dtype=torch.float64)
leaf.as_strided_([2], [1])
torch.fft.irfftn(100)
torch.inverse(0)
F.prelu(-1.5, x)
torch.get_device(True)
m.unfold(1, -2, 1)
x.flip()
x.expand(2, 2).add_(1)
x.expand(2, 2).mul_(m)
torch.add(x, x, out=x.expand(2, 2))
torch.neg(x, out=x.double())
torch.floor(x, out=x.double())
torch.ceil(x, out=x.half())
torch.round(x, out=x.double())
torch.sgn(x, out=x.cfloat())
torch.bitwise_not(y, out=y.int())
torch.zeros(2, layout=torch.sparse_coo, out=x)
torch.zeros(2, device="meta", out=x)
torch.randperm(257, dtype=torch.uint8)
torch.normal(x[0], -1, (10,))
torch.normal(x, 1, (10,))
z = [0]; z += [z]; torch.tensor(z)
F.elu(live, -0.5, inplace=True).sum().backward()
F.leaky_relu(live, -0.5, inplace=True).sum().backward()
F.elu_(live, -0.5).sum().backward()
F.leaky_relu_(live, -0.5).sum().backward()
F.celu_(live, -0.5).sum().backward()
F.celu(live, -0.5, inplace=True).sum().backward()
F.adaptive_avg_pool1d(leaf.view(1, 2), 0).sum().backward()
F.adaptive_max_pool1d(leaf.view(1, 2), 0).sum().backward()
F.adaptive_avg_pool2d(leaf.view(1, 2, 1, 1), (1, 0)).sum().backward()
F.adaptive_max_pool2d(leaf.view(1, 2, 1, 1), 0).sum().backward()
F.adaptive_avg_pool3d(leaf.view(2, 1, 1, 1), 0).sum().backward()
F.adaptive_max_pool3d(leaf.view(1, 2, 1, 1, 1), 0).sum().backward()
F.binary_cross_entropy_with_logits(x, y)
F.binary_cross_entropy_with_logits(x, y > 0, pos_weight=x)
F.binary_cross_entropy_with_logits(leaf, y.byte(), weight=x)
F.binary_cross_entropy(x, y)
F.binary_cross_entropy(x, x.double())
F.kl_div(x, y)
F.cross_entropy(m, 1)
F.nll_loss(m, 1)
F.multi_margin_loss(m, 1)
float(x)
int(x)
complex(x)
float(x[:0])
float(torch.tensor(1j))
int(torch.tensor(1 + 1j))
x.to("meta").tolist()
torch.native_dropout(x, 1.5, True)
live.unbind(0)[0].add_(1)
live.split(1)[0].mul_(2)
live.chunk(2)[0].zero_()
parts = live.split(1); live.mul_(2); parts[0] + 1
parts = live.unbind(0); live[0] = 2; torch.stack(parts)
parts = live.unbind(0); live.mul_(2); parts[1].grad_fn
"""


def table() -> list[tuple[str, str]]:
    """(type, line) of every refusal."""
    found = []
    kinds = (("int64", FLOATS_ALONE), ("int64", NO_INTEGERS), ("bool", NO_INTEGERS),
             ("complex64", NO_COMPLEX), ("bool", NO_BOOLS))  # fmt: skip
    for dtype, text in kinds:
        calls = text.replace(", ", ",").split()
        found += [(dtype, call) for call in calls]
    return found + [("float32", line) for line in LINES.strip().split("\n")]


def caught(torch: Any, dtype: str, line: str) -> Exception | None:
    ones = torch.ones(2, dtype=getattr(torch, dtype))
    leaf = torch.ones(2, requires_grad=True)
    space = {"torch": torch, "F": torch.nn.functional, "x": ones, "y": torch.tensor([0, 1]),
             "m": torch.ones(2, 2, dtype=ones.dtype), "leaf": leaf, "live": leaf * 1}  # fmt: skip
    try:
        exec(line, space)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize(("dtype", "line"), table(), ids=lambda text: text)
@pytest.mark.filterwarnings("ignore")
def test_refused(dtype: str, line: str) -> None:
    torch = pytest.importorskip("torch")
    theirs, ours = caught(torch, dtype, line), caught(rushlight, dtype, line)
    assert theirs is not None
    assert ours is not None, f"PyTorch: {theirs}"
    names = [c.__name__ for c in type(ours).__mro__]
    assert type(theirs).__name__ in names, (ours, theirs)


def test_no_names_that_pytorch_lacks() -> None:
    torch = pytest.importorskip("torch")
    for ours, theirs in ((rushlight, torch), (rushlight.Tensor, torch.Tensor)):
        inplace = [n for n in dir(ours) if n.endswith("_") and not n.startswith("_")]
        assert [n for n in inplace if not hasattr(theirs, n)] == []
    methods = [n for n in dir(rushlight.Tensor) if not n.startswith("_")]
    # `creator` is of the first versions
    assert set(methods) - set(dir(torch.Tensor)) == {"creator"}
    # functions and classes; modules are ours as they please
    own = {"torch": {"LinAlgError", "JitType", "show"}}
    for name in ("torch", "nn", "nn.functional", "linalg", "fft", "special", "optim",
                 "distributions", "nn.init", "nn.utils"):  # fmt: skip
        ours, theirs = rushlight, torch
        for part in name.split(".") if name != "torch" else ():
            ours, theirs = getattr(ours, part), getattr(theirs, part)
        found = {
            n
            for n in dir(ours)
            if callable(getattr(ours, n)) and not n.startswith("_") and not hasattr(theirs, n)
        }
        found = {n for n in found if getattr(ours, n).__module__.startswith("rushlight")}
        assert found - own.get(name, set()) == set(), name

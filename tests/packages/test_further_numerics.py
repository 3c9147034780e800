"""Packages that compute with tensors: equations, flows, manifolds, tensor decompositions."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "torchsde": """
import torch, torchsde
torch.manual_seed(0)
class Walk(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"
    def __init__(self):
        super().__init__()
        self.mu = torch.nn.Parameter(torch.tensor(0.3))
        self.sigma = torch.nn.Parameter(torch.tensor(0.2))
    def f(self, t, y):
        return self.mu * y
    def g(self, t, y):
        return self.sigma * y
sde, ts = Walk(), torch.linspace(0, 1, 4)
y0 = torch.full((6, 2), 1.0)
figures = []
for method, solve in (("euler", torchsde.sdeint), ("milstein", torchsde.sdeint),
                      ("srk", torchsde.sdeint), (None, torchsde.sdeint_adjoint)):
    noise = torchsde.BrownianInterval(
        0.0, 1.0, size=(6, 2), entropy=7, levy_area_approximation="space-time")
    ys = solve(sde, y0, ts, bm=noise, method=method, dt=0.1)
    sde.zero_grad()
    ys[-1].mean().backward()
    figures += [ys[-1].mean().item(), sde.mu.grad.item(), sde.sigma.grad.item()]
print(*figures)
""",
    "torchcde": """
import torch, torchcde
torch.manual_seed(0)
class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 6)
    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], 3, 2)
x = torch.stack([torch.linspace(0, 1, 10), torch.linspace(0, 1, 10).sin()], -1).repeat(2, 1, 1)
x[1, 3, 1] = float("nan")
figures, field = [], Field()
for coefficients in (torchcde.hermite_cubic_coefficients_with_backward_differences,
                     torchcde.natural_cubic_coeffs):
    path = torchcde.CubicSpline(coefficients(x))
    z = torchcde.cdeint(X=path, func=field, z0=torch.zeros(2, 3), t=path.interval, method="rk4",
                        adjoint=False, options={"step_size": 0.1})
    loss = z[:, -1].sum()
    field.zero_grad()
    loss.backward()
    figures += [loss.item(), field.linear.weight.grad.norm().item()]
print(*figures)
""",
    "zuko": """
import torch, zuko
torch.manual_seed(0)
figures = []
x = torch.randn(32, 2).cumsum(1)
for flow in (zuko.flows.NSF(2, 0, transforms=2, hidden_features=[16]),
             zuko.flows.MAF(2, 0, transforms=2, hidden_features=[16]),
             zuko.flows.CNF(2, 0, hidden_features=[8])):
    loss = -flow().log_prob(x).mean()
    loss.backward()
    norm = sum(p.grad.pow(2).sum() for p in flow.parameters() if p.grad is not None).sqrt()
    figures += [loss.item(), norm.item()]
    assert flow().sample((3,)).shape == (3, 2)
print(*figures)
""",
    "nflows": """
import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation
torch.manual_seed(0)
flow = Flow(CompositeTransform([ReversePermutation(2), MaskedAffineAutoregressiveTransform(2, 8),
                                ReversePermutation(2), MaskedAffineAutoregressiveTransform(2, 8)]),
            StandardNormal([2]))
opt = torch.optim.Adam(flow.parameters(), lr=1e-2)
x = torch.randn(64, 2).cumsum(1)
for _ in range(5):
    loss = -flow.log_prob(inputs=x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), flow.sample(4).abs().mean().item())
""",
    "normflows": """
import torch, normflows as nf
torch.manual_seed(0)
layers = []
for _ in range(2):
    layers += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 2], init_zeros=True)),
               nf.flows.Permute(2, mode="swap"),
               nf.flows.AutoregressiveRationalQuadraticSpline(2, 1, 8)]
model = nf.NormalizingFlow(nf.distributions.DiagGaussian(2), layers)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
target = nf.distributions.TwoMoons()
x = target.sample(64)
for _ in range(5):
    loss = model.forward_kld(x)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), x.mean().item(), target.log_prob(x).sum().item())
""",
    "geoopt": """
import geoopt, torch
torch.manual_seed(0)
ball = geoopt.PoincareBall(c=1.0)
x = ball.expmap0(torch.randn(5, 3) * 0.1)
p = geoopt.ManifoldParameter(x.clone(), manifold=ball)
target = ball.expmap0(torch.ones(5, 3) * 0.3)
opt = geoopt.optim.RiemannianAdam([p], lr=0.05)
for _ in range(10):
    opt.zero_grad()
    loss = ball.dist(p, target).pow(2).sum()
    loss.backward()
    opt.step()
stiefel = geoopt.EuclideanStiefel()
w = geoopt.ManifoldParameter(stiefel.projx(torch.randn(5, 3)), manifold=stiefel)
sgd = geoopt.optim.RiemannianSGD([w], lr=0.1, momentum=0.9, stabilize=2)
a = torch.randn(5, 5)
for _ in range(5):
    sgd.zero_grad()
    trace = -(w.mT @ (a + a.mT) @ w).trace()
    trace.backward()
    sgd.step()
assert torch.allclose(w.mT @ w, torch.eye(3), atol=1e-4)
print(loss.item(), p.norm().item(), trace.item())
""",
    "tensorly": """
import torch, tensorly as tl
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker
from tensorly.regression import CPRegressor
tl.set_backend("pytorch")
torch.manual_seed(0)
x = torch.rand(4, 5, 6, dtype=torch.double)
cp = parafac(x, rank=3, init="svd", n_iter_max=20, tol=0)
core, factors = tucker(x, rank=[2, 3, 3])
train = tensor_train(x, rank=[1, 3, 3, 1])
positive = non_negative_parafac(x, rank=2, n_iter_max=20, init="svd", tol=0)
errors = [tl.norm(x - tl.cp_to_tensor(cp)), tl.norm(x - tl.tucker_to_tensor((core, factors))),
          tl.norm(x - tl.tt_to_tensor(train)), tl.norm(x - tl.cp_to_tensor(positive))]
leaf = x.clone().requires_grad_()
tl.tenalg.multi_mode_dot(leaf, [f.T for f in factors]).pow(2).sum().backward()
print(*[float(e) for e in errors], leaf.grad.norm().item())
""",
    "deepxde": """
import os
os.environ["DDE_BACKEND"] = "pytorch"
import numpy as np, torch, deepxde as dde
dde.config.set_default_float("float64")
dde.config.set_random_seed(0)
def pde(x, y):
    return dde.grad.hessian(y, x) + np.pi**2 * torch.sin(np.pi * x)
line = dde.geometry.Interval(0, 1)
bc = dde.icbc.DirichletBC(line, lambda x: 0.0, lambda _, on: on)
data = dde.data.PDE(line, pde, bc, 16, 2, train_distribution="uniform", num_test=20)
model = dde.Model(data, dde.nn.FNN([1, 12, 12, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-2, verbose=0)
history, _ = model.train(iterations=40, display_every=20, verbose=0)
first, last = history.loss_train[0], history.loss_train[-1]
assert sum(last) < sum(first)
model.compile("L-BFGS")
dde.optimizers.set_LBFGS_options(maxiter=4)
model.train(verbose=0)
print(*first, *last)
""",
    "higher": """
import higher, torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.05)
x, y = torch.randn(8, 3), torch.randn(8, 1)
with higher.innerloop_ctx(model, opt, copy_initial_weights=False) as (inner, inner_opt):
    for _ in range(3):
        inner_opt.step((inner(x) - y).pow(2).mean())
    loss = (inner(x + 0.1) - y).pow(2).mean()
    loss.backward()
norms = [p.grad.norm().item() for p in model.parameters()]
print(loss.item(), *norms)
""",
}

FIGURES: dict[str, list[float]] = {
    "torchsde": [
        1.368648, 1.323951, 0.2489395, 1.370245, 1.325274, 0.2684705, 1.377645, 1.377259,
        0.2825143, 1.377645, 1.385625, 0.2725277,
    ],
    "torchcde": [0.8370742, 1.574684, 0.8370866, 1.574822],
    "zuko": [4.060545, 5.022309, 3.806005, 6.71333, 3.470637, 1.36901],
    "nflows": [3.108837, 0.849701],
    "normflows": [2.924086, 0.1042617, -56.03587],
    "geoopt": [2.85897, 0.4562592, -8.154934],
    "tensorly": [2.060283, 2.258542, 1.833041, 2.658899, 11.4837],
    "deepxde": [45.74744, 0.001183051, 3.469619, 0.7175006],
    "higher": [0.07105135, 0.2015278, 0.1352519, 0.1642316, 0.1746764],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)

"""gpytorch: A Gaussian process is fitted."""

from __future__ import annotations

PROGRAM = """
import torch, gpytorch
torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
y = torch.sin(6 * x)
class GP(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = GP(x, y, likelihood)
model.train(); likelihood.train()
opt = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
losses = []
for _ in range(30):
    opt.zero_grad()
    loss = -mll(model(x), y)
    loss.backward()
    opt.step()
    losses.append(loss.item())
assert losses[-1] < losses[0]
model.eval(); likelihood.eval()
with torch.no_grad():
    error = (likelihood(model(x)).mean - y).abs().max().item()
assert error < 0.3, error
print("ok")
"""


def test_gpytorch(run) -> None:
    assert run("gpytorch", PROGRAM).endswith("ok\n")

"""botorch: Steps of Bayesian optimisation, one point and two at once; PyTorch's numbers."""

from __future__ import annotations

PROGRAM = """
import torch
from botorch.acquisition import LogExpectedImprovement, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from near import near
torch.manual_seed(0)
x = torch.rand(8, 1, dtype=torch.double)
y = -((x - 0.6) ** 2)
gp = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))
bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double)
how = {"bounds": bounds, "num_restarts": 2, "raw_samples": 16}
found, value = optimize_acqf(LogExpectedImprovement(gp, best_f=y.max()), q=1, **how)
near([found.item(), value], [0.5964700, -6.2602612])
sampler = SobolQMCNormalSampler(torch.Size([32]), seed=1)
near(sampler(gp.posterior(x[:2] + 0.1)).mean(), -0.1136566)
found, value = optimize_acqf(qExpectedImprovement(gp, y.max(), sampler), q=2, **how)
near(found, [[0.8200752], [0.5968854]])
print("ok")
"""


def test_botorch(run) -> None:
    assert run("botorch", PROGRAM).endswith("ok\n")

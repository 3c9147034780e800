"""botorch: One step of Bayesian optimisation."""

from __future__ import annotations

PROGRAM = """
import torch
from botorch.models import SingleTaskGP
from botorch.fit import fit_gpytorch_mll
from botorch.acquisition import LogExpectedImprovement
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
torch.manual_seed(0)
x = torch.rand(8, 1, dtype=torch.double)
y = -((x - 0.6) ** 2)
gp = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))
bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double)
candidate, value = optimize_acqf(
    LogExpectedImprovement(gp, best_f=y.max()), bounds=bounds, q=1, num_restarts=2, raw_samples=16)
assert candidate.shape == (1, 1) and 0.2 < candidate.item() < 1.0, candidate
print("ok")
"""


def test_botorch(run) -> None:
    assert run("botorch", PROGRAM).endswith("ok\n")

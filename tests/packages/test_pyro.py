"""pyro: Variational inference of a mean."""

from __future__ import annotations

PROGRAM = """
import torch, pyro, pyro.distributions as dist
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
pyro.set_rng_seed(0)
data = torch.tensor([2.5, 3.0, 3.5, 2.8, 3.2])
def model(data):
    mu = pyro.sample("mu", dist.Normal(0.0, 10.0))
    with pyro.plate("data", len(data)):
        pyro.sample("x", dist.Normal(mu, 0.5), obs=data)
guide = AutoNormal(model)
svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
for _ in range(400):
    svi.step(data)
assert abs(guide.median()["mu"].item() - 3.0) < 0.2, guide.median()
print("ok")
"""


def test_pyro(run) -> None:
    assert run("pyro", PROGRAM).endswith("ok\n")

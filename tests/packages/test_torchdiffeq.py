"""torchdiffeq: A neural ordinary differential equation, by three solvers; PyTorch's numbers."""

from __future__ import annotations

PROGRAM = """
import torch
from near import near
from torchdiffeq import odeint, odeint_adjoint
torch.manual_seed(0)
class F(torch.nn.Module):
    def __init__(self):
        super().__init__()
        inner, outer = torch.nn.Linear(2, 16), torch.nn.Linear(16, 2)
        self.net = torch.nn.Sequential(inner, torch.nn.Tanh(), outer)
    def forward(self, t, y):
        return self.net(y ** 3)
f, start, t = F(), torch.tensor([[2.0, 0.0]]), torch.linspace(0, 1, 5)
for solve in (odeint, odeint_adjoint):
    for method in ("dopri5", "rk4", "implicit_adams"):
        f.zero_grad()
        y = solve(f, start, t, method=method)
        y.pow(2).sum().backward()
        near(y[-1], [[1.6698133, -0.0904035]])
        near(sum(p.grad.abs().sum() for p in f.parameters()), 158.4253)
print("ok")
"""


def test_torchdiffeq(run) -> None:
    assert run("torchdiffeq", PROGRAM).endswith("ok\n")

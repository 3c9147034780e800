"""e3nn: Spherical harmonics, tensor products, linear maps and gates; PyTorch's numbers."""

from __future__ import annotations

PROGRAM = """
import copy, pickle
import torch
from e3nn import o3
from e3nn.nn import Gate
from near import near
torch.manual_seed(0)
x = torch.randn(5, 3)
sh = o3.spherical_harmonics("1x0e + 1x1o + 1x2e", x, normalize=True)
near(sh[0, :4], [0.2820948, 0.2804485, -0.0534016, -0.3965216])
s = sh[:, :4]
product = o3.FullyConnectedTensorProduct("0e + 1o", "0e + 1o", "0e + 1o")
y = product(s, s)
y.sum().backward()
near([y.sum(), y.abs().sum(), product.weight.grad.abs().sum()], [-0.3530004, 0.5530066, 1.2568133])
near(o3.Linear("4x0e + 2x1o", "3x0e + 2x1o")(torch.randn(2, 10)).sum(), -0.3092816)
gate = Gate("2x0e", [torch.tanh], "1x0e", [torch.sigmoid], "1x1o")
near(gate(torch.randn(2, 6)).sum(), -3.1112940)
assert torch.equal(pickle.loads(pickle.dumps(product))(s, s), y)
assert torch.equal(copy.deepcopy(product)(s, s), y)
turned = o3.Irreps("1x0e + 1x1o").D_from_matrix(o3.rand_matrix()).T
near(product(s @ turned, s @ turned), y @ turned)
legendre = o3.Legendre([0, 1, 2])(torch.tensor([0.3]), torch.tensor([0.2]))
near(legendre[0, :3], [0.2820948, 0.0690988, 0.1465808])
near(o3.ReducedTensorProducts("ij=ji", i="1o")(x, x).abs().sum(), 33.19025)
print("ok")
"""


def test_e3nn(run) -> None:
    assert run("e3nn", PROGRAM).endswith("ok\n")

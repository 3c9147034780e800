"""torch_geometric: A graph convolution learns."""

from __future__ import annotations

PROGRAM = """
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv
torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 3, 0], [1, 0, 2, 1, 0, 3]])
data = Data(x=torch.randn(4, 3), edge_index=edges, y=torch.tensor([0, 1, 0, 1]))
a, b = GCNConv(3, 8), GATConv(8, 2)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=0.05)
losses = []
for _ in range(60):
    opt.zero_grad()
    out = b(a(data.x, data.edge_index).relu(), data.edge_index)
    loss = torch.nn.functional.cross_entropy(out, data.y)
    loss.backward(); opt.step(); losses.append(loss.item())
assert losses[-1] < losses[0]
print("ok")
"""


def test_torch_geometric(run) -> None:
    assert run("torch_geometric", PROGRAM).endswith("ok\n")

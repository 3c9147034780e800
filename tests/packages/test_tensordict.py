"""tensordict: Batches of named tensors, modules on them, parameters, memory maps, classes."""

from __future__ import annotations

PROGRAM = """
import torch
from near import near
from tensordict import TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential
torch.manual_seed(0)
td = TensorDict({"a": torch.ones(3, 4), "b": {"c": torch.zeros(3)}}, batch_size=[3])
assert td[0]["a"].shape == (4,) and td["b", "c"].shape == (3,)
assert torch.stack([td, td]).batch_size == (2, 3) and torch.cat([td, td]).shape == (6,)
assert (td + 1)["a"].sum() == 24 and td.reshape(3, 1).permute(1, 0).shape == (1, 3)
net = TensorDictSequential(
    TensorDictModule(torch.nn.Linear(4, 3), in_keys=["a"], out_keys=["h"]),
    TensorDictModule(torch.nn.Tanh(), in_keys=["h"], out_keys=["y"]))
near(net(td)["y"].sum(), -3.3404067)
params = TensorDict.from_module(net)
with params.apply(lambda p: p * 0).to_module(net):
    assert net(td)["y"].sum() == 0
td.memmap_("folder")
assert TensorDict.load_memmap("folder")["a"].sum() == 12
torch.save(td.to_dict(), "td.pt")
@tensorclass
class Data:
    x: torch.Tensor
    y: torch.Tensor
data = Data(x=torch.ones(4, 2), y=torch.zeros(4), batch_size=[4])
assert data[:2].x.shape == (2, 2) and torch.stack([data, data]).batch_size == (2, 4)
print("ok")
"""


def test_tensordict(run) -> None:
    assert run("tensordict", PROGRAM).endswith("ok\n")

"""tensordict: Batches of named tensors."""

from __future__ import annotations

PROGRAM = """
import torch
from tensordict import TensorDict
td = TensorDict({"a": torch.ones(3, 4), "b": {"c": torch.zeros(3)}}, batch_size=[3])
assert td[0]["a"].shape == (4,) and td["b", "c"].shape == (3,)
assert torch.stack([td, td]).batch_size == (2, 3)
assert (td + 1)["a"].sum() == 24
print("ok")
"""


def test_tensordict(run) -> None:
    assert run("tensordict", PROGRAM).endswith("ok\n")

"""peft: A LoRA on a tiny model."""

from __future__ import annotations

PROGRAM = """
import torch
from peft import LoraConfig, get_peft_model
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
model = get_peft_model(model, LoraConfig(target_modules=["0", "2"], r=2))
model(torch.randn(3, 4)).sum().backward()
assert model.base_model.model[0].lora_B["default"].weight.grad is not None
print("ok")
"""


def test_peft(run) -> None:
    assert run("peft", PROGRAM).endswith("ok\n")

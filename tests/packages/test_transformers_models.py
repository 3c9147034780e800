"""transformers: A tiny Mixtral and a tiny Mamba, forward and backward."""

from __future__ import annotations

PROGRAM = """
import torch
from transformers import MambaConfig, MambaForCausalLM, MixtralConfig, MixtralForCausalLM
torch.manual_seed(0)
ids = torch.arange(12).view(2, 6)
mixtral = MixtralForCausalLM(MixtralConfig(
    vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
    num_attention_heads=2, num_key_value_heads=1, num_local_experts=2, num_experts_per_tok=1))
mamba = MambaForCausalLM(MambaConfig(
    vocab_size=32, hidden_size=16, state_size=4, num_hidden_layers=1, use_mambapy=False))
for model in (mixtral, mamba):
    out = model(input_ids=ids, labels=ids)
    out.loss.backward()
    assert 2.5 < out.loss.item() < 4.5, out.loss
print("ok")
"""


def test_transformers_models(run) -> None:
    assert run("transformers", PROGRAM).endswith("ok\n")

"""Packages beside transformers: compressed weights, inputs for exporting."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "compressed_tensors": """
import torch
from compressed_tensors.quantization import (
    QuantizationArgs, QuantizationConfig, QuantizationScheme, apply_quantization_config,
    fake_quantize)
from compressed_tensors.compressors import pack_quantized
from compressed_tensors.compressors.pack_quantized.helpers import pack_to_int32, unpack_from_int32
torch.manual_seed(0)
x = torch.randint(-8, 8, (4, 32), dtype=torch.int8)
packed = pack_to_int32(x, 4)
assert torch.equal(unpack_from_int32(packed, 4, x.shape), x) and packed.dtype == torch.int32
args = QuantizationArgs(num_bits=4, symmetric=True, strategy="group", group_size=16)
w = torch.randn(4, 32)
scale = w.reshape(4, 2, 16).abs().amax(-1) / 7.5
q = fake_quantize(w, scale, torch.zeros_like(scale, dtype=torch.int8), args)
model = torch.nn.Sequential(torch.nn.Linear(32, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
config = QuantizationConfig(config_groups={"g": QuantizationScheme(
    targets=["Linear"], weights=QuantizationArgs(num_bits=8, symmetric=True))})
apply_quantization_config(model, config)
assert hasattr(model[0], "weight_scale")
torch.nn.init.constant_(model[0].weight_scale, 0.01)
torch.nn.init.constant_(model[2].weight_scale, 0.02)
print(packed.sum().item(), q.norm().item(), (q - w).norm().item(), model(w).norm().item())
""",
    "optimum": """
import torch
from optimum.fx.optimization import ReversibleTransformation
from optimum.utils import NormalizedConfigManager, DummyTextInputGenerator
from optimum.exporters.tasks import TasksManager
from transformers import BertConfig
config = NormalizedConfigManager.get_normalized_config_class("bert")(BertConfig(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=50))
torch.manual_seed(0)
made = DummyTextInputGenerator("text-classification", config, batch_size=2, sequence_length=8)
ids = made.generate("input_ids", framework="pt")
assert ids.shape == (2, 8) and ids.max() < 50 and ids.dtype == torch.int64
assert "text-classification" in TasksManager.get_all_tasks()
print(config.hidden_size, config.num_attention_heads, *ids.shape)
""",
}

FIGURES: dict[str, list[float]] = {
    "compressed_tensors": [-1175014658, 9.415315, 0.8074695, 0.7855921],
    "optimum": [32, 4, 2, 8],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)

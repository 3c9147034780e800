"""Packages that look at a model: its sizes, its cost, its graph."""

from __future__ import annotations

import pytest

MODEL = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(8 * 8 * 8, 10))
x = torch.randn(2, 3, 16, 16)
"""

PROGRAMS = {
    "torchinfo": MODEL + """
from torchinfo import summary
found = summary(model, input_size=(2, 3, 16, 16), verbose=0,
                col_names=("input_size", "output_size", "num_params", "mult_adds", "trainable"))
assert "Conv2d: 1-1" in str(found) and "[2, 8, 16, 16]" in str(found), found
encoder = nn.TransformerEncoderLayer(16, 2, batch_first=True)
deep = summary(nn.LSTM(4, 8, 2), input_data=torch.zeros(3, 1, 4), verbose=0)
layer = summary(encoder, input_data=torch.zeros(1, 5, 16), verbose=0)
print(found.total_params, found.total_mult_adds, found.total_output_bytes,
      deep.total_params, deep.total_mult_adds, layer.total_params, layer.total_mult_adds)
""",
    "torchsummary": MODEL + """
import torchsummary
from contextlib import redirect_stdout
from io import StringIO
with redirect_stdout(StringIO()) as page:
    torchsummary.summary(model, (3, 16, 16), device="cpu")
lines = page.getvalue().splitlines()
sizes = next(line for line in lines if line.startswith("Estimated Total Size"))
total = next(line for line in lines if line.startswith("Total params"))
assert any("Conv2d-1" in line and "[-1, 8, 16, 16]" in line for line in lines), lines
print(total.split()[-1].replace(",", ""), sizes.split()[-1])
""",
    "thop": MODEL + """
import thop
flops, parameters = thop.profile(model, inputs=(x,), verbose=False)
lstm = thop.profile(nn.LSTM(4, 8, 2), inputs=(torch.zeros(3, 1, 4),), verbose=False)
print(flops, parameters, *lstm)
""",
    "torchviz": MODEL + """
from torchviz import make_dot
graph = make_dot(model(x).sum(), params=dict(model.named_parameters()), show_attrs=True)
text = graph.source
for name in ("AddmmBackward0", "ConvolutionBackward0", "MaxPool2DWithIndicesBackward0",
             "ReluBackward0", "NativeBatchNormBackward0", "AccumulateGrad", "0.weight"):
    assert name in text, (name, text)
print(text.count("AccumulateGrad"))
""",
    "torchview": MODEL + """
from torchview import draw_graph
graph = draw_graph(model, input_data=x, expand_nested=True)
text = graph.visual_graph.source
assert "Conv2d" in text and "(2, 8, 16, 16)" in text, text
print(text.count("->"), len(graph.edge_list))
""",
    "torch_pruning": MODEL + """
import torch_pruning as tp
macs, parameters = tp.utils.count_ops_and_params(model, x)
pruner = tp.pruner.MagnitudePruner(
    model, x, importance=tp.importance.MagnitudeImportance(p=2), pruning_ratio=0.5,
    ignored_layers=[model[5]])
pruner.step()
after = tp.utils.count_ops_and_params(model, x)
print(macs, parameters, *after, model[0].out_channels, model(x).sum().item())
""",
}

FIGURES: dict[str, list[float]] = {
    "torchinfo": [5370, 124980, 65696, 1024, 3072, 68752, 67664],
    "torchsummary": [5370, 0.08],
    "thop": [137216.0, 5370.0, 3456.0, 1024.0],
    "torchviz": [6],
    "torchview": [7, 7],
    "torch_pruning": [70661.0, 5370, 35333.0, 2690, 4, -0.4329786],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)

"""`explain.summary`: the table of a model's layers."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import nn

from . import programs

summary = torch.explain.summary


def row(table: Any, name: str) -> list[str]:
    """The cells of the first row that has a name in it."""
    line = next(x for x in str(table).splitlines() if f"({name})" in x)
    return [cell for cell in line.replace("├─", "").replace("│", "").split("  ") if cell.strip()]


def test_the_table_of_mnist() -> None:
    table = summary(programs.Net(), torch.zeros(64, 1, 28, 28))
    lines = str(table).splitlines()
    assert lines[1].split() == ["Layer", "(type", "(var_name):depth-idx)", "Output", "Shape",
                                "Param", "#", "Mult-Adds"]  # fmt: skip
    assert [line.split()[0] for line in lines[3:9]] == [
        "Net", "├─Conv2d", "├─Conv2d", "├─Dropout2d", "├─Linear", "├─Linear",
    ]  # fmt: skip
    assert lines[4].split("  ")[0] == "├─Conv2d (conv1): 1-1"
    assert "[64, 10, 24, 24]" in lines[4]
    # 10 channels of 5x5 at 24x24 places, for each of 64 images; and their biases are no products
    assert lines[4].split()[-2:] == ["260", f"{64 * 10 * 24 * 24 * 25:,}"]
    assert "Total params: 21,840" in lines
    assert "Non-trainable params: 0" in lines
    assert "Total mult-adds (M): 30.75" in lines
    assert "Input size (MB): 0.20" in lines
    assert "Params size (MB): 0.09" in lines
    assert table.total_params == table.trainable_params == 21840
    assert table.total_mult_adds == 30752000
    assert len({len(line) for line in lines if line.startswith("==")}) == 1


def test_lists_of_modules_and_depth() -> None:
    ids = torch.zeros(4, 32, dtype=torch.long)
    table = summary(programs.GPT(2), ids)
    lines = str(table).splitlines()
    assert any(line.startswith("├─ModuleList (blocks): 1-3") and "--" in line for line in lines)
    assert any(line.startswith("│    └─Block (1): 2-2") for line in lines)
    assert any(line.startswith("│    │    └─Linear (qkv): 3-7") for line in lines)
    block = 2 * sum(p.numel() for p in programs.Block(128).parameters())
    shallow = summary(programs.GPT(2), ids, depth=1)
    assert f"{block:,}" in next(x for x in str(shallow).splitlines() if "ModuleList" in x)
    assert shallow.total_mult_adds == table.total_mult_adds
    # attention: 32x32 scores of 32 numbers each, and as many to add up values, for 4 x 4 heads
    assert "1,048,576" in next(x for x in lines if "Block (0)" in x)


def test_a_module_that_is_called_again() -> None:
    table = summary(programs.Tagger(), torch.zeros(4, 3, dtype=torch.long))
    text = str(table)
    assert text.count("LSTMCell (cell): 1-3") == 3
    assert text.count("(recursive)") == 4
    assert table.total_params == sum(p.numel() for p in programs.Tagger().parameters())
    lstm = 4 * 3 * 4 * 48 * (32 + 48 + 48 + 48)
    assert f"{lstm:,}" in text


def test_columns() -> None:
    every = ("input_size", "output_size", "num_params", "params_percent", "kernel_size",
             "mult_adds", "trainable")  # fmt: skip
    model = programs.Net()
    model.fc1.weight.requires_grad_(False)
    model.conv1.requires_grad_(False)
    table = summary(model, input_size=(2, 1, 28, 28), col_names=every, row_settings=())
    lines = str(table).splitlines()
    assert "Layer (type)  " in lines[1]
    assert lines[4].split("  ")[0] == "├─Conv2d"
    assert [c.strip() for c in lines[4].split("  ") if c.strip()] == [
        "├─Conv2d", "[2, 1, 28, 28]", "[2, 10, 24, 24]", "260", "1.19%", "[5, 5]", "288,000",
        "False",
    ]  # fmt: skip
    assert lines[3].endswith("Partial")
    assert table.trainable_params == 21840 - 260 - 16000


def test_products_of_other_kinds() -> None:
    def products(model: Any, *shape: int) -> int:
        return int(summary(model, input_size=shape).total_mult_adds)

    assert products(nn.ConvTranspose2d(4, 6, 3, stride=2), 1, 4, 8, 8) == 4 * 64 * 6 * 9
    assert products(nn.Conv1d(4, 8, 3, groups=2, padding=1), 2, 4, 10) == 2 * 8 * 10 * 2 * 3
    assert products(nn.Linear(5, 7), 2, 3, 5) == 2 * 3 * 5 * 7
    assert products(nn.GRU(5, 7), 4, 2, 5) == 4 * 2 * 3 * 7 * (5 + 7)

    class Product(nn.Module):
        def forward(self, x: Any) -> Any:
            return x @ x.mT

    assert products(Product(), 3, 4, 5) == 3 * 4 * 4 * 5


def test_without_inputs_parameters_only() -> None:
    text = str(summary(programs.Net()))
    assert "Total params: 21,840" in text
    assert "mult-adds (" not in text
    assert "16,050" in text


def test_the_model_is_left_as_it_was() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout())
    model[1].eval()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    state = torch.get_rng_state()
    summary(model, input_size=[(4, 1, 8, 8)])
    assert [m.training for m in model] == [True, False, True]
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())
    assert all(p.grad is None for p in model.parameters())
    summary(model.train(), input_size=[(4, 1, 8, 8)], mode="train")
    assert int(model[1].num_batches_tracked) == 1


def test_errors_take_the_hooks_away() -> None:
    model = nn.Sequential(nn.Linear(4, 2))
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        summary(model, torch.ones(1, 5))
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())
    assert model.training
    with pytest.raises(ValueError, match="unknown column"):
        summary(model, col_names=["size"])
    with pytest.raises(ValueError, match="unknown mode"):
        summary(model, mode="test")


def test_several_inputs_and_results() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.spare = nn.Linear(3, 3)

        def forward(self, x: Any, y: Any) -> Any:
            return {"sum": x + y, "product": x * y}

    table = summary(Two(), input_size=[(2, 3), (2, 3)])
    lines = str(table).splitlines()
    assert "[2, 3]" in lines[3]
    assert lines[4].split()[:4] == ["├─Linear", "(spare):", "1-1", "--"]
    assert table.input_bytes == 48

"""Layers that fake-quantize their weights."""

from __future__ import annotations

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.ao import quantization as q
from rushlight.ao.nn import qat

QCONFIG = q.get_default_qat_qconfig("qnnpack")
ROWS = q.default_embedding_qat_qconfig
INDEX = torch.tensor([[0, 4], [1, 1]])
CASES = [
    (nn.Linear(3, 2), qat.Linear, QCONFIG, torch.randn(4, 3)),
    (nn.Conv1d(2, 3, 3, padding=1), qat.Conv1d, QCONFIG, torch.randn(2, 2, 5)),
    (nn.Conv2d(2, 4, 3, groups=2, bias=False), qat.Conv2d, QCONFIG, torch.randn(2, 2, 5, 5)),
    (nn.Conv3d(1, 2, 2), qat.Conv3d, QCONFIG, torch.randn(1, 1, 3, 3, 3)),
    (nn.Embedding(5, 3, padding_idx=1), qat.Embedding, ROWS, INDEX),
    (nn.EmbeddingBag(5, 3, mode="sum"), qat.EmbeddingBag, ROWS, INDEX),
]


@pytest.mark.parametrize(("plain", "cls", "qconfig", "x"), CASES)
def test_from_floats_and_back(plain, cls, qconfig, x) -> None:
    plain = copy.deepcopy(plain)
    with pytest.raises(AssertionError, match="must have qconfig"):
        cls.from_float(plain)
    plain.qconfig = qconfig
    made = cls.from_float(plain)
    assert type(made) is cls
    assert made.weight.data_ptr() == plain.weight.data_ptr()
    y = made(x)
    wanted = copy.deepcopy(plain)
    with torch.no_grad():
        wanted.weight.copy_(made.weight_fake_quant(made.weight))
    torch.testing.assert_close(y, wanted(x))
    y.sum().backward()
    assert made.weight.grad.abs().sum() > 0
    made.weight_fake_quant.disable_fake_quant()
    torch.testing.assert_close(made(x), plain(x))
    back = made.to_float()
    assert type(back) is type(plain)
    torch.testing.assert_close(back(x), plain(x))
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other(x).equal(made(x))
    with pytest.raises(AssertionError, match="only works for"):
        cls.from_float(nn.ReLU())


@pytest.mark.parametrize("cls", [qat.Linear, qat.Conv2d, qat.Embedding])
def test_a_qconfig_is_asked_for(cls) -> None:
    with pytest.raises(AssertionError, match="qconfig must be provided"):
        cls(3, 2, *([1] if cls is qat.Conv2d else []))


def test_tables_want_zero_points_of_floats() -> None:
    with pytest.raises(AssertionError, match="float_qparams"):
        qat.Embedding(3, 2, qconfig=QCONFIG)


def test_a_dynamic_layer_remembers_one_input() -> None:
    with pytest.raises(ValueError, match="memoryless"):
        qat.dynamic.Linear(3, 2, qconfig=QCONFIG)
    made = qat.dynamic.Linear(3, 2, qconfig=q.default_dynamic_qat_qconfig)
    assert made(torch.ones(1, 3)).shape == (1, 2)


def test_parametrized_weights() -> None:
    plain = nn.Linear(3, 3)
    torch.nn.utils.parametrize.register_parametrization(plain, "weight", nn.Tanh())
    plain.qconfig = QCONFIG
    made = qat.Linear.from_float(plain)
    assert torch.nn.utils.parametrize.is_parametrized(made, "weight")
    assert made.weight.equal(plain.weight)

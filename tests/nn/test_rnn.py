"""Recurrent modules: names, shapes, layouts, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def test_parameters_are_named_as_in_pytorch() -> None:
    names = [n for n, _ in nn.LSTM(4, 5, 2, bidirectional=True, proj_size=3).named_parameters()]
    assert names[:6] == [
        "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_hr_l0",
        "weight_ih_l0_reverse",
    ]  # fmt: skip
    assert len(names) == 20
    shapes = {n: tuple(p.shape) for n, p in nn.GRU(4, 5, 2, bias=False).named_parameters()}
    assert shapes == {
        "weight_ih_l0": (15, 4), "weight_hh_l0": (15, 5), "weight_ih_l1": (15, 5),
        "weight_hh_l1": (15, 5),
    }  # fmt: skip
    assert [n for n, _ in nn.LSTMCell(4, 5).named_parameters()] == [
        "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    ]  # fmt: skip


def test_representation() -> None:
    assert repr(nn.LSTM(4, 5, 2, batch_first=True, dropout=0.5)) == (
        "LSTM(4, 5, num_layers=2, batch_first=True, dropout=0.5)"
    )
    assert repr(nn.RNNCell(4, 5, nonlinearity="relu")) == "RNNCell(4, 5, nonlinearity=relu)"


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_layouts(name: str) -> None:
    layer = getattr(nn, name)(4, 5, 2, bidirectional=True)
    first = getattr(nn, name)(4, 5, 2, bidirectional=True, batch_first=True)
    first.load_state_dict(layer.state_dict())
    x = torch.randn(6, 3, 4)
    out, last = layer(x)
    h = last[0] if name == "LSTM" else last
    assert out.shape == (6, 3, 10)
    assert h.shape == (4, 3, 5)
    swapped, _ = first(x.transpose(0, 1))
    np.testing.assert_allclose(
        swapped.transpose(0, 1).detach().numpy(), out.detach().numpy(), rtol=1e-6, atol=1e-7
    )
    alone, last = layer(x[:, 0])
    assert alone.shape == (6, 10)
    np.testing.assert_allclose(
        alone.detach().numpy(), out[:, 0].detach().numpy(), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(out[-1, :, :5].detach().numpy(), h[2].detach().numpy())
    np.testing.assert_allclose(out[0, :, 5:].detach().numpy(), h[3].detach().numpy())


def test_a_packed_sequence_comes_back_packed() -> None:
    layer = nn.GRU(4, 5)
    sequences = [torch.randn(n, 4) for n in (2, 5, 3)]
    packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    out, last = layer(packed)
    assert isinstance(out, nn.utils.rnn.PackedSequence)
    for i, s in enumerate(sequences):
        alone, h = layer(s)
        part = nn.utils.rnn.unpack_sequence(out)[i]
        np.testing.assert_allclose(
            part.detach().numpy(), alone.detach().numpy(), rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(
            last[0, i].detach().numpy(), h[0].detach().numpy(), rtol=1e-5, atol=1e-6
        )


def test_cells_are_one_time_of_a_layer() -> None:
    layer, cell = nn.LSTM(4, 5), nn.LSTMCell(4, 5)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    x = torch.randn(3, 2, 4)
    out, _ = layer(x)
    state: Any = None
    for t in range(3):
        state = cell(x[t], state)
        np.testing.assert_allclose(
            state[0].detach().numpy(), out[t].detach().numpy(), rtol=1e-5, atol=1e-6
        )
    assert cell(x[0, 0])[0].shape == (5,)


def test_flatten_parameters_and_all_weights() -> None:
    layer = nn.RNN(4, 5)
    layer.flatten_parameters()
    assert layer.all_weights[0][0] is layer.weight_ih_l0
    assert [tuple(w.shape) for w in layer._flat_weights] == [(5, 4), (5, 5), (5,), (5,)]


def test_no_gradient_means_no_graph() -> None:
    layer = nn.LSTM(4, 5)
    with torch.no_grad():
        out, (h, _) = layer(torch.randn(3, 2, 4))
    assert out.grad_fn is None
    assert h.grad_fn is None


def test_errors() -> None:
    with pytest.raises(RuntimeError, match=r"Expected 10, got 20[\s\S]*wanted"):
        nn.LSTM(10, 5)(torch.ones(3, 2, 20))
    with pytest.raises(RuntimeError, match=r"Expected hidden\[1\] size \(1, 2, 5\)"):
        nn.LSTM(10, 5)(torch.ones(3, 2, 10), (torch.ones(1, 2, 5), torch.ones(1, 1, 5)))
    with pytest.raises(RuntimeError, match="For unbatched 2-D input"):
        nn.RNN(10, 5)(torch.ones(3, 10), torch.ones(1, 1, 5))
    with pytest.raises(RuntimeError, match="sequence length to be larger than 0"):
        nn.GRU(10, 5)(torch.ones(0, 2, 10))
    with pytest.raises(ValueError, match="Expected input to be 1D or 2D"):
        nn.GRUCell(10, 5)(torch.ones(1, 1, 10))
    with pytest.raises(ValueError, match="only supported for LSTM"):
        nn.RNN(10, 5, proj_size=2)

"""Recurrent ops against the recurrence written out, packed rows, recorded gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.rnn import select as kernel
from rushlight.ops.nn.rnn import gru_layer, lstm_layer, rnn_layer


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_steps_name_the_rows_of_each_time() -> None:
    forward = [(rows.start, rows.stop, n) for rows, n in kernel.times((3, 2, 1), False)]
    assert forward == [(0, 3, 3), (3, 5, 2), (5, 6, 1)]
    assert [n for _, n in kernel.times((3, 2, 1), True)] == [1, 2, 3]


def test_previous_states_of_packed_rows() -> None:
    states = np.arange(1.0, 7).reshape(6, 1)
    first = np.array([[10.0], [20.0], [30.0]])
    before = kernel.previous(states, first, (3, 2, 1), False)
    assert before[:, 0].tolist() == [10, 20, 30, 1, 2, 4]
    before = kernel.previous(states, first, (3, 2, 1), True)
    assert before[:, 0].tolist() == [4, 5, 30, 6, 20, 10]


def weights(rng: Any, gates: int) -> list[Any]:
    return [rng.standard_normal(s) for s in ((gates * 3, 4), (gates * 3, 3), gates * 3, gates * 3)]


def test_lstm_is_its_recurrence(rng: Any) -> None:
    w, u, b, d = weights(rng, 4)
    x, h, c = rng.standard_normal((5, 2, 4)), np.zeros((2, 3)), np.zeros((2, 3))
    out, last, cell, *_ = lstm_layer(
        x.reshape(10, 4), h, c, w, u, b, d, sizes=(2,) * 5, reverse=False
    )
    for t in range(5):
        i, f, g, o = np.split(x[t] @ w.T + h @ u.T + b + d, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        np.testing.assert_allclose(out[2 * t : 2 * t + 2], h)
    np.testing.assert_allclose(last, h)
    np.testing.assert_allclose(cell, c)


def test_gru_is_its_recurrence(rng: Any) -> None:
    w, u, b, d = weights(rng, 3)
    x, h = rng.standard_normal((5, 2, 4)), np.zeros((2, 3))
    out, last, *_ = gru_layer(x.reshape(10, 4), h, w, u, b, d, sizes=(2,) * 5, reverse=True)
    for t in range(4, -1, -1):
        xr, xz, xn = np.split(x[t] @ w.T + b, 3, 1)
        hr, hz, hn = np.split(h @ u.T + d, 3, 1)
        z, n = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
        h = (1 - z) * n + z * h
        np.testing.assert_allclose(out[2 * t : 2 * t + 2], h)
    np.testing.assert_allclose(last, h)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("op", "gates", "kw"),
    [(lstm_layer, 4, {}), (gru_layer, 3, {}), (rnn_layer, 1, {"nonlinearity": "relu"})],
)
def test_packed_rows_are_each_sequence_alone(
    op: Any, gates: int, kw: Any, reverse: bool, rng: Any
) -> None:
    w = weights(rng, gates)
    sequences = [rng.standard_normal((n, 4)) for n in (4, 2, 1)]
    sizes = (3, 2, 1, 1)
    packed = np.stack([s[t] for t in range(4) for s in sequences if t < len(s)])
    states = [rng.standard_normal((3, 3)) for _ in range(2 if gates == 4 else 1)]
    out, last, *_ = op(packed, *states, *w, sizes=sizes, reverse=reverse, **kw)
    places = {(b, t): i for i, (t, b) in enumerate(
        (t, b) for t in range(4) for b in range(3) if t < len(sequences[b])
    )}  # fmt: skip
    for b, s in enumerate(sequences):
        alone, end, *_ = op(
            s, *(h[b : b + 1] for h in states), *w, sizes=(1,) * len(s), reverse=reverse, **kw
        )
        for t in range(len(s)):
            np.testing.assert_allclose(out[places[b, t]], alone[t])
        np.testing.assert_allclose(last[b], end[0])


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_a_recorded_backward_is_the_ordinary_one(name: str, rng: Any) -> None:
    layer = getattr(torch.nn, name)(4, 3, 2, bidirectional=True).double()
    x = torch.from_numpy(rng.standard_normal((5, 2, 4))).requires_grad_()
    inputs = [x, *layer.parameters()]

    def gradients(recorded: bool) -> Any:
        out = layer(x)[0]
        return torch.autograd.grad((out**2).sum(), inputs, create_graph=recorded)

    for a, b in zip(gradients(True), gradients(False), strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.numpy(), rtol=1e-10, atol=1e-13)


def test_one_input_used_twice_counts_twice(rng: Any) -> None:
    w = torch.from_numpy(rng.standard_normal((3, 3))).requires_grad_()
    h = torch.zeros(1, 3, dtype=torch.float64)
    x = torch.from_numpy(rng.standard_normal((1, 3)))

    def f(v: Any) -> Any:
        return torch.rnn_tanh_cell(x, torch.rnn_tanh_cell(x, h, v, v), v, v)

    assert torch.autograd.gradcheck(f, (w,))
    assert torch.autograd.gradgradcheck(f, (w,))


G = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
WRONG = [  # operand, its sizes for `g` gates
    ("h", lambda g: (0, 2, 4)), ("h", lambda g: (1, 3, 4)), ("h", lambda g: (1, 2, 5)),
    ("w_ih", lambda g: (g * 4 + 1, 3)), ("w_ih", lambda g: (0, 3)), ("w_ih", lambda g: (g * 4, 2)),
    ("w_hh", lambda g: (g * 4 + 1, 4)), ("w_hh", lambda g: (g * 4, 5)), ("w_hh", lambda g: (4,)),
    ("b_ih", lambda g: (g * 4 + 1,)), ("b_hh", lambda g: (0,)), ("b_hh", lambda g: (3,)),
]  # fmt: skip


def called(kind: str, **sizes: tuple[int, ...]) -> Any:
    g = G[kind]
    usual = {"x": (5, 2, 3), "h": (1, 2, 4), "w_ih": (g * 4, 3), "w_hh": (g * 4, 4),
             "b_ih": (g * 4,), "b_hh": (g * 4,)}  # fmt: skip
    t = {name: torch.full(size, 0.5) for name, size in {**usual, **sizes}.items()}
    hx = [t["h"], t["h"]] if kind == "lstm" else t["h"]
    weights = [t[name] for name in ("w_ih", "w_hh", "b_ih", "b_hh")]
    return getattr(torch, kind)(t["x"], hx, weights, True, 1, 0.0, False, False, False)


@pytest.mark.parametrize("kind", list(G))
def test_operands_of_other_sizes_raise_before_kernels_read_them(kind: str) -> None:
    for name, size in WRONG:
        with pytest.raises((RuntimeError, IndexError)):
            called(kind, **{name: size(G[kind])})
    with pytest.raises(RuntimeError, match="incorrect number of RNN parameters"):
        getattr(torch, kind)(torch.ones(5, 2, 3), (torch.ones(1, 2, 4),) * 2 if kind == "lstm" else
                             torch.ones(1, 2, 4), [torch.ones(4, 3)], True, 1, 0.0, False, False,
                             False)  # fmt: skip


def test_one_number_is_the_bias_of_all_gates() -> None:
    for kind, g in G.items():
        for one in ((1,), ()):
            got, whole = called(kind, b_ih=one, b_hh=one), called(kind, b_ih=(g * 4,))
            assert torch.equal(got[0], whole[0])


def test_cells_check_the_second_state_and_the_types() -> None:
    x, h, w, u, b = (torch.ones(s) for s in ((2, 3), (2, 4), (16, 3), (16, 4), (16,)))
    for c in ((4,), (3, 4), (2, 5)):
        with pytest.raises(RuntimeError, match="hidden"):
            torch.lstm_cell(x, [h, torch.ones(c)], w, u, b, b)
    with pytest.raises(RuntimeError, match="must have the same dtype"):
        torch.lstm_cell(x.double(), [h, h], w, u, b, b)
    whole = [torch.ones(s, dtype=torch.int64) for s in ((2, 3), (2, 4), (4, 3), (4, 4))]
    assert torch.rnn_tanh_cell(*whole).dtype == torch.float32


def test_an_empty_batch() -> None:
    for kind in G:
        assert called(kind, x=(5, 0, 3), h=(1, 0, 4))[0].shape == (5, 0, 4)


def test_cells_name_pytorchs_mistake():
    x, h = torch.ones(2, 3), torch.ones(2, 4)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.rnn_tanh_cell(x, h, torch.ones(4, 3), torch.ones(4))
    truths = [t.bool() for t in (x, h, torch.ones(4, 3), torch.ones(4, 4))]
    with pytest.raises(NotImplementedError, match="addmm_impl_cpu_"):
        torch.rnn_relu_cell(*truths)


def test_relu_of_complex_states_is_refused():
    params = [torch.ones(4, 3) * 1j, torch.ones(4, 4) * 1j, torch.ones(4) * 1j, torch.ones(4) * 1j]
    x, h = torch.ones(5, 2, 3) * 1j, torch.ones(1, 2, 4) * 1j
    with pytest.raises(NotImplementedError, match="clamp is not supported for complex types"):
        torch.rnn_relu(x, h, params, True, 1, 0.0, False, False, False)


def test_both_signatures_take_their_parameters_by_name():
    torch.manual_seed(0)
    net = torch.nn.LSTM(3, 4)
    x, h = torch.rand(2, 1, 3), (torch.zeros(1, 1, 4), torch.zeros(1, 1, 4))
    options = {"has_biases": True, "num_layers": 1, "dropout": 0.0, "train": False}
    options["bidirectional"] = False
    params = list(net.parameters())
    y = torch.lstm(input=x, hx=h, params=params, **options, batch_first=False)[0]
    sizes = torch.tensor([1, 1])
    packed = torch.lstm(data=x[:, 0], batch_sizes=sizes, hx=h, params=params, **options)[0]
    assert torch.equal(y, net(x)[0])
    assert torch.equal(packed, y[:, 0])
    with pytest.raises(TypeError, match=r"lstm\(\) received an invalid combination"):
        torch.lstm(x, h)


def test_a_cell_of_gated_units_looks_at_its_input_first() -> None:
    x, h = torch.ones(2, 3), torch.zeros(2, 4)
    with pytest.raises(RuntimeError, match="inconsistent input_size: got 3 expected 4"):
        torch.gru_cell(x, h, torch.ones(12, 4), torch.ones(12))
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.gru_cell(x, h, torch.ones(12, 3), torch.ones(12))

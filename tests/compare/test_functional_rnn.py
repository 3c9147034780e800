"""Recurrent layers against PyTorch: the same first weights, states, gradients of two orders."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
KINDS = [
    ("RNN", {}),
    ("RNN", {"nonlinearity": "relu"}),
    ("LSTM", {}),
    ("LSTM", {"proj_size": 3}),
    ("GRU", {}),
]


def pair(name: str, *args: Any, **kw: Any) -> tuple[Any, Any]:
    """The module of both, made from the same seed; their state must be the same."""
    rushlight.manual_seed(3)
    torch.manual_seed(3)
    a, b = getattr(rushlight.nn, name)(*args, **kw), getattr(torch.nn, name)(*args, **kw)
    sa, sb = a.state_dict(), b.state_dict()
    assert list(sa) == list(sb)
    for k in sa:
        np.testing.assert_array_equal(sa[k].numpy(), sb[k].numpy(), err_msg=k)
    assert repr(a) == repr(b)
    return a.double(), b.double()


def leaf(lib: Any, a: np.ndarray) -> Any:
    return lib.from_numpy(a.copy()).requires_grad_()


def flat(ys: Any) -> list[Any]:
    if isinstance(ys, (rushlight.nn.utils.rnn.PackedSequence, torch.nn.utils.rnn.PackedSequence)):
        return [ys.data]
    return [t for y in ys for t in flat(y)] if isinstance(ys, (tuple, list)) else [ys]


def compare(modules: Any, run: Any, *arrays: np.ndarray, order: int = 1, seed: int = 0) -> None:
    """`run(lib, module, *tensors)` gives the results; gradients of tensors and parameters."""
    done = []
    for lib, module in zip((rushlight, torch), modules, strict=True):
        lib.manual_seed(seed)
        xs = [leaf(lib, a) for a in arrays]
        ys = flat(run(lib, module, *xs))
        inputs = [*xs, *module.parameters()]
        loss = sum((y * y.detach().cos()).sum() for y in ys)
        gs = lib.autograd.grad(loss, inputs, create_graph=order == 2)
        out = [*ys, *gs]
        if order == 2:
            total = sum((g * g.detach().cos()).sum() for g in gs)
            out += [g for g in lib.autograd.grad(total, inputs, allow_unused=True) if g is not None]
        done.append(out)
    assert len(done[0]) == len(done[1])
    for a, b in zip(*done, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-7, atol=1e-10)


def states(name: str, kw: dict[str, Any], layers: int, batch: int, rng: Any) -> list[np.ndarray]:
    h = rng.standard_normal((layers, batch, kw.get("proj_size", 5)))
    return [h, rng.standard_normal((layers, batch, 5))] if name == "LSTM" else [h]


def joined(hs: Any) -> Any:
    return hs[0] if len(hs) == 1 else tuple(hs)


@pytest.mark.parametrize(("name", "kw"), KINDS)
@pytest.mark.parametrize(
    ("layers", "bidirectional", "bias", "batch_first"),
    [(1, False, True, False), (2, True, True, True), (2, False, False, True), (3, True, False, 0)],
)
def test_sequences(
    name: str, kw: Any, layers: int, bidirectional: bool, bias: bool, batch_first: Any, rng: Any
) -> None:
    m = pair(
        name, 4, 5, num_layers=layers, bidirectional=bidirectional, bias=bias,
        batch_first=bool(batch_first), **kw,
    )  # fmt: skip
    x = rng.standard_normal((3, 6, 4) if batch_first else (6, 3, 4))
    hs = states(name, kw, layers * (2 if bidirectional else 1), 3, rng)
    compare(m, lambda _lib, n, a: n(a), x)
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x, *hs)
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x[0], *(h[:, 0] for h in hs))
    compare(m, lambda _lib, n, a: n(a)[1], x)  # only the last states


@pytest.mark.parametrize(("name", "kw"), KINDS)
def test_second_order(name: str, kw: Any, rng: Any) -> None:
    m = pair(name, 4, 5, num_layers=2, bidirectional=True, **kw)
    x = rng.standard_normal((4, 3, 4))
    hs = states(name, kw, 4, 3, rng)
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x, *hs, order=2)


@pytest.mark.parametrize(("name", "kw"), KINDS)
@pytest.mark.parametrize("sort", [True, False])
def test_packed(name: str, kw: Any, sort: bool, rng: Any) -> None:
    m = pair(name, 4, 5, num_layers=2, bidirectional=True, **kw)
    lengths = [6, 4, 4, 1] if sort else [4, 1, 6, 4]
    x = rng.standard_normal((6, 4, 4))
    hs = states(name, kw, 4, 4, rng)

    def run(lib: Any, n: Any, a: Any, *h: Any) -> Any:
        tools = lib.nn.utils.rnn
        packed = tools.pack_padded_sequence(a, lib.tensor(lengths), enforce_sorted=sort)
        out, last = n(packed, joined(h) if h else None)
        padded, back = tools.pad_packed_sequence(out)
        assert back.tolist() == lengths
        return padded, last

    compare(m, run, x)
    compare(m, run, x, *hs)
    compare(m, run, x, *hs, order=2)


@pytest.mark.parametrize(("name", "kw"), [("LSTM", {}), ("GRU", {})])
def test_dropout_between_layers(name: str, kw: Any, rng: Any) -> None:
    m = pair(name, 4, 5, num_layers=3, dropout=0.4, **kw)
    compare(m, lambda _lib, n, a: n(a), rng.standard_normal((6, 3, 4)), seed=8)
    for n in m:
        n.eval()
    compare(m, lambda _lib, n, a: n(a), rng.standard_normal((6, 3, 4)))


@pytest.mark.parametrize(("name", "kw"), [
    ("RNNCell", {}), ("RNNCell", {"nonlinearity": "relu", "bias": False}), ("LSTMCell", {}),
    ("LSTMCell", {"bias": False}), ("GRUCell", {}), ("GRUCell", {"bias": False}),
])  # fmt: skip
def test_cells(name: str, kw: Any, rng: Any) -> None:
    m = pair(name, 4, 5, **kw)
    x = rng.standard_normal((3, 4))
    hs = list(rng.standard_normal((2, 3, 5)))[: 2 if name == "LSTMCell" else 1]
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x, *hs)
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x, *hs, order=2)
    compare(m, lambda _lib, n, a, *h: n(a, joined(h)), x[0], *(h[0] for h in hs))
    compare(m, lambda _lib, n, a: n(a, n(a)), x)


def test_float32(rng: Any) -> None:
    rushlight.manual_seed(0)
    torch.manual_seed(0)
    a, b = rushlight.nn.LSTM(20, 64, 2), torch.nn.LSTM(20, 64, 2)
    x = rng.standard_normal((30, 8, 20)).astype(np.float32)
    y, z = a(rushlight.from_numpy(x))[0], b(torch.from_numpy(x))[0]
    np.testing.assert_allclose(y.detach().numpy(), z.detach().numpy(), rtol=1e-4, atol=1e-6)


def test_the_functions(rng: Any) -> None:
    a, b = pair("GRU", 4, 5)
    x, h = rng.standard_normal((6, 3, 4)), rng.standard_normal((1, 3, 5))
    for lib, n in ((rushlight, a), (torch, b)):
        args = (True, 1, 0.0, False, False)
        out = lib.gru(lib.from_numpy(x), lib.from_numpy(h), list(n.parameters()), *args, False)
        again = n(lib.from_numpy(x), lib.from_numpy(h))
        np.testing.assert_allclose(out[0].detach().numpy(), again[0].detach().numpy())


def test_errors() -> None:
    def x(lib: Any, *shape: int) -> Any:
        return lib.ones(*shape)

    for make, words in (
        (lambda t: t.nn.LSTM(10, 5)(x(t, 3, 2, 20)),
         r"input.size\(-1\) must be equal to input_size. Expected 10, got 20"),
        (lambda t: t.nn.LSTM(10, 5)(x(t, 3, 2, 10), (x(t, 1, 3, 5), x(t, 1, 2, 5))),
         r"Expected hidden\[0\] size \(1, 2, 5\), got \[1, 3, 5\]"),
        (lambda t: t.nn.GRU(10, 5)(x(t, 3, 2, 10), x(t, 2, 2, 5)),
         r"Expected hidden size \(1, 2, 5\), got \[2, 2, 5\]"),
        (lambda t: t.nn.GRU(10, 5)(x(t, 3, 10), x(t, 1, 2, 5)), "For unbatched 2-D input, hx"),
        (lambda t: t.nn.LSTM(10, 5)(x(t, 10)), "LSTM: Expected input to be 2D or 3D, got 1D"),
        (lambda t: t.nn.RNN(10, 5)(x(t, 3, 2, 10).double()), "RNN input dtype"),
        (lambda t: t.nn.LSTM(10, 5, proj_size=5), "proj_size has to be smaller than hidden_size"),
        (lambda t: t.nn.GRU(10, 5, proj_size=2), "only supported for LSTM"),
        (lambda t: t.nn.RNN(10, 5, nonlinearity="x"), "Unknown nonlinearity"),
        (lambda t: t.nn.LSTM(10, 0), "hidden_size must be greater than zero"),
        (lambda t: t.nn.LSTM(10, 5, dropout=2), "dropout should be a number in range"),
        (lambda t: t.nn.GRUCell(10, 5)(x(t, 2, 9)), "input has inconsistent input_size"),
        (lambda t: t.nn.GRUCell(10, 5)(x(t, 2, 10), x(t, 3, 5)), "doesn't match hidden"),
    ):  # fmt: skip
        with pytest.raises(Exception, match=words) as theirs:
            make(torch)
        with pytest.raises(theirs.type, match=words):
            make(rushlight)
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        rushlight.nn.LSTM(4, 5, dropout=0.5)


def test_state_dicts_go_both_ways() -> None:
    for (name, kw), layers in itertools.product(KINDS, (1, 2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a = getattr(rushlight.nn, name)(4, 5, layers, **kw)
            b = getattr(torch.nn, name)(4, 5, layers, **kw)
        b.load_state_dict({k: torch.from_numpy(v.numpy()) for k, v in a.state_dict().items()})

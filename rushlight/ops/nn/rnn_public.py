"""`torch.lstm`, `gru`, `rnn_tanh` and `rnn_relu`: recurrent layers put together, and their cells.

What one layer computes in one direction is `rnn.py`; the modules are `nn/rnn.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...errors import message
from ..core.composite import composite
from ..core.samples import case
from ..elementwise.formulas import tanh
from ..shape.views import cat, stack
from .dropout import drop
from .rnn import Sizes, affine, gru_layer, lstm_layer, rnn_layer

KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "lstm": (lstm_layer, {}),
    "gru": (gru_layer, {}),
    "rnn_tanh": (rnn_layer, {"nonlinearity": "tanh"}),
    "rnn_relu": (rnn_layer, {"nonlinearity": "relu"}),
}
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def check_sizes(
    kind: str, x: Any, states: tuple[Any, ...], batch: int, w_ih: Any, w_hh: Any, *rest: Any
) -> None:
    """Raise unless the operands of one layer go together: kernels read and write as many numbers
    as `w_hh` says that there are."""
    gates = GATES[kind]
    a, w, u = x._a, w_ih._a, w_hh._a
    if w.ndim != 2 or u.ndim != 2:
        raise RuntimeError(message(f"mat2 must be a matrix, got {min(w.ndim, u.ndim)}-D tensor"))
    if a.shape[1] != w.shape[1]:
        raise RuntimeError(
            message(
                f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                f"{w.shape[1]}x{w.shape[0]})",
                got=f"input (..., {a.shape[1]}), weight_ih {w.shape}",
                wanted="input.size(-1) == weight_ih.size(1)",
            )
        )
    each = (w.shape[0], u.shape[0])
    hidden = states[-1]._a.shape[-1] if kind == "lstm" else u.shape[1]
    if each != (gates * hidden, gates * hidden):
        wrong = "ih" if each[0] != gates * hidden else "hh"
        raise RuntimeError(
            message(
                f"weight_{wrong} first dim must be {gates} * hidden_size = {gates * hidden}, but "
                f"got {each[wrong == 'hh']}"
            )
        )
    for k, h in enumerate(states):
        wanted = u.shape[1] if k == 0 else hidden
        if h._a.ndim != 2 or h._a.shape[1] != wanted:
            raise RuntimeError(
                message(
                    f"hidden{k} has inconsistent hidden_size: got {h._a.shape[-1]}, expected "
                    f"{wanted}",
                    got=f"a state {h._a.shape}",
                    wanted=f"({batch}, {wanted})",
                )
            )
        if h._a.shape[0] != batch:
            raise RuntimeError(
                message(f"Input batch size {batch} doesn't match hidden{k} batch size "
                        f"{h._a.shape[0]}")
            )  # fmt: skip
    for b in rest[:2]:
        if b is not None and b._a.shape not in ((each[0],), (1,), ()):
            raise RuntimeError(
                message(
                    f"The expanded size of the tensor ({each[0]}) must match the existing size "
                    f"({b._a.shape[-1]}) at non-singleton dimension {b._a.ndim - 1}",
                    got=f"a bias {b._a.shape}",
                    wanted=f"({each[0]},)",
                )
            )
    dtype = a.dtype
    if all(t is None or t._a.dtype is dtype for t in (*states, w_ih, w_hh, *rest)):
        return
    arrays = [t._a for t in (x, *states, w_ih, w_hh, *rest) if t is not None]
    types = door.arriving(KINDS[kind][0], *arrays)
    if len(set(types)) > 1:
        other = next(t for t in types if t != types[0])
        names = [dtypes.type_name(dtypes.from_numpy(t)) for t in (types[0], other)]
        raise RuntimeError(
            message(
                f"mat1 and mat2 must have the same dtype, but got {names[0]} and {names[1]}",
                hint="input.to(weight.dtype)",
            )
        )


def layers(
    kind: str,
    x: Any,
    sizes: Sizes,
    hx: tuple[Any, ...],
    params: list[Any],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
) -> tuple[Any, ...]:
    """(rows of the last layer's states, last states (layers * directions, B, H) ...).

    x (N, X) holds the rows of all times; `params` is flat: for each layer and direction w_ih,
    w_hh, the two biases if there are any, and the projection of an LSTM that has one.
    """
    record, kw = KINDS[kind]
    directions = 2 if bidirectional else 1
    projected = kind == "lstm" and hx[0].shape[-1] != hx[1].shape[-1]
    each = (4 if has_biases else 2) + projected
    if not params or len(params) % each:
        raise RuntimeError(
            message(
                "got an incorrect number of RNN parameters",
                got=f"{len(params)} tensors",
                wanted=f"{num_layers * directions} times {each}",
            )
        )
    if any(h.ndim != 3 or h.shape[0] != num_layers * directions for h in hx):
        raise (IndexError if kind == "lstm" else RuntimeError)(
            message(
                "Expected more hidden states in stacked_rnn",
                got=", ".join(str(tuple(h.shape)) for h in hx),
                wanted=f"({num_layers * directions}, {sizes[0]}, hidden_size)",
            )
        )
    if len(params) != num_layers * directions * each:
        raise RuntimeError(
            message(
                "Expected more weights in stacked_rnn",
                got=f"{len(params)} tensors",
                wanted=f"{num_layers * directions} times {each}",
            )
        )
    first = [h.unbind(0) for h in hx]
    last: list[list[Any]] = [[] for _ in hx]
    for layer in range(num_layers):
        outs = []
        for direction in range(directions):
            k = layer * directions + direction
            own = list(params[k * each : (k + 1) * each])
            if not has_biases:
                own[2:2] = [None, None]
            states = tuple(h[k] for h in first)
            check_sizes(kind, x, states, sizes[0], *own)
            got = record.call(
                _padded(record, (x, *states, *_whole_biases(own))),
                {"sizes": sizes, "reverse": direction == 1, **kw},
            )
            outs.append(got[0])
            for into, state in zip(last, got[1:], strict=False):
                into.append(state)
        x = outs[0] if directions == 1 else cat.call(tuple(outs), {"dim": -1})
        if dropout and train and layer < num_layers - 1:
            x = drop(x, dropout, True, False)
    return (x, *(stack.call(tuple(states), {"dim": 0}) for states in last))


def _whole_biases(weights: Any) -> tuple[Any, ...]:
    """The weights of a layer; a bias of one number, which is that of all gates, written out:
    kernels read one for each."""
    rows = weights[0]._a.shape[0]
    w_ih, w_hh, *rest = weights
    for k, b in enumerate(rest[:2]):
        if b is not None and b._a.shape != (rows,):
            rest[k] = b.expand(rows).contiguous()
    return (w_ih, w_hh, *rest)


def _padded(record: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return inputs + (None,) * (len(record.inputs) - len(inputs))


def _sequence(
    kind: str, input: Any, second: Any, third: Any, rest: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[Any, ...]:
    """PyTorch's two signatures: (input, hx, params, ..., batch_first) and
    (data, batch_sizes, hx, params, ...)."""
    names = ("has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
    packed = isinstance(third, TensorBase) or (kind == "lstm" and isinstance(second, TensorBase))
    if packed:
        batch_sizes, hx, params = second, third, rest[0] if rest else kw.pop("params")
        rest = rest[1:]
    else:
        batch_sizes, hx, params = None, second, third
    if kind == "rnn_relu" and input.is_complex():
        raise NotImplementedError(message("clamp is not supported for complex types"))
    options = {**dict(zip(names, rest, strict=False)), **kw}
    if set(names) - options.keys() - ({"batch_first"} if packed else set()):
        raise TypeError(
            message(
                f"{kind}() received an invalid combination of arguments",
                got=", ".join(options),
                wanted=", ".join(names),
            )
        )
    batch_first = options.pop("batch_first", False)
    states = tuple(hx) if kind == "lstm" else (hx,)
    if packed:
        sizes = tuple(batch_sizes.tolist())
        if sum(sizes) != len(input._a) or any(m < n for m, n in pairwise(sizes)):
            raise RuntimeError(
                message(
                    "batch_sizes do not fit the rows of the data",
                    got=f"{list(sizes)}, {len(input._a)} rows",
                    wanted="as many rows in all, and never more in a later time",
                )
            )
        return layers(kind, input, sizes, states, list(params), **options)
    x = input.transpose(0, 1) if batch_first and input.ndim > 1 else input
    if x.ndim != 3:
        raise IndexError(
            message(
                "Dimension out of range (expected to be in range of "
                f"[-{input.ndim}, {input.ndim - 1}], but got 2)",
                got=f"input {tuple(input.shape)}",
                wanted="(time, batch, input_size)",
            )
        )
    time, batch = x.shape[:2]
    if not time:
        raise RuntimeError(
            message("Expected sequence length to be larger than 0 in RNN", got=f"{input.shape}")
        )
    flat = x.reshape((time * batch, x.shape[2]))
    out, *last = layers(kind, flat, (batch,) * time, states, list(params), **options)
    out = out.view((time, batch, out.shape[1]))
    return (out.transpose(0, 1) if batch_first else out, *last)


def _publish(kind: str, what: str, gates: int) -> None:
    def function(input: Any = None, *args: Any, **kw: Any) -> tuple[Any, ...]:
        if input is None:
            input = kw.pop("data", None)
        names = ("batch_sizes", "hx", "params") if "batch_sizes" in kw else ("hx", "params")
        given = (*args, *[kw.pop(n) for n in names[len(args) :] if n in kw])
        if input is None or len(given) < 2:
            raise TypeError(
                message(
                    f"{kind}() received an invalid combination of arguments",
                    wanted="input, hx, params and options, or data, batch_sizes, hx, params",
                )
            )
        return _sequence(kind, input, given[0], given[1], given[2:], kw)

    hx = "(h, h)" if gates == 4 else "h"
    relu = ', nonlinearity="relu"' if kind == "rnn_relu" else ""
    function.__doc__ = f"""{what}: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.

    `input` (T, B, X), or (B, T, X) with `batch_first`; the states (T, B, H), twice H in both
    directions. `hx` holds a state (layers * directions, B, H){", for h and for c" * (gates == 4)};
    `params` are w_ih, w_hh, b_ih, b_hh of each layer and direction.

    >>> m = nn.{"RNN" if gates == 1 else kind.upper()}(2, 3{relu})
    >>> x, h = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> y, *last = torch.{kind}(x, {hx}, list(m.parameters()), True, 1, 0.0, False, False, False)
    >>> y.shape, [s.shape for s in last]
    (torch.Size([5, 1, 3]), [{", ".join(["torch.Size([1, 1, 3])"] * (1 + (gates == 4)))}])
    """
    weights = [(gates * 4, 3), (gates * 4, 4), (gates * 4,), (gates * 4,)]
    states: Any = [(1, 2, 4), (1, 2, 4)] if kind == "lstm" else (1, 2, 4)
    options = (True, 1, 0.0, False, False, False)
    composite(
        function,
        name=kind,
        public="torch",
        accepts="floating integral complex: addmm_impl_cpu_"
        if kind == "rnn_relu"
        else "floating complex: addmm_impl_cpu_",
        samples=[case((5, 2, 3), states, weights, *options)],
    )


_publish("lstm", "Long short-term memory", 4)
_publish("gru", "Gated recurrent unit", 3)
_publish("rnn_tanh", "Elman network with tanh", 1)
_publish("rnn_relu", "Elman network with relu", 1)

# -- cells ---------------------------------------------------------------------------------------


def cell(kind: str, input: Any, hx: tuple[Any, ...], *weights: Any) -> tuple[Any, ...]:
    """The new states of one time: input (B, X), states (B, H)."""
    record, kw = KINDS[kind]
    w_ih, w_hh = weights[:2]
    if kind == "gru" and input.ndim == w_ih.ndim == 2 and input.shape[1] != w_ih.shape[1]:
        raise RuntimeError(
            message(
                f"input has inconsistent input_size: got {input.shape[1]} expected "
                f"{w_ih.shape[1]}",
                got=f"input {tuple(input.shape)}, weight_ih {tuple(w_ih.shape)}",
                wanted="input.size(1) == weight_ih.size(1)",
            )
        )
    if min(input.ndim, w_hh.ndim) < 2 or (w_ih.ndim < 2 and not kind.startswith("rnn")):
        raise IndexError(
            message(
                "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
                got=f"input {tuple(input.shape)}, weight_ih {tuple(w_ih.shape)}, weight_hh "
                f"{tuple(w_hh.shape)}",
                wanted="input (batch, input_size)",
            )
        )
    check_sizes(kind, input, hx, input.shape[0], *weights)
    got = record.call(
        _padded(record, (input, *hx, *_whole_biases(weights))),
        {"sizes": (input.shape[0],), "reverse": False, **kw},
    )
    return tuple(got[1 : 1 + len(hx)])


@composite(accepts="floating complex: addmm_impl_cpu_", public="torch",
           samples=[case((2, 3), [(2, 4), (2, 4)], (16, 3), (16, 4), (16,), (16,))])
def lstm_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Any, Any]:
    """(h', c') of a long short-term memory after one input.

    i, f, g, o = w_ih @ x + b_ih + w_hh @ h + b_hh, each in a quarter of 4 H numbers
    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

    `input` (B, X), `hx` = (h, c), each (B, H); `w_ih` (4 H, X), `w_hh` (4 H, H), biases (4 H,) or
    none. Hochreiter and Schmidhuber, 1997.

    >>> h = c = torch.zeros(1, 1)
    >>> torch.lstm_cell(torch.ones(1, 2), (h, c), torch.ones(4, 2), torch.ones(4, 1))
    (tensor([[0.6083]]), tensor([[0.8491]]))
    """
    h, c = cell("lstm", input, tuple(hx), w_ih, w_hh, b_ih, b_hh)
    return h, c


@composite(accepts="floating complex: addmm_impl_cpu_", public="torch",
           samples=[case((2, 3), (2, 4), (12, 3), (12, 4), (12,), (12,))])
def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """h' of a gated recurrent unit after one input.

    r = sigmoid(w_r x + u_r h), z = sigmoid(w_z x + u_z h), n = tanh(w_n x + r * (u_n h)),
    h' = (1 - z) * n + z * h

    `input` (B, X), `hx` (B, H); `w_ih` (3 H, X) holds w_r, w_z and w_n, `w_hh` (3 H, H) the u, and
    both have biases (3 H,) or none. Cho et al., 2014.

    >>> torch.gru_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(3, 2), torch.ones(3, 1))
    tensor([[0.1149]])
    """
    return cell("gru", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@composite(accepts="floating integral complex: addmm_impl_cpu_", public="torch",
           samples=[case((2, 3), (2, 4), (4, 3), (4, 4), (4,), (4,))])
def rnn_tanh_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Any:
    """h' = tanh(w_ih x + b_ih + w_hh h + b_hh): one step of an Elman network.

    `input` (B, X), `hx` (B, H), `w_ih` (H, X), `w_hh` (H, H), biases (H,) or none.

    >>> torch.rnn_tanh_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[0.9640]])
    """
    if not (input.is_floating_point() or input.is_complex()):  # whose tanh is of another type
        return tanh(affine(input, w_ih, b_ih) + affine(hx, w_hh, b_hh))
    return cell("rnn_tanh", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@composite(accepts="floating integral complex: addmm_impl_cpu_", public="torch",
           samples=[case((2, 3), (2, 4), (4, 3), (4, 4))])
def rnn_relu_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Any:
    """h' = relu(w_ih x + b_ih + w_hh h + b_hh): one step of an Elman network.

    `input` (B, X), `hx` (B, H), `w_ih` (H, X), `w_hh` (H, H), biases (H,) or none.

    >>> torch.rnn_relu_cell(torch.ones(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[3.]])
    """
    if input.is_complex():
        raise NotImplementedError(message("clamp is not supported for complex types"))
    return cell("rnn_relu", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]

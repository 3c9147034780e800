"""Recurrent layers: RNN, LSTM, GRU over sequences, and their cells for one time.

Inputs may be padded (T, B, X), without a batch (T, X), or packed (`nn.utils.rnn`). Not here: what
a layer computes (`ops/nn/rnn_public.py`).
"""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

import rushlight

from ..autograd import door
from ..errors import message
from ..once import users_level
from ..ops.core import described
from ..ops.nn.rnn_public import KINDS
from ..tensor import Parameter, Tensor
from . import init
from .module import Module
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """`tensor` with its dimension `dim` in another order."""
    return tensor.index_select(dim, permutation)


def _check_numbers(values: dict[str, Any]) -> None:
    """PyTorch's checks of the constructor's arguments."""
    dropout = values["dropout"]
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an "
            "element being zeroed"
        )
    if dropout > 0 and values["num_layers"] == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and num_layers=1",
            stacklevel=users_level(),
        )
    for name, kind in (
        ("bias", bool),
        ("batch_first", bool),
        ("input_size", int),
        ("hidden_size", int),
    ):
        if not isinstance(values[name], kind):
            raise TypeError(
                f"{name} should be of type {kind.__name__}, got: {type(values[name]).__name__}"
            )
    for name in ("input_size", "hidden_size", "num_layers"):
        if values[name] <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if values["proj_size"] < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if values["proj_size"] >= values["hidden_size"]:
        raise ValueError("proj_size has to be smaller than hidden_size")


def need_pair(name: str, hx: Any) -> None:
    """Raise unless the states of an LSTM are the pair that they have to be."""
    if isinstance(hx, Tensor):
        raise TypeError(
            message(
                f"{name}(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor",
                got=f"one tensor of shape {tuple(hx.shape)}",
                wanted="(h_0, c_0), the hidden state and the cell state",
                hint="(h, torch.zeros_like(h)) to begin with an empty cell",
            )
        )


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters, checks, layouts of the input.

    Layer k has weight_ih_lk, weight_hh_lk, bias_ih_lk, bias_hh_lk (and weight_hr_lk); those of
    the backward direction end in _reverse. All are drawn uniformly from ±1/√hidden_size.

    >>> layers = nn.LSTM(3, 4, num_layers=1)
    >>> isinstance(layers, nn.RNNBase), [name for name, _ in layers.named_parameters()]
    (True, ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0'])
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_numbers(locals())
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        gates = _GATES[mode] * hidden_size
        state = proj_size or hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else state * self._directions
            for suffix in ("", "_reverse")[: self._directions]:
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (gates, width), "weight_hh": (gates, state),
                }  # fmt: skip
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = []
                for name, shape in shapes.items():
                    names.append(f"{name}_l{layer}{suffix}")
                    blank = rushlight.empty(shape, device=device, dtype=dtype)
                    setattr(self, names[-1], Parameter(blank))
                self._all_weights.append(names)
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing: the parameters need not lie in one piece here."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "proj_size" not in state:
            self.proj_size = 0

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)

    # -- checks ------------------------------------------------------------------------------

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Type, rank and number of features of the input."""
        weight = getattr(self, self._all_weights[0][0])
        layer = KINDS[self.mode.lower()][0]
        if input.dtype != weight.dtype and len(set(door.arriving(layer, input._a, weight._a))) > 1:
            raise ValueError(
                message(
                    f"RNN input dtype ({input.dtype}) does not match weight dtype "
                    f"({weight.dtype}). Convert input: input.to({weight.dtype}), or convert "
                    f"model: model.to({input.dtype})"
                )
            )
        wanted = 2 if batch_sizes is not None else 3
        if input.dim() != wanted:
            raise RuntimeError(message(f"input must have {wanted} dimensions, got {input.dim()}"))
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                message(
                    "input.size(-1) must be equal to input_size. Expected "
                    f"{self.input_size}, got {input.shape[-1]}",
                    got=f"input {tuple(input.shape)}",
                    wanted=f"(..., {self.input_size})",
                    hint="the features are the last dimension, in every layout",
                )
            )

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """(layers · directions, batch, size of the state)."""
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.shape[0 if self.batch_first else 1]
        layers = self.num_layers * self._directions
        return layers, batch, self.proj_size or self.hidden_size

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Shape of a state."""
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(
                message(
                    msg.format(expected_hidden_size, list(hx.shape)),
                    wanted="(num_layers * directions, batch, hidden_size), also with batch_first",
                )
            )

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Input and state together."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """A state with its batch in another order."""
        return hx if permutation is None else apply_permutation(hx, permutation)

    # -- forward -----------------------------------------------------------------------------

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(states of the last layer at all times, last states of all layers).

        Args:
            input: (T, B, input_size), (B, T, input_size) with `batch_first`, (T, input_size), or
                a PackedSequence.
            hx: first states (layers · directions, B, hidden_size), zeros when None.
        """
        run = getattr(rushlight, self.mode.lower())
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            states = self._first(data, int(sizes[0]), hx)
            if hx is not None:
                states = self.permute_hidden(states, order)
            self.check_forward_args(data, states, sizes)
            out, *last = run(data, sizes, states, self._flat_weights, *options)
            result = self.permute_hidden(self._joined(last), back)
            return PackedSequence(out, sizes, order, back), result
        name = self.mode.partition("_")[0]
        if input.dim() not in (2, 3):
            raise ValueError(
                message(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
            )
        batched = input.dim() == 3
        if hx is not None:
            hx = self._with_batch(hx, batched)
        batch_dim = 0 if self.batch_first else 1
        x = input if batched else input.unsqueeze(batch_dim)
        states = self._first(x, x.shape[batch_dim], hx)
        self.check_forward_args(x, states, None)
        out, *last = run(x, states, self._flat_weights, *options, self.batch_first)
        if not batched:
            out, last = out.squeeze(batch_dim), [h.squeeze(1) for h in last]
        return out, self._joined(last)

    def _first(self, x: Tensor, batch: int, hx: Any) -> Any:
        """The first states: those given, or zeros."""
        if hx is not None:
            return hx
        layers = self.num_layers * self._directions
        return x.new_zeros((layers, batch, self.hidden_size))

    def _with_batch(self, hx: Any, batched: bool) -> Any:
        """A state with a batch dimension; RuntimeError when its rank is not the input's."""
        kind = "batched 3-D" if batched else "unbatched 2-D"
        wanted = 3 if batched else 2
        if hx.dim() != wanted:
            raise RuntimeError(
                message(
                    f"For {kind} input, hx should also be {wanted}-D but got {hx.dim()}-D tensor"
                )
            )
        return hx if batched else hx.unsqueeze(1)

    def _joined(self, last: list[Any]) -> Any:
        return last[0]


class RNN(RNNBase):
    """h' = tanh(W x + b + U h + c), or relu, in several layers. Elman, 1990.

    Args:
        input_size, hidden_size: features of input and state.
        num_layers: layers, each of which takes the states of the one below.
        nonlinearity: "tanh" or "relu".
        bias: whether to add b and c.
        batch_first: (B, T, X) in place of (T, B, X).
        dropout: between layers, in training.
        bidirectional: a second set of layers reads the sequence from its end.

    >>> out, last = nn.RNN(10, 20, 2)(torch.randn(5, 3, 10))
    >>> out.shape, last.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:  # the fourth argument
            kind, args = args[3], args[:3] + args[4:]
        else:
            kind = kwargs.pop("nonlinearity", "tanh")
        if kind not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{kind}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + kind.upper(), *args, **kwargs)
        self.nonlinearity = kind


class LSTM(RNNBase):
    """Long short-term memory. Hochreiter and Schmidhuber, 1997.

    i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c').

    Args:
        proj_size: when not 0, states are projected to that size (Sak, 2014, arXiv:1402.1128).
        The others are those of `RNN`. A state is a pair (h, c).

    >>> out, (h, c) = nn.LSTM(10, 20, 2)(torch.randn(5, 3, 10))
    >>> out.shape, h.shape, c.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """(layers · directions, batch, hidden_size)."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, batch, self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        need_pair("lstm", hidden)
        self.check_hidden_size(
            hidden[0],
            self.get_expected_hidden_size(input, batch_sizes),
            "Expected hidden[0] size {}, got {}",
        )
        self.check_hidden_size(
            hidden[1],
            self.get_expected_cell_size(input, batch_sizes),
            "Expected hidden[1] size {}, got {}",
        )

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        if permutation is None:
            return hx
        return tuple(apply_permutation(h, permutation) for h in hx)

    def _first(self, x: Tensor, batch: int, hx: Any) -> Any:
        if hx is not None:
            return hx
        layers = self.num_layers * self._directions
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)
        return tuple(x.new_zeros((layers, batch, n)) for n in sizes)

    def _with_batch(self, hx: Any, batched: bool) -> Any:
        need_pair("lstm", hx)
        h, c = hx
        wanted = 3 if batched else 2
        if h.dim() != wanted or c.dim() != wanted:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(
                message(
                    f"For {kind} input, hx and cx should also be {wanted}-D but got "
                    f"({h.dim()}-D, {c.dim()}-D) tensors"
                )
            )
        return (h, c) if batched else (h.unsqueeze(1), c.unsqueeze(1))

    def _joined(self, last: list[Any]) -> Any:
        return tuple(last)


class GRU(RNNBase):
    """Gated recurrent unit. Cho et al., 2014, arXiv:1406.1078.

    r, z = sigmoid(W x + U h + b); n = tanh(W x + b + r (U h + c)); h' = (1 - z) n + z h.
    The arguments are those of `RNN`, without `nonlinearity`.

    >>> out, last = nn.GRU(10, 20, bidirectional=True)(torch.randn(5, 3, 10))
    >>> out.shape, last.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


def constructor(kind: type) -> list[inspect.Parameter]:
    """The parameters of a network, for `inspect.signature`: those of `RNNBase` without the mode."""
    own = inspect.signature(RNNBase.__init__).parameters.values()
    found = [p.replace(annotation=p.empty) for p in own if p.name != "mode"]
    if kind is RNN:
        found.insert(4, found[4].replace(name="nonlinearity", default="tanh"))
    return [p for p in found if kind is LSTM or p.name != "proj_size"]


for _kind in (RNN, LSTM, GRU):
    _init: Any = _kind.__init__
    _init.__signature__ = described.later(constructor, _kind)


# -- cells ---------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What the cells share: weight_ih, weight_hh, bias_ih, bias_hh.

    >>> cell = nn.GRUCell(3, 4)
    >>> isinstance(cell, nn.RNNCellBase), cell.weight_ih.shape  # three gates of four
    (True, torch.Size([12, 3]))
    """

    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size

        def blank(*size: int) -> Parameter:
            return Parameter(rushlight.empty(size, device=device, dtype=dtype))

        self.weight_ih = blank(gates, input_size)
        self.weight_hh = blank(gates, hidden_size)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, blank(gates) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniformly from ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _run(self, function: Any, input: Tensor, states: Any, pair: bool) -> Any:
        """Check, give a batch dimension where there is none, compute."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(
                message(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                message(
                    f"input has inconsistent input_size: got {input.shape[-1]} expected "
                    f"{self.input_size}"
                )
            )
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if states is None:
            zeros = x.new_zeros((x.shape[0], self.hidden_size))
            states = (zeros, zeros) if pair else (zeros,)
        else:
            states = tuple(states) if pair else (states,)
            for i, h in enumerate(states):
                what = f"hx[{i}]" if pair else "hidden"
                if h.dim() not in (1, 2):
                    raise ValueError(
                        message(f"{name}: Expected {what} to be 1D or 2D, got {h.dim()}D instead")
                    )
                if h.shape[-1] != self.hidden_size:
                    raise RuntimeError(
                        message(
                            f"hidden{i} has inconsistent hidden_size: got "
                            f"{h.shape[-1]}, expected {self.hidden_size}"
                        )
                    )
            if not batched:
                states = tuple(h.unsqueeze(0) for h in states)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        out = function(x, states if pair else states[0], *weights)
        if batched:
            return out
        return tuple(h.squeeze(0) for h in out) if pair else out.squeeze(0)


class RNNCell(RNNCellBase):
    """h' = tanh(W x + b + U h + c), or relu.

    >>> nn.RNNCell(10, 20)(torch.randn(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        function = getattr(rushlight, f"rnn_{self.nonlinearity}_cell")
        return self._run(function, input, hx, False)


class LSTMCell(RNNCellBase):
    """One time of an `LSTM`: (h', c') from an input and (h, c).

    >>> h, c = nn.LSTMCell(10, 20)(torch.randn(3, 10))
    >>> h.shape, c.shape
    (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        need_pair("lstm_cell", hx)
        return self._run(rushlight.lstm_cell, input, hx, True)


class GRUCell(RNNCellBase):
    """One time of a `GRU`.

    >>> nn.GRUCell(10, 20)(torch.randn(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._run(rushlight.gru_cell, input, hx, False)

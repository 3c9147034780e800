"""A table of a model's layers: shapes, parameters, multiply-adds, sizes.

The model is called once, in eval() and without gradients unless told otherwise. Shapes are seen by
hooks, multiply-adds by an observer of what is computed, so that products outside of layers (an
attention written by hand) count, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import nn
from ..autograd.node import TensorBase
from ..autograd.observe import observing
from ..blocks import contextmanager
from ..errors import message

COLUMNS = {
    "input_size": "Input Shape", "output_size": "Output Shape", "num_params": "Param #",
    "params_percent": "Param %", "kernel_size": "Kernel Shape", "mult_adds": "Mult-Adds",
    "trainable": "Trainable",
}  # fmt: skip
MODES = ("eval", "train", "same")


class Layer:
    """A call of a module: a row of the table.

    Attributes:
        path, kind, depth, index: where it is; the index counts the modules of a depth.
        input_size, output_size: shapes of the first tensor that goes in and that comes out.
        own, params: elements of its own parameters, and of those below it, too.
        mult_adds: of what is computed in it, without the layers below.
        again: whether the same module was called before.
        called: whether it was called at all.
    """

    def __init__(self, module: nn.Module, path: str, depth: int, index: int) -> None:
        self.module, self.path, self.depth, self.index = module, path, depth, index
        self.kind = type(module).__name__
        self.input_size: tuple[int, ...] | None = None
        self.output_size: tuple[int, ...] | None = None
        self.out_bytes = self.mult_adds = 0
        self.own = sum([p.numel() for p in own(module)])
        self.params = sum([p.numel() for p in module.parameters()])
        self.again = self.called = False
        self.below: list[Layer] = []

    @property
    def leaf(self) -> bool:
        """Whether it has no modules in it."""
        return not any(True for _ in self.module.children())

    def every(self) -> Iterator[Layer]:
        """It and all below it."""
        yield self
        for layer in self.below:
            yield from layer.every()

    def title(self, row_settings: Iterable[str]) -> str:
        """'├─Conv2d (conv1): 1-1'."""
        text = self.kind
        if "var_names" in row_settings and self.path:
            text += f" ({self.path.rpartition('.')[2]})"
        if not self.depth:
            return text
        if "depth" in row_settings:
            text += f": {self.depth}-{self.index}"
        return ("├─" if self.depth == 1 else "│    " * (self.depth - 1) + "└─") + text

    def cell(self, column: str, total: int, deepest: bool) -> str:
        """What stands in a column; of the deepest row that is shown, also what is below it."""
        if column in ("input_size", "output_size"):
            size = getattr(self, column)
            return "--" if size is None else str(list(size))
        if column == "kernel_size":
            kernel = getattr(self.module, "kernel_size", None)
            if kernel is None:
                return "--"
            return str(list(kernel) if isinstance(kernel, Sequence) else [kernel])
        if column == "trainable":
            wanted = {p.requires_grad for p in self.module.parameters()}
            return "--" if not wanted else {0: "False", 1: "True"}.get(sum(wanted), "") \
                if len(wanted) == 1 else "Partial"  # fmt: skip
        if column == "mult_adds":
            count = sum([x.mult_adds for x in self.every()]) if deepest else self.mult_adds
            return f"{count:,}" if count else "--"
        if self.again:
            return "(recursive)" if self.params else "--"
        count = self.params if deepest else self.own
        if not count:
            return "--"
        return f"{count:,}" if column == "num_params" else f"{100 * count / max(1, total):.2f}%"


class Summary:
    """The table of a model; `print` it.

    Attributes:
        layers: all calls of modules, the outermost first.
        total_params, trainable_params: elements of parameters, each counted once.
        total_mult_adds: multiplications with an addition, of one call.
        input_bytes: of what goes in.
        output_bytes: of what layers with parameters give, twice (a backward has it again).
        param_bytes: of parameters.
    """

    def __init__(
        self, root: Layer, depth: int, col_names: Sequence[str], row_settings: Sequence[str],
        input_bytes: int,
    ) -> None:  # fmt: skip
        self.layers = list(root.every())
        self.depth, self.col_names, self.row_settings = depth, col_names, row_settings
        parameters = list(root.module.parameters())
        self.total_params = sum([p.numel() for p in parameters])
        self.trainable_params = sum([p.numel() for p in parameters if p.requires_grad])
        self.total_mult_adds = sum([x.mult_adds for x in self.layers])
        self.input_bytes = input_bytes
        self.output_bytes = 2 * sum([x.out_bytes for x in self.layers if x.leaf and x.own])
        self.param_bytes = sum([p.numel() * p.element_size() for p in parameters])

    def __str__(self) -> str:
        shown = [x for x in self.layers if x.depth <= self.depth]
        rows = [
            (x.title(self.row_settings),
             [x.cell(c, self.total_params, x.depth == self.depth) for c in self.col_names])
            for x in shown
        ]  # fmt: skip
        names = [COLUMNS[c] for c in self.col_names]
        first = "Layer (type" + (" (var_name)" if "var_names" in self.row_settings else "")
        first += ":depth-idx)" if "depth" in self.row_settings else ")"
        left = max([len(first), *[len(title) for title, _ in rows]]) + 4
        widths = [
            max([len(name), *[len(cells[k]) for _, cells in rows]]) + 4
            for k, name in enumerate(names)
        ]
        line = "=" * (left + sum(widths))

        def row(title: str, cells: Sequence[str]) -> str:
            columns = [f"{cell:<{w}}" for cell, w in zip(cells, widths, strict=True)]
            return f"{title:<{left}}{''.join(columns)}".rstrip()

        mega = 1e6
        total = self.input_bytes + self.output_bytes + self.param_bytes
        out = [line, row(first, names), line, *[row(title, cells) for title, cells in rows], line]
        out += [
            f"Total params: {self.total_params:,}",
            f"Trainable params: {self.trainable_params:,}",
            f"Non-trainable params: {self.total_params - self.trainable_params:,}",
        ]
        if any(x.called for x in self.layers):
            unit, letter = next(
                (u for u in ((1e12, "T"), (1e9, "G"), (1e6, "M")) if self.total_mult_adds >= u[0]),
                (1e6, "M"),
            )
            out += [
                f"Total mult-adds ({letter}): {self.total_mult_adds / unit:.2f}", line,
                f"Input size (MB): {self.input_bytes / mega:.2f}",
                f"Forward/backward pass size (MB): {self.output_bytes / mega:.2f}",
                f"Params size (MB): {self.param_bytes / mega:.2f}",
                f"Estimated Total Size (MB): {total / mega:.2f}",
            ]  # fmt: skip
        return "\n".join([*out, line])

    __repr__ = __str__


def summary(
    model: nn.Module,
    *inputs: Any,
    input_size: Sequence[Any] | None = None,
    depth: int = 3,
    col_names: Sequence[str] = ("output_size", "num_params", "mult_adds"),
    row_settings: Sequence[str] = ("depth", "var_names"),
    mode: str = "eval",
) -> Summary:
    """The table; `explain.summary` says what the arguments are."""
    unknown = [c for c in col_names if c not in COLUMNS]
    if unknown or mode not in MODES:
        raise ValueError(
            message(
                f"summary: unknown {'column' if unknown else 'mode'}",
                got=repr(unknown[0] if unknown else mode),
                wanted=" or ".join(map(repr, COLUMNS if unknown else MODES)),
            )
        )
    if input_size is not None and not inputs:
        inputs = made(input_size)
    seen = Seen(model)
    if inputs:
        with seen.looking(), observing(seen.performed), in_mode(model, mode):
            model(*inputs)
    seen.rest()
    count = sum([t.numel() * t.element_size() for t in tensors(inputs)])
    return Summary(seen.root, depth, list(col_names), list(row_settings), count)


class Seen:
    """What hooks and the observer have seen of a call."""

    def __init__(self, model: nn.Module) -> None:
        self.paths = {id(m): path for path, m in model.named_modules()}
        self.indices: dict[int, int] = {}  # of a module, among those of its depth
        self.counts: dict[int, int] = {}
        self.root = self.layer(model, [])
        self.known: dict[str, Layer] = {"": self.root}
        self.open: list[Layer] = []
        self.model = model

    def layer(self, module: nn.Module, above: list[Layer]) -> Layer:
        """A new row, below the last of those above it."""
        path = self.paths[id(module)]
        depth = path.count(".") + 1 if path else 0
        index = self.indices.get(id(module))
        again = index is not None
        if index is None:
            index = self.indices[id(module)] = self.counts[depth] = self.counts.get(depth, 0) + 1
        layer = Layer(module, path, depth, index)
        layer.again = again
        if above:
            above[-1].below.append(layer)
        return layer

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Hooks on all modules, for a block."""
        handles = []
        try:
            for m in self.model.modules():
                handles.append(m.register_forward_pre_hook(self.enter, with_kwargs=True))
                handles.append(m.register_forward_hook(self.leave, always_call=True))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def enter(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        path = self.paths[id(module)]
        if not path:
            layer = self.root
        else:
            above = self.open or [self.root]
            for parent in parents(path):  # lists of modules are never called themselves
                if parent not in self.known:
                    holder = self.model.get_submodule(parent)
                    upper = self.known[parent.rpartition(".")[0]]
                    self.known[parent] = self.layer(holder, [upper])
            inner = self.known.get(path.rpartition(".")[0])
            if inner is not None and not inner.called and inner is not self.root:
                above = [inner]
            layer = self.layer(module, above)
            self.known[path] = layer
        layer.called = True
        given = tensors((args, kwargs))
        layer.input_size = tuple(given[0].shape) if given else None
        self.open.append(layer)

    def leave(self, module: nn.Module, args: Any, out: Any) -> None:
        layer = self.open.pop()
        given = tensors(out)
        if given:
            layer.output_size = tuple(given[0].shape)
            layer.out_bytes = given[0].numel() * given[0].element_size()

    def performed(self, record: Any, arrays: Any, kw: Any, results: Any) -> None:
        """An operation is computed in the innermost open layer."""
        if self.open:
            self.open[-1].mult_adds += mult_adds(record.name, arrays, kw, results)

    def rest(self) -> None:
        """Rows of modules that were not called."""
        for path, module in self.model.named_modules():
            if path not in self.known:
                self.known[path] = self.layer(module, [self.known[path.rpartition(".")[0]]])


def mult_adds(name: str, arrays: Any, kw: dict[str, Any], results: Any) -> int:
    """Multiplications with an addition of a product of matrices, a convolution, an attention or a
    recurrent layer; 0 of anything else."""
    shapes = [a.shape for a in arrays if hasattr(a, "shape")]
    out = results[0] if isinstance(results, tuple) else results
    size = math.prod(getattr(out, "shape", ()))
    if name in ("linear", "mm", "matmul", "bmm", "mv", "dot"):
        return size * shapes[0][-1]
    if name in ("addmm", "baddbmm", "addbmm", "addmv"):
        return size * shapes[1][-1]
    if "convolution" in name and len(shapes) > 1:
        given, weight = shapes[0], shapes[1]
        if kw.get("transposed"):
            return int(math.prod(given) * math.prod(weight[1:]))
        return int(size * math.prod(weight[1:]))
    if "attention" in name and len(shapes) > 2:
        q, k, v = shapes[:3]
        return int(math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1]))
    if name in ("lstm_layer", "gru_layer", "rnn_layer", "lstm_cell", "gru_cell", "rnn_tanh_cell",
                "rnn_relu_cell"):  # fmt: skip
        weights = [s for s in shapes if len(s) == 2 and s[0] % shapes[1][-1] == 0][-2:]
        return int(math.prod(shapes[0][:-1]) * sum([math.prod(s) for s in weights]))
    return 0


def own(module: nn.Module) -> list[Any]:
    """The parameters of a module itself."""
    return [p for p in module._parameters.values() if p is not None]


def parents(path: str) -> list[str]:
    """Paths above one, from the outermost on, without the model's own."""
    parts = path.split(".")[:-1]
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def tensors(x: Any) -> list[Any]:
    """The tensors in a nest."""
    if isinstance(x, TensorBase):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [t for v in x for t in tensors(v)] if isinstance(x, (list, tuple)) else []


def made(input_size: Sequence[Any]) -> tuple[Any, ...]:
    """Inputs of given shapes: random numbers that leave the generator as it was."""
    from .. import rand
    from ..random import fork_rng

    several = any(isinstance(s, (list, tuple)) for s in input_size)
    with fork_rng():
        return tuple([rand(*s) for s in (input_size if several else [input_size])])


@contextmanager
def in_mode(model: nn.Module, mode: str) -> Iterator[None]:
    """The model in eval() or train(), without gradients, and back again."""
    from ..autograd.grad_mode import no_grad

    before = [(m, m.training) for m in model.modules()]
    try:
        if mode != "same":
            model.train(mode == "train")
        with no_grad():
            yield
    finally:
        for m, training in before:
            m.training = training

"""The graph of a model, as TensorBoard draws it: its operations, in boxes of its modules.

The model runs once, in evaluation mode, while an observer (`autograd/observe.py`) writes down each
call on tensors and the module in which it happens. So the graph is that of this input: branches
not taken are not in it. Operations have PyTorch's names (`aten::linear`), modules are called as in
PyTorch's graphs (`Net/Conv2d[conv1]`).

Read next: `writer.py`, whose `add_graph` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...autograd import observe
from ...errors import message
from ...tensor import Tensor

CALLS = frozenset(["op", "inplace", "composite", "function"])  # spans that are a node


@dataclass
class Node:
    """An operation, a parameter, an input or an output."""

    name: str
    op: str
    inputs: list[str] = field(default_factory=list)
    shape: tuple[int, ...] | None = None


class Drawing(observe.Observer):
    """Writes down what a model does."""

    spans = methods = True

    def __init__(self, model: Any) -> None:
        self.nodes: list[Node] = []
        self._where = {id(m): name for name, m in model.named_modules()}
        self._root = type(model).__name__
        self._scopes: list[tuple[str, str]] = []  # a module's name in the model, its box
        self._depth = 0  # calls within a call are a part of it
        self._count: dict[str, int] = {}
        self._made: dict[int, str] = {}  # which node made a tensor
        self._kept: list[Any] = []  # so that no other tensor gets its number
        self._held: dict[int, str] = {}
        for kind in (model.named_parameters(), model.named_buffers()):
            for name, t in kind:
                self._held.setdefault(id(t), name)

    # -- what the observer is told -----------------------------------------------------------

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        """Open a module's box, or begin a call."""
        if kind == "module" and not self._depth:
            self._scopes.append(self._box(what))
        elif kind in CALLS:
            self._depth += 1
            if self._depth == 1:
                return [self._source(t) for t in tensors(operands)]
        return None

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        """Close it; a call becomes a node."""
        if kind == "module" and not self._depth:
            self._scopes.pop()
        elif kind in CALLS:
            self._depth -= 1
            if not self._depth:
                self._call(what, list(dict.fromkeys(begun)), list(tensors(results)))

    # -- nodes -------------------------------------------------------------------------------

    def give(self, t: Any, i: int) -> None:
        """An input of the model."""
        self._add(Node(f"input/{i}", "IO Node", [], tuple(t.shape)), [t])

    def take(self, t: Any, i: int) -> None:
        """An output of the model."""
        self.nodes.append(Node(f"output/{i}", "IO Node", [self._source(t)], tuple(t.shape)))

    def _box(self, module: Any) -> tuple[str, str]:
        name = self._where.get(id(module))
        if not self._scopes:
            return name or "", type(module).__name__
        above, box = self._scopes[-1]
        if name is None:  # made in a forward
            return above, f"{box}/{type(module).__name__}"
        own = name.removeprefix(above + ".") if above else name
        return name, f"{box}/{type(module).__name__}[{own}]"

    def _call(self, what: Any, inputs: list[str], results: list[Any]) -> None:
        named = getattr(what, "composite", what)
        op = getattr(named, "name", None) or getattr(named, "__name__", type(what).__name__)
        box = self._scopes[-1][1] if self._scopes else self._root
        shape = tuple(results[0].shape) if results else None
        self._add(Node(self._unused(f"{box}/{op}"), f"aten::{op}", inputs, shape), results)

    def _add(self, node: Node, results: list[Any]) -> None:
        self.nodes.append(node)
        for t in results:
            self._made[id(t)] = node.name
            self._kept.append(t)

    def _unused(self, name: str) -> str:
        n = self._count[name] = self._count.get(name, -1) + 1
        return f"{name}_{n}" if n else name

    def _source(self, t: Any) -> str:
        """The node that a tensor comes from; one is made for parameters and for constants."""
        if id(t) not in self._made:
            held = self._held.get(id(t))
            above, box = self._scopes[-1] if self._scopes else ("", self._root)
            if held is not None and above:
                if held.startswith(above + "."):
                    held = held[len(above) + 1 :]
                else:
                    box = self._root
            name = self._unused(f"{box}/{'constant' if held is None else held}")
            op = "prim::Constant" if held is None else "prim::GetAttr"
            self._add(Node(name, op, [], tuple(t.shape)), [t])
        return self._made[id(t)]


def tensors(x: Any) -> Iterator[Any]:
    """The tensors in what was passed or returned."""
    if isinstance(x, Tensor):
        yield x
    elif isinstance(x, dict):
        for value in x.values():
            yield from tensors(value)
    elif isinstance(x, (list, tuple)):
        for value in x:
            yield from tensors(value)


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """The model in evaluation mode for a block, and then each module as it was."""
    modes = [(m, m.training) for m in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for module, training in modes:
            module.training = training


def draw(model: Any, inputs: Any) -> list[Node]:
    """The nodes of a model's graph.

    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    >>> for node in draw(model, torch.zeros(1, 3)):
    ...     print(node.name, node.op, node.inputs)
    input/0 IO Node []
    Sequential/Linear[0]/weight prim::GetAttr []
    Sequential/Linear[0]/bias prim::GetAttr []
    Sequential/Linear[0]/linear aten::linear ['input/0', 'Sequential/Linear[0]/weight',...]
    Sequential/ReLU[1]/relu aten::relu ['Sequential/Linear[0]/linear']
    output/0 IO Node ['Sequential/ReLU[1]/relu']
    """
    if inputs is None:
        raise ValueError(
            message(
                "add_graph: the model is run to see its graph, and there is no input",
                got="input_to_model=None",
                wanted="a tensor, or a tuple of what its forward takes",
                hint="add_graph(model, next(iter(loader))[0])",
            )
        )
    args = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    drawing = Drawing(model)
    for i, t in enumerate(tensors(args)):
        drawing.give(t, i)
    with evaluating(model), observe.observing(drawing):
        results = model(*args)
    for i, t in enumerate(tensors(results)):
        drawing.take(t, i)
    return drawing.nodes


def event(nodes: list[Node]) -> Any:
    """An event of tensorboardX's protocol that has the graph."""
    from tensorboardX.proto.attr_value_pb2 import AttrValue
    from tensorboardX.proto.event_pb2 import Event
    from tensorboardX.proto.graph_pb2 import GraphDef
    from tensorboardX.proto.node_def_pb2 import NodeDef
    from tensorboardX.proto.tensor_shape_pb2 import TensorShapeProto
    from tensorboardX.proto.versions_pb2 import VersionDef

    graph = GraphDef(versions=VersionDef(producer=22))
    for node in nodes:
        made = NodeDef(name=node.name, op=node.op, input=node.inputs)
        if node.shape is not None:
            shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in node.shape])
            made.attr["_output_shapes"].CopyFrom(
                AttrValue(list=AttrValue.ListValue(shape=[shape]))
            )
        graph.node.append(made)
    return Event(graph_def=graph.SerializeToString())

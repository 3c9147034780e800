"""Outputs from inside a model, under names of the user's choice.

The model is traced (`rushlight.fx`), and what nobody asked for is left out. A model that cannot be
traced is run as it is, and its modules' outputs are caught on the way (`_hooked.py`).
"""

from __future__ import annotations

import copy
import math
import re
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from ... import fx, nn
from ...errors import message
from ...fx.graph_module import assign, attribute
from .. import ops
from ._hooked import FeatureExtractor, locate

__all__ = ["create_feature_extractor", "get_graph_node_names"]

Names = Sequence[str] | Mapping[str, str]
TRAIN_AND_EVAL = (
    "When choosing nodes for feature extraction, you may need to specify output nodes for train "
    "and eval mode separately."
)


class NodePathTracer(fx.Tracer):
    """A tracer that keeps where each node comes from: the path of its module, and its own name.

    A path that was there before gets a number: `relu`, `relu_1`.

    Args:
        leaf_modules: classes of modules that are single nodes, further to those of torch.nn.
    """

    def __init__(self, *args: Any, leaf_modules: Sequence[type] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.leaf_modules = tuple(leaf_modules)
        self.current_module_qualname = ""
        self.node_to_qualname: OrderedDict[fx.Node, str] = OrderedDict()
        self._seen: dict[str, int] = {}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, self.leaf_modules) or super().is_leaf_module(m, module_qualified_name)

    def call_module(self, m: nn.Module, forward: Any, args: Any, kwargs: Any) -> Any:
        before = self.current_module_qualname
        self.current_module_qualname = self.path_of_module(m)
        try:
            return super().call_module(m, forward, args, kwargs)
        finally:
            self.current_module_qualname = before

    def create_proxy(self, kind: str, *args: Any, **kwargs: Any) -> Any:
        proxy = super().create_proxy(kind, *args, **kwargs)
        name = self.current_module_qualname
        if kind != "call_module":
            name = f"{name}.{proxy.node}" if name else str(proxy.node)
        # The number in a node's own name counts over the whole graph.
        name = re.sub(r"_[0-9]+$", "", name)
        again = self._seen.get(name, -1) + 1
        self._seen[name] = again
        self.node_to_qualname[proxy.node] = f"{name}_{again}" if again else name
        return proxy


class DualGraphModule(fx.GraphModule):
    """Two graphs on the same modules: one for training, one for evaluation."""

    def __init__(
        self,
        root: nn.Module,
        train_graph: fx.Graph,
        eval_graph: fx.Graph,
        class_name: str = "GraphModule",
    ) -> None:
        nn.Module.__init__(self)
        type(self).__name__ = class_name
        self.train_graph = train_graph
        self.eval_graph = eval_graph
        for graph in (train_graph, eval_graph):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    assign(self, str(node.target), attribute(root, str(node.target)))
        self.graph = train_graph
        self.meta: dict[str, Any] = {}

    def train(self, mode: bool = True) -> DualGraphModule:
        """Take the graph of this mode."""
        if mode != self.training:
            self.graph = self.train_graph if mode else self.eval_graph
        super().train(mode)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> DualGraphModule:
        held = nn.Module()
        for name in ("_parameters", "_buffers", "_modules"):
            held.__dict__[name] = copy.deepcopy(self.__dict__[name], memo)
        graphs = copy.deepcopy(self.train_graph, memo), copy.deepcopy(self.eval_graph, memo)
        made = DualGraphModule(held, *graphs, type(self).__name__)
        memo[id(self)] = made
        return _in_mode(made, self.training)

    def __reduce__(self) -> Any:
        graphs = copy.deepcopy(self.train_graph), copy.deepcopy(self.eval_graph)
        parts = [fx.GraphModule(self, graph) for graph in graphs]
        return _joined, (*parts, type(self).__name__, self.training)


def _joined(
    train: fx.GraphModule, evaluate: fx.GraphModule, name: str, training: bool
) -> DualGraphModule:
    """A DualGraphModule of the modules for either mode."""
    held = nn.Module()
    for part in (train, evaluate):
        for node in part.graph.nodes:
            if node.op in ("get_attr", "call_module"):
                assign(held, str(node.target), attribute(part, str(node.target)))
    return _in_mode(DualGraphModule(held, train.graph, evaluate.graph, name), training)


def _in_mode(module: DualGraphModule, training: bool) -> DualGraphModule:
    """`module` with the graph of a mode; its submodules stay in theirs."""
    if not training:
        module.graph = module.eval_graph
        module.training = False
    return module


@contextmanager
def _modes_kept(model: nn.Module) -> Iterator[None]:
    """Every module is in its own mode again afterwards."""
    modes = {m: m.training for m in model.modules()}
    try:
        yield
    finally:
        for m, mode in modes.items():
            m.training = mode


def _options(given: dict[str, Any] | None) -> dict[str, Any]:
    """Arguments of the tracer: what `vision.ops` has are leaves, further to what was given."""
    options = dict(given or {})
    leaves = [
        value
        for value in (getattr(ops, name) for name in ops.__all__)
        if isinstance(value, type) and issubclass(value, nn.Module)
    ]
    modules: tuple[ModuleType, ...] = (math, ops)
    options["leaf_modules"] = [*options.get("leaf_modules", ()), *leaves]
    options["autowrap_modules"] = (*options.get("autowrap_modules", ()), *modules)
    return options


def _traced(
    model: nn.Module, options: dict[str, Any], concrete_args: dict[str, Any] | None
) -> dict[bool, tuple[NodePathTracer, fx.Graph]]:
    """Tracers and graphs, by whether the model is in training."""
    found = {}
    with _modes_kept(model):
        for mode in (True, False):
            model.train(mode)
            tracer = NodePathTracer(**options)
            found[mode] = tracer, tracer.trace(model, concrete_args=concrete_args)
    return found


def _within(x: Sequence[str], y: Sequence[str]) -> bool:
    """Whether the names `y` are among `x` in the same order."""
    rest = iter(x)
    return all(name in rest for name in y)


def _warn_of_differences(traced: dict[bool, tuple[NodePathTracer, fx.Graph]]) -> None:
    train, evaluate = (list(traced[mode][0].node_to_qualname.values()) for mode in (True, False))
    if train == evaluate:
        return
    if _within(train, evaluate):
        text = "NOTE: The nodes obtained by tracing the model in eval mode are a subsequence of "
        text += "those obtained in train mode. "
    elif _within(evaluate, train):
        text = "NOTE: The nodes obtained by tracing the model in train mode are a subsequence of "
        text += "those obtained in eval mode. "
    else:
        text = "The nodes obtained by tracing the model in train mode are different to those "
        text += "obtained in eval mode. "
    warnings.warn(text + TRAIN_AND_EVAL, stacklevel=3)


def _named(names: Any) -> dict[str, str]:
    if isinstance(names, Mapping):
        return {str(node): str(key) for node, key in names.items()}
    return {str(node): str(node) for node in names}


def _absent(node: str) -> ValueError:
    return ValueError(
        message(
            f"node: '{node}' is not present in model",
            wanted="a module's name, or a node's; 'name_1' is its second call",
            hint="get_graph_node_names(model); training and evaluation may differ in their nodes "
            "(train_return_nodes, eval_return_nodes)",
        )
    )


def _cut(tracer: NodePathTracer, graph: fx.Graph, wanted: dict[str, str]) -> None:
    """Let `graph` return a dictionary of the nodes `wanted`, and compute nothing else.

    What a module returns is its last node.
    """
    nodes = [node for node in graph.nodes if node.op != "output"]
    paths = tracer.node_to_qualname
    for query in wanted:
        if not any(path == query or path.startswith(query + ".") for path in paths.values()):
            raise _absent(query)
    left, found = dict(wanted), []
    for node in reversed(nodes):
        parts = paths.get(node, "").split(".")
        for query in left:
            if ".".join(parts[: query.count(".") + 1]) == query:
                found.append((left.pop(query), node))
                break
    for node in [node for node in graph.nodes if node.op == "output"]:
        graph.erase_node(node)
    with graph.inserting_after(nodes[-1]):
        graph.output(dict(reversed(found)))
    graph.eliminate_dead_code()


def create_feature_extractor(
    model: nn.Module,
    return_nodes: Names | None = None,
    train_return_nodes: Names | None = None,
    eval_return_nodes: Names | None = None,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> nn.Module:
    """A module that runs `model` as far as needed and returns outputs from inside as a dictionary.

    It has the modules that are needed, which are the model's own. A model that cannot be traced
    (where what is done depends on values) stays whole, and only modules can be named.

    Args:
        return_nodes: names of modules or nodes, or name -> key in the result. What is called
            several times is `name`, then `name_1`, `name_2`.
        train_return_nodes, eval_return_nodes: instead, different ones for each mode.
        tracer_kwargs: `leaf_modules` (classes that are not looked into), `autowrap_functions`,
            `autowrap_modules`: see `rushlight.fx.Tracer`.
        suppress_diff_warning: say nothing where both modes have different nodes.
        concrete_args: arguments of the model that are no nodes.

    >>> net = rushlight.vision.models.resnet18()
    >>> cut = create_feature_extractor(net, {"layer1": "low", "layer2.0.relu_1": "high"})
    >>> {name: tuple(y.shape) for name, y in cut(torch.zeros(1, 3, 64, 64)).items()}
    {'low': (1, 64, 16, 16), 'high': (1, 128, 8, 8)}
    >>> create_feature_extractor(net, ["flatten"])(torch.zeros(1, 3, 64, 64))["flatten"].shape
    torch.Size([1, 512])
    """
    if (train_return_nodes is None) != (eval_return_nodes is None):
        raise ValueError(
            "If any of `train_return_nodes` and `eval_return_nodes` are specified, then both "
            "should be specified"
        )
    if (return_nodes is None) == (train_return_nodes is None):
        raise ValueError(
            "Either `return_nodes` or `train_return_nodes` and `eval_return_nodes` together, "
            "should be specified"
        )
    train = _named(train_return_nodes if return_nodes is None else return_nodes)
    evaluate = _named(eval_return_nodes if return_nodes is None else return_nodes)
    try:
        traced = _traced(model, _options(tracer_kwargs), concrete_args)
    except Exception as error:
        # The forward may ask anything of a proxy, so any error means that it cannot be traced.
        modules = dict(model.named_modules())
        for name in (*train, *evaluate):
            if locate(modules, name) is None:
                raise _absent(name) from error
        return FeatureExtractor(model, train, evaluate)
    for mode, wanted in ((True, train), (False, evaluate)):
        traced[mode][1].owning_module = model
        _cut(*traced[mode], wanted)
    if not suppress_diff_warning:
        _warn_of_differences(traced)
    graphs = traced[True][1], traced[False][1]
    return _in_mode(DualGraphModule(model, *graphs, type(model).__name__), model.training)


def get_graph_node_names(
    model: nn.Module,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> tuple[list[str], list[str]]:
    """Names that :func:`create_feature_extractor` takes, for training and for evaluation.

    The arguments are its own. Of a model that cannot be traced, the names of the modules.

    >>> net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> get_graph_node_names(net)
    (['input', '0', '1'], ['input', '0', '1'])
    """
    try:
        traced = _traced(model, _options(tracer_kwargs), concrete_args)
    except Exception:
        names = [name for name, _ in model.named_modules() if name]
        return names, list(names)
    if not suppress_diff_warning:
        _warn_of_differences(traced)
    train, evaluate = (list(traced[mode][0].node_to_qualname.values()) for mode in (True, False))
    return train, evaluate

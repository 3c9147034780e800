"""A `GraphModule`: a Module whose `forward` is the code of a graph."""

from __future__ import annotations

import copy
import linecache
from typing import Any

from ..errors import message
from ..nn.module import Module
from ..tensor import Tensor
from .codegen import PythonCode, always
from .graph import Graph

__all__ = ["GraphModule"]

_compiled = 0


def forward_of(src: str, names: dict[str, Any]) -> Any:
    """The function that generated text defines; tracebacks show its lines."""
    global _compiled
    _compiled += 1
    file = f"<eval_with_key>.{_compiled}"
    linecache.cache[file] = (len(src), None, src.splitlines(keepends=True), file)
    exec(compile(src, file, "exec", dont_inherit=True), names)
    return names["forward"]


def assign(to: Module, dotted: str, value: Any) -> None:
    """Set a dotted attribute; modules on the way are made. Tensors become buffers."""
    *parents, name = dotted.split(".")
    for part in parents:
        inner = getattr(to, part, None)
        if inner is None:
            inner = Module()
            setattr(to, part, inner)
        to = inner
    if isinstance(value, Tensor) and not is_parameter(value):
        to.register_buffer(name, value)
    else:
        setattr(to, name, value)


def is_parameter(value: Any) -> bool:
    from ..nn.parameter import Parameter

    return isinstance(value, Parameter)


def attribute(root: Any, dotted: str) -> Any:
    """A dotted attribute, of a module or of a dictionary by its full name."""
    if isinstance(root, dict):
        return root[dotted]
    for part in dotted.split("."):
        root = getattr(root, part)
    return root


class GraphModule(Module):
    """A module that computes a graph: `graph`, and `code`, the Python text of `forward`.

    `root` has what the graph's nodes name, a module or a dictionary of dotted names; only that is
    taken over. Whoever changes the graph calls `recompile`.

    >>> import rushlight.fx as fx
    >>> traced = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> for node in traced.graph.nodes:
    ...     if node.target is torch.relu:
    ...         node.target = torch.sigmoid
    >>> _ = traced.recompile()
    >>> traced(torch.zeros(2))
    tensor([1.5000, 1.5000])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # each has a class of its own: `forward` belongs to the class
        base = next((c for c in cls.__mro__ if c.__qualname__ != IMPL), cls)
        own = type("GraphModuleImpl", (base,), {"__qualname__": IMPL, "__module__": __name__})
        return super().__new__(own)

    def __init__(
        self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"
    ) -> None:
        super().__init__()
        type(self).__name__ = class_name
        if not isinstance(root, Module | dict):
            raise RuntimeError(message(f"Unsupported type {root} passed for root!"))
        if isinstance(root, Module):
            if "training" in vars(root):
                self.training = root.training
            modules = [str(n.target) for n in graph.nodes if n.op == "call_module"]
        else:
            modules = []
        named = (n for n in graph.nodes if n.op in ("call_module", "get_attr"))
        targets = dict.fromkeys(str(n.target) for n in named)
        if isinstance(root, dict):
            missing = [t for t in targets if t not in root]
            if missing:
                raise RuntimeError(
                    message(
                        f"Node {missing[0]} referenced target {missing[0]} but that target was "
                        "not provided in ``root``!",
                        f"entries {list(root)}",
                        f"entries {missing} too",
                    )
                )
        for target in sorted(targets, key=lambda t: t.count(".")):
            if root is not self and (target in modules or not has(self, target)):
                assign(self, target, attribute(root, target))
        self.graph = graph
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {}))

    # -- the graph and its code

    @property
    def graph(self) -> Graph:
        """What it computes; assign another graph to change that."""
        graph: Graph = self.__dict__["_graph"]
        return graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The Python text of `forward`."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        text: str = self.__dict__["_code"]
        return text

    def recompile(self) -> PythonCode:
        """Make `forward` of the graph as it is now."""
        found = self.graph.python_code("self")
        self.__dict__["_code"] = found.src
        type(self).forward = forward_of(found.src, dict(found.globals))
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*args, **kwargs)

    # -- submodules

    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a module under a dotted name; False if something else is in the way."""
        *parents, name = target.split(".")
        at: Module = self
        for part in parents:
            inner = getattr(at, part, None)
            if inner is None:
                inner = Module()
                setattr(at, part, inner)
            if not isinstance(inner, Module):
                return False
            at = inner
        at.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module of a dotted name; False if there is none."""
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(parent, name, None), Module):
            return False
        delattr(parent, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node names."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used.update(".".join(parts[: i + 1]) for i in range(len(parts)))
                if node.op == "call_module":
                    inside = self.get_submodule(str(node.target)).named_modules()
                    used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name in [n for n, _ in self.named_modules() if n and n not in used]:
            self.delete_submodule(name)

    # -- copies and files

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made: GraphModule = GraphModule.__new__(type(self))
        memo[id(self)] = made
        held = Module()
        own = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        held.__dict__.update(copy.deepcopy(own, memo))
        GraphModule.__init__(made, held, copy.deepcopy(self.graph, memo), type(self).__name__)
        for name, value in held.__dict__.items():
            if name not in ("_parameters", "_modules", "_buffers"):
                made.__dict__[name] = value
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, copy.deepcopy(self.graph), type(self).__name__)
        made.meta = dict(self.meta)
        return made

    def __reduce__(self) -> Any:
        state = {k: v for k, v in self.__dict__.items() if k != "_graph"}
        found = self.graph.python_code("self")
        fixed = always()
        names = {k: v for k, v in found.globals.items() if k not in fixed}
        tracer = self.graph._tracer_cls
        return rebuild, (type(self).__name__, state, names, tracer)

    def __str__(self) -> str:
        return "\n".join(
            [
                super().__repr__(),
                self.code,
                "# To see more debug info, please use `graph_module.print_readable()`",
            ]
        )

    __repr__ = Module.__repr__

    def print_readable(self, print_output: bool = True, **_: Any) -> str:
        """The module as a class with its code; printed unless told otherwise."""
        body = "\n".join("    " + line if line else "" for line in self.code.strip().split("\n"))
        text = f"class {self._get_name()}(torch.nn.Module):\n{body}\n"
        if print_output:
            print(text)
        return text


IMPL = "GraphModule.__new__.<locals>.GraphModuleImpl"


def has(module: Module, dotted: str) -> bool:
    """Whether a module has a dotted attribute already."""
    at: Any = module
    for part in dotted.split("."):
        if not hasattr(at, part):
            return False
        at = getattr(at, part)
    return True


def rebuild(
    name: str, state: dict[str, Any], names: dict[str, Any], tracer_cls: type | None
) -> GraphModule:
    """A GraphModule of what `__reduce__` says: its code, run on proxies, is its graph again."""
    from ._symbolic_trace import Tracer

    class KeepModules(Tracer):
        """All modules are leaves: those that are none are in the code already."""

        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    forward = forward_of(state["_code"], {**always(), **names})
    holder = type("CodeOnly", (Module,), {"forward": forward})()
    holder.__dict__.update({k: v for k, v in state.items() if k != "_code"})
    graph = KeepModules().trace(holder)
    graph._tracer_cls = tracer_cls
    made = GraphModule(holder, graph, name)
    for key, value in holder.__dict__.items():
        if key not in made.__dict__:
            made.__dict__[key] = value
    return made

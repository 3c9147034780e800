"""A `Graph`: a program as a list of nodes, each of which may use those before it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..blocks import contextmanager
from ..errors import message
from .codegen import CodeGen, PythonCode
from .naming import Namespace, short
from .node import Argument, Node, Target, map_arg

__all__ = ["CodeGen", "Graph", "PythonCode"]


class _node_list:
    """The nodes of a graph in order; those erased meanwhile are left out of a running loop."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        at = getattr(self.graph._root, self.direction)
        while at is not self.graph._root:
            if not at._erased:
                yield at
            at = getattr(at, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_next" if self.direction == "_prev" else "_prev")


class Graph:
    """A program as a list of nodes.

    >>> import operator
    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(operator.add, (x, 1))
    >>> graph.output(y)
    output
    >>> print(graph.python_code("self").src.strip())
    def forward(self, x):
        add = x + 1;  x = None
        return add
    """

    def __init__(
        self, owning_module: Any = None, tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._graph_namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> Any:
        """The GraphModule whose graph it is, if any."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _node_list:
        """All nodes, in the order in which they are computed."""
        return _node_list(self)

    def output_node(self) -> Node:
        """The node of what is returned."""
        found = next(iter(reversed(self.nodes)), None)
        if found is None or found.op != "output":
            raise AssertionError("the graph has no output node")
        return found

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes that do this, with this target if one is given."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    # -- adding

    def create_node(
        self, op: str, target: Target, args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """A new node at the place where nodes are inserted, at the end unless told otherwise."""
        if not isinstance(args, tuple | type(None)) or not isinstance(kwargs, dict | type(None)):
            raise AssertionError("args must be a tuple and kwargs a dict")
        candidate = short(target) if name is None else name
        given = self._graph_namespace.create_name(candidate, None)
        n = Node(self, given, op, target, args or (), kwargs or {}, type_expr)
        self._graph_namespace.associate(given, n)
        self._insert(n)
        self._len += 1
        return n

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """An input of the program."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A parameter, buffer or other attribute of the module."""
        if self.owning_module is not None and not has_attribute(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                "GraphModule.add_parameter to add the necessary Parameter, or "
                "nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """A call of a submodule."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, type_expr: Any = None, name: str | None = None,
    ) -> Node:  # fmt: skip
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the program returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x
    ) -> Node:
        """A copy of another graph's node, with its operands put through `arg_transform`."""
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        copied = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        copied.meta = copy.copy(node.meta)
        return copied

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Any:
        """Copy all nodes of `g` that `val_map` has not; returns what `g` returns (and its node)."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    # -- where nodes are inserted

    @contextmanager
    def _inserting(self, insert: Callable[[Node], None]) -> Iterator[None]:
        before, self._insert = self._insert, insert
        try:
            yield
        finally:
            self._insert = before

    def inserting_before(self, n: Node | None = None) -> Any:
        """A block in which new nodes come before `n`, before all others if there is none."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return self._inserting(n.prepend)

    def inserting_after(self, n: Node | None = None) -> Any:
        """A block in which new nodes come right after `n`, the last one first; after all others if
        there is none."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return self._inserting(n.append)

    # -- removing

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                message(
                    f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users "
                    f"in the graph: {to_erase.users}!",
                    hint="node.replace_all_uses_with(other) first",
                )
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        to_erase._update((), {})
        to_erase._remove()
        to_erase._erased = True
        self._graph_namespace.forget(to_erase)
        self._len -= 1

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove what nobody uses and what does nothing but give a result; says whether any."""
        self.lint()
        before = self._len
        for node in reversed(self.nodes):
            impure = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not impure and not node.users:
                self.erase_node(node)
        return self._len < before

    # -- code

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let another object write the Python text."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]
    ) -> Any:
        """Put the lines of the text through a function, made of the one in use so far; gives a
        block after which that one is in use again."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextmanager
        def used() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return used()

    def process_inputs(self, *args: Any) -> Any:
        """The inputs of the graph, of what its function is given."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What the function returns, of the output of the graph."""
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str) -> PythonCode:
        """The text of a function `forward` that does the same, and the names it mentions.
        `root_module` is what the module is called in it."""
        names = Namespace()
        nodes = list(self.nodes)
        for n in nodes:  # names that nodes were given by hand may not be fit for variables
            n._repr_fn = lambda n: names.create_name(n.name, n)
        try:
            return self._codegen._gen_python_code(self, root_module)
        finally:
            for n in nodes:
                n._repr_fn = None

    def __str__(self) -> str:
        lines = [n.format_node() for n in self.nodes]
        return "\n    ".join(["graph():", *[line for line in lines if line]])

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        heads = ["opcode", "name", "target", "args", "kwargs"]
        rows = [[n.op, n.name, str(n.target), str(n.args), str(n.kwargs)] for n in self.nodes]
        wide = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for row in (heads, ["-" * w for w in wide], *rows):
            print("  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip())

    # -- checks and copies

    def lint(self) -> None:
        """Check that nodes use only those before them, that names are single, and that what nodes
        say of the module is there. Raises RuntimeError."""
        seen_names: set[str] = set()
        seen: set[Node] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for n in node.all_input_nodes:
                if n.graph is not self:
                    raise RuntimeError(
                        f"Argument '{n}' of Node '{node}' does not belong to this Graph, but was "
                        "used as an argument! If you are copying nodes from another graph, make "
                        "sure to use ``arg_transform`` on node_copy() to remap values"
                    )
                if n not in seen:
                    raise RuntimeError(
                        f"Argument '{n}' of Node '{node}' was used before it has been defined! "
                        "Please check that Nodes in the graph are topologically ordered"
                    )
            if node.name in seen_names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen.add(node)
            seen_names.add(node.name)
            module = self.owning_module
            named = module is not None and node.op in ("call_module", "get_attr")
            if named and not has_attribute(module, str(node.target)):
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute "
                    f"of {type(module).__name__}"
                )

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        g = Graph(tracer_cls=self._tracer_cls, tracer_extras=self._tracer_extras)
        if memo is not None:
            memo[id(self)] = g
        copied: dict[Node, Node] = {}
        g._codegen = copy.deepcopy(self._codegen)
        for node in self.nodes:
            copied[node] = g.node_copy(node, lambda n: copied[n])
        return g

    def __reduce__(self) -> Any:
        raise TypeError(
            message("a Graph cannot be pickled", hint="pickle the GraphModule that has it")
        )


def has_attribute(module: Any, dotted: str) -> bool:
    """Whether there is such an attribute of a module or of its submodules."""
    for part in dotted.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True

"""The Python text of a graph.

Each node becomes a line that assigns its result to its name, and lets go of what nobody uses
later. What the text mentions by name, `torch` and functions of the program, goes into `globals`.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any

from .. import torch_names
from ..device import device as Device
from ..dtypes import dtype as DType
from ..size import Size
from .naming import Namespace, qualified, torch_module, torch_name
from .node import Node, base_types, nodes_in

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["CodeGen", "PythonCode"]

BINARY = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "matmul": "@",
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
}  # fmt: skip
UNARY = {"neg": "-", "invert": "~", "pos": "+"}
INPLACE = {
    "iadd": "+=", "iand": "&=", "ifloordiv": "//=", "ilshift": "<<=", "imod": "%=", "imul": "*=",
    "imatmul": "@=", "ior": "|=", "ipow": "**=", "irshift": ">>=", "isub": "-=", "itruediv": "/=",
    "ixor": "^=",
}  # fmt: skip


@dataclass
class PythonCode:
    """Text that defines `forward`, and the names that it mentions."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = field(default=None)
    _prologue_start: int = 0


def always() -> dict[str, Any]:
    """What every generated text may mention."""
    from ..utils import _pytree as pytree
    from . import _pytree as fx_pytree

    return {
        "inf": float("inf"), "nan": float("nan"), "NoneType": NoneType, "torch": torch_module(),
        "device": Device, "fx_pytree": fx_pytree, "pytree": pytree,
    }  # fmt: skip


class CodeGen:
    """Writes `forward` of a graph; a subclass may write it otherwise.

    >>> import rushlight.fx as fx
    >>> graph = fx.symbolic_trace(lambda x: torch.relu(x)).graph
    >>> code = fx.CodeGen()
    >>> graph.set_codegen(code)
    >>> print("relu" in graph.python_code("self").src)
    True
    """

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, indent: str = ""
    ) -> str:
        """The first line of the function."""
        names = free_vars if free_vars[:1] == ["self"] else ["self", *free_vars]
        return f"{indent}def forward({', '.join(names)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The line that returns."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The inputs of the graph, of what its function is given."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """What the function returns, of the output of the graph."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Further names that the text mentions, with what they are."""
        return []

    def _gen_python_code(self, graph: Graph, root_module: str) -> PythonCode:
        writer = Writer(root_module)
        for name, value in self.additional_globals():
            writer.add_global(name, value)
        last = last_uses(graph)
        for node in graph.nodes:
            writer.node(node, self, last.get(node, []))
        lines = writer.lines or ["pass\n"]
        if self._body_transformer is not None:
            lines = self._body_transformer(lines)
        wrapped = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        begin = self.gen_fn_def(writer.parameters, writer.returns)
        body = "".join(lines)
        indented = "\n".join("    " + line for line in body.split("\n"))
        return PythonCode(f"\n{wrapped}\n\n{begin}\n{indented}", writer.globals)


def last_uses(graph: Graph) -> dict[Node, list[Node]]:
    """For each node, those that it is the last to use."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for node in reversed(graph.nodes):
        for n in nodes_in(node.args, node.kwargs):
            if n not in seen:
                seen.add(n)
                found.setdefault(node, []).append(n)
    return found


class Writer:
    """The lines written so far."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.lines: list[str] = []
        self.parameters: list[str] = []
        self.returns = ""
        self.wrapped: dict[str, None] = {}
        self.names = Namespace()
        self.globals: dict[str, Any] = always()

    def add_global(self, hint: str, thing: Any) -> str:
        """The name by which the text mentions `thing`."""
        known = torch_name(thing) if callable(thing) and thing is not Device else None
        if known is not None:
            return known
        name = hint.replace(".", "_")
        if self.globals.get(name, self) is thing:
            return name
        unique = None if getattr(thing, "__hash__", None) is None else thing
        try:
            hash(unique)
        except TypeError:
            unique = None
        if isinstance(unique, bool | int | float | NoneType):
            unique = None
        name = self.names.create_name(name, unique)
        self.globals[name] = thing
        return name

    # -- arguments

    def text(self, a: Any) -> str:
        """An argument."""
        if isinstance(a, Node):
            return repr(a)
        if isinstance(a, Size):
            return f"torch.Size({self.text(list(a))})"
        if isinstance(a, tuple):
            inside = ", ".join(map(self.text, a))
            inside = f"({inside},)" if len(a) == 1 else f"({inside})"
            return f"{self.kind(type(a))}{inside}" if hasattr(a, "_fields") else inside
        if isinstance(a, list):
            return f"[{', '.join(map(self.text, a))}]"
        if isinstance(a, dict):
            inside = ", ".join(f"{self.text(k)}: {self.text(v)}" for k, v in a.items())
            return f"{{{inside}}}"
        if isinstance(a, slice):
            return f"slice({self.text(a.start)}, {self.text(a.stop)}, {self.text(a.step)})"
        if isinstance(a, enum.Enum):
            return f"{self.kind(type(a))}.{a.name}"
        if isinstance(a, base_types) or a.__class__ in (range, bytes):
            return repr(a)
        if isinstance(a, DType) or type(a).__name__ in ("layout", "memory_format"):
            return "torch." + repr(a).rpartition(".")[2]
        if isinstance(a, Device):
            self.add_global("device", Device)
            return repr(a).replace("rushlight.", "")
        if isinstance(a, type) or callable(a):
            return self.kind(a)
        return self.add_global(f"_{type(a).__name__}", a)

    def kind(self, a: Any) -> str:
        """A class or a function, or an annotation."""
        if isinstance(a, str):  # an annotation of a module whose annotations are not evaluated
            return self.add_global(repr(a), a)
        if isinstance(a, type) and a.__module__ == "builtins" and not hasattr(a, "__args__"):
            return a.__name__ if hasattr(builtins, a.__name__) else self.add_global(a.__name__, a)
        if getattr(a, "__args__", None) is not None or not hasattr(a, "__name__"):
            return self.add_global(torch_names.shown(repr(a)), a)
        return self.add_global(qualified(a), a)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The arguments of a call."""
        named = [f"{k} = {self.text(v)}" for k, v in kwargs.items()]
        return ", ".join([*map(self.text, args), *named])

    # -- nodes

    def node(self, node: Node, codegen: CodeGen, done: list[Node]) -> None:
        """The line of a node."""
        typed = "" if node.type is None else f" : {self.kind(node.type)}"
        if node.op == "placeholder":
            target = str(node.target)
            default = f" = {self.text(node.args[0])}" if node.args else ""
            self.parameters.append(f"{target}{typed}{default}")
            bare = target.replace("*", "")
            if bare != repr(node):
                self.lines.append(f"{node!r} = {bare}\n")
            return
        if node.op == "output":
            self.returns = "" if node.type is None else f" -> {self.kind(node.type)}"
            self.lines.append(codegen.generate_output(node.args[0], repr_fn=self.text) + "\n")
            return
        line = self.result(node, f"{node!r}{typed}")
        done = [*done, node] if not node.users else done
        freed = " = ".join([*map(repr, done), "None"])
        self.lines.append(f"{line};  {freed}\n" if done else f"{line}\n")

    def result(self, node: Node, name: str) -> str:
        target, args, kwargs = node.target, node.args, node.kwargs
        if node.op == "get_attr":
            return f"{name} = {path(self.root, str(target))}"
        if node.op == "call_module":
            return f"{name} = {path(self.root, str(target))}({self.call(args, kwargs)})"
        if node.op == "call_method":
            on = self.text(args[0])
            return f"{name} = {path(on, str(target))}({self.call(args[1:], kwargs)})"
        word = getattr(target, "__name__", "")
        if getattr(target, "__module__", None) == "_operator" and not kwargs:
            if word in BINARY and len(args) == 2:
                return f"{name} = {self.text(args[0])} {BINARY[word]} {self.text(args[1])}"
            if word in UNARY:
                return f"{name} = {UNARY[word]}{self.text(args[0])}"
            if word == "getitem":
                return f"{name} = {self.text(args[0])}[{self.text(args[1])}]"
            if word in INPLACE:
                on = self.text(args[0])
                return f"{on} {INPLACE[word]} {self.text(args[1])};  {name} = {on}"
        if target is getattr and len(args) == 2 and str(args[1]).isidentifier():
            return f"{name} = {path(self.text(args[0]), args[1])}"
        called = self.add_global(qualified(target), target)
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(called)
        return f"{name} = {called}({self.call(args, kwargs)})"


def path(on: str, dotted: str) -> str:
    """`on.a.b`, by getattr where a part is no identifier, as in Sequential."""
    for part in dotted.split("."):
        on = f"{on}.{part}" if part.isidentifier() else f'getattr({on}, "{part}")'
    return on

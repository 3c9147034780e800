"""A `Proxy` stands for a value while a program is traced: what is done with it becomes nodes."""

from __future__ import annotations

import dis
import inspect
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, cast

from ..errors import message
from ..tensor import Tensor
from .codegen import BINARY, UNARY
from .graph import Graph
from .naming import torch_module, torch_name
from .node import Node, Target, map_aggregate

__all__ = ["Attribute", "GraphAppendingTracer", "Proxy", "TraceError", "TracerBase"]


class TraceError(ValueError):
    """A program does something with a traced value that a graph cannot say."""


class TracerBase:
    """Makes nodes of what is done with proxies."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(
        self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Append a node to the graph."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        stack = getattr(self, "module_stack", None)
        if stack:
            node.meta["nn_module_stack"] = dict(stack)
        if self.record_stack_traces:
            frames = [f for f in traceback.extract_stack() if "/rushlight/" not in f.filename]
            node.meta["stack_trace"] = "".join(traceback.format_list(frames))
        return node

    def proxy(self, node: Node) -> Proxy:
        """The proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:  # fmt: skip
        """Append a node of arguments that may hold proxies; gives its proxy."""
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, dict(kwargs), name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Any:
        """A value as the argument of a node: proxies become their nodes."""
        return map_aggregate(a, lambda x: x.node if isinstance(x, Proxy) else x)

    def to_bool(self, obj: Proxy) -> bool:
        """Called where a program asks whether a proxy is true."""
        raise TraceError(
            message(
                "symbolically traced variables cannot be used as inputs to control flow",
                f"bool({obj.node.name})",
                hint="concrete_args= for inputs that choose the way, or torch.where",
            )
        )

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called where a program iterates over a proxy; how many values it unpacks is known."""
        frame, values = sys._getframe(2), cast(Any, obj)
        instruction = next(
            (i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None
        )
        if instruction is not None and instruction.opname == "UNPACK_SEQUENCE":
            return (operator.getitem(values, i) for i in range(instruction.argval))
        raise TraceError(
            message(
                "Proxy object cannot be iterated. This can be attempted when the Proxy is used in "
                "a loop or as a *args or **kwargs function argument",
                obj.node.name,
                "values that are unpacked into names: a, b = x",
            )
        )

    def keys(self, obj: Proxy) -> Any:
        """Called where a proxy is used as `**kwargs`."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Appends to a graph."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.module_stack: dict[str, Any] = {}


def tracer_of(*arguments: Any) -> TracerBase | None:
    """The tracer of the proxies in arguments; None if there is no proxy."""
    found: list[TracerBase] = []
    map_aggregate(arguments, lambda x: found.append(x.tracer) if isinstance(x, Proxy) else None)
    if any(t is not found[0] for t in found):
        raise RuntimeError(
            message(
                "Found multiple different tracers while trying to trace operations",
                ", ".join(type(t).__name__ for t in found),
                hint="proxies of one trace only, or Proxy(node, tracer) with one tracer",
            )
        )
    return found[0] if found else None


class Proxy:
    """Stands for the value of `node`. Operators, methods, attributes and torch's functions append
    nodes to the graph of its tracer.

    >>> import rushlight.fx as fx
    >>> def f(x):
    ...     print(type(x).__name__)
    ...     return x * 2
    >>> traced = fx.symbolic_trace(f)
    Proxy
    >>> traced(torch.ones(1))
    tensor([2.])
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k.startswith("__") and k.endswith("__"):
            raise AttributeError(k)  # copying and pickling ask for such names
        return Attribute(self, k)

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        return Proxy(self.node, self.tracer)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and self._is_asserted():
            return True
        return self.tracer.to_bool(self)

    def _is_asserted(self) -> bool:
        """Whether it stands in an `assert`, which becomes a node."""
        frame = sys._getframe(2)
        code = list(dis.get_instructions(frame.f_code))
        at = next((i for i, x in enumerate(code) if x.offset == frame.f_lasti), None)
        if at is None or "POP_JUMP" not in code[at].opname:
            return False
        if code[at + 1].opname != "LOAD_ASSERTION_ERROR":
            return False
        text = code[at + 2].argval if code[at + 2].opname == "LOAD_CONST" else ""
        self.tracer.create_proxy("call_function", torch_module()._assert, (self, text), {})
        return True

    def keys(self) -> Any:
        """The names of a proxy that stands for a dictionary."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            message(
                "'len' is not supported in symbolic tracing by default. If you want this call to "
                "be recorded, please call torch.fx.wrap('len') at module scope",
                f"len({self.node.name})",
            )
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        kwargs = kwargs or {}
        tracer = tracer_of(args, kwargs)
        assert tracer is not None, "no proxy among the arguments"
        method = None if torch_name(orig_method) is not None else method_name(orig_method)
        if method is not None:
            return tracer.create_proxy("call_method", method, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def method_name(function: Any) -> str | None:
    """The name of one of Tensor's methods; None for other functions."""
    for name in (getattr(function, "__name__", ""), getattr(function, "__name__", "")[:-1]):
        method = inspect.getattr_static(Tensor, name, None)
        if method is not None and getattr(method, "published", method) is function:
            return name
    return None


class Attribute(Proxy):
    """`x.name` of a proxy: a node only if it is used otherwise than by calling it."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that gets it."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def install(method: str, target: Callable[..., Any], *, reflected: bool = False) -> None:
    """Give Proxy an operator."""

    def call(self: Proxy, *args: Any) -> Any:
        operands = (*args, self) if reflected else (self, *args)
        return self.tracer.create_proxy("call_function", target, operands, {})

    call.__name__ = method
    setattr(Proxy, method, call)


for _word in (*BINARY, *UNARY, "getitem"):
    _bare = _word.rstrip("_")
    install(f"__{_bare}__", getattr(operator, _word))
    if _word in BINARY and _word not in ("eq", "ne", "lt", "gt", "le", "ge"):
        install(f"__r{_bare}__", getattr(operator, _word), reflected=True)
Proxy.__hash__ = object.__hash__  # type: ignore[assignment]

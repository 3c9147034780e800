"""A `Node`: one step of a graph, with what it uses and who uses it."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import torch_names
from ..errors import message
from .immutable_collections import immutable_dict, immutable_list
from .naming import qualified

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Callable[..., Any] | str
BaseArgumentTypes = str | int | float | bool | complex | None
base_types = (str, int, float, bool, complex, type(None), type(...))

OPS = (
    "placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "root",
)  # fmt: skip

_side_effectful_functions: set[Callable[..., Any]] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Say that calls of `fn` are kept although nobody uses their results; returns `fn`.

    >>> import rushlight.fx as fx
    >>> def log(x):
    ...     print("seen")
    >>> fx.has_side_effect(log) is log
    True
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """`fn` of everything in nested tuples, lists, dictionaries and slices, which keep their form;
    lists and dictionaries come out immutable."""
    if isinstance(a, tuple):
        values = [map_aggregate(x, fn) for x in a]
        if hasattr(a, "_fields"):
            return type(a)(*values)
        return type(a)(values) if torch_names.is_own(type(a).__module__) else tuple(values)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(v, fn)) for k, v in a.items())
    if isinstance(a, slice):
        parts = (map_aggregate(x, fn) for x in (a.start, a.stop, a.step))
        return slice(*parts)
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """`fn` of every node in nested tuples, lists, dictionaries and slices.

    >>> import rushlight.fx as fx
    >>> x, out = fx.symbolic_trace(lambda x: x).graph.nodes
    >>> fx.map_arg([x, (x, 2)], lambda node: node.name)
    ['x', ('x', 2)]
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def nodes_in(*arguments: Any) -> dict[Node, None]:
    """The nodes in arguments, each once, in order."""
    seen: dict[Node, None] = {}
    for a in arguments:
        map_arg(a, lambda n: seen.setdefault(n))
    return seen


def _get_qualified_name(func: Callable[..., Any]) -> str:
    """The name of a function as generated code says it, `torch.relu`."""
    return qualified(func)


class Node:
    """A step of a `Graph`.

    `op` is what is done: "placeholder" (an input), "get_attr" (a parameter or other attribute of
    the module), "call_function", "call_method" (of the first of `args`), "call_module" or "output";
    `target` says which one. In `args` and `kwargs` other nodes stand for their results. `users` are
    the nodes that use this one, `meta` is everybody's.

    >>> import rushlight.fx as fx
    >>> graph = fx.symbolic_trace(lambda x: torch.relu(x).sum()).graph
    >>> for node in graph.nodes:
    ...     print(node.op, node.name, node.args)
    placeholder x ()
    call_function relu (x,)
    call_method sum_1 (relu,)
    output output (sum_1,)
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Target,
        args: tuple[Any, ...], kwargs: dict[str, Any], return_type: Any = None,
    ) -> None:  # fmt: skip
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    message(
                        "Node: target of call_function must be a callable",
                        f"{target!r}, {type(target).__name__}",
                    )
                )
        elif not isinstance(target, str):
            raise ValueError(
                message(f"Node: target of {op} must be a str", f"{target!r}, {type(target)}")
            )
        self.graph, self.name, self.op, self.target = graph, name, op, target
        self.type = return_type
        self.meta: dict[str, Any] = {}
        self.users: dict[Node, None] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._update(args, kwargs)

    def _update(self, args: Any, kwargs: Any) -> None:
        for n in self._input_nodes:
            n.users.pop(self, None)
        self._args = tuple(map_aggregate(tuple(args), lambda x: x))
        self._kwargs = map_aggregate(dict(kwargs), lambda x: x)
        self._input_nodes = nodes_in(self._args, self._kwargs)
        for n in self._input_nodes:
            n.users.setdefault(self)

    # -- what it uses

    @property
    def args(self) -> tuple[Any, ...]:
        """Positional arguments; assign new ones to change them."""
        return self._args

    @args.setter
    def args(self, value: Any) -> None:
        self._update(value, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """Arguments by name; assign new ones to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value: Any) -> None:
        self._update(self._args, value)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes in `args` and `kwargs`, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Put another argument in place `idx`."""
        args = list(self._args)
        args[idx] = arg
        self.args = args

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Put an argument before place `idx`."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Put another argument under a name."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use another node wherever this one uses `old_input`."""
        args, kwargs = map_arg(
            (self._args, self._kwargs), lambda n: new_input if n is old_input else n
        )
        self._update(args, kwargs)

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Let its users (those for which `delete_user_cb` is true) use another node instead;
        returns them."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), "
                    "but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # -- where it stands

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def _remove(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x: Node) -> None:
        """Move a node of the same graph right before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._remove()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Move a node of the same graph right after this one."""
        if x is not self:
            self._next.prepend(x)

    def __lt__(self, other: Node) -> bool:
        """Whether this node is computed before the other."""
        return self is not other and any(n is other for n in self._followers())

    def _followers(self) -> Iterator[Node]:
        at = self._next
        while at.op != "root":
            yield at
            at = at._next

    # -- what it says

    @property
    def stack_trace(self) -> str | None:
        """The lines of the program that made it, where they were recorded."""
        trace: str | None = self.meta.get("stack_trace")
        return trace

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it does more than give a result, so that it is kept without users."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = getattr(self.target, "__name__", "")
            drawn = impure_random and name in RANDOM
            # what is written into an operand by operators such as iadd, and by asserts
            kept = self.target in _side_effectful_functions or name in ("_assert", "setitem")
            return drawn or kept
        if self.op == "call_method":
            return str(self.target).endswith("_") and not str(self.target).endswith("__")
        if self.op == "call_module":
            module = self.graph.owning_module
            assert module is not None, "is_impure of call_module needs the graph's owning_module"
            return bool(getattr(module.get_submodule(str(self.target)), "_is_impure", False))
        return False

    def _pretty_print_target(self, target: Any) -> str:
        if isinstance(target, str):
            return target
        name = qualified(target)
        if getattr(builtins, name, None) is target:
            return f"builtins.{name}"
        return name.replace("_operator.", "operator.")

    def format_node(
        self, placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
    ) -> str | None:  # fmt: skip
        """A line about it, as `print(graph)` shows."""
        of_type = f"{type_name(self.type)} " if self.type is not None else ""
        begin = f"%{self.name} : {of_type}[num_users={len(self.users)}] = {self.op}"
        if self.op == "output":
            if self.type is not None and maybe_return_typename is not None:
                maybe_return_typename[0] = f" -> {type_name(self.type)}"
            return f"return {self._args[0] if self._args else ''}"
        target = self._pretty_print_target(self.target)
        if self.op in ("placeholder", "get_attr"):
            if self.op == "placeholder" and placeholder_names is not None:
                typed = f" : {type_name(self.type)}" if self.type is not None else ""
                placeholder_names.append(self.name + typed)
                return None
            default = f"(default={self._args[0]})" if self._args else ""
            return f"{begin}[target={target}]{default}"
        return (
            f"{begin}[target={target}](args = {format_arg(self._args)}, "
            f"kwargs = {format_arg(self._kwargs)})"
        )

    def __repr__(self) -> str:
        return self.name if self._repr_fn is None else self._repr_fn(self)


# functions whose results are drawn, so that leaving one out moves the numbers of all that follow
RANDOM = frozenset((
    "rand", "randn", "randint", "randperm", "normal", "rand_like", "randn_like", "randint_like",
    "bernoulli", "multinomial", "poisson", "dropout", "dropout1d", "dropout2d", "dropout3d",
    "alpha_dropout", "feature_alpha_dropout",
))  # fmt: skip


def type_name(kind: Any) -> str:
    """A type as annotations write it."""
    if isinstance(kind, type):
        return kind.__qualname__ if kind.__module__ == "builtins" else qualified(kind)
    return torch_names.shown(repr(kind))


def format_arg(a: Any) -> str:
    """An argument in `print(graph)`: nodes with %, strings as they are."""
    if isinstance(a, Node):
        return f"%{a.name}"
    if isinstance(a, tuple):
        inside = ", ".join(map(format_arg, a))
        return f"({inside},)" if len(a) == 1 else f"({inside})"
    if isinstance(a, list):
        return f"[{', '.join(map(format_arg, a))}]"
    if isinstance(a, dict):
        return "{" + ", ".join(f"{k}: {format_arg(v)}" for k, v in a.items()) + "}"
    return str(a).replace("rushlight.", "torch.") if not isinstance(a, str) else a

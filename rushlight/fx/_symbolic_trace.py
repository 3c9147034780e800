"""Tracing: a module or function runs once on proxies, and what it does becomes a graph.

Meanwhile calls of modules, reads of their parameters and calls of wrapped functions come to the
tracer: `Module.__call__`, `Module.__getattr__` and the names of the functions are replaced for that
time.
"""

from __future__ import annotations

import builtins
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .. import torch_names
from ..blocks import contextmanager
from ..errors import message
from ..nn.containers import Sequential
from ..nn.module import Module
from ..nn.parameter import Parameter
from ..tensor import Tensor
from .graph import Graph
from .graph_module import GraphModule
from .naming import torch_module
from .node import base_types
from .proxy import TraceError, TracerBase, tracer_of

__all__ = ["PH", "ProxyableClassMeta", "TraceError", "Tracer", "symbolic_trace", "wrap"]

# Functions whose calls become nodes: the names of a module's dictionary that `wrap` was told.
wrapped: dict[tuple[int, str], dict[str, Any]] = {}
wrapped_methods: list[tuple[type, str]] = []


# A tuple of this name in a module of Rushlight: functions of it that `wrap` would be told of, if
# the module were to import fx.
WHOLE = "_FX_WHOLE"

# Functions that make tensors of numbers, which no class takes over: their sizes may be proxies.
FACTORIES = (
    "arange", "empty", "eye", "full", "linspace", "logspace", "ones", "range", "zeros",
)  # fmt: skip


class PHBase:
    """Stands for "no value given" among `concrete_args`."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Let calls of a function of this module be one node, not what the function does.

    Called at the top of a module, with the function or its name; also a decorator. Returns its
    argument.

    >>> program = '''
    ... import rushlight.fx as fx
    ... @fx.wrap
    ... def larger(x):
    ...     return x if x.sum() > 0 else -x  # cannot be traced
    ... print([str(node) for node in fx.symbolic_trace(lambda x: larger(x) + 1).graph.nodes])
    ... '''
    >>> exec(program, {"__name__": "program"})
    ['x', 'larger', 'add', 'output']
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            message(
                "Unsupported type for global function! Must be either a callable or string name",
                type(fn_or_name).__name__,
            )
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") in (__name__, "rushlight.fx", "torch.fx"):
        assert frame.f_back is not None
        frame = frame.f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def recorded(original: Callable[..., Any], wrapped: bool = True) -> Callable[..., Any]:
    """A function whose call with proxies is a node; generated code says if it is wrapped."""

    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = tracer_of(args, kwargs)
        if tracer is None:
            return original(*args, **kwargs)
        made = tracer.create_proxy("call_function", original, args, kwargs)
        if wrapped:
            made.node.meta["is_wrapped"] = True
        return made

    call.__name__ = getattr(original, "__name__", "call")
    call.__wrapped__ = original  # type: ignore[attr-defined]
    call.stands_for = original  # type: ignore[attr-defined] # for a while: see `naming.published`
    return call


def recorded_method(cls: type, name: str) -> Callable[..., Any]:
    """A method whose call with proxies is a node."""
    original = getattr(cls, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = tracer_of(args, kwargs)
        if tracer is None:
            return original(*args, **kwargs)
        return tracer.create_proxy("call_method", name, args, kwargs)

    return call


class Patches:
    """Names that stand for something else until the block is left."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute of a class or a module."""
        had, before = name in vars(owner), vars(owner).get(name)

        def undo() -> None:
            if had:
                setattr(owner, name, before)
            elif name in vars(owner):
                delattr(owner, name)

        self.undo.append(undo)  # before there is anything to undo: an interrupt may come
        setattr(owner, name, value)

    def item(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Replace a name of a module's dictionary."""
        had, before = name in space, space.get(name)
        self.undo.append(lambda: space.update({name: before}) if had else space.pop(name, None))
        space[name] = value

    def __enter__(self) -> Patches:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.leave()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """What `__exit__` does; where this is interrupted it is called again."""
        while self.undo:
            self.undo[-1]()
            del self.undo[-1]


class Tracer(TracerBase):
    """Traces modules and functions; subclasses choose what is a leaf, or how nodes are made.

    Args:
        autowrap_modules: modules of Python whose functions become nodes.
        autowrap_functions: further functions that do.
        param_shapes_constant: sizes of parameters are numbers, not nodes.

    >>> import rushlight.fx as fx
    >>> class Whole(fx.Tracer):
    ...     def is_leaf_module(self, m, qualified_name):
    ...         return True  # no module is looked into
    >>> net = nn.Sequential(nn.Sequential(nn.ReLU()), nn.ReLU())
    >>> [str(node.target) for node in Whole().trace(net).nodes]
    ['input', '0', '1', 'output']
    """

    def __init__(
        self, autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if param_shapes_constant:
            raise NotImplementedError(
                message("Tracer: param_shapes_constant=True is not there", hint="without it")
            )
        self._autowrap_ids = {id(f) for f in autowrap_functions} | {
            id(f)
            for module in autowrap_modules
            for name, f in vars(module).items()
            if not name.startswith("_") and callable(f)
        }
        self._autowrap_modules = autowrap_modules
        self.root: Any = None
        self.submodule_paths: dict[Any, str] = {}
        self.module_stack: dict[str, Any] = {}
        self.tensor_attrs: dict[int, str] = {}

    # -- what subclasses may say

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of the module is one node: those of torch.nn are, but for Sequential."""
        home = torch_names.shown(type(m).__module__)
        return home.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The dotted name of a submodule of the root. Raises NameError if it is none."""
        path = self.submodule_paths.get(mod)
        if path is None:
            raise NameError(
                message(
                    "module is not installed as a submodule",
                    type(mod).__name__,
                    "a module that is an attribute of the traced one or of its submodules",
                )
            )
        return path

    def call_module(
        self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Called for each call of a module: a node for a leaf, otherwise what it does."""
        name = self.path_of_module(m)
        before = dict(self.module_stack)
        self.module_stack[name] = (name, type(m))
        try:
            if not self.is_leaf_module(m, name):
                return forward(*args, **kwargs)
            return self.create_proxy("call_module", name, args, kwargs)
        finally:
            self.module_stack = before

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Called for each attribute that a module holds: parameters become nodes."""
        if isinstance(attr_val, Parameter):
            named: Iterator[tuple[str, Tensor]] = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            named = self.root.named_buffers()
        else:
            return attr_val
        for name, held in named:
            if held is attr_val:
                if name not in parameter_proxy_cache:
                    parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {})
                return parameter_proxy_cache[name]
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """A value as the argument of a node: tensors and modules become attributes."""
        if isinstance(a, Parameter):
            for name, held in self.root.named_parameters():
                if held is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, Tensor):
            return self.constant(a)
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if isinstance(a, (tuple, list, dict, slice)):
            if isinstance(a, tuple) and hasattr(a, "_fields"):
                values = tuple(map(self.create_arg, a))
                return self.create_node("call_function", type(a), values, {})
            if isinstance(a, dict):
                return {k: self.create_arg(v) for k, v in a.items()}
            if isinstance(a, slice):
                return slice(*map(self.create_arg, (a.start, a.stop, a.step)))
            return tuple(map(self.create_arg, a)) if isinstance(a, tuple) else [
                self.create_arg(x) for x in a
            ]  # fmt: skip
        return super().create_arg(a)

    def constant(self, a: Tensor) -> Any:
        """A tensor that is no parameter: a buffer, an attribute, or a constant of the program."""
        name = next((n for n, held in self.root.named_buffers() if held is a), None)
        name = self.tensor_attrs.get(id(a)) if name is None else name
        if name is None:
            number = 0
            while hasattr(self.root, f"_tensor_constant{number}"):
                number += 1
            name = f"_tensor_constant{number}"
            self.tensor_attrs[id(a)] = name
            setattr(self.root, name, a)
        return self.create_node("get_attr", name, (), {})

    # -- tracing

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: Any = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The function to be called, and a proxy for each of its parameters."""
        fn: Any = inspect.unwrap(root_fn)
        code: CodeType = fn.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        defaults = {n: p.default for n, p in inspect.signature(fn).parameters.items()}
        types = getattr(root_fn, "__annotations__", {})
        if isinstance(concrete_args, tuple):
            concrete_args = dict(zip(names[is_module:], concrete_args, strict=True))
        concrete = concrete_args or {}
        args: list[Any] = [self.root] if is_module else []
        number = 0
        positional = len(args)

        def placeholder(name: str) -> Any:
            nonlocal number
            default = defaults.get(name, inspect.Parameter.empty)
            has = () if default is inspect.Parameter.empty else (default,)
            given = concrete.get(name, PH)
            if given is not PH:
                number += 1
                return self.specialized(name, f"{name}_{number}", given, has)
            return self.create_proxy("placeholder", name, has, {}, type_expr=types.get(name))

        def starred(stars: str, name: str) -> Any:
            return self.create_proxy("placeholder", stars + name, (), {})

        for name in names[positional:]:
            args.append(placeholder(name))
        keyword_only = code.co_kwonlyargcount
        more = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        if keyword_only or more:
            rest = iter(code.co_varnames[count:])
            if code.co_flags & inspect.CO_VARARGS:
                args.append(starred("*", next(rest)))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(starred("**", next(rest)))
            fn = flat(fn)
        return fn, args

    def specialized(self, name: str, shown: str, value: Any, default: tuple[Any, ...]) -> Any:
        """A parameter that has one value in the graph, which checks it."""
        if isinstance(value, (list, tuple, dict)):
            raise NotImplementedError(
                message(
                    "symbolic_trace: concrete_args of lists, tuples and dictionaries are not there",
                    f"{name}={value!r}",
                    "single values",
                )
            )
        out = self.create_proxy("placeholder", shown, default, {})
        text = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (out, text), {})
        elif isinstance(value, base_types):
            self.create_proxy("call_function", torch_module()._assert, (out == value, text), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized "
                "function. It is up to the user to make sure that your inputs match the inputs "
                "you specialized the function with.",
                stacklevel=2,
            )
        return value

    def trace(
        self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
    ) -> Graph:
        """The graph of what a module's `forward`, or a function, does."""
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        fn: Any = getattr(type(root), self.traced_func_name) if is_module else root
        self.submodule_paths = {m: name for name, m in self.root.named_modules()}
        self.tensor_attrs = {
            id(value): f"{path}.{name}" if path else name
            for path, m in self.root.named_modules()
            for name, value in vars(m).items()
            if isinstance(value, Tensor)
        }
        extras = getattr(self, "_tracer_extras", None)
        self.graph = Graph(tracer_cls=type(self), tracer_extras=extras)
        called, args = self.create_args_for_root(fn, is_module, concrete_args)
        returns = getattr(called, "__annotations__", {}).get("return")
        with self.watching(fn):
            result = self.create_arg(called(*args))
        self.create_node("output", "output", (result,), {}, type_expr=returns)
        self.submodule_paths = {}
        return self.graph

    @contextmanager
    def watching(self, fn: Any) -> Iterator[None]:
        """A block in which calls of modules, parameters and wrapped functions come here."""
        cache: dict[str, Any] = {}
        original_call, original_getattr = Module.__call__, Module.__getattr__
        tracer = self

        def module_call(self: Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return original_call(self, *args, **kwargs)

            return tracer.call_module(self, forward, args, kwargs)

        def module_getattr(self: Module, name: str) -> Any:
            return tracer.getattr(name, original_getattr(self, name), cache)

        with Patches() as patches:
            patches.attribute(Module, "__call__", module_call)
            patches.attribute(Module, "__getattr__", module_getattr)
            for (_, name), space in list(wrapped.items()):
                original = space.get(name, getattr(builtins, name, None))
                if original is not None and not hasattr(original, "__wrapped__"):
                    patches.item(space, name, recorded(original))
            for cls, name in wrapped_methods:
                patches.attribute(cls, name, recorded_method(cls, name))
            for name in FACTORIES:
                made = recorded(getattr(torch_module(), name), wrapped=False)
                patches.item(vars(torch_module()), name, made)
            homes = forward_homes(self.root)
            for space in homes:
                for name in space.get(WHOLE, ()):
                    patches.item(space, name, recorded(space[name]))
            spaces = [*map(vars, self._autowrap_modules), *homes]
            if isinstance(fn, FunctionType):
                spaces.append(fn.__globals__)
            for space in spaces:
                for name, value in list(space.items()):
                    if not name.startswith("_") and id(value) in self._autowrap_ids:
                        patches.item(space, name, recorded(value))
            yield


def forward_homes(root: Module) -> list[dict[str, Any]]:
    """The dictionaries of the modules of Python in which the forwards of `root` stand, but for
    those of torch.nn."""
    found = {}
    for kind in dict.fromkeys(type(m) for m in root.modules()):
        space = getattr(kind.forward, "__globals__", {})
        if not torch_names.shown(space.get("__name__", "torch.nn")).startswith("torch.nn"):
            found[id(space)] = space
    return list(found.values())


def flat(fn: Any) -> Callable[..., Any]:
    """A function with * and keyword parameters that takes all of them by place: those that a graph
    has as one input each, of which nobody asks how many there are."""
    code: CodeType = fn.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    extra = bin(code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)).count("1")
    count = code.co_argcount + code.co_kwonlyargcount + extra
    plain = code.replace(
        co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags
    )
    return FunctionType(plain, fn.__globals__, fn.__name__, None, fn.__closure__)


def symbolic_trace(
    root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """The GraphModule of what a module or a function does with its inputs.

    >>> traced = symbolic_trace(lambda x: x + 1)
    >>> print(traced.code.strip())
    def forward(self, x):
        add = x + 1;  x = None
        return add
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


class ProxyableClassMeta(type):
    """The class of classes whose instances may be made of proxies inside a traced program: calls of
    the class are nodes.

    >>> import rushlight.fx as fx
    >>> class Pair(metaclass=fx.ProxyableClassMeta):
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> def f(x):
    ...     return Pair(x, x + 1).b
    >>> [node.op for node in fx.symbolic_trace(f).graph.nodes]
    ['placeholder', 'call_function', 'call_function', 'call_function', 'output']
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        tracer = tracer_of(args, kwargs)
        if tracer is not None:
            return tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)

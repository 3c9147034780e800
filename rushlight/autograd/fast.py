"""Short cuts of the door for the operators of everyday small tensors.

`binary(op)` and `unary(op)` build the method behind `a + b` or `a.exp()`: exact types, equal
dtypes, one
NumPy ufunc, one Tensor, one Node. Everything else goes to `door.apply`, which gives the same
result.
When a watcher stands at the door these methods are swapped for the plain ones (`door.on_watch`).
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType
from typing import Any

import numpy as np

from ..kernels.fused import BARE, least_for
from . import door
from .node import LEAF, Cut, TensorBase, tick, user_line

ndarray = np.ndarray
F32, F64, I64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
NUMBERS = (int, float, complex, bool)
ENDLESS = sys.maxsize  # elements from which on an operator without a kernel goes to the door


def operand(op: Any, b: Any) -> Any:
    """The other operand as the door takes it; NotImplemented when it is none of ours."""
    if isinstance(b, TensorBase) or b.__class__ in NUMBERS:
        return b
    if isinstance(b, (np.generic, ndarray)):
        if b.ndim == 0:
            return b.item()
        return NotImplemented
    if isinstance(b, NUMBERS):
        return b.__class__.__mro__[-2](b) if not isinstance(b, (bool, int)) else int(b)
    return NotImplemented


def plain_binary(op: Any, swap: bool = False) -> Any:
    """The operator through the door, for every kind of operand."""

    def method(a: Any, b: Any) -> Any:
        b = operand(op, b)
        if b is NotImplemented:
            return b
        return op.call((b, a) if swap else (a, b), {})

    return method


def binary(op: Any, ufunc: Any, integers: bool, names: tuple[type, ...]) -> Any:
    """The method for `a OP b`: short for float (and int64) tensors of one type, else
    `plain_binary`.

    `names` are the classes whose instances take the short way (Tensor, Parameter).
    """
    tensor_class, parameter_class = names
    plain = plain_binary(op)
    node_class = op.plain_node
    save_y = op.keep_y
    a_for_a, a_for_b = op.keeps(0, 2)[1], op.keeps(1, 2)[1]
    b_for_a, b_for_b = op.keeps(0, 2)[2], op.keeps(1, 2)[2]
    new, getframe, state, refresh = object.__new__, sys._getframe, door.state, door.refresh
    simple = not (save_y or a_for_a or a_for_b or b_for_a or b_for_b)
    large = least_for(op.name, True) if op.name in BARE else ENDLESS

    seen: list[Any] = [None]  # the code that called last: most likely the user's again

    def method(a: Any, b: Any) -> Any:
        kind = type(b)
        x = a._a
        dtype = x.dtype
        if x.size >= large:  # the door chooses a kernel
            return plain(a, b)
        if kind is tensor_class or kind is parameter_class:
            y = b._a
            if dtype is not y.dtype or not (
                dtype is F32 or dtype is F64 or (integers and dtype is I64)
            ):
                return plain(a, b)
            if b._v is not None and b._v.seen != b._vc.count:
                refresh(b)
            fb = b._fn
            xb = b._x
        elif (kind is float or kind is int) and (dtype is F32 or dtype is F64):
            y = b
            fb = xb = None
        else:
            return plain(a, b)
        try:
            r = ufunc(x, y)
        except (ValueError, TypeError, MemoryError):
            return plain(a, b)  # says what is wrong
        if r.__class__ is not ndarray:
            if r.__class__ is door.MetaArray:
                return plain(a, b)
            r = np.asarray(r)
        t: Any = new(tensor_class)
        t._a = r
        t._vc = t._v = None
        if a._v is not None and a._v.seen != a._vc.count:
            refresh(a)
        fa = a._fn
        if fa is None and fb is None:
            t._fn = None
            t._x = None if a._x is None and xb is None else door.cut_of(a._x, xb)
            return t
        if not state.enabled:
            t._fn = None
            t._x = Cut("inference_mode" if state.inference else "no_grad")
            return t
        t._x = None
        node = new(node_class)
        node.edges = (a if fa is LEAF else fa, b if fb is LEAF else fb)
        if simple:
            node.saved = ()
        else:
            if fb is None:
                keep_a, keep_b = a_for_a, b_for_a
            elif fa is None:
                keep_a, keep_b = a_for_b, b_for_b
            else:
                keep_a, keep_b = a_for_a or a_for_b, b_for_a or b_for_b
            node.saved = (r if save_y else None, a if keep_a else None, b if keep_b else None)
        node.seq = tick()
        node.shape = r.shape
        node.dtype = dtype
        node.x = None
        frame = getframe(1)
        code = frame.f_code
        if code is seen[0] or is_user(frame, seen):
            node.code = code
            node.lasti = frame.f_lasti
        else:
            node.code, node.lasti = user_line()
        t._fn = node
        return t

    return own_copy(method)


def own_copy(fn: Any) -> Any:
    """The function again, with a code object of its own.

    Python keeps what it learns about attribute reads with the code. Functions made by one factory
    share it, so operators that make nodes of different classes would spoil it for each other
    (a chain of products and sums took 5 % longer).
    """
    again = FunctionType(
        fn.__code__.replace(), fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__
    )
    again.__doc__ = fn.__doc__
    return again


def is_user(frame: Any, seen: list[Any]) -> bool:
    """Whether a frame is outside this package; if so its code is remembered."""
    name = frame.f_globals.get("__name__", "")
    if name == "rushlight" or name.startswith("rushlight."):
        return False
    seen[0] = frame.f_code
    return True


def unary(op: Any, ufunc: Any, names: tuple[type, ...]) -> Any:
    """The method for `a.exp()` and its like: short for float32 and float64 tensors."""
    tensor_class, _ = names
    node_class = op.plain_node
    save_y, save_a = op.keeps(0, 1)
    new, state, refresh = object.__new__, door.state, door.refresh
    large = least_for(op.name, True) if op.kind == "elementwise" else ENDLESS

    def method(a: Any) -> Any:
        x = a._a
        dtype = x.dtype
        if x.__class__ is not ndarray or not (dtype is F32 or dtype is F64) or x.size >= large:
            return op.call((a,), {})
        r = ufunc(x)
        t: Any = new(tensor_class)
        t._a = r if r.__class__ is ndarray else np.asarray(r)
        t._vc = t._v = t._x = None
        if a._v is not None and a._v.seen != a._vc.count:
            refresh(a)
        fn = a._fn
        if fn is None:
            t._fn = None
            if a._x is not None:
                t._x = door.cut_of(a._x)
            return t
        if not state.enabled:
            t._fn = None
            t._x = Cut("inference_mode" if state.inference else "no_grad")
            return t
        node = new(node_class)
        node.edges = (a if fn is LEAF else fn,)
        node.saved = (t._a if save_y else None, a if save_a else None) if save_y or save_a else ()
        node.seq = tick()
        node.shape = t._a.shape
        node.dtype = dtype
        node.x = None
        node.code, node.lasti = user_line()
        t._fn = node
        return t

    return own_copy(method)


def whole(op: Any, plain: Any, names: tuple[type, ...]) -> Any:
    """The method for `a.sum()`: `op` when it is called without arguments, else `plain`."""
    add_up: Any = np.add.reduce
    short = unary(op, lambda x: add_up(x, axis=None, out=...), names)

    @functools.wraps(plain)
    def method(a: Any, *args: Any, **kw: Any) -> Any:
        return plain(a, *args, **kw) if args or kw else short(a)

    return method


def unary_plain(op: Any) -> Any:
    def method(a: Any) -> Any:
        return op.call((a,), {})

    return method


def run_pass(self: Any, g: Any, tensors: bool, wanted: Any = None) -> Any:
    """`OpNode.run` of an operation that hands its gradient to both operands as it is."""
    return (g, g)


def run_two(self: Any, g: Any, tensors: bool, wanted: Any = None) -> Any:
    """`OpNode.run` of an operation of two operands whose rules have no parameters."""
    saved = self.saved
    first, second = self.edges
    rule_a, rule_b = self.rules
    if not saved:
        if wanted is not None:
            first, second = first if wanted[0] else None, second if wanted[1] else None
        return (
            None if first is None else rule_a(g, None, None, None),
            None if second is None else rule_b(g, None, None, None),
        )
    if tensors or wanted is not None or saved.__class__ is not tuple:
        return door.OpNode.run(self, g, tensors, wanted)
    y, a, b = saved
    if y is not None and self.x is not None:  # there may be version cells of the output
        return door.OpNode.run(self, g, tensors, wanted)
    if a is not None and a.__class__ is not float:
        if a.__class__ is not plain_tensor and a.__class__ is not plain_parameter:
            return door.OpNode.run(self, g, tensors, wanted)
        if a._vc is not None and a._vc.stamp > self.seq:
            raise door.inplace_error(self, a._a.shape, a._vc)
        a = a._a
    if b is not None and b.__class__ is not float:
        if b.__class__ is not plain_tensor and b.__class__ is not plain_parameter:
            return door.OpNode.run(self, g, tensors, wanted)
        if b._vc is not None and b._vc.stamp > self.seq:
            raise door.inplace_error(self, b._a.shape, b._vc)
        b = b._a
    return (
        None if first is None else rule_a(g, y, a, b),
        None if second is None else rule_b(g, y, a, b),
    )


plain_tensor: Any = None  # Tensor and Parameter, for quick tests; set by `take_classes`
plain_parameter: Any = None


def take_classes(tensor_class: type, parameter_class: type) -> None:
    """Say which classes take the short ways."""
    global plain_tensor, plain_parameter
    plain_tensor, plain_parameter = tensor_class, parameter_class


swapped: dict[str, tuple[Any, Any]] = {}  # methods with a short cut: name -> (short, plain)


def swap(cls: Any, watched: bool) -> None:
    """Put the plain operators in place while a watcher stands at the door."""
    for name, (short, plain) in swapped.items():
        setattr(cls, name, plain if watched else short)


def slow_operators(cls: Any) -> None:
    """Tensor subclasses take the plain operators, which honour `__torch_function__`."""
    for name, (_, plain) in swapped.items():
        if name not in cls.__dict__:
            setattr(cls, name, plain)

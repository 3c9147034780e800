"""The door, written out for one operation: functions of its own text, pruned by what a record says.

`door.general` serves every operation and every kind of operand, so it loops over operands and asks
the record many things. Most calls are of one sort: plain tensors of one type. For these, `core(op)`
and `entry(op)` make a function of the same text (`call_text.py`). `core` takes (parameters,
*tensors) and stands behind `door.apply`, `entry` has the record's public signature, and `call` is
what composites call. Whatever is not of that sort goes the long way, `general` itself.

Nothing here is tested for watchers: while somebody watches or observes, the set `plain` of classes
that take the short way is empty. The text is made when an operation is first called, and operations
of one structure share its compiled form; each has a code object of its own (see decision 0009).
"""

from __future__ import annotations

import functools
import inspect
import linecache
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any
from zlib import crc32

import numpy as np

from ..errors import message
from ..kernels.elementwise import select as elementwise
from ..kernels.runtime import few, texts
from . import (
    call_text,
    change_text,
    changes,
    door,
    in_place,
    lines,
    op_node,
    pruning,
    run_text,
    views,
    watch,
)
from . import node as nodes
from .node import LEAF, Out, TensorBase, cut_at, tick
from .views import cell

EMPTY = inspect.Parameter.empty
I64, BOOL = np.dtype(np.int64), np.dtype(bool)
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
NUMBERS = frozenset((bool, int, float, complex))
plain: set[Any] = set()  # Tensor and Parameter; empty while a watcher stands at the door
# The long way says what is wrong.
REFUSED = (ValueError, TypeError, MemoryError, OverflowError, IndexError)
# A function that stands for more than its record refuses what the record does not take.
REFUSED_BY_PART = (*REFUSED, RuntimeError)


def take_classes(*classes: type) -> None:
    """Say which classes take the short ways."""
    plain.update(classes)
    watch.on_general.append(lambda on: plain.clear() if on else plain.update(classes))


# -- from text to functions ----------------------------------------------------------------------

_PACKAGE = __name__.partition(".")[0]  # (the drop-in gives modules other names later)
_spaces: list[dict[str, Any]] = []  # kept: `lines.user_line` knows this package's by their ids


def code_of(source: str) -> CodeType:
    """The code object of a function's text: compiled once, copied for each operation."""
    # Tracebacks and `inspect` show these lines; the file's name is this package's, so that nobody
    # takes them for the user's.
    file = f"{__file__}<{crc32(source.encode()):08x}>"
    if file not in linecache.cache:
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    found = texts.code_of(source, file)
    # A copy, for Python's inline caches lie in it: products and sums would spoil each other's.
    return found.replace()


def new_space(**more: Any) -> dict[str, Any]:
    """Global names for a function: this module's own, as far as other code can see."""
    space: dict[str, Any] = {
        "__name__": __name__, "__package__": _PACKAGE, "__builtins__": __builtins__, **more
    }  # fmt: skip
    _spaces.append(space)
    return space


def renew() -> None:
    """Let the functions that are there make their objects by machine code, too, and find lines."""
    door._new = views._new = few.new
    for space in _spaces:
        now_there = {
            "_new": few.new, "_line_from": lines.line_from, "_made": nodes.made,
            "_linked": views.linked, "_opened": op_node.opened,
        }  # fmt: skip
        for name, now in now_there.items():
            if name in space:
                space[name] = now


few.when_loaded(renew)


def fill(space: dict[str, Any], op: Any) -> dict[str, Any]:
    """Put in what an operation's functions are written with."""
    names = {
        "_F32": door.F32,
        "_F64": door.F64,
        "_I64": I64,
        "_BOOL": BOOL,
        "_others": (I64, BOOL),
        "_accepted": None if op.accepts is None else op.accepts.numpy,
        "_plain": plain,
        "_static": op_node.STATIC,
        **op.signature.usual(),
        "_sequences": (tuple, list),
        "_missing": MISSING,
        "_refused": REFUSED,
        "_float": float,
        "_int": int,
        "_tuple": tuple,
        "_ndarray": np.ndarray,
        "_asarray": door.as_array if op.view else np.asarray,  # of a view that is unresolved
        "_new": few.new,
        "_Tensor": door.Tensor,
        "_LEAF": LEAF,
        "_cut_at": cut_at,
        "_cut_of": door.cut_of,
        "_born": door.born,
        "_born_here": door.born_here,
        "_result_cut": door.result_cut,
        "_refuse_inference": door.refuse_inference,
        "_apart": door.apart,
        "_quiet": door.quiet,
        "_quiet_view": door.quiet_view,
        "_why": f"{op.name}, which has no derivative",
        "_state": door.state,
        "_tick": tick,
        "_getframe": sys._getframe,
        "_line_from": lines.line_from,
        "_made": nodes.made,
        "_seen": [None],
        "_refresh": door.refresh,
        "_linked": views.linked,
        "_cell": cell,
        "_Out": Out,
        "_noted": door.noted,
        "_own": door.own,
        "_finish": door.finish,
        "_general": door.general_in_rows if op.numerics.rows else door.general,
        "_several": door.several,
        "_views_of": door.views_of,
        "_kept_outputs": door.kept_outputs,
        "_shapes": door.shapes,
        "_types": door.types,
        "_attached": door.attached,
        "_alone": door.alone,
        "_given": given,
        "_op": op,
        "_fn": op.fn,
        "_formula": op.ufunc if call_text.bare(op) else op.formula,
        "_least": op.fn.planned.least() if op.kind == "elementwise" else 0,
        "_check": op.check,
        "_defaults": op.defaults,
        "_node": None,
        **{f"_default_{n}": MISSING if v is EMPTY else v for n, v in op.defaults.items()},
    }

    if op.into is not None:
        names |= {
            "_into": op.into,
            "_perform": door.bare_perform,
            "_share": np.may_share_memory,
            "_watchers": changes.change_watchers,
            "_stored": elementwise.write,
            "_lies_well": in_place.lies_well,
            "_recorded": in_place.recorded,
            "_in_place": in_place,
        }

    def first() -> type:
        """The class of the nodes, once a first one is needed."""
        node: type = op.plain_node
        space["_node"] = node
        return node

    space.update(names, _first=first)
    return space


def given(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands without those that were left out."""
    while inputs and inputs[-1] is MISSING:
        inputs = inputs[:-1]
    return inputs


def function(source: str, space: dict[str, Any], name: str) -> Any:
    """A function of a text, with the defaults that the text gives."""
    made: Any = FunctionType(code_of(source), space, name)
    made.__defaults__ = defaults_of(source, space)
    return made


def defaults_of(source: str, space: dict[str, Any]) -> tuple[Any, ...]:
    """The values of a signature's defaults, which are names."""
    signature = source[source.index("(") + 1 : source.index("):\n")]
    values = [part.partition("=")[2] for part in signature.split(", ") if "=" in part]
    return tuple([None if v == "None" else space[v] for v in values])


def run(
    op: Any,
    rules: tuple[Any, ...],
    rule_kw: Any,
    otherwise: Callable[..., Any] = op_node.OpNode.run,
) -> Callable[..., Any] | None:
    """`run` of an operation's nodes, `otherwise` for what it does not take; None where this is
    wanted for all."""
    if not call_text.suits(op):
        return None
    space = new_space(
        _run=otherwise,
        _opened=op_node.opened,
        _tuple=tuple,
        _static=op_node.STATIC,
        _ndarray=np.ndarray,
        _Tensor=door.Tensor,
        _Parameter=door.Parameter,
        **{f"_rule{i}": rule for i, rule in enumerate(rules)},
    )
    return function(run_text.run_text(op, rule_kw), space, "run")


def core(op: Any) -> Callable[..., Any]:
    """`core(parameters, *tensors)` of an operation, plain or written out."""
    if call_text.suits(op):
        return function(call_text.core_text(op), fill(new_space(), op), op.name)
    source = call_text.general_text(op)
    words = {name: getattr(door, name) for name in pruning.WORDS}
    words |= {"_op": op, "_new": few.new, "_ndarray": np.ndarray, "_Tensor": door.Tensor}
    made = function(source, new_space(_asarray=door.as_array, **words), op.name)
    if not call_text.spreads(op):
        return made

    def of_number(n: int) -> Callable[..., Any]:
        source = call_text.core_text(call_text.Spread(op, n))
        return function(source, fill(new_space(), op), op.name)

    return spread(of_number, made)


def call(op: Any, plain_way: Callable[..., Any]) -> Callable[..., Any]:
    """`call(inputs, parameters)` of an operation; `plain_way` takes all calls."""
    if not (op.unchecked and call_text.suits(op)):
        return plain_way
    space = fill(new_space(_slow=plain_way), op)
    made: Callable[..., Any] = function(call_text.called_text(op), space, op.name)
    return made


def first(
    op: Any, plain_way: Callable[..., Any], hands_on: bool = False
) -> Callable[..., Any]:
    """`first(inputs, parameters)` of an operation with several outputs, or with `hands_on`
    `first_and_others`; `plain_way` takes all calls."""
    if not (op.unchecked and call_text.suits(op) and op.differentiable == (0,)):
        return plain_way
    space = fill(new_space(_slow=plain_way), op)

    def first_node() -> type:
        node: type = op.first_node
        space["_node"] = node
        return node

    space["_first"] = first_node
    made: Callable[..., Any] = function(
        call_text.called_text(call_text.First(op, hands_on)), space, op.name
    )
    return made


def spread(of_number: Callable[[int], Any], every: Callable[..., Any]) -> Callable[..., Any]:
    """A function of any number of tensors, written out for each small number when it first comes;
    `every` takes any."""
    by_number: dict[int, Callable[..., Any]] = {}

    def found(n: int) -> Callable[..., Any]:
        made = by_number[n] = of_number(n) if 1 <= n <= call_text.MOST_SPREAD else every
        return made

    def call(kw: dict[str, Any], *inputs: Any) -> Any:
        n = len(inputs)
        return (by_number.get(n) or found(n))(kw, *inputs)

    return call


def entry(
    op: Any,
    plain_way: Callable[..., Any],
    attempt: Callable[..., Any] | None = None,
    whole: bool = True,
    common: Any = None,
) -> Callable[..., Any]:
    """The public function of an operation; `plain_way(*args, **kw)` takes all calls.

    With `attempt` the short way is for calls that this computes, which answers None to others; with
    `common` for operands and parameters of which it is true. `whole` unless `plain_way` is more
    than the operation, which may then refuse what that one takes.

    It writes itself when it is first called: importing the package compiles nothing.
    """
    sequence = op.variadic and not (op.check or op.view or op.promote != "common")
    if not (sequence or call_text.suits(op)) or op.outputs != 1 or op.return_type is not None:
        return plain_way
    if op.varargs and len(op.defaults) != 1:
        return plain_way

    def together(tensors: Any, *more: Any) -> Any:
        """The call of a sequence as it was made, the plain way."""
        *statics, rest, kw = more
        if isinstance(tensors, TensorBase):
            raise TypeError(
                message(
                    f"{op.name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                    "Tensor",
                    wanted="a tuple or list of tensors",
                    hint=f"torch.{op.name}((a, b), ...)",
                )
            )
        args = [] if tensors is MISSING else [tensors]
        for (name, default), value in zip(op.defaults.items(), statics, strict=True):
            if rest:
                args.append(value)
            elif value is not default and value is not MISSING:
                kw[name] = value
        return plain_way(*args, *rest, **kw)

    def write() -> Any:
        if sequence:
            source = call_text.sequence_text(op)
        else:
            source = call_text.entry_text(op, attempt is not None, common is not None)
        # in this order: a thread that finds the new code finds all its names
        fill(space, op)
        space["_common"] = common
        if attempt is not None:
            space["_fn"] = attempt
        if not whole:
            space["_refused"] = REFUSED_BY_PART
        public.__defaults__ = defaults_of(source, space)
        public.__code__ = code_of(source)
        return public

    slow = together if sequence else as_called(op, plain_way)
    space = new_space(_write=write, _slow=slow)
    public: Any = FunctionType(code_of(UNWRITTEN), space, op.name)
    return functools.update_wrapper(public, plain_way)


def as_called(op: Any, plain_way: Callable[..., Any]) -> Callable[..., Any]:
    """What takes a call's operands and parameters, and makes it the plain way as it was made."""
    bare = not op.defaults and all(d is EMPTY for d in op.input_defaults)

    def slow(inputs: Any, statics: Any, rest: Any, kw: Any) -> Any:
        if bare and inputs[0] is not MISSING and inputs[-1] is not MISSING and len(inputs) < 3:
            return plain_way(*inputs, *rest, **kw)
        if rest and statics:  # too many: the plain way says so
            return plain_way(*inputs, *statics, *rest, **kw)
        if op.signature.numbers_first and any(a.__class__ in NUMBERS for a in inputs):
            usual = op.defaults.values()  # factors in front of the tensors: `Signature.bind` sorts
            more = [s for s, d in zip(statics, usual, strict=False) if s is not d]
            return plain_way(*inputs, *(a for a in more if a is not MISSING), **kw)
        args = []
        skipped = False
        for name, value, default in zip(op.inputs, inputs, op.input_defaults, strict=True):
            if value is MISSING or (value is None and default is None):
                skipped = True
            elif skipped:
                kw[name] = value
            else:
                args.append(value)
        for (name, default), value in zip(op.defaults.items(), statics, strict=False):
            if value is not default and value is not MISSING:
                kw[name] = value
        return plain_way(*args, *rest, **kw)

    return slow


def change(op: Any) -> Callable[..., Any]:
    """`change(parameters, *tensors)` of an operation: in place, plain or written out."""

    def long(kw: dict[str, Any], *inputs: Any) -> Any:
        return in_place.otherwise(op, inputs, kw)

    def written_for(operands: Any) -> Callable[..., Any]:
        space = fill(new_space(), op)
        space["_refused"] = in_place.REFUSED
        return function(change_text.core_text(operands), space, op.name + "_")

    if op.into is None:
        return long
    if op.variadic:
        return spread(lambda n: written_for(call_text.Spread(op, n)), long)
    return written_for(op) if call_text.suits(op) else long


def inplace(
    op: Any, plain_way: Callable[..., Any], named: bool = False, common: Any = None
) -> Callable[..., Any]:
    """The method `name_` of an operation; `plain_way(*args, **kw)` takes all calls. With `named`
    the short way is for parameters that are given by name alone, with `common` for operands and
    parameters of which it is true."""
    if op.into is None or not call_text.suits(op) or op.varargs:
        return plain_way

    def write() -> Any:
        source = change_text.method_text(op, named, common is not None)
        fill(space, op)
        space["_refused"], space["_common"] = in_place.REFUSED, common
        public.__defaults__ = defaults_of(source, space)
        public.__code__ = code_of(source)
        return public

    space = new_space(_write=write, _slow=as_called(op, plain_way))
    public: Any = FunctionType(code_of(UNWRITTEN), space, op.name + "_")
    return functools.update_wrapper(public, plain_way)


def method(op: Any, plain_way: Callable[..., Any], swap: bool = False) -> Callable[..., Any]:
    """A method or operator of an operation without parameters, as `entry` makes functions."""
    return late(op, plain_way, lambda: call_text.method_text(op, swap))


def item(op: Any, part: Any, plain_way: Callable[..., Any]) -> Callable[..., Any]:
    """`__getitem__`, with the way of `select` (`op`) for numbers and that of `slice` (`part`) for
    slices; `plain_way(t, key)` takes all keys."""
    slices = late(part, plain_way, lambda: call_text.slice_text(part), REFUSED_BY_PART)
    made = late(op, slices, lambda: call_text.item_text(op), REFUSED_BY_PART)
    return functools.update_wrapper(made, plain_way)


def late(
    op: Any, plain_way: Callable[..., Any], text: Callable[[], str], refused: Any = REFUSED
) -> Callable[..., Any]:
    """A function whose text is written when it is first called."""

    def write() -> Any:
        fill(space, op)
        space["_refused"] = refused
        public.__code__ = code_of(text())
        return public

    space = new_space(_write=write, _slow=plain_way)
    public: Any = FunctionType(code_of(UNWRITTEN), space, op.name)
    return functools.update_wrapper(public, plain_way)


def ordered(op: Any, plain_way: Callable[..., Any], order: tuple[str, ...]) -> Callable[..., Any]:
    """The public function of an operation, for calls of its operands and parameters in this order;
    `plain_way(*args, **kw)` takes all calls, and more parameters."""
    assert {*order} == {*op.inputs, *op.defaults}, (op.name, order)
    return late(op, plain_way, lambda: call_text.ordered_text(op, order), REFUSED_BY_PART)


UNWRITTEN = "def call(*args, **kw):\n    return _write()(*args, **kw)\n"

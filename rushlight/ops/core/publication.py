"""The fourth part of a record: the names under which an op is published, and PyTorch's adapters.

A record or a composite says in which namespaces it stands (`public`), under which further names
(`aliases`), whether there is a form that ends in an underscore (`inplace`) and in which named tuple
several results come (`return_type`). From that come functions, methods and in-place forms;
`rushlight/publish.py` puts them in their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import dtypes
from ...array_memory import strided_view
from ...autograd import changes, door, operators, overlaps, specialize, views
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray, UnresolvedArray
from . import described, overrides
from .types import Public

if TYPE_CHECKING:
    from .record import Op

ndarray = np.ndarray
NUMBERS = (int, float, complex, bool)
SEQUENCES = (list, tuple)


class Publication:
    """Where an op can be found.

    Attributes:
        spaces: namespaces ("torch", "Tensor", "nn.functional", "linalg", ...); none when private.
        aliases: further names; one with dots ("special.psi") stands in that namespace alone.
        inplace: there is an in-place form, `name_`; "method" where it is one of Tensor alone.
        switch: in `nn.functional` it takes `inplace=`, which writes the result into the operand.
        prepare: looks at the parameters of a call there, (input, **parameters) -> parameters.
        one_way: (**parameters) -> why backward cannot go through the in-place form there, or None.
        operator: which of Python's operators it is, "add" for `__add__`.
        return_type: the class of named tuple in which several results come.
        doc: the documentation.
        out_of_truths: `out=` must be a tensor of bools; with "or bytes", of bools or uint8.
    """

    def __init__(
        self,
        spaces: tuple[str, ...] = ("torch", "Tensor"),
        aliases: tuple[str, ...] = (),
        inplace: bool | str = False,
        switch: bool = False,
        prepare: Callable[..., dict[str, Any]] | None = None,
        one_way: Callable[..., str | None] | None = None,
        operator: str | None = None,
        return_type: Callable[[Any], Any] | None = None,
        doc: str | None = None,
        out_of_truths: bool | str = False,
    ) -> None:
        self.spaces = spaces
        self.aliases = aliases
        self.inplace = inplace
        self.switch = switch
        self.prepare = prepare
        self.one_way = one_way
        self.operator = operator
        self.return_type = return_type
        self.doc = doc
        self.out_of_truths = out_of_truths

    def names(self, name: str, dotted: bool = True) -> tuple[str, ...]:
        """All names: the op's own first; with or without those for one namespace alone."""
        return (name, *(a for a in self.aliases if dotted or "." not in a))


def public_function(op: Op, method: bool = False) -> Public:
    """PyTorch's function of a record: signature checks, `out=`. A second one is the method: the
    same without `out=`, and `__torch_function__` is told which of them was called."""
    n, bare, variadic = len(op.inputs), op.bare, op.variadic
    own_out = "out" in op.defaults  # a size: of windows, say
    made: Any = None

    def public(*args: Any, **kw: Any) -> Any:
        out = kw.pop("out", None) if kw and not own_out else None
        if out is not None and method:
            raise TypeError(f"{op.name}() got an unexpected keyword argument 'out'")
        if variadic and not kw and len(args) == 1 and args[0].__class__ in SEQUENCES:
            inputs = tuple(args[0])
        elif kw or len(args) != n or not bare:
            inputs, kw = op.bind(args, kw)
        else:
            inputs = args
        if op.numbers is not None:
            refuse_numbers(op, inputs)
        if out is None:
            try:
                return op.call(inputs, kw, made)
            except AttributeError as error:
                overrides.refuse_others(op.name, op.inputs, inputs, kw, error)
                raise
        if op.apart is not None:
            overlaps.refuse(op.name, out, inputs, op.apart == "wholly")
        try:
            result = op.call(inputs, kw, made)
        except (IndexError, RuntimeError) as error:
            if op.rules is not None:
                refuse_tracked(op.name, inputs, out)  # what PyTorch says first
            refused = isinstance(error, NotImplementedError) and op.name in REAL_FIRST
            if op.numerics.exact_out is True and not refused:
                refuse_other_type(op.name, out, inputs[0])
            raise
        if op.publication.out_of_truths and isinstance(out, TensorBase):
            result = as_truths(op, out, result)
        if op.numerics.exact_out:
            refuse_other_type(op.name, out, result, op.numerics.exact_out)
        if op.apart == "partly":
            keep_operand(op.name, out, inputs, result)
        return write_out(op.name, out, result)

    made = specialize.entry(op, dress(public, op))
    return made


def as_truths(op: Op, out: TensorBase, result: Any) -> Any:
    """Truths in the type of `out=`: bool, or uint8 where older programs have that."""
    if out._a.dtype.kind == "b":
        return result.bool()
    if op.publication.out_of_truths != "or bytes":
        raise RuntimeError(f"{op.name} does not support non-boolean outputs.")
    if out._a.dtype != np.uint8:
        got = type_name(dtypes.from_numpy(out._a.dtype))
        raise RuntimeError(f"{op.name} only supports bool tensor for result, got: {got}")
    return result.byte()


def refuse_numbers(op: Op, inputs: tuple[Any, ...]) -> None:
    """TypeError for a number where the record takes tensors alone."""
    for i, t in enumerate(inputs):
        if (t.__class__ in NUMBERS and i not in op.numbers) or (t is None and op.variadic):  # type: ignore[operator]
            raise op.not_a_tensor(i, t)


def inplace_function(op: Op) -> Public:
    """`Tensor.name_` of a record."""
    n, bare, known = len(op.inputs), op.bare, overrides.known
    prepare, one_way = op.publication.prepare, op.publication.one_way
    made: Any = None

    def public(*args: Any, **kw: Any) -> Any:
        if kw or len(args) != n or not bare:
            inputs, kw = op.bind(args, kw, op.name + "_")
        else:
            inputs = args
        for t in inputs:
            if t.__class__ not in known and overrides.enabled():
                relevant = overrides.relevant_args(inputs, {})
                if relevant:
                    return overrides.dispatch(made, args, kw, relevant)
                break
        if op.numbers is not None:
            refuse_numbers(op, inputs)
        try:
            if op.check is not None:
                op.check(*inputs)
            if prepare is not None:
                kw = prepare(*inputs, **kw)
            y = changes.apply_inplace(op, inputs[0], inputs[1:], kw)
        except AttributeError as error:
            overrides.refuse_others(op.name + "_", op.inputs, inputs, kw, error)
            raise
        if one_way is not None:
            forbid_backward(y, one_way(**kw))
        return y

    dress(public, op)
    public.__name__ = op.name + "_"
    method = "Tensor" in op.publication.spaces
    public.__doc__ = described.inplace_doc(op.__doc__, op.name, method)
    # what is prepared of no parameters suits floating types always
    usual = (prepare is None or not op.defaults) and one_way is None
    made = specialize.inplace(op, public) if usual else public
    return made


def forbid_backward(y: Any, why: str | None) -> None:
    """Let backward raise RuntimeError at the node that made `y`."""
    if why is None or y._fn is None or not door.state.enabled:
        return

    def refuse(_grads: Any) -> None:
        raise RuntimeError(message(why, hint="the out-of-place form"))

    y.grad_fn.register_prehook(refuse)


def functional_function(op: Op) -> Public:
    """`nn.functional.name` of a record: the public function with its `inplace=` (after the
    parameters) and with what `prepare` makes of the parameters."""
    plain, known, switch = op.public_function(), len(op.defaults), op.publication.switch
    prepare = op.publication.prepare
    ordinary = overrides.ordinary
    floats = [n for n, v in op.defaults.items() if v.__class__ is float]
    alone = switch and not known and prepare is None and op.publication.one_way is None

    def public(input: Any, *args: Any, **kw: Any) -> Any:
        if input.__class__ in ordinary:
            if not args:
                inplace = kw.get("inplace") if switch and len(kw) == 1 else None
                # what is given by default suits floating types always
                if (not kw or inplace is False) and (prepare is None or input.is_floating_point()):  # type: ignore[attr-defined]
                    return plain(input)
                if alone and inplace is True:
                    return changes.apply_inplace(op, input, (), {})
        elif overrides.enabled():
            relevant = overrides.relevant_args((input,), {})
            if relevant:
                return overrides.dispatch(public, (input, *args), kw, relevant)
        inplace = False
        if switch:
            inplace = kw.pop("inplace", False)
            if len(args) == known + 1:
                args, inplace = args[:known], args[known]
        _, kw = op.bind((input, *args), kw)
        for name in floats:
            if kw.get(name).__class__ is int:
                kw[name] = float(kw[name])
        if prepare is not None:
            kw = prepare(input, **kw)
        if inplace:
            changes.apply_inplace(op, input, (), kw)
            if op.publication.one_way is not None:
                forbid_backward(input, op.publication.one_way(**kw))
            return input
        return op.call((input,), kw)

    return dress(public, op)


def dress(fn: Any, op: Op) -> Public:
    """Give a derived function the record's name and docs."""
    fn.__name__ = fn.__qualname__ = op.name
    fn.__doc__ = op.__doc__
    fn.__module__ = "rushlight"
    fn.op = op
    return fn


def warn_resized(was: tuple[int, ...], now: tuple[int, ...]) -> None:
    """Say that a tensor given as `out=` has elements, and another shape than the result."""
    import warnings

    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(was)}, which "
        f"does not match the required output shape {list(now)}. This behavior is deprecated, and "
        "in a future PyTorch release outputs will not be resized unless they have zero elements. "
        "You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0).",
        UserWarning,
        stacklevel=4,
    )


def refuse_dual(name: str, out: Any, result: Any) -> None:
    """Raise where a tangent would be lost: forward mode does not go through `out=`."""
    from ...autograd.forward_ad import tangent_of

    if tangent_of(out) is not None or tangent_of(result) is not None:
        raise RuntimeError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an "
            "out= function\n  try     leave out out="
        )


def dense(t: TensorBase) -> bool:
    """Whether a tensor is an ordinary one, with an array or none."""
    return t._a.__class__ in (ndarray, MetaArray, UnresolvedArray)


def refuse_tracked(name: str, values: tuple[Any, ...], out: Any) -> None:
    """RuntimeError where backward would have to go through `out=`."""
    tensors = [t for t in (out, *values) if isinstance(t, TensorBase)]
    if door.state.enabled and any(t._fn is not None for t in tensors):
        raise RuntimeError(
            message(
                f"{name}(): functions with out=... arguments don't support automatic "
                "differentiation, but one of the arguments requires grad.",
                hint="leave out out=, or compute inside torch.no_grad()",
            )
        )


OTHER_TYPE = (
    "{name}: Expected the dtype for input and out to match, but Found dtype {have} but expected "
    "{want}"
)


def refuse_other_type(name: str, out: Any, result: Any, told: Any = True) -> None:
    """Raise for an `out=` of another type than the result's, where PyTorch converts nothing; `told`
    are its words, with {have} and {want}, where they are not the usual ones."""
    if isinstance(out, TensorBase) and out._a.dtype != result._a.dtype:
        source, into = dtypes.from_numpy(result._a.dtype), dtypes.from_numpy(out._a.dtype)
        words = told if isinstance(told, str) else OTHER_TYPE
        raise RuntimeError(
            message(
                words.format(name=name, have=type_name(into), want=type_name(source)),
                got=f"out= of type {into!r}",
                wanted=f"out= of type {source!r}, which is the result's",
                hint=f"out.copy_(torch.{name}(x)), which converts",
            )
        )


def keep_operand(name: str, out: Any, operands: Iterable[Any], result: Any) -> None:
    """RuntimeError where `out=` is an operand too and would have to be resized."""
    if isinstance(out, TensorBase) and isinstance(result, TensorBase):
        shape, whole = tuple(out._a.shape), tuple(result._a.shape)
        if shape != whole and any(t is out for t in operands):
            raise RuntimeError(
                message(
                    f"{name}: output with shape {list(shape)} doesn't match the broadcast shape "
                    f"{list(whole)}",
                    got="out= is an operand, which is not resized",
                    hint=f"torch.{name}(...) without out=",
                )
            )


# Of these PyTorch refuses complex numbers before it looks at `out=`.
REAL_FIRST = frozenset(("ceil", "floor", "sign", "trunc"))


def lie_alike(out: Any, result: Any) -> None:
    """Let what was resized lie as the result does, which it is to hold."""
    a, y = out._a, result._a
    if a.__class__ is not ndarray or y.__class__ is not ndarray or y.flags.c_contiguous:
        return
    strides = tuple([s // y.itemsize for s in y.strides])
    reach = 1 + sum(s * (n - 1) for s, n in zip(strides, y.shape, strict=True))
    if y.size and reach == y.size and min(strides) > 0:
        out._a = strided_view(a, a.shape, strides, None)
        views.resized(out, False)


def holds_alike(out: Any, result: Any) -> bool:
    """Whether `out=` is as the result is, type and shape, and nobody is to be asked or told."""
    kind = operators.plain_tensor
    if out.__class__ is not kind or result.__class__ is not kind or changes.change_watchers:
        return False
    a, y = out._a, result._a
    if a.__class__ is not ndarray or y.__class__ is not ndarray:
        return False
    if out._x is not None or out._v is not None:
        return False
    if door.state.enabled and (out._fn is not None or result._fn is not None):
        return False
    alike = a.dtype is y.dtype and a.shape == y.shape
    return alike and a.flags.carray


def write_out(name: str, out: Any, result: Any) -> Any:
    """`out=`: store a result in the given tensor(s), resizing them as PyTorch does."""
    if holds_alike(out, result):
        door.put(out._a, result._a)
        changes.all_changed((out,), name)
        return out
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of {len(result)} Tensors")
        for o, r in zip(out, result, strict=True):
            write_out(name, o, r)
        return tuple(out) if type(result) is tuple else type(result)(tuple(out))
    if isinstance(out, (tuple, list)) and len(out) == 1:
        out = out[0]
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if out._a.__class__ is ndarray and views.overlaps_itself(out._a):
        changes.check_inplace(out, name)
    if door.state.enabled and (out._fn is not None or result._fn is not None):
        refuse_tracked(name, (result,), out)
    if not dense(out) or not dense(result):
        from ...sparse import table

        return table.assign(out, result, name)
    if result._a.dtype is not out._a.dtype:
        source, into = dtypes.from_numpy(result._a.dtype), dtypes.from_numpy(out._a.dtype)
        if not dtypes.can_cast(source, into):
            raise RuntimeError(
                f"result type {type_name(source)} can't be cast to the desired output type "
                f"{type_name(into)}"
            )
    if changes.change_watchers:
        refuse_dual(name, out, result)
    for watcher in changes.change_watchers:
        watcher.before(out)
    if out._x is not None:
        changes.check_inference(out, name)
    resized = out._a.shape != result._a.shape
    if resized:
        if out._a.size:
            warn_resized(out._a.shape, result._a.shape)
        out.resize_(result._a.shape)
        lie_alike(out, result)
    if out._a.__class__ is not MetaArray:
        if not out._a.flags.writeable:
            changes.unlock(out, name)
        door.put(out._a, door.resolved(result._a))
    if not resized:
        views.cell(out).bump(name)
    return out

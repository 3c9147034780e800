"""`@composite`: a function of Tensors that is made of other ops, published like a record.

It has no kernel and no node of its own. Its adapters are those of records: `out=` and NumPy's
parameter names (`adapt=True`), the form with an underscore (`inplace=True`), methods and aliases
(`public`, `aliases`). Its samples are cases of calls, as for records; its shape comes from the ops
that it is made of, so it has no shape rule.

    @composite(adapt=True, samples=[case((3, 4), dim=1)])
    def nanmean(input, dim=None, keepdim=False, *, dtype=None): ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from ... import dtypes
from ...autograd import changes, door, overlaps, specialize, views
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from . import described, kinds, overrides
from .accepted import guarded
from .numerics import DependsOnData, depends_on_data
from .publication import Publication, keep_operand, refuse_tracked, write_out
from .samples import Samples
from .signature import NUMPY_NAMES
from .types import Public, ShapeRule

if TYPE_CHECKING:
    from .record import Op

composites: dict[str, Composite] = {}


class Composite:
    """What is published of a function of Tensors.

    Attributes:
        fn: the function, which asks subclasses among its operands first.
        samples: calls for the generated tests.
        data_dependent: the result's shape is a matter of values.
        adapted: it takes `out=` and NumPy's parameter names.
        factory: it makes or draws a tensor without passing the door.
        entry: what makes a function for common calls, which stands before one that takes all.
    """

    def __init__(
        self,
        fn: Any,
        name: str,
        publication: Publication,
        samples: Samples,
        data_dependent: bool = False,
        adapted: bool = False,
        factory: bool = False,
        entry: Callable[[Any], Any] | None = None,
    ) -> None:
        self.fn = fn
        self.entry = entry
        self.name = name
        self.publication = publication
        self.samples = samples
        self.data_dependent = data_dependent
        self.adapted = adapted
        self.factory = factory
        key = f"{publication.spaces[0] if publication.spaces else ''}.{name}"
        composites[key] = self

    def __repr__(self) -> str:
        return f"<composite {self.name}>"

    @property
    def public(self) -> tuple[str, ...]:
        """The namespaces in which it stands."""
        return self.publication.spaces

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its further names."""
        return self.publication.aliases

    def method(self) -> Any:
        """The function once more, as a method of Tensor: help, signatures and
        `__torch_function__` tell the two apart."""
        if self.entry is None:
            return without_out(copied(self.fn))
        behind = without_out(copied(self.fn.__wrapped__))
        shown = behind.published = self.entry(behind)
        return shown


def composite(
    fn: Public | None = None,
    *,
    public: str = "torch Tensor",
    aliases: str = "",
    name: str | None = None,
    adapt: bool = False,
    inplace: bool | str = False,
    dispatch: bool = True,
    data_dependent: bool = False,
    factory: bool = False,
    shape: ShapeRule | None = None,
    entry: Op | None = None,
    attempt: Callable[..., Any] | None = None,
    into: tuple[Op, ...] = (),
    common: Callable[..., bool] | None = None,
    accepts: Any = None,
    apart: str | None = None,
    words: dict[str, str] | None = None,
    loose: str = "",
    autocast: str | None = None,
    samples: Any = (),
    **about: Any,
) -> Any:
    """Publish a function of Tensors under its name.

    Returns the function itself, which handles `__torch_function__` of its tensor arguments.

    Args:
        public: the namespaces.
        aliases: further names.
        name: its name, if that is not the function's own.
        adapt: it also takes `out=` and NumPy's parameter names.
        inplace: publish `name_` too, which writes the result into the first operand; "method": of
            Tensor alone.
        dispatch: subclasses among the operands are asked first.
        data_dependent: the result's shape is a matter of values, so meta tensors raise.
        factory: it makes or draws a tensor without passing the door, so modes that stand there are
            told of it as of one operation.
        shape: shape and type of the result for meta tensors, of a function that looks into arrays
            itself; one that is made of other ops has theirs.
        entry: a record with the same operands and parameters, as which calls are made that a
            record's own public function would take; the function has the others. Where the record
            takes no number of sizes or dimensions, its parameters stand first in the function's.
        attempt: what computes such calls on arrays in place of the record, of any sizes, and gives
            None for those that the function shall have.
        into: likewise, records that common calls of a function carry out in place: each takes what
            those before it do not.
        common: with `into`, or with an `entry` that has operands alone, whether they (and the
            parameters) are such a call's, where the record would take more than the function.
        accepts: the types that the first tensor may have (`accepted.py`).
        apart: "partly" or "wholly": operands that overlap with `out=` are refused, as of a record.
        words: further names of its parameters, under which PyTorch has them in some of its
            signatures.
        loose: parameters of which nothing is asked but what the function itself asks, whatever
            kind their annotations state (`kinds.py`): PyTorch's function is written in Python, and
            asks nothing either. So are all bools and words of what stands in `nn.functional`
            alone.
        autocast: the types that operands come in under autocast ("float32", "lower"), where the
            records that it is made of do not see to it.
        samples: calls for the generated tests; other fields of `Samples` may follow.
    """
    if fn is None:
        return lambda f: composite(
            f, public=public, aliases=aliases, name=name, adapt=adapt, inplace=inplace,
            dispatch=dispatch, data_dependent=data_dependent, factory=factory, shape=shape,
            entry=entry, attempt=attempt, into=into, common=common, accepts=accepts, apart=apart,
            words=words, loose=loose, autocast=autocast, samples=samples,
            **about,
        )  # fmt: skip
    called = name or (fn.__name__ if fn.__name__.startswith("_") else fn.__name__.rstrip("_"))
    shown = adapted(fn, called, apart) if adapt else fn
    if autocast is not None:
        shown = casting(shown, autocast)
    if accepts is not None:
        shown = guarded(shown, accepts, called)
    if shape is not None or data_dependent:
        shown = stated(shown, shape, called)
    if dispatch:
        native = not adapt and {"torch", "Tensor", "linalg", "fft", "special"} & {*public.split()}
        known = {**(numpy_words(fn) if native else {}), **(words or {})}
        known_kinds = kinds.of(fn, loose.split(), public == "nn.functional")
        bare = shape is None and not data_dependent and accepts is None and autocast is None
        alone = fn if bare and adapt else None
        shown = overrides.dispatching(shown, known, known_kinds, alone, called)
    short = None
    if entry is not None:
        short = functools.partial(entry_of, entry, attempt, common)
    elif into:
        short = functools.partial(changing, into, common)
    if short is not None:
        behind, shown = shown, short(shown)
        behind.published = shown  # type: ignore[attr-defined]
    if name is not None:
        shown.__name__ = name
    spaces, others = tuple(public.split()), tuple(aliases.split())
    tried = Samples.of(samples, **about)
    publication = Publication(spaces, others, inplace, doc=fn.__doc__)
    made = Composite(shown, called, publication, tried, data_dependent, adapt, factory, short)
    shown.composite = made  # type: ignore[attr-defined]
    if short is not None:  # observers are told of a call by the function that stands behind
        behind.composite = made  # type: ignore[attr-defined]
    if inplace:
        homes = ("Tensor",) if inplace == "method" else ("torch", "Tensor")
        composite(
            inplace_of(fn, called),
            public=" ".join(s for s in spaces if s in homes),
            name=called + "_",
            aliases=" ".join(a + "_" for a in others),
            accepts=accepts,
            samples=samples,
            **about,
        )
    return shown


def is_factory(function: Any) -> bool:
    """Whether a public function is a composite that makes or draws a tensor by itself."""
    made = getattr(function, "composite", None)
    return made is not None and made.factory


def entry_of(record: Op, attempt: Any, common: Any, behind: Any) -> Any:
    """The function as which common calls are made; `behind` takes all."""
    if not (record.varargs or record.defaults):
        return specialize.entry(record, behind, whole=False, common=common)
    assert common is None, f"{record.name}: only calls of operands alone are asked"
    if record.varargs:
        return specialize.entry(record, behind, attempt, whole=False)
    inner = behind
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    n = len(record.inputs) + len(record.defaults)
    return specialize.ordered(record, behind, inner.__code__.co_varnames[:n])


def changing(records: tuple[Op, ...], common: Any, behind: Any) -> Any:
    """The same of a function that changes its operand."""
    for record in reversed(records):
        behind = specialize.inplace(record, behind, named=True, common=common)
    return behind


def attribute(fn: Any, name: str, setter: Any = None, samples: Any = (), **about: Any) -> Any:
    """Publish a function of one Tensor as a property: `x.T`."""
    shown = property(fn, setter, doc=fn.__doc__)
    Composite(shown, name, Publication(("Tensor",)), Samples.of(samples, **about))
    return fn


def copied(fn: Any) -> Any:
    """A function once more: where it speaks of itself, the copy does so of the copy."""
    cells = fn.__closure__
    made: Any = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, cells)
    if cells is not None:
        own = CellType(made)
        cells = tuple([own if c.cell_contents is fn else c for c in cells])
        made = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, cells)
        own.cell_contents = made
    made.__kwdefaults__, made.__doc__ = fn.__kwdefaults__, fn.__doc__
    made.__dict__.update(fn.__dict__)
    if made.__dict__.get("published") is fn:
        made.published = made
    return made


def without_out(fn: Any) -> Any:
    """`fn` as a method, which takes no `out=`."""
    fn.method = True
    return fn


def casting(fn: Any, policy: str) -> Any:
    """`fn`, whose operands autocast brings to a type."""

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        on = door.state.autocast
        return fn(*args, **kw) if on is None else on.call(policy, fn, args, kw)

    return shown


# -- adapters ------------------------------------------------------------------------------------


def numpy_words(fn: Any) -> dict[str, str]:
    """NumPy's names of those parameters of a function that have PyTorch's."""
    code = fn.__code__
    own = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return {w: ours for w, ours in NUMPY_NAMES.items() if w not in own and ours in own}


def adapted(fn: Any, called: str, apart: str | None = None) -> Public:
    """`fn`, which also takes `out=` and NumPy's parameter names."""
    words = numpy_words(fn)
    code = fn.__code__
    kept = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    typed = "dtype" in kept
    itself = "out" in kept  # it computes in the type of `out`, or otherwise for it

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        if not kw:
            return fn(*args)
        out = kw.get("out") if itself else kw.pop("out", None)
        if out is not None and typed and kw.get("dtype") is None:
            kinds = [t._a.dtype.kind for t in (*args[:1], out) if isinstance(t, TensorBase)]
            whole = called in ("mean", "nanmean") and not {"b", "i", "u"}.isdisjoint(kinds)
            if not whole:  # of which there is no mean
                kw["dtype"] = getattr(out, "dtype", None)  # in which PyTorch computes
        for theirs in [k for k in kw if k in words]:
            kw[words[theirs]] = kw.pop(theirs)
        if out is None:
            return fn(*args, **kw)
        if apart is not None:
            overlaps.refuse(called, out, (*args, *kw.values()), apart == "wholly")
        try:
            result = fn(*args, **kw)
        except (IndexError, RuntimeError):
            refuse_tracked(called, (*args, *kw.values()), out)
            raise
        if apart == "partly":
            keep_operand(called, out, (*args, *kw.values()), result)
        return result if itself else write_out(called, out, result)

    return shown


def stated(fn: Public, rule: ShapeRule | None, called: str) -> Public:
    """`fn`, which does not run on meta tensors: their result is stated by `rule`, or unknown."""

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        if not on_meta(args) and not (kw and on_meta(kw.values())):
            return fn(*args, **kw)
        if rule is None:
            raise DependsOnData(depends_on_data(called))
        return wrapped(rule(*args, **kw))

    return shown


def on_meta(values: Any) -> bool:
    """Whether there is a meta tensor among the values."""
    for v in values:  # noqa: SIM110 - any() of a generator takes four times as long
        if isinstance(v, TensorBase) and v._a.__class__ is MetaArray:
            return True
    return False


def wrapped(stated: Any) -> Any:
    """Tensors of what a shape rule says; named tuples stay what they are."""
    if isinstance(stated, tuple):
        return type(stated)(tuple(wrapped(part) for part in stated))
    return door.wrap(stated)


def inplace_of(fn: Any, name: str) -> Public:
    """The in-place form of a composite: compute on a copy of the old value, then write."""

    def again(input: Any, *args: Any, **kw: Any) -> Any:
        if not isinstance(input, TensorBase):
            raise TypeError(
                f"{name}_(): argument 'input' (position 1) must be Tensor, not "
                f"{type(input).__name__}"
            )
        changes.check_inplace(input, name + "_")
        old = input
        if door.state.enabled and views.needs_grad((input,)):
            old = input.clone()
        return store(input, fn(old, *args, **kw), name + "_")

    again.__name__ = name + "_"
    again.__doc__ = described.inplace_doc(fn.__doc__, name)
    again.base = fn  # type: ignore[attr-defined] # whose parameters it has
    return again


def store(target: Any, result: Any, name: str) -> Any:
    """Write a computed tensor into `target`, if its shape and category of type allow."""
    if result._a.shape != target._a.shape:
        raise RuntimeError(
            message(
                f"{name}: output with shape {list(target._a.shape)} doesn't match the broadcast "
                f"shape {list(result._a.shape)}",
                hint="the out-of-place form, which makes a new tensor",
            )
        )
    source, into = dtypes.from_numpy(result._a.dtype), dtypes.from_numpy(target._a.dtype)
    if not dtypes.can_cast(source, into):
        raise RuntimeError(
            message(
                f"result type {type_name(source)} can't be cast to the desired output type "
                f"{type_name(into)}",
                hint=f"x = x.to({source!r}) first, or the out-of-place form",
            )
        )
    return target.copy_(result)

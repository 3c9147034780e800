"""FakeTensor: shape, type, strides and device of a tensor that is not there.

    with FakeTensorMode() as mode:
        x = torch.empty(2, 3, device="cuda")   # no GPU, no memory
        y = model(x)                           # the shapes of all that a model computes

A FakeTensor is a tensor whose class computes for it (`ops/core/dispatch.py`): an operation is run
on meta tensors, and its results are said to be on the device of the operands. Numbers are not
known: `item()` and what depends on them raise.
"""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.autograd import door, outer
from rushlight.autograd.node import LEAF, TensorBase
from rushlight.device import CPU, device
from rushlight.errors import message
from rushlight.kernels.meta import MetaArray, NeedsNumbers, OuterArray
from rushlight.ops.core import dispatch, modes
from rushlight.ops.core.composite import is_factory
from rushlight.ops.core.numerics import DependsOnData
from rushlight.sparse.core import is_sparse
from rushlight.tensor import Tensor
from rushlight.tensor_dispatch import take, wrapper

__all__ = [
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "FakeTensor",
    "FakeTensorConverter",
    "FakeTensorMode",
    "MetadataMismatchError",
    "UnsupportedFakeTensorException",
    "UnsupportedOperatorException",
    "is_fake",
    "maybe_get_fake_mode",
    "unset_fake_temporarily",
]


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor of which no fake can be made."""


class MetadataMismatchError(RuntimeError):
    """Two tensors differ in what is not their numbers."""


class OfOperator(RuntimeError):
    """An operator that cannot run without numbers."""

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(OfOperator):
    """The shape of a result depends on numbers that are not known."""


class DataDependentOutputException(OfOperator):
    """A result is a number of Python's, which is not known."""


class UnsupportedOperatorException(OfOperator):
    """An operator that does not take tensors without data."""


# Operators whose result is a number of Python's.
NUMBERS = ("_local_scalar_dense", "equal", "allclose", "is_nonzero")
# What makes tensors of numbers that are given: these are known, while nobody changes them.
OF_DATA = ("tensor", "as_tensor", "asarray", "scalar_tensor", "from_numpy")


class FakeTensor(Tensor):
    """A tensor without data. Made by a FakeTensorMode, or around a meta tensor.

    Attributes:
        fake_mode: the mode that it belongs to.
        fake_device: the device that it says it is on.
        constant: a tensor of its numbers, where they are known.
    """

    fake_mode: FakeTensorMode
    fake_device: device
    constant: Any = None
    _mode_key: Any = None

    @staticmethod
    def __new__(
        cls: Any, fake_mode: Any, elem: Any, device: Any, constant: Any = None, **_more: Any
    ) -> Any:
        a = elem._a  # (attributes of a tensor are functions, of which modes are told)
        steps = [s // a.itemsize for s in a.strides]
        t = wrapper(cls, a.shape, steps, dtype=elem.dtype, device=whole_name(device))
        t.fake_mode, t.constant = fake_mode, constant
        t.fake_device = t.device
        t._require_grad(elem._fn is LEAF)
        return t

    def __init__(self, *args: Any, **kw: Any) -> None:
        """`__new__` does the work."""

    @staticmethod
    def from_tensor(t: Any, fake_mode: Any) -> Any:
        """`fake_mode.from_tensor(t)`."""
        return fake_mode.from_tensor(t)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for t in dispatch.leaves((*args, kwargs or {})):
            if isinstance(t, FakeTensor):
                return t.fake_mode.__torch_dispatch__(func, types, args, kwargs)
        return NotImplemented

    def tolist(self) -> Any:
        """The numbers, where they are known; DataDependentOutputException otherwise."""
        if self.constant is not None:
            return self.constant._a.tolist()
        return [t.tolist() for t in self.unbind()] if self.ndim else self.item()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        parts = ["...", f"size={tuple(self.shape)}"]
        if self.device != CPU:
            parts.insert(1, f"device='{self.device}'")
        if self.dtype.name != "float32":
            parts.append(f"dtype={self.dtype}")
        node = self.grad_fn
        if node is not None:
            parts.append(f"grad_fn=<{type(node).__name__}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        return f"FakeTensor({', '.join(parts)})"


def whole_name(where: Any) -> Any:
    """A device with its number: a GPU is the first unless another is named."""
    made = device(where)
    return device(made.type, 0) if made.index is None and made.type == "cuda" else made


class Made(modes.Below):
    """Tells a FakeTensorMode of what makes tensors; changes in place pass the door."""

    mode: Any

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in OF_DATA or is_factory(func):
            found = modes.operators().whole_of(func)
            with self.mode._aside():
                return self.mode.__torch_dispatch__(found, types, args, kwargs or {})
        operands = list(dispatch.leaves((*args, kwargs or {})))
        plain = operands and not any(outer.taken(t.__class__) for t in operands)
        if plain and self.mode.constants_stay:
            return modes.onward(func, args, kwargs or {})
        check_operands(self.mode, func, operands)
        return self.fake(modes.onward(func, args, kwargs or {}), operands)

    def fake(self, out: Any, operands: list[Any]) -> Any:
        """Results, of which functions may have made some without asking anybody, as fakes."""
        if out.__class__ is Tensor and not any(out is t for t in operands):
            return faked(self.mode, meta_of(out), out.device)
        if isinstance(out, (list, tuple)) and any(v.__class__ is Tensor for v in out):
            return type(out)([self.fake(v, operands) for v in out])
        return out


class FakeTensorMode(modes.TorchDispatchMode):
    """A block whose tensors have no data: factories make FakeTensors, operations compute shapes.

    Args:
        allow_non_fake_inputs: plain tensors among operands are taken as they are; otherwise they
            raise, but for numbers (0-d).
        shape_env: a `ShapeEnv`. Without `static_shapes=True` PyTorch makes symbols of the sizes of
            tensors that a mode with one is given; there are none here, so `from_tensor` raises.
        static_shapes: sizes are numbers; True unless there is a `shape_env`.
    """

    below = Made
    constants_stay = False  # what is computed of plain tensors alone is plain, for `make_fx`

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: Any = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        super().__init__()
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self.allow_fallback_kernels = allow_fallback_kernels
        self.export = export
        self.shape_env = shape_env
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self.fake_tensor_converter = FakeTensorConverter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(self, func, args, kwargs or {})

    @property
    def inside(self) -> bool:
        """Whether a block of this mode is being run."""
        return any(m is self for m in modes.dispatch_stack)

    def from_tensor(
        self,
        tensor: Any,
        *,
        static_shapes: bool | None = None,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:
        """The fake of a tensor: the same one for the same tensor, sharing storage as they do.

        Args:
            static_shapes: that of the mode, unless given.
            symbolic_context: must be left out; it says which sizes are symbols.
            source, trace: names for symbols, and whether their making is written down: there are
                none.
        """
        static = self.static_shapes if static_shapes is None else static_shapes
        symbols = not static and any(n > 1 for n in getattr(tensor, "shape", ()))
        if symbols or symbolic_context is not None:
            raise NotImplementedError(
                message(
                    "FakeTensorMode.from_tensor: sizes are numbers, none of them is a symbol",
                    got="a symbolic_context" if static else "a shape_env, or static_shapes=False",
                    hint="static_shapes=True, here or for the mode",
                )
            )
        return self.fake_tensor_converter.from_real_tensor(self, tensor)


class FakeTensorConverter:
    """Knows which fake was made of which tensor, for as long as the tensor lives."""

    def __init__(self) -> None:
        self.fakes: dict[int, tuple[Any, Any]] = {}
        self.memories: dict[int, tuple[Any, Any]] = {}

    def from_real_tensor(self, fake_mode: Any, t: Any) -> Any:
        """The fake of a tensor."""
        if isinstance(t, FakeTensor):
            if t.fake_mode is not fake_mode:
                raise AssertionError("Mixing fake modes NYI")
            return t
        if is_sparse(t) or not isinstance(t, TensorBase):
            raise UnsupportedFakeTensorException(
                f"no fake of {type(t).__name__}: it must be a tensor with strides"
            )
        known = self.fakes.get(id(t))
        if known is not None and known[0]() is t:
            return known[1]
        key = id(t)
        with door.grad_enabled(False):
            made = faked(fake_mode, MetaArray(t._a.shape, t._a.dtype, t._a.strides), t.device)
        made._a.offset = t.storage_offset()
        made._a.memory = self.memory(t)
        if t.requires_grad:
            made._require_grad()
        if not t.is_leaf:
            with door.grad_enabled(True):
                made = made.view_as(made)
        self.fakes[key] = (weakref.ref(t, lambda _ref: self.fakes.pop(key, None)), made)
        return made

    def memory(self, t: Any) -> Any:
        """The storage without data that stands for a tensor's."""
        root = t.untyped_storage()
        known = self.memories.get(id(root._root))
        if known is None or known[0] is not root._root:
            known = (root._root, MetaArray((root.nbytes(),), "uint8"))
            self.memories[id(root._root)] = known
        return known[1]


def faked(mode: Any, a: Any, where: Any, constant: Any = None) -> Any:
    """A FakeTensor of a MetaArray."""
    return FakeTensor(mode, door.wrap(a), where, constant)


def run(mode: Any, func: Any, args: Any, kw: dict[str, Any]) -> Any:
    """One operator: on meta tensors, its results fakes again."""
    name = func.overloadpacket.__name__
    found = list(dispatch.leaves((*args, kw)))
    if not mode.inside:  # otherwise public functions are asked, for they make tensors of their own
        check_operands(mode, func, found)
    if name in NUMBERS:
        return numbers(func, name, args, kw, found)
    where = common_device(func, found, kw)
    held: dict[int, tuple[Any, Any]] = {}

    def meta(v: Any) -> Any:
        if isinstance(v, TensorBase):
            if id(v) not in held:
                held[id(v)] = (v, door.wrap(meta_of(v)))
            return held[id(v)][1]
        if isinstance(v, (list, tuple)):
            made = [meta(x) for x in v]
            return type(v)(*made) if hasattr(v, "_fields") else type(v)(made)
        return v

    given = {k: meta(v) for k, v in kw.items() if k != "device"}
    constant = None
    if name in OF_DATA and not found:
        out: Any = func(*args, **given)
        constant = out if out.numel() == 1 else None
        out = door.wrap(MetaArray(out._a.shape, out._a.dtype, out._a.strides))
    else:
        if not found and kw.get("device") is not META:
            given["device"] = "meta"
        try:
            # (a copy to another device is one of PyTorch's, not one that a record was asked for)
            with dispatch.telling(None if "device" in kw else func):
                out = func(*meta(list(args)), **given)
        except DependsOnData:
            raise DynamicOutputShapeException(func) from None
        except NeedsNumbers:
            raise UnsupportedOperatorException(func) from None
    fakes = {id(m): v for v, m in held.values()}
    for v, m in held.values():
        changed_shape(v, m)

    def fake(v: Any) -> Any:
        if isinstance(v, TensorBase):
            own = fakes.get(id(v))
            if own is not None and isinstance(own, FakeTensor):
                return own
            return faked(mode, meta_of(v), where, constant)
        if isinstance(v, (list, tuple)):
            made = [fake(x) for x in v]
            return type(v)(made)
        return v

    return fake(out)


META = device("meta")


def meta_of(t: Any) -> Any:
    """Shape, type and strides of a tensor."""
    a = t._a
    return MetaArray(a.shape, a.dtype, a.strides)


def changed_shape(t: Any, m: Any) -> None:
    """After an operator: a fake whose stand-in has other sizes or strides takes them over."""
    a, b = t._a, m._a
    if (a.shape, a.strides) != (b.shape, b.strides) and a.__class__ is OuterArray:
        take(t, b)


def check_operands(mode: Any, func: Any, found: list[Any]) -> None:
    """AssertionError for plain tensors, and fakes of other modes, among operands."""
    for t in found:
        if isinstance(t, FakeTensor):
            if t.fake_mode is not mode:
                raise AssertionError("Mixing fake modes NYI")
        elif outer.taken(t.__class__):
            continue  # a class that holds fakes
        elif t._a.ndim and not mode.allow_non_fake_inputs:
            raise AssertionError(
                message(
                    "Please convert all Tensors to FakeTensors first or instantiate "
                    f"FakeTensorMode with 'allow_non_fake_inputs'. Found in {shown(func)}",
                    got=f"a {type(t).__name__} of shape {tuple(t._a.shape)}",
                    hint="mode.from_tensor(x)",
                )
            )


def shown(func: Any) -> str:
    """How an operator or a public function is named."""
    return str(func) if hasattr(func, "overloadpacket") else getattr(func, "__name__", str(func))


def numbers(func: Any, name: str, args: Any, kw: dict[str, Any], found: list[Any]) -> Any:
    """A number of Python's, where all operands' numbers are known."""
    known = {id(t): t.constant if isinstance(t, FakeTensor) else t for t in found}
    if any(v is None for v in known.values()):
        raise DataDependentOutputException(func)
    return func(*(known.get(id(a), a) for a in args), **kw)


def common_device(func: Any, found: list[Any], kw: dict[str, Any]) -> Any:
    """The device of an operator's results: what is asked for, or that of the operands."""
    asked = kw.get("device")
    if asked is not None:
        return device(asked)
    where = None
    numbers_alone = True
    for t in found:
        own = t.fake_device if isinstance(t, FakeTensor) else t.device
        number = not t._a.ndim and own.type == "cpu"
        if where is None or (numbers_alone and not number):
            where, numbers_alone = own, number
        elif not number and own != where:
            raise RuntimeError(
                f"Unhandled FakeTensor Device Propagation for {func}, found two different "
                f"devices {where}, {own}"
            )
    return CPU if where is None else where


# -- questions -------------------------------------------------------------------------------------


def is_fake(x: Any) -> bool:
    """Whether a tensor has no data, or is made of tensors that have none."""
    return isinstance(x, FakeTensor) or (
        hasattr(x, "__tensor_flatten__")
        and all(is_fake(getattr(x, n)) for n in x.__tensor_flatten__()[0])
    )


def maybe_get_fake_mode(t: Any) -> Any:
    """The mode of a fake, else None."""
    return t.fake_mode if isinstance(t, FakeTensor) else None


class unset_fake_temporarily:
    """A block in which FakeTensorModes are not asked."""

    def __enter__(self) -> Any:
        found = [m for m in modes.dispatch_stack if isinstance(m, FakeTensorMode)]
        self.blocks = [m._aside() for m in found]
        for block in self.blocks:
            block.__enter__()
        return found[-1] if found else None

    def __exit__(self, *error: Any) -> None:
        for block in reversed(self.blocks):
            block.__exit__(*error)


"""Tensors whose class computes for them (`__torch_dispatch__`): how they are made, their methods.

`wrapper` makes one without data (`Tensor._make_wrapper_subclass`), `around` one over a tensor's
data (`Tensor._make_subclass`, `as_subclass`). With the first of them those methods of Tensor that
look at arrays are swapped for ones that ask the class first: programs without such tensors pay
nothing.

Not here: how operations ask the class, and the tape (`ops/core/dispatch.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import dtypes, storage
from .autograd import door, outer, views
from .autograd.node import LEAF, Extras, TensorBase
from .device import CPU, META, device
from .errors import message
from .kernels.meta import MetaArray, OuterArray
from .layout import channels_last, channels_last_3d, strided
from .ops.core import dispatch, modes
from .ops.create import arguments
from .size import Size
from .tensor import Parameter, Tensor
from .tensor_copies import own_slots, set_state, state_of

# -- making ----------------------------------------------------------------------------------------


def wrapper(
    cls: Any,
    size: Any,
    strides: Any = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    storage_size: int | None = None,
) -> Any:
    """A tensor of a class with `__torch_dispatch__`: sizes, type, place, and no data.

    Raises:
        TypeError: the class has no `__torch_dispatch__`.
        NotImplementedError: it is asked to compute sizes, its place or its layout itself.
    """
    check_class(cls)
    computed = dispatch_device or dispatch_layout
    if computed or dispatch_sizes_strides_policy not in (None, "default"):
        raise NotImplementedError(
            message(
                "_make_wrapper_subclass: sizes, device and layout are those that are given",
                got=f"dispatch_sizes_strides_policy={dispatch_sizes_strides_policy!r}, "
                f"dispatch_device={dispatch_device}, dispatch_layout={dispatch_layout}",
                wanted="their defaults: __torch_dispatch__ is not asked for them",
                hint="give size=, strides=, device= as they are",
            )
        )
    if layout is not strided:
        raise NotImplementedError(
            message(
                "_make_wrapper_subclass: tensors without data have strides",
                got=f"layout={layout!r}",
                wanted="layout=torch.strided",
                hint="keep the layout as an attribute of the class",
            )
        )
    kind = (dtypes.of(dtype) if dtype is not None else dtypes.get_default_dtype()).np
    shape = tuple(size)
    steps = None if strides is None else tuple(int(s) * kind.itemsize for s in strides)
    if steps is None and memory_format in (channels_last, channels_last_3d):
        order = "channels_last"
        like = MetaArray(shape, "bool") if len(shape) < 4 else arguments.ordered(shape, "?", order)
        steps = tuple(s * kind.itemsize for s in like.strides)
    a = OuterArray(shape, kind, steps, storage_offset or 0, placed(device))
    if storage_size is not None:
        a.memory = MetaArray((int(storage_size),), "uint8")
    return made(cls, a, requires_grad)


def check_class(cls: Any) -> None:
    """TypeError for a class that computes nothing."""
    if not (isinstance(cls, type) and issubclass(cls, TensorBase)):
        raise TypeError("cls must be a type (got something that is no subclass of Tensor)")
    if not outer.taken(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")


def placed(where: Any) -> Any:
    """A device that need not be there; None for the CPU."""
    made = None if where is None else device(where)
    return None if made == CPU else META if made == META else made


def made(cls: Any, a: Any, requires_grad: bool = False) -> Any:
    """An instance of a class around an OuterArray."""
    install()
    t: Any = object.__new__(cls)
    t._a = a
    t._fn = t._vc = t._v = None
    t._x = door.born_here()
    return t._require_grad() if requires_grad else t


def around(cls: Any, data: Any) -> Any:
    """The same data and history as an instance of a class with `__torch_dispatch__`."""
    check_class(cls)
    a = data._a
    own = OuterArray(a.shape, a.dtype, a.strides, data.storage_offset(), placed(data.device))
    own.inner = a.inner if a.__class__ is OuterArray else a
    t = made(cls, own)
    t._fn, t._vc, t._v = data._fn, views.cell(data), data._v
    return t


def as_kind(cls: Any, data: Any, requires_grad: bool) -> Any:
    """A Parameter or Buffer of a class with `__torch_dispatch__`: an instance of both."""
    with door.grad_enabled(False):
        own = data.detach()
    kind: Any = type(own)
    named: Any = both(kind, cls)
    t = made(named, own._a)
    t.__dict__.update(own.__dict__)
    for name in own_slots(own):
        if hasattr(own, name):
            setattr(t, name, getattr(own, name))
    t.__dict__[mark(cls)] = True
    return t._require_grad() if requires_grad else t


def mark(cls: Any) -> str:
    """The attribute by which PyTorch knows parameters and buffers of such classes."""
    return "_is_param" if issubclass(cls, Parameter) else "_is_buffer"


@functools.cache
def both(kind: Any, cls: Any) -> Any:
    """The class that is a kind of tensor and a Parameter, under the name of the first."""
    if issubclass(kind, cls):
        return kind

    def shown(self: Any, **kw: Any) -> str:
        return f"{cls.__name__}({kind.__repr__(self, **kw)})"

    def begin(self: Any, *args: Any, **kw: Any) -> None:
        if mark(cls) not in self.__dict__:  # what `Parameter(t)` made is `t`, which is begun
            kind.__init__(self, *args, **kw)

    space = {"__slots__": (), "__module__": kind.__module__, "__repr__": shown}
    space |= {"__init__": begin, "_both": (kind, cls)}
    space["__qualname__"] = kind.__qualname__
    space["__torch_function__"] = kind.__dict__.get(
        "__torch_function__", staticmethod(kind.__torch_function__)
    )
    return type(kind.__name__, (kind, cls), space)


# -- methods ---------------------------------------------------------------------------------------


def detach(self: Any) -> Any:
    y = dispatch.ask(dispatch.operator("detach"), (self,), {})
    if isinstance(y, TensorBase) and y is not self:
        y._vc = views.cell(self)
        dispatch.share(self, y)
    return y


def data(self: Any) -> Any:
    return dispatch.ask(dispatch.operator("detach"), (self,), {})


def item(self: Any) -> Any:
    if self._a.size != 1:
        raise RuntimeError(f"a Tensor with {self._a.size} elements cannot be converted to Scalar")
    return dispatch.ask(dispatch.operator("_local_scalar_dense"), (self,), {})


def truth(self: Any) -> bool:
    if self._a.size != 1:
        many = "more than one value" if self._a.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(self.item())


def index(self: Any) -> int:
    if self._a.dtype.kind not in "iub" or self._a.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def numpy(self: Any, *, force: bool = False) -> Any:
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def tolist(self: Any) -> Any:
    raise RuntimeError(
        f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
    )


def storage_offset(self: Any) -> int:
    return int(self._a.offset)


def untyped_storage(self: Any) -> Any:
    a = self._a
    return storage.handle(a.storage() if a.inner is None else a.inner)


def data_ptr(self: Any) -> int:
    a = self._a
    return 0 if a.inner is None or not a.size else storage.address(a.inner)


def is_set_to(self: Any, tensor: Any) -> bool:
    a, b = self._a, tensor._a
    same = a.shape == b.shape and a.strides == b.strides
    return same and self.untyped_storage() is tensor.untyped_storage()


def set_(self: Any, source: Any = None, *args: Any, **kw: Any) -> Any:
    if not dispatch.state.off:
        dispatch.ask(dispatch.operator("set_", "source_Tensor"), (self, source, *args), kw)
        views.cell(self).bump("set_")
        return self
    if args or kw or not isinstance(source, TensorBase):
        refuse_without_data("set_")
    take(self, source._a)
    return self


def take(t: Any, a: Any) -> None:
    """Give a tensor the sizes, strides and storage of another array."""
    own = t._a
    t._a = OuterArray(a.shape, a.dtype, a.strides, getattr(a, "offset", own.offset), own.device)
    if a.__class__ is OuterArray:
        t._a.memory, t._a.inner = a.storage(), a.inner
    else:
        t._a.memory = own.memory


def resize_(self: Any, *sizes: Any, memory_format: Any = None) -> Any:
    shape = arguments.sizes_of(sizes)
    kw = {} if memory_format is None else {"memory_format": memory_format}
    if not dispatch.state.off:
        dispatch.ask(dispatch.operator("resize_"), (self, shape), kw)
        views.cell(self).bump("resize_")
        return self
    if shape != self._a.shape:
        own = self._a
        self._a = OuterArray(shape, own.dtype, None, own.offset, own.device)
    return self


def refuse_without_data(name: str) -> None:
    raise RuntimeError(
        message(
            f"{name}: the tensor has no data",
            got="an instance of a class with __torch_dispatch__, which is not asked here",
            wanted="another tensor to take sizes and strides from",
        )
    )


def asking(name: str) -> Callable[..., Any]:
    """A method that is an operator of the class: `new_zeros` and its like."""

    def method(self: Any, *args: Any, **kw: Any) -> Any:
        if name not in ("new_tensor", "new_full", "new_empty_strided"):
            size = {"size": kw.pop("size")} if "size" in kw else {}
            args = (arguments.given_size(name, args, size),)
        return dispatch.ask(dispatch.operator(name), (self, *args), kw)

    return method


def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """A `clone`, with the attributes and the gradient copied."""
    import copy

    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment."
        )
    with door.grad_enabled(False):
        y = self.clone()
    if type(y) is not type(self):
        raise RuntimeError(
            "The default implementation of __deepcopy__() for wrapper subclasses only works for "
            "subclass types that properly implement clone() such that the result is of the same "
            f"type: {type(self).__name__}.clone() gave {type(y).__name__}"
        )
    memo[id(self)] = y
    y._require_grad(self._fn is LEAF)
    held = set(y.__dict__) | set(own_slots(self))
    for name, value in self.__dict__.items():
        if name not in held:
            y.__dict__[name] = copy.deepcopy(value, memo)
    if self._x.__class__ is Extras and self._x.grad is not None:
        y.grad = copy.deepcopy(self._x.grad, memo)
    return y


def reduce(self: Any, protocol: Any) -> Any:
    """Pickle: class, metadata, the data if there is some, and what the instance holds."""
    a = self._a
    about = {
        "strides": tuple(s // a.itemsize for s in a.strides),
        "storage_offset": a.offset,
        "dtype": self.dtype,
        "device": self.device,
        "requires_grad": self.requires_grad,
    }
    data = None if a.inner is None else Tensor._wrap(a.inner)
    kind, named = parts(type(self))
    return rebuild, (kind, tuple(a.shape), about, state_of(self), named, data)


def parts(cls: Any) -> tuple[Any, Any]:
    """(class, the kind of parameter or buffer that its instances are, or None)."""
    return cls.__dict__.get("_both", (cls, None))


def rebuild(
    cls: Any, size: Any, about: Any, state: Any, named: Any = None, data: Any = None
) -> Any:
    """The tensor that `reduce` described."""
    kind = cls if named is None else both(cls, named)
    if data is None:
        t = wrapper(kind, size, **about)
    else:
        t = around(kind, data).requires_grad_(about["requires_grad"])
    set_state(t, state)
    return t


def to(input: Any, *args: Any, device: Any = None, **kw: Any) -> Any:
    """`to` another place is an operator of the class; types alone are the usual one's."""
    where = [a for a in args if isinstance(a, (str, int, DEVICE)) and not isinstance(a, bool)]
    other = next((a for a in args if isinstance(a, TensorBase)), kw.get("other"))
    if device is None:
        device = where[0] if where else None if other is None else other.device
    if device is None or DEVICE(device) == input.device:
        if not where and device is None:
            return NotImplemented
        rest = [a for a in args if a not in where] if where else list(args)
        return input.to(*rest, **kw) if other is None else input.to(other.dtype)
    kind = kw.get("dtype") or next((a for a in args if isinstance(a, dtypes.dtype)), None)
    if other is not None:
        kind = other.dtype
    parameters: dict[str, Any] = {"device": DEVICE(device)}
    if kind is not None:
        parameters["dtype"] = kind
    return moved(input, parameters)


def moved(input: Any, parameters: dict[str, Any]) -> Any:
    """A copy in another place, on the tape."""
    from .ops.shape import views as s

    def carry_out(func: Any, args: Any, kw: Any) -> Any:
        return dispatch.ask(func, args, parameters)

    own = parameters.get("dtype", input.dtype)
    return dispatch.above(s.to_copy, (input,), {"dtype": own}, carry_out)


def cpu(input: Any, memory_format: Any = None) -> Any:
    """`to("cpu")`."""
    return to(input, device="cpu")


def cuda(input: Any, device: Any = None, non_blocking: bool = False, **_kw: Any) -> Any:
    """`to("cuda")`, which the class may know."""
    return to(input, device="cuda" if device is None else device)


DEVICE = device
ITEMS: dict[str, Callable[..., Any]] = {
    "detach": detach,
    "item": item,
    "__bool__": truth,
    "__index__": index,
    "numpy": numpy,
    "tolist": tolist,
    "storage_offset": storage_offset,
    "untyped_storage": untyped_storage,
    "data_ptr": data_ptr,
    "is_set_to": is_set_to,
    "set_": set_,
    "resize_": resize_,
    "__deepcopy__": deepcopy,
    "__reduce_ex__": reduce,
    **{
        name: asking(name)
        for name in ("new_tensor", "new_zeros", "new_ones", "new_empty", "new_full",
                     "new_empty_strided")
    },
}  # fmt: skip
ALWAYS = ("storage_offset", "untyped_storage", "data_ptr", "is_set_to", "set_", "resize_",
          "__deepcopy__", "__reduce_ex__", "numpy", "tolist")  # fmt: skip


def swapped(name: str, plain: Any, own: Any) -> Any:
    """A method that asks the class of its tensor first."""
    always = name in ALWAYS  # also where classes are not asked: there is no array

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kw: Any) -> Any:
        if self._a.__class__ is OuterArray:
            if always or not dispatch.state.off:
                return own(self, *args, **kw)
            return plain(dispatch.under(self), *args, **kw)
        return plain(self, *args, **kw)

    return method


def set_data(plain: Any) -> Callable[[Any, Any], None]:
    """The setter of `data`, which takes over what an instance of a class holds."""

    @functools.wraps(plain)
    def setter(self: Any, value: Any) -> None:
        plain(self, value)
        if self._a.__class__ is OuterArray and taken_by(self, value):
            for name in own_slots(value):
                if hasattr(value, name):
                    setattr(self, name, getattr(value, name))

    return setter


def taken_by(t: Any, value: Any) -> bool:
    """Whether both compute by the same class."""
    own = next((k for k in type(value).__mro__ if "__torch_dispatch__" in k.__dict__), Tensor)
    return own is not Tensor and isinstance(t, own)


done: list[bool] = []
plains: dict[str, Any] = {}  # what stood in the places of the methods


def install() -> None:
    """Swap Tensor's methods and stand at the door; nothing when that is done. Where this is
    interrupted the next call does all of it again."""
    if done:
        return
    with modes.swapping_methods():
        for name, own in ITEMS.items():
            plain = plains.setdefault(name, getattr(Tensor, name))
            setattr(Tensor, name, swapped(name, plain, own))
        plain = plains.setdefault("data", Tensor.__dict__["data"])
        getter = swapped("data", plain.fget, data)
        Tensor.data = property(getter, set_data(plain.fset), plain.fdel, plain.__doc__)  # type: ignore[misc, assignment]
    dispatch.INSTEAD.update(to=to, cpu=cpu, cuda=cuda)
    dispatch.install()
    done[:] = [True]


_ = Size

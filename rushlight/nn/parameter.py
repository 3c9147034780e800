"""Parameter and Buffer, and their forms whose shape is not known yet.

Parameter and Buffer themselves are in `tensor.py`, where the autograd door knows them.
Read next: `module.py`, `modules/lazy.py`.
"""

from __future__ import annotations

from typing import Any

from ..tensor import Buffer, Parameter, Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]

_ParameterMeta, _BufferMeta = type(Parameter), type(Buffer)  # they have no metaclass of their own


class UninitializedTensorMixin:
    """A tensor without a shape; `materialize` gives it one and makes it an ordinary tensor."""

    __slots__ = ()  # the layout of an ordinary tensor, so that it can become one
    cls_to_become: type = Tensor

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Allocate the data (values arbitrary) and become an ordinary parameter or buffer."""
        from .. import empty

        data = empty(
            shape,
            device=self.device if device is None else device,
            dtype=self.dtype if dtype is None else dtype,
        )
        self.__class__ = self.cls_to_become
        self.data = data

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __repr__(self: Any, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self: Any, proto: Any) -> Any:
        return (type(self), (self.requires_grad,))

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", str(func))
        if name in _ALLOWED:
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[misc]
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you "
            "are using a `LazyModule` or explicitly manipulating "
            f"`torch.nn.parameter.{cls.__name__}` objects. When using LazyModules Call `forward` "
            "with a dummy batch to initialize the parameters before calling torch functions"
        )


_ALLOWED = {
    "__hash__",
    "bfloat16",
    "char",
    "copy_",
    "cpu",
    "cuda",
    "detach",
    "double",
    "float",
    "get_device",
    "half",
    "int",
    "is_complex",
    "is_floating_point",
    "long",
    "requires_grad_",
    "short",
    "size",
    "to",
}


def is_lazy(param: Any) -> bool:
    """Whether `param` has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


def _bare(cls: type, requires_grad: bool, device: Any, dtype: Any) -> Any:
    from .. import empty

    return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A Parameter whose shape is taken from the first input. See `LazyLinear`.

    >>> w = nn.UninitializedParameter()
    >>> w.materialize((2, 3))
    >>> type(w).__name__, w.shape
    ('Parameter', torch.Size([2, 3]))
    """

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _bare(cls, requires_grad, device, dtype)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """`__new__` does the work."""


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is taken from the first input. See `LazyBatchNorm1d`.

    >>> b = nn.UninitializedBuffer()
    >>> b.materialize((4,))
    >>> b.shape, b.requires_grad
    (torch.Size([4]), False)
    """

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        made = _bare(cls, requires_grad, device, dtype)
        made.persistent = persistent
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """`__new__` does the work."""

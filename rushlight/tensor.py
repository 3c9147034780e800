"""Tensor: an array with a place on the tape. Fields, views of itself, conversion, autograd,
printing.

Arithmetic and the named operations are not written here: `publish.py` attaches them from the op
records.
Storage and legacy methods are in `tensor_storage.py`; indexing is in `ops/index/`, `getitem.py` and
`setitem.py`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes, storage
from .autograd import door, replay, views
from .autograd.backward import backward as autograd_backward
from .autograd.hooks import add_hook
from .autograd.methods import tells
from .autograd.node import (
    LEAF,
    Cut,
    Extras,
    InferenceCut,
    Node,
    Out,
    TensorBase,
    accumulator,
    cut_at,
)
from .autograd.steps import step
from .device import CPU, META
from .drawn import drawn_as
from .dtypes import type_name
from .errors import ambiguous, message
from .kernels.meta import (
    MetaArray,
    OuterArray,
    SparseArray,
    UnresolvedArray,
    contiguous_strides,
    inserted_strides,
)
from .kernels.runtime import few
from .once import warn_once
from .ops.core import overrides
from .ops.create import factories, from_data
from .ops.index import getitem, setitem
from .size import Size

ndarray = np.ndarray


@step(outputs=0, shown="aten::item")
def item(a: Any) -> Any:
    """The only element of an array as a number of Python's."""
    got = a.item()
    return float(got) if a.dtype.kind == "V" else got


@step(view=True, shown="aten::detach")
def detach(a: Any) -> Any:
    """The same memory, without history."""
    return a


USUAL = overrides.default
_getframe = sys._getframe
_seen: list[Any] = [None]  # the code of the line that detached last (`lines.line_from`)
OF_A_GRADIENT = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


class Tensor(TensorBase):
    """An n-dimensional array of one dtype, with automatic differentiation.

    Made by `rushlight.tensor(data)` and the factory functions; `Tensor(2, 3)` is the legacy
    constructor of an uninitialised float tensor, `Tensor([1, 2])` copies data.

    Arguments, for both: `device`, "cpu" or "meta"; the dtype is the default one.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> x.shape, x.dtype
    (torch.Size([2, 2]), torch.float32)
    >>> y = (x @ x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([[ 7., 11.],
            [ 9., 13.]])
    """

    __slots__ = ()
    __module__ = "rushlight"
    __array_priority__ = 1000  # NumPy's operators let ours win

    if TYPE_CHECKING:  # most methods are derived from the op records: a type checker takes any name

        def __getattr__(self, name: str) -> Any: ...

    def __new__(cls, *args: Any, device: Any = None, **named: Any) -> Any:
        from .legacy_tensors import legacy_new

        made = legacy_new(args, dtypes.get_default_dtype(), device, named)
        return made if cls is Tensor else made.as_subclass(cls)

    __torch_function__: Any = classmethod(overrides.default)
    _wrap = staticmethod(door.wrap)

    # -- what it is --------------------------------------------------------------------------

    @property
    def _cdata(self) -> int:
        """A number that no other tensor has meanwhile. In PyTorch the address of what
        `swap_tensors` exchanges: another one after that."""
        x = self._x
        mark = x.swapped if x.__class__ is Extras else None
        return id(self if mark is None else mark)

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return tuple.__new__(Size, self._a.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return dtypes.from_numpy(self._a.dtype)

    @property
    def device(self) -> Any:
        """Where the tensor lives: cpu or meta."""
        a = self._a
        if a.__class__ is ndarray:
            return CPU
        return META if a.__class__ is MetaArray else getattr(a, "device", None) or CPU

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self._a.ndim)

    @property
    def layout(self) -> Any:
        """torch.strided; sparse tensors have others (`sparse/core.py`)."""
        from .layout import strided

        return strided

    itemsize = property(lambda self: self._a.dtype.itemsize, doc="Bytes an element takes.")
    nbytes = property(
        lambda self: self._a.size * self._a.dtype.itemsize, doc="Bytes all elements take."
    )
    is_cuda = property(lambda self: self.device.type == "cuda", doc="Whether it is on a GPU.")
    is_mps = is_xpu = is_sparse = is_quantized = is_mkldnn = is_nested = is_vulkan = (
        is_ipu
    ) = False
    is_sparse_csr = is_maia = is_mtia = is_xla = False
    is_cpu = property(
        lambda self: self.device is CPU, doc="Whether the data are in CPU memory."
    )
    is_meta = property(
        lambda self: self.device.type == "meta", doc="Whether it is a shape without data."
    )
    name = property(lambda self: None, doc="The name of a variable: none has one.")

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension.

        Args:
            dim: which dimension, counted from the end when negative; None: all, as a `torch.Size`.

        Raises:
            IndexError: there is no such dimension.

        >>> x = torch.zeros(2, 3)
        >>> x.size(), x.size(-1)
        (torch.Size([2, 3]), 3)
        """
        if dim is None:
            return tuple.__new__(Size, self._a.shape)
        shape = self._a.shape
        n = len(shape)
        if not -n <= dim < n:
            from .errors import axis

            axis(dim, n)
        return shape[dim]

    def dim(self) -> int:
        """Number of dimensions. `ndimension()` and `ndim` are the same number.

        >>> torch.zeros(2, 3).dim(), torch.tensor(1.0).dim()
        (2, 0)
        """
        return int(self._a.ndim)

    ndimension = dim

    def numel(self) -> int:
        """Number of elements: the product of the sizes, 1 for a tensor without dimensions.

        >>> torch.zeros(2, 3).numel(), torch.tensor(1.0).numel()
        (6, 1)
        """
        return int(self._a.size)

    nelement = numel

    def element_size(self) -> int:
        """Bytes an element takes.

        >>> torch.zeros(2).element_size(), torch.zeros(2, dtype=torch.bool).element_size()
        (4, 1)
        """
        return int(self._a.dtype.itemsize)

    def stride(self, dim: int | None = None) -> Any:
        """Steps in elements between neighbours along each dimension.

        Args:
            dim: of one dimension only; None: a tuple with those of all.

        >>> x = torch.zeros(2, 3)
        >>> x.stride(), x.T.stride(), x.stride(0)
        ((3, 1), (1, 3), 3)
        """
        strides = self._strides()
        return strides if dim is None else strides[dim]

    def _strides(self) -> tuple[int, ...]:
        a = self._a
        if a.size == 0 and a.__class__ is ndarray:
            return contiguous_strides(a.shape, 1)
        steps = tuple([s // a.dtype.itemsize for s in a.strides])
        return inserted_strides(a.shape, steps) if 0 in steps else steps

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating type (complex ones are not).

        >>> torch.zeros(1).is_floating_point(), torch.tensor([1]).is_floating_point()
        (True, False)
        """
        return self._a.dtype.kind in "fV"

    def is_complex(self) -> bool:
        """Whether the dtype is a complex type.

        >>> torch.tensor([1j]).is_complex(), torch.zeros(1).is_complex()
        (True, False)
        """
        return self._a.dtype.kind in "cW"

    def is_signed(self) -> bool:
        """Whether the dtype has negative values.

        >>> torch.tensor([1]).is_signed(), torch.tensor([1], dtype=torch.uint8).is_signed()
        (True, False)
        """
        return self.dtype.is_signed

    def is_inference(self) -> bool:
        """Whether the tensor was made inside inference_mode.

        >>> with torch.inference_mode():
        ...     x = torch.ones(2)
        >>> x.is_inference(), torch.ones(2).is_inference()
        (True, False)
        """
        return door.is_inference(self)

    def __len__(self) -> int:
        if self._a.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return int(self._a.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if self._a.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from .printing import tensor_str

        return tensor_str(self, tensor_contents)

    _repr_html_ = drawn_as("tensor")

    def __format__(self, spec: str) -> str:
        if self._a.ndim == 0 and self._a.__class__ is not MetaArray and type(self) is Tensor:
            return self.item().__format__(spec)
        if spec and type(self) is Tensor:
            raise TypeError(
                message(
                    f"unsupported format string passed to {type(self).__name__}.__format__",
                    got=f"{spec!r} for a tensor of shape {tuple(self.shape)}",
                    wanted="a number",
                    hint="x.item() or x.mean() of it; torch.set_printoptions(precision=2)",
                )
            )
        return object.__format__(self, spec)

    __hash__ = object.__hash__

    def __dir__(self) -> list[str]:
        return sorted(set(dir(type(self))) | set(self.__dict__))

    # -- Python values -----------------------------------------------------------------------

    def item(self) -> Any:
        """The value of a one-element tensor as a Python number.

        Raises:
            RuntimeError: there is more than one element, or none.

        >>> torch.tensor([2.5]).item(), torch.tensor(3).item()
        (2.5, 3)
        """
        a = self._a
        if a.__class__ is MetaArray:
            raise RuntimeError("Tensor.item() cannot be called on meta tensors: they have no data")
        if a.size != 1:
            raise RuntimeError(
                message(
                    f"a Tensor with {a.size} elements cannot be converted to Scalar",
                    got=f"shape {tuple(a.shape)}",
                    wanted="one element",
                    hint="x.tolist() for all values, or reduce first: x.sum().item()",
                )
            )
        if door.state.observers:
            return door.perform(item, (door.resolved(a),), {})
        return item.fn(a)

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers (a number when 0-d).

        >>> torch.tensor([[1, 2], [3, 4]]).tolist(), torch.tensor(1.5).tolist()
        ([[1, 2], [3, 4]], 1.5)
        """
        a = self._a
        if a.__class__ is MetaArray:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return a.astype(np.float32).tolist() if a.dtype.kind == "V" else a.tolist()

    def __bool__(self) -> bool:
        a = self._a
        if a.size == 1 and a.__class__ is not MetaArray:
            return bool(a.item() if a.dtype.kind != "V" else float(a.item()))
        if a.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if a.__class__ is MetaArray:
            raise RuntimeError("Boolean value of a meta Tensor is unknown: it has no data")
        raise ambiguous(a.shape)

    def __int__(self) -> int:
        return int(self._number("int64_t"))

    __long__ = __int__  # Python 2's name, which functorch asks for

    def __float__(self) -> float:
        if self._fn is not None and door.state.enabled:
            warn_once(OF_A_GRADIENT)
        return float(self._number("double"))

    def __complex__(self) -> complex:
        if self._fn is not None and door.state.enabled:
            warn_once(OF_A_GRADIENT)
        return complex(self._number("c10::complex<double>"))

    def _number(self, kind: str) -> Any:
        """`item()` for a Python number of C's type `kind`."""
        if self._a.size != 1:
            raise ValueError(
                message(
                    "only one element tensors can be converted to Python scalars",
                    got=f"shape {tuple(self._a.shape)}",
                    wanted="one element",
                    hint="x.tolist() for all values, or reduce first: x.sum()",
                )
            )
        value = self.item()
        if value.__class__ is complex and "complex" not in kind:
            if value.imag:
                raise RuntimeError(
                    message(
                        f"value cannot be converted to type {kind} without overflow",
                        got=repr(value),
                        hint="x.real, x.abs() or complex(x)",
                    )
                )
            return value.real
        return value

    def __index__(self) -> int:
        if self._a.dtype.kind not in "iub" or self._a.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __contains__(self, element: Any) -> bool:
        if isinstance(element, (TensorBase, int, float, complex, bool)):
            return bool((self == element).any().item())
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element)}."
        )

    # -- NumPy -------------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> Any:
        """The ndarray that holds the data: the same memory. Not for tensors that require grad.

        Args:
            force: detach first, and copy what is conjugated or negated, so that any tensor has one.

        Raises:
            RuntimeError: the tensor requires grad or is conjugated, and `force` is False.

        >>> x = torch.zeros(2)
        >>> a = x.numpy()
        >>> a[0] = 5
        >>> x
        tensor([5., 0.])
        >>> torch.ones(2, requires_grad=True).numpy(force=True)
        array([1., 1.], dtype=float32)
        """
        if force:
            return door.resolved(self.detach()._a)
        if self._fn is not None and door.state.enabled:
            raise RuntimeError(
                message(
                    "Can't call numpy() on Tensor that requires grad. Use "
                    "tensor.detach().numpy() instead.",
                    hint="x.detach().numpy()",
                )
            )
        if self._a.__class__ is MetaArray:
            raise TypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        if self._a.__class__ is UnresolvedArray:
            raise unresolved_error(self)
        if self._a.dtype.kind in "VW":
            name = type_name(self.dtype)
            hint = "x.float().numpy()" if self.dtype.is_floating_point else None
            raise TypeError(message(f"Got unsupported ScalarType {name}", hint=hint))
        if storage.locked:
            storage.unlocked(self._a)
        return self._a

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if dtype is None:
            return self.numpy()
        return self.numpy().astype(dtype, copy=False)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if array.dtype == bool:
            array = array.astype("uint8")
        return from_data.from_numpy(np.asarray(array))

    def __dlpack__(
        self,
        *,
        stream: Any = -1,  # of a GPU
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        if self._fn is not None:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.is_conj():
            raise BufferError("Can't export tensors with the conjugate bit set")
        if stream is not None and stream.__class__ is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if stream not in (None, -1):
            raise AssertionError("stream should be None on cpu.")
        kw = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        given = {k: v for k, v in kw.items() if v is not None}
        return self.resolve_neg().numpy().__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        a: Any = self._a
        return (a.raw if a.__class__ is UnresolvedArray else a).__dlpack_device__()

    # -- autograd ----------------------------------------------------------------------------

    def _fresh(self) -> Any:
        """`_fn`, derived anew when this view's storage was changed."""
        if self._v is not None and self._v.seen != self._vc.count:  # type: ignore[union-attr]
            door.refresh(self)
        return self._fn

    def _extras(self) -> Extras:
        return door.extras(self)

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        v = self._v
        known = v is not None and v.made and (self._fn is not None or v.base._fn is not None)
        if known and not door.is_inference(self):
            return True
        return self._fresh() is not None

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        if on and self._fn is None and self._a.dtype.kind not in "fcVW":
            raise RuntimeError(
                message(
                    "only Tensors of floating point and complex dtype can require gradients",
                    got=f"{self.dtype!r}",
                    hint="x.float()",
                )
            )
        self.requires_grad_(on)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise not_deleted("requires_grad must be a bool", "x.requires_grad_(False)")

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Make this tensor a leaf that gets a gradient (or no longer gets one).

        Args:
            requires_grad: False: no gradient from here on.

        Returns the tensor itself.

        Raises:
            RuntimeError: the dtype is neither floating nor complex; or False, and the tensor has a
                history.

        >>> x = torch.ones(2).requires_grad_()
        >>> x.requires_grad, x.is_leaf
        (True, True)
        """
        if door.state.transforms:
            raise RuntimeError(
                message(
                    "You are attempting to call Tensor.requires_grad_() (or perhaps using "
                    "torch.autograd.functional.* APIs) inside of a function being transformed by a "
                    "functorch transform. This is unsupported",
                    hint="the transforms of torch.func (grad, vjp, jacrev, ...) in that place, or "
                    "requires_grad_() outside of the function",
                )
            )
        return self._require_grad(requires_grad)

    def _require_grad(self, requires_grad: bool = True) -> Any:
        """`requires_grad_`, also where a function is being transformed."""
        fn = self._fn
        if requires_grad:
            if fn is None:
                if self._a.dtype.kind not in "fcVW":
                    raise RuntimeError(
                        message(
                            "only Tensors of floating point dtype can require gradients",
                            got=f"{self.dtype!r}",
                            hint="x.float().requires_grad_()",
                        )
                    )
                if self._x is not None and door.is_inference(self) and not door.state.inference:
                    from .autograd.refused import requires_grad_error

                    raise requires_grad_error(self)
                self._fn = LEAF
        elif fn is LEAF:
            self._fn = None
        elif fn is not None:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use "
                "a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was not made by a recorded operation."""
        fn = self._fresh()
        return fn is None or fn is LEAF

    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor; None for a leaf."""
        fn = self._fresh()
        if fn is None or fn is LEAF:
            return None
        return fn.node if fn.__class__ is Out else fn

    @property
    def _grad_fn(self) -> Any:
        return self.grad_fn

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise not_deleted(
            "Deletion of _grad_fn not allowed. Detach tensor instead!", "x = x.detach()"
        )

    @property
    def output_nr(self) -> int:
        """Which output of its node this tensor is."""
        return self._fn.nr if self._fn.__class__ is Out else 0

    creator = property(lambda self: self.grad_fn, doc="The old name of grad_fn.")

    def _warn_non_leaf_grad(self) -> None:
        fn = self._fn
        if fn is not None and fn is not LEAF and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
                "Its .grad attribute won't be "
                "populated during autograd.backward(). If you indeed want the .grad field to "
                "be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.",
                UserWarning,
                stacklevel=3,
            )

    @property
    def grad(self) -> Any:
        """The accumulated gradient, or None."""
        x = self._x
        if x.__class__ is not Extras:
            self._warn_non_leaf_grad()
            return None
        if x.grad is None:
            self._warn_non_leaf_grad()
        return x.grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            x = self._x
            if x.__class__ is Extras:
                x.grad = None
            return
        if not isinstance(value, TensorBase):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type "
                f"{type(value).__name__}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value._a.shape != self._a.shape:
            raise RuntimeError(
                message(
                    "assigned grad has data of a different size",
                    got=f"{tuple(value._a.shape)}",
                    wanted=f"{tuple(self._a.shape)}",
                )
            )
        if value._a.dtype != self._a.dtype:
            raise RuntimeError(
                f"assigned grad has data of a different type: {value.dtype!r} for a tensor of "
                f"{self.dtype!r}"  # type: ignore[attr-defined]
            )
        self._extras().grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    _grad = grad

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
        *,
        retain_variables: bool | None = None,
    ) -> None:
        """Add the gradient of this tensor with respect to each leaf of its graph into `leaf.grad`.

        Args:
            gradient: gradient with respect to this tensor, of its shape; may be None for a single
            element.
            retain_graph: keep what the graph saved, for another backward (default: `create_graph`).
            create_graph: record the derivative itself, for higher derivatives.
            inputs: only these tensors get a gradient.

        Raises:
            RuntimeError: without history, for a non-scalar without `gradient`, a second time, or
            when a saved
                value was changed in place.

        >>> import rushlight as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
        if (
            gradient is not None
            and not isinstance(gradient, TensorBase)
            and isinstance(gradient, (int, float))
        ):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
            )
        autograd_backward(
            self,
            gradient,
            retain_graph,
            create_graph,
            inputs=inputs,
            retain_variables=retain_variables,
        )

    def detach(self) -> Tensor:
        """A tensor of the same memory without history.

        What is written into it is written into this tensor; gradients end here.

        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> y = x * x.detach()  # one factor counts as a constant
        >>> y.backward()
        >>> x.grad
        tensor([2.])
        """
        a = self._a
        t = door.wrap(door.perform(detach, (a,), {}) if door.state.observers else a)
        version = self._vc
        t._vc = views.cell(self) if version is None else version
        if self._x is not None:
            t._x = self._detached()
        elif self._fn is None:
            t._x = None
        else:  # as `_detached` says, from the line that is known here
            t._x = cut_at("detach", _getframe(1), _seen)
        return t

    def _detached(self) -> Any:
        """The note of the same memory without history."""
        cut = None if self._x is None else door.cut_of(self._x)
        if self._fn is None or cut.__class__ is InferenceCut:
            return cut
        return Cut("detach")

    def detach_(self) -> Tensor:
        """Cut this tensor itself off its history.

        Raises:
            RuntimeError: the tensor is a view.

        >>> y = torch.ones(2, requires_grad=True) * 2
        >>> y.detach_().requires_grad
        False
        """
        if self._v is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for "
                "training, and gradient_as_bucket_view is set as True, gradients are views of "
                "DDP buckets, and hence detach_() cannot be called on these gradients."
            )
        if self._fn is not None and self._x is None:
            self._x = Cut("detach")
        self._fn = None
        self.__dict__.pop("_tangent", None)
        return self

    @property
    def data(self) -> Any:
        """The same memory without history and outside the version counting (prefer detach)."""
        t = door.wrap(self._a)
        if self._x is not None:
            t._x = self._detached()
        else:
            t._x = None if self._fn is None else cut_at("detach", _getframe(1), _seen)
        return t

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if isinstance(value._a, SparseArray) != isinstance(self._a, SparseArray):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                f"incompatible tensor type: layouts {self.layout!r} and {value.layout!r}"
            )
        if self._fn is not None and value._a.dtype.kind not in "fcVW":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                f"dtype, not {value.dtype!r}"
            )
        self._a = value._a

    @data.deleter
    def data(self) -> None:
        raise not_deleted("Deleting tensor data is not allowed. Delete tensor instead!", "del x")

    @property
    def _version(self) -> int:
        if self._x is not None and door.is_inference(self):
            from .autograd.refused import version_error

            raise version_error(self)
        return self._changes()

    def module_load(self, other: Any, assign: bool = False) -> Any:
        """What takes this parameter's place when `other` is loaded, where
        `torch.__future__.set_swap_module_params_on_conversion` is on; to be overridden.

        Args:
            other: the tensor from the state that is loaded.
            assign: take `other` itself; False: its values in a tensor like this one.

        >>> w = torch.zeros(2)
        >>> w.module_load(torch.ones(2))
        tensor([1., 1.])
        """
        return other.detach() if assign else self.copy_(other).detach()

    def _changes(self) -> int:
        """How often the storage was changed in place; inference tensors count too, unseen."""
        return 0 if self._vc is None else self._vc.count

    @property
    def _base(self) -> Any:
        return self._v.base if self._is_view() else None

    def _view_func(self, new_base: Any) -> Any:
        """What this tensor is of its base, of a tensor that lies as the base; or None."""
        return replay.view_func(self, new_base)

    def _view_func_unsafe(self, new_base: Any) -> Any:
        """`_view_func`, of any tensor."""
        return replay.view_func(self, new_base, checked=False)

    def _rev_view_func_unsafe(self, new_view: Any) -> Any:
        """What the base of this tensor is of it, of `new_view`; or None."""
        return replay.rev_view_func(self, new_view)

    def _is_view(self) -> bool:
        return self._v is not None and not door.is_inference(self)

    def _bump(self, what: str = "") -> None:
        """Note an in-place change made by hand on `_a`."""
        views.cell(self).bump(what)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf tensor in `.grad` during backward.

        Raises:
            RuntimeError: the tensor does not require grad.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> y = x * 3
        >>> y.retain_grad()
        >>> (y**2).sum().backward()
        >>> y.grad
        tensor([ 6., 12.])
        """
        if door.state.transforms:
            raise RuntimeError(
                "You are attempting to call Tensor.retain_grad() inside of a function being "
                "transformed by a functorch transform. This is unsupported: call it outside of "
                "the function."
            )
        fn = self._fresh()
        if fn is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if fn is LEAF:
            return
        import weakref

        node, nr = (fn.node, fn.nr) if fn.__class__ is Out else (fn, 0)
        x = node.extras()
        if x.retains is None:
            x.retains = {}
        x.retains[nr] = weakref.ref(self)
        self._extras().retains = True

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this non-leaf tensor."""
        return self._x.__class__ is Extras and self._x.retains and self._fn is not LEAF  # type: ignore[union-attr]

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad)` when this tensor's gradient is computed; a result replaces the
        gradient.

        Returns a handle with `remove()`.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> (x * 3).sum().backward()
        >>> x.grad
        tensor([30., 30.])
        >>> handle.remove()
        """
        fn = self._fresh()
        if fn is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if fn is LEAF:
            x: Any = self._extras()
            if x.hooks is None:
                x.hooks = {}
            return add_hook(x.hooks, hook)
        node, nr = (fn.node, fn.nr) if fn.__class__ is Out else (fn, 0)
        x = node.extras()
        if x.tensor_hooks is None:
            x.tensor_hooks = {}
        return add_hook(x.tensor_hooks.setdefault(nr, {}), hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call `hook(tensor)` after a gradient was accumulated into this leaf's `.grad`.

        Returns a handle with `remove()`. An optimiser's step can be taken there, so that the
        gradient is free before the next one is made.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda tensor: print(tensor.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
        if self._fn is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._fn is not LEAF:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        x = self._extras()
        if x.post_hooks is None:
            x.post_hooks = {}
        return add_hook(x.post_hooks, hook)

    @property
    def _backward_hooks(self) -> Any:
        return self._x.hooks if self._x.__class__ is Extras else None  # type: ignore[union-attr]

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Any) -> None:
        if hooks is not None or self._backward_hooks is not None:
            self._extras().hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise not_deleted("Deletion of _backwards_hooks not allowed!", "the handle's remove()")

    def reinforce(self, reward: Any) -> None:
        """Removed from PyTorch long ago: raises. What took its place is `log_prob` of a
        distribution.

        >>> torch.zeros(1).reinforce(1.0)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        RuntimeError: ...
        """
        raise RuntimeError(
            "reinforce() was removed.\nUse torch.distributions instead: loss = -log_prob * reward"
        )

    # -- indexing ----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if self.__class__ not in overrides.ordinary and overrides.enabled():
            return overrides.dispatch(Tensor.__getitem__, (self, key), {}, (self,))
        return getitem.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.__class__ not in overrides.ordinary and overrides.enabled():
            overrides.dispatch(Tensor.__setitem__, (self, key, value), {}, (self,))
            return
        setitem.setitem(self, key, value)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    # -- copies ------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self.is_leaf:
            raise RuntimeError(
                message(
                    "Only Tensors created explicitly by the user (graph leaves) support the "
                    "deepcopy protocol at the moment. "
                    "If you were attempting to deepcopy a module, this may be because of a "
                    "torch.nn.utils.weight_norm usage.",
                    hint="x.detach().clone()",
                )
            )
        if id(self) in memo:
            return memo[id(self)]
        from .tensor_copies import copied

        return copied(self, memo)

    def __copy__(self) -> Any:
        t = self.as_subclass(type(self)) if type(self) is not Tensor else self.detach()
        t._fn = self._fn
        t.__dict__.update(self.__dict__)
        return t

    def as_subclass(self, cls: type) -> Any:
        """The same tensor, of the same memory and history, as an instance of a Tensor subclass.

        Raises:
            TypeError: not a subclass of Tensor.

        >>> class Labelled(torch.Tensor):
        ...     label = "none"
        >>> x = torch.zeros(2).as_subclass(Labelled)
        >>> x.label, type(x * 2).__name__
        ('none', 'Labelled')
        """
        if not issubclass(cls, TensorBase):
            raise TypeError("as_subclass(): cls must be a subclass of Tensor")
        if cls.__torch_dispatch__ is not Tensor.__torch_dispatch__:  # type: ignore[attr-defined]
            from .tensor_dispatch import around

            return around(cls, self)
        t: Any = object.__new__(cls)
        t._a, t._fn, t._vc, t._v, t._x = self._a, self._fn, self._vc, self._v, None
        return t

    @staticmethod
    def _make_subclass(cls: type, data: Any, require_grad: bool = False) -> Any:
        if cls.__torch_dispatch__ is not Tensor.__torch_dispatch__:  # type: ignore[attr-defined]
            from .tensor_dispatch import around

            return around(cls, data.detach()).requires_grad_(require_grad)
        t = data.detach().as_subclass(cls)
        t._vc = None
        return t.requires_grad_(require_grad)

    @staticmethod
    def _make_wrapper_subclass(cls: type, size: Any, *args: Any, **kw: Any) -> Any:
        """A tensor without data, for whose class `__torch_dispatch__` computes."""
        from .tensor_dispatch import wrapper

        return wrapper(cls, size, *args, **kw)

    @staticmethod
    def __torch_dispatch__(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The usual: nothing is taken over."""
        from .ops.core.dispatch import disabled_torch_dispatch

        return disabled_torch_dispatch(func, types, args, kwargs)

    def __init_subclass__(cls, **kw: Any) -> None:
        super().__init_subclass__(**kw)
        own = cls.__dict__.get("__torch_dispatch__")
        if own is not None and getattr(cls.__torch_function__, "__func__", None) is USUAL:
            # PyTorch's rule: below autograd is enough unless both are written
            cls.__torch_function__ = staticmethod(overrides.disabled_torch_function)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from .tensor_copies import reduce_tensor

        return reduce_tensor(self)

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)


class Parameter(Tensor):
    """A Tensor that a Module registers as its parameter when it is assigned as an attribute.

    Args:
        data: the values (the same memory is used).
        requires_grad: whether gradients are computed for it.

    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(torch.ones(2))
    ...         self.plain = torch.ones(2)  # no parameter: an attribute like any other
    >>> list(Scale().named_parameters())
    [('factor', Parameter containing:
    tensor([1., 1.], requires_grad=True))]
    """

    __slots__ = ()
    __module__ = "rushlight.nn.parameter"
    __torch_function__: Any = staticmethod(overrides.disabled_torch_function)

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        return _as_kind(cls, data, requires_grad)

    def __init__(self, *args: Any, **kw: Any) -> None:
        """`__new__` does the work; that of a subclass may take other arguments."""

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + Tensor.__repr__(self, tensor_contents=tensor_contents)  # type: ignore[call-arg]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if self._a.__class__ is OuterArray:  # a copy as its class makes one
            with door.grad_enabled(False):
                made = memo[id(self)] = Parameter(self.detach().clone(), self.requires_grad)
            return made
        from .tensor_copies import copied

        return copied(self, memo)


class Buffer(Tensor):
    """A Tensor that a Module registers as a buffer when it is assigned as an attribute.

    Args:
        data: the values (the same memory is used).
        persistent: whether `state_dict()` has it.

    >>> module = nn.Module()
    >>> module.mean = nn.Buffer(torch.zeros(2))
    >>> dict(module.state_dict()), list(module.parameters())
    ({'mean': tensor([0., 0.])}, [])
    """

    __slots__ = ()
    __module__ = "rushlight.nn.parameter"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        t = _as_kind(cls, data, False)
        t.persistent = persistent
        t._is_buffer = True
        return t

    def __init__(self, *args: Any, **kw: Any) -> None:
        """`__new__` does the work; that of a subclass may take other arguments."""


def _as_kind(cls: Any, data: Any, requires_grad: bool) -> Any:
    if data is None:
        data = factories.empty(0)
    if not isinstance(data, TensorBase):
        raise TypeError(
            f"cannot create a {cls.__name__} from {type(data).__name__}: it takes a Tensor"
        )
    if data._a.__class__ is OuterArray:
        from .tensor_dispatch import as_kind

        return as_kind(cls, data, requires_grad)
    kind = door.sparse_class(cls) if isinstance(data._a, SparseArray) else cls
    t: Any = object.__new__(kind)
    t._a = data._a
    t._fn = t._vc = t._v = None
    t._x = door.born_here()
    return t._require_grad() if requires_grad else t


def not_deleted(what: str, hint: str) -> RuntimeError:
    """Of an attribute that a tensor always has."""
    return RuntimeError(message(what, hint=hint))


def unresolved_error(t: Any) -> RuntimeError:
    """The error of a tensor whose memory does not hold its values."""
    bit, name = ("conjugate", "conj") if t.is_conj() else ("negative", "neg")
    return RuntimeError(
        message(
            f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{name}()"
            ".numpy() instead.",
            hint=f"x.resolve_{name}().numpy(), or x.numpy(force=True)",
        )
    )


wrap = door.wrap
overrides.add_ordinary(Tensor, Parameter, Buffer)
door.bind(Tensor, Parameter)
tells(Tensor, "item", "item", "tolist", "__bool__", "__float__", "__int__", "__index__",
      "__complex__", "__repr__")  # fmt: skip
tells(Tensor, "cut", "numpy", "detach", "detach_", "data")
tells(Tensor, "requires_grad", "requires_grad_")


def _load() -> None:
    """Let machine code read `grad` and set it to None."""
    from .autograd import grad_code

    by_python: Any = _grad_by_python
    cls: Any = Tensor
    read, write = grad_code.functions(by_python.fget, by_python.fset)
    cls.grad = cls._grad = property(read, write, by_python.fdel, by_python.__doc__)


_grad_by_python: Any = Tensor.grad
few.when_loaded(_load)


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a Tensor.

    >>> torch.is_tensor(torch.zeros(1)), torch.is_tensor(np.zeros(1))
    (True, False)
    """
    return isinstance(obj, TensorBase)


__all__ = ["Buffer", "Node", "Parameter", "Tensor", "accumulator", "is_tensor", "wrap"]

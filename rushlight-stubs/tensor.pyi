"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

from rushlight import return_types as return_types
from rushlight.layout import memory_format
from rushlight.random import Generator
from rushlight.size import Size
from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)

_S = TypeVar("_S", bound="Tensor")

class Tensor:
    """An n-dimensional array of one dtype, with automatic differentiation.

    Made by `rushlight.tensor(data)` and the factory functions; `Tensor(2, 3)` is the legacy
    constructor of an uninitialised float tensor, `Tensor([1, 2])` copies data.
    """

    def __init__(self, *args: Any, **kw: Any) -> None: ...
    __hash__ = object.__hash__
    @property
    def H(self) -> Tensor:
        """`x.H`: the conjugate transpose of a matrix, for real numbers the same as `x.T`.

        >>> torch.tensor([[1.0j, 2.0]]).H
        tensor([[0.-1.j],
                [2.-0.j]])
        """
    @property
    def T(self) -> Tensor:
        """`x.T`: all dimensions in reverse order, a view; of a matrix its transpose.

        Of other than 2-d tensors deprecated, with a warning: use `x.mT` or `permute`.

        >>> torch.tensor([[1, 2], [3, 4]]).T
        tensor([[1, 3],
                [2, 4]])
        """
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | Number) -> Tensor: ...
    def __and__(self, other: Tensor | Number) -> Tensor: ...
    def __array__(self, dtype: _dtype | None = None, copy: Any = None) -> Any: ...
    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: _bool = False) -> Any: ...
    def __bool__(self) -> _bool: ...
    def __buffer__(self, flags: _int) -> Any:
        """The memory for `memoryview(tensor)` and its like, from Python 3.12 on."""
    def __complex__(self) -> _complex: ...
    def __contains__(self, element: Any) -> _bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any) -> Self: ...
    def __delitem__(self, key: Tensor) -> None: ...
    def __div__(self, other: Tensor | Number) -> Tensor: ...
    def __dlpack__(self, *, stream: _int = -1, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any: ...
    def __dlpack_device__(self) -> Any: ...
    def __eq__(self, other: Any) -> Tensor: ...
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Tensor | Number) -> Tensor: ...
    def __format__(self, spec: _str) -> _str: ...
    def __ge__(self, other: Tensor | Number) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __gt__(self, other: Tensor | Number) -> Tensor: ...
    def __iadd__(self, other: Tensor | Number) -> Self: ...
    def __iand__(self, other: Tensor | Number) -> Self: ...
    def __idiv__(self, other: Tensor | Number) -> Self: ...
    def __ifloordiv__(self, other: Tensor | Number) -> Self: ...
    def __ilshift__(self, other: Tensor | Number) -> Self: ...
    def __imod__(self, other: Tensor | Number) -> Self: ...
    def __imul__(self, other: Tensor | Number) -> Self: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | Number) -> Self: ...
    def __ipow__(self, other: Tensor | Number) -> Self: ...
    def __irshift__(self, other: Tensor | Number) -> Self: ...
    def __isub__(self, other: Tensor | Number) -> Self: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Tensor | Number) -> Self: ...
    def __ixor__(self, other: Tensor | Number) -> Self: ...
    def __le__(self, other: Tensor | Number) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __long__(self) -> _int: ...
    def __lshift__(self, other: Tensor | Number) -> Tensor: ...
    def __lt__(self, other: Tensor | Number) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __mod__(self, other: Tensor | Number) -> Tensor: ...
    def __mul__(self, other: Tensor | Number) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Tensor | Number) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | Number) -> Tensor: ...
    def __radd__(self, other: Tensor | Number) -> Tensor: ...
    def __rand__(self, other: Tensor | Number) -> Tensor: ...
    def __rdiv__(self, other: Tensor | Number) -> Tensor: ...
    def __repr__(self, *, tensor_contents: Any = None) -> _str: ...
    def __reversed__(self) -> Tensor:
        """A copy with the first dimension the other way round, as Python reverses any sequence."""
    def __rfloordiv__(self, other: Tensor | Number) -> Tensor: ...
    def __rlshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    def __rmod__(self, other: Tensor | Number) -> Tensor: ...
    def __rmul__(self, other: Tensor | Number) -> Tensor: ...
    def __ror__(self, other: Tensor | Number) -> Tensor: ...
    def __rpow__(self, other: Tensor | Number) -> Tensor: ...
    def __rrshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rsub__(self, other: Tensor | Number) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | Number) -> Tensor: ...
    def __rxor__(self, other: Tensor | Number) -> Tensor: ...
    def __setitem__(self, key: Any, value: Tensor | Number) -> None: ...
    def __sub__(self, other: Tensor | Number) -> Tensor: ...
    @classmethod
    def __torch_dispatch__(cls, *args: Any, **kw: Any) -> Any:
        """The usual: nothing is taken over."""
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Tensor's own `__torch_function__`: run as usual, and give the results the subclass's type."""
    def __truediv__(self, other: Tensor | Number) -> Tensor: ...
    def __xor__(self, other: Tensor | Number) -> Tensor: ...
    def abs(self) -> Tensor:
        """The magnitude |x|; real for complex x."""
    def abs_(self) -> Tensor:
        """In place: the magnitude |x|; real for complex x."""
    def absolute(self) -> Tensor:
        """The magnitude |x|; real for complex x."""
    def absolute_(self) -> Tensor:
        """In place: the magnitude |x|; real for complex x."""
    def acos(self) -> Tensor:
        """Inverse cosine, radians."""
    def acos_(self) -> Tensor:
        """In place: inverse cosine, radians."""
    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine."""
    def acosh_(self) -> Tensor:
        """In place: inverse hyperbolic cosine."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other, with broadcasting and type promotion.

        >>> import rushlight as torch
        >>> torch.tensor([1, 2]).add(10)
        tensor([11, 12])
        """
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input += alpha * other, in place."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum of batch1[i] @ batch2[i])."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (the sum of batch1[i] @ batch2[i])."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In place: input + value * tensor1 / tensor2."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In place: input + value * tensor1 * tensor2."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (mat1 @ mat2)."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec)."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (mat @ vec)."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * outer(vec1, vec2)."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * outer(vec1, vec2)."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

        `input` (*, m, n), the result (*, n, m), a view.

        >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
        >>> x.adjoint()
        tensor([[1.-1.j],
                [2.-0.j]])
        """
    def all(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """Whether every element is non-zero."""
    def allclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are close: |input - other| <= atol + rtol * |other|."""
    def amax(self, dim: Dims = ..., keepdim: _bool = False) -> Tensor:
        """The largest value over `dim`; gradients are shared equally among ties."""
    def amin(self, dim: Dims = ..., keepdim: _bool = False) -> Tensor:
        """The smallest value over `dim`; gradients are shared equally among ties."""
    def aminmax(self, *, dim: _int | None=None, keepdim: _bool=False) -> return_types.aminmax:
        """(smallest, largest) of all elements or along `dim`."""
    def angle(self) -> Tensor:
        """The argument of each number: atan2(imag, real); 0 or pi for real ones."""
    def any(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """Whether some element is non-zero."""
    def apply_(self, callable: Any) -> Tensor:
        """Replace each element by callable(element), in place; a Python call an element, so not for
        speed.
        """
    def arccos(self) -> Tensor:
        """Inverse cosine, radians."""
    def arccos_(self) -> Tensor:
        """In place: inverse cosine, radians."""
    def arccosh(self) -> Tensor:
        """Inverse hyperbolic cosine."""
    def arccosh_(self) -> Tensor:
        """In place: inverse hyperbolic cosine."""
    def arcsin(self) -> Tensor:
        """Inverse sine, radians."""
    def arcsin_(self) -> Tensor:
        """In place: inverse sine, radians."""
    def arcsinh(self) -> Tensor:
        """Inverse hyperbolic sine."""
    def arcsinh_(self) -> Tensor:
        """In place: inverse hyperbolic sine."""
    def arctan(self) -> Tensor:
        """Inverse tangent, radians."""
    def arctan2(self, other: Tensor) -> Tensor:
        """Angle of the point (b, a): atan(a / b) in the right quadrant."""
    def arctan2_(self, other: Tensor) -> Tensor:
        """In place: angle of the point (b, a): atan(a / b) in the right quadrant."""
    def arctan_(self) -> Tensor:
        """In place: inverse tangent, radians."""
    def arctanh(self) -> Tensor:
        """Inverse hyperbolic tangent."""
    def arctanh_(self) -> Tensor:
        """In place: inverse hyperbolic tangent."""
    def argmax(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """The position of the largest value, in the flattened tensor or along `dim`."""
    def argmin(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """The position of the smallest value, in the flattened tensor or along `dim`."""
    def argsort(self, dim: _int = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
        """The indices that sort along dim."""
    def argwhere(self) -> Tensor:
        """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

        >>> x = torch.tensor([[0, 5], [6, 0]])
        >>> x.argwhere()
        tensor([[0, 1],
                [1, 0]])
        """
    def as_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """A view of the tensor's storage with these sizes and strides, from `storage_offset` on.

        Element (i, j) is the one at `storage_offset + i * stride[0] + j * stride[1]`; strides and
        offset count elements, not bytes. Without an offset the tensor's own is used. Elements may be
        seen more than once; gradients are then added. RuntimeError if it reaches beyond the storage.

        >>> x = torch.arange(6)
        >>> torch.as_strided(x, (4, 3), (1, 1))
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4],
                [3, 4, 5]])
        """
    def as_strided_(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """In place: the tensor itself gets these sizes and strides over its storage (see `as_strided`).

        >>> torch.arange(6).as_strided_((2, 2), (1, 3))
        tensor([[0, 3],
                [1, 4]])
        """
    def as_strided_scatter(self, src: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """A copy of `input` with `src` at the places that `as_strided` with these arguments would see.

        >>> x = torch.zeros(2, 3)
        >>> torch.as_strided_scatter(x, torch.tensor([1.0, 2.0]), (2,), (4,))
        tensor([[1., 0., 0.],
                [0., 2., 0.]])
        """
    def as_subclass(self, cls: builtins.type[_S]) -> _S:
        """The same tensor as an instance of a Tensor subclass."""
    def asin(self) -> Tensor:
        """Inverse sine, radians."""
    def asin_(self) -> Tensor:
        """In place: inverse sine, radians."""
    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine."""
    def asinh_(self) -> Tensor:
        """In place: inverse hyperbolic sine."""
    def atan(self) -> Tensor:
        """Inverse tangent, radians."""
    def atan2(self, other: Tensor) -> Tensor:
        """Angle of the point (b, a): atan(a / b) in the right quadrant."""
    def atan2_(self, other: Tensor) -> Tensor:
        """In place: angle of the point (b, a): atan(a / b) in the right quadrant."""
    def atan_(self) -> Tensor:
        """In place: inverse tangent, radians."""
    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent."""
    def atanh_(self) -> Tensor:
        """In place: inverse hyperbolic tangent."""
    def backward(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False, inputs: Tensor | Sequence[Tensor] | None = None) -> None:
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
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2) for each matrix of the stacks."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (batch1 @ batch2) for each matrix of the stacks."""
    def bernoulli(self, p: Number | _str | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 or 0, each with the probability in `input`; with `p`, of that probability everywhere.

        Example:
            >>> import rushlight as torch
            >>> torch.ones(3).bernoulli()
            tensor([1., 1., 1.])
        """
    def bernoulli_(self, p: Number | _str = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 of probability p and 0 otherwise; p is a number or a tensor of them."""
    def bfloat16(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.bfloat16; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.bfloat16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.bfloat16().dtype
        torch.bfloat16
        """
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each of 0, 1, 2, ... occurs (or the sum of its weights)."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """a & b."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In place: a & b."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """a << b."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: a << b."""
    def bitwise_not(self) -> Tensor:
        """~x: bits inverted; logical not for bool."""
    def bitwise_not_(self) -> Tensor:
        """In place: ~x: bits inverted; logical not for bool."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """a | b."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In place: a | b."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """a >> b."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: a >> b."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """a ^ b."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In place: a ^ b."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two equally long stacks of matrices."""
    def bool(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.bool; itself if it is that already.

        True is whatever is not zero. The same as `x.to(torch.bool)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.bool().dtype
        torch.bool
        """
    def broadcast_to(self, size: _int | Sequence[_int]) -> Tensor:
        """A view with the shape `size`: missing leading dimensions are added, sizes of 1 are repeated.

        Nothing is copied. RuntimeError where a size is neither 1 nor the one asked for.

        >>> x = torch.tensor([1, 2, 3])
        >>> torch.broadcast_to(x, (2, 3))
        tensor([[1, 2, 3],
                [1, 2, 3]])
        """
    def byte(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.uint8; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.uint8)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.byte().dtype
        torch.uint8
        """
    def cauchy_(self, median: _float = 0, sigma: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of the Cauchy distribution."""
    def ccol_indices(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def cdouble(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.complex128; itself if it is that already.

        Real numbers get the imaginary part 0. The same as `x.to(torch.complex128)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.cdouble().dtype
        torch.complex128
        """
    def ceil(self) -> Tensor:
        """The smallest integer not below x."""
    def ceil_(self) -> Tensor:
        """In place: the smallest integer not below x."""
    def cfloat(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.complex64; itself if it is that already.

        Real numbers get the imaginary part 0. The same as `x.to(torch.complex64)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.cfloat().dtype
        torch.complex64
        """
    def chalf(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.complex32; itself if it is that already.

        Real numbers get the imaginary part 0. The same as `x.to(torch.complex32)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.chalf().dtype
        torch.complex32
        """
    def char(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int8; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int8)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.char().dtype
        torch.int8
        """
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The Cholesky factor; the older name of linalg.cholesky."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of A from its Cholesky factor L, which is `input`."""
    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor:
        """The X with A @ X = input, from the Cholesky factor L of A, which is `input2`."""
    def chunk(self, chunks: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """At most `chunks` views of equal size along `dim`, as a tuple; the last may be smaller.

        Each has ceil(n / chunks) positions, so there may be fewer than `chunks`; `tensor_split` gives
        exactly as many as asked for.

        >>> x = torch.arange(5)
        >>> x.chunk(2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        >>> len(x.chunk(4))
        3
        """
    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Values below `min` become min, values above `max` become max (numbers or tensors).

        >>> import rushlight as torch
        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        """
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """`clamp` in place."""
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Values above `max` become max."""
    def clamp_max_(self, max: Tensor | Number) -> Tensor:
        """`clamp_max` in place."""
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Values below `min` become min."""
    def clamp_min_(self, min: Tensor | Number) -> Tensor:
        """`clamp_min` in place."""
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Values below `min` become min, values above `max` become max (numbers or tensors).

        >>> import rushlight as torch
        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        """
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """`clamp` in place."""
    def clone(self, *, memory_format: memory_format | None = None) -> Tensor:
        """A copy of the tensor, part of the graph: gradients flow through it to the tensor.

        `memory_format`: how the copy lies in memory; by default as the tensor does if that has no gaps.
        For a copy without history: `x.detach().clone()`.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> y = x.clone()
        >>> y.sum().backward()
        >>> x.grad
        tensor([1., 1.])
        """
    def coalesce(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def col_indices(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def conj(self) -> Tensor:
        """The complex conjugate, a view: what is written to it arrives conjugated in `input`. A real
        tensor is returned as it is.

        >>> import rushlight as torch
        >>> x = torch.tensor([1 + 2j])
        >>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
        (True, True)
        """
    def conj_physical(self) -> Tensor:
        """The complex conjugate."""
    def conj_physical_(self) -> Tensor:
        """In place: the complex conjugate."""
    def const_data_ptr(self) -> _int:
        """Address of the first element."""
    def contiguous(self, memory_format: memory_format = ...) -> Tensor:
        """The tensor itself if its elements lie in memory in order and without gaps, else such a copy.

        `memory_format`: `torch.contiguous_format` (row-major), `torch.channels_last` (4-d) or
        `torch.channels_last_3d` (5-d).

        >>> x = torch.zeros(2, 3).t()
        >>> x.stride(), x.contiguous().stride()
        ((1, 3), (2, 1))
        """
    def copy_(self, other: Tensor | Number, non_blocking: _bool = False) -> Tensor:
        """Copies the values of `other` into this tensor, in place: broadcast and cast to its dtype.

        Gradients flow back to `other`. RuntimeError if `other` does not broadcast to the tensor's
        shape.

        >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
        tensor([[1., 2.],
                [1., 2.]])
        """
    def copysign(self, other: Tensor | Number) -> Tensor:
        """The magnitude of a with the sign of b."""
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In place: the magnitude of a with the sign of b."""
    def corrcoef(self) -> Tensor:
        """The correlation matrix of variables (rows)."""
    def cos(self) -> Tensor:
        """Cosine of radians."""
    def cos_(self) -> Tensor:
        """In place: cosine of radians."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine."""
    def cosh_(self) -> Tensor:
        """In place: hyperbolic cosine."""
    def count_nonzero(self, dim: Dims | None = None) -> Tensor:
        """How many elements are not zero."""
    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariance matrix of variables (rows) over observations (columns)."""
    def cpu(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor on the CPU: itself, where all tensors with values are.

        >>> x = torch.tensor([1.0])
        >>> x.cpu() is x
        True
        """
    @property
    def creator(self) -> Any:
        """The old name of grad_fn."""
    def cross(self, other: Tensor | Number, dim: _int | None = None) -> Tensor:
        """The vector product along dim (by default the first dim of size 3)."""
    def crow_indices(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def cuda(self, device: Device = None, non_blocking: _bool = False, memory_format: memory_format | None = None) -> Tensor:
        """Raises: there is no CUDA here. Ask `torch.cuda.is_available()` first."""
    def cummax(self, dim: _int) -> return_types.cummax:
        """(running largest values, their last positions) along `dim`."""
    def cummin(self, dim: _int) -> return_types.cummin:
        """(running smallest values, their last positions) along `dim`."""
    def cumprod(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Running products along `dim`."""
    def cumprod_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """In-place form of `cumprod`."""
    def cumsum(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Running sums along `dim`. Integers are summed in int64."""
    def cumsum_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """In-place form of `cumsum`."""
    @property
    def data(self) -> Tensor:
        """The same memory without history and outside the version counting (prefer detach)."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """Address of the first element (0 for meta and empty tensors), where it may be written to."""
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def deg2rad_(self) -> Tensor:
        """In place: degrees as radians."""
    def dense_dim(self) -> _int:
        """All dimensions are dense."""
    def det(self) -> Tensor:
        """The determinant of square matrices.

        >>> import rushlight as torch
        >>> torch.linalg.det(torch.eye(3) * 2)
        tensor(8.)
        """
    def detach(self) -> Tensor:
        """A tensor of the same memory without history."""
    def detach_(self) -> Tensor:
        """Cut this tensor itself off its history."""
    @property
    def device(self) -> _device:
        """Where the tensor lives: cpu or meta."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """A vector as the diagonal of a square matrix, or the diagonal of a matrix as a vector."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """Matrices of zeros that have the last dimension of `input` on a diagonal.

        `input` (*, n), the result (*, k, k) with k = n + |offset|. A positive `offset` is above the
        main diagonal; `dim1` and `dim2` say where the matrices' dimensions stand.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.diag_embed()
        tensor([[[1, 0],
                 [0, 2]],
        <BLANKLINE>
                [[3, 0],
                 [0, 4]]])
        >>> x.diag_embed(offset=1).shape
        torch.Size([2, 3, 3])
        """
    def diagflat(self, offset: _int = 0) -> Tensor:
        """A square matrix with all elements of `input` on a diagonal (`offset` above the main one).

        >>> torch.tensor([1, 2]).diagflat(1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])
        """
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """A view of a diagonal of two dimensions: elements (i, i + offset), as the last dimension.

        `input` (*, m, n) gives (*, min(m, n)) for `offset=0`. Positive offsets are above the main
        diagonal. By default the first two dimensions are meant: `dim1=0`, `dim2=1`
        (`torch.linalg.diagonal`: the last two).

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.diagonal()
        tensor([1, 5])
        >>> x.diagonal(1)
        tensor([2, 6])
        """
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """A copy of `input` with `src` on a diagonal; parameters as of `diagonal`.

        >>> x = torch.zeros(2, 2)
        >>> torch.diagonal_scatter(x, torch.tensor([1.0, 2.0]))
        tensor([[1., 0.],
                [0., 2.]])
        """
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The n-th difference of neighbours along `dim`."""
    def digamma(self) -> Tensor:
        """The derivative of lgamma."""
    def digamma_(self) -> Tensor:
        """In place: the derivative of lgamma."""
    def dim(self) -> _int:
        """Number of dimensions."""
    def dim_order(self, *, ambiguity_check: _bool = False) -> builtins.tuple[_int, ...]:
        """The dimensions from the outermost in memory to the innermost.

        Args:
            ambiguity_check: True: RuntimeError where another order fits the strides as well, as it does
                where a dimension has one element. A list of memory formats: where more than one of
                them, or none, fits.
        """
    def dist(self, other: Tensor | Number, p: _float = 2) -> Tensor:
        """The p-norm of input - other."""
    def div(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
    def div_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input /= other, in place."""
    def divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
    def divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input /= other, in place."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of products of two vectors (no conjugation)."""
    def double(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.float64; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.float64)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.double().dtype
        torch.float64
        """
    def dsplit(self, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
        """Views along dimension 2: in n equal parts, or cut before each given index.

        `tensor_split` of tensors with at least 3 dimensions, but n must
        divide the size.

        >>> x = torch.zeros(4, 4, 4)
        >>> [part.shape for part in x.dsplit(2)]
        [torch.Size([4, 4, 2]), torch.Size([4, 4, 2])]
        """
    @property
    def dtype(self) -> _dtype:
        """The element type."""
    def eig(self, eigenvectors: _bool = False) -> Any:
        """Removed from PyTorch: call torch.linalg.eig."""
    def element_size(self) -> _int:
        """Bytes an element takes."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """True where a equals b."""
    def eq_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a equals b."""
    def equal(self, other: Tensor | Number) -> _bool:
        """Whether both have one shape and equal elements."""
    def erf(self) -> Tensor:
        """The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    def erf_(self) -> Tensor:
        """In place: the error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    def erfc(self) -> Tensor:
        """1 - erf(x), accurate where erf(x) is near 1."""
    def erfc_(self) -> Tensor:
        """In place: 1 - erf(x), accurate where erf(x) is near 1."""
    def erfinv(self) -> Tensor:
        """The inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
    def erfinv_(self) -> Tensor:
        """In place: the inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
    def exp(self) -> Tensor:
        """e to the x."""
    def exp2(self) -> Tensor:
        """2 to the x."""
    def exp2_(self) -> Tensor:
        """In place: 2 to the x."""
    def exp_(self) -> Tensor:
        """In place: e to the x."""
    @overload
    def expand(self, size: Sequence[_int], *, implicit: _bool = False) -> Tensor: ...
    @overload
    def expand(self, *size: _int, implicit: _bool = False) -> Tensor:
        """A view in which dimensions of size 1 are repeated without being copied.

        Dimensions may be added in front; -1 keeps a size. All copies are one place in memory, so
        clone before writing into them.

        >>> x = torch.tensor([[1], [2]])
        >>> x.expand(-1, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
        >>> x.expand(2, 3).stride()
        (1, 0)
        """
    def expand_as(self, other: Tensor | Number) -> Tensor:
        """`x.expand(other.shape)`: repeated to the shape of another tensor, without a copy.

        >>> torch.tensor([1, 2]).expand_as(torch.zeros(2, 2))
        tensor([[1, 2],
                [1, 2]])
        """
    def expm1(self) -> Tensor:
        """exp(x) - 1."""
    def expm1_(self) -> Tensor:
        """In place: exp(x) - 1."""
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of density ``lambd exp(-lambd x)``."""
    def fill_(self, value: Tensor | Number) -> Tensor:
        """Fills the tensor with one value (a number or a 0-d tensor), in place.

        >>> torch.empty(2, 2).fill_(7)
        tensor([[7., 7.],
                [7., 7.]])
        """
    def fill_diagonal_(self, fill_value: Number, wrap: _bool = False) -> Tensor:
        """Writes one number on the main diagonal, in place.

        For more than two dimensions all sizes must be equal. `wrap`: in a tall matrix the diagonal
        begins again below, one row further down.

        >>> torch.zeros(3, 3).fill_diagonal_(1)
        tensor([[1., 0., 0.],
                [0., 1., 0.],
                [0., 0., 1.]])
        """
    def fix(self) -> Tensor:
        """x without its fraction."""
    def fix_(self) -> Tensor:
        """In place: x without its fraction."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """The dimensions from `start_dim` to `end_dim` as one; all of them by default.

        A view where the strides allow it, else a copy. `flatten(x, 1)` keeps the batch dimension:
        (n, c, h, w) becomes (n, c * h * w). A tensor without dimensions becomes (1,).

        >>> x = torch.zeros(2, 3, 4)
        >>> x.flatten().shape
        torch.Size([24])
        >>> x.flatten(1).shape
        torch.Size([2, 12])
        """
    @overload
    def flip(self, dims: Sequence[_int]) -> Tensor: ...
    @overload
    def flip(self, *dims: _int) -> Tensor:
        """A copy with the order along the dimensions `dims` reversed.

        >>> torch.tensor([1, 2, 3]).flip(0)
        tensor([3, 2, 1])
        """
    def fliplr(self) -> Tensor:
        """A copy with the columns in reverse order: `flip` along the second dimension.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.fliplr()
        tensor([[2, 1],
                [4, 3]])
        """
    def flipud(self) -> Tensor:
        """A copy with the rows in reverse order: `flip` along the first dimension.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.flipud()
        tensor([[3, 4],
                [1, 2]])
        """
    def float(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.float32; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.float32)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.float().dtype
        torch.float32
        """
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """input^exponent in float64 (complex128 for complex numbers)."""
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """`float_power` in place; the tensor must be of float64 or complex128."""
    def floor(self) -> Tensor:
        """The largest integer not above x."""
    def floor_(self) -> Tensor:
        """In place: the largest integer not above x."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """The largest integer not above a / b."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In place: the largest integer not above a / b."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of a and b; NaN only if both are."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of a and b; NaN only if both are."""
    def fmod(self, other: Tensor | Number) -> Tensor:
        """a - b * trunc(a / b): the sign of a."""
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In place: a - b * trunc(a / b): the sign of a."""
    def frac(self) -> Tensor:
        """x - trunc(x)."""
    def frac_(self) -> Tensor:
        """In place: x - trunc(x)."""
    def frexp(self) -> return_types.frexp:
        """(mantissa in [0.5, 1), exponent) with x = mantissa * 2^exponent; for floating tensors."""
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """Elements of `input` picked along `dim`, one for each element of `index`.

        For dim=1 and two dimensions y[i, j] = input[i, index[i, j]]. `index` is int64 (or int32), with
        as many dimensions as `input` and nowhere longer, but along `dim`; y has its shape. RuntimeError
        for indices out of range; negative ones are. `sparse_grad` makes the gradient sparse.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> torch.gather(x, 1, torch.tensor([[0], [1]]))
        tensor([[1],
                [4]])
        """
    def gcd(self, other: Tensor) -> Tensor:
        """Greatest common divisor."""
    def gcd_(self, other: Tensor) -> Tensor:
        """In place: greatest common divisor."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """True where a >= b."""
    def ge_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a >= b."""
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of trials up to the first success, each of probability p."""
    def geqrf(self) -> return_types.geqrf:
        """LAPACK's compact QR: reflections below the diagonal, and their factors tau."""
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of the first vector with one of the second."""
    def get_device(self) -> _int:
        """-1: the number of a GPU there, none here."""
    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor; None for a leaf."""
    def greater(self, other: Tensor | Number) -> Tensor:
        """True where a > b."""
    def greater_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a > b."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """True where a >= b."""
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a >= b."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """True where a > b."""
    def gt_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a > b."""
    def half(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.float16; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.float16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.half().dtype
        torch.float16
        """
    def hardshrink(self, lambd: _float = 0.5) -> Tensor:
        """x where |x| > lambd, else 0; of narrow types lambd is rounded as the elements are."""
    def hash_tensor(self, dim: Dims = ..., *, keepdim: _bool = False, mode: _int = 0) -> Tensor:
        """A number that tells tensors apart: the exclusive or of the bits of all elements, or over
        `dim`, after each was made a 64-bit number.

        >>> import rushlight as torch
        >>> torch.tensor([1, 2, 4]).hash_tensor()
        tensor(7, dtype=torch.uint64)
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """0 for negative x, 1 for positive x, `values` where x is 0."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """In place: 0 for negative x, 1 for positive x, `values` where x is 0."""
    def histc(self, bins: _int = 100, min: _float = 0, max: _float = 0) -> Tensor:
        """The counts in equal bins between min and max (of the data, when both are 0)."""
    def histogram(self, bins: _int = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogram:
        """(hist, bin_edges): counts (or sums of weights) in bins given by number or by edges."""
    def hsplit(self, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
        """Views along dimension 1, of vectors along dimension 0: in n equal parts, or cut before each given index.

        `tensor_split` of tensors with at least 1 dimension, but n must
        divide the size.

        >>> x = torch.zeros(4, 4, 4)
        >>> [part.shape for part in x.hsplit(2)]
        [torch.Size([4, 2, 4]), torch.Size([4, 2, 4])]
        """
    def hypot(self, other: Tensor) -> Tensor:
        """The hypotenuse sqrt(a^2 + b^2), without overflow."""
    def hypot_(self, other: Tensor) -> Tensor:
        """In place: the hypotenuse sqrt(a^2 + b^2), without overflow."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind, order 0."""
    def i0_(self) -> Tensor:
        """In place: the modified Bessel function of the first kind, order 0."""
    def igamma(self, other: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function P(a, x)."""
    def igamma_(self, other: Tensor) -> Tensor:
        """In place: the regularised lower incomplete gamma function P(a, x)."""
    def igammac(self, other: Tensor) -> Tensor:
        """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
    def igammac_(self, other: Tensor) -> Tensor:
        """In place: the regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
    @property
    def imag(self) -> Tensor:
        """The imaginary part, a view; not for real tensors."""
    @imag.setter
    def imag(self, value: Tensor | Number) -> None: ...
    def index_add(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """A copy with the slices of `source`, times `alpha`, added at positions along `dim`.

        For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
        has the input's dtype and, but for `dim`, its sizes.

        >>> x = torch.zeros(3)
        >>> torch.index_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def index_add_(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """In place: A copy with the slices of `source`, times `alpha`, added at positions along `dim`.

        For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
        has the input's dtype and, but for `dim`, its sizes.

        >>> x = torch.zeros(3)
        >>> torch.index_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def index_copy(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` at the positions in the vector `index` along `dim`.

        For dim=0 y[index[i]] = source[i].

        >>> x = torch.zeros(3)
        >>> torch.index_copy(x, 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
    def index_copy_(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """In place: A copy with the slices of `source` at the positions in the vector `index` along `dim`.

        For dim=0 y[index[i]] = source[i].

        >>> x = torch.zeros(3)
        >>> torch.index_copy(x, 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with one number in the slices along `dim` at the positions in the vector `index`.

        `value` is a number or a 0-d tensor.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> torch.index_fill(x, 1, torch.tensor([0]), 9)
        tensor([[9, 2],
                [9, 4]])
        """
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """Writes one number into the slices along `dim` at the positions in `index`, in place.

        >>> torch.zeros(3).index_fill_(0, torch.tensor([0, 2]), 9)
        tensor([9., 0., 9.])
        """
    def index_put(self, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
        """A copy with `values` at the places that a tuple of index tensors names, as `x[indices] =
        values`.

        `values` broadcast to the shape of the indices and have the input's dtype. `accumulate`: they
        are added to what is there, for a place that is named twice both of them.

        >>> x = torch.zeros(2, 2)
        >>> torch.index_put(x, (torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [6., 0.]])
        """
    def index_put_(self, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
        """Writes `values` at the places that a tuple of index tensors names, in place: `x[indices] =
        values`.

        `accumulate`: they are added to what is there, for a place that is named twice both of them.

        >>> x = torch.zeros(3)
        >>> x.index_put_((torch.tensor([1, 1]),), torch.tensor([5.0, 6.0]), accumulate=True)
        tensor([ 0., 11.,  0.])
        """
    def index_reduce(self, dim: Dims, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """A copy into which slices of `source` are reduced at positions along `dim`.

        `reduce` is "prod", "mean", "amax" or "amin". With `include_self=False` the old values do not
        count at positions that `index` names.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.index_reduce(x, 0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
        tensor([20.,  2.,  3.])
        """
    def index_reduce_(self, dim: Dims, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """In place: A copy into which slices of `source` are reduced at positions along `dim`.

        `reduce` is "prod", "mean", "amax" or "amin". With `include_self=False` the old values do not
        count at positions that `index` names.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.index_reduce(x, 0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
        tensor([20.,  2.,  3.])
        """
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices along `dim` at the positions in the vector `index`, as a new tensor.

        y[i] = input[index[i]] for dim=0. IndexError beyond the end; negative positions are not taken.

        >>> x = torch.tensor([[1, 2], [3, 4], [5, 6]])
        >>> torch.index_select(x, 0, torch.tensor([2, 0]))
        tensor([[5, 6],
                [1, 2]])
        """
    def indices(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def inner(self, other: Tensor | Number) -> Tensor:
        """Sums of products over the last dim of both; a plain product when one is a number."""
    def int(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int32; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int32)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.int().dtype
        torch.int32
        """
    def inverse(self) -> Tensor:
        """The inverse of square matrices (linalg.inv)."""
    def is_coalesced(self) -> _bool:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def is_complex(self) -> _bool:
        """Whether the dtype is a complex type."""
    def is_conj(self) -> _bool:
        """Whether the tensor is a view of its memory's conjugates."""
    def is_contiguous(self, memory_format: memory_format = ...) -> _bool:
        """Whether the elements lie in memory one after the other in the order of the (given) format.

        >>> x = torch.zeros(2, 3)
        >>> x.is_contiguous(), x.t().is_contiguous()
        (True, False)
        """
    @property
    def is_cpu(self) -> _bool:
        """Whether the data are in CPU memory."""
    @property
    def is_cuda(self) -> _bool:
        """Whether it is on a GPU."""
    def is_distributed(self) -> _bool:
        """False."""
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating type."""
    def is_inference(self) -> _bool:
        """Whether the tensor was made inside inference_mode."""
    is_ipu: _bool
    @property
    def is_leaf(self) -> _bool:
        """Whether the tensor was not made by a recorded operation."""
    is_maia: _bool
    @property
    def is_meta(self) -> _bool:
        """Whether it is a shape without data."""
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    def is_neg(self) -> _bool:
        """Whether the tensor is a view of its memory's negatives."""
    is_nested: _bool
    def is_nonzero(self) -> _bool:
        """Whether the only element is not zero."""
    def is_pinned(self, device: Device = None) -> Any: ...
    is_quantized: _bool
    def is_same_size(self, other: Tensor | Number) -> _bool:
        """Whether both have one shape."""
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether both have the same memory, sizes and strides."""
    def is_shared(self) -> _bool:
        """Whether the storage is in shared memory."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative values."""
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Whether |input - other| <= atol + rtol * |other|, element by element."""
    def isfinite(self) -> Tensor:
        """True where x is neither infinite nor NaN."""
    def isinf(self) -> Tensor:
        """True where x is plus or minus infinity."""
    def isnan(self) -> Tensor:
        """True where x is NaN."""
    def isneginf(self) -> Tensor:
        """True where x is -inf."""
    def isposinf(self) -> Tensor:
        """True where x is +inf."""
    def isreal(self) -> Tensor:
        """True where the imaginary part is 0."""
    def istft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
        """The least-squares inverse of stft: overlapped pieces, divided by the overlapped squared
        window.
        """
    def item(self) -> Any:
        """The value of a one-element tensor as a Python number."""
    @property
    def itemsize(self) -> _int:
        """Bytes an element takes."""
    def kron(self, other: Tensor | Number) -> Tensor:
        """The Kronecker product: every element of input times the whole of other."""
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False) -> return_types.kthvalue:
        """(value, index) of the k-th smallest element along dim, k from 1."""
    @property
    def layout(self) -> _layout:
        """torch.strided; sparse tensors have others (`sparse/core.py`)."""
    def lcm(self, other: Tensor) -> Tensor:
        """Least common multiple."""
    def lcm_(self, other: Tensor) -> Tensor:
        """In place: least common multiple."""
    def ldexp(self, other: Tensor | Number) -> Tensor:
        """input * 2^other."""
    def ldexp_(self, other: Tensor | Number) -> Tensor:
        """`ldexp` in place."""
    def le(self, other: Tensor | Number) -> Tensor:
        """True where a <= b."""
    def le_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a <= b."""
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """input + weight * (end - input)."""
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """In place: input + weight * (end - input)."""
    def less(self, other: Tensor | Number) -> Tensor:
        """True where a < b."""
    def less_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a < b."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """True where a <= b."""
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a <= b."""
    def lgamma(self) -> Tensor:
        """log |gamma(x)|."""
    def lgamma_(self) -> Tensor:
        """In place: log |gamma(x)|."""
    def log(self) -> Tensor:
        """Natural logarithm."""
    def log10(self) -> Tensor:
        """Logarithm to base 10."""
    def log10_(self) -> Tensor:
        """In place: logarithm to base 10."""
    def log1p(self) -> Tensor:
        """log(1 + x)."""
    def log1p_(self) -> Tensor:
        """In place: log(1 + x)."""
    def log2(self) -> Tensor:
        """Logarithm to base 2."""
    def log2_(self) -> Tensor:
        """In place: logarithm to base 2."""
    def log_(self) -> Tensor:
        """In place: natural logarithm."""
    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp of normal numbers of this mean and standard deviation."""
    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """log(softmax(x)) along `dim`, without overflow."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(a) + exp(b))."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log2(2^a + 2^b)."""
    def logcumsumexp(self, dim: _int) -> Tensor:
        """log of running sums of exp along `dim`, computed without overflow."""
    def logdet(self) -> Tensor:
        """The log of the determinant; NaN where that is negative."""
    def logical_and(self, other: Tensor) -> Tensor:
        """True where both are non-zero."""
    def logical_and_(self, other: Tensor) -> Tensor:
        """In place: true where both are non-zero."""
    def logical_not(self) -> Tensor:
        """True where x is zero."""
    def logical_not_(self) -> Tensor:
        """In place: true where x is zero."""
    def logical_or(self, other: Tensor) -> Tensor:
        """True where one is non-zero."""
    def logical_or_(self, other: Tensor) -> Tensor:
        """In place: true where one is non-zero."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """True where exactly one is non-zero."""
    def logical_xor_(self, other: Tensor) -> Tensor:
        """In place: true where exactly one is non-zero."""
    def logit(self, eps: Tensor | Number | None = None) -> Tensor:
        """log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
    def logit_(self, eps: Tensor | Number | None = None) -> Tensor:
        """In place: log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
    def logsumexp(self, dim: Dims, keepdim: _bool = False) -> Tensor:
        """log(sum(exp(x))) over `dim`, computed without overflow."""
    def long(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int64; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int64)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.long().dtype
        torch.int64
        """
    def lstsq(self, other: Tensor | Number) -> Any:
        """Removed from PyTorch: call torch.linalg.lstsq, with the arguments the other way round."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """True where a < b."""
    def lt_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a < b."""
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> builtins.tuple[Tensor, ...]:
        """(LU, pivots[, info]); the older name of linalg.lu_factor."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The x with A @ x = input from the packed LU of A; the older form of linalg.lu_solve."""
    @property
    def mH(self) -> Tensor:
        """`x.mH`: the conjugate transpose of each matrix (*, m, n) of a batch.

        >>> torch.zeros(5, 2, 3).mH.shape
        torch.Size([5, 3, 2])
        """
    @property
    def mT(self) -> Tensor:
        """`x.mT`: the last two dimensions exchanged, of each matrix (*, m, n) of a batch; a view.

        >>> torch.zeros(5, 2, 3).mT.shape
        torch.Size([5, 3, 2])
        """
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """Replace each element by callable(element, element of x, element of y), in place."""
    def map_(self, other: Tensor | Number, callable: Any) -> Tensor:
        """Replace each element by callable(element, element of `other`), in place."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """`value` where the mask is True, else the input.

        `mask` is a bool tensor that broadcasts with `input`; `value` a number or a 0-d tensor, in
        tensors of integers cut to a whole number.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> x.masked_fill(x > 1.5, 0)
        tensor([1., 0., 0.])
        """
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Writes `value` where the mask is True, in place.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> x.masked_fill_(x > 1.5, 0)
        tensor([1., 0., 0.])
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The elements of `source` in turn where the mask is True, else the input.

        `mask` is a bool tensor that broadcasts with `input`. RuntimeError if `source` has fewer
        elements than the mask has True. The first True gets the first element, wherever it stands.

        >>> x = torch.zeros(4)
        >>> torch.masked_scatter(x, torch.tensor([False, True, False, True]), torch.tensor([1.0, 2.0]))
        tensor([0., 1., 0., 2.])
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """Writes the elements of `source` in turn where the mask is True, in place.

        >>> torch.zeros(3).masked_scatter_(torch.tensor([False, True, True]), torch.tensor([1.0, 2.0]))
        tensor([0., 1., 2.])
        """
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where the mask is True, one after the other: a new 1-d tensor.

        Both are broadcast. `input[mask]` is the same where the shapes are equal.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.masked_select(x > 1)
        tensor([2, 3, 4])
        """
    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product: vectors, matrices and stacks of matrices, which broadcast."""
    def matrix_exp(self) -> Tensor:
        """The matrix exponential: the sum of A^k / k!."""
    def matrix_power(self, n: _int) -> Tensor:
        """A multiplied with itself n times; the inverse's power for negative n."""
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool=False) -> return_types.max:
        """The largest element; with `dim`, (values, indices) along it; with another tensor, the larger of each pair."""
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of a and b; NaN if either is."""
    def mean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean of all elements, or over `dim`; for floating and complex tensors.

        >>> import rushlight as torch
        >>> torch.tensor([1.0, 2.0, 6.0]).mean()
        tensor(3.)
        """
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: _int, keepdim: _bool=False) -> return_types.median:
        """The lower median of all elements, or (values, indices) along dim."""
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: _int, keepdim: _bool=False) -> return_types.min:
        """The smallest element; with `dim`, (values, indices) along it; with another tensor, the smaller of each pair."""
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of a and b; NaN if either is."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> return_types.mode:
        """(value, index) of the most frequent element along dim; the smallest of several."""
    def module_load(self, other: Tensor | Number, assign: _bool = False) -> Any:
        """What takes this parameter's place when `other` is loaded, where
        `torch.__future__.set_swap_module_params_on_conversion` is on; to be overridden.
        """
    def moveaxis(self, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
        """A view with the dimensions `source` moved to the places `destination`; the others keep order.

        Both are a number or a tuple of the same length.

        >>> x = torch.zeros(2, 3, 4)
        >>> x.movedim(0, -1).shape
        torch.Size([3, 4, 2])
        >>> torch.movedim(x, (0, 1), (1, 2)).shape
        torch.Size([4, 2, 3])
        """
    def movedim(self, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
        """A view with the dimensions `source` moved to the places `destination`; the others keep order.

        Both are a number or a tuple of the same length.

        >>> x = torch.zeros(2, 3, 4)
        >>> x.movedim(0, -1).shape
        torch.Size([3, 4, 2])
        >>> torch.movedim(x, (0, 1), (1, 2)).shape
        torch.Size([4, 2, 3])
        """
    def msort(self) -> Tensor:
        """The values sorted along the first dim."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """Multiply element by element: a * b."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """In place: multiply element by element: a * b."""
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices drawn with the probabilities in each row of `input` (they need not sum to one).

        Args:
            input: (n,) or (rows, n) weights, floating.
            num_samples: how many indices a row gets.
            replacement: whether an index may come twice.

        Returns:
            int64 of shape (num_samples,) or (rows, num_samples).

        Raises:
            RuntimeError: negative, infinite or only zero weights; more samples than weights.
        """
    def multiply(self, other: Tensor | Number) -> Tensor:
        """Multiply element by element: a * b."""
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """In place: multiply element by element: a * b."""
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""
    def mvlgamma(self, p: _int) -> Tensor:
        """The log of the p-variate gamma function: p (p-1)/4 log(pi) + sum of lgamma(x - j/2), j <
        p.
        """
    def mvlgamma_(self, p: _int) -> Tensor:
        """In place: the log of the p-variate gamma function: p (p-1)/4 log(pi) + sum of lgamma(x - j/2), j <
        p.
        """
    @property
    def name(self) -> Any:
        """The name of a variable: none has one."""
    def nan_to_num(self, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
        """NaN becomes `nan` (0), infinities `posinf` and `neginf` (the largest and smallest finite
        numbers).
        """
    def nan_to_num_(self, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
        """In place: naN becomes `nan` (0), infinities `posinf` and `neginf` (the largest and smallest finite
        numbers).
        """
    def nanmean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean of the elements that are not NaN."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool=False) -> return_types.nanmedian:
        """The lower median of the elements that are not NaN."""
    def nanquantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-th quantiles of the elements that are not NaN."""
    def nansum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum with NaN counted as zero; they are left out before `dtype=` converts."""
    def narrow(self, dim: _int, start: Tensor | Number, length: _int) -> Tensor:
        """A view of `length` positions of `dim`, from `start` on: x[start : start + length].

        `start` may be negative, or a 0-d tensor of integers. RuntimeError if it reaches beyond the end.

        >>> x = torch.arange(5)
        >>> x.narrow(0, 1, 3)
        tensor([1, 2, 3])
        """
    def narrow_copy(self, dim: _int, start: Tensor | Number, length: _int) -> Tensor:
        """`narrow` as a copy: `length` positions of `dim` from `start` on, with memory of their own.

        >>> x = torch.arange(5)
        >>> x.narrow_copy(0, 1, 3)
        tensor([1, 2, 3])
        """
    @property
    def nbytes(self) -> _int:
        """Bytes all elements take."""
    @property
    def ndim(self) -> _int:
        """Number of dimensions."""
    def ndimension(self) -> _int:
        """Number of dimensions."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """True where a differs from b."""
    def ne_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a differs from b."""
    def neg(self) -> Tensor:
        """Minus x. Not for bool tensors."""
    def neg_(self) -> Tensor:
        """In place: minus x. Not for bool tensors."""
    def negative(self) -> Tensor:
        """Minus x. Not for bool tensors."""
    def negative_(self) -> Tensor:
        """In place: minus x. Not for bool tensors."""
    def nelement(self) -> _int:
        """Number of elements."""
    def new(self, *args: Any, size: _int | Sequence[_int] | None = None, device: Device = None) -> Any:
        """Legacy: a tensor of this dtype from sizes or data."""
    @overload
    def new_empty(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_empty(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.empty` with this tensor's dtype and device."""
    def new_empty_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.empty_strided` with this tensor's dtype."""
    def new_full(self, size: Sequence[_int], fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.full` with this tensor's dtype and device."""
    @overload
    def new_ones(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_ones(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.ones` with this tensor's dtype and device."""
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False) -> Tensor:
        """A tensor with a copy of `data`, of this tensor's dtype unless another is given."""
    @overload
    def new_zeros(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_zeros(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.zeros` with this tensor's dtype and device."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The next floating number after a towards b."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """In place: the next floating number after a towards b."""
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor:
        """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

        In the order of the elements. With `as_tuple=True` one vector for each dimension, which can be
        used as an index: `x[x.nonzero(as_tuple=True)]`. Not on meta tensors: the shape depends
        on the values.

        >>> x = torch.tensor([[0, 5], [6, 0]])
        >>> x.nonzero()
        tensor([[0, 1],
                [1, 0]])
        >>> x.nonzero(as_tuple=True)
        (tensor([0, 1]), tensor([1, 0]))
        """
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor:
        """`nonzero` with exactly `size` rows: cut off, or filled up with `fill_value`.

        Its shape does not depend on the values.

        >>> x = torch.tensor([0, 5, 6])
        >>> x.nonzero_static(size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
        """
    def norm(self, p: Number | _str = 'fro', dim: Dims | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
        """The p-norm over dims: all elements by default; p is a number, "fro" or "nuc"."""
    def normal_(self, mean: _float = 0, std: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers of this mean and standard deviation."""
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """True where a differs from b."""
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where a differs from b."""
    def numel(self) -> _int:
        """Number of elements."""
    def numpy(self, *, force: _bool = False) -> Any:
        """The ndarray that holds the data: the same memory. Not for tensors that require grad."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """The older name of linalg.householder_product; `input2` is its tau."""
    def ormqr(self, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """The product of a matrix `input3` with the square Q that `geqrf` describes by `input` and
        `input2`.
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of the first vector with one of the second."""
    @property
    def output_nr(self) -> _int:
        """Which output of its node this tensor is."""
    @overload
    def permute(self, dims: Sequence[_int]) -> Tensor: ...
    @overload
    def permute(self, *dims: _int) -> Tensor:
        """A view with its dimensions in the order `dims`: dimension i of the result is `dims[i]` of x.

        >>> x = torch.zeros(2, 3, 4)
        >>> x.permute(2, 0, 1).shape
        torch.Size([4, 2, 3])
        """
    def pin_memory(self, device: Device = None) -> Tensor:
        """Raises: memory is pinned for an accelerator, and there is none."""
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """The pseudoinverse (linalg.pinv with a relative tolerance)."""
    def polygamma(self, n: _int) -> Tensor:
        """The n-th derivative of digamma."""
    def polygamma_(self, n: _int) -> Tensor:
        """In-place form of `polygamma`."""
    def positive(self) -> Tensor:
        """The tensor itself (not for bool)."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """a to the power b."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In place: a to the power b."""
    def prelu(self, weight: Tensor) -> Tensor:
        """x where x > 0, else weight * x; one weight, or one for each channel (dimension 1).

        He et al., 2015, arXiv:1502.01852.
        """
    def prod(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The product of all elements, or over one dimension."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with the elements of `source` at positions in the flattened tensor.

        `index` and `source` have the same number of elements. `accumulate`: they are added to what is
        there, where a position is named twice both of them.

        >>> x = torch.zeros(2, 2)
        >>> torch.put(x, torch.tensor([1, -1]), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [0., 6.]])
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """Writes the elements of `source` at positions in the flattened tensor, in place.

        >>> torch.ones(3).put_(torch.tensor([1, 1]), torch.tensor([5.0, 6.0]), accumulate=True)
        tensor([ 1., 12.,  1.])
        """
    def qr(self, some: _bool = True) -> return_types.qr:
        """A = Q @ R; the older name of linalg.qr."""
    def quantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-th quantiles (0 to 1) of all elements or along dim; several q make a new first dim.

        >>> import rushlight as torch
        >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(0.5)
        tensor(1.5000)
        """
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def rad2deg_(self) -> Tensor:
        """In place: radians as degrees."""
    @overload
    def random_(self, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(self, to: _int, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(self, from_: _int, to: _int | None, *, generator: Generator | None = None) -> Tensor:
        """Fill with whole numbers: ``random_()``, ``random_(to)`` or ``random_(from, to)``.

        Without bounds the numbers are 0 up to the largest that the type holds exactly; ``to`` is
        excluded, or None for no upper bound.
        """
    def ravel(self) -> Tensor:
        """All elements in one dimension: the tensor's own memory if it is contiguous, else a copy.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.ravel()
        tensor([1, 2, 3, 4])
        """
    @property
    def real(self) -> Tensor:
        """The real part, a view; of a real tensor the tensor itself."""
    @real.setter
    def real(self, value: Tensor | Number) -> None: ...
    def reciprocal(self) -> Tensor:
        """1 / x."""
    def reciprocal_(self) -> Tensor:
        """In place: 1 / x."""
    def record_stream(self, stream: Any) -> None:
        """Nothing: there are no streams on a CPU."""
    def register_hook(self, hook: Callable[[Tensor], Any]) -> Any:
        """Call `hook(grad)` when this tensor's gradient is computed; a result replaces the
        gradient.

        Returns a handle with `remove()`.
        """
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call `hook(tensor)` after a gradient was accumulated into this leaf's `.grad`."""
    def reinforce(self, reward: Any) -> None:
        """Removed from PyTorch long ago; see torch.distributions there."""
    def relu(self) -> Tensor:
        """max(x, 0).

        >>> import rushlight as torch
        >>> torch.tensor([-1., 2.]).relu()
        tensor([0., 2.])
        """
    def relu_(self) -> Tensor:
        """In place: max(x, 0).

        >>> import rushlight as torch
        >>> torch.tensor([-1., 2.]).relu_()
        tensor([0., 2.])
        """
    def remainder(self, other: Tensor | Number) -> Tensor:
        """a - b * floor(a / b): the sign of b."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In place: a - b * floor(a / b): the sign of b."""
    def renorm(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """Each slice along dim scaled down so that its p-norm is at most maxnorm."""
    def renorm_(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """In place: each slice along dim scaled down so that its p-norm is at most maxnorm."""
    @overload
    def repeat(self, repeats: Sequence[_int]) -> Tensor: ...
    @overload
    def repeat(self, *repeats: _int) -> Tensor:
        """Copies side by side: `repeats[i]` of them along dimension i.

        More numbers than dimensions add dimensions in front. The memory is multiplied; `expand` gives a
        view instead.

        >>> x = torch.tensor([[1, 2]])
        >>> x.repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
        """
    def repeat_interleave(self, repeats: Tensor | _int, dim: _int | None=None, *, output_size: _int | None=None) -> Tensor:
        """Each element (or each slice along `dim`) as often as `repeats` says, next to each other.

        `repeats` is a number or a 1-d tensor with one for each position. Without `dim` the tensor is
        flattened.

        >>> torch.tensor([1, 2]).repeat_interleave(2)
        tensor([1, 1, 2, 2])
        """
    @property
    def requires_grad(self) -> _bool:
        """Whether gradients flow to this tensor."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """Make this tensor a leaf that gets a gradient (or no longer gets one)."""
    @overload
    def reshape(self, shape: Sequence[_int]) -> Tensor: ...
    @overload
    def reshape(self, *shape: _int) -> Tensor:
        """The tensor with another shape: a view where the strides allow it, else a copy.

        The sizes are given one by one or as a tuple; one may be -1 and is computed from the others.

        >>> x = torch.arange(6)
        >>> x.reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        >>> x.reshape(4, 2)
        Traceback (most recent call last):
            ...
        RuntimeError: shape '[4, 2]' is invalid for input of size 6...
        """
    def reshape_as(self, other: Tensor | Number) -> Tensor:
        """`x.reshape(other.shape)`: the shape of another tensor, as a view or a copy.

        >>> torch.arange(4).reshape_as(torch.zeros(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
    def resize(self, *sizes: _int) -> Tensor:
        """Deprecated non-in-place resize: only to the same number of elements."""
    @overload
    def resize_(self, size: Sequence[_int], *, memory_format: memory_format | None = None) -> Tensor: ...
    @overload
    def resize_(self, *size: _int, memory_format: memory_format | None = None) -> Tensor:
        """Change the shape in place; memory is kept where it suffices, new elements are undefined."""
    def resize_as_(self, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        """`resize_` to the shape of another tensor, and with `preserve_format` to its format."""
    def resize_as_sparse_(self, the_template: Tensor) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def resolve_conj(self) -> Tensor:
        """The tensor itself, or the conjugates that its bit stands for, in memory of their own."""
    def resolve_neg(self) -> Tensor:
        """The tensor itself, or the negatives that its bit stands for, in memory of their own."""
    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf tensor in `.grad` during backward."""
    @property
    def retains_grad(self) -> _bool:
        """Whether `retain_grad` was called on this non-leaf tensor."""
    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
        """A copy shifted by `shifts` positions; what leaves at one end comes in at the other.

        `dims`: along which dimensions, one shift for each; without it the flattened tensor is shifted,
        in its shape.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.roll(1)
        tensor([[4, 1],
                [2, 3]])
        >>> x.roll(1, 0)
        tensor([[3, 4],
                [1, 2]])
        """
    def rot90(self, k: _int = 1, dims: _int | Sequence[_int] = ...) -> Tensor:
        """A copy turned by `k` quarters of a circle in the plane of two dimensions, from the first of
        them towards the second.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.rot90()
        tensor([[2, 4],
                [1, 3]])
        >>> x.rot90(2)
        tensor([[4, 3],
                [2, 1]])
        """
    def round(self, *, decimals: _int = 0) -> Tensor:
        """The nearest multiple of 10^-decimals; halves go to even."""
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """In place: the nearest multiple of 10^-decimals; halves go to even."""
    def row_indices(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(x)."""
    def rsqrt_(self) -> Tensor:
        """In place: 1 / sqrt(x)."""
    @overload
    def scatter(self, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None=None) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, value: Number, *, reduce: _str | None=None) -> Tensor:
        """A copy of `input` with the elements of `src` (or one number) at their indices along `dim`.

        For dim=0 and two dimensions y[index[i, j], j] = src[i, j]; the opposite of `gather`. Where two
        elements go to one place the last one stays, and gradients are then not true. `reduce` "add" or
        "multiply" combines them with what is there; `scatter_reduce` can do more.

        >>> x = torch.zeros(2, 3)
        >>> torch.scatter(x, 1, torch.tensor([[0], [2]]), 1.0)
        tensor([[1., 0., 0.],
                [0., 0., 1.]])
        """
    @overload
    def scatter_(self, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None = None) -> Tensor: ...
    @overload
    def scatter_(self, dim: _int, index: Tensor, value: Number, *, reduce: _str | None = None) -> Tensor:
        """Writes the elements of `src` (or one number) at their indices along `dim`, in place.

        One-hot rows from classes, for example:

        >>> classes = torch.tensor([[2], [0]])
        >>> torch.zeros(2, 3).scatter_(1, classes, 1.0)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
        """
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """A copy of `input` with each element of `src` added at its index along `dim`.

        For dim=0 and two dimensions y[index[i, j], j] += src[i, j]. `index` is nowhere longer than
        `src`, nor than `input` but along `dim`; `src` has the input's dtype.

        >>> x = torch.zeros(3)
        >>> torch.scatter_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """Adds each element of `src` at its index along `dim`, in place.

        >>> torch.zeros(3).scatter_add_(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def scatter_reduce(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """The elements of `src` reduced into a copy of `input` at their indices along `dim`.

        `reduce` is "sum", "prod", "mean", "amax" or "amin". With `include_self=False` the old value
        does not count at places to which something goes.

        >>> x = torch.tensor([10.0, 20.0])
        >>> index, src = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
        >>> x.scatter_reduce(0, index, src, "sum")
        tensor([13., 23.])
        >>> x.scatter_reduce(0, index, src, "amax", include_self=False)
        tensor([2., 3.])
        """
    def scatter_reduce_(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """Reduces the elements of `src` into the tensor at their indices along `dim`, in place.

        >>> index, src = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
        >>> torch.zeros(2).scatter_reduce_(0, index, src, "mean", include_self=False)
        tensor([1.5000, 3.0000])
        """
    def select(self, dim: Dims, index: Tensor) -> Tensor:
        """The view at position `index` of `dim`, without that dimension: x[:, index] for dim=1.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.select(1, 0)
        tensor([1, 3])
        """
    def select_scatter(self, src: Tensor, dim: _int, index: _int) -> Tensor:
        """A copy of `input` with `src` at position `index` of `dim`, which `src` does not have.

        >>> x = torch.zeros(2, 3)
        >>> torch.select_scatter(x, torch.tensor([1.0, 2.0]), 1, 0)
        tensor([[1., 0., 0.],
                [2., 0., 0.]])
        """
    def set_(self, source: Tensor | None = None, storage_offset: _int = 0, size: _int | Sequence[_int] | None = None, stride: _int | Sequence[_int] | None = None) -> Tensor:
        """Make this tensor look at other memory: a tensor's or a storage's. How it reads it, by its
        conjugate and negative bits, does not change.
        """
    def sgn(self) -> Tensor:
        """x / |x|, 0 for 0: the sign of real and of complex numbers."""
    def sgn_(self) -> Tensor:
        """In place: x / |x|, 0 for 0: the sign of real and of complex numbers."""
    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
    def share_memory_(self) -> Tensor:
        """Move the storage, and all tensors on it, to memory that other processes can see.

        Send the tensor to them through `multiprocessing` (or fork): both sides see writes.
        """
    def short(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int16; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.short().dtype
        torch.int16
        """
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-x)).

        >>> import rushlight as torch
        >>> torch.tensor(0.).sigmoid()
        tensor(0.5000)
        """
    def sigmoid_(self) -> Tensor:
        """In place: 1 / (1 + exp(-x)).

        >>> import rushlight as torch
        >>> torch.tensor(0.).sigmoid_()
        tensor(0.5000)
        """
    def sign(self) -> Tensor:
        """-1, 0 or 1."""
    def sign_(self) -> Tensor:
        """In place: -1, 0 or 1."""
    def signbit(self) -> Tensor:
        """True where the sign bit is set."""
    def sin(self) -> Tensor:
        """Sine of radians."""
    def sin_(self) -> Tensor:
        """In place: sine of radians."""
    def sinc(self) -> Tensor:
        """sin(pi x)/(pi x), and 1 at 0."""
    def sinc_(self) -> Tensor:
        """In place: sin(pi x)/(pi x), and 1 at 0."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine."""
    def sinh_(self) -> Tensor:
        """In place: hyperbolic sine."""
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int:
        """The shape, or the size of one dimension."""
    def slice_scatter(self, src: Tensor, dim: _int = 0, start: Tensor | Number | None = None, end: Tensor | Number | None = None, step: _int = 1) -> Tensor:
        """A copy of `input` with `src` at the positions start, start + step, ... before end of `dim`.

        >>> x = torch.zeros(4)
        >>> torch.slice_scatter(x, torch.tensor([1.0, 2.0]), 0, 1, 4, 2)
        tensor([0., 1., 0., 2.])
        """
    def slogdet(self) -> return_types.slogdet:
        """(sign, logabsdet) of the determinant."""
    def smm(self, mat2: Tensor) -> Tensor:
        """A product with a sparse matrix (`rushlight/sparse`)."""
    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

        >>> import rushlight as torch
        >>> torch.tensor([0., 0.]).softmax(0)
        tensor([0.5000, 0.5000])
        """
    def solve(self, other: Tensor | Number) -> Any:
        """Removed from PyTorch: call torch.linalg.solve, with the arguments the other way round."""
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool = False) -> return_types.sort:
        """(values, indices) in order along dim; equal values keep their order, NaN counts as the
        greatest.

        >>> import rushlight as torch
        >>> values, indices = torch.tensor([3.0, 1.0, 2.0]).sort()
        >>> values
        tensor([1., 2., 3.])
        >>> indices
        tensor([1, 2, 0])
        """
    def sparse_dim(self) -> _int:
        """0: no dimension is sparse."""
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """The elements at the places of a sparse tensor; raises where `mask` is dense."""
    def sparse_resize_(self, size: _int | Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def sparse_resize_and_clear_(self, size: _int | Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    def split(self, split_size: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """Views along `dim` of `split_size` positions each (the last may be smaller), as a tuple.

        A list gives the size of each part; the sizes must add up to the dimension's.

        >>> x = torch.arange(5)
        >>> x.split(2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        >>> x.split([1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
        """
    def split_with_sizes(self, split_sizes: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of the given sizes along `dim`, as a tuple; the sizes must add up to the dimension's.

        >>> x = torch.arange(5)
        >>> x.split_with_sizes([1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
        """
    def sqrt(self) -> Tensor:
        """Square root."""
    def sqrt_(self) -> Tensor:
        """In place: square root."""
    def square(self) -> Tensor:
        """x * x; integers for bool."""
    def square_(self) -> Tensor:
        """In place: x * x; integers for bool."""
    def squeeze(self, dim: Dims | None = None) -> Tensor:
        """A view without the dimensions of size 1: all of them, or those of `dim` whose size is 1.

        `dim` is a number or a tuple. Without it a batch of one loses its batch dimension too.

        >>> x = torch.zeros(1, 3, 1)
        >>> x.squeeze().shape
        torch.Size([3])
        >>> x.squeeze(0).shape
        torch.Size([3, 1])
        """
    @overload
    def squeeze_(self, dim: Sequence[_int]) -> Tensor: ...
    @overload
    def squeeze_(self, *dim: _int) -> Tensor:
        """In place: A view without the dimensions of size 1: all of them, or those of `dim` whose size is 1.

        `dim` is a number or a tuple. Without it a batch of one loses its batch dimension too.

        >>> x = torch.zeros(1, 3, 1)
        >>> x.squeeze_().shape
        torch.Size([3])
        """
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """A product with a sparse matrix, added to one (`rushlight/sparse`)."""
    @overload
    def std(self, dim: Dims | None=None, *, correction: Number | None=None, keepdim: _bool=False) -> Tensor: ...
    @overload
    def std(self, dim: Dims | None, unbiased: _bool, keepdim: _bool=False) -> Tensor: ...
    @overload
    def std(self, unbiased: _bool) -> Tensor:
        """Standard deviation over `dim`: the root of the variance."""
    def stft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: _bool | None = None) -> Tensor:
        """The short-time Fourier transform: (..., frequencies, frames) of windowed pieces of the
        signal.

        >>> import rushlight as torch
        >>> torch.ones(100).stft(16, return_complex=True).shape
        torch.Size([9, 26])
        """
    def storage(self) -> Any:
        """The elements under this tensor, shared with its views."""
    def storage_offset(self) -> _int:
        """Elements between the start of the storage and the first element."""
    def storage_type(self) -> Any:
        """The legacy class of this tensor's storage, such as torch.FloatStorage."""
    @overload
    def stride(self, dim: None = None) -> builtins.tuple[_int, ...]: ...
    @overload
    def stride(self, dim: _int) -> _int:
        """Steps in elements between neighbours along each dimension."""
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other."""
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input -= alpha * other, in place."""
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other."""
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input -= alpha * other, in place."""
    def sum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum of all elements, or over `dim` (one or several).

        Integers are summed in int64; `dtype=` casts first.

        >>> import rushlight as torch
        >>> torch.tensor([[1, 2], [3, 4]]).sum(0)
        tensor([4, 6])
        """
    def sum_to_size(self, *size: _int) -> Tensor:
        """Sums over the dimensions in which `size` is 1 or missing: the opposite of `expand`.

        >>> torch.ones(2, 3).sum_to_size(1, 3)
        tensor([[2., 2., 2.]])
        """
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """(U, S, V) with input = U @ diag(S) @ V^H; the older form of linalg.svd."""
    def swapaxes(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def swapaxes_(self, dim0: _int, dim1: _int) -> Tensor:
        """In place: A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose_(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """In place: A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose_(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def symeig(self, eigenvectors: _bool = False) -> Any:
        """Removed from PyTorch: call torch.linalg.eigh."""
    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and numbers as they are.

        RuntimeError for more than two dimensions: use `x.mT`.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.t()
        tensor([[1, 3],
                [2, 4]])
        """
    def t_(self) -> Tensor:
        """In place: the transpose of a matrix, as a view; vectors and numbers as they are.

        RuntimeError for more than two dimensions: use `x.mT`.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.t_()
        tensor([[1, 3],
                [2, 4]])
        """
    def take(self, index: Tensor) -> Tensor:
        """The elements at positions in the flattened tensor, in the shape of `index`.

        Negative positions count from the end. IndexError beyond it.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> torch.take(x, torch.tensor([0, -1]))
        tensor([1, 4])
        """
    def take_along_dim(self, indices: Any, dim: _int | None = None) -> Tensor:
        """Elements picked along `dim` by an int64 tensor, of the same number of dimensions.

        y[i, j] = input[i, indices[i, j]] for dim=1; the other dimensions broadcast (unlike `gather`).
        Without `dim` positions in the flattened tensor. What `argmax` and `argsort` give fits.

        >>> x = torch.tensor([[1, 3, 2], [9, 7, 8]])
        >>> torch.take_along_dim(x, x.argmax(1, keepdim=True), 1)
        tensor([[3],
                [9]])
        >>> torch.take_along_dim(x, x.argsort(1), 1)
        tensor([[1, 2, 3],
                [7, 8, 9]])
        """
    def tan(self) -> Tensor:
        """Tangent."""
    def tan_(self) -> Tensor:
        """In place: tangent."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent."""
    def tanh_(self) -> Tensor:
        """In place: hyperbolic tangent."""
    def tensor_split(self, indices_or_sections: Tensor | _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """Views along `dim`: n nearly equal parts, or cut before each of the given indices.

        The first n % parts are one longer. Indices are a list or a 1-d int64 tensor; a part between
        equal indices is empty.

        >>> x = torch.arange(7)
        >>> x.tensor_split(3)
        (tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6]))
        >>> torch.tensor_split(x, (1, 5))
        (tensor([0]), tensor([1, 2, 3, 4]), tensor([5, 6]))
        """
    @overload
    def tile(self, dims: Sequence[_int]) -> Tensor: ...
    @overload
    def tile(self, *dims: _int) -> Tensor:
        """Copies side by side, `dims[i]` along dimension i; missing leading numbers are 1, as NumPy's.

        >>> torch.tensor([1, 2]).tile(2)
        tensor([1, 2, 1, 2])
        """
    @overload
    def to(self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *, memory_format: memory_format | None = None) -> Tensor: ...
    @overload
    def to(self, device: Device = None, dtype: _dtype | None = None, non_blocking: _bool = False, copy: _bool = False, *, memory_format: memory_format | None = None) -> Tensor: ...
    @overload
    def to(self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor in another dtype, on another device, or in another memory format.

        `x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, `x.to(other)` for the dtype and device of
        another tensor. Where nothing changes it is the tensor itself, unless `copy=True`. Gradients
        flow back in the original dtype. Devices here are "cpu" and "meta" (shapes without values).
        `non_blocking` is taken and changes nothing.

        >>> x = torch.tensor([1.7, -1.7])
        >>> x.to(torch.int64)
        tensor([ 1, -1])
        >>> x.to("cpu") is x
        True
        """
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: Any = None) -> Tensor:
        """The tensor itself, which is dense."""
    def to_padded_tensor(self, padding: _float, output_size: _int | Sequence[_int] | None = None) -> Tensor:
        """Raises: there are no nested tensors here."""
    def to_sparse(self, sparse_dim: _int | None = None, *, layout: _layout | None = None, blocksize: _int | Sequence[_int] | None = None, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def to_sparse_bsc(self, blocksize: _int | Sequence[_int], dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def to_sparse_bsr(self, blocksize: _int | Sequence[_int], dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def to_sparse_coo(self) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def to_sparse_csc(self, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def to_sparse_csr(self, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero (`rushlight/sparse`)."""
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers (a number when 0-d)."""
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> return_types.topk:
        """(values, indices) of the k largest (or smallest) elements along dim.

        >>> import rushlight as torch
        >>> torch.tensor([3, 1, 2]).topk(2).values
        tensor([3, 2])
        """
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """In place: A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose_(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> return_types.triangular_solve:
        """(X, A) with A @ X = input for triangular A; the older form of linalg.solve_triangular."""
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix; other elements are 0."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In place: the lower triangle of each matrix; other elements are 0."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix; other elements are 0."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In place: the upper triangle of each matrix; other elements are 0."""
    def true_divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
    def true_divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input /= other, in place."""
    def trunc(self) -> Tensor:
        """x without its fraction."""
    def trunc_(self) -> Tensor:
        """In place: x without its fraction."""
    @overload
    def type(self, dtype: None = None, non_blocking: _bool = False) -> _str: ...
    @overload
    def type(self, dtype: _dtype | _str, non_blocking: _bool = False) -> Tensor:
        """Without argument the legacy type name ('torch.FloatTensor'); with one, a cast to it."""
    def type_as(self, other: Tensor | Number) -> Tensor:
        """The tensor in the dtype, and on the device, of another.

        >>> torch.tensor([1, 2]).type_as(torch.tensor(0.5))
        tensor([1., 2.])
        """
    def unbind(self, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """All slices along `dim`, without that dimension, as a tuple of views.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.unbind()
        (tensor([1, 2]), tensor([3, 4]))
        """
    def unflatten(self, dim: _int, sizes: _int | Sequence[_int]) -> Tensor:
        """A view in which dimension `dim` is divided into several of the given sizes (one may be -1).

        The opposite of `flatten`. RuntimeError if the sizes do not multiply up to the dimension's.

        >>> x = torch.arange(6)
        >>> torch.unflatten(x, 0, (2, -1))
        tensor([[0, 1, 2],
                [3, 4, 5]])
        """
    def unfold(self, dimension: _int, size: _int | Sequence[_int], step: Tensor | Number) -> Tensor:
        """A view of windows of `size` every `step` along a dimension; a window is the last dimension.

        The dimension, of size n, becomes (n - size) // step + 1. Windows may overlap.

        >>> torch.arange(6).unfold(0, 3, 2)
        tensor([[0, 1, 2],
                [2, 3, 4]])
        """
    def uniform_(self, from_: _int = 0, to: _int = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers in [from, to): ``uniform_(from=0, to=1, *, generator=None)``."""
    @overload
    def unique(self, sorted: _bool=True, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim: _int | None=None) -> Tensor: ...
    @overload
    def unique(self, sorted: _bool=True, return_inverse: _bool=False, return_counts: _bool=False, dim: _int | None=None) -> builtins.tuple[Tensor, ...]:
        """The distinct elements in ascending order, or the distinct slices along dim.

        >>> import rushlight as torch
        >>> torch.tensor([3, 1, 3]).unique(return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
        """
    @overload
    def unique_consecutive(self, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim: _int | None=None) -> Tensor: ...
    @overload
    def unique_consecutive(self, return_inverse: _bool=False, return_counts: _bool=False, dim: _int | None=None) -> builtins.tuple[Tensor, ...]:
        """The elements (or slices along dim) without those that equal the one before."""
    def unsafe_chunk(self, chunks: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """`chunk`, of which the parts may be changed in place: autograd does not take them for views.

        >>> x = torch.arange(5)
        >>> x.unsafe_chunk(2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
    def unsafe_split(self, split_size: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """`split`, of which the parts may be changed in place: autograd does not take them for views.

        >>> x = torch.arange(5)
        >>> x.unsafe_split(3)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
    def unsafe_split_with_sizes(self, split_sizes: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """`split_with_sizes`, of which the parts may be changed in place.

        >>> x = torch.arange(5)
        >>> x.unsafe_split_with_sizes([1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
        """
    def unsqueeze(self, dim: Dims) -> Tensor:
        """A view with a new dimension of size 1 at `dim`, from -n - 1 to n for n dimensions.

        >>> x = torch.tensor([1, 2])
        >>> x.unsqueeze(1)
        tensor([[1],
                [2]])
        """
    def unsqueeze_(self, dim: Dims) -> Tensor:
        """In place: A view with a new dimension of size 1 at `dim`, from -n - 1 to n for n dimensions.

        >>> x = torch.tensor([1, 2])
        >>> x.unsqueeze_(1)
        tensor([[1],
                [2]])
        """
    def untyped_storage(self) -> Any:
        """The bytes under this tensor, shared with its views."""
    def values(self) -> Tensor:
        """Of sparse tensors (`rushlight/sparse`); raises for a dense one."""
    @overload
    def var(self, dim: Dims | None=None, *, correction: Number | None=None, keepdim: _bool=False) -> Tensor: ...
    @overload
    def var(self, dim: Dims | None, unbiased: _bool, keepdim: _bool=False) -> Tensor: ...
    @overload
    def var(self, unbiased: _bool) -> Tensor:
        """Variance over `dim`: the mean squared distance from the mean, over n - correction (1)."""
    def vdot(self, other: Tensor | Number) -> Tensor:
        """The sum of products of two vectors, the first one conjugated."""
    @overload
    def view(self, dtype: _dtype) -> Tensor: ...
    @overload
    def view(self, size: Sequence[_int]) -> Tensor: ...
    @overload
    def view(self, *size: _int) -> Tensor:
        """The same memory with another shape, or read as another dtype: nothing is copied.

        `view(*shape)`: sizes whose product is the number of elements; one of them may be -1 and is
        then computed. The strides must allow it (a transposed tensor's seldom do), else RuntimeError:
        `reshape` copies instead. `view(dtype)`: the bytes as they are under another type; where the
        element's size changes, the last dimension grows or shrinks with it.

        >>> x = torch.arange(6)
        >>> x.view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        >>> torch.tensor([1.0, -2.0]).view(torch.int32)
        tensor([ 1065353216, -1073741824], dtype=torch.int32)
        """
    def view_as(self, other: Tensor | Number) -> Tensor:
        """`x.view(other.shape)`: the same memory in the shape of another tensor.

        >>> torch.arange(4).view_as(torch.zeros(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
    def vsplit(self, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
        """Views along dimension 0: in n equal parts, or cut before each given index.

        `tensor_split` of tensors with at least 2 dimensions, but n must
        divide the size.

        >>> x = torch.zeros(4, 4, 4)
        >>> [part.shape for part in x.vsplit(2)]
        [torch.Size([2, 4, 4]), torch.Size([2, 4, 4])]
        """
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """This tensor where the condition holds, else `other`."""
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """x log(y), and 0 where x is 0 (unless y is NaN)."""
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In place: x log(y), and 0 where x is 0 (unless y is NaN)."""
    def zero_(self) -> Tensor:
        """Fills the tensor with zeros, in place.

        >>> torch.ones(3).zero_()
        tensor([0., 0., 0.])
        """

class Parameter(Tensor):
    """A Tensor that a Module registers as its parameter when it is assigned as an attribute.

    Args:
        data: the values (the same memory is used).
        requires_grad: whether gradients are computed for it.
    """

    def __init__(self, data: Tensor | None = None, requires_grad: _bool = True) -> None: ...

class Buffer(Tensor):
    """A Tensor that a Module registers as a buffer when it is assigned as an attribute."""

    def __init__(self, data: Tensor | None = None, *, persistent: _bool = True) -> None: ...

def is_tensor(obj: Any) -> TypeGuard[Tensor]: ...

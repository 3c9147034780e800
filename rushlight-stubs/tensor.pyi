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
        """The memory for `memoryview(tensor)` and its like, from Python 3.12 on.

        >>> memoryview(torch.tensor([1, 2]).numpy()).tolist()
        [1, 2]
        """
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
        """A copy with the first dimension the other way round, as Python reverses any sequence.

        >>> reversed(torch.tensor([1, 2, 3]))
        tensor([3, 2, 1])
        """
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
        """The magnitude of each element: `y = |x|`; real for complex x.

        The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

        >>> torch.tensor([-1.5, 0.0, 2.0]).abs()
        tensor([1.5000, 0.0000, 2.0000])
        >>> torch.tensor([3.0 + 4.0j]).abs()
        tensor([5.])
        """
    def abs_(self) -> Tensor:
        """In place: the magnitude of each element: `y = |x|`; real for complex x.

        The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

        >>> torch.tensor([-1.5, 0.0, 2.0]).abs_()
        tensor([1.5000, 0.0000, 2.0000])
        """
    def absolute(self) -> Tensor:
        """The magnitude of each element: `y = |x|`; real for complex x.

        The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

        >>> torch.tensor([-1.5, 0.0, 2.0]).abs()
        tensor([1.5000, 0.0000, 2.0000])
        >>> torch.tensor([3.0 + 4.0j]).abs()
        tensor([5.])
        """
    def absolute_(self) -> Tensor:
        """In place: the magnitude of each element: `y = |x|`; real for complex x.

        The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

        >>> torch.tensor([-1.5, 0.0, 2.0]).abs_()
        tensor([1.5000, 0.0000, 2.0000])
        """
    def acos(self) -> Tensor:
        """The inverse cosine: the angle in [0, pi] whose cosine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos()
        tensor([0.0000, 1.0472, 3.1416,    nan])
        """
    def acos_(self) -> Tensor:
        """In place: the inverse cosine: the angle in [0, pi] whose cosine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos_()
        tensor([0.0000, 1.0472, 3.1416,    nan])
        """
    def acosh(self) -> Tensor:
        """The inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

        NaN below 1, unless x is complex.

        >>> torch.tensor([1.0, 2.0, 0.5]).acosh()
        tensor([0.0000, 1.3170,    nan])
        """
    def acosh_(self) -> Tensor:
        """In place: the inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

        NaN below 1, unless x is complex.

        >>> torch.tensor([1.0, 2.0, 0.5]).acosh_()
        tensor([0.0000, 1.3170,    nan])
        """
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """`y = input + alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number; the result has their
        common type. RuntimeError where shapes do not go together, and for a float alpha with integers.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([1, 2]).add(10)
        tensor([11, 12])
        >>> torch.zeros(2, 1).add(torch.tensor([1.0, 2.0, 3.0]), alpha=10)
        tensor([[10., 20., 30.],
                [10., 20., 30.]])
        """
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In place: `y = input + alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number; the result has their
        common type. RuntimeError where shapes do not go together, and for a float alpha with integers.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([1, 2]).add_(10)
        tensor([11, 12])
        """
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum over i of batch1[i] @ batch2[i]).

        `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (n, m), the result's shape.

        >>> x = torch.zeros(2, 2)
        >>> x.addbmm(torch.ones(5, 2, 3), torch.ones(5, 3, 2))
        tensor([[15., 15.],
                [15., 15.]])
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (the sum over i of batch1[i] @ batch2[i]).

        `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (n, m), the result's shape.

        >>> x = torch.zeros(2, 2)
        >>> x.addbmm_(torch.ones(5, 2, 3), torch.ones(5, 3, 2))
        tensor([[15., 15.],
                [15., 15.]])
        """
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """`y = input + value * tensor1 / tensor2`, element by element.

        The three tensors broadcast; value: a number, 1 by default. RuntimeError where both tensor1 and
        tensor2 are integers.

        >>> torch.zeros(2).addcdiv(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 4.0]), value=2)
        tensor([0.5000, 1.0000])
        """
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In place: `y = input + value * tensor1 / tensor2`, element by element.

        The three tensors broadcast; value: a number, 1 by default. RuntimeError where both tensor1 and
        tensor2 are integers.

        >>> torch.zeros(2).addcdiv_(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 4.0]), value=2)
        tensor([0.5000, 1.0000])
        """
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """`y = input + value * tensor1 * tensor2`, element by element.

        The three tensors broadcast; value: a number, 1 by default. Optimisers are made of it.

        >>> torch.zeros(2).addcmul(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), value=0.5)
        tensor([1.5000, 4.0000])
        """
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In place: `y = input + value * tensor1 * tensor2`, element by element.

        The three tensors broadcast; value: a number, 1 by default. Optimisers are made of it.

        >>> torch.zeros(2).addcmul_(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), value=0.5)
        tensor([1.5000, 4.0000])
        """
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2).

        `mat1` (n, k), `mat2` (k, m), `input` broadcasts to (n, m). With `beta=0` what `input` holds
        does not count, NaN neither.

        >>> x = torch.ones(2, 2)
        >>> x.addmm(torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0, 4.0]]))
        tensor([[4., 5.],
                [7., 9.]])
        >>> x.addmm(x, x, beta=2, alpha=10)
        tensor([[22., 22.],
                [22., 22.]])
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (mat1 @ mat2).

        `mat1` (n, k), `mat2` (k, m), `input` broadcasts to (n, m). With `beta=0` what `input` holds
        does not count, NaN neither.

        >>> x = torch.ones(2, 2)
        >>> x.addmm_(torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0, 4.0]]))
        tensor([[4., 5.],
                [7., 9.]])
        """
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec).

        `mat` (n, m), `vec` (m,), `input` broadcasts to (n,). With `beta=0` what `input` holds does not
        count.

        >>> x = torch.tensor([1.0, 1.0])
        >>> x.addmv(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
        tensor([22., 44.])
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (mat @ vec).

        `mat` (n, m), `vec` (m,), `input` broadcasts to (n,). With `beta=0` what `input` holds does not
        count.

        >>> x = torch.tensor([1.0, 1.0])
        >>> x.addmv_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
        tensor([22., 44.])
        """
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * outer(vec1, vec2).

        `vec1` (n,), `vec2` (m,), `input` broadcasts to (n, m). With `beta=0` what `input` holds does
        not count.

        >>> x = torch.zeros(2, 2)
        >>> x.addr(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * outer(vec1, vec2).

        `vec1` (n,), `vec2` (m,), `input` broadcasts to (n, m). With `beta=0` what `input` holds does
        not count.

        >>> x = torch.zeros(2, 2)
        >>> x.addr_(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
        """
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

        `input` (*, m, n), the result (*, n, m), a view.

        >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
        >>> x.adjoint()
        tensor([[1.-1.j],
                [2.-0.j]])
        """
    def all(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """Whether every element is not zero, of all or over `dim`; True for no elements.

        dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
        stay, with size 1. The result is of bools, but of uint8 for uint8.

        >>> x = torch.tensor([[1, 1], [0, 1]])
        >>> x.all(), x.all(1)
        (tensor(False), tensor([ True, False]))
        """
    def allclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

        rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal.

        >>> torch.tensor([1.0, 2.0]).allclose(torch.tensor([1.000001, 2.0]))
        True
        >>> torch.tensor([1.0, 2.0]).allclose(torch.tensor([1.1, 2.0]))
        False
        """
    def amax(self, dim: Dims = ..., keepdim: _bool = False) -> Tensor:
        """The largest value over `dim`, one dimension or several.

        dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
        with size 1. The gradient is shared equally among equal maxima, other than that of `max` along a
        dimension, which goes to the one that it returns. IndexError for a dimension without elements.

        >>> torch.tensor([[1.0, 5.0], [7.0, 2.0]]).amax(1)
        tensor([5., 7.])
        >>> torch.tensor([[1.0, 5.0], [7.0, 2.0]]).amax((0, 1))
        tensor(7.)
        """
    def amin(self, dim: Dims = ..., keepdim: _bool = False) -> Tensor:
        """The smallest value over `dim`, one dimension or several.

        dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
        with size 1. The gradient is shared equally among equal minima. IndexError for a dimension
        without elements.

        >>> torch.tensor([[1.0, 5.0], [7.0, 2.0]]).amin(1)
        tensor([1., 2.])
        >>> torch.tensor([[1.0, 5.0], [7.0, 2.0]]).amin((0, 1))
        tensor(1.)
        """
    def aminmax(self, *, dim: _int | None=None, keepdim: _bool=False) -> return_types.aminmax:
        """The pair (min, max) of all elements, or along `dim`.

        dim: one dimension; None, the default, takes all. keepdim: it stays, with size 1. RuntimeError
        for no elements.

        >>> low, high = torch.tensor([[1.0, 5.0], [7.0, 2.0]]).aminmax(dim=1)
        >>> low, high
        (tensor([1., 2.]), tensor([5., 7.]))
        """
    def angle(self) -> Tensor:
        """The argument of each number, in radians: `y = atan2(imag, real)`.

        Of real numbers 0, and pi for negative ones; NaN stays NaN. Integers give the default float
        type.

        >>> torch.tensor([1 + 1j, -1j]).angle()
        tensor([ 0.7854, -1.5708])
        >>> torch.tensor([1.0, -1.0]).angle()
        tensor([0.0000, 3.1416])
        """
    def any(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """Whether some element is not zero, of all or over `dim`; False for no elements.

        dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
        stay, with size 1. The result is of bools, but of uint8 for uint8.

        >>> x = torch.tensor([[0, 1], [0, 0]])
        >>> x.any(), x.any(1)
        (tensor(True), tensor([ True, False]))
        """
    def apply_(self, callable: Any) -> Tensor:
        """Replace each element by `callable(element)`, in place, and return the tensor.

        One Python call an element, so not for speed. RuntimeError for a tensor that requires grad.

        >>> torch.tensor([1.0, 2.0, 3.0]).apply_(lambda x: x * x)
        tensor([1., 4., 9.])
        """
    def arccos(self) -> Tensor:
        """The inverse cosine: the angle in [0, pi] whose cosine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos()
        tensor([0.0000, 1.0472, 3.1416,    nan])
        """
    def arccos_(self) -> Tensor:
        """In place: the inverse cosine: the angle in [0, pi] whose cosine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos_()
        tensor([0.0000, 1.0472, 3.1416,    nan])
        """
    def arccosh(self) -> Tensor:
        """The inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

        NaN below 1, unless x is complex.

        >>> torch.tensor([1.0, 2.0, 0.5]).acosh()
        tensor([0.0000, 1.3170,    nan])
        """
    def arccosh_(self) -> Tensor:
        """In place: the inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

        NaN below 1, unless x is complex.

        >>> torch.tensor([1.0, 2.0, 0.5]).acosh_()
        tensor([0.0000, 1.3170,    nan])
        """
    def arcsin(self) -> Tensor:
        """The inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin()
        tensor([0.0000, 0.5236, 1.5708,    nan])
        """
    def arcsin_(self) -> Tensor:
        """In place: the inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin_()
        tensor([0.0000, 0.5236, 1.5708,    nan])
        """
    def arcsinh(self) -> Tensor:
        """The inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

        >>> torch.tensor([0.0, 1.0, -1.0]).asinh()
        tensor([ 0.0000,  0.8814, -0.8814])
        """
    def arcsinh_(self) -> Tensor:
        """In place: the inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

        >>> torch.tensor([0.0, 1.0, -1.0]).asinh_()
        tensor([ 0.0000,  0.8814, -0.8814])
        """
    def arctan(self) -> Tensor:
        """The inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

        `atan2` knows all four quadrants.

        >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
        tensor([0.0000, 0.7854, 1.5708])
        """
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
        in [-pi, pi].

        input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
        the default float type. The gradient at the origin is 0.

        >>> torch.tensor([1.0, 1.0, -1.0]).atan2(torch.tensor([1.0, -1.0, -1.0]))
        tensor([ 0.7854,  2.3562, -2.3562])
        """
    def arctan2_(self, other: Tensor) -> Tensor:
        """In place: the angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
        in [-pi, pi].

        input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
        the default float type. The gradient at the origin is 0.

        >>> torch.tensor([1.0, 1.0, -1.0]).atan2_(torch.tensor([1.0, -1.0, -1.0]))
        tensor([ 0.7854,  2.3562, -2.3562])
        """
    def arctan_(self) -> Tensor:
        """In place: the inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

        `atan2` knows all four quadrants.

        >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
        tensor([0.0000, 0.7854, 1.5708])
        """
    def arctanh(self) -> Tensor:
        """The inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

        Infinite at -1 and 1, NaN outside, unless x is complex.

        >>> torch.tensor([0.0, 0.5, 1.0]).atanh()
        tensor([0.0000, 0.5493,    inf])
        """
    def arctanh_(self) -> Tensor:
        """In place: the inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

        Infinite at -1 and 1, NaN outside, unless x is complex.

        >>> torch.tensor([0.0, 0.5, 1.0]).atanh_()
        tensor([0.0000, 0.5493,    inf])
        """
    def argmax(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """The place of the largest value, in int64: in the flattened tensor, or along `dim`.

        dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
        equal values the first is taken, and NaN is larger than all. Not for bools; IndexError for no
        elements.

        >>> logits = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
        >>> logits.argmax(1)
        tensor([1, 0])
        >>> logits.argmax()
        tensor(1)
        """
    def argmin(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """The place of the smallest value, in int64: in the flattened tensor, or along `dim`.

        dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
        equal values the first is taken, and NaN is smaller than all. Not for bools; IndexError for no
        elements.

        >>> x = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
        >>> x.argmin(1)
        tensor([0, 2])
        >>> x.argmin()
        tensor(0)
        """
    def argsort(self, dim: _int = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
        """The indices, int64, that bring input into order along `dim`: the second of what `sort` gives.

        dim: -1 by default; descending: False by default. stable: equal values keep their order in any
        case.

        >>> x = torch.tensor([3.0, 1.0, 2.0])
        >>> x.argsort()
        tensor([1, 2, 0])
        >>> x[x.argsort(descending=True)]
        tensor([3., 2., 1.])
        """
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
        >>> x.as_strided((4, 3), (1, 1))
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
        >>> x.as_strided_scatter(torch.tensor([1.0, 2.0]), (2,), (4,))
        tensor([[1., 0., 0.],
                [0., 2., 0.]])
        """
    def as_subclass(self, cls: builtins.type[_S]) -> _S:
        """The same tensor, of the same memory and history, as an instance of a Tensor subclass.

        Raises:
            TypeError: not a subclass of Tensor.

        >>> class Labelled(torch.Tensor):
        ...     label = "none"
        >>> x = torch.zeros(2).as_subclass(Labelled)
        >>> x.label, type(x * 2).__name__
        ('none', 'Labelled')
        """
    def asin(self) -> Tensor:
        """The inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin()
        tensor([0.0000, 0.5236, 1.5708,    nan])
        """
    def asin_(self) -> Tensor:
        """In place: the inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

        NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
        both ends.

        >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin_()
        tensor([0.0000, 0.5236, 1.5708,    nan])
        """
    def asinh(self) -> Tensor:
        """The inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

        >>> torch.tensor([0.0, 1.0, -1.0]).asinh()
        tensor([ 0.0000,  0.8814, -0.8814])
        """
    def asinh_(self) -> Tensor:
        """In place: the inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

        >>> torch.tensor([0.0, 1.0, -1.0]).asinh_()
        tensor([ 0.0000,  0.8814, -0.8814])
        """
    def atan(self) -> Tensor:
        """The inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

        `atan2` knows all four quadrants.

        >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
        tensor([0.0000, 0.7854, 1.5708])
        """
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
        in [-pi, pi].

        input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
        the default float type. The gradient at the origin is 0.

        >>> torch.tensor([1.0, 1.0, -1.0]).atan2(torch.tensor([1.0, -1.0, -1.0]))
        tensor([ 0.7854,  2.3562, -2.3562])
        """
    def atan2_(self, other: Tensor) -> Tensor:
        """In place: the angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
        in [-pi, pi].

        input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
        the default float type. The gradient at the origin is 0.

        >>> torch.tensor([1.0, 1.0, -1.0]).atan2_(torch.tensor([1.0, -1.0, -1.0]))
        tensor([ 0.7854,  2.3562, -2.3562])
        """
    def atan_(self) -> Tensor:
        """In place: the inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

        `atan2` knows all four quadrants.

        >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
        tensor([0.0000, 0.7854, 1.5708])
        """
    def atanh(self) -> Tensor:
        """The inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

        Infinite at -1 and 1, NaN outside, unless x is complex.

        >>> torch.tensor([0.0, 0.5, 1.0]).atanh()
        tensor([0.0000, 0.5493,    inf])
        """
    def atanh_(self) -> Tensor:
        """In place: the inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

        Infinite at -1 and 1, NaN outside, unless x is complex.

        >>> torch.tensor([0.0, 0.5, 1.0]).atanh_()
        tensor([0.0000, 0.5493,    inf])
        """
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
        """beta * input + alpha * (batch1 @ batch2), for each matrix of the stacks.

        `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (b, n, m). With `beta=0` what
        `input` holds does not count.

        >>> x = torch.ones(1, 2, 2)
        >>> x.baddbmm(torch.ones(1, 2, 3), torch.ones(1, 3, 2))
        tensor([[[4., 4.],
                 [4., 4.]]])
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (batch1 @ batch2), for each matrix of the stacks.

        `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (b, n, m). With `beta=0` what
        `input` holds does not count.

        >>> x = torch.ones(1, 2, 2)
        >>> x.baddbmm_(torch.ones(1, 2, 3), torch.ones(1, 3, 2))
        tensor([[[4., 4.],
                 [4., 4.]]])
        """
    def bernoulli(self, p: Number | _str | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 or 0, each with the probability in `input`; with `p`, of that probability everywhere.

        input: probabilities, floats of any shape; the result has its shape and type. generator: the
        stream to draw from. RuntimeError outside [0, 1].

        >>> _ = torch.manual_seed(0)
        >>> torch.tensor([0.0, 0.5, 0.5, 1.0]).bernoulli()
        tensor([0., 0., 1., 1.])
        """
    def bernoulli_(self, p: Number | _str = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 of probability p and 0 otherwise.

        p: a number, 0.5 by default, or a tensor of probabilities whose shape broadcasts. RuntimeError
        outside [0, 1].

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(5).bernoulli_(0.5)
        tensor([0., 0., 1., 0., 0.])
        """
    def bfloat16(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.bfloat16; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.bfloat16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.bfloat16().dtype
        torch.bfloat16
        """
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each of 0, 1, 2, ... occurs, in int64.

        input (n,), integers, not negative; the result is as long as the largest of them plus one, and
        at least minlength (0 by default). weights (n,): summed in place of counting, in float64, or
        float32 where they are.

        >>> torch.tensor([1, 3, 3]).bincount()
        tensor([0, 1, 0, 2])
        >>> torch.tensor([1, 3, 3]).bincount(weights=torch.tensor([0.5, 1.0, 2.0]))
        tensor([0.0000, 0.5000, 0.0000, 3.0000])
        """
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """`y = input & other`: the bits that both have; logical and of bools.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_and(6)
        tensor([4, 2])
        """
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input & other`: the bits that both have; logical and of bools.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_and_(6)
        tensor([4, 2])
        """
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """`y = input << other`: the bits moved up by other places, `input * 2 ** other`.

        input, other: tensors of integers whose shapes broadcast, or one of them a number.

        >>> torch.tensor([1, 2, 3]).bitwise_left_shift(4)
        tensor([16, 32, 48])
        """
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input << other`: the bits moved up by other places, `input * 2 ** other`.

        input, other: tensors of integers whose shapes broadcast, or one of them a number.

        >>> torch.tensor([1, 2, 3]).bitwise_left_shift_(4)
        tensor([16, 32, 48])
        """
    def bitwise_not(self) -> Tensor:
        """`y = ~x`: all bits inverted, which is `-x - 1` of signed integers; logical not of bools.

        For integers and bools.

        >>> torch.tensor([0, 5, -1]).bitwise_not()
        tensor([-1, -6,  0])
        >>> ~torch.tensor([True, False])
        tensor([False,  True])
        """
    def bitwise_not_(self) -> Tensor:
        """In place: `y = ~x`: all bits inverted, which is `-x - 1` of signed integers; logical not of bools.

        For integers and bools.

        >>> torch.tensor([0, 5, -1]).bitwise_not_()
        tensor([-1, -6,  0])
        """
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """`y = input | other`: the bits that one of them has; logical or of bools.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_or(6)
        tensor([14, 14])
        """
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input | other`: the bits that one of them has; logical or of bools.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_or_(6)
        tensor([14, 14])
        """
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """`y = input >> other`: the bits moved down by other places; the sign stays.

        input, other: tensors of integers whose shapes broadcast, or one of them a number.

        >>> torch.tensor([16, 35, -16]).bitwise_right_shift(4)
        tensor([ 1,  2, -1])
        """
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input >> other`: the bits moved down by other places; the sign stays.

        input, other: tensors of integers whose shapes broadcast, or one of them a number.

        >>> torch.tensor([16, 35, -16]).bitwise_right_shift_(4)
        tensor([ 1,  2, -1])
        """
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """`y = input ^ other`: the bits that exactly one of them has.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_xor(6)
        tensor([10, 12])
        """
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input ^ other`: the bits that exactly one of them has.

        input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

        >>> torch.tensor([12, 10]).bitwise_xor_(6)
        tensor([10, 12])
        """
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two stacks of matrices: (b, n, k) and (b, k, m) give (b, n, m).

        Nothing broadcasts: `matmul` does.

        >>> a = torch.ones(2, 1, 3)
        >>> a.bmm(torch.ones(2, 3, 2))
        tensor([[[3., 3.]],
        <BLANKLINE>
                [[3., 3.]]])
        """
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
        >>> x.broadcast_to((2, 3))
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
        """Fill with numbers of the Cauchy distribution, of density
        `sigma / pi / ((x - median) ** 2 + sigma ** 2)`.

        median: 0 by default; sigma: 1, and RuntimeError where it is not positive. For floats.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(3).cauchy_()
        tensor([10.5977,  0.7648, -0.1283])
        """
    def ccol_indices(self) -> Tensor:
        """Of a tensor in the layout sparse_csc or sparse_bsc: where the values of each column
        begin, one more than there are columns. RuntimeError for other layouts.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().ccol_indices()
        tensor([0, 1, 3])
        """
    def cdouble(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.complex128; itself if it is that already.

        Real numbers get the imaginary part 0. The same as `x.to(torch.complex128)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.cdouble().dtype
        torch.complex128
        """
    def ceil(self) -> Tensor:
        """The smallest integer not below x; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.2, -1.7, 2.0]).ceil()
        tensor([ 2., -1.,  2.])
        """
    def ceil_(self) -> Tensor:
        """In place: the smallest integer not below x; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.2, -1.7, 2.0]).ceil_()
        tensor([ 2., -1.,  2.])
        """
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
        """The lower (or upper) triangular factor of a positive definite matrix: `linalg.cholesky` is
        newer.

        >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
        >>> A.cholesky()
        tensor([[2., 0.],
                [1., 2.]])
        """
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of A from its Cholesky factor, which is `input`: L, or U if `upper`.

        >>> L = torch.tensor([[2.0, 0.0], [2.0, 1.0]])
        >>> L.cholesky_inverse()
        tensor([[ 1.2500, -1.0000],
                [-1.0000,  1.0000]])
        """
    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor:
        """The X with A @ X = input, where `input2` is the Cholesky factor of A.

        L (*, n, n) with A = L @ L^H, or U with A = U^H @ U if `upper`; `input` (*, n, k).

        >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
        >>> b = torch.tensor([[8.0], [12.0]])
        >>> b.cholesky_solve(torch.linalg.cholesky(A))
        tensor([[1.],
                [2.]])
        """
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
        """Hold each element between two bounds: `y = min(max(x, min), max)`.

        min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
        is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
        outside.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(min=torch.tensor([0.0, 1.0, 2.0]))
        tensor([0., 1., 3.])
        """
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """In place: hold each element between two bounds: `y = min(max(x, min), max)`.

        min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
        is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
        outside.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        """
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Values above max become max: `y = min(x, max)`.

        max: a number, or a tensor that broadcasts.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_max(1)
        tensor([-2.0000,  0.5000,  1.0000])
        """
    def clamp_max_(self, max: Tensor | Number) -> Tensor:
        """In place: values above max become max: `y = min(x, max)`.

        max: a number, or a tensor that broadcasts.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_max_(1)
        tensor([-2.0000,  0.5000,  1.0000])
        """
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Values below min become min: `y = max(x, min)`.

        min: a number, or a tensor that broadcasts.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_min(0)
        tensor([0.0000, 0.5000, 3.0000])
        """
    def clamp_min_(self, min: Tensor | Number) -> Tensor:
        """In place: values below min become min: `y = max(x, min)`.

        min: a number, or a tensor that broadcasts.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_min_(0)
        tensor([0.0000, 0.5000, 3.0000])
        """
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Hold each element between two bounds: `y = min(max(x, min), max)`.

        min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
        is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
        outside.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(min=torch.tensor([0.0, 1.0, 2.0]))
        tensor([0., 1., 3.])
        """
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """In place: hold each element between two bounds: `y = min(max(x, min), max)`.

        min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
        is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
        outside.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        """
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
        """A sparse tensor with each place stored once, in order: values of one place are added.

        RuntimeError for a dense tensor.

        >>> x = torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3,))
        >>> x.coalesce().values()
        tensor([2., 4.])
        """
    def col_indices(self) -> Tensor:
        """Of a tensor in the layout sparse_csr or sparse_bsr: the column of each stored value or
        block. RuntimeError for other layouts.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr().col_indices()
        tensor([1, 0, 1])
        """
    def conj(self) -> Tensor:
        """The complex conjugate, a view: what is written to it arrives conjugated in `input`. A real
        tensor is returned as it is.

        >>> x = torch.tensor([1 + 2j])
        >>> x.conj()
        tensor([1.-2.j])
        >>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
        (True, True)
        """
    def conj_physical(self) -> Tensor:
        """The complex conjugate, in memory of its own: `y = real - i * imag`.

        `conj` gives a view instead.

        >>> torch.tensor([1 + 2j, 3 - 4j]).conj_physical()
        tensor([1.-2.j, 3.+4.j])
        """
    def conj_physical_(self) -> Tensor:
        """In place: the complex conjugate, in memory of its own: `y = real - i * imag`.

        `conj` gives a view instead.

        >>> torch.tensor([1 + 2j, 3 - 4j]).conj_physical_()
        tensor([1.-2.j, 3.+4.j])
        """
    def const_data_ptr(self) -> _int:
        """The address of the first element, which is not to be written to: `data_ptr`.

        >>> x = torch.ones(2)
        >>> x.const_data_ptr() == x.data_ptr()
        True
        """
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
        """The magnitude of input with the sign of other, -0.0 included.

        other: a tensor whose shape broadcasts, or a number. Integers give the default float type.

        >>> torch.tensor([1.0, -2.0, 3.0]).copysign(torch.tensor([-1.0, 1.0, -0.0]))
        tensor([-1.,  2., -3.])
        """
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In place: the magnitude of input with the sign of other, -0.0 included.

        other: a tensor whose shape broadcasts, or a number. Integers give the default float type.

        >>> torch.tensor([1.0, -2.0, 3.0]).copysign_(torch.tensor([-1.0, 1.0, -0.0]))
        tensor([-1.,  2., -3.])
        """
    def corrcoef(self) -> Tensor:
        """The correlation matrix (n, n) of n variables, the rows: cov[i, j] / sqrt(cov[i, i] * cov[j,
        j]).

        >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
        >>> x.corrcoef()
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
    def cos(self) -> Tensor:
        """The cosine of each element, an angle in radians: `y = cos(x)`.

        >>> torch.tensor([0.0, torch.pi / 3, torch.pi]).cos()
        tensor([ 1.0000,  0.5000, -1.0000])
        """
    def cos_(self) -> Tensor:
        """In place: the cosine of each element, an angle in radians: `y = cos(x)`.

        >>> torch.tensor([0.0, torch.pi / 3, torch.pi]).cos_()
        tensor([ 1.0000,  0.5000, -1.0000])
        """
    def cosh(self) -> Tensor:
        """The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`.

        >>> torch.tensor([0.0, 1.0, -1.0]).cosh()
        tensor([1.0000, 1.5431, 1.5431])
        """
    def cosh_(self) -> Tensor:
        """In place: the hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`.

        >>> torch.tensor([0.0, 1.0, -1.0]).cosh_()
        tensor([1.0000, 1.5431, 1.5431])
        """
    def count_nonzero(self, dim: Dims | None = None) -> Tensor:
        """How many elements are not zero, in int64.

        dim: an int or a tuple of dimensions to count over; None, the default, counts all.

        >>> x = torch.tensor([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
        >>> x.count_nonzero(), x.count_nonzero(0)
        (tensor(3), tensor([0, 1, 2]))
        """
    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariance matrix (n, n) of n variables, the rows, over m observations, the columns.

        (X - mean) @ (X - mean)^H / (m - correction); `fweights` (m,) say how often an observation
        occurred (integers), `aweights` (m,) how much it weighs. Of a vector: its variance.

        >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
        >>> x.cov()
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
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
        """The vector product along `dim`, a dimension of size 3.

        (a1*b2 - a2*b1, a2*b0 - a0*b2, a0*b1 - a1*b0). Without `dim` the first dimension of size 3 is
        taken; `linalg.cross` takes the last one.

        >>> x = torch.tensor([1.0, 0.0, 0.0])
        >>> x.cross(torch.tensor([0.0, 1.0, 0.0]), dim=0)
        tensor([0., 0., 1.])
        """
    def crow_indices(self) -> Tensor:
        """Of a tensor in the layout sparse_csr or sparse_bsr: where the values of each row begin,
        one more than there are rows. RuntimeError for other layouts.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr().crow_indices()
        tensor([0, 1, 3])
        """
    def cuda(self, device: Device = None, non_blocking: _bool = False, memory_format: memory_format | None = None) -> Tensor:
        """Raises: there is no CUDA here. Ask `torch.cuda.is_available()` first.

        >>> torch.zeros(1).cuda()
        Traceback (most recent call last):
            ...
        RuntimeError: device 'cuda' is not available: Torch not compiled with...
        """
    def cummax(self, dim: _int) -> return_types.cummax:
        """The pair (values, indices) of the running maximum along `dim`.

        indices: the last place where each maximum stood, int64. NaN, once met, stays. The gradient goes
        to these places.

        >>> values, indices = torch.tensor([1.0, 3.0, 2.0, 3.0]).cummax(0)
        >>> values, indices
        (tensor([1., 3., 3., 3.]), tensor([0, 1, 1, 3]))
        """
    def cummin(self, dim: _int) -> return_types.cummin:
        """The pair (values, indices) of the running minimum along `dim`.

        indices: the last place where each minimum stood, int64. NaN, once met, stays. The gradient goes
        to these places.

        >>> values, indices = torch.tensor([3.0, 1.0, 2.0, 1.0]).cummin(0)
        >>> values, indices
        (tensor([3., 1., 1., 1.]), tensor([0, 1, 1, 3]))
        """
    def cumprod(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Running products along `dim`: `y[i] = x[0] * ... * x[i]`.

        dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
        are multiplied in int64. The derivative is right where factors are 0 too.

        >>> torch.tensor([1.0, 2.0, 3.0, 4.0]).cumprod(0)
        tensor([ 1.,  2.,  6., 24.])
        """
    def cumprod_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """In place: running products along `dim`: `y[i] = x[0] * ... * x[i]`.

        dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
        are multiplied in int64. The derivative is right where factors are 0 too.

        >>> torch.tensor([1.0, 2.0, 3.0, 4.0]).cumprod_(0)
        tensor([ 1.,  2.,  6., 24.])
        """
    def cumsum(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Running sums along `dim`: `y[i] = x[0] + ... + x[i]`.

        dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
        are summed in int64.

        >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).cumsum(1)
        tensor([[ 1,  3,  6],
                [ 4,  9, 15]])
        """
    def cumsum_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """In place: running sums along `dim`: `y[i] = x[0] + ... + x[i]`.

        dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
        are summed in int64.

        >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).cumsum_(1)
        tensor([[ 1,  3,  6],
                [ 4,  9, 15]])
        """
    @property
    def data(self) -> Tensor:
        """The same memory without history and outside the version counting (prefer detach)."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """Address of the first element (0 for meta and empty tensors), where it may be written to.

        >>> x = torch.zeros(4)
        >>> x[1:].data_ptr() - x.data_ptr()  # bytes
        4
        """
    def deg2rad(self) -> Tensor:
        """Degrees as radians: `y = x * pi / 180`.

        >>> torch.tensor([0.0, 90.0, 180.0]).deg2rad()
        tensor([0.0000, 1.5708, 3.1416])
        """
    def deg2rad_(self) -> Tensor:
        """In place: degrees as radians: `y = x * pi / 180`.

        >>> torch.tensor([0.0, 90.0, 180.0]).deg2rad_()
        tensor([0.0000, 1.5708, 3.1416])
        """
    def dense_dim(self) -> _int:
        """How many dimensions are dense: all of a dense tensor.

        >>> torch.eye(2).dense_dim(), torch.eye(2).to_sparse().dense_dim()
        (2, 0)
        """
    def det(self) -> Tensor:
        """The determinant of square matrices (*, n, n): (*), by LU decomposition.

        Its gradient, det(A) * A^-T, is that of the cofactors and so exists for singular matrices too.
        Of large matrices the determinant over- or underflows: see `linalg.slogdet`.

        >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> A.det()
        tensor(-2.)
        """
    def detach(self) -> Tensor:
        """A tensor of the same memory without history.

        What is written into it is written into this tensor; gradients end here.

        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> y = x * x.detach()  # one factor counts as a constant
        >>> y.backward()
        >>> x.grad
        tensor([2.])
        """
    def detach_(self) -> Tensor:
        """Cut this tensor itself off its history.

        Raises:
            RuntimeError: the tensor is a view.

        >>> y = torch.ones(2, requires_grad=True) * 2
        >>> y.detach_().requires_grad
        False
        """
    @property
    def device(self) -> _device:
        """Where the tensor lives: cpu or meta."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """Of a vector (n,) the matrix that has it on its diagonal; of a matrix its diagonal, as a copy.

        A positive `diagonal` is above the main one.

        >>> x = torch.tensor([1, 2])
        >>> x.diag()
        tensor([[1, 0],
                [0, 2]])
        >>> torch.tensor([[1, 2], [3, 4]]).diag()
        tensor([1, 4])
        """
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
        >>> x.diagonal_scatter(torch.tensor([1.0, 2.0]))
        tensor([[1., 0.],
                [0., 2.]])
        """
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """Differences of neighbours along `dim`, n times over: `y[i] = x[i + 1] - x[i]`.

        n: how often; 1 by default. dim: -1 by default. prepend, append: tensors put before and behind
        input first, so that the result may keep the size of input. Each time the dimension gets one
        shorter. Bools give the exclusive or.

        >>> torch.tensor([1, 4, 9, 16]).diff()
        tensor([3, 5, 7])
        >>> torch.tensor([1, 4, 9, 16]).diff(n=2)
        tensor([2, 2])
        >>> torch.tensor([1, 4, 9, 16]).diff(prepend=torch.tensor([0]))
        tensor([1, 3, 5, 7])
        """
    def digamma(self) -> Tensor:
        """The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

        -inf at 0, NaN at -1, -2 and so on.

        >>> torch.tensor([1.0, 0.5, 0.0]).digamma()
        tensor([-0.5772, -1.9635,    -inf])
        """
    def digamma_(self) -> Tensor:
        """In place: the derivative of lgamma: `y = gamma'(x) / gamma(x)`.

        -inf at 0, NaN at -1, -2 and so on.

        >>> torch.tensor([1.0, 0.5, 0.0]).digamma_()
        tensor([-0.5772, -1.9635,    -inf])
        """
    def dim(self) -> _int:
        """Number of dimensions. `ndimension()` and `ndim` are the same number.

        >>> torch.zeros(2, 3).dim(), torch.tensor(1.0).dim()
        (2, 0)
        """
    def dim_order(self, *, ambiguity_check: _bool = False) -> builtins.tuple[_int, ...]:
        """The dimensions from the outermost in memory to the innermost.

        Args:
            ambiguity_check: True: RuntimeError where another order fits the strides as well, as it does
                where a dimension has one element. A list of memory formats: where more than one of
                them, or none, fits.

        >>> torch.ones(2, 3, 4).dim_order()
        (0, 1, 2)
        >>> torch.ones(2, 3, 4).transpose(0, 2).dim_order()
        (2, 1, 0)
        """
    def dist(self, other: Tensor | Number, p: _float = 2) -> Tensor:
        """The p-norm of input - other: one number, (sum |input - other|^p)^(1/p).

        The operands broadcast; p may be 0 (how many differ), inf and -inf.

        >>> x = torch.tensor([1.0, 1.0])
        >>> x.dist(torch.tensor([4.0, 5.0]))
        tensor(5.)
        >>> x.dist(torch.tensor([4.0, 5.0]), p=1)
        tensor(7.)
        """
    def div(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """`y = input / other`, element by element; integers give the default float type.

        input, other: tensors whose shapes broadcast, or one of them a number.

        rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
        zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

        >>> torch.tensor([7, -7]).div(2)
        tensor([ 3.5000, -3.5000])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="floor")
        tensor([ 3, -4])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="trunc")
        tensor([ 3, -3])
        """
    def div_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """In place: `input /= other`, of which `rounding_mode` "floor" or "trunc" rounds the quotient.
        A tensor of integers can hold rounded quotients alone.

        >>> x = torch.tensor([1.0, 4.0])
        >>> x.div_(2)
        tensor([0.5000, 2.0000])
        """
    def divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """`y = input / other`, element by element; integers give the default float type.

        input, other: tensors whose shapes broadcast, or one of them a number.

        rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
        zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

        >>> torch.tensor([7, -7]).div(2)
        tensor([ 3.5000, -3.5000])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="floor")
        tensor([ 3, -4])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="trunc")
        tensor([ 3, -3])
        """
    def divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """In place: `input /= other`, of which `rounding_mode` "floor" or "trunc" rounds the quotient.
        A tensor of integers can hold rounded quotients alone.

        >>> x = torch.tensor([1.0, 4.0])
        >>> x.div_(2)
        tensor([0.5000, 2.0000])
        """
    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of the products of two vectors of one length, without conjugation: sum(x * y).

        >>> x = torch.tensor([1, 2])
        >>> x.dot(torch.tensor([10, 100]))
        tensor(210)
        """
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
        """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.eig`.

        >>> torch.eye(2).eig()
        Traceback (most recent call last):
            ...
        RuntimeError: This function was deprecated since version 1.9 and is now removed...
        """
    def element_size(self) -> _int:
        """Bytes an element takes.

        >>> torch.zeros(2).element_size(), torch.zeros(2, dtype=torch.bool).element_size()
        (4, 1)
        """
    def eq(self, other: Tensor | Number) -> Tensor:
        """True where input equals other: `y = input == other`. NaN equals nothing.

        other: a tensor whose shape broadcasts, or a number. The result is a tensor of bools;
        `torch.equal` compares whole tensors.

        >>> torch.tensor([1, 2, 3]).eq(torch.tensor([1, 5, 3]))
        tensor([ True, False,  True])
        """
    def eq_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input equals other: `y = input == other`. NaN equals nothing.

        other: a tensor whose shape broadcasts, or a number. The result is a tensor of bools;
        `torch.equal` compares whole tensors.

        >>> torch.tensor([1, 2, 3]).eq_(torch.tensor([1, 5, 3])).bool()
        tensor([ True, False,  True])
        """
    def equal(self, other: Tensor | Number) -> _bool:
        """Whether both tensors have the same shape and equal elements, a bool.

        NaN equals nothing, so a tensor with a NaN is not equal to its copy.

        >>> torch.tensor([1, 2]).equal(torch.tensor([1, 2]))
        True
        >>> torch.tensor([1, 2]).equal(torch.tensor([1, 2, 3]))
        False
        """
    def erf(self) -> Tensor:
        """The error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
        and 1.

        >>> torch.tensor([0.0, 1.0, -2.0]).erf()
        tensor([ 0.0000,  0.8427, -0.9953])
        """
    def erf_(self) -> Tensor:
        """In place: the error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
        and 1.

        >>> torch.tensor([0.0, 1.0, -2.0]).erf_()
        tensor([ 0.0000,  0.8427, -0.9953])
        """
    def erfc(self) -> Tensor:
        """The complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

        >>> torch.tensor([0.0, 1.0, 5.0]).erfc()
        tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
        """
    def erfc_(self) -> Tensor:
        """In place: the complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

        >>> torch.tensor([0.0, 1.0, 5.0]).erfc_()
        tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
        """
    def erfinv(self) -> Tensor:
        """The inverse of erf: the x whose `erf(x)` is the element; infinite at -1 and 1, NaN
        outside.

        >>> torch.tensor([0.0, 0.5, -1.0]).erfinv()
        tensor([0.0000, 0.4769,   -inf])
        """
    def erfinv_(self) -> Tensor:
        """In place: the inverse of erf: the x whose `erf(x)` is the element; infinite at -1 and 1, NaN
        outside.

        >>> torch.tensor([0.0, 0.5, -1.0]).erfinv_()
        tensor([0.0000, 0.4769,   -inf])
        """
    def exp(self) -> Tensor:
        """The exponential: `y = e ** x` of each element.

        Integers and bools give the default float type; complex numbers stay complex.

        >>> torch.tensor([0.0, 1.0, -1.0]).exp()
        tensor([1.0000, 2.7183, 0.3679])
        """
    def exp2(self) -> Tensor:
        """Two to the power of each element: `y = 2 ** x`.

        Integers and bools give the default float type.

        >>> torch.tensor([0.0, 3.0, -1.0]).exp2()
        tensor([1.0000, 8.0000, 0.5000])
        """
    def exp2_(self) -> Tensor:
        """In place: two to the power of each element: `y = 2 ** x`.

        Integers and bools give the default float type.

        >>> torch.tensor([0.0, 3.0, -1.0]).exp2_()
        tensor([1.0000, 8.0000, 0.5000])
        """
    def exp_(self) -> Tensor:
        """In place: the exponential: `y = e ** x` of each element.

        Integers and bools give the default float type; complex numbers stay complex.

        >>> torch.tensor([0.0, 1.0, -1.0]).exp_()
        tensor([1.0000, 2.7183, 0.3679])
        """
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
        """`y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
        would lose its digits.

        >>> x = torch.tensor([1e-8, 1.0])
        >>> x.expm1()
        tensor([1.0000e-08, 1.7183e+00])
        >>> torch.exp(x) - 1
        tensor([0.0000, 1.7183])
        """
    def expm1_(self) -> Tensor:
        """In place: `y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
        would lose its digits.

        >>> x = torch.tensor([1e-8, 1.0])
        >>> x.expm1_()
        tensor([1.0000e-08, 1.7183e+00])
        """
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of the exponential distribution, of density `lambd * exp(-lambd * x)`.

        lambd: 1 by default; RuntimeError where it is not positive. For floats.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(3).exponential_(2.0)
        tensor([1.7542, 0.6152, 0.3075])
        """
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
        """x without its fraction, rounded towards zero; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.7, 2.0]).trunc()
        tensor([ 1., -1.,  2.])
        """
    def fix_(self) -> Tensor:
        """In place: x without its fraction, rounded towards zero; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.7, 2.0]).trunc_()
        tensor([ 1., -1.,  2.])
        """
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
        """`y = input ** exponent`, computed in float64, or complex128 for complex numbers.

        input, exponent: tensors whose shapes broadcast, or one of them a number. Integers may have
        negative exponents here, other than in `torch.pow`.

        >>> torch.tensor([2, 4]).float_power(-1)
        tensor([0.5000, 0.2500], dtype=torch.float64)
        """
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """`y = self ** exponent`, written into this tensor, which must be of float64 or complex128.

        >>> x = torch.tensor([2.0, 4.0], dtype=torch.float64)
        >>> x.float_power_(-1)
        tensor([0.5000, 0.2500], dtype=torch.float64)
        """
    def floor(self) -> Tensor:
        """The largest integer not above x; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.2, 2.0]).floor()
        tensor([ 1., -2.,  2.])
        """
    def floor_(self) -> Tensor:
        """In place: the largest integer not above x; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.2, 2.0]).floor_()
        tensor([ 1., -2.,  2.])
        """
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """`y = floor(input / other)`, rounded towards minus infinity, as Python's `//`.

        input, other: tensors whose shapes broadcast, or one of them a number. Integers stay integers;
        RuntimeError ("ZeroDivisionError") for integers divided by 0. The gradient is 0.

        >>> torch.tensor([7, -7]).floor_divide(2)
        tensor([ 3, -4])
        >>> torch.tensor([7.5, -7.5]) // 2
        tensor([ 3., -4.])
        """
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = floor(input / other)`, rounded towards minus infinity, as Python's `//`.

        input, other: tensors whose shapes broadcast, or one of them a number. Integers stay integers;
        RuntimeError ("ZeroDivisionError") for integers divided by 0. The gradient is 0.

        >>> torch.tensor([7, -7]).floor_divide_(2)
        tensor([ 3, -4])
        """
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two elements; NaN only if both are NaN.

        input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

        >>> torch.fmax(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 5., 1.])
        """
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two elements; NaN only if both are NaN.

        input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

        >>> torch.fmin(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 2., 1.])
        """
    def fmod(self, other: Tensor | Number) -> Tensor:
        """`y = input - other * trunc(input / other)`: it has the sign of input, as fmod of C.

        other: a tensor whose shape broadcasts, or a number. RuntimeError ("ZeroDivisionError") for
        integers divided by 0; floats give NaN.

        >>> torch.tensor([7, -7]).fmod(3)
        tensor([ 1, -1])
        """
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input - other * trunc(input / other)`: it has the sign of input, as fmod of C.

        other: a tensor whose shape broadcasts, or a number. RuntimeError ("ZeroDivisionError") for
        integers divided by 0; floats give NaN.

        >>> torch.tensor([7, -7]).fmod_(3)
        tensor([ 1, -1])
        """
    def frac(self) -> Tensor:
        """The fraction of each element, with its sign: `y = x - trunc(x)`.

        For floats alone. The derivative is 1.

        >>> torch.tensor([1.5, -1.5, 2.0]).frac()
        tensor([ 0.5000, -0.5000,  0.0000])
        """
    def frac_(self) -> Tensor:
        """In place: the fraction of each element, with its sign: `y = x - trunc(x)`.

        For floats alone. The derivative is 1.

        >>> torch.tensor([1.5, -1.5, 2.0]).frac_()
        tensor([ 0.5000, -0.5000,  0.0000])
        """
    def frexp(self) -> return_types.frexp:
        """Split floats into mantissa and exponent: `x = mantissa * 2 ** exponent`, with the magnitude
        of the mantissa in [0.5, 1).

        A pair (mantissa, exponent), the exponent of int32. RuntimeError for tensors that are not
        floats. `torch.ldexp` puts them together again.

        >>> mantissa, exponent = torch.tensor([8.0, 0.75, -3.0]).frexp()
        >>> mantissa, exponent
        (tensor([ 0.5000,  0.7500, -0.7500]), tensor([4, 0, 2], dtype=torch.int32))
        """
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """Elements of `input` picked along `dim`, one for each element of `index`.

        For dim=1 and two dimensions y[i, j] = input[i, index[i, j]]. `index` is int64 (or int32), with
        as many dimensions as `input` and nowhere longer, but along `dim`; y has its shape. RuntimeError
        for indices out of range; negative ones are. `sparse_grad` makes the gradient sparse.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.gather(1, torch.tensor([[0], [1]]))
        tensor([[1],
                [4]])
        """
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor of two integers; not negative, and 0 for two zeros.

        input, other: tensors of integers whose shapes broadcast.

        >>> torch.tensor([12, 7, 0]).gcd(torch.tensor([18, 3, 5]))
        tensor([6, 1, 5])
        """
    def gcd_(self, other: Tensor) -> Tensor:
        """In place: the greatest common divisor of two integers; not negative, and 0 for two zeros.

        input, other: tensors of integers whose shapes broadcast.

        >>> torch.tensor([12, 7, 0]).gcd_(torch.tensor([18, 3, 5]))
        tensor([6, 1, 5])
        """
    def ge(self, other: Tensor | Number) -> Tensor:
        """True where input is at least other: `y = input >= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).ge(2)
        tensor([False,  True,  True])
        """
    def ge_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is at least other: `y = input >= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).ge_(2).bool()
        tensor([False,  True,  True])
        """
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of trials up to the first success, each of probability p:
        `P(k) = (1 - p) ** (k - 1) * p` for k = 1, 2, ...

        p: in (0, 1), else RuntimeError.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(5).geometric_(0.5)
        tensor([1., 1., 2., 1., 1.])
        """
    def geqrf(self) -> return_types.geqrf:
        """(a, tau): a QR decomposition in LAPACK's packed form.

        R is on and above the diagonal of `a` (*, m, n); below it are the vectors v of the reflections
        1 - tau v v^H whose product is Q: see `linalg.householder_product` and `ormqr`. No derivative.

        >>> x = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
        >>> x.geqrf()
        torch.return_types.geqrf(
        a=tensor([[-5.0000, -2.2000],
                [ 0.5000,  0.4000]]),
        tau=tensor([1.6000, 0.0000]))
        """
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with one of another: y[i, j] = input[i] * vec2[j].

        >>> x = torch.tensor([1, 2])
        >>> x.outer(torch.tensor([3, 4, 5]))
        tensor([[ 3,  4,  5],
                [ 6,  8, 10]])
        """
    def get_device(self) -> _int:
        """The number of the device: -1, which is what a CPU has.

        >>> torch.ones(2).get_device()
        -1
        """
    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor; None for a leaf."""
    def greater(self, other: Tensor | Number) -> Tensor:
        """True where input is greater than other: `y = input > other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).gt(2)
        tensor([False, False,  True])
        """
    def greater_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is greater than other: `y = input > other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).gt_(2).bool()
        tensor([False, False,  True])
        """
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """True where input is at least other: `y = input >= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).ge(2)
        tensor([False,  True,  True])
        """
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is at least other: `y = input >= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).ge_(2).bool()
        tensor([False,  True,  True])
        """
    def gt(self, other: Tensor | Number) -> Tensor:
        """True where input is greater than other: `y = input > other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).gt(2)
        tensor([False, False,  True])
        """
    def gt_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is greater than other: `y = input > other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).gt_(2).bool()
        tensor([False, False,  True])
        """
    def half(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.float16; itself if it is that already.

        Of complex numbers the real part stays, with a warning. The same as `x.to(torch.float16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.half().dtype
        torch.float16
        """
    def hardshrink(self, lambd: _float = 0.5) -> Tensor:
        """`y = x` where |x| > lambd, else 0.

        lambd: 0.5 by default; of narrow types it is rounded as the elements are.

        >>> torch.tensor([-1.0, 0.3, 2.0]).hardshrink()
        tensor([-1.,  0.,  2.])
        """
    def hash_tensor(self, dim: Dims = ..., *, keepdim: _bool = False, mode: _int = 0) -> Tensor:
        """A number that tells tensors apart: the exclusive or of the bits of all elements, or over
        `dim`, after each was made a 64-bit number.

        dim: an int or a tuple; (), the default, takes all. keepdim: these dimensions stay, with size 1.
        mode: 0 alone. Not for complex numbers. The order of the elements makes no difference.

        >>> torch.tensor([1, 2, 4]).hash_tensor()
        tensor(7, dtype=torch.uint64)
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """The step function: 0 where input is negative, 1 where it is positive, `values` where it
        is 0.

        values: a tensor of the type of input that broadcasts with it; nothing is promoted.

        >>> torch.tensor([-1.5, 0.0, 2.0]).heaviside(torch.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """In place: the step function: 0 where input is negative, 1 where it is positive, `values` where it
        is 0.

        values: a tensor of the type of input that broadcasts with it; nothing is promoted.

        >>> torch.tensor([-1.5, 0.0, 2.0]).heaviside_(torch.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])
        """
    def histc(self, bins: _int = 100, min: _float = 0, max: _float = 0) -> Tensor:
        """How many elements fall into each of `bins` equal bins between min and max, in the type of
        input.

        bins: 100 by default; min, max: 0 and 0, the default, take the range of the data; what lies
        outside is not counted. For floats.

        >>> torch.tensor([1.0, 2.0, 1.0, 4.0]).histc(bins=4, min=0, max=4)
        tensor([0., 2., 1., 1.])
        """
    def histogram(self, bins: _int = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogram:
        """The pair (hist, bin_edges): how many elements fall into each bin.

        bins: their number (100 by default), or a tensor of ascending edges. range: the pair (lowest,
        highest) for a number of bins; by default that of the data. weight: a tensor of the shape of
        input that is summed in place of counting. density: True divides so that the integral is 1.

        >>> hist, edges = torch.tensor([1.0, 2.0, 1.0]).histogram(bins=4, range=(0.0, 3.0))
        >>> hist, edges
        (tensor([0., 2., 1., 0.]), tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000]))
        """
    def hsplit(self, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
        """Views along dimension 1, of vectors along dimension 0: in n equal parts, or cut before each given index.

        `tensor_split` of tensors with at least 1 dimension, but n must
        divide the size.

        >>> x = torch.zeros(4, 4, 4)
        >>> [part.shape for part in x.hsplit(2)]
        [torch.Size([4, 2, 4]), torch.Size([4, 2, 4])]
        """
    def hypot(self, other: Tensor) -> Tensor:
        """The hypotenuse: `y = sqrt(input * input + other * other)`, without overflow.

        input, other: tensors of floats whose shapes broadcast.

        >>> torch.tensor([3.0, 5e30]).hypot(torch.tensor([4.0, 12e30]))
        tensor([5.0000e+00, 1.3000e+31])
        """
    def hypot_(self, other: Tensor) -> Tensor:
        """In place: the hypotenuse: `y = sqrt(input * input + other * other)`, without overflow.

        input, other: tensors of floats whose shapes broadcast.

        >>> torch.tensor([3.0, 5e30]).hypot_(torch.tensor([4.0, 12e30]))
        tensor([5.0000e+00, 1.3000e+31])
        """
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind, order 0:
        `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

        `i0e` does not overflow for large x.

        >>> torch.tensor([0.0, 1.0, 5.0]).i0()
        tensor([ 1.0000,  1.2661, 27.2399])
        """
    def i0_(self) -> Tensor:
        """In place: the modified Bessel function of the first kind, order 0:
        `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

        `i0e` does not overflow for large x.

        >>> torch.tensor([0.0, 1.0, 5.0]).i0_()
        tensor([ 1.0000,  1.2661, 27.2399])
        """
    def igamma(self, other: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function:
        `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
        and x = other.

        Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
        alone; backward with a gradient for input raises.

        >>> torch.tensor([1.0, 2.0, 3.0]).igamma(torch.tensor([1.0, 2.0, 3.0]))
        tensor([0.6321, 0.5940, 0.5768])
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """In place: the regularised lower incomplete gamma function:
        `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
        and x = other.

        Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
        alone; backward with a gradient for input raises.

        >>> torch.tensor([1.0, 2.0, 3.0]).igamma_(torch.tensor([1.0, 2.0, 3.0]))
        tensor([0.6321, 0.5940, 0.5768])
        """
    def igammac(self, other: Tensor) -> Tensor:
        """The regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
        and x = other, exact for large x too.

        Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
        alone.

        >>> torch.tensor([1.0, 2.0]).igammac(torch.tensor([1.0, 30.0]))
        tensor([3.6788e-01, 2.9009e-12])
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """In place: the regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
        and x = other, exact for large x too.

        Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
        alone.

        >>> torch.tensor([1.0, 2.0]).igammac_(torch.tensor([1.0, 30.0]))
        tensor([3.6788e-01, 2.9009e-12])
        """
    @property
    def imag(self) -> Tensor:
        """The imaginary part, a view. RuntimeError for real tensors.

        >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
        tensor([ 2., -4.])
        """
    @imag.setter
    def imag(self, value: Tensor | Number) -> None: ...
    def index_add(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """A copy with the slices of `source`, times `alpha`, added at positions along `dim`.

        For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
        has the input's dtype and, but for `dim`, its sizes.

        >>> x = torch.zeros(3)
        >>> x.index_add(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def index_add_(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """In place: a copy with the slices of `source`, times `alpha`, added at positions along `dim`.

        For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
        has the input's dtype and, but for `dim`, its sizes.

        >>> x = torch.zeros(3)
        >>> x.index_add_(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
        """
    def index_copy(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` at the positions in the vector `index` along `dim`.

        For dim=0 y[index[i]] = source[i].

        >>> x = torch.zeros(3)
        >>> x.index_copy(0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
    def index_copy_(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """In place: a copy with the slices of `source` at the positions in the vector `index` along `dim`.

        For dim=0 y[index[i]] = source[i].

        >>> x = torch.zeros(3)
        >>> x.index_copy_(0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with one number in the slices along `dim` at the positions in the vector `index`.

        `value` is a number or a 0-d tensor.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.index_fill(1, torch.tensor([0]), 9)
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
        >>> x.index_put((torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor([5.0, 6.0]))
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
        >>> x.index_reduce(0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
        tensor([20.,  2.,  3.])
        """
    def index_reduce_(self, dim: Dims, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """In place: a copy into which slices of `source` are reduced at positions along `dim`.

        `reduce` is "prod", "mean", "amax" or "amin". With `include_self=False` the old values do not
        count at positions that `index` names.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> x.index_reduce_(0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
        tensor([20.,  2.,  3.])
        """
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices along `dim` at the positions in the vector `index`, as a new tensor.

        y[i] = input[index[i]] for dim=0. IndexError beyond the end; negative positions are not taken.

        >>> x = torch.tensor([[1, 2], [3, 4], [5, 6]])
        >>> x.index_select(0, torch.tensor([2, 0]))
        tensor([[5, 6],
                [1, 2]])
        """
    def indices(self) -> Tensor:
        """The places of the stored values of a sparse tensor, (sparse dimensions, stored), int64.

        RuntimeError for a dense tensor, and for a sparse one before `coalesce`.

        >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().indices()
        tensor([[0, 1],
                [1, 0]])
        """
    def inner(self, other: Tensor | Number) -> Tensor:
        """Sums of products over the last dimension of both, without conjugation.

        (*a, n) and (*b, n) give (*a, *b); vectors a number. If one has no dimensions, the plain
        product.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.inner(torch.tensor([1, 10]))
        tensor([21, 43])
        """
    def int(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int32; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int32)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.int().dtype
        torch.int32
        """
    def inverse(self) -> Tensor:
        """The inverse of square matrices (*, n, n): another name of `linalg.inv`.

        >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
        >>> A.inverse()
        tensor([[ 0.5000,  0.0000],
                [-0.5000,  1.0000]])
        """
    def is_coalesced(self) -> _bool:
        """Whether a sparse tensor stores each place once, in order. RuntimeError for a dense
        tensor.

        >>> x = torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3,))
        >>> x.is_coalesced(), x.coalesce().is_coalesced()
        (False, True)
        """
    def is_complex(self) -> _bool:
        """Whether the dtype is a complex type.

        >>> torch.tensor([1j]).is_complex(), torch.zeros(1).is_complex()
        (True, False)
        """
    def is_conj(self) -> _bool:
        """Whether the tensor is a view of its memory's conjugates, as `conj` makes it.

        >>> x = torch.tensor([1 + 2j])
        >>> x.is_conj(), torch.is_conj(x.conj())
        (False, True)
        """
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
        """False: there are no such tensors any more, in PyTorch either.

        >>> torch.ones(2).is_distributed()
        False
        """
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating type (complex ones are not).

        >>> torch.zeros(1).is_floating_point(), torch.tensor([1]).is_floating_point()
        (True, False)
        """
    def is_inference(self) -> _bool:
        """Whether the tensor was made inside inference_mode.

        >>> with torch.inference_mode():
        ...     x = torch.ones(2)
        >>> x.is_inference(), torch.ones(2).is_inference()
        (True, False)
        """
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
        """Whether the tensor is a view of its memory's negatives, as the imaginary part of a conjugate
        is.

        >>> x = torch.tensor([1 + 2j])
        >>> x.imag.is_neg(), torch.is_neg(x.conj().imag)
        (False, True)
        """
    is_nested: _bool
    def is_nonzero(self) -> _bool:
        """Whether the only element is not zero, as `bool(x)`.

        RuntimeError for a tensor with no or with several elements.

        >>> torch.tensor([0.0]).is_nonzero(), torch.tensor([3.0]).is_nonzero()
        (False, True)
        """
    def is_pinned(self, device: Device = None) -> _bool:
        """False: memory is pinned for an accelerator, and there is none.

        >>> torch.zeros(2).is_pinned()
        False
        """
    is_quantized: _bool
    def is_same_size(self, other: Tensor | Number) -> _bool:
        """Whether both tensors have the same shape.

        >>> torch.ones(2, 3).is_same_size(torch.zeros(2, 3))
        True
        """
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether both have the same memory, sizes and strides.

        >>> x = torch.zeros(2, 3)
        >>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.T)
        (True, False)
        """
    def is_shared(self) -> _bool:
        """Whether the storage is in shared memory.

        >>> torch.zeros(2).is_shared()
        False
        """
    def is_signed(self) -> _bool:
        """Whether the dtype has negative values.

        >>> torch.tensor([1]).is_signed(), torch.tensor([1], dtype=torch.uint8).is_signed()
        (True, False)
        """
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """True where two elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

        rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal. Infinities are near
        themselves only. RuntimeError for tensors of two types.

        >>> torch.tensor([1.0, 1.0]).isclose(torch.tensor([1.000001, 1.1]))
        tensor([ True, False])
        """
    def isfinite(self) -> Tensor:
        """True where an element is neither infinite nor NaN; True for every integer.

        >>> torch.isfinite(torch.tensor([1.0, float("nan"), float("inf")]))
        tensor([ True, False, False])
        >>> torch.tensor([1.0, 2.0]).isfinite().all()
        tensor(True)
        """
    def isinf(self) -> Tensor:
        """True where an element is plus or minus infinity. Of a complex number: where either part
        is.

        >>> torch.isinf(torch.tensor([1.0, float("nan"), -float("inf")]))
        tensor([False, False,  True])
        """
    def isnan(self) -> Tensor:
        """True where an element is NaN. Of a complex number: where either part is.

        >>> torch.isnan(torch.tensor([1.0, float("nan"), float("inf")]))
        tensor([False,  True, False])
        """
    def isneginf(self) -> Tensor:
        """True where an element is -inf. Not for complex numbers.

        >>> torch.isneginf(torch.tensor([1.0, float("inf"), -float("inf")]))
        tensor([False, False,  True])
        """
    def isposinf(self) -> Tensor:
        """True where an element is +inf. Not for complex numbers.

        >>> torch.isposinf(torch.tensor([1.0, float("inf"), -float("inf")]))
        tensor([False,  True, False])
        """
    def isreal(self) -> Tensor:
        """True where the imaginary part is 0, so everywhere in a real tensor.

        >>> torch.tensor([1 + 0j, 1 + 2j]).isreal()
        tensor([ True, False])
        """
    def istft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
        """The inverse of `stft` in the sense of least squares: pieces are transformed back, windowed
        and added where they overlap, and divided by the overlapped squares of the window.

        input (frequencies, frames) or (batch, frequencies, frames), complex; the result (*, length).

        n_fft, hop_length, win_length, window, center, normalized and onesided as they were for stft.
        length: the length of the signal, where it is not to be what the frames give. return_complex:
        for a signal that was complex. RuntimeError where the window leaves a place that no piece
        covers.

        >>> x, w = torch.sin(torch.arange(100.0)), torch.hann_window(16)
        >>> y = torch.stft(x, 16, window=w, return_complex=True)
        >>> torch.allclose(y.istft(16, window=w, length=100), x, atol=1e-5)
        True
        """
    def item(self) -> Any:
        """The value of a one-element tensor as a Python number.

        Raises:
            RuntimeError: there is more than one element, or none.

        >>> torch.tensor([2.5]).item(), torch.tensor(3).item()
        (2.5, 3)
        """
    @property
    def itemsize(self) -> _int:
        """Bytes an element takes."""
    def kron(self, other: Tensor | Number) -> Tensor:
        """The Kronecker product: every element of `input` times the whole of `other`, as blocks.

        (n, m) and (p, q) give (n * p, m * q); leading dimensions of 1 are added where one has fewer.

        >>> x = torch.tensor([[1, 2]])
        >>> x.kron(torch.tensor([[1, 1], [0, 1]]))
        tensor([[1, 1, 2, 2],
                [0, 1, 0, 2]])
        """
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False) -> return_types.kthvalue:
        """The pair (values, indices) of the k-th smallest element along `dim`.

        k: from 1 to the size of the dimension, else RuntimeError. dim: -1 by default; keepdim: the
        dimension stays, with size 1. NaN counts as the greatest.

        >>> value, index = torch.tensor([30.0, 10.0, 20.0]).kthvalue(2)
        >>> value, index
        (tensor(20.), tensor(2))
        """
    @property
    def layout(self) -> _layout:
        """torch.strided; sparse tensors have others (`sparse/core.py`)."""
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple of two integers; 0 where one of them is 0.

        input, other: tensors of integers whose shapes broadcast.

        >>> torch.tensor([4, 7, 0]).lcm(torch.tensor([6, 3, 5]))
        tensor([12, 21,  0])
        """
    def lcm_(self, other: Tensor) -> Tensor:
        """In place: the least common multiple of two integers; 0 where one of them is 0.

        input, other: tensors of integers whose shapes broadcast.

        >>> torch.tensor([4, 7, 0]).lcm_(torch.tensor([6, 3, 5]))
        tensor([12, 21,  0])
        """
    def ldexp(self, other: Tensor | Number) -> Tensor:
        """`y = input * 2 ** other`: a number from its mantissa and its exponent, the inverse of frexp.

        other: a tensor of exponents that broadcasts with input. Integers give the default float type.

        >>> torch.tensor([1.0, 0.75]).ldexp(torch.tensor([3, -2]))
        tensor([8.0000, 0.1875])
        """
    def ldexp_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input * 2 ** other`: a number from its mantissa and its exponent, the inverse of frexp.

        other: a tensor of exponents that broadcasts with input. Integers give the default float type.

        >>> torch.tensor([1.0, 0.75]).ldexp_(torch.tensor([3, -2]))
        tensor([8.0000, 0.1875])
        """
    def le(self, other: Tensor | Number) -> Tensor:
        """True where input is at most other: `y = input <= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).le(2)
        tensor([ True,  True, False])
        """
    def le_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is at most other: `y = input <= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).le_(2).bool()
        tensor([ True,  True, False])
        """
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """A point on the line between two tensors: `y = input + weight * (end - input)`.

        weight: a number, or a tensor that broadcasts with both; 0 gives input, 1 gives end. All of one
        float or complex type; nothing is promoted.

        >>> torch.tensor([0.0, 10.0]).lerp(torch.tensor([1.0, 20.0]), 0.25)
        tensor([ 0.2500, 12.5000])
        """
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """In place: a point on the line between two tensors: `y = input + weight * (end - input)`.

        weight: a number, or a tensor that broadcasts with both; 0 gives input, 1 gives end. All of one
        float or complex type; nothing is promoted.

        >>> torch.tensor([0.0, 10.0]).lerp_(torch.tensor([1.0, 20.0]), 0.25)
        tensor([ 0.2500, 12.5000])
        """
    def less(self, other: Tensor | Number) -> Tensor:
        """True where input is less than other: `y = input < other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).lt(2)
        tensor([ True, False, False])
        """
    def less_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is less than other: `y = input < other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).lt_(2).bool()
        tensor([ True, False, False])
        """
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """True where input is at most other: `y = input <= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).le(2)
        tensor([ True,  True, False])
        """
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is at most other: `y = input <= other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).le_(2).bool()
        tensor([ True,  True, False])
        """
    def lgamma(self) -> Tensor:
        """The logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

        Infinite at 0, -1, -2 and so on.

        >>> torch.tensor([1.0, 4.0, 0.5, -1.0]).lgamma()
        tensor([0.0000, 1.7918, 0.5724,    inf])
        >>> torch.tensor(4.0).lgamma().exp()
        tensor(6.)
        """
    def lgamma_(self) -> Tensor:
        """In place: the logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

        Infinite at 0, -1, -2 and so on.

        >>> torch.tensor([1.0, 4.0, 0.5, -1.0]).lgamma_()
        tensor([0.0000, 1.7918, 0.5724,    inf])
        """
    def log(self) -> Tensor:
        """The natural logarithm of each element: `y = log(x)`.

        -inf for 0, NaN below. Integers and bools give the default float type; of complex numbers it is
        the principal value.

        >>> torch.tensor([1.0, 10.0, 0.0, -1.0]).log()
        tensor([0.0000, 2.3026,   -inf,    nan])
        """
    def log10(self) -> Tensor:
        """The logarithm to base 10: `y = log(x) / log(10)`.

        -inf for 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([1.0, 1000.0, 0.5]).log10()
        tensor([ 0.0000,  3.0000, -0.3010])
        """
    def log10_(self) -> Tensor:
        """In place: the logarithm to base 10: `y = log(x) / log(10)`.

        -inf for 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([1.0, 1000.0, 0.5]).log10_()
        tensor([ 0.0000,  3.0000, -0.3010])
        """
    def log1p(self) -> Tensor:
        """`y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

        -inf for -1, NaN below.

        >>> x = torch.tensor([1e-8, 1.0, -1.0])
        >>> x.log1p()
        tensor([1.0000e-08, 6.9315e-01,       -inf])
        >>> torch.log(1 + x)
        tensor([0.0000, 0.6931,   -inf])
        """
    def log1p_(self) -> Tensor:
        """In place: `y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

        -inf for -1, NaN below.

        >>> x = torch.tensor([1e-8, 1.0, -1.0])
        >>> x.log1p_()
        tensor([1.0000e-08, 6.9315e-01,       -inf])
        """
    def log2(self) -> Tensor:
        """The logarithm to base 2: `y = log(x) / log(2)`, exact for powers of two.

        -inf for 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([1.0, 8.0, 1024.0]).log2()
        tensor([ 0.,  3., 10.])
        """
    def log2_(self) -> Tensor:
        """In place: the logarithm to base 2: `y = log(x) / log(2)`, exact for powers of two.

        -inf for 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([1.0, 8.0, 1024.0]).log2_()
        tensor([ 0.,  3., 10.])
        """
    def log_(self) -> Tensor:
        """In place: the natural logarithm of each element: `y = log(x)`.

        -inf for 0, NaN below. Integers and bools give the default float type; of complex numbers it is
        the principal value.

        >>> torch.tensor([1.0, 10.0, 0.0, -1.0]).log_()
        tensor([0.0000, 2.3026,   -inf,    nan])
        """
    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp of normal numbers.

        mean, std: those of the normal numbers, 1 and 2 by default. RuntimeError where std is not
        positive. For floats.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(3).log_normal_(0.0, 0.25)
        tensor([1.4700, 0.9293, 0.5800])
        """
    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

        `dtype` converts before; integers need one.

        >>> x = torch.tensor([0.0, 1000.0])
        >>> x.log_softmax(0)
        tensor([-1000.,     0.])
        """
    def logaddexp(self, other: Tensor) -> Tensor:
        """`y = log(exp(input) + exp(other))`, without overflow: the sum of two probabilities that
        are given by their logarithms.

        input, other: tensors of floats or complex numbers whose shapes broadcast.

        >>> torch.tensor([0.0, -1000.0]).logaddexp(torch.tensor([0.0, -1000.0]))
        tensor([ 6.9315e-01, -9.9931e+02])
        """
    def logaddexp2(self, other: Tensor) -> Tensor:
        """`y = log2(2 ** input + 2 ** other)`, without overflow.

        input, other: tensors of floats whose shapes broadcast.

        >>> torch.tensor([3.0, 1000.0]).logaddexp2(torch.tensor([3.0, 1000.0]))
        tensor([   4., 1001.])
        """
    def logcumsumexp(self, dim: _int) -> Tensor:
        """Running `log(exp(x[0]) + ... + exp(x[i]))` along `dim`, without overflow.

        For floats and complex numbers.

        >>> torch.tensor([0.0, 0.0, 1000.0]).logcumsumexp(0)
        tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
        """
    def logdet(self) -> Tensor:
        """The log of the determinant of square matrices (*, n, n); NaN where that is negative, -inf for
        0.

        >>> x = torch.eye(2) * 3
        >>> x.logdet()
        tensor(2.1972)
        """
    def logical_and(self, other: Tensor) -> Tensor:
        """True where both are not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 1, 2]).logical_and(torch.tensor([1, 0, 5]))
        tensor([False, False,  True])
        """
    def logical_and_(self, other: Tensor) -> Tensor:
        """In place: true where both are not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 1, 2]).logical_and_(torch.tensor([1, 0, 5])).bool()
        tensor([False, False,  True])
        """
    def logical_not(self) -> Tensor:
        """True where an element is zero. Takes all types and gives bools.

        >>> torch.tensor([0.0, 1.5, -2.0]).logical_not()
        tensor([ True, False, False])
        """
    def logical_not_(self) -> Tensor:
        """In place: true where an element is zero. Takes all types and gives bools.

        >>> torch.tensor([0.0, 1.5, -2.0]).logical_not_().bool()
        tensor([ True, False, False])
        """
    def logical_or(self, other: Tensor) -> Tensor:
        """True where one or both are not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 0, 2]).logical_or(torch.tensor([1, 0, 5]))
        tensor([ True, False,  True])
        """
    def logical_or_(self, other: Tensor) -> Tensor:
        """In place: true where one or both are not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 0, 2]).logical_or_(torch.tensor([1, 0, 5])).bool()
        tensor([ True, False,  True])
        """
    def logical_xor(self, other: Tensor) -> Tensor:
        """True where exactly one of the two is not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 0, 2]).logical_xor(torch.tensor([1, 0, 5]))
        tensor([ True, False, False])
        """
    def logical_xor_(self, other: Tensor) -> Tensor:
        """In place: true where exactly one of the two is not zero. Takes all types and gives bools.

        input, other: tensors whose shapes broadcast.

        >>> torch.tensor([0, 0, 2]).logical_xor_(torch.tensor([1, 0, 5])).bool()
        tensor([ True, False, False])
        """
    def logit(self, eps: Tensor | Number | None = None) -> Tensor:
        """The inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

        eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
        where that changes x. None, the default: no bounds.

        >>> torch.tensor([0.5, 0.9, 1.0]).logit()
        tensor([0.0000, 2.1972,    inf])
        >>> torch.tensor([0.5, 0.9, 1.0]).logit(eps=1e-3)
        tensor([0.0000, 2.1972, 6.9068])
        """
    def logit_(self, eps: Tensor | Number | None = None) -> Tensor:
        """In place: the inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

        eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
        where that changes x. None, the default: no bounds.

        >>> torch.tensor([0.5, 0.9, 1.0]).logit_()
        tensor([0.0000, 2.1972,    inf])
        """
    def logsumexp(self, dim: Dims, keepdim: _bool = False) -> Tensor:
        """`y = log(sum of exp(x))` over `dim`, without overflow: the sum of probabilities that are
        given by their logarithms.

        dim: an int or a tuple; keepdim: these dimensions stay, with size 1. Integers give the default
        float type. Its gradient is softmax.

        >>> torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]).logsumexp(1)
        tensor([   1.3133, 1000.6932])
        """
    def long(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int64; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int64)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.long().dtype
        torch.int64
        """
    def lstsq(self, other: Tensor | Number) -> Any:
        """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.lstsq, with the arguments the other way round`.

        >>> torch.eye(2).lstsq()
        Traceback (most recent call last):
            ...
        RuntimeError: This function was deprecated since version 1.9 and is now removed...
        """
    def lt(self, other: Tensor | Number) -> Tensor:
        """True where input is less than other: `y = input < other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).lt(2)
        tensor([ True, False, False])
        """
    def lt_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input is less than other: `y = input < other`; False where either is NaN.

        other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

        >>> torch.tensor([1, 2, 3]).lt_(2).bool()
        tensor([ True, False, False])
        """
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> builtins.tuple[Tensor, ...]:
        """(LU, pivots), with `get_infos=True` (LU, pivots, info): the older form of `linalg.lu_factor`.

        >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
        >>> LU, pivots = A.lu()
        >>> LU
        tensor([[4.0000, 4.0000],
                [0.2500, 1.0000]])
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The X with A @ X = input, from the packed LU of A: the older form of `linalg.lu_solve`.

        `input` (*, n, k), `LU_data` (*, n, n) and `LU_pivots` (*, n) as `linalg.lu_factor` returns
        them.

        >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
        >>> b = torch.tensor([[2.0], [9.0]])
        >>> b.lu_solve(LU, pivots)
        tensor([[1.],
                [2.]])
        """
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
        """Replace each element by `callable(element, element of x, element of y)`, in place, and return
        the tensor.

        x, y: tensors whose shapes broadcast. One Python call an element, so not for speed.

        >>> one, two = torch.tensor([10.0, 20.0]), torch.tensor([3.0, 4.0])
        >>> torch.tensor([1.0, 2.0]).map2_(one, two, lambda a, b, c: a + b * c)
        tensor([31., 82.])
        """
    def map_(self, other: Tensor | Number, callable: Any) -> Tensor:
        """Replace each element by `callable(element, element of tensor)`, in place, and return the
        tensor.

        tensor: one whose shape broadcasts. One Python call an element, so not for speed.

        >>> torch.tensor([1.0, 2.0]).map_(torch.tensor([10.0, 20.0]), lambda a, b: a + b)
        tensor([11., 22.])
        """
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
        >>> x.masked_scatter(torch.tensor([False, True, False, True]), torch.tensor([1.0, 2.0]))
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
        """The matrix product, `input @ other`, of vectors, matrices and stacks of matrices.

        (n, k) @ (k, m) is (n, m); (k,) @ (k,) a number; (n, k) @ (k,) is (n,). Of more dimensions the
        last two are matrices, (*, n, k) @ (*, k, m), and the leading ones broadcast. RuntimeError if
        the inner sizes or the dtypes differ, or for tensors without dimensions.

        >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> a.matmul(torch.tensor([1.0, 10.0]))
        tensor([21., 43.])
        >>> torch.ones(5, 1, 2, 3).matmul(torch.ones(4, 3, 6)).shape
        torch.Size([5, 4, 2, 6])
        """
    def matrix_exp(self) -> Tensor:
        """The matrix exponential of square matrices (*, n, n): the sum of A^k / k! over k.

        >>> A = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
        >>> A.matrix_exp()
        tensor([[1., 1.],
                [0., 1.]])
        """
    def matrix_power(self, n: _int) -> Tensor:
        """Square matrices (*, n, n) multiplied with themselves n times.

        n = 0 gives the identity; for negative n it is the inverse's power.

        >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
        >>> A.matrix_power(3)
        tensor([[1., 3.],
                [0., 1.]])
        """
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool=False) -> return_types.max:
        """The largest element; along `dim`, the pair (values, indices); with another tensor, the
        larger of each two elements, as `maximum`.

        dim: one dimension (`amax` takes several); keepdim: it stays, with size 1. NaN is larger than
        all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
        the largest of all shares it. Not for complex numbers; RuntimeError for no elements.

        >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
        >>> x.max()
        tensor(7.)
        >>> values, indices = x.max(1)
        >>> values, indices
        (tensor([5., 7.]), tensor([1, 0]))
        >>> x.max(torch.tensor([3.0, 3.0]))
        tensor([[3., 5.],
                [7., 3.]])
        """
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two elements; NaN if either is NaN.

        input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
        gradient. Not for complex numbers.

        >>> torch.maximum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 5., nan])
        """
    def mean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean of all elements, or over `dim`: their sum by their number.

        dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
        1. dtype: the type to which the elements are brought first. RuntimeError for integers and bools
        without it: `x.float().mean()`. Of no elements it is NaN.

        >>> torch.tensor([[1.0, 2.0], [3.0, 6.0]]).mean()
        tensor(3.)
        >>> torch.tensor([[1.0, 2.0], [3.0, 6.0]]).mean(1)
        tensor([1.5000, 4.5000])
        """
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: _int, keepdim: _bool=False) -> return_types.median:
        """The median of all elements, or the pair (values, indices) along `dim`.

        Of an even number it is the lower of the two in the middle, not their mean: that is
        `torch.quantile(x, 0.5)`. NaN where there is one. dim: None by default; keepdim: the dimension
        stays, with size 1.

        >>> torch.tensor([1.0, 9.0, 3.0, 4.0]).median()
        tensor(3.)
        >>> values, indices = torch.tensor([[1.0, 9.0, 3.0], [5.0, 2.0, 8.0]]).median(1)
        >>> values, indices
        (tensor([3., 5.]), tensor([2, 0]))
        """
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: _int, keepdim: _bool=False) -> return_types.min:
        """The smallest element; along `dim`, the pair (values, indices); with another tensor, the
        smaller of each two elements, as `minimum`.

        dim: one dimension (`amin` takes several); keepdim: it stays, with size 1. NaN is smaller than
        all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
        the smallest of all shares it. Not for complex numbers; RuntimeError for no elements.

        >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
        >>> x.min()
        tensor(1.)
        >>> values, indices = x.min(1)
        >>> values, indices
        (tensor([1., 2.]), tensor([0, 1]))
        >>> x.min(torch.tensor([3.0, 3.0]))
        tensor([[1., 3.],
                [3., 2.]])
        """
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two elements; NaN if either is NaN.

        input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
        gradient. Not for complex numbers.

        >>> torch.minimum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 2., nan])
        """
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices, (n, k) and (k, m), without broadcasting.

        >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> a.mm(torch.eye(2) * 2)
        tensor([[2., 4.],
                [6., 8.]])
        """
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> return_types.mode:
        """The pair (values, indices) of the most frequent element along `dim`; the smallest of several.

        dim: -1 by default; keepdim: the dimension stays, with size 1. The index is that of the last
        place of the value.

        >>> values, indices = torch.tensor([2, 1, 3, 1, 2, 1]).mode()
        >>> values, indices
        (tensor(1), tensor(5))
        """
    def module_load(self, other: Tensor | Number, assign: _bool = False) -> Any:
        """What takes this parameter's place when `other` is loaded, where
        `torch.__future__.set_swap_module_params_on_conversion` is on; to be overridden.

        Args:
            other: the tensor from the state that is loaded.
            assign: take `other` itself; False: its values in a tensor like this one.

        >>> w = torch.zeros(2)
        >>> w.module_load(torch.ones(2))
        tensor([1., 1.])
        """
    def moveaxis(self, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
        """A view with the dimensions `source` moved to the places `destination`; the others keep order.

        Both are a number or a tuple of the same length.

        >>> x = torch.zeros(2, 3, 4)
        >>> x.movedim(0, -1).shape
        torch.Size([3, 4, 2])
        >>> x.movedim((0, 1), (1, 2)).shape
        torch.Size([4, 2, 3])
        """
    def movedim(self, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
        """A view with the dimensions `source` moved to the places `destination`; the others keep order.

        Both are a number or a tuple of the same length.

        >>> x = torch.zeros(2, 3, 4)
        >>> x.movedim(0, -1).shape
        torch.Size([3, 4, 2])
        >>> x.movedim((0, 1), (1, 2)).shape
        torch.Size([4, 2, 3])
        """
    def msort(self) -> Tensor:
        """The values in order along the first dimension: `torch.sort(input, 0).values`.

        >>> torch.tensor([[3, 1], [2, 5], [1, 4]]).msort()
        tensor([[1, 1],
                [2, 4],
                [3, 5]])
        """
    def mul(self, other: Tensor | Number) -> Tensor:
        """`y = input * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. The result has their
        common type; bools are multiplied as by `&`.

        >>> torch.tensor([1.0, 2.0, 3.0]).mul(10)
        tensor([10., 20., 30.])
        >>> torch.tensor([[1], [2]]).mul(torch.tensor([1, 2, 3]))
        tensor([[1, 2, 3],
                [2, 4, 6]])
        """
    def mul_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. The result has their
        common type; bools are multiplied as by `&`.

        >>> torch.tensor([1.0, 2.0, 3.0]).mul_(10)
        tensor([10., 20., 30.])
        """
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices drawn with the probabilities in each row of `input` (they need not sum to one).

        input (n,) or (rows, n), floating weights; the result (num_samples,) or (rows, num_samples),
        int64.

        num_samples: how many indices a row gets. replacement: whether an index may come twice; False by
        default. RuntimeError for negative, infinite or only zero weights, and for more samples than
        weights without replacement.

        >>> torch.tensor([0.0, 1.0, 0.0]).multinomial(4, replacement=True)
        tensor([1, 1, 1, 1])
        >>> torch.tensor([[1.0, 1.0], [0.0, 3.0]]).multinomial(1).shape
        torch.Size([2, 1])
        """
    def multiply(self, other: Tensor | Number) -> Tensor:
        """`y = input * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. The result has their
        common type; bools are multiplied as by `&`.

        >>> torch.tensor([1.0, 2.0, 3.0]).mul(10)
        tensor([10., 20., 30.])
        >>> torch.tensor([[1], [2]]).mul(torch.tensor([1, 2, 3]))
        tensor([[1, 2, 3],
                [2, 4, 6]])
        """
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. The result has their
        common type; bools are multiplied as by `&`.

        >>> torch.tensor([1.0, 2.0, 3.0]).mul_(10)
        tensor([10., 20., 30.])
        """
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix (n, m) and a vector (m,): a vector (n,).

        >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> a.mv(torch.tensor([1.0, 10.0]))
        tensor([21., 43.])
        """
    def mvlgamma(self, p: _int) -> Tensor:
        """The logarithm of the p-variate gamma function:
        `y = p * (p - 1) / 4 * log(pi) + sum of lgamma(x - j / 2) for j in 0 ... p - 1`.

        p: the number of dimensions, at least 1. Elements should be above `(p - 1) / 2`. Wishart
        distributions are normalised by it.

        >>> torch.tensor([2.0, 3.5]).mvlgamma(p=2)
        tensor([0.4516, 2.4665])
        """
    def mvlgamma_(self, p: _int) -> Tensor:
        """In place: the logarithm of the p-variate gamma function:
        `y = p * (p - 1) / 4 * log(pi) + sum of lgamma(x - j / 2) for j in 0 ... p - 1`.

        p: the number of dimensions, at least 1. Elements should be above `(p - 1) / 2`. Wishart
        distributions are normalised by it.

        >>> torch.tensor([2.0, 3.5]).mvlgamma_(p=2)
        tensor([0.4516, 2.4665])
        """
    @property
    def name(self) -> Any:
        """The name of a variable: none has one."""
    def nan_to_num(self, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
        """Replace what is not finite: NaN by `nan`, inf by `posinf`, -inf by `neginf`.

        nan: 0 by default; posinf, neginf: by default the largest and the smallest finite number of the
        type. The gradient is 0 where something was replaced.

        >>> x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5])
        >>> x.nan_to_num(nan=0.0, posinf=100.0, neginf=-100.0)
        tensor([   0.0000,  100.0000, -100.0000,    1.5000])
        """
    def nan_to_num_(self, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
        """In place: replace what is not finite: NaN by `nan`, inf by `posinf`, -inf by `neginf`.

        nan: 0 by default; posinf, neginf: by default the largest and the smallest finite number of the
        type. The gradient is 0 where something was replaced.

        >>> x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5])
        >>> x.nan_to_num_(nan=0.0, posinf=100.0, neginf=-100.0)
        tensor([   0.0000,  100.0000, -100.0000,    1.5000])
        """
    def nanmean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean of the elements that are not NaN, of all or over `dim`; NaN where there is none.

        dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
        1. RuntimeError for integers.

        >>> torch.nanmean(torch.tensor([1.0, float("nan"), 3.0]))
        tensor(2.)
        """
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool=False) -> return_types.nanmedian:
        """The median of the elements that are not NaN, or the pair (values, indices) along `dim`; NaN
        where all are.

        dim: None by default; keepdim: the dimension stays, with size 1.

        >>> torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0, 4.0]))
        tensor(3.)
        """
    def nanquantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-th quantile of the elements that are not NaN; parameters are those of `quantile`.

        >>> torch.nanquantile(torch.tensor([0.0, float("nan"), 2.0, 4.0]), 0.5)
        tensor(2.)
        """
    def nansum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum with NaN counted as zero, of all elements or over `dim`.

        dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
        1. dtype: the type of the sum. Not for complex numbers.

        >>> torch.nansum(torch.tensor([1.0, float("nan"), 3.0]))
        tensor(4.)
        """
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
        """Number of dimensions. `ndimension()` and `ndim` are the same number.

        >>> torch.zeros(2, 3).dim(), torch.tensor(1.0).dim()
        (2, 0)
        """
    def ne(self, other: Tensor | Number) -> Tensor:
        """True where input differs from other: `y = input != other`. NaN differs from everything.

        other: a tensor whose shape broadcasts, or a number.

        >>> torch.tensor([1, 2, 3]).ne(torch.tensor([1, 5, 3]))
        tensor([False,  True, False])
        """
    def ne_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input differs from other: `y = input != other`. NaN differs from everything.

        other: a tensor whose shape broadcasts, or a number.

        >>> torch.tensor([1, 2, 3]).ne_(torch.tensor([1, 5, 3])).bool()
        tensor([False,  True, False])
        """
    def neg(self) -> Tensor:
        """`y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

        >>> torch.tensor([1.5, -2.0, 0.0]).neg()
        tensor([-1.5000,  2.0000, -0.0000])
        """
    def neg_(self) -> Tensor:
        """In place: `y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

        >>> torch.tensor([1.5, -2.0, 0.0]).neg_()
        tensor([-1.5000,  2.0000, -0.0000])
        """
    def negative(self) -> Tensor:
        """`y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

        >>> torch.tensor([1.5, -2.0, 0.0]).neg()
        tensor([-1.5000,  2.0000, -0.0000])
        """
    def negative_(self) -> Tensor:
        """In place: `y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

        >>> torch.tensor([1.5, -2.0, 0.0]).neg_()
        tensor([-1.5000,  2.0000, -0.0000])
        """
    def nelement(self) -> _int:
        """Number of elements: the product of the sizes, 1 for a tensor without dimensions.

        >>> torch.zeros(2, 3).numel(), torch.tensor(1.0).numel()
        (6, 1)
        """
    def new(self, *args: Any, size: _int | Sequence[_int] | None = None, device: Device = None, data: Any = None, other: Tensor | Number | None = None, storage: Any = None) -> Any:
        """Legacy: a tensor of this dtype from sizes or data. `new_empty` and `new_tensor` say which.

        >>> x = torch.tensor([1, 2])
        >>> x.new([3.0, 4.0]), x.new(2, 3).shape
        (tensor([3, 4]), torch.Size([2, 3]))
        """
    @overload
    def new_empty(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_empty(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.empty` with this tensor's dtype and device.

        Args:
            size: the shape of the result, as numbers or a tuple.
            dtype, device: other ones.

        >>> x = torch.tensor([1.5], dtype=torch.float64)
        >>> x.new_empty(2, 3).shape
        torch.Size([2, 3])
        """
    def new_empty_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.empty_strided` with this tensor's dtype: sizes and strides given, values arbitrary.

        >>> torch.zeros(1, dtype=torch.int8).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
        """
    def new_full(self, size: Sequence[_int], fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.full` with this tensor's dtype and device.

        Args:
            size: the shape of the result.
            fill_value: cast to the dtype.

        >>> torch.zeros(1, dtype=torch.int64).new_full((2, 2), 7.9)
        tensor([[7, 7],
                [7, 7]])
        """
    @overload
    def new_ones(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_ones(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.ones` with this tensor's dtype and device.

        Args:
            size: the shape of the result, as numbers or a tuple.
            dtype, device: other ones.

        >>> x = torch.tensor([1.5], dtype=torch.float64)
        >>> x.new_ones(2)
        tensor([1., 1.], dtype=torch.float64)
        """
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False) -> Tensor:
        """A tensor with a copy of `data`, of this tensor's dtype unless another is given.

        Args:
            data: numbers, nested lists, an array or a tensor.
            requires_grad: whether the new leaf gets a gradient.

        >>> x = torch.zeros(2, dtype=torch.float64)
        >>> x.new_tensor([1, 2])
        tensor([1., 2.], dtype=torch.float64)
        """
    @overload
    def new_zeros(self, size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
    @overload
    def new_zeros(self, *size: _int, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """`torch.zeros` with this tensor's dtype and device.

        Args:
            size: the shape of the result, as numbers or a tuple.
            dtype, device: other ones.

        >>> x = torch.tensor([1.5], dtype=torch.float64)
        >>> x.new_zeros(2)
        tensor([0., 0.], dtype=torch.float64)
        """
    def nextafter(self, other: Tensor) -> Tensor:
        """The float that comes next after input in the direction of other.

        input, other: tensors of one float type whose shapes broadcast.

        >>> one = torch.tensor([1.0])
        >>> one.nextafter(torch.tensor([2.0])) - 1 == torch.finfo(torch.float32).eps
        tensor([True])
        """
    def nextafter_(self, other: Tensor) -> Tensor:
        """In place: the float that comes next after input in the direction of other.

        input, other: tensors of one float type whose shapes broadcast.

        >>> one = torch.tensor([1.0])
        >>> one.nextafter_(torch.tensor([2.0])) - 1 == torch.finfo(torch.float32).eps
        tensor([True])
        """
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor:
        """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

        In the order of the elements. With `as_tuple=True` one vector for each dimension, which can be
        used as an index: `x[torch.nonzero(x, as_tuple=True)]`. Not on meta tensors: the shape depends
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
        """The p-norm over `dim`, of all elements by default: (sum |x|^p)^(1/p).

        `p` is a number, inf or -inf, "fro" (the same as 2) or "nuc" (of matrices). Of matrices a number
        is not the operator's norm: `linalg.matrix_norm` is. `dtype` converts first.

        >>> x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
        >>> x.norm()
        tensor(5.)
        >>> x.norm(p=1, dim=1)
        tensor([7., 0.])
        """
    def normal_(self, mean: _float = 0, std: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers of this mean and standard deviation.

        mean: 0 by default; std: 1, and RuntimeError where it is negative. A complex number has half of
        the variance in each part.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(3).normal_(mean=10, std=2)
        tensor([13.0820,  9.4131,  5.6424])
        """
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """True where input differs from other: `y = input != other`. NaN differs from everything.

        other: a tensor whose shape broadcasts, or a number.

        >>> torch.tensor([1, 2, 3]).ne(torch.tensor([1, 5, 3]))
        tensor([False,  True, False])
        """
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """In place: true where input differs from other: `y = input != other`. NaN differs from everything.

        other: a tensor whose shape broadcasts, or a number.

        >>> torch.tensor([1, 2, 3]).ne_(torch.tensor([1, 5, 3])).bool()
        tensor([False,  True, False])
        """
    def numel(self) -> _int:
        """Number of elements: the product of the sizes, 1 for a tensor without dimensions.

        >>> torch.zeros(2, 3).numel(), torch.tensor(1.0).numel()
        (6, 1)
        """
    def numpy(self, *, force: _bool = False) -> Any:
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
    def orgqr(self, input2: Tensor) -> Tensor:
        """The first columns of a product of reflections: the older name of
        `linalg.householder_product`.

        >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> a.orgqr(tau)
        tensor([[-0.6000, -0.8000],
                [-0.8000,  0.6000]])
        """
    def ormqr(self, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """Q @ input3, where `input` and `input2` are what `geqrf` says of Q (all of it, square).

        `transpose`: Q^H; `left=False`: input3 @ Q.

        >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> a.ormqr(tau, torch.eye(2))
        tensor([[-0.6000, -0.8000],
                [-0.8000,  0.6000]])
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with one of another: y[i, j] = input[i] * vec2[j].

        >>> x = torch.tensor([1, 2])
        >>> x.outer(torch.tensor([3, 4, 5]))
        tensor([[ 3,  4,  5],
                [ 6,  8, 10]])
        """
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
        """Raises: memory is pinned for an accelerator, and there is none. A DataLoader with
        `pin_memory=True` leaves it out with a warning.

        >>> x = torch.zeros(2)
        >>> x.pin_memory() if torch.cuda.is_available() else x
        tensor([0., 0.])
        """
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """The pseudoinverse (*, n, m) of matrices (*, m, n): `linalg.pinv` with a relative tolerance.

        >>> A = torch.tensor([[1.0], [1.0]])
        >>> A.pinverse()
        tensor([[0.5000, 0.5000]])
        """
    def polygamma(self, n: _int) -> Tensor:
        """The n-th derivative of digamma at the elements: `torch.polygamma(n, x)`.

        >>> torch.tensor([1.0, 0.5]).polygamma(1)
        tensor([1.6449, 4.9348])
        """
    def polygamma_(self, n: _int) -> Tensor:
        """In place: the n-th derivative of digamma at the elements of input.

        n: an int, 0 or more: 0 is digamma itself, 1 the trigamma function. RuntimeError for a negative
        one.

        >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
        tensor([1.6449, 4.9348])
        """
    def positive(self) -> Tensor:
        """The tensor itself: `+x`. RuntimeError for bools.

        >>> torch.tensor([-1, 2]).positive()
        tensor([-1,  2])
        """
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """`y = input ** other`, element by element.

        input, other: tensors whose shapes broadcast, or one of the two a number. Two tensors give their
        common type, so integers stay integers; with a float exponent they give floats.

        RuntimeError for integers to a negative number (`x.float() ** -1` is meant); in a tensor of
        exponents negative ones give 0, but for bases 1 and -1.

        >>> torch.tensor([1.0, 2.0, 3.0]).pow(2)
        tensor([1., 4., 9.])
        >>> torch.pow(2, torch.tensor([1.0, 2.0, 3.0]))
        tensor([2., 4., 8.])
        >>> torch.tensor([2, 3]) ** 0.5
        tensor([1.4142, 1.7321])
        """
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In place: `y = input ** other`, element by element.

        input, other: tensors whose shapes broadcast, or one of the two a number. Two tensors give their
        common type, so integers stay integers; with a float exponent they give floats.

        RuntimeError for integers to a negative number (`x.float() ** -1` is meant); in a tensor of
        exponents negative ones give 0, but for bases 1 and -1.

        >>> torch.tensor([1.0, 2.0, 3.0]).pow_(2)
        tensor([1., 4., 9.])
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """A leaky rectifier whose slope is learnt: `y = x` where x > 0, else `weight * x`.

        input (N, C, *) and weight (C,), or (1,) for one slope for all; both of one type. RuntimeError
        where their numbers of channels differ. He et al., 2015, arXiv:1502.01852.

        >>> torch.tensor([[-1.0, -1.0, 3.0]]).prelu(torch.tensor([0.25, 0.5, 0.5]))
        tensor([[-0.2500, -0.5000,  3.0000]])
        """
    def prod(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The product of all elements, or over one dimension; 1 of no elements.

        dim: an int; None, the default, takes all. keepdim: the dimension stays, with size 1. dtype: the
        type to which the elements are brought first. Integers and bools are multiplied in int64. The
        derivative is right where factors are 0 too.

        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).prod(1)
        tensor([ 2., 12.])
        """
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with the elements of `source` at positions in the flattened tensor.

        `index` and `source` have the same number of elements. `accumulate`: they are added to what is
        there, where a position is named twice both of them.

        >>> x = torch.zeros(2, 2)
        >>> x.put(torch.tensor([1, -1]), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [0., 6.]])
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """Writes the elements of `source` at positions in the flattened tensor, in place.

        >>> torch.ones(3).put_(torch.tensor([1, 1]), torch.tensor([5.0, 6.0]), accumulate=True)
        tensor([ 1., 12.,  1.])
        """
    def qr(self, some: _bool = True) -> return_types.qr:
        """A = Q @ R; the older form of `linalg.qr`, of which `some=False` is mode="complete".

        >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
        >>> A.qr().R
        tensor([[-5.0000, -2.2000],
                [ 0.0000,  0.4000]])
        """
    def quantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-th quantile of all elements, or along `dim`: below it lies the share q of them.

        q: a number in [0, 1], or a one-dimensional tensor of them, which makes a new first dimension.
        dim: None, the default, takes all. keepdim: the dimension stays, with size 1. interpolation,
        between two neighbours: "linear" (the default), "lower", "higher", "midpoint" or "nearest". NaN
        where there is one. For float32 and float64, and q of the type of input.

        >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(0.5)
        tensor(1.5000)
        >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(torch.tensor([0.25, 0.75]))
        tensor([0.7500, 2.2500])
        """
    def rad2deg(self) -> Tensor:
        """Radians as degrees: `y = x * 180 / pi`.

        >>> torch.tensor([0.0, torch.pi / 2, torch.pi]).rad2deg()
        tensor([  0.,  90., 180.])
        """
    def rad2deg_(self) -> Tensor:
        """In place: radians as degrees: `y = x * 180 / pi`.

        >>> torch.tensor([0.0, torch.pi / 2, torch.pi]).rad2deg_()
        tensor([  0.,  90., 180.])
        """
    @overload
    def random_(self, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(self, to: _int, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(self, from_: _int, to: _int | None, *, generator: Generator | None = None) -> Tensor:
        """Fill with whole numbers: ``random_()``, ``random_(to)`` or ``random_(from, to)``.

        Without bounds the numbers are 0 up to the largest that the type holds exactly; ``to`` is
        excluded, or None for no upper bound.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(4).random_(10)
        tensor([4., 9., 3., 0.])
        >>> torch.empty(4, dtype=torch.int64).random_(5, 7)
        tensor([6, 6, 6, 6])
        """
    def ravel(self) -> Tensor:
        """All elements in one dimension: the tensor's own memory if it is contiguous, else a copy.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.ravel()
        tensor([1, 2, 3, 4])
        """
    @property
    def real(self) -> Tensor:
        """The real part, a view; of a real tensor the tensor itself.

        >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
        tensor([1., 3.])
        """
    @real.setter
    def real(self, value: Tensor | Number) -> None: ...
    def reciprocal(self) -> Tensor:
        """One over each element: `y = 1 / x`; infinite at 0.

        Integers and bools give the default float type.

        >>> torch.tensor([2.0, 4.0, -8.0]).reciprocal()
        tensor([ 0.5000,  0.2500, -0.1250])
        """
    def reciprocal_(self) -> Tensor:
        """In place: one over each element: `y = 1 / x`; infinite at 0.

        Integers and bools give the default float type.

        >>> torch.tensor([2.0, 4.0, -8.0]).reciprocal_()
        tensor([ 0.5000,  0.2500, -0.1250])
        """
    def record_stream(self, stream: Any) -> None:
        """Nothing: there are no streams on a CPU.

        >>> torch.ones(2).record_stream(None)
        """
    def register_hook(self, hook: Callable[[Tensor], Any]) -> Any:
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
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call `hook(tensor)` after a gradient was accumulated into this leaf's `.grad`.

        Returns a handle with `remove()`. An optimiser's step can be taken there, so that the
        gradient is free before the next one is made.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda tensor: print(tensor.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
    def reinforce(self, reward: Any) -> None:
        """Removed from PyTorch long ago: raises. What took its place is `log_prob` of a
        distribution.

        >>> torch.zeros(1).reinforce(1.0)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        RuntimeError: ...
        """
    def relu(self) -> Tensor:
        """The rectifier: `y = max(x, 0)`.

        inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
        at 0 is 0. Not for bools and complex numbers.

        >>> torch.tensor([-1.0, 0.0, 2.0]).relu()
        tensor([0., 0., 2.])
        """
    def relu_(self) -> Tensor:
        """In place: the rectifier: `y = max(x, 0)`.

        inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
        at 0 is 0. Not for bools and complex numbers.

        >>> torch.tensor([-1.0, 0.0, 2.0]).relu_()
        tensor([0., 0., 2.])
        """
    def remainder(self, other: Tensor | Number) -> Tensor:
        """`y = input - other * floor(input / other)`: it has the sign of other, as Python's `%`.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError
        ("ZeroDivisionError") for integers divided by 0; floats give NaN.

        >>> torch.tensor([7, -7]).remainder(3)
        tensor([1, 2])
        >>> torch.tensor([5.5, -5.5]) % 2
        tensor([1.5000, 0.5000])
        """
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input - other * floor(input / other)`: it has the sign of other, as Python's `%`.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError
        ("ZeroDivisionError") for integers divided by 0; floats give NaN.

        >>> torch.tensor([7, -7]).remainder_(3)
        tensor([1, 2])
        """
    def renorm(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """Each slice along `dim` scaled down so that its p-norm is at most `maxnorm`.

        Slices below stay as they are.

        >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
        >>> x.renorm(2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
        """
    def renorm_(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """In place: each slice along `dim` scaled down so that its p-norm is at most `maxnorm`.

        Slices below stay as they are.

        >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
        >>> x.renorm_(2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
        """
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
        flattened. `output_size`, if known, saves adding the repeats up.

        >>> torch.tensor([1, 2]).repeat_interleave(2)
        tensor([1, 1, 2, 2])
        """
    @property
    def requires_grad(self) -> _bool:
        """Whether gradients flow to this tensor."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
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
        """Deprecated non-in-place resize: only to the same number of elements. Use `view` or `reshape`.

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     torch.arange(4).resize(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
    @overload
    def resize_(self, size: Sequence[_int], *, memory_format: memory_format | None = None) -> Tensor: ...
    @overload
    def resize_(self, *size: _int, memory_format: memory_format | None = None) -> Tensor:
        """Change the shape in place; memory is kept where it suffices, new elements are undefined.

        Args:
            sizes: the new shape; its elements are those of the storage in order.
            memory_format: how they lie; contiguous unless given.

        Raises:
            RuntimeError: the tensor requires grad.

        >>> x = torch.arange(6).reshape(2, 3)
        >>> x.resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
    def resize_as_(self, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        """`resize_` to the shape of another tensor, and with `preserve_format` to its format.

        >>> x = torch.arange(6)
        >>> x.resize_as_(torch.zeros(3, 2))
        tensor([[0, 1],
                [2, 3],
                [4, 5]])
        """
    def resize_as_sparse_(self, the_template: Tensor) -> Tensor:
        """Give a sparse tensor the shape of another in place. NotImplementedError for a dense
        tensor.

        >>> torch.eye(2).to_sparse().resize_as_sparse_(torch.eye(3).to_sparse()).shape
        torch.Size([3, 3])
        """
    def resolve_conj(self) -> Tensor:
        """The tensor itself, or the conjugates that its bit stands for, in memory of their own.

        >>> x = torch.tensor([1 + 2j]).conj()
        >>> x.is_conj(), x.resolve_conj().is_conj()
        (True, False)
        """
    def resolve_neg(self) -> Tensor:
        """The tensor itself, or the negatives that its bit stands for, in memory of their own.

        >>> x = torch.tensor([1 + 2j]).conj().imag
        >>> x.is_neg(), x.resolve_neg().is_neg()
        (True, False)
        """
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
        """The nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
        neighbour.

        decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
        take no decimals (NotImplementedError). The gradient is 0 everywhere.

        >>> torch.tensor([0.5, 1.5, 2.5, -0.7]).round()
        tensor([ 0.,  2.,  2., -1.])
        >>> torch.tensor([3.14159, 271.828]).round(decimals=2)
        tensor([  3.1400, 271.8300])
        >>> torch.tensor([1234.0]).round(decimals=-2)
        tensor([1200.])
        """
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """In place: the nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
        neighbour.

        decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
        take no decimals (NotImplementedError). The gradient is 0 everywhere.

        >>> torch.tensor([0.5, 1.5, 2.5, -0.7]).round_()
        tensor([ 0.,  2.,  2., -1.])
        """
    def row_indices(self) -> Tensor:
        """Of a tensor in the layout sparse_csc or sparse_bsc: the row of each stored value or
        block. RuntimeError for other layouts.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().row_indices()
        tensor([1, 0, 1])
        """
    def rsqrt(self) -> Tensor:
        """One over the square root: `y = 1 / sqrt(x)`.

        Infinite at 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([4.0, 0.25, 0.0]).rsqrt()
        tensor([0.5000, 2.0000,    inf])
        """
    def rsqrt_(self) -> Tensor:
        """In place: one over the square root: `y = 1 / sqrt(x)`.

        Infinite at 0, NaN below. Integers and bools give the default float type.

        >>> torch.tensor([4.0, 0.25, 0.0]).rsqrt_()
        tensor([0.5000, 2.0000,    inf])
        """
    @overload
    def scatter(self, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None=None) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, value: Number, *, reduce: _str | None=None) -> Tensor:
        """A copy of `input` with the elements of `src` (or one number) at their indices along `dim`.

        For dim=0 and two dimensions y[index[i, j], j] = src[i, j]; the opposite of `gather`. Where two
        elements go to one place the last one stays, and gradients are then not true. `reduce` "add" or
        "multiply" combines them with what is there; `scatter_reduce` can do more.

        >>> x = torch.zeros(2, 3)
        >>> x.scatter(1, torch.tensor([[0], [2]]), 1.0)
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
        >>> x.scatter_add(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
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
        >>> x.select_scatter(torch.tensor([1.0, 2.0]), 1, 0)
        tensor([[1., 0., 0.],
                [2., 0., 0.]])
        """
    def set_(self, source: Tensor | None = None, storage_offset: _int = 0, size: _int | Sequence[_int] | None = None, stride: _int | Sequence[_int] | None = None) -> Tensor:
        """Make this tensor look at other memory: a tensor's or a storage's. How it reads it, by its
        conjugate and negative bits, does not change.

        Args:
            source: a tensor, whose sizes and strides are taken over, or a storage; None: no elements.
            storage_offset, size, stride: of a storage: which part, read how.

        >>> x = torch.zeros(1)
        >>> x.set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (2, 1))
        tensor([[1., 2.],
                [3., 4.]])
        """
    def sgn(self) -> Tensor:
        """The sign of real and of complex numbers: `y = x / |x|`, and 0 for 0.

        >>> torch.tensor([3.0 + 4.0j, 0j]).sgn()
        tensor([0.6000+0.8000j, 0.0000+0.0000j])
        >>> torch.tensor([-2.0, 0.0, 5.0]).sgn()
        tensor([-1.,  0.,  1.])
        """
    def sgn_(self) -> Tensor:
        """In place: the sign of real and of complex numbers: `y = x / |x|`, and 0 for 0.

        >>> torch.tensor([3.0 + 4.0j, 0j]).sgn_()
        tensor([0.6000+0.8000j, 0.0000+0.0000j])
        """
    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
    def share_memory_(self) -> Tensor:
        """Move the storage, and all tensors on it, to memory that other processes can see.

        Send the tensor to them through `multiprocessing` (or fork): both sides see writes.

        >>> x = torch.zeros(2).share_memory_()
        >>> x.is_shared()
        True
        """
    def short(self, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as torch.int16; itself if it is that already.

        Fractions are cut off towards zero, and what is too large wraps round. The same as `x.to(torch.int16)`.

        >>> x = torch.tensor([0, 1], dtype=torch.int8)
        >>> x.short().dtype
        torch.int16
        """
    def sigmoid(self) -> Tensor:
        """The logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

        Integers and bools give the default float type. For a loss use
        `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

        >>> torch.tensor([0.0, 2.0, -2.0]).sigmoid()
        tensor([0.5000, 0.8808, 0.1192])
        """
    def sigmoid_(self) -> Tensor:
        """In place: the logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

        Integers and bools give the default float type. For a loss use
        `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

        >>> torch.tensor([0.0, 2.0, -2.0]).sigmoid_()
        tensor([0.5000, 0.8808, 0.1192])
        """
    def sign(self) -> Tensor:
        """The sign of each element: -1, 0 or 1, of the type of x; 0 for NaN.

        Not for complex numbers: that is `sgn`. The gradient is 0 everywhere.

        >>> torch.tensor([-2.5, 0.0, 7.0]).sign()
        tensor([-1.,  0.,  1.])
        """
    def sign_(self) -> Tensor:
        """In place: the sign of each element: -1, 0 or 1, of the type of x; 0 for NaN.

        Not for complex numbers: that is `sgn`. The gradient is 0 everywhere.

        >>> torch.tensor([-2.5, 0.0, 7.0]).sign_()
        tensor([-1.,  0.,  1.])
        """
    def signbit(self) -> Tensor:
        """True where the sign bit is set: for negative numbers and for -0.0.

        Not for complex numbers.

        >>> torch.tensor([-1.0, -0.0, 0.0, 2.0]).signbit()
        tensor([ True,  True, False, False])
        """
    def sin(self) -> Tensor:
        """The sine of each element, an angle in radians: `y = sin(x)`.

        >>> torch.tensor([0.0, torch.pi / 6, torch.pi / 2]).sin()
        tensor([0.0000, 0.5000, 1.0000])
        """
    def sin_(self) -> Tensor:
        """In place: the sine of each element, an angle in radians: `y = sin(x)`.

        >>> torch.tensor([0.0, torch.pi / 6, torch.pi / 2]).sin_()
        tensor([0.0000, 0.5000, 1.0000])
        """
    def sinc(self) -> Tensor:
        """The normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

        >>> torch.tensor([0.0, 0.5, 1.5]).sinc()
        tensor([ 1.0000,  0.6366, -0.2122])
        """
    def sinc_(self) -> Tensor:
        """In place: the normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

        >>> torch.tensor([0.0, 0.5, 1.5]).sinc_()
        tensor([ 1.0000,  0.6366, -0.2122])
        """
    def sinh(self) -> Tensor:
        """The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

        >>> torch.tensor([0.0, 1.0, -1.0]).sinh()
        tensor([ 0.0000,  1.1752, -1.1752])
        """
    def sinh_(self) -> Tensor:
        """In place: the hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

        >>> torch.tensor([0.0, 1.0, -1.0]).sinh_()
        tensor([ 0.0000,  1.1752, -1.1752])
        """
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int:
        """The shape, or the size of one dimension.

        Args:
            dim: which dimension, counted from the end when negative; None: all, as a `torch.Size`.

        Raises:
            IndexError: there is no such dimension.

        >>> x = torch.zeros(2, 3)
        >>> x.size(), x.size(-1)
        (torch.Size([2, 3]), 3)
        """
    def slice_scatter(self, src: Tensor, dim: _int = 0, start: Tensor | Number | None = None, end: Tensor | Number | None = None, step: _int = 1) -> Tensor:
        """A copy of `input` with `src` at the positions start, start + step, ... before end of `dim`.

        >>> x = torch.zeros(4)
        >>> x.slice_scatter(torch.tensor([1.0, 2.0]), 0, 1, 4, 2)
        tensor([0., 1., 0., 2.])
        """
    def slogdet(self) -> return_types.slogdet:
        """(sign, logabsdet) of square matrices: the determinant is sign * exp(logabsdet).

        >>> x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> x.slogdet()
        torch.return_types.slogdet(
        sign=tensor(-1.),
        logabsdet=tensor(0.))
        """
    def smm(self, mat2: Tensor) -> Tensor:
        """The product of a sparse matrix and a dense one, as a sparse matrix.

        input (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

        >>> torch.smm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
        tensor([[1.],
                [2.]])
        """
    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

        >>> torch.tensor([0., 0.]).softmax(0)
        tensor([0.5000, 0.5000])
        """
    def solve(self, other: Tensor | Number) -> Any:
        """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.solve, with the arguments the other way round`.

        >>> torch.eye(2).solve()
        Traceback (most recent call last):
            ...
        RuntimeError: This function was deprecated since version 1.9 and is now removed...
        """
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False) -> return_types.sort:
        """The pair (values, indices) in order along `dim`: `values = input.gather(dim, indices)`.

        dim: -1 by default; descending: False by default, the smallest first. NaN counts as the
        greatest. stable: equal values keep their order here in any case. Not for complex numbers.

        >>> values, indices = torch.tensor([3.0, 1.0, 2.0]).sort()
        >>> values
        tensor([1., 2., 3.])
        >>> indices
        tensor([1, 2, 0])
        """
    def sparse_dim(self) -> _int:
        """How many dimensions are sparse: 0 of a dense tensor.

        >>> torch.eye(2).sparse_dim(), torch.eye(2).to_sparse().sparse_dim()
        (0, 2)
        """
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """The elements at the places of a sparse tensor, sparse as it is.

        mask: a sparse tensor of the same shape; NotImplementedError for a dense one.

        >>> mask = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse()
        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sparse_mask(mask).values()
        tensor([2., 3.])
        """
    def sparse_resize_(self, size: _int | Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """Give a sparse tensor another shape in place, its values staying: ``sparse_resize_(size,
        sparse_dim, dense_dim)``. NotImplementedError for a dense tensor.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse().sparse_resize_((3, 3), 2, 0).shape
        torch.Size([3, 3])
        """
    def sparse_resize_and_clear_(self, size: _int | Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """Give a sparse tensor another shape in place and take its values away:
        ``sparse_resize_and_clear_(size, sparse_dim, dense_dim)``. NotImplementedError for a dense
        tensor.

        >>> torch.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0)._nnz()
        0
        """
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
        """The square root of each element: `y = sqrt(x)`.

        NaN for negative numbers, unless they are complex. Its derivative, `1 / (2 * y)`, is infinite at
        0.

        >>> torch.tensor([4.0, 2.0, -1.0]).sqrt()
        tensor([2.0000, 1.4142,    nan])
        >>> torch.tensor([-4.0 + 0j]).sqrt()
        tensor([0.+2.j])
        """
    def sqrt_(self) -> Tensor:
        """In place: the square root of each element: `y = sqrt(x)`.

        NaN for negative numbers, unless they are complex. Its derivative, `1 / (2 * y)`, is infinite at
        0.

        >>> torch.tensor([4.0, 2.0, -1.0]).sqrt_()
        tensor([2.0000, 1.4142,    nan])
        """
    def square(self) -> Tensor:
        """`y = x * x`. Bools give int64.

        >>> torch.tensor([-3, 1, 2]).square()
        tensor([9, 1, 4])
        """
    def square_(self) -> Tensor:
        """In place: `y = x * x`. Bools give int64.

        >>> torch.tensor([-3, 1, 2]).square_()
        tensor([9, 1, 4])
        """
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
        """In place: a view without the dimensions of size 1: all of them, or those of `dim` whose size is 1.

        `dim` is a number or a tuple. Without it a batch of one loses its batch dimension too.

        >>> x = torch.zeros(1, 3, 1)
        >>> x.squeeze_().shape
        torch.Size([3])
        """
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """`y = beta * input + alpha * (mat1 @ mat2)`, a sparse matrix.

        input (n, p) and mat1 (n, m), sparse; mat2 (m, p), dense; beta and alpha: 1 by default.
        NotImplementedError where all are dense: `torch.addmm`.

        >>> sparse = torch.eye(2).to_sparse()
        >>> sparse.sspaddmm(sparse, torch.ones(2, 2), alpha=2).to_dense()
        tensor([[3., 2.],
                [2., 3.]])
        """
    @overload
    def std(self, dim: Dims | None=None, *, correction: Number | None=None, keepdim: _bool=False) -> Tensor: ...
    @overload
    def std(self, dim: Dims | None, unbiased: _bool, keepdim: _bool=False) -> Tensor: ...
    @overload
    def std(self, unbiased: _bool) -> Tensor:
        """The standard deviation, the root of the variance:
        `y = sqrt(sum of |x - mean| ** 2 / (n - correction))`.

        dim: an int or a tuple; None, the default, takes all. correction: 1 by default; 0 divides by n.
        unbiased: the older way to say it, True for 1 and False for 0. keepdim: these dimensions stay,
        with size 1.

        >>> torch.tensor([1.0, 2.0, 3.0, 6.0]).std()
        tensor(2.1602)
        >>> torch.tensor([[1.0, 3.0], [2.0, 8.0]]).std(1, correction=0)
        tensor([1., 3.])
        """
    def stft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: _bool | None = None) -> Tensor:
        """The short-time Fourier transform: `rfft` of windowed pieces of a signal.

        input (length,) or (batch, length); the result (*, n_fft // 2 + 1, frames), complex.

        n_fft: the size of a piece; hop_length: the distance of pieces, n_fft // 4 by default;
        win_length: the size of the window, n_fft by default, which stands in the middle of the piece;
        window: a tensor (win_length,), ones by default. center: True, the default, continues the signal
        on both sides by n_fft // 2, as pad_mode says ("reflect", "constant", "replicate", "circular").
        normalized: divide by sqrt(n_fft). onesided: half of the terms, the default for real input.
        return_complex: must be given for real input; False gives pairs of reals.

        >>> x = torch.sin(torch.arange(100.0))
        >>> x.stft(16, window=torch.hann_window(16), return_complex=True).shape
        torch.Size([9, 26])
        """
    def storage(self) -> Any:
        """The elements under this tensor, shared with its views. New programs use `untyped_storage`.

        >>> torch.tensor([1, 2, 3])[1:].storage().tolist()
        [1, 2, 3]
        """
    def storage_offset(self) -> _int:
        """Elements between the start of the storage and the first element.

        >>> x = torch.arange(6)
        >>> x[2:].storage_offset()
        2
        """
    def storage_type(self) -> Any:
        """The legacy class of this tensor's storage, such as torch.FloatStorage.

        >>> torch.zeros(1).storage_type()
        <class 'torch.FloatStorage'>
        """
    @overload
    def stride(self, dim: None = None) -> builtins.tuple[_int, ...]: ...
    @overload
    def stride(self, dim: _int) -> _int:
        """Steps in elements between neighbours along each dimension.

        Args:
            dim: of one dimension only; None: a tuple with those of all.

        >>> x = torch.zeros(2, 3)
        >>> x.stride(), x.T.stride(), x.stride(0)
        ((3, 1), (1, 3), 3)
        """
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """`y = input - alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
        masks are combined by `^` and `~`.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([5.0, 7.0]).sub(torch.tensor([1.0, 2.0]), alpha=2)
        tensor([3., 3.])
        """
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In place: `y = input - alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
        masks are combined by `^` and `~`.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([5.0, 7.0]).sub_(torch.tensor([1.0, 2.0]), alpha=2)
        tensor([3., 3.])
        """
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """`y = input - alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
        masks are combined by `^` and `~`.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([5.0, 7.0]).sub(torch.tensor([1.0, 2.0]), alpha=2)
        tensor([3., 3.])
        """
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In place: `y = input - alpha * other`, element by element.

        input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
        masks are combined by `^` and `~`.

        alpha: a number by which other is multiplied first; 1 by default.

        >>> torch.tensor([5.0, 7.0]).sub_(torch.tensor([1.0, 2.0]), alpha=2)
        tensor([3., 3.])
        """
    def sum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum of all elements, or over `dim`.

        dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
        1. dtype: the type to which the elements are brought first. Integers and bools are summed in
        int64.

        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.sum(), x.sum(0)
        (tensor(10), tensor([4, 6]))
        >>> x.sum(1, keepdim=True)
        tensor([[3],
                [7]])
        """
    def sum_to_size(self, *size: _int) -> Tensor:
        """Sums over the dimensions in which `size` is 1 or missing: the opposite of `expand`.

        >>> torch.ones(2, 3).sum_to_size(1, 3)
        tensor([[2., 2., 2.]])
        """
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """(U, S, V) with input = U @ diag(S) @ V^H: the older form of `linalg.svd`.

        `some=True` is full_matrices=False; V, not its conjugate transpose, is returned. With
        `compute_uv=False` U and V are zeros.

        >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
        >>> A.svd().S
        tensor([4., 3.])
        """
    def swapaxes(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def swapaxes_(self, dim0: _int, dim1: _int) -> Tensor:
        """In place: a view with dimensions `dim0` and `dim1` exchanged.

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
        """In place: a view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose_(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def symeig(self, eigenvectors: _bool = False) -> Any:
        """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.eigh`.

        >>> torch.eye(2).symeig()
        Traceback (most recent call last):
            ...
        RuntimeError: This function was deprecated since version 1.9 and is now removed...
        """
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
        >>> x.take(torch.tensor([0, -1]))
        tensor([1, 4])
        """
    def take_along_dim(self, indices: Any, dim: _int | None = None) -> Tensor:
        """Elements picked along `dim` by an int64 tensor, of the same number of dimensions.

        y[i, j] = input[i, indices[i, j]] for dim=1; the other dimensions broadcast (unlike `gather`).
        Without `dim` positions in the flattened tensor. What `argmax` and `argsort` give fits.

        >>> x = torch.tensor([[1, 3, 2], [9, 7, 8]])
        >>> x.take_along_dim(x.argmax(1, keepdim=True), 1)
        tensor([[3],
                [9]])
        >>> x.take_along_dim(x.argsort(1), 1)
        tensor([[1, 2, 3],
                [7, 8, 9]])
        """
    def tan(self) -> Tensor:
        """The tangent of each element, an angle in radians: `y = sin(x) / cos(x)`.

        >>> torch.tensor([0.0, torch.pi / 4, 1.0]).tan()
        tensor([0.0000, 1.0000, 1.5574])
        """
    def tan_(self) -> Tensor:
        """In place: the tangent of each element, an angle in radians: `y = sin(x) / cos(x)`.

        >>> torch.tensor([0.0, torch.pi / 4, 1.0]).tan_()
        tensor([0.0000, 1.0000, 1.5574])
        """
    def tanh(self) -> Tensor:
        """The hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

        Its derivative, `1 - y * y`, vanishes for large |x|.

        >>> torch.tensor([0.0, 0.5, -20.0]).tanh()
        tensor([ 0.0000,  0.4621, -1.0000])
        """
    def tanh_(self) -> Tensor:
        """In place: the hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

        Its derivative, `1 - y * y`, vanishes for large |x|.

        >>> torch.tensor([0.0, 0.5, -20.0]).tanh_()
        tensor([ 0.0000,  0.4621, -1.0000])
        """
    def tensor_split(self, indices_or_sections: Tensor | _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
        """Views along `dim`: n nearly equal parts, or cut before each of the given indices.

        The first n % parts are one longer. Indices are a list or a 1-d int64 tensor; a part between
        equal indices is empty.

        >>> x = torch.arange(7)
        >>> x.tensor_split(3)
        (tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6]))
        >>> x.tensor_split((1, 5))
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
        """The tensor in the dense layout: of a dense one itself.

        dtype: the type of the result, that of the tensor by default. masked_grad: of sparse tensors.

        >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().to_dense()
        tensor([[0., 5.],
                [7., 0.]])
        """
    def to_padded_tensor(self, padding: _float, output_size: _int | Sequence[_int] | None = None) -> Tensor:
        """Raises NotImplementedError: there are no nested tensors here, other than in PyTorch.
        `nn.utils.rnn.pad_sequence` pads a list of tensors.

        >>> torch.ones(2, 3).to_padded_tensor(0.0)
        Traceback (most recent call last):
            ...
        NotImplementedError: to_padded_tensor: nested tensors are not part of Rushlight
        """
    def to_sparse(self, sparse_dim: _int | None = None, *, layout: _layout | None = None, blocksize: _int | Sequence[_int] | None = None, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero.

        sparse_dim: of how many dimensions the places are stored, all by default; the others stay dense.
        layout: `torch.sparse_coo` by default, or sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, the
        last two with blocksize. Gradients go through it.

        >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse()
        tensor(indices=tensor([[0, 1],
                               [1, 0]]),
               values=tensor([5., 7.]),
               size=(2, 2), nnz=2, layout=torch.sparse_coo)
        """
    def to_sparse_bsc(self, blocksize: _int | Sequence[_int], dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the blocks that are not zero, stored column of blocks by column.

        blocksize: the pair (rows, columns), which must divide the shape, else RuntimeError.

        >>> x = torch.tensor([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]])
        >>> torch.Tensor.to_sparse_bsc(x, (1, 2)).row_indices()
        tensor([0, 1])
        """
    def to_sparse_bsr(self, blocksize: _int | Sequence[_int], dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the blocks that are not zero, stored row of blocks by row.

        blocksize: the pair (rows, columns), which must divide the shape, else RuntimeError.

        >>> x = torch.tensor([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]])
        >>> torch.Tensor.to_sparse_bsr(x, (1, 2)).values()
        tensor([[[1., 2.]],
        <BLANKLINE>
                [[3., 4.]]])
        """
    def to_sparse_coo(self) -> Tensor:
        """A sparse tensor of the elements that are not zero, in the layout sparse_coo: `to_sparse`.

        >>> torch.tensor([0.0, 5.0]).to_sparse_coo()
        tensor(indices=tensor([[1]]),
               values=tensor([5.]),
               size=(2,), nnz=1, layout=torch.sparse_coo)
        """
    def to_sparse_csc(self, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero, stored column by column.

        dense_dim: how many of the last dimensions stay dense; 0 by default. For two dimensions or more.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().values()
        tensor([7., 5., 8.])
        """
    def to_sparse_csr(self, dense_dim: _int | None = None) -> Tensor:
        """A sparse tensor of the elements that are not zero, stored row by row.

        dense_dim: how many of the last dimensions stay dense; 0 by default. For two dimensions or more.

        >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr()
        tensor(crow_indices=tensor([0, 1, 3]),
               col_indices=tensor([1, 0, 1]),
               values=tensor([5., 7., 8.]), size=(2, 2), nnz=3,
               layout=torch.sparse_csr)
        """
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers (a number when 0-d).

        >>> torch.tensor([[1, 2], [3, 4]]).tolist(), torch.tensor(1.5).tolist()
        ([[1, 2], [3, 4]], 1.5)
        """
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> return_types.topk:
        """The pair (values, indices) of the k largest, or smallest, elements along `dim`.

        k: how many, at most the size of the dimension, else RuntimeError. dim: -1 by default; largest:
        False takes the smallest; sorted: True, the default, gives them in order. NaN counts as the
        greatest.

        >>> values, indices = torch.tensor([3, 1, 2, 5]).topk(2)
        >>> values, indices
        (tensor([5, 3]), tensor([3, 0]))
        """
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix (n, m); of integers in int64.

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.trace()
        tensor(5.)
        """
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """In place: a view with dimensions `dim0` and `dim1` exchanged.

        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.transpose_(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> return_types.triangular_solve:
        """(X, A) with A @ X = input for triangular A: the older form of `linalg.solve_triangular`.

        `upper` says which triangle is read, `transpose` solves A^T @ X = input, `unitriangular` takes
        the diagonal for ones.

        >>> b, A = torch.tensor([[2.0], [9.0]]), torch.tensor([[2.0, 0.0], [1.0, 4.0]])
        >>> b.triangular_solve(A, upper=False).solution
        tensor([[1.],
                [2.]])
        """
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix (*, n, m): elements above the diagonal are 0.

        `diagonal`: up to which diagonal elements stay; positive ones are above the main one.

        >>> x = torch.ones(2, 3)
        >>> x.tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.]])
        >>> x.tril(1)
        tensor([[1., 1., 0.],
                [1., 1., 1.]])
        """
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In place: the lower triangle of each matrix (*, n, m): elements above the diagonal are 0.

        `diagonal`: up to which diagonal elements stay; positive ones are above the main one.

        >>> x = torch.ones(2, 3)
        >>> x.tril_()
        tensor([[1., 0., 0.],
                [1., 1., 0.]])
        """
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix (*, n, m): elements below the diagonal are 0.

        `diagonal`: from which diagonal on elements stay; positive ones are above the main one.

        >>> x = torch.ones(2, 3)
        >>> x.triu()
        tensor([[1., 1., 1.],
                [0., 1., 1.]])
        >>> x.triu(1)
        tensor([[0., 1., 1.],
                [0., 0., 1.]])
        """
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In place: the upper triangle of each matrix (*, n, m): elements below the diagonal are 0.

        `diagonal`: from which diagonal on elements stay; positive ones are above the main one.

        >>> x = torch.ones(2, 3)
        >>> x.triu_()
        tensor([[1., 1., 1.],
                [0., 1., 1.]])
        """
    def true_divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """`y = input / other`, element by element; integers give the default float type.

        input, other: tensors whose shapes broadcast, or one of them a number.

        rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
        zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

        >>> torch.tensor([7, -7]).div(2)
        tensor([ 3.5000, -3.5000])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="floor")
        tensor([ 3, -4])
        >>> torch.tensor([7, -7]).div(2, rounding_mode="trunc")
        tensor([ 3, -3])
        """
    def true_divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """In place: `input /= other`, of which `rounding_mode` "floor" or "trunc" rounds the quotient.
        A tensor of integers can hold rounded quotients alone.

        >>> x = torch.tensor([1.0, 4.0])
        >>> x.div_(2)
        tensor([0.5000, 2.0000])
        """
    def trunc(self) -> Tensor:
        """x without its fraction, rounded towards zero; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.7, 2.0]).trunc()
        tensor([ 1., -1.,  2.])
        """
    def trunc_(self) -> Tensor:
        """In place: x without its fraction, rounded towards zero; the type stays that of x.

        The gradient is 0 everywhere. Not for bools and complex numbers.

        >>> torch.tensor([1.7, -1.7, 2.0]).trunc_()
        tensor([ 1., -1.,  2.])
        """
    @overload
    def type(self, dtype: None = None, non_blocking: _bool = False) -> _str: ...
    @overload
    def type(self, dtype: _dtype | _str, non_blocking: _bool = False) -> Tensor:
        """Without argument the legacy type name ('torch.FloatTensor'); with one, a cast to it.

        Args:
            dtype: a dtype, a legacy name or a legacy class.
            non_blocking: accepted; there is nothing to wait for.

        >>> x = torch.tensor([1.5, 2.5])
        >>> x.type()
        'torch.FloatTensor'
        >>> x.type(torch.int64), x.type("torch.DoubleTensor").dtype
        (tensor([1, 2]), torch.float64)
        """
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
        >>> x.unflatten(0, (2, -1))
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
        """Fill with numbers drawn evenly from [from, to): ``uniform_(from=0, to=1, *,
        generator=None)``.

        For floats and complex numbers; RuntimeError where from is above to.

        >>> _ = torch.manual_seed(0)
        >>> torch.empty(3).uniform_(-1, 1)
        tensor([-0.0075,  0.5364, -0.8230])
        """
    @overload
    def unique(self, sorted: _bool=True, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim: _int | None=None) -> Tensor: ...
    @overload
    def unique(self, sorted: _bool=True, return_inverse: _bool=False, return_counts: _bool=False, dim: _int | None=None) -> builtins.tuple[Tensor, ...]:
        """The distinct elements in ascending order, or the distinct slices along `dim`.

        return_inverse: also where each element of input stands among them; return_counts: also how
        often each occurs; both False by default. dim: None, the default, takes the flattened tensor.
        sorted: they are in order in any case.

        >>> x = torch.tensor([3, 1, 3, 2])
        >>> x.unique()
        tensor([1, 2, 3])
        >>> x.unique(return_inverse=True, return_counts=True)
        (tensor([1, 2, 3]), tensor([2, 0, 2, 1]), tensor([1, 1, 2]))
        """
    @overload
    def unique_consecutive(self, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim: _int | None=None) -> Tensor: ...
    @overload
    def unique_consecutive(self, return_inverse: _bool=False, return_counts: _bool=False, dim: _int | None=None) -> builtins.tuple[Tensor, ...]:
        """The elements, or slices along `dim`, without those that equal the one before.

        return_inverse: also where each element of input went; return_counts: also how long each run is;
        both False by default. dim: None, the default, takes the flattened tensor.

        >>> x = torch.tensor([1, 1, 2, 2, 3, 1])
        >>> x.unique_consecutive()
        tensor([1, 2, 3, 1])
        >>> x.unique_consecutive(return_counts=True)
        (tensor([1, 2, 3, 1]), tensor([2, 2, 1, 1]))
        """
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
        """In place: a view with a new dimension of size 1 at `dim`, from -n - 1 to n for n dimensions.

        >>> x = torch.tensor([1, 2])
        >>> x.unsqueeze_(1)
        tensor([[1],
                [2]])
        """
    def untyped_storage(self) -> Any:
        """The bytes under this tensor, shared with its views.

        >>> x = torch.zeros(4)
        >>> x[:2].untyped_storage().nbytes()
        16
        """
    def values(self) -> Tensor:
        """The stored values of a sparse tensor, in the order of its indices.

        RuntimeError for a dense tensor, and for one of the layout sparse_coo before `coalesce`.

        >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().values()
        tensor([5., 7.])
        """
    @overload
    def var(self, dim: Dims | None=None, *, correction: Number | None=None, keepdim: _bool=False) -> Tensor: ...
    @overload
    def var(self, dim: Dims | None, unbiased: _bool, keepdim: _bool=False) -> Tensor: ...
    @overload
    def var(self, unbiased: _bool) -> Tensor:
        """The variance of all elements, or over `dim`: `y = sum of |x - mean| ** 2 / (n - correction)`.

        dim: an int or a tuple; None, the default, takes all. correction: 1 by default, for samples of
        something larger; 0 for the variance of these numbers themselves. unbiased: the older way to say
        it, True for 1 and False for 0. keepdim: these dimensions stay, with size 1. A warning, and NaN,
        where n is not above correction. For floats and complex numbers.

        >>> torch.tensor([1.0, 2.0, 3.0, 6.0]).var()
        tensor(4.6667)
        >>> torch.tensor([1.0, 2.0, 3.0, 6.0]).var(correction=0)
        tensor(3.5000)
        """
    def vdot(self, other: Tensor | Number) -> Tensor:
        """The sum of the products of two vectors of one length, the first one conjugated: sum(conj(x) *
        y).

        >>> x = torch.tensor([1 + 2j])
        >>> x.vdot(x)
        tensor(5.+0.j)
        """
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
        """This tensor where the condition holds, else `other`: `torch.where(condition, self, other)`.

        >>> x = torch.tensor([-1.0, 2.0, -3.0])
        >>> x.where(x > 0, 0.0)
        tensor([0., 2., 0.])
        """
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """`y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
        is NaN).

        input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
        probabilities of 0 want this.

        >>> torch.tensor([0.0, 1.0, 2.0]).xlogy(torch.tensor([0.0, 2.0, 3.0]))
        tensor([0.0000, 0.6931, 2.1972])
        """
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In place: `y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
        is NaN).

        input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
        probabilities of 0 want this.

        >>> torch.tensor([0.0, 1.0, 2.0]).xlogy_(torch.tensor([0.0, 2.0, 3.0]))
        tensor([0.0000, 0.6931, 2.1972])
        """
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

    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(torch.ones(2))
    ...         self.plain = torch.ones(2)  # no parameter: an attribute like any other
    >>> list(Scale().named_parameters())
    [('factor', Parameter containing:
    tensor([1., 1.], requires_grad=True))]
    """

    def __init__(self, data: Tensor | None = None, requires_grad: _bool = True) -> None: ...

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

    def __init__(self, data: Tensor | None = None, *, persistent: _bool = True) -> None: ...

def is_tensor(obj: Any) -> TypeGuard[Tensor]: ...

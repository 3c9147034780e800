"""Complex numbers: parts, conjugate, angle, and the views between complex tensors and pairs of
reals.

A real-valued loss L has the gradient dL/d(re) + i dL/d(im), as in PyTorch; the rules follow from
that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ... import dtypes
from ...autograd import door
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.elementwise.formula import fuse
from ...kernels.meta import MetaArray, UnresolvedArray, read_as
from ..core.arguments import need_tensor
from ..core.composite import attribute, composite
from ..core.record import op, view
from ..core.samples import arr, case, cplx
from ..core.shapes import real_of, same
from .formulas import nothing, sgn, where

C34 = arr((3, 4), dtype="complex128")

# -- building --------------------------------------------------------------------------------------


def check_parts(a: Any, b: Any) -> None:
    """Raise PyTorch's errors unless complex numbers can be made of these tensors."""
    kinds = [type_name(t.dtype) for t in (a, b)]
    if not {*kinds} <= {"Half", "Float", "Double"}:
        raise RuntimeError(
            message(
                "Expected both inputs to be Half, Float or Double tensors but got "
                f"{kinds[0]} and {kinds[1]}",
                hint="x.float()",
            )
        )
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            message(
                f"Expected object of scalar type {kinds[0]} but got scalar type {kinds[1]} for "
                "second argument",
                hint="b.to(a.dtype)",
            )
        )


def check_polar(a: Any, b: Any) -> None:
    """The same, and no half precision."""
    check_parts(a, b)
    if a._a.dtype == np.float16 and a._a.__class__ is not MetaArray:
        raise NotImplementedError(
            message("\"polar_cpu\" not implemented for 'Half'", hint="x.float()")
        )


OF_OUT = "Expected object of scalar type {want} but got scalar type {have} for argument 'out'"


def complex_shape(a: Any, b: Any) -> MetaArray:
    """The shape of complex numbers from two real parts of one type."""
    if a.dtype != b.dtype or a.dtype.kind != "f":
        raise RuntimeError(
            message(
                "Expected both inputs to be Half, Float or Double tensors of one dtype",
                f"{a.dtype} and {b.dtype}",
            )
        )
    shape = np.broadcast_shapes(a.shape, b.shape)
    return MetaArray(shape, complex_of(a.dtype))


@op(
    samples=[case((3, 4), (3, 4)), case((3, 4), (4,))],
    public="torch",
    fresh=True,
    check=check_parts,
    exact_out=OF_OUT,
)
def complex(real: Any, imag: Any) -> Any:
    """A complex tensor of two real ones: `y = real + i * imag`.

    real, imag: tensors of one float type whose shapes broadcast. float32 gives complex64, float64
    complex128, float16 complex32. RuntimeError for other types, or for two different ones.

    >>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0]))
    tensor([1.+3.j, 2.-4.j])
    """
    if real.dtype != imag.dtype or real.dtype.kind != "f":
        raise RuntimeError(
            message(
                "Expected both inputs to be Half, Float or Double tensors of one dtype",
                f"{real.dtype} and {imag.dtype}",
            )
        )
    y = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    y.real, y.imag = real, imag
    return dense.laid_as(y, real, imag)


complex.shape(complex_shape)


complex.vjp(lambda g, _y, _r, _i: part(g, "real"), lambda g, _y, _r, _i: part(g, "imag"))


@op(
    autocast="float32",
    samples=[case(arr((3, 4), 0.2, 2), (3, 4))],
    public="torch",
    fresh=True,
    check=check_polar,
    exact_out=OF_OUT,
)
def polar(abs: Any, angle: Any) -> Any:
    """A complex tensor of magnitudes and angles: `y = abs * (cos(angle) + i * sin(angle))`.

    abs, angle: tensors of one type, float32 or float64, whose shapes broadcast; angles in radians.

    >>> torch.polar(torch.tensor([1.0, 2.0]), torch.tensor([0.0, torch.pi / 3]))
    tensor([1.0000+0.0000j, 1.0000+1.7321j])
    """
    if abs.dtype != angle.dtype or abs.dtype.kind != "f":
        raise RuntimeError(
            message(
                "Expected both inputs to be Float or Double tensors of one dtype",
                f"{abs.dtype} and {angle.dtype}",
            )
        )
    y = np.empty(np.broadcast_shapes(abs.shape, angle.shape), np.result_type(abs, np.complex64))
    y.real, y.imag = abs * np.cos(angle), abs * np.sin(angle)
    return dense.laid_as(y, abs, angle)


polar.shape(complex_shape)


polar.vjp(
    lambda g, y, _a, _t: part(conjugate(g) * sgn(y), "real"),
    lambda g, y, _a, _t: -part(conjugate(g) * y, "imag"),
)


def complex_of(real: Any) -> Any:
    """NumPy's type of complex numbers with parts of a type."""
    return dtypes.from_numpy(real).to_complex().np


# -- parts -----------------------------------------------------------------------------------------


def conjugate(x: Any) -> Any:
    """The complex conjugate of an array or Tensor."""
    return conj_physical(x)


def part(x: Any, name: str) -> Any:
    """The real or imaginary part of an array or Tensor (of a real one: itself, or zeros)."""
    a = x if isinstance(x, (np.ndarray, np.generic)) else x._a
    if a.dtype.kind not in "cW":
        return x if name == "real" else x * 0.0
    if isinstance(x, np.generic):  # arithmetic on 0-d arrays leaves the arrays
        x = np.asarray(x)
    return real_view(x) if name == "real" else imag_view(x)


@view(samples=[case(C34)], public="", node="RealBackward0")
def real_view(input: Any) -> Any:
    """The real part, sharing memory."""
    return dense.real_part(input)


@real_view.bits
def _(input: Any) -> Any:
    return read_as(door.perform(real_view, (input.raw,), {}), False, input.neg)


@view(samples=[case(C34)], public="", node="ImagBackward0")
def imag_view(input: Any) -> Any:
    """The imaginary part, sharing memory."""
    return dense.imag_part(input)


@imag_view.bits
def _(input: Any) -> Any:
    part = door.perform(imag_view, (input.raw,), {})
    return read_as(part, False, input.neg != input.conj)


real_view.vjp(lambda g, _y, _x: complex(g, nothing(g)))
imag_view.vjp(lambda g, _y, _x: complex(nothing(g), g))


@composite(public="torch", samples=[case(cplx((2, 3))), case((2, 3))])
def real(input: Any) -> Any:
    """The real part, a view; of a real tensor the tensor itself.

    >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1., 3.])
    """
    return real_view(input) if input._a.dtype.kind in "cW" else input


@composite(public="torch", samples=[case(cplx((2, 3)))])
def imag(input: Any) -> Any:
    """The imaginary part, a view. RuntimeError for real tensors.

    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
    """
    if input._a.dtype.kind not in "cW":
        raise RuntimeError(
            message(
                "imag is not implemented for tensors with non-complex dtypes.",
                f"dtype {input.dtype}",
            )
        )
    return imag_view(input)


def _set_real(t: Any, value: Any) -> None:
    real(t).copy_(value)


def _set_imag(t: Any, value: Any) -> None:
    imag(t).copy_(value)


attribute(real, "real", _set_real, samples=[case(cplx((2, 3)))])
attribute(imag, "imag", _set_imag, samples=[case(cplx((2, 3)))])


@op(samples=[case(C34)], fresh=True, inplace=True, exact_out=True)
def conj_physical(input: Any) -> Any:
    """The complex conjugate, in memory of its own: `y = real - i * imag`.

    `conj` gives a view instead.

    >>> torch.conj_physical(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1.-2.j, 3.+4.j])
    """
    return np.conj(input) if input.dtype.kind in "cW" else input.copy("K")


conj_physical.shape(same)


conj_physical.vjp(lambda g, _y, _x: conj_physical(g))


@view(samples=[case(C34)], public="torch Tensor", name="_conj", node="ConjBackward0")
def conj_view(input: Any) -> Any:
    """The conjugates as a view: the same memory, with the conjugate bit. `conj` is the public name.

    >>> torch._conj(torch.tensor([1 + 2j])).is_conj()
    True
    """
    return read_as(input, True, False)


@conj_view.bits
def _(input: Any) -> Any:
    return read_as(input.raw, not input.conj, input.neg)


@view(
    samples=[case((3, 4)), case(C34)],
    public="torch Tensor",
    name="_neg_view",
    node="NegViewBackward0",
)
def neg_view(input: Any) -> Any:
    """The negatives as a view: the same memory, with the negative bit.

    >>> torch._neg_view(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """
    return read_as(input, False, True)


@neg_view.bits
def _(input: Any) -> Any:
    return read_as(input.raw, input.conj, not input.neg)


conj_view.shape(same)
neg_view.shape(same)
conj_view.vjp(lambda g, _y, _x: conj_physical(g))
neg_view.vjp(lambda g, _y, _x: -g)


@composite(samples=[case(cplx((2, 3))), case((2, 3))])
def conj(input: Any) -> Any:
    """The complex conjugate, a view: what is written to it arrives conjugated in `input`. A real
    tensor is returned as it is.

    >>> x = torch.tensor([1 + 2j])
    >>> x.conj()
    tensor([1.-2.j])
    >>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
    (True, True)
    """
    return door.apply(conj_view, (input,), {}) if input._a.dtype.kind in "cW" else input


@composite(public="torch Tensor", name="_conj_physical", samples=[case(cplx((2, 3))), case((2, 3))])
def conj_in_memory(input: Any) -> Any:
    """The complex conjugate in memory of its own; `conj_physical` is the public name.

    >>> torch._conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return conj_physical(input) if input._a.dtype.kind in "cW" else input.clone()


@composite(public="torch Tensor", samples=[case(cplx((2, 3)))])
def resolve_conj(input: Any) -> Any:
    """The tensor itself, or the conjugates that its bit stands for, in memory of their own.

    >>> x = torch.tensor([1 + 2j]).conj()
    >>> x.is_conj(), x.resolve_conj().is_conj()
    (True, False)
    """
    return input.clone() if is_conj(input) else input


@composite(public="torch Tensor", samples=[case((2, 3))])
def resolve_neg(input: Any) -> Any:
    """The tensor itself, or the negatives that its bit stands for, in memory of their own.

    >>> x = torch.tensor([1 + 2j]).conj().imag
    >>> x.is_neg(), x.resolve_neg().is_neg()
    (True, False)
    """
    return input.clone() if is_neg(input) else input


@composite(public="torch Tensor", samples=[case(cplx((2, 3)))])
def is_conj(input: Any) -> bool:
    """Whether the tensor is a view of its memory's conjugates, as `conj` makes it.

    >>> x = torch.tensor([1 + 2j])
    >>> torch.is_conj(x), torch.is_conj(x.conj())
    (False, True)
    """
    need_tensor("is_conj", input)
    return input._a.__class__ is UnresolvedArray and input._a.conj


@composite(public="torch Tensor", samples=[case((2, 3))])
def is_neg(input: Any) -> bool:
    """Whether the tensor is a view of its memory's negatives, as the imaginary part of a conjugate
    is.

    >>> x = torch.tensor([1 + 2j])
    >>> torch.is_neg(x.imag), torch.is_neg(x.conj().imag)
    (False, True)
    """
    need_tensor("is_neg", input)
    return input._a.__class__ is UnresolvedArray and input._a.neg


def _angle_by_numpy(x: Any) -> Any:
    """0, pi of negative numbers, NaN of NaN."""
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0)))


_angle_of_real = fuse(
    _angle_by_numpy, "angle", lambda x: where(x != x, x, where(x < 0, math.pi, 0.0)), alone=False
)


@op(samples=[case(C34), case(arr((3, 4), 0.2, 2))], fresh=True, promote="float")
def angle(input: Any) -> Any:
    """The argument of each number, in radians: `y = atan2(imag, real)`.

    Of real numbers 0, and pi for negative ones; NaN stays NaN. Integers give the default float
    type.

    >>> torch.angle(torch.tensor([1 + 1j, -1j]))
    tensor([ 0.7854, -1.5708])
    >>> torch.angle(torch.tensor([1.0, -1.0]))
    tensor([0.0000, 3.1416])
    """
    if input.dtype.kind in "cW":
        return np.angle(input)
    return _angle_of_real(input)


angle.shape(lambda x: MetaArray(x.shape, real_of(x.dtype)))


@angle.vjp
def _angle_rule(g: Any, _y: Any, x: Any) -> Any:
    if (x if isinstance(x, (np.ndarray, np.generic)) else x._a).dtype.kind not in "cW":
        return nothing(g)
    size = part(x * conj_physical(x), "real")
    return x * 1j * where(size == 0, 0.0, g / (size + (size == 0)))


# -- pairs of reals --------------------------------------------------------------------------------


@view(samples=[case(C34), case(arr((), dtype="complex128"))], public="torch")
def view_as_real(input: Any) -> Any:
    """A complex tensor as a real one with one more dimension of size 2, (real, imag), sharing
    memory.

    input (*), complex; the result (*, 2). RuntimeError for real tensors, and for conjugate views.

    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([[ 1.,  2.],
            [ 3., -4.]])
    """
    if input.dtype.kind not in "cW":
        raise RuntimeError(
            message("view_as_real is only supported for complex tensors", f"dtype {input.dtype}")
        )
    if input.dtype.kind == "W":
        return dense.halves(input)
    re = input.real
    return as_strided(re, (*re.shape, 2), (*re.strides, re.itemsize))


@view(samples=[case((3, 4, 2))], layout=True, public="torch")
def view_as_complex(input: Any) -> Any:
    """A real tensor whose last dimension is (real, imag) as a complex one, sharing memory.

    input (*, 2), of float16, float32 or float64, the last dimension with stride 1; the result (*).
    RuntimeError otherwise.

    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0], [3.0, -4.0]]))
    tensor([1.+2.j, 3.-4.j])
    """
    if input.dtype.kind != "f":
        raise RuntimeError(
            message(
                "view_as_complex is only supported for half, float and double tensors, but got a "
                f"tensor of scalar type: {input.dtype}"
            )
        )
    if input.ndim == 0:
        raise RuntimeError(
            message("Input tensor must have one or more dimensions", hint="shape (..., 2)")
        )
    if input.shape[-1] != 2:
        raise RuntimeError(
            message("Tensor must have a last dimension of size 2", f"shape {tuple(input.shape)}")
        )
    # (an array without elements has no strides of NumPy's)
    if input.size and input.strides[-1] != input.itemsize:
        raise RuntimeError(
            message("Tensor must have a last dimension with stride 1", hint="x.contiguous()")
        )
    if any(s % (2 * input.itemsize) for s in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return input.view(complex_of(input.dtype))[..., 0]


@view_as_real.bits
def _(input: Any) -> Any:
    if input.conj:
        raise RuntimeError(
            message(
                "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the "
                "conjugate tensor so you can view it as real, use self.resolve_conj(); however, be "
                "warned that the resulting tensor will NOT alias the original.",
                hint="torch.view_as_real(x.resolve_conj())",
            )
        )
    return input.over(door.perform(view_as_real, (input.raw,), {}))


view_as_real.vjp(lambda g, _y, _x: complex(g[..., 0], g[..., 1]))
view_as_complex.vjp(lambda g, _y, _x: view_as_real(g))


@composite(samples=[case(cplx((2, 3))), case((2, 3))])
def isreal(input: Any) -> Any:
    """True where the imaginary part is 0, so everywhere in a real tensor.

    >>> torch.isreal(torch.tensor([1 + 0j, 1 + 2j]))
    tensor([ True, False])
    """
    return imag_view(input) == 0 if input._a.dtype.kind in "cW" else (input == 0) | True

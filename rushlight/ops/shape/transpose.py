"""Dimensions in another order: movedim, permute, adjoint and the attributes T, mT, H, mH.

The records are `permute` and `transpose` in `views.py`.
"""

from __future__ import annotations

from typing import Any

from ...autograd import door
from ...errors import axis
from ..core.arguments import named, sizes
from ..core.composite import attribute, composite
from ..core.samples import case, cplx
from . import views as s


@composite(
    adapt=True,
    aliases="moveaxis",
    samples=[case((2, 3, 4), 0, 2), case((2, 3, 4), [0, 1], [2, 0])],
)
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """A view with the dimensions `source` moved to the places `destination`; the others keep order.

    Both are a number or a tuple of the same length.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.movedim(x, 0, -1).shape
    torch.Size([3, 4, 2])
    >>> torch.movedim(x, (0, 1), (1, 2)).shape
    torch.Size([4, 2, 3])
    """
    n = input._a.ndim
    if source.__class__ is int and destination.__class__ is int and n:
        order, to = [*range(n)], axis(destination, n)
        order.insert(to, order.pop(axis(source, n)))
        return door.apply(s.permute, (input,), {"dims": tuple(order)})
    src = (source,) if isinstance(source, int) else tuple(source)
    dst = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(src)} dims) should "
            f"contain the same number of dims as destination ({list(dst)} dims)"
        )
    given = src, dst
    src, dst = tuple(axis(d, n) for d in src), tuple(axis(d, n) for d in dst)
    for dims, what, asked in ((src, "source", given[0]), (dst, "destination", given[1])):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({list(asked)})")
    if n == 0:
        return door.apply(s.view_as_shape, (input,), {"shape": ()})
    order = [d for d in range(n) if d not in src]
    for to, d in sorted(zip(dst, src, strict=True)):
        order.insert(to, d)
    return door.apply(s.permute, (input,), {"dims": tuple(order)})


@composite(
    public="Tensor",
    name="permute",
    entry=s.permute,
    samples=[case((2, 3, 4), 2, 0, 1), case((2, 3, 4), [1, 0, 2])],
)
def permute_method(input: Any, *dims: Any, **kw: Any) -> Any:
    """A view with its dimensions in the order `dims`: dimension i of the result is `dims[i]` of x.

    >>> x = torch.zeros(2, 3, 4)
    >>> x.permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    if not dims and not kw:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return door.apply(
        s.permute, (input,), {"dims": sizes(named(dims, kw, "dims"), "permute", "dims")}
    )


@composite(adapt=True, samples=[case((2, 3)), case(cplx((2, 3)))])
def adjoint(input: Any) -> Any:
    """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

    `input` (*, m, n), the result (*, n, m), a view.

    >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
    >>> torch.adjoint(x)
    tensor([[1.-1.j],
            [2.-0.j]])
    """
    if input._a.ndim == 0:
        return of_a_number(input, "adjoint()").conj()
    if input._a.ndim < 2:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
            f"{input._a.ndim}-D tensor."
        )
    return input.transpose(-2, -1).conj()


def flipped(t: Any) -> Any:
    """`x.T`: all dimensions in reverse order, a view; of a matrix its transpose.

    Of other than 2-d tensors deprecated, with a warning: use `x.mT` or `permute`.

    >>> torch.tensor([[1, 2], [3, 4]]).T
    tensor([[1, 3],
            [2, 4]])
    """
    n = t._a.ndim
    if n not in (0, 2):
        import warnings

        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return door.apply(s.permute, (t,), {"dims": tuple(range(n - 1, -1, -1))})


def of_a_number(t: Any, name: str) -> Any:
    """What `x.mT` of a 0-d tensor is: itself, with PyTorch's warning."""
    import warnings

    warnings.warn(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these "
        "cases.",
        UserWarning,
        stacklevel=3,
    )
    return t


def matrix(t: Any) -> Any:
    """`x.mT`: the last two dimensions exchanged, of each matrix (*, m, n) of a batch; a view.

    >>> torch.zeros(5, 2, 3).mT.shape
    torch.Size([5, 3, 2])
    """
    if t._a.ndim == 0:
        return of_a_number(t, "mT")
    if t._a.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {t._a.ndim}-D "
            "tensor."
        )
    return door.apply(s.transpose, (t,), {"dim0": -2, "dim1": -1})


def adjoint_matrix(t: Any) -> Any:
    """`x.mH`: the conjugate transpose of each matrix (*, m, n) of a batch.

    >>> torch.zeros(5, 2, 3).mH.shape
    torch.Size([5, 3, 2])
    """
    if t._a.ndim == 0:
        return of_a_number(t, "mH").conj()
    if t._a.ndim < 2:
        raise RuntimeError(
            f"tensor.mH is only supported on matrices or batches of matrices. Got {t._a.ndim}-D "
            "tensor."
        )
    return adjoint(t)


def hermitian(t: Any) -> Any:
    """`x.H`: the conjugate transpose of a matrix, for real numbers the same as `x.T`.

    >>> torch.tensor([[1.0j, 2.0]]).H
    tensor([[0.-1.j],
            [2.-0.j]])
    """
    if t._a.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {t._a.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if t._a.ndim > 2 else "")
        )
    return (flipped(t) if t._a.ndim else of_a_number(t, "H")).conj()


for _name, _fn in {"T": flipped, "mT": matrix, "mH": adjoint_matrix, "H": hermitian}.items():
    attribute(_fn, _name, samples=[case((2, 3)), case(cplx((3, 2)))])

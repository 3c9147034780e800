"""`expand_copy`, `permute_copy` and their like: what a view function gives, as tensors of their
own.

The views themselves are in `views.py` and `public.py`.
"""

from __future__ import annotations

from typing import Any

from ...layout import contiguous_format
from ..core.composite import composite
from ..core.samples import Case, case, cplx


def copying(name: str, example: str, *samples: Case, **about: Any) -> Any:
    """Publish the copy of a view function. `example`: a call, " -> " and its result."""

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        import rushlight

        if name == "view":  # in one piece or not, it is copied
            input = input.contiguous()
        method = getattr(rushlight.Tensor, name, None) or getattr(rushlight, name)
        got = method(input, *args, **kw)
        if isinstance(got, tuple):
            return tuple(t.clone(memory_format=contiguous_format) for t in got)
        return got.clone(memory_format=contiguous_format)

    fn.__name__ = name + "_copy"
    call, shown = example.split(" -> ")
    fn.__doc__ = f"""`{name}` as a copy: the result has memory of its own.

    Parameters are those of `{name}`.

    >>> {call}
    {shown}
    """
    return composite(fn, adapt=True, public="torch", samples=samples, **about)


copying(
    "as_strided",
    "torch.as_strided_copy(torch.arange(4), (2,), (3,)) -> tensor([0, 3])",
    case((2, 6), [2, 2], [1, 3]), layout=True,
)
copying(
    "detach",
    "torch.detach_copy(torch.ones(2, requires_grad=True)) -> tensor([1., 1.])",
    case((2, 3)),
)
copying(
    "diagonal",
    "torch.diagonal_copy(torch.eye(2)) -> tensor([1., 1.])",
    case((3, 4)), case((3, 4), 1),
)
copying(
    "expand",
    "torch.expand_copy(torch.tensor([1, 2]), (2, 2)).stride() -> (2, 1)",
    case((2, 1), [2, 3]),
)
copying(
    "permute",
    "torch.permute_copy(torch.zeros(2, 3, 4), (2, 0, 1)).shape -> torch.Size([4, 2, 3])",
    case((2, 3, 4), [2, 0, 1]),
)
copying(
    "select",
    "torch.select_copy(torch.eye(2), 0, 1) -> tensor([0., 1.])",
    case((3, 4), 1, 2),
)
copying(
    "squeeze",
    "torch.squeeze_copy(torch.zeros(1, 3)).shape -> torch.Size([3])",
    case((2, 1, 3)), case((2, 1, 3), 1),
)
copying(
    "t",
    "torch.t_copy(torch.zeros(2, 3)).stride() -> (2, 1)",
    case((2, 3)),
)
copying(
    "transpose",
    "torch.transpose_copy(torch.zeros(2, 3), 0, 1).stride() -> (2, 1)",
    case((2, 3, 4), 0, 2),
)
copying(
    "unfold",
    "torch.unfold_copy(torch.arange(4), 0, 2, 2).shape -> torch.Size([2, 2])",
    case((2, 6), 1, 3, 2),
)
copying(
    "unsqueeze",
    "torch.unsqueeze_copy(torch.zeros(3), 0).shape -> torch.Size([1, 3])",
    case((2, 3), 1),
)
copying(
    "view",
    "torch.view_copy(torch.zeros(2, 3), (3, 2)).shape -> torch.Size([3, 2])",
    case((2, 6), [3, 4]), layout=True,
)
copying(
    "view_as_real",
    "torch.view_as_real_copy(torch.tensor([1 + 2j])) -> tensor([[1., 2.]])",
    case(cplx((2, 3))),
)
copying(
    "view_as_complex",
    "torch.view_as_complex_copy(torch.tensor([[1.0, 2.0]])) -> tensor([1.+2.j])",
    case((3, 2)), layout=True,
)
copying(
    "split",
    "torch.split_copy(torch.arange(3), 2) -> (tensor([0, 1]), tensor([2]))",
    case((5, 2), 2),
)
copying(
    "split_with_sizes",
    "torch.split_with_sizes_copy(torch.arange(3), [1, 2]) -> (tensor([0]), tensor([1, 2]))",
    case((5, 2), [1, 4]),
)
copying(
    "unbind",
    "torch.unbind_copy(torch.arange(2)) -> (tensor(0), tensor(1))",
    case((3, 2)), case((3, 2), 1),
)


@composite(adapt=True, public="torch", samples=[case((2, 3))])
def alias_copy(input: Any) -> Any:
    """A copy, with memory of its own.

    >>> x = torch.tensor([1, 2])
    >>> torch.alias_copy(x)
    tensor([1, 2])
    """
    return input.clone(memory_format=contiguous_format)


@composite(adapt=True, public="torch", samples=[case((4, 3), 0, 1, 4, 2)])
def slice_copy(input: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """A copy of the positions start, start + step, ... before end along `dim`.

    >>> x = torch.arange(6)
    >>> torch.slice_copy(x, 0, 1, 6, 2)
    tensor([1, 3, 5])
    """
    from ...autograd import door
    from .views import slice_

    return door.apply(
        slice_, (input,), {"dim": dim, "start": start, "end": end, "step": step}
    ).clone(memory_format=contiguous_format)

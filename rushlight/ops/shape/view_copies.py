"""`expand_copy`, `permute_copy` and their like: what a view function gives, as tensors of their
own.

The views themselves are in `views.py` and `public.py`.
"""

from __future__ import annotations

from typing import Any

from ...layout import contiguous_format
from ..core.composite import composite
from ..core.samples import Case, case, cplx


def copying(name: str, *samples: Case, **about: Any) -> Any:
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
    fn.__doc__ = f"`{name}` as a copy: the result has memory of its own."
    return composite(fn, adapt=True, public="torch", samples=samples, **about)


copying("as_strided", case((2, 6), [2, 2], [1, 3]), layout=True)
copying("detach", case((2, 3)))
copying("diagonal", case((3, 4)), case((3, 4), 1))
copying("expand", case((2, 1), [2, 3]))
copying("permute", case((2, 3, 4), [2, 0, 1]))
copying("select", case((3, 4), 1, 2))
copying("squeeze", case((2, 1, 3)), case((2, 1, 3), 1))
copying("t", case((2, 3)))
copying("transpose", case((2, 3, 4), 0, 2))
copying("unfold", case((2, 6), 1, 3, 2))
copying("unsqueeze", case((2, 3), 1))
copying("view", case((2, 6), [3, 4]), layout=True)
copying("view_as_real", case(cplx((2, 3))))
copying("view_as_complex", case((3, 2)), layout=True)
copying("split", case((5, 2), 2))
copying("split_with_sizes", case((5, 2), [1, 4]))
copying("unbind", case((3, 2)), case((3, 2), 1))


@composite(adapt=True, public="torch", samples=[case((2, 3))])
def alias_copy(input: Any) -> Any:
    """A copy."""
    return input.clone(memory_format=contiguous_format)


@composite(adapt=True, public="torch", samples=[case((4, 3), 0, 1, 4, 2)])
def slice_copy(input: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """A copy of the positions start, start + step, ... before end along `dim`."""
    from ...autograd import door
    from .views import slice_

    return door.apply(
        slice_, (input,), {"dim": dim, "start": start, "end": end, "step": step}
    ).clone(memory_format=contiguous_format)

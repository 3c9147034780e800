"""`expand_copy`, `permute_copy` and their like: what a view function gives, as tensors of their
own.

The views themselves are in `views.py` and `public.py`.
"""

from __future__ import annotations

from typing import Any

from ..core.composite import composite

ONE = (
    "as_strided",
    "detach",
    "diagonal",
    "expand",
    "permute",
    "select",
    "squeeze",
    "t",
    "transpose",
    "unfold",
    "unsqueeze",
    "view",
    "view_as_real",
    "view_as_complex",
    "split",
    "split_with_sizes",
    "unbind",
)


def copying(name: str) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        import rushlight

        method = getattr(rushlight.Tensor, name, None) or getattr(rushlight, name)
        got = method(input, *args, **kw)
        return tuple(t.clone() for t in got) if isinstance(got, tuple) else got.clone()

    fn.__name__ = name + "_copy"
    fn.__doc__ = f"`{name}` as a copy: the result has memory of its own."
    return composite(fn, adapt=True, public="torch")


for _name in ONE:
    copying(_name)


@composite(adapt=True, public="torch")
def alias_copy(input: Any) -> Any:
    """A copy."""
    return input.clone()


@composite(adapt=True, public="torch")
def slice_copy(input: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """A copy of the positions start, start + step, ... before end along `dim`."""
    from ...autograd import door
    from .views import slice_

    return door.apply(
        slice_, (input,), {"dim": dim, "start": start, "end": end, "step": step}
    ).clone()

"""Views in place: squeeze_, t_, as_strided_ and their like.

A tensor takes the shape of its view, and stays who it is.
"""

from __future__ import annotations

from typing import Any

from ...autograd import changes, door, views
from ...autograd.node import LEAF
from ..core import described
from ..core.composite import composite
from ..core.samples import Case, case
from . import views as s
from .public import strided_args


def inplace_view(record: Any, name: str, example: tuple[str, str], *samples: Case) -> Any:
    """squeeze_, t_, ...: this very tensor takes the shape of its view. `example`: a shape before
    the call, and the call and the shape after it."""

    def method(input: Any, *args: Any, **kw: Any) -> Any:
        _, kw = record.bind((input, *args), kw)
        if not views.overlaps_itself(input._a):  # nothing is written, so an expanded tensor may
            changes.check_inplace(input, name + "_")
        known = input._v is None and input._vc is not None and input._fn is not LEAF
        if known:  # views of this tensor may exist, which count from its present shape
            base = door.wrap(input._a)
            base._fn, base._vc = input._fn, input._vc
            input._v = views.View(base, (), input._vc.count, "")
        return become(input, seen(record, input, kw), name + "_")

    method.__name__ = name + "_"
    method.__doc__ = described.inplace_doc(record.__doc__, record.name)
    method.base = record  # type: ignore[attr-defined] # whose parameters it has
    composite(method, public="Tensor", name=name + "_", samples=samples)
    return method


def seen(record: Any, t: Any, kw: dict[str, Any]) -> Any:
    """The view that `t` is about to become, with `t`'s history also where nothing is recorded: no
    value changes, and without it `t` would be a result that came from nowhere."""
    if t._fn is None or t._fn is LEAF or door.state.enabled:
        return door.apply(record, (t,), kw)
    with door.grad_enabled(True):
        return door.apply(record, (t,), kw)


def become(t: Any, y: Any, name: str) -> Any:
    """Let the tensor `t` be what its view `y` is."""
    base = t._v
    t._a = y._a
    if t._fn is not None and (t._fn is not LEAF or y._fn is not None):
        t._fn = y._fn
    t._v = y._v if base is not None else None
    views.cell(t).bump(name)
    if t._v is not None:
        t._v.seen = t._vc.count
    return t


@composite(
    public="torch Tensor",
    name="as_strided_",
    layout=True,
    samples=[case((2, 6), [2, 2], [1, 3])],
)
def as_strided_(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """In place: the tensor itself gets these sizes and strides over its storage (see `as_strided`).

    >>> torch.arange(6).as_strided_((2, 2), (1, 3))
    tensor([[0, 3],
            [1, 4]])
    """
    changes.check_inplace(input, "as_strided_", same=True)
    y = seen(s.as_strided, input, strided_args(input, size, stride, storage_offset))
    return become(input, y, "as_strided_")


inplace_view(
    s.squeeze, "squeeze", ("1, 3", "squeeze_() -> [3]"), case((2, 1, 3)), case((2, 1, 3), 1)
)
inplace_view(
    s.unsqueeze, "unsqueeze", ("2, 3", "unsqueeze_(1) -> [2, 1, 3]"), case((2, 3), 1)
)
inplace_view(
    s.t, "t", ("2, 3", "t_() -> [3, 2]"), case((2, 3)), case((3,))
)
inplace_view(
    s.transpose, "transpose", ("2, 3, 4", "transpose_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)
inplace_view(
    s.transpose, "swapaxes", ("2, 3, 4", "swapaxes_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)
inplace_view(
    s.transpose, "swapdims", ("2, 3, 4", "swapdims_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)

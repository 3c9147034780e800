"""The way from a base to its view once more, on other tensors: `Tensor._view_func` and its reverse,
which programs that trace and functionalise call.

A view knows the operations that lead to it (`views.View`), always: what
`torch.autograd._force_original_view_tracking` switches in PyTorch is only noted here.
"""

from __future__ import annotations

from typing import Any

from . import views

_enabled = [False]


def view_func(view: Any, new_base: Any, checked: bool = True) -> Any:
    """What `view` is of its base, of `new_base`; None for what is no view, and, `checked`, of what
    does not lie as the base does."""
    if not view._is_view():
        return None
    base = view._base
    if checked and (new_base.dtype is not base.dtype or lies(new_base) != lies(base)):
        return None
    return views.along(view._v.chain, new_base)


def rev_view_func(view: Any, new_view: Any) -> Any:
    """What the base of `view` is of it, of `new_view`: a view of that one's storage, laid as the
    base; None for what is no view."""
    if not view._is_view():
        return None
    base = view._base
    if new_view.dtype is not base.dtype:
        elements = new_view.untyped_storage().nbytes() // new_view.element_size()
        new_view = new_view.as_strided((elements,), (1,), 0).view(base.dtype)
    return new_view.as_strided(*lies(base))


def lies(t: Any) -> tuple[Any, Any, int]:
    return t.size(), t.stride(), t.storage_offset()


class _force_original_view_tracking:
    """Noted, at once and, as a block, until its end: views know their operations anyway.

    >>> with torch.autograd._force_original_view_tracking(True):
    ...     torch.autograd.is_view_replay_enabled()
    True
    """

    def __init__(self, mode: bool) -> None:
        self.before, _enabled[0] = _enabled[0], bool(mode)

    def __enter__(self) -> None:
        """Done."""

    def __exit__(self, *error: object) -> None:
        _enabled[0] = self.before


def is_view_replay_enabled() -> bool:
    """What `_force_original_view_tracking` was told last; False at first.

    >>> torch.autograd.is_view_replay_enabled()
    False
    """
    return _enabled[0]

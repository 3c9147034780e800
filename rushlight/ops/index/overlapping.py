"""index_put_, masked_fill_ and index_fill_ into a tensor of which several elements are one memory
location (`x.expand(...)`).

PyTorch refuses such a write everywhere but here, where it deprecates it: the last one counts.
Only loaded when one was refused.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...autograd import changes, door, views
from ...autograd.node import TensorBase
from ...autograd.steps import step
from ...errors import axis
from ..create.arguments import stored
from . import getitem as ix
from .index_fill import check_number
from .index_select import check_type
from .masks import check_mask


@step(outputs=0, mutates=(0,))
def put_one_by_one(into: Any, value: Any, *indices: Any, accumulate: bool) -> None:
    """`index_put` where the array lies, one place after the other."""
    ix.put_into(into, value, indices, accumulate)


def put_instead(
    name: str, target: Any, value: Any, indices: tuple[Any, ...], accumulate: bool = False
) -> Any:
    """Called while the error of a change in place is handled: write at the indices, with PyTorch's
    warning, or raise that error again if it had another reason."""
    check_reason(target, value)
    changes.check_inplace(target, name, same=True)
    warnings.warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before "
        "performing this operation. This also applies to advanced indexing e.g. "
        "tensor[indices] = tensor",
        UserWarning,
        stacklevel=4,
    )
    arrays = [getattr(i, "_a", i) for i in (value, *indices)]
    door.perform(put_one_by_one, (target._a, *arrays), {"accumulate": accumulate})
    target._bump(name)
    return target


def fill_mask_instead(target: Any, mask: Any, value: Any) -> Any:
    """The same for `masked_fill_`."""
    check_reason(target, value)
    check_mask("masked_fill_", mask._a)
    places = (mask.expand(target.shape),)
    return put_instead("masked_fill_", target, number_of(target, value), places)


def fill_slices_instead(target: Any, dim: int, index: Any, value: Any) -> Any:
    """The same for `index_fill_`."""
    check_reason(target, value)
    check_type("index_fill_", index._a)
    check_number(target._a, value._a if isinstance(value, TensorBase) else value)
    places = (*[None] * axis(dim, target.ndim), index)
    return put_instead("index_fill_", target, number_of(target, value), places)


def check_reason(target: Any, value: Any) -> None:
    """Raise the error that is handled, unless the tensor lies over itself and there is no gradient
    to record."""
    a = target._a
    if a.__class__ is not np.ndarray or not views.overlaps_itself(a):
        raise
    if door.state.enabled and views.needs_grad((target, value)):
        raise


def number_of(target: Any, value: Any) -> Any:
    if isinstance(value, complex):
        stored(value, target._a.dtype)  # raises for types that have no such number
    return value if isinstance(value, TensorBase) else target.new_tensor(value)

"""What a module's conversion does with its parameters: `torch.__future__` sets it, and here is how
two tensors change places (`torch.utils.swap_tensors`).

Who asks: `_convert.py` (`Module.to` and the like), `_state.py` (`load_state_dict`).
"""

from __future__ import annotations

import copyreg
import weakref
from typing import Any

from ..autograd import door
from ..errors import message

overwrite = [False]  # new Parameters take the place of the old ones
swap = [False]  # the old ones get the contents of the new ones
FIELDS = ("_a", "_fn", "_v", "_vc", "_x")


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange what two tensors are, while each stays the object that others know.

    >>> import rushlight as torch
    >>> a, b = torch.zeros(1), torch.ones(2)
    >>> torch.utils.swap_tensors(a, b)
    >>> a
    tensor([1., 1.])
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(
                message(
                    f"Cannot swap {name} because it has weakref associated with it",
                    got=f"a tensor of shape {tuple(t._a.shape)}",
                    wanted="tensors that no weak reference looks at",
                    hint="call retain_grad, or look at grad_fn.next_functions, after the swap",
                )
            )
    slots = set(copyreg._slotnames(type(t1))), set(copyreg._slotnames(type(t2)))  # type: ignore[attr-defined]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for t in (t1, t2):
        x = door.extras(t)
        x.swapped = object() if x.swapped is None else x.swapped  # goes along: see `_cdata`
    for name in FIELDS:
        one, other = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, other)
        setattr(t2, name, one)

"""Lists and dictionaries that nodes hold: the graph knows who uses whom, so nobody changes them."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import message
from ..utils import _pytree as pytree

__all__ = ["immutable_dict", "immutable_list"]


def refuse(self: Any, *args: Any, **kw: Any) -> NoReturn:
    raise TypeError(
        message(
            f"'{type(self).__name__}' object does not support mutation",
            hint="make a new one and assign it: node.args = (..., ), node.kwargs = {...}",
        )
    )


class immutable_list(list):
    """A list that cannot be changed."""

    append = extend = insert = remove = pop = clear = reverse = sort = refuse  # type: ignore[assignment]
    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dictionary that cannot be changed."""

    clear = pop = popitem = setdefault = update = refuse  # type: ignore[assignment]
    __setitem__ = __delitem__ = __ior__ = refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)


pytree.register_pytree_node(
    immutable_list, lambda x: (list(x), None), lambda values, _: immutable_list(values)
)
pytree.register_pytree_node(
    immutable_dict,
    lambda x: (list(x.values()), list(x)),
    lambda values, keys: immutable_dict(zip(keys, values, strict=True)),
)

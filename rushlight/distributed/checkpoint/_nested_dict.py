"""Nested state dictionaries made flat, and back: `{"a": {"b": x}}` is `{"a.b": x}`.

Mappings are always opened; lists only if a tensor or mapping is in them; others never.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import message
from ...tensor import Tensor

OBJ_PATH = tuple[str | int, ...]
FLATTEN_MAPPING = dict[str, OBJ_PATH]


def _whole(value: Any, old: bool) -> bool:
    """Whether a value stays in one piece."""
    if isinstance(value, Mapping):
        if not old:
            return False
        inner: Any = value.values()
    elif isinstance(value, list):
        inner = value
    else:
        return True
    return not any(
        isinstance(v, Tensor) or (isinstance(v, (Mapping, list)) and not _whole(v, old))
        for v in inner
    )


def traverse_state_dict(
    state_dict: Mapping[Any, Any],
    visitor: Callable[[OBJ_PATH, Any], None],
    old: bool = False,
) -> None:
    """Call `visitor(path, value)` for each value that is not opened."""
    for key, inner in state_dict.items():
        _visit((str(key),), inner, visitor, old)


def _visit(path: OBJ_PATH, value: Any, visitor: Callable[[OBJ_PATH, Any], None], old: bool) -> None:
    if _whole(value, old):
        visitor(path, value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            _visit((*path, str(key)), inner, visitor, old)
    else:
        for i, inner in enumerate(value):
            _visit((*path, i), inner, visitor, old)


def flatten_state_dict(
    state_dict: Mapping[Any, Any], old: bool = False
) -> tuple[dict[str, Any], FLATTEN_MAPPING]:
    """The flat dictionary, and for each of its names the path in the nested one.

    Args:
        old: as PyTorch before 2.4, which left mappings without tensors in one piece.

    >>> flatten_state_dict({"net": {"w": 1}, "steps": [2, 3]})
    ({'net.w': 1, 'steps': [2, 3]}, {'net.w': ('net', 'w'), 'steps': ('steps',)})
    """
    flat: dict[str, Any] = {}
    paths: FLATTEN_MAPPING = {}

    def put(path: OBJ_PATH, value: Any) -> None:
        name = ".".join(map(str, path))
        if name in flat:
            raise ValueError(
                message(
                    f"duplicated flatten key {name}",
                    got=f"{paths[name]} and {path}",
                    hint="keys without dots, or flatten_state_dict=False in the planner",
                )
            )
        flat[name], paths[name] = value, path

    traverse_state_dict(state_dict, put, old)
    return flat, paths


def unflatten_state_dict(state_dict: Mapping[str, Any], mapping: FLATTEN_MAPPING) -> dict[str, Any]:
    """The nested dictionary of a flat one.

    >>> unflatten_state_dict({"net.w": 1}, {"net.w": ("net", "w")})
    {'net': {'w': 1}}
    """
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested


def set_element(root_dict: Any, path: OBJ_PATH, value: Any) -> None:
    """Put a value at a path; dictionaries and lists on the way are made where there are none.

    Keys of a path are text: a key of another type whose text it is counts as the same key.
    """
    at = root_dict
    for i, key in enumerate(path):
        if isinstance(key, int):
            at.extend([None] * (key + 1 - len(at)))
        elif key not in at:
            key = next((k for k in at if str(k) == key), key)
        if i == len(path) - 1:
            at[key] = value
            return
        if (at[key] if isinstance(key, int) else at.get(key)) is None:
            at[key] = [] if isinstance(path[i + 1], int) else {}
        at = at[key]


def get_element(root_dict: Any, path: OBJ_PATH, default_value: Any = None) -> Any:
    """The value at a path."""
    at = root_dict
    for key in path:
        if isinstance(key, int):
            if not isinstance(at, list) or key >= len(at):
                return default_value
        elif not isinstance(at, Mapping) or key not in at:
            return default_value
        at = at[key]
    return at

"""Nested states as named tensors and back: how an optimiser goes into a safetensors file.

`{"state": {0: {"exp_avg": tensor}}, "param_groups": [...]}` becomes the tensor
`"state.0.exp_avg"` and a text that says how everything lies together. Read next: `safetensors.py`.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from ..errors import message
from .errors import CheckpointError

_KEY = "structure"


def flatten_state_dict(state: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Split nested dicts, lists and tuples into tensors by name and a text with the rest.

    A tensor that occurs twice is written once. Values may be None, booleans, numbers and text.

    Returns:
        The tensors and the metadata, for `save_file(tensors, filename, metadata)`.

    >>> p = torch.ones(2, requires_grad=True)
    >>> adam = torch.optim.Adam([p])
    >>> p.sum().backward()
    >>> adam.step()
    >>> tensors, metadata = flatten_state_dict(adam.state_dict())
    >>> sorted(tensors)
    ['state.0.exp_avg', 'state.0.exp_avg_sq', 'state.0.step']
    >>> unflatten_state_dict(tensors, metadata)["param_groups"][0]["lr"]
    0.001
    """
    tensors: dict[str, Any] = {}
    names: dict[int, str] = {}
    keep: list[Any] = []

    def encode(value: Any, path: str) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, dict):
            kind = "ordered" if isinstance(value, OrderedDict) else "dict"
            return {kind: [[_key(k), encode(v, f"{path}.{k}")] for k, v in value.items()]}
        if isinstance(value, list | tuple):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [encode(v, f"{path}.{i}") for i, v in enumerate(value)]}
        if not hasattr(value, "contiguous"):
            where = path[1:] or "the state"
            raise TypeError(
                message(
                    f"flatten_state_dict: {where} cannot go into a safetensors file",
                    got=f"a {type(value).__name__}",
                    wanted="tensors, numbers, text, None, and dicts, lists and tuples of them",
                    hint="torch.save, or leaving it out",
                )
            )
        if id(value) not in names:
            name = path[1:] or "tensor"
            while name in tensors:  # keys 0 and "0", or with dots in them
                name += "'"
            names[id(value)] = name
            keep.append(value)
            tensors[name] = value.detach().clone().contiguous()
        return {"tensor": names[id(value)]}

    structure = encode(state, "")
    return tensors, {_KEY: json.dumps(structure)}


def unflatten_state_dict(tensors: dict[str, Any], metadata: dict[str, str] | None) -> Any:
    """The nested state that `flatten_state_dict` took apart.

    Args:
        tensors: by name, from `load_file`.
        metadata: from `safe_open(filename).metadata()`.

    Raises:
        CheckpointError: there is no such text, or it does not fit the tensors.
    """
    text = (metadata or {}).get(_KEY)
    if text is None:
        raise CheckpointError(
            message(
                "unflatten_state_dict: the metadata holds no structure",
                got=sorted(metadata or {}),
                wanted="the metadata of a file whose tensors flatten_state_dict made",
            )
        )
    try:
        return _decode(json.loads(text), tensors)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise CheckpointError(
            message(
                "unflatten_state_dict: the structure does not fit the tensors",
                got=f"{type(error).__name__}: {error}"[:160],
            )
        ) from error


def _key(key: Any) -> Any:
    if key is None or type(key) in (bool, int, float, str):
        return key
    raise TypeError(f"flatten_state_dict: a key is no plain value: {key!r}")


def _decode(value: Any, tensors: dict[str, Any]) -> Any:
    if type(value) is not dict:
        return value
    ((kind, content),) = value.items()
    if kind == "tensor":
        return tensors[content]
    if kind in ("dict", "ordered"):
        make = dict if kind == "dict" else OrderedDict
        return make((key, _decode(item, tensors)) for key, item in content)
    if kind not in ("list", "tuple"):
        raise ValueError(f"unknown kind {kind!r}"[:80])
    items = [_decode(item, tensors) for item in content]
    return items if kind == "list" else tuple(items)

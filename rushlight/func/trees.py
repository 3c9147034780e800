"""Dictionaries, lists and tuples of tensors as one thing: take apart, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["leaves", "matched", "rebuild", "tree_map"]


def leaves(tree: Any) -> list[Any]:
    """What is in a tree of dicts, lists and tuples, from left to right."""
    if isinstance(tree, dict):
        return [x for v in tree.values() for x in leaves(v)]
    if isinstance(tree, (list, tuple)):
        return [x for v in tree for x in leaves(v)]
    return [tree]


def tree_map(fn: Callable[..., Any], tree: Any) -> Any:
    """The same tree with `fn` of each leaf.

    >>> tree_map(lambda x: x * 2, {"a": [1, 2], "b": (3,)})
    {'a': [2, 4], 'b': (6,)}
    """
    if isinstance(tree, dict):
        return type(tree)((k, tree_map(fn, v)) for k, v in tree.items())
    if isinstance(tree, (list, tuple)):
        parts = [tree_map(fn, v) for v in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return fn(tree)


def rebuild(tree: Any, values: Any) -> Any:
    """A tree of this form with other leaves."""
    following = iter(values)
    return tree_map(lambda _: next(following), tree)


def matched(prefix: Any, tree: Any, error: Callable[[], Exception]) -> list[Any]:
    """For each leaf of `tree` the value of `prefix` over it; `error()` when the forms differ."""
    if prefix is None or isinstance(prefix, int):
        return [prefix] * len(leaves(tree))
    if isinstance(prefix, dict) and isinstance(tree, dict) and prefix.keys() == tree.keys():
        return [x for k in tree for x in matched(prefix[k], tree[k], error)]
    if (
        isinstance(prefix, (list, tuple))
        and isinstance(tree, (list, tuple))
        and isinstance(prefix, list) is isinstance(tree, list)
        and len(prefix) == len(tree)
    ):
        return [x for p, t in zip(prefix, tree, strict=True) for x in matched(p, t, error)]
    if not isinstance(prefix, (dict, list, tuple)) and not isinstance(tree, (dict, list, tuple)):
        return [prefix]
    raise error()

"""Nested containers taken apart and put together."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from rushlight.utils import _pytree as pytree

Point = namedtuple("Point", "x y")
TREE = {
    "a": [1, (2, None)],
    "b": Point(3, OrderedDict(z=4, y=5)),
    "c": deque([6], maxlen=3),
    "d": defaultdict(list, {"k": 7}),
}


def test_flatten_and_unflatten() -> None:
    leaves, spec = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 5, 6, 7]
    assert spec.num_leaves == 8
    again = pytree.tree_unflatten(leaves, spec)
    assert again == TREE
    assert type(again["b"]) is Point
    assert again["c"].maxlen == 3
    assert again["d"].default_factory is list
    assert pytree.tree_structure(again) == spec
    with pytest.raises(ValueError, match="holds 8 items"):
        pytree.tree_unflatten([1], spec)


def test_maps_and_questions() -> None:
    assert pytree.tree_map(lambda x: -x, [1, {"a": 2}]) == [-1, {"a": -2}]
    assert pytree.tree_map_only((int, float), str, [1, "x", 2.0]) == ["1", "x", "2.0"]
    assert pytree.tree_map_only(lambda x: x == 1, str, [1, 2]) == ["1", 2]
    assert pytree.tree_leaves([1, [2]], is_leaf=lambda x: x == [2]) == [1, [2]]
    assert pytree.tree_all(bool, [1, [2]])
    assert not pytree.tree_any(bool, [0, [None]])
    seen: list[int] = []
    assert pytree.tree_map_(seen.append, [1, 2]) == [1, 2]
    assert seen == list(pytree.tree_iter([1, 2]))


def test_containers_of_ones_own() -> None:
    class Box:
        def __init__(self, content):
            self.content = content

    pytree.register_pytree_node(Box, lambda b: ([b.content], None), lambda c, _: Box(*c))
    assert pytree.tree_map(lambda x: x + 1, Box(2)).content == 3
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(Box, lambda b: ([], None), lambda c, _: None)
    del pytree.SUPPORTED_NODES[Box]

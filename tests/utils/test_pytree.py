"""Nested containers taken apart and put together."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import rushlight
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


def test_forms_are_shown_compared_and_written() -> None:
    spec = pytree.tree_structure([1, (2, {"a": 3})])
    assert repr(spec) == (
        "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*,\n    TreeSpec(dict, ['a'], [*])])])"
    )
    assert (spec.num_leaves, spec.num_nodes, spec.num_children) == (3, 6, 2)
    assert spec.child(0).is_leaf()
    assert spec.children() == [spec.child(0), spec.child(1)]
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    assert pytree.treespec_pprint(spec) == "[*, (*, {'a': *})]"
    assert pytree.tree_structure({"a": 1}) != pytree.tree_structure({"b": 1})
    with pytest.raises(NotImplementedError, match="not registered"):
        pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))


def test_trees_beside_each_other_have_one_form() -> None:
    spec = pytree.tree_structure([0, {"a": 0, "b": 0}])
    assert spec.flatten_up_to([[1, 2], {"b": 4, "a": 3}]) == [[1, 2], 3, 4]
    add = pytree.tree_map
    assert add(lambda x, y: x + y, {"a": 1, "b": 2}, {"b": 20, "a": 10}) == {"a": 11, "b": 22}
    for tree, words in [
        ([1], "arity mismatch; expected 2, but got 1"),
        ((1, 2), "type mismatch"),
        ([1, {"a": 2}], "arity mismatch"),
        ([1, {"a": 2, "c": 3}], "missing key.*'b'.*extra key.*'c'"),
    ]:
        with pytest.raises(ValueError, match=words):
            spec.flatten_up_to(tree)


def test_named_results_are_containers() -> None:
    found = rushlight.ones(2, 3).max(0)
    doubled = pytree.tree_map(lambda t: t * 2, found)
    assert type(doubled) is type(found)
    assert doubled.values.tolist() == [2, 2, 2]
    assert pytree.arg_tree_leaves([1], found, k=(3,))[0::3] == [1, 3]
    assert pytree.is_namedtuple(Point)
    assert pytree.is_structseq(found)
    assert not pytree.is_structseq((1,))

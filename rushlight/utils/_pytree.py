"""Nested containers as one thing: their leaves, and their form without them.

Libraries use these functions though PyTorch calls the module private. Containers are lists, tuples,
named tuples, dicts (also ordered and default ones), deques, and what `register_pytree_node` adds;
everything else, None too, is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

__all__ = ["LeafSpec", "PyTree", "TreeSpec", "register_pytree_node", "tree_all", "tree_any"]
__all__ += ["tree_flatten", "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only"]
__all__ += ["tree_structure", "tree_unflatten"]

PyTree = Any
Context = Any


class NodeDef(NamedTuple):
    """How a container is taken apart into (children, context) and put together again."""

    flatten: Callable[[Any], tuple[list[Any], Any]]
    unflatten: Callable[[Iterable[Any], Any], Any]


class TreeSpec(NamedTuple):
    """The form of a tree: the kind of container, what it needs besides children, their forms."""

    type: Any
    context: Any
    children_specs: list[TreeSpec]

    @property
    def num_leaves(self) -> int:
        return 1 if self.type is None else sum(c.num_leaves for c in self.children_specs)

    def is_leaf(self) -> bool:
        return self.type is None


LEAF = TreeSpec(None, None, [])


def LeafSpec() -> TreeSpec:
    """The form of a leaf."""
    return LEAF


def _keys(kind: Callable[[Any], Any]) -> NodeDef:
    return NodeDef(
        lambda d: (list(d.values()), list(d)),
        lambda values, keys: kind(zip(keys, values, strict=True)),
    )


SUPPORTED_NODES: dict[Any, NodeDef] = {
    list: NodeDef(lambda x: (list(x), None), lambda values, _: list(values)),
    tuple: NodeDef(lambda x: (list(x), None), lambda values, _: tuple(values)),
    dict: _keys(dict),
    OrderedDict: _keys(OrderedDict),
    defaultdict: NodeDef(
        lambda d: (list(d.values()), (d.default_factory, list(d))),
        lambda values, c: defaultdict(c[0], zip(c[1], values, strict=True)),
    ),
    deque: NodeDef(lambda x: (list(x), x.maxlen), lambda values, n: deque(values, maxlen=n)),
}
NAMED = NodeDef(lambda x: (list(x), type(x)), lambda values, kind: kind(*values))


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    **others: Any,
) -> None:
    """Treat instances of `cls` as containers."""
    keyed = others.get("flatten_with_keys_fn")
    if keyed is not None:
        KEYED[cls] = keyed
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)


_register_pytree_node = register_pytree_node


def _node(tree: Any, is_leaf: Callable[[Any], bool] | None) -> tuple[Any, NodeDef | None]:
    if is_leaf is not None and is_leaf(tree):
        return None, None
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind, SUPPORTED_NODES[kind]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return "namedtuple", NAMED
    return None, None


def tree_flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and the form.

    >>> leaves, spec = tree_flatten({"a": [1, 2], "b": (3, None)})
    >>> leaves, tree_unflatten([10, 20, 30, 40], spec)
    ([1, 2, 3, None], {'a': [10, 20], 'b': (30, 40)})
    """
    kind, node = _node(tree, is_leaf)
    if node is None:
        return [tree], LEAF
    children, context = node.flatten(tree)
    leaves: list[Any] = []
    specs = []
    for child in children:
        found, spec = tree_flatten(child, is_leaf)
        leaves += found
        specs.append(spec)
    return leaves, TreeSpec(kind, context, specs)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The tree of this form with these leaves."""
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(given)} but the spec "
            f"refers to a pytree that holds {treespec.num_leaves} items"
        )
    return _build(iter(given), treespec)


def _build(leaves: Iterator[Any], spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    node = NAMED if spec.type == "namedtuple" else SUPPORTED_NODES[spec.type]
    return node.unflatten([_build(leaves, child) for child in spec.children_specs], spec.context)


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """The leaves, one by one."""
    return iter(tree_flatten(tree, is_leaf)[0])


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The form without the leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """The same form with `func` of each leaf (and of the leaves of `rests` beside it).

    >>> tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Call `func` on each leaf; the tree itself comes back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    kind: Any, func: Callable[[Any], Any], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """The same tree with `func` of the leaves that are of `kind` (a type, or a question).

    >>> tree_map_only(int, str, [1, 2.5])
    ['1', 2.5]
    """
    chosen = kind if callable(kind) and not isinstance(kind, type) else None

    def one(leaf: Any) -> Any:
        fits = chosen(leaf) if chosen is not None else isinstance(leaf, kind)
        return func(leaf) if fits else leaf

    return tree_map(one, tree, is_leaf=is_leaf)


def tree_all(
    pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether all leaves satisfy `pred`."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(
    pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether a leaf satisfies `pred`."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


# -- paths ----------------------------------------------------------------------------------------


class MappingKey(NamedTuple):
    """Where in a dict a child is."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The child."""
        return mapping[self.key]


class SequenceKey(NamedTuple):
    """Where in a list or tuple a child is."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The child."""
        return sequence[self.idx]


class GetAttrKey(NamedTuple):
    """Which attribute a child is."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The child."""
        return getattr(obj, self.name)


KeyPath = tuple[Any, ...]
KEYED: dict[Any, Callable[[Any], tuple[list[tuple[Any, Any]], Any]]] = {}


def keystr(kp: KeyPath) -> str:
    """A path as it is written behind a name.

    >>> keystr((MappingKey("a"), SequenceKey(1)))
    "['a'][1]"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What is at the end of a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _keys_of(tree: Any, kind: Any, context: Any, n: int) -> list[Any]:
    if kind in KEYED:
        return [key for key, _ in KEYED[kind](tree)[0]]
    if kind == "namedtuple":
        return [GetAttrKey(name) for name in tree._fields]
    if kind in (dict, OrderedDict, defaultdict):
        return [MappingKey(key) for key in tree]
    return [SequenceKey(i) for i in range(n)]


def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """(path, leaf) from left to right, and the form.

    >>> found, _ = tree_flatten_with_path({"a": [5, 6]})
    >>> [(keystr(path), leaf) for path, leaf in found]
    [("['a'][0]", 5), ("['a'][1]", 6)]
    """
    found: list[tuple[KeyPath, Any]] = []

    def walk(part: Any, path: KeyPath) -> None:
        kind, node = _node(part, is_leaf)
        if node is None:
            found.append((path, part))
            return
        children, context = node.flatten(part)
        children = list(children)
        keys = _keys_of(part, kind, context, len(children))
        for key, child in zip(keys, children, strict=True):
            walk(child, (*path, key))

    walk(tree, ())
    return found, tree_structure(tree, is_leaf)


def tree_leaves_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[tuple[KeyPath, Any]]:
    """(path, leaf) from left to right."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """The same form with `func(path, leaf)`."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    made = [func(*pair, *more) for pair, *more in zip(found, *others, strict=True)]
    return tree_unflatten(made, spec)


# -- what libraries call by its private name ------------------------------------------------------


def _dict_flatten(d: dict[Any, Any]) -> tuple[list[Any], Any]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict[Any, Any]) -> tuple[list[tuple[MappingKey, Any]], Any]:
    return [(MappingKey(k), v) for k, v in d.items()], list(d)


def _dict_unflatten(values: Iterable[Any], context: Any) -> dict[Any, Any]:
    return dict(zip(context, values, strict=True))


BUILTIN_TYPES = frozenset((tuple, list, dict, OrderedDict, defaultdict, deque))


def _is_namedtuple_instance(tree: Any) -> bool:
    return isinstance(tree, tuple) and hasattr(tree, "_fields")


def _get_node_type(tree: Any) -> Any:
    """The key of SUPPORTED_NODES for a container; the type of anything else."""
    return NamedTuple if _is_namedtuple_instance(tree) else type(tree)


is_namedtuple_instance = _is_namedtuple_instance


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is one of C's named tuples, as time.localtime() is."""
    return isinstance(obj, tuple) and hasattr(obj, "n_sequence_fields")


def tree_is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether a tree is no container."""
    return _is_leaf(tree, is_leaf)


def _list_flatten_with_keys(d: list[Any]) -> tuple[list[tuple[SequenceKey, Any]], Any]:
    return [(SequenceKey(i), x) for i, x in enumerate(d)], None


_tuple_flatten_with_keys = _list_flatten_with_keys


def _is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return _node(tree, is_leaf)[1] is None


def _deregister_pytree_node(cls: type) -> None:
    SUPPORTED_NODES.pop(cls, None)
    KEYED.pop(cls, None)


def _list_flatten(d: list[Any]) -> tuple[list[Any], Any]:
    return d, None


def _list_unflatten(values: Iterable[Any], context: Any) -> list[Any]:
    return list(values)


def _tuple_flatten(d: tuple[Any, ...]) -> tuple[list[Any], Any]:
    return list(d), None


def _tuple_unflatten(values: Iterable[Any], context: Any) -> tuple[Any, ...]:
    return tuple(values)


def _broadcast_to_and_flatten(
    tree: Any, treespec: TreeSpec, is_leaf: Callable[[Any], bool] | None = None
) -> list[Any] | None:
    """The leaves of `tree` as often as the form has some below each; None if it does not fit."""
    if treespec.is_leaf():
        return [tree] if _is_leaf(tree, is_leaf) else None
    kind, node = _node(tree, is_leaf)
    if node is None:
        return [tree] * treespec.num_leaves
    children, context = node.flatten(tree)
    children = list(children)
    if kind != treespec.type or len(children) != len(treespec.children_specs):
        return None
    if context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found


def register_constant(cls: type) -> None:
    """Treat instances of `cls` as containers of nothing."""
    register_pytree_node(cls, lambda x: ([], x), lambda values, context: context)


def register_dataclass(
    cls: type, *, field_names: list[str] | None = None, drop_field_names: Any = None
) -> None:
    """Treat instances of a dataclass as containers of their fields."""
    import dataclasses

    names = field_names or [f.name for f in dataclasses.fields(cls) if f.init]

    def flatten(x: Any) -> tuple[list[Any], Any]:
        return [getattr(x, n) for n in names], None

    register_pytree_node(
        cls,
        flatten,
        lambda values, _: cls(**dict(zip(names, values, strict=True))),
        flatten_with_keys_fn=lambda x: ([(GetAttrKey(n), getattr(x, n)) for n in names], None),
    )


def tree_map_only_(
    kind: Any, func: Callable[[Any], Any], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Call `func` on the leaves of `kind`; the tree itself comes back."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def tree_all_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Whether all leaves of `kind` satisfy `pred`."""
    return all(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, kind))


def tree_any_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Whether a leaf of `kind` satisfies `pred`."""
    return any(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, kind))

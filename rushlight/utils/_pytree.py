"""Nested containers as one thing: their leaves, and their form without them.

Libraries use these functions though PyTorch calls the module private. Containers are lists, tuples,
named tuples, named results, dicts (also ordered and default ones), deques, and what
`register_pytree_node` adds; everything else, None too, is a leaf.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..ops.core.return_types import ReturnType

__all__ = ["LeafSpec", "PyTree", "TreeSpec", "register_pytree_node", "tree_all", "tree_any"]
__all__ += ["tree_flatten", "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only"]
__all__ += ["tree_structure", "tree_unflatten"]

PyTree = Any
Context = Any
DumpableContext = Any  # what JSON can hold
FlattenFunc = Callable[[Any], tuple[list[Any], Any]]
UnflattenFunc = Callable[[Iterable[Any], Any], Any]


class NodeDef(NamedTuple):
    """How a container is taken apart into (children, context) and put together again."""

    flatten: Callable[[Any], tuple[list[Any], Any]]
    unflatten: Callable[[Iterable[Any], Any], Any]


@dataclass(frozen=True)
class TreeSpec:
    """The form of a tree: the kind of container, what it needs besides children, their forms."""

    type: Any
    context: Any
    _children: tuple[TreeSpec, ...]

    def __init__(self, type: Any, context: Any, children: Iterable[TreeSpec] = ()) -> None:
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "context", context)
        object.__setattr__(self, "_children", tuple(children))

    @property
    def num_leaves(self) -> int:
        """How many leaves a tree of this form has."""
        return 1 if self.type is None else sum(c.num_leaves for c in self._children)

    @property
    def num_nodes(self) -> int:
        """How many containers and leaves."""
        return 1 + sum(c.num_nodes for c in self._children)

    @property
    def num_children(self) -> int:
        """How many are right below."""
        return len(self._children)

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The forms right below (as older programs ask for them)."""
        return list(self._children)

    def children(self) -> list[TreeSpec]:
        """The forms right below."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """One of the forms right below."""
        return self._children[index]

    def is_leaf(self) -> bool:
        """Whether it is the form of no container."""
        return self.type is None

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this form with these leaves."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec "
                f"refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return _build(iter(given), self)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of `tree` that stand where this form has leaves."""
        if self.type is None:
            return [tree]
        kind, node = _node(tree, None)
        if node is None or not _same_kind(kind, self.type):
            raise ValueError(
                f"Node type mismatch; expected {self.type!r}, but got {_get_node_type(tree)!r}."
            )
        children, context = node.flatten(tree)
        children = list(children)
        if len(children) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
        if kind in DICTS:
            children = self._in_order(tree)
        elif context != self.context and kind is not deque:
            raise ValueError(
                f"Node context mismatch for custom node type {self.type!r}; "
                f"expected {self.context!r}, but got {context!r}."
            )
        pairs = zip(self._children, children, strict=True)
        return [part for spec, child in pairs for part in spec.flatten_up_to(child)]

    def _in_order(self, tree: Any) -> list[Any]:
        """The values of a dictionary in the order of the form's keys."""
        keys = self.context[1] if self.type is defaultdict else self.context
        if set(keys) != set(tree):
            missing, extra = set(keys) - set(tree), set(tree) - set(keys)
            said = [f"missing key(s): {sorted(missing, key=str)}"] if missing else []
            said += [f"extra key(s): {sorted(extra, key=str)}"] if extra else []
            raise ValueError("Node keys mismatch; " + "; ".join(said) + ".")
        return [tree[key] for key in keys]

    def __repr__(self) -> str:
        return self._shown(0)

    def _shown(self, indent: int) -> str:
        if self.type is None:
            return "*"
        name = getattr(self.type, "__name__", self.type)
        start = f"TreeSpec({name}, {self.context!r}, ["
        inner = indent + 2
        parts = [c._shown(inner) for c in self._children]
        return start + (",\n" + " " * inner).join(parts) + "])"


DICTS = (dict, OrderedDict, defaultdict)
LEAF = TreeSpec(None, None)


def _same_kind(a: Any, b: Any) -> bool:
    """Dictionaries of all kinds have the same form where their keys agree."""
    return a is b or (a in DICTS and b in DICTS)


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
        lambda d: (list(d.values()), [d.default_factory, list(d)]),
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
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if keyed is not None:
        KEYED[cls] = keyed
    name = others.get("serialized_type_name")
    dump, load = others.get("to_dumpable_context"), others.get("from_dumpable_context")
    if (dump is None) != (load is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or "
            "registered."
        )
    if name is not None:
        same = lambda context: context  # noqa: E731
        SUPPORTED_SERIALIZED_TYPES[cls] = _Serialized(name, dump or same, load or same)
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)


_register_pytree_node = _private_register_pytree_node = register_pytree_node


def _node(tree: Any, is_leaf: Callable[[Any], bool] | None) -> tuple[Any, NodeDef | None]:
    if is_leaf is not None and is_leaf(tree):
        return None, None
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind, SUPPORTED_NODES[kind]
    if isinstance(tree, ReturnType):
        node = NodeDef(lambda x: (list(x), None), lambda values, _: kind(list(values)))
        SUPPORTED_NODES[kind] = node
        return kind, node
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
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but "
            f"got item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def _build(leaves: Iterator[Any], spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    node = NAMED if spec.type == "namedtuple" else SUPPORTED_NODES[spec.type]
    return node.unflatten([_build(leaves, child) for child in spec._children], spec.context)


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
    others = [spec.flatten_up_to(rest) for rest in rests]
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


KeyEntry = Any
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
    others = [spec.flatten_up_to(rest) for rest in rests]
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


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_class(cls: type) -> bool:
    """Whether a class is one of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_structseq(obj: Any) -> bool:
    """Whether an object is one of C's named tuples, or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: type) -> bool:
    """Whether a class is one of C's named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "n_sequence_fields")


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of the arguments of a call."""
    return [leaf for arg in (*args, *kwargs.values()) for leaf in tree_iter(arg)]


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
    SUPPORTED_SERIALIZED_TYPES.pop(cls, None)
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
    if kind != treespec.type or len(children) != treespec.num_children:
        return None
    if context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec._children, strict=True):
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


# -- forms as text --------------------------------------------------------------------------------


class _Serialized(NamedTuple):
    name: str
    dump: Callable[[Any], Any]
    load: Callable[[Any], Any]


SUPPORTED_SERIALIZED_TYPES: dict[Any, _Serialized] = {}
PROTOCOL = 1


def _name_of(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _dump(spec: TreeSpec) -> dict[str, Any]:
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    known = SUPPORTED_SERIALIZED_TYPES.get(spec.type)
    if spec.type not in BUILTIN_TYPES and known is None:
        raise NotImplementedError(
            f"Serializing {spec.type} in pytree is not registered; give register_pytree_node() "
            "serialized_type_name=, to_dumpable_context= and from_dumpable_context="
        )
    return {
        "type": _name_of(spec.type) if known is None else known.name,
        "context": json.dumps(spec.context if known is None else known.dump(spec.context)),
        "children_spec": [_dump(child) for child in spec._children],
    }


def _load(found: dict[str, Any]) -> TreeSpec:
    if found["type"] is None:
        return LEAF
    names: dict[str, Any] = {_name_of(kind): (kind, None) for kind in BUILTIN_TYPES}
    names |= {k.name: (kind, k) for kind, k in SUPPORTED_SERIALIZED_TYPES.items()}
    if found["type"] not in names:
        raise NotImplementedError(f"Deserializing {found['type']} in pytree is not registered.")
    kind, known = names[found["type"]]
    context = json.loads(found["context"])
    children = [_load(child) for child in found["children_spec"]]
    return TreeSpec(kind, context if known is None else known.load(context), children)


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A form as JSON, in PyTorch's protocol 1."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec "
            f"but got item of type {type(treespec)}."
        )
    if protocol not in (None, PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return json.dumps([PROTOCOL, _dump(treespec)])


def treespec_loads(serialized: str) -> TreeSpec:
    """The form that `treespec_dumps` wrote.

    >>> treespec_loads(treespec_dumps(tree_structure([1, {"a": 2}])))
    TreeSpec(list, None, [*,
      TreeSpec(dict, ['a'], [*])])
    """
    protocol, found = json.loads(serialized)
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return _load(found)


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree of this form, with a star for each leaf."""

    class Star:
        """A leaf."""

        def __repr__(self) -> str:
            return "*"

    return repr(tree_unflatten([Star() for _ in range(treespec.num_leaves)], treespec))

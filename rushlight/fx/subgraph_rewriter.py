"""`replace_pattern`: parts of a graph that look like a pattern are replaced by another graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import message
from ._symbolic_trace import symbolic_trace
from .graph import Graph, has_attribute
from .graph_module import GraphModule, assign, attribute
from .node import Node, map_arg

__all__ = ["Match", "replace_pattern"]


class Match(NamedTuple):
    """A part of a graph that looks like the pattern."""

    anchor: Node  # the pattern's node that gives its result
    nodes_map: dict[Node, Node]  # nodes of the pattern -> nodes of the graph


def graph_of(pattern: Callable[..., Any] | Graph | GraphModule) -> Graph:
    """The graph of a pattern."""
    if isinstance(pattern, Graph):
        return pattern
    graph: Graph = (pattern if isinstance(pattern, GraphModule) else symbolic_trace(pattern)).graph
    return graph


def equal(p: Any, n: Any, mapped: dict[Node, Node]) -> bool:
    """Whether an argument looks like one of the pattern; `mapped` grows by what nodes stand for."""
    if isinstance(p, Node):
        return isinstance(n, Node) and looks_like(p, n, mapped)
    if isinstance(p, (tuple, list)):
        return (
            isinstance(n, (tuple, list))
            and len(p) == len(n)
            and all(equal(a, b, mapped) for a, b in zip(p, n, strict=True))
        )
    if isinstance(p, dict):
        return (
            isinstance(n, dict)
            and p.keys() == n.keys()
            and all(equal(p[k], n[k], mapped) for k in p)
        )
    if isinstance(p, slice):
        parts = ("start", "stop", "step")
        return isinstance(n, slice) and all(
            equal(getattr(p, k), getattr(n, k), mapped) for k in parts
        )
    return type(p) is type(n) and bool(p == n)


def looks_like(p: Node, n: Node, mapped: dict[Node, Node]) -> bool:
    """Whether a node and what it uses look like a node of the pattern and what that uses."""
    if p in mapped:
        return mapped[p] is n
    if p.op == "placeholder":
        mapped[p] = n
        return True
    if p.op != n.op or p.target != n.target or n in mapped.values():
        return False
    mapped[p] = n
    return equal(p.args, n.args, mapped) and equal(p.kwargs, n.kwargs, mapped)


def is_contained(mapped: dict[Node, Node], results: list[Node]) -> bool:
    """Whether nobody outside uses what the pattern computes on the way."""
    inside = {n for p, n in mapped.items() if p.op != "placeholder"}
    return all(
        user in inside
        for p, n in mapped.items()
        if p.op != "placeholder" and p not in results
        for user in n.users
    )


def matches(graph: Graph, pattern: Graph) -> list[dict[Node, Node]]:
    """The parts of a graph that look like the pattern, none with a node of another."""
    results = list(dict.fromkeys(pattern.output_node().all_input_nodes))
    if not results or any(p.op == "placeholder" for p in results):
        raise ValueError(
            message("replace_pattern: the pattern gives one of its inputs", str(results))
        )
    found: list[dict[Node, Node]] = []
    taken: set[Node] = set()

    def extend(left: list[Node], mapped: dict[Node, Node]) -> dict[Node, Node] | None:
        if not left:
            return mapped if is_contained(mapped, results) else None
        for n in graph.nodes:
            tried = dict(mapped)
            if n.op != "output" and looks_like(left[0], n, tried):
                whole = extend(left[1:], tried)
                if whole is not None and not taken.intersection(computed(whole)):
                    return whole
        return None

    for n in graph.nodes:
        mapped: dict[Node, Node] = {}
        if n in taken or not looks_like(results[0], n, mapped):
            continue
        whole = extend(results[1:], mapped)
        if whole is not None and not taken.intersection(computed(whole)):
            found.append(whole)
            taken.update(computed(whole))
    return found


def computed(mapped: dict[Node, Node]) -> list[Node]:
    """The nodes of a match that go away."""
    return [n for p, n in mapped.items() if p.op != "placeholder"]


def replace_pattern(
    gm: GraphModule,
    pattern: Callable[..., Any] | GraphModule,
    replacement: Callable[..., Any] | GraphModule,
) -> list[Match]:
    """Replace each part of `gm` that looks like `pattern` by `replacement`, in place.

    Both are functions or modules with the same inputs. Parts do not overlap, and nobody else may
    use what a part computes on the way. Returns what was replaced.

    >>> import rushlight.fx as fx
    >>> def pattern(x):
    ...     return torch.relu(torch.neg(x))
    >>> def replacement(x):
    ...     return torch.exp(x)
    >>> traced = fx.symbolic_trace(lambda x: torch.relu(torch.neg(x)) + 1)
    >>> found = fx.replace_pattern(traced, pattern, replacement)
    >>> len(found), traced(torch.zeros(1))
    (1, tensor([2.]))
    """
    wanted, new = graph_of(pattern), graph_of(replacement)
    inputs = [n for n in wanted.nodes if n.op == "placeholder"]
    new_inputs = [n for n in new.nodes if n.op == "placeholder"]
    if len(inputs) != len(new_inputs):
        raise AssertionError(
            message(
                "replace_pattern: pattern and replacement have different numbers of inputs",
                f"{len(inputs)} and {len(new_inputs)}",
            )
        )
    found = matches(gm.graph, wanted)
    results = list(dict.fromkeys(wanted.output_node().all_input_nodes))
    done: list[Match] = []
    instead: dict[Node, Node] = {}  # results of earlier matches that are inputs of later ones
    for mapped in found:
        val_map = {
            a: instead.get(mapped[p], mapped[p])
            for p, a in zip(inputs, new_inputs, strict=True)
            if p in mapped
        }
        old = [mapped[p] for p in results]
        before = next(n for n in gm.graph.nodes if n in set(first_users(old, computed(mapped))))
        with gm.graph.inserting_before(before):
            given = gm.graph.graph_copy(new, val_map)
        values: list[Node] = []
        map_arg(given, values.append)
        if len(values) != len(old):
            raise AssertionError(
                message(
                    "replace_pattern: pattern and replacement have different numbers of results",
                    f"{len(old)} and {len(values)}",
                )
            )
        for a, b in zip(old, values, strict=True):
            a.replace_all_uses_with(b)
            instead[a] = b
        for n in [n for n in reversed(gm.graph.nodes) if n in set(computed(mapped))]:
            gm.graph.erase_node(n)
        done.append(Match(results[-1], mapped))
    for source in (replacement, gm):
        take_attributes(gm, source)
    gm.recompile()
    return done


def first_users(results: list[Node], inside: list[Node]) -> list[Node]:
    """Who uses the results outside the match: what replaces it must come before them."""
    return [u for n in results for u in n.users if u not in inside] or [inside[0].next]


def take_attributes(gm: GraphModule, source: Any) -> None:
    """Give `gm` the attributes of the replacement that its nodes name."""
    for node in gm.graph.nodes:
        name = str(node.target)
        wanted = node.op in ("call_module", "get_attr") and not has_attribute(gm, name)
        if wanted and has_attribute(source, name):
            assign(gm, name, attribute(source, name))

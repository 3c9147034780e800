"""torch.fx: the code, the graphs and the results of traced programs are PyTorch's.

Annotations are evaluated here, for graphs show them.
"""

import copy
import operator
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import rushlight
import rushlight.fx

torch = pytest.importorskip("torch")
pytest.importorskip("torch.fx")

BOTH = (rushlight, torch)


def reflected(x: Any, y: Any) -> Any:
    x += y
    x @= y
    return -x, ~x, 2 - x, x**2, 3**x, x // 2, x % 3, x == y, x | 1


def unpacked(x: Any) -> Any:
    a, b = x.chunk(2, dim=-1)
    return a.T, b[..., None, 1:], abs(a)


def collected(x: Any, *a: Any, **k: Any) -> Any:
    return x.shape[0] + x.float().max(dim=1)[0]


def defaults(x: Any, y: Any = None, z: float = 1.5, *, w: Any = (1, 2)) -> Any:
    return {"a": [x * z, x.view(-1, 2)], "b": (x.inf * float("inf"), x.sum(w))}


def dead(x: Any) -> Any:
    unused = x + 1  # noqa: F841 (dead code stays in the graph)
    return x.add_(1)


# programs that need no module of torch, and inputs to try
PLAIN: dict[str, Callable[..., Any]] = {
    "operators": reflected,
    "unpacking": unpacked,
    "starred": collected,
    "defaults": defaults,
    "dead code": dead,
    "attributes": lambda x: (x.foo, x.abc.d(3), x.sum(-1, keepdim=True).size(0)),
    "names": lambda add, sum, float_1: add + sum + float_1.float() + add.add(1),
    "nothing": lambda: 3,
    "slices": lambda x, n: x[:n, n:, ::2][n],
}
# programs that do
USING: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "functions": lambda t: lambda x: t.where(x > 0, t.neg(x), t.sigmoid(x)),
    "factories": lambda t: lambda x, n: t.zeros(n) + x + t.arange(n, dtype=t.float32),
    "types": lambda t: lambda x: x.to(t.float16).to("cpu", non_blocking=True),
    "asserts": lambda t: lambda x: (t._assert(x.shape[0] == 3, "three"), x)[1],
    "stacked": lambda t: lambda x: t.stack((x, x), dim=1),
    "einsum": lambda t: lambda x: t.einsum("ij,jk->ik", [x, x]),
}


def module(t: Any) -> Any:
    class Net(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = t.nn.Linear(3, 4)
            self.w = t.nn.Parameter(t.arange(4.0))
            self.register_buffer("b", t.ones(4))
            self.seq = t.nn.Sequential(t.nn.ReLU(), t.nn.Linear(4, 4))
            self.const = t.ones(4)

        def forward(self, x: Any, scale: Any = 2.0, *, key: int = 3) -> Any:
            y = self.seq(self.lin(x)) * self.w + self.b
            y = t.nn.functional.relu(y, inplace=True) + self.const + t.ones(4)
            return {"a": (y[0], y[:, 1:]), "b": [y.sum(-1, keepdim=True), scale * key]}

    t.manual_seed(0)
    return Net()


def told(gm: Any) -> list[Any]:
    nodes = [(n.op, n.name, str(n.args), str(n.kwargs), len(n.users)) for n in gm.graph.nodes]
    return [gm.code, str(gm.graph), nodes, [str(n.type) for n in gm.graph.nodes]]


@pytest.mark.parametrize("name", PLAIN)
def test_programs(name: str) -> None:
    ours, theirs = (told(t.fx.symbolic_trace(PLAIN[name])) for t in BOTH)
    assert ours == theirs


@pytest.mark.parametrize("name", USING)
def test_programs_with_functions(name: str) -> None:
    ours, theirs = (told(t.fx.symbolic_trace(USING[name](t))) for t in BOTH)
    assert str(ours) == str(theirs).replace("torch.functional.", "torch.")


def changed(t: Any, way: str) -> Any:
    """A traced module after it was copied, pickled or made anew."""
    gm = t.fx.symbolic_trace(module(t))
    ways: dict[str, Callable[[], Any]] = {
        "traced": lambda: gm,
        "copied": lambda: copy.deepcopy(gm),
        "pickled": lambda: pickle.loads(pickle.dumps(gm)),
        "retraced": lambda: t.fx.symbolic_trace(gm),
        "transformed": lambda: t.fx.Transformer(gm).transform(),
        "of a dictionary": lambda: t.fx.GraphModule(
            {n.target: operator.attrgetter(n.target.replace(".0", "").replace(".1", ""))(gm)
             if "." not in n.target else gm.get_submodule(n.target)
             for n in gm.graph.nodes if n.op in ("get_attr", "call_module")},
            gm.graph,
        ),
    }  # fmt: skip
    return ways[way]()


@pytest.mark.parametrize(
    "way", ["traced", "copied", "pickled", "retraced", "transformed", "of a dictionary"]
)
def test_modules(way: str) -> None:
    results = []
    for t in BOTH:
        gm = changed(t, way)
        gm.graph.lint()
        x = t.arange(6.0).reshape(2, 3)
        found = gm(x)
        ran = t.fx.Interpreter(gm).run(x)
        assert t.equal(found["a"][0], ran["a"][0])
        results.append(
            (gm.code, str(gm.graph), list(gm.state_dict()), list(dict(gm.named_modules()))[1:],
             t.round(found["a"][1], decimals=4).tolist(), found["b"][1])
        )  # fmt: skip
    assert results[0] == results[1]


SPECIAL: dict[str, Any] = {"a flag": {"flag": True}, "nothing": {"flag": None}, "none": None}


@pytest.mark.parametrize("name", SPECIAL)
def test_concrete_arguments(name: str) -> None:
    def program(x: Any, flag: Any = 3) -> Any:
        return x + 1 if flag is True else x - 1

    ours, theirs = (told(t.fx.symbolic_trace(program, concrete_args=SPECIAL[name])) for t in BOTH)
    assert ours == theirs


def edits(t: Any, way: str) -> Any:
    """A graph that was changed by hand."""
    fx = t.fx
    gm = fx.symbolic_trace(lambda x, y: t.relu(x + y) * t.relu(x - y))
    graph = gm.graph
    nodes = {n.name: n for n in graph.nodes}
    if way == "replaced":
        with graph.inserting_after(nodes["relu"]):
            made = graph.call_function(t.tanh, nodes["relu"].args)
        nodes["relu"].replace_all_uses_with(made)
        graph.erase_node(nodes["relu"])
    elif way == "inserted":
        with graph.inserting_before(nodes["mul"]):
            graph.call_method("abs", (nodes["relu"],))
            graph.call_function(t.neg, (nodes["x"],))
        with graph.inserting_after(nodes["x"]):
            graph.create_node("call_function", t.exp, (nodes["x"],), name="a_1")
            graph.create_node("call_function", t.exp, (nodes["x"],), name="a")
    elif way == "cleaned":
        nodes["mul"].update_arg(1, 3)
        assert graph.eliminate_dead_code()
    elif way == "moved":
        nodes["add"].append(nodes["relu"])
        nodes["x"].prepend(nodes["y"])
    elif way == "pattern":
        found = fx.replace_pattern(gm, lambda a: t.relu(a), lambda a: t.sigmoid(a) + 1)
        assert [m.nodes_map[m.anchor].name for m in found] == ["relu", "relu_1"]
    elif way == "proxies":
        tracer = fx.proxy.GraphAppendingTracer(graph)
        with graph.inserting_before(nodes["mul"]):
            made = (fx.Proxy(nodes["x"], tracer) + 1).exp().node
        nodes["mul"].replace_input_with(nodes["relu"], made)
        nodes["sub"].args = (nodes["sub"].args[0], 2)
        nodes["mul"].meta["mine"] = 1
    gm.recompile()
    graph.lint()
    return gm


@pytest.mark.parametrize("way", ["replaced", "inserted", "cleaned", "moved", "pattern", "proxies"])
def test_changes(way: str) -> None:
    results = []
    for t in BOTH:
        gm = edits(t, way)
        x, y = t.arange(4.0) - 1, t.ones(4)
        results.append([told(gm), t.round(gm(x, y), decimals=4).tolist()])
    assert results[0] == results[1]


def loops(x: Any) -> Any:
    return [i for i in x]


def first_node(t: Any) -> Any:
    return SimpleNamespace(t=t, gm=(gm := edits(t, "cleaned")), n=list(gm.graph.nodes)[2])


REFUSED: dict[str, Callable[[Any], Any]] = {
    "control flow": lambda f: f.t.fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x),
    "len": lambda f: f.t.fx.symbolic_trace(lambda x: len(x)),
    "loops": lambda f: f.t.fx.symbolic_trace(loops),
    "int": lambda f: f.t.fx.symbolic_trace(lambda x: int(x)),
    "items": lambda f: f.t.fx.symbolic_trace(lambda x: operator.setitem(x, 0, 1)),
    "used nodes": lambda f: f.gm.graph.erase_node(f.n),
    "modules that are not there": lambda f: f.gm.graph.call_module("nope"),
    "kinds of nodes": lambda f: f.gm.graph.create_node("zz", "x"),
    "no graph": lambda f: setattr(f.gm, "graph", 3),
    "no module": lambda f: f.t.fx.GraphModule(3, f.t.fx.Graph()),
    "inputs": lambda f: f.t.fx.Interpreter(f.gm).run(),
    "lists of nodes": lambda f: f.t.fx.immutable_collections.immutable_list([1]).append(2),
    "order": lambda f: (f.n.append(next(iter(f.gm.graph.nodes))), f.gm.graph.lint()),
    "foreign": lambda f: f.gm.graph.inserting_before(list(f.t.fx.Graph().nodes or [f.n])[9]),
    "missing attributes": lambda f: f.t.fx.GraphModule({}, missing(f.t)),
}


def missing(t: Any) -> Any:
    graph = t.fx.Graph()
    graph.output(graph.get_attr("w"))
    return graph


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011 (PyTorch says which one)
        REFUSED[name](first_node(torch))
    with pytest.raises(Exception) as ours:  # noqa: PT011
        REFUSED[name](first_node(rushlight))
    assert ours.type.__name__ == theirs.type.__name__
    assert " ".join(str(theirs.value).split()[:3]) in str(ours.value)

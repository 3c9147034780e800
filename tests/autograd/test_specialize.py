"""What `specialize.py` writes for an operation gives what the door gives: values, nodes, errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import nullcontext as nothing
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import call_text, door, pruning, run_text, views, watch
from rushlight.autograd.node import Node
from rushlight.ops.core.record import Op, registry

OPS = [op for op in registry.values() if call_text.suits(op)]
CASES = [(op, i) for op in OPS for i in range(len(op.samples))]
SPREAD = [op for op in registry.values() if call_text.spreads(op)]
SPREAD_CASES = [(op, i) for op in SPREAD for i in range(len(op.samples))]


def through(watched: bool, call: Any) -> Any:
    """What a call gives, with a watcher at the door (the long way) or without."""
    if not watched:
        return call()
    with watch.watching(lambda following, op, inputs, kw: following(op, inputs, kw)):
        return call()


def described(value: Any) -> Any:
    """A kept value or an edge, for comparison."""
    if isinstance(value, torch.Tensor):
        return (value.shape, np.asarray(value._a).tobytes(), value._fn is None)
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes())
    if isinstance(value, tuple):
        return [described(v) for v in value]
    return type(value) if isinstance(value, Node) else value


def outcome(call: Any, inputs: list[Any]) -> Any:
    """Everything that a call leaves: its value, its node, the gradients, or its error."""
    try:
        y = call()
    except Exception as error:
        return type(error), str(error)
    if isinstance(y, tuple):
        found: list[Any] = [
            (type(y), len(y), [(v.dtype, np.asarray(v._a).tobytes(), v.requires_grad) for v in y])
        ]
        y = next((v for v in y if v.requires_grad), y[0]) if y else torch.ones(())
    else:
        found = []
    node: Any = y.grad_fn
    found += [y.dtype, tuple(y.shape), y._a.strides, np.asarray(y._a).tobytes()]
    if not isinstance(node, Node):
        return [*found, y._fn, None if y._x is None else y._x.why]
    found += [type(node), [described(e) for e in node.edges], node.dtype, node.shape]
    assert node.code.co_filename == __file__
    found += [[described(s) for s in node.saved], node.kw, y._v is None]
    try:
        y.backward(torch.ones_like(y))
    except Exception as error:
        return [*found, type(error), str(error)]
    return [*found, [None if t.grad is None else t.grad._a.tobytes() for t in inputs]]


def both(make: Any) -> tuple[Any, Any]:
    """The outcomes of the short and of the long way; `make` gives (call, inputs) anew."""
    found = []
    for watched in (False, True):
        call, inputs = make()
        with np.errstate(all="ignore"):
            found.append(outcome(lambda c=call, w=watched: through(w, c), inputs))
    return found[0], found[1]


def tensors_of(op: Op, i: int, dtype: Any, grad: str) -> tuple[list[Any], dict[str, Any]]:
    args, kw = op.samples[i].make(np.random.default_rng(crc32(f"{op.name} {i}".encode())))
    made: list[Any] = []
    for place, a in enumerate(args):
        if isinstance(a, np.ndarray):
            t = torch.from_numpy(a.copy())
            t = t.to(dtype) if a.dtype.kind == "f" else t
            wanted = grad == "all" or (grad == "first" and place == 0)
            made.append(t.requires_grad_(wanted and t._a.dtype.kind == "f"))
        else:
            made.append(a)
    return made, kw


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("grad", ["none", "first", "all"])
@pytest.mark.parametrize(
    ("op", "i"), CASES + SPREAD_CASES, ids=[f"{op.name}{i}" for op, i in CASES + SPREAD_CASES]
)
def test_results_nodes_and_gradients_are_the_doors(op: Op, i: int, grad: str) -> None:
    if grad != "none" and op.rules is None:
        grad = "first"
    for dtype in (torch.float32, torch.float64):

        def make(dtype: Any = dtype) -> Any:
            inputs, kw = tensors_of(op, i, dtype, grad)
            leaves = [t for t in inputs if isinstance(t, torch.Tensor)]
            return lambda: door.apply(op, op.signature.pad(tuple(inputs)), dict(kw)), leaves

        short, long = both(make)
        assert short == long


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize(
    ("op", "i"), [(op, i) for op, i in CASES if op.public], ids=lambda v: getattr(v, "name", v)
)
def test_calling_conventions_are_those_of_bind(op: Op, i: int) -> None:
    public = op.public_function()

    def calls(inputs: list[Any], kw: dict[str, Any]) -> list[Any]:
        statics = [kw.get(name, default) for name, default in op.defaults.items()]
        while statics and statics[-1] is list(op.defaults.values())[len(statics) - 1]:
            statics.pop()
        named = dict(zip(op.inputs, inputs, strict=False))
        return [
            lambda: public(*inputs, **kw),
            lambda: public(*inputs, *statics),
            lambda: public(**named, **kw),
            lambda: public(*inputs, *statics, 1, 2, 3, 4, 5, 6, 7),
            lambda: public(*inputs, **kw, nonsense=1),
            lambda: public(*inputs[:-1], **kw),
            lambda: public(**kw),
            lambda: public(np.ones(2), *inputs[1:], **kw),
            lambda: public(inputs[0].double(), *inputs[1:], **kw),
        ]

    for k in range(9):

        def make(k: int = k) -> Any:
            inputs, kw = tensors_of(op, i, torch.float32, "first")
            return calls(inputs, kw)[k], [t for t in inputs if isinstance(t, torch.Tensor)]

        short, long = both(make)
        assert short == long


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("op", [op for op in OPS if op.samples], ids=lambda op: op.name)
def test_calls_by_composites_are_the_checked_ones(op: Op) -> None:
    meta = torch.ones(2, 3, device="meta")

    def calls(inputs: list[Any], kw: dict[str, Any]) -> list[Any]:
        rest = inputs[1:]
        given = [inputs, inputs[:-1], [np.ones(2), *rest], [2.5, *rest], [None, *rest],
                 [meta, *rest], [*inputs, *inputs[:1]]]  # fmt: skip
        made = [lambda g=g: whole(op.call(tuple(g), dict(kw))) for g in given]
        return [*made, lambda: whole(op.call(tuple(inputs), {**kw, "nonsense": 1}))]

    for k in range(8):

        def make(k: int = k) -> Any:
            inputs, kw = tensors_of(op, 0, torch.float32, "first")
            return calls(inputs, kw)[k], [t for t in inputs if isinstance(t, torch.Tensor)]

        short, long = both(make)
        assert short == long


def test_a_subclass_takes_over_a_call_by_a_composite() -> None:
    told = []

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kw: Any = None) -> Any:
            told.append(func)
            return "taken over"

    relu, mine = registry["relu"], torch.ones(2).as_subclass(Mine)
    assert relu.call((torch.ones(2),), {}).tolist() == [1.0, 1.0]
    assert relu.call((mine,), {}) == "taken over"
    assert told == [torch.relu]


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "ge", "eq", "matmul")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool])
def test_operators_are_the_doors(name: str, dtype: Any) -> None:
    others: list[Any] = [2, -1, 2.5, True, 1 << 70, float("nan"), None, "x", 1j, np.float32(0.5)]
    others += [torch.ones(3), torch.ones(3, 3).double(), torch.ones(2), torch.tensor(2.0)]
    others += [torch.ones(3, 3, device="meta"), torch.ones(3, 3).half(), torch.nn.Parameter]
    for method in (f"__{name}__", f"__r{name}__"):
        if not hasattr(torch.Tensor, method):
            continue
        for other in others:

            def make(method: str = method, other: Any = other) -> Any:
                x = torch.tensor([[1.5, 2, 0], [4, -5, 6], [7, 8, 9]]).to(dtype)
                x.requires_grad_(dtype.is_floating_point)
                return lambda: whole(getattr(x, method)(other)), [x]

            short, long = both(make)
            assert short == long


def whole(y: Any) -> Any:
    """A result that `outcome` can describe; NotImplemented and stand-ins as errors."""
    if y is NotImplemented or any(t.is_meta for t in (y if isinstance(y, tuple) else (y,))):
        raise TypeError(f"{y}")
    return y


def test_a_watcher_sees_every_call() -> None:
    a, seen = torch.ones(2, 2), []

    def watcher(following: Any, op: Any, inputs: Any, kw: Any) -> Any:
        seen.append(op.name)
        return following(op, inputs, kw)

    def calls() -> None:
        torch.nn.functional.relu(a + a * 2.0 - a / a).exp().softmax(1).permute(1, 0).t()

    calls()
    with watch.watching(watcher):
        calls()
    calls()
    assert seen == ["mul", "add", "div", "sub", "relu", "exp", "softmax", "permute", "t"]


def test_the_text_can_be_read() -> None:
    assert "_fn(_a0, _a1, _a2)" in call_text.core_text(registry["linear"])
    assert "_rule0(g, y, v0, v1)" in run_text.run_text(registry["mul"], ((), ()))


@pytest.mark.parametrize("join", [torch.cat, torch.stack])
def test_a_sequence_follows_what_its_views_bases_became(join: Any) -> None:
    """A view without history has one once its base was changed by something that has."""
    base = torch.ones(4)
    view, w = base[:2], torch.full((4,), 3.0, requires_grad=True)
    base.mul_(w)
    y = join((view, view))
    assert y.requires_grad
    y.sum().backward()
    assert w.grad.tolist() == [2, 2, 0, 0]


@pytest.mark.parametrize("name", ["cat", "stack"])
def test_a_sequence_is_a_tuple_or_a_list(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}.*must be tuple of Tensors, not Tensor"):
        getattr(torch, name)(torch.ones(2, 2))


@pytest.mark.parametrize("name", ["cat", "stack"])
@pytest.mark.parametrize("n", [1, 2, 8, 9])
@pytest.mark.parametrize("tracked", ["none", "one", "all", "cut"])
def test_a_sequence_is_what_the_door_makes_of_it(name: str, n: int, tracked: str) -> None:
    """Without history, with that of some, and where a note says why there is none."""

    def make() -> Any:
        tensors = [torch.full((2, 3), float(i)) for i in range(n)]
        for i, t in enumerate(tensors):
            t.requires_grad_(tracked == "all" or (tracked == "one" and i == n // 2))
        if tracked == "cut":
            tensors[-1] = tensors[-1].requires_grad_().detach()
        join = getattr(torch, name)
        wrong = [*tensors, torch.ones(5, 5).requires_grad_()]
        calls = [lambda: join(tensors, -1), lambda: join(wrong), lambda: join(tensors, 7)]
        return calls, tensors

    for k in range(3):

        def one(k: int = k) -> Any:
            calls, tensors = make()
            return calls[k], tensors

        short, long = both(one)
        assert short == long


KEYS: list[Any] = [
    slice(1, 3), slice(None), slice(-2, None), slice(0, 3, 2), slice(2, 1), slice(0, 3, -1),
    slice(True, None), slice(1.0, None), slice(np.int64(1), None), None, ..., (), 0, -3, 3, True,
    (0, 0), (0, -1), (slice(None), 1), (slice(None), slice(1, 3)), (..., 0), (0, ...), (None, 0),
    (0, None), (..., None), (None, ..., None, 1), (slice(None), None), (slice(None), None, 0),
    (slice(1, None, 2), ..., slice(None, 1)), (slice(None), slice(None)), (0, 0, 0), (0, 9), (9, 0),
    (..., 0, 0, 0), (..., ..., 0), (True, 0), (0, 1.0), (slice(0, 2, 0), 0), ([0, 1], 0),
    (0, slice(None, None, None)), (slice(None, "a"), 0), (0, np.int64(1)), "a", 1.0,
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("kind", ["plain", "history", "view", "cut", "half", "0d", "empty"])
def test_keys_give_what_the_door_gives(key: Any, kind: str) -> None:
    def make() -> Any:
        t = torch.arange(12.0).reshape(3, 4)
        if kind == "half":
            t = t.half()
        if kind in ("0d", "empty"):
            t = torch.tensor(1.0) if kind == "0d" else torch.zeros(0, 4)
        if kind == "history":
            t.requires_grad_()
        if kind == "view":
            t = torch.arange(24.0).reshape(4, 6)[1:, 1:5]
        if kind == "cut":
            t = t.requires_grad_().detach()

        def call() -> Any:
            y = t[key]
            found.append([(op.name, kw, nr) for op, kw, nr in y._v.chain])
            found.append((y._v.base.shape, y._v.made, y._vc is t._vc))
            found.append(y._a.flags.num)
            return y

        return call, [t]

    found: list[Any] = []
    short, long = both(make)
    assert short == long
    half = len(found) // 2
    assert found[:half] == found[half:]
    with torch.no_grad():
        short, long = both(make)
        assert short == long


@pytest.mark.parametrize("tracked", [False, True])
def test_tensors_as_keys_give_what_the_door_gives(tracked: bool) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    keys = [
        torch.tensor([0, 2]), torch.tensor([[0], [-1]]), torch.tensor(1), torch.tensor([3]),
        torch.tensor([True, False, True]), x > 4, torch.tensor(True), torch.tensor([True] * 4),
        torch.tensor([0, 1], dtype=torch.int32), torch.tensor([1.0]), (x > 4)[None],
        torch.zeros(0, dtype=torch.int64), torch.tensor([1], dtype=torch.uint8),
    ]  # fmt: skip
    for key in keys:

        def make(key: Any = key) -> Any:
            t = x.clone().requires_grad_(tracked)
            return lambda: t[key], [t]

        with np.errstate(all="ignore"), pytest.warns() if key.dtype == torch.uint8 else nothing():
            short, long = both(make)
        assert short == long


@pytest.mark.parametrize(
    "fn", [door.general, door.finish, door.record, door.several, views.attach_view]
)
def test_the_text_of_the_door_is_read_as_python_reads_it(fn: Any) -> None:
    assert pruning.source_of(fn) == inspect.getsource(fn)


def test_all_lines_of_a_node_are_the_doors() -> None:
    """What `node.made` carries out is matched by its spelling in `door.record`: a line that is
    spelt otherwise there would be done twice."""

    def lines(some: Any) -> Iterator[str]:
        for line, below in some:
            yield line
            yield from lines(below)

    assert set(call_text.FIELDS_OF_NODE) <= set(lines(pruning.read(door.record)))
    for name in ("exp", "layer_norm_op", "cat", "softmax"):
        op = registry[name]
        if call_text.suits(op):
            text = call_text.core_text(op)
            assert "_made(" in text
            assert "_n.edges" not in text
            assert "_n.seq" not in text

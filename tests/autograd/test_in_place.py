"""Small in-place changes take a short way; it gives the values, versions and errors of the long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.autograd import changes, in_place, watch
from rushlight.ops.core.record import registry

UFUNCS = [op for op in registry.values() if op.ufunc.__class__ is np.ufunc and op.inplace]


def floats(op: Any) -> list[int]:
    """The samples of a formula that change floats, beside floats and numbers."""
    if op.into is None or op.kind != "elementwise" or op.samples.random:
        return []
    made = [case.make(np.random.default_rng(0))[0] for case in op.samples]
    kinds = [[a.dtype.kind if isinstance(a, np.ndarray) else "" for a in args] for args in made]
    return [i for i, found in enumerate(kinds) if found[0] == "f" and {*found} <= {"f", ""}]


FORMULAS = [
    (op, i, large) for op in registry.values() for i in floats(op) for large in (False, True)
]


def through(watched: bool, change: Any) -> Any:
    """What a change gives, with a watcher at the door (the long way) or without."""
    if not watched:
        return change()
    with watch.watching(lambda following, op, inputs, kw: following(op, inputs, kw)):
        return change()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", UFUNCS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64])
def test_values_are_those_of_the_long_way(op: Any, dtype: Any) -> None:
    method = op.inplace_method()
    values = [[0.3, -0.7, 2.0], [float("nan"), 1.5, -2.5]]
    others: list[tuple[Any, ...]] = [()]
    if op.ufunc.nin == 2:
        others = [(rushlight.tensor([2.0, 0.5, -1.0], dtype=dtype),), (2,), (0.5,)]
    for other in others:
        found = []
        for watched in (False, True):
            t = rushlight.tensor(values, dtype=dtype)
            try:
                assert through(watched, lambda t=t, o=other: method(t, *o)) is t
                found.append((t._a.tobytes(), t._version))
            except (RuntimeError, TypeError, NotImplementedError) as error:
                found.append((type(error).__name__, str(error)))
        assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("op", "i", "large"), FORMULAS, ids=lambda v: v.name if hasattr(v, "name") else str(v)
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_histories_are_those_of_the_long_way(op: Any, i: int, large: bool, dtype: Any) -> None:
    """Values, versions, nodes and gradients of a change of what has a history, by NumPy and by a
    kernel; and of what has none."""
    given, kw = op.samples[i].make(np.random.default_rng(0))
    size = (3, 7000) if large else (3, 4)
    arrays = [np.resize(a, size).astype(dtype) if isinstance(a, np.ndarray) else a for a in given]

    def change(tracked: tuple[bool, ...]) -> Any:
        leaves = [
            rushlight.tensor(a).requires_grad_(t) if isinstance(a, np.ndarray) else a
            for a, t in zip(arrays, tracked, strict=True)
        ]
        target = leaves[0] * 1.0
        assert changes.apply_inplace(op, target, tuple(leaves[1:]), dict(kw)) is target
        told: list[Any] = [target._a.tobytes(), target._version, str(target.grad_fn)[:20]]
        if target.requires_grad:
            weight = rushlight.linspace(0.5, 2.0, target.numel(), dtype=target.dtype)
            loss = (target * weight.reshape(target.shape)).sum()
            try:
                loss.backward()
            except NotImplementedError as error:  # PyTorch has no such derivative either
                return [*told, str(error)]
            told += [t.grad._a.tobytes() for t in leaves if getattr(t, "grad", None) is not None]
        return told

    several = [False] * (len(arrays) - 1)
    for tracked in {(False, *several), (True, *several), (True, *[True] * len(several))}:
        short, long = (through(watched, lambda t=tracked: change(t)) for watched in (False, True))
        assert short == long, tracked


def test_a_change_with_a_history_is_computed_where_the_values_lie(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = []
    short = in_place.overwritten
    monkeypatch.setattr(in_place, "overwritten", lambda *a: taken.append(short(*a)) or taken[-1])
    x = rushlight.linspace(-1, 1, 20_000, requires_grad=True)
    for change in (
        lambda y: rushlight.nn.functional.relu(y, inplace=True),
        lambda y: y.add_(x),
        lambda y: y.mul_(3.0),
        lambda y: y.sigmoid_(),
        lambda y: rushlight.nn.functional.leaky_relu(y, 0.2, inplace=True),  # reads the old values
    ):
        y = x * 1.0
        memory = y.data_ptr()
        before = y.grad_fn
        taken.clear()
        change(y)
        assert taken == [True]
        assert y.data_ptr() == memory
        assert y.grad_fn is not before
        assert y.grad_fn.next_functions[0][0] is before
        kept = y.grad_fn.saved
        y.add_(1.0)
        if kept and kept[0] is not None:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
        else:
            y.sum().backward()


@pytest.mark.parametrize("n", [8, 20_000])
@pytest.mark.parametrize(
    "change",
    [
        lambda y: y.add_(y.data.flip(0)),
        lambda y: y.add_(rushlight.from_numpy(y.detach().numpy()).roll(1)),
        lambda y: y.add_(rushlight.from_numpy(y.detach().numpy())),  # no version in common
        lambda y: y.data[:-1].add_(y.data[1:]),
        lambda y: y.add_(rushlight.as_strided(y.data, (1,), (1,), 3).expand(y.shape)),
        lambda y: y.add_(y.detach()),
        lambda y: y.add_(y),
    ],
)
def test_operands_of_the_same_memory(change: Any, n: int) -> None:
    """The result of the values from before, wherever the operand lies."""
    found = []
    for watched in (False, True):
        x = rushlight.arange(float(n), requires_grad=True)
        y = x * 1.0
        through(watched, lambda y=y: change(y))
        y.sum().backward()
        found.append((y._a.tobytes(), y._version, x.grad._a.tobytes()))
    assert found[0] == found[1]


CALLS = [
    lambda t, x: t.add_(x),
    lambda t, x: t.add_(x, alpha=-0.3),
    lambda t, x: t.add_(x, alpha=2),
    lambda t, x: t.sub_(x, alpha=0.7),
    lambda t, x: t.sub_(2),
    lambda t, x: t.div_(x),
    lambda t, x: t.div_(x, rounding_mode="floor"),
    lambda t, x: t.abs_(),
    lambda t, x: t.relu_(),
    lambda t, x: t.clamp_(-0.5, x.new_tensor(0.5).item()),
    lambda t, x: t.addcmul_(x, x, value=0.5),
    lambda t, x: t.addcdiv_(x, x + 5, value=2),
    lambda t, x: t.lerp_(x, 0.25),
    lambda t, x: t.__iadd__(x),
    lambda t, x: t.__imul__(0.5),
    lambda t, x: t.__itruediv__(3),
]


@pytest.mark.parametrize("change", CALLS)
@pytest.mark.parametrize("size", [(3, 4), (300, 70)])
@pytest.mark.parametrize(
    "kind", ["plain", "view", "tracked", "with a tracked operand", "leaf", "quiet leaf", "integers"]
)
def test_methods_do_what_the_long_way_does(change: Any, size: Any, kind: str) -> None:
    """Values, versions, histories, gradients and errors; and whose line is told."""
    found = []
    for watched in (False, True):
        rushlight.manual_seed(3)
        t, x = rushlight.randn(size), rushlight.randn(size).add_(0.01)
        base, inputs = t, [t, x]
        if kind == "integers":
            t, x = (t * 9).long(), (x * 9).long() + 20
            inputs = [t, x]
        elif kind == "view":
            base = rushlight.cat([t, t])
            t = base[: size[0]]
        elif kind == "tracked":
            leaf = t.requires_grad_()
            inputs = [leaf, x]
            t = leaf * 1.0
        elif kind == "with a tracked operand":
            inputs = [x.requires_grad_()]
        elif kind.endswith("leaf"):
            t.requires_grad_()
        told: list[Any] = []
        try:
            with rushlight.set_grad_enabled(kind != "quiet leaf"):
                assert through(watched, lambda t=t, x=x: change(t, x)) is t
            told += [t._vc.code.co_name, t._vc.what, t._v is None or t._v.seen]
            told.append(None if t.grad_fn is None else t.grad_fn.name())
            if t.requires_grad and t.grad_fn is not None:
                t.sum().backward()
                told += [None if i.grad is None else i.grad._a.tobytes() for i in inputs]
        except RuntimeError as error:
            told.append(str(error))
        found.append([base._a.tobytes(), t._version, *told])
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64])
@pytest.mark.parametrize("n", [7, 30_000])
def test_a_sum_with_alpha_has_the_bits_of_a_product_and_a_sum(dtype: Any, n: int) -> None:
    a, b = (rushlight.randn(n, dtype=dtype) for _ in range(2))
    for alpha in (0.1, -3.7, 1e-30, float("inf"), 3):
        total, difference = a + b * alpha, a - b * alpha
        for found, expected in (
            (rushlight.add(a, b, alpha=alpha), total),
            (rushlight.sub(a, b, alpha=alpha), difference),
            (a.clone().add_(b, alpha=alpha), total),
            (a.clone().sub_(b, alpha=alpha), difference),
        ):
            assert found._a.tobytes() == expected._a.tobytes(), alpha


def test_a_change_is_called_as_the_user_called_it() -> None:
    x = rushlight.ones(3, requires_grad=True)
    y = x.exp()
    for change, name in ((lambda: y.add_(y.detach() + 1, alpha=0.5), "add_"), (y.relu_, "relu_")):
        change()
        assert y._vc.what == name
    y = x.exp()
    z = y * y
    y.sub_(rushlight.ones(3), alpha=0.5)
    with pytest.raises(RuntimeError, match="changed by sub_ at"):
        z.sum().backward()


@pytest.mark.slow
def test_a_lack_of_memory_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was half done could be done twice."""
    calls = []

    def into(*arrays: Any) -> None:
        calls.append(len(arrays))
        raise MemoryError

    record = registry["softplus"]
    t = rushlight.ones(100_000)
    changes.apply_inplace(record, t, (), {})
    monkeypatch.setattr(record.into, "fn", into)
    with pytest.raises(RuntimeError, match="memory"):
        changes.apply_inplace(record, t, (), {})
    assert calls == [1]


def test_two_tensors_are_asked_about_at_once() -> None:
    """With the answers of `changeable`, whatever either of them is."""
    leaf, short = rushlight.ones(3, requires_grad=True), rushlight.ones(3)
    locked = rushlight.from_numpy(np.ones(3))
    locked._a.flags.writeable = False
    with rushlight.inference_mode():
        inferred = rushlight.ones(3)
    tensors = [leaf, short, short[1:], short[::2], leaf[:2], leaf * 2, locked, inferred,
               rushlight.nn.Parameter(short, False), rushlight.ones(2, device="meta")]  # fmt: skip

    def agree() -> None:
        for s in tensors:
            for t in tensors:
                both = changes.changeable(s) and changes.changeable(t)
                assert changes.both_changeable(s, t) == both

    agree()
    assert changes.both_changeable(short, short[1:])
    with rushlight.no_grad():
        agree()
        assert changes.both_changeable(leaf, short)
    with rushlight.inference_mode():
        agree()
        assert changes.both_changeable(inferred, short)


def test_what_the_short_way_leaves_to_the_long() -> None:
    wide = rushlight.zeros(3, 1).expand(3, 4)
    leaf = rushlight.ones(3, requires_grad=True)
    view = leaf[:2]
    made = leaf * 2
    short = rushlight.ones(3)
    for t in (wide, leaf, view, made, rushlight.ones(3, 3).t(), rushlight.ones(2, device="meta")):
        assert not changes.changeable(t)
    assert changes.changeable(short)
    assert changes.changeable(short[1:])
    with rushlight.no_grad():
        assert changes.changeable(leaf)
        assert not changes.changeable(made)
    with pytest.raises(RuntimeError, match="single memory location"):
        wide.add_(1.0)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        leaf.mul_(2.0)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        leaf.uniform_()
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        short.add_(rushlight.ones(2, 3))


def test_a_saved_value_that_changed_is_noticed() -> None:
    x = rushlight.ones(3, requires_grad=True)
    for change in (lambda w: w.mul_(2.0), lambda w: w.uniform_(), lambda w: w[:1].add_(w[1:2])):
        w = rushlight.ones(3)
        y = (x * w).sum()
        change(w)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


def test_history_begins_when_an_operand_has_one() -> None:
    x = rushlight.ones(3, requires_grad=True)
    w = rushlight.ones(3)
    w.mul_(x * 3)
    w.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_"])
@pytest.mark.parametrize("shape", [(), (3,), (600_000,)])
def test_whole_numbers_of_64_bits(name: str, shape: tuple[int, ...]) -> None:
    """Counters change by the ufunc at once, of any size; so do the values of the long way."""
    for other in (3, rushlight.full(shape, 5), 2**70, 0.5, True):
        found = []
        for watched in (False, True):
            t = rushlight.full(shape, 7)
            try:
                assert through(watched, lambda t=t, o=other: getattr(t, name)(o)) is t
                found.append((t._a.tobytes(), t._version))
            except Exception as error:
                found.append((type(error), str(error), t._a.tobytes(), t._version))
        assert found[0] == found[1]


def test_what_records_nothing_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is computed and written, the version counts on; what shares memory, what is watched
    and what needs a gradient goes the long way (operations with a form in place need not)."""
    long_ways: list[str] = []
    check = changes.check_inplace

    def noted(t: Any, name: str, **kw: Any) -> None:
        long_ways.append(name)
        check(t, name, **kw)

    monkeypatch.setattr(changes, "check_inplace", noted)
    index = rushlight.tensor([[2], [0]])
    x = rushlight.zeros(2, 3)
    before = x._version
    assert x.scatter_(1, index, 1.0) is x
    assert x.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert x._version == before + 1
    x.masked_fill_(x > 0, 7.0)
    x.scatter_add_(1, index, rushlight.ones(2, 1))
    assert x.tolist() == [[0, 0, 8], [8, 0, 0]]
    view = x[0]
    view.masked_fill_(view > 0, 5.0)  # `view > 0` is memory of its own
    assert x[0].tolist() == [0, 0, 5]
    assert view._version == x._version
    assert long_ways == []

    w = rushlight.ones(2, 1, requires_grad=True)
    y = rushlight.zeros(2, 3)
    y.scatter_add_(1, index, w)  # has a history, and a form in place
    assert y.requires_grad
    assert long_ways == []
    y = rushlight.zeros(2, 3)
    y.index_copy_(1, rushlight.tensor([2]), w)
    assert y.requires_grad
    assert long_ways == []
    rushlight.zeros(2, 3).t().index_add_(0, index[:, 0], rushlight.ones(2, 2))  # not in rows
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x.scatter_(1, index[:1], x[:1])
    assert long_ways == ["index_add_"]
    with rushlight.no_grad():
        y.masked_fill_(y > 0, 2.0)
        w.masked_fill_(w > 0, 3.0)  # a leaf
    assert w.tolist() == [[3], [3]]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        w.masked_fill_(w > 0, 3.0)
    assert w.tolist() == [[3], [3]]


def test_a_result_of_another_shape_or_type_is_refused_on_the_short_way() -> None:
    x = rushlight.zeros(3)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match"):
        x.masked_fill_(rushlight.ones(2, 3, dtype=rushlight.bool), 1.0)
    i = rushlight.zeros(3, dtype=rushlight.int64)
    with pytest.raises(RuntimeError, match="can't be cast"):
        i.div_(rushlight.tensor(2.0))
    assert x.tolist() == [0, 0, 0]
    assert i._version == 0

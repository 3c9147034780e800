"""Changes at indices are made where the values lie: what they give, and what they leave when they
raise, is that of the long way, which computes a result first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.autograd import changes, watch

N = 6
I1, I2 = [4, 0, 4], [1, 5, -2]


def values(t: Any, *size: int) -> Any:
    """Numbers of a tensor's type, some of them equal."""
    return (rushlight.arange(int(np.prod(size))) % 7).reshape(size).to(t.dtype)


def ints(given: list[Any]) -> Any:
    return rushlight.tensor(given)


def columns(k: int) -> Any:
    return (rushlight.arange(k * N) * 5 % N).reshape(k, N)


CHANGES: dict[str, Any] = {
    "x[i] = row": lambda x: x.__setitem__(ints(I1), values(x, N)),
    "x[i] = rows": lambda x: x.__setitem__(ints(I2), values(x, 3, N)),
    "x[i] = 1": lambda x: x.__setitem__(ints(I1), 1),
    "x[i, j] = v": lambda x: x.__setitem__((ints(I1), ints(I2)), values(x, 3)),
    "x[:, i] = v": lambda x: x.__setitem__((slice(None), ints(I2)), values(x, N, 3)),
    "x[2, i] = v": lambda x: x.__setitem__((2, ints(I2)), values(x, 3)),
    "x[rows] = 1": lambda x: x.__setitem__(rushlight.arange(N) % 2 == 0, 1),
    "x[rows] = v": lambda x: x.__setitem__(rushlight.arange(N) % 2 == 0, values(x, 3, N)),
    "x[mask] = 1": lambda x: x.__setitem__(columns(N) > 2, 1),
    "x[mask] = v": lambda x: x.__setitem__(columns(N) > 2, values(x, 18)),
    "x[:, mask] = 1": lambda x: x.__setitem__((slice(None), rushlight.arange(N) > 3), 1),
    "index_put_": lambda x: x.index_put_((ints(I1),), values(x, 3, N), accumulate=True),
    "index_put_ at places": lambda x: x.index_put_(
        (ints(I1), ints(I1)), values(x, 3), accumulate=True
    ),
    "index_add_": lambda x: x.index_add_(0, ints(I1), values(x, 3, N)),
    "index_copy_": lambda x: x.index_copy_(0, ints([4, 0]), values(x, 2, N)),
    "index_copy_ 1": lambda x: x.index_copy_(1, ints([4, 0]), values(x, N, 2)),
    "index_fill_": lambda x: x.index_fill_(0, ints(I2), 1),
    "index_fill_ tensor": lambda x: x.index_fill_(1, ints(I2), values(x, 1)[0]),
    "index_reduce_": lambda x: x.index_reduce_(0, ints(I1), values(x, 3, N), "amax"),
    "index_reduce_ mean": lambda x: x.index_reduce_(
        0, ints(I1), values(x, 3, N), "mean", include_self=False
    ),
    "masked_fill_": lambda x: x.masked_fill_(columns(N) > 2, 1),
    "masked_fill_ row": lambda x: x.masked_fill_(rushlight.arange(N) > 2, 1),
    "masked_fill_ tensor": lambda x: x.masked_fill_(columns(N) > 2, values(x, 2)[1]),
    "masked_scatter_": lambda x: x.masked_scatter_(columns(N) > 2, values(x, 20)),
    "put_": lambda x: x.put_(ints([1, -1, 1]), values(x, 3)),
    "put_ added": lambda x: x.put_(ints([1, -1, 1]), values(x, 3), accumulate=True),
    "scatter_": lambda x: x.scatter_(1, columns(2), values(x, 2, N)),
    "scatter_ 1": lambda x: x.scatter_(0, columns(2), 1),
    "scatter_add_": lambda x: x.scatter_add_(0, columns(2), values(x, 2, N)),
    "scatter_reduce_": lambda x: x.scatter_reduce_(1, columns(2), values(x, 2, N), "amin"),
    "scatter_reduce_ mean": lambda x: x.scatter_reduce_(
        0, columns(2), values(x, 2, N), "mean", include_self=False
    ),
}
WRONG: dict[str, Any] = {
    "x[9] = v": lambda x: x.__setitem__(ints([0, 9]), values(x, 2, N)),
    "x[i] = shape": lambda x: x.__setitem__(ints([0, 1]), values(x, 3, N)),
    "x[i, 9] = v": lambda x: x.__setitem__((ints([0, 1]), ints([0, 9])), values(x, 2)),
    "x[mask] = v": lambda x: x.__setitem__(columns(N) > 2, values(x, 4)),
    "x[mask of 5] = 1": lambda x: x.__setitem__(rushlight.arange(5) > 2, 1),
    "index_put_": lambda x: x.index_put_((ints([0, 9]),), values(x, 2, N), accumulate=True),
    "index_add_": lambda x: x.index_add_(0, ints([0, 9]), values(x, 2, N)),
    "index_copy_": lambda x: x.index_copy_(0, ints([0, 9]), values(x, 2, N)),
    "index_copy_ shape": lambda x: x.index_copy_(0, ints([0, 1]), values(x, 2, N - 1)),
    "index_fill_": lambda x: x.index_fill_(0, ints([0, 9]), 1),
    "index_reduce_": lambda x: x.index_reduce_(0, ints([0, 9]), values(x, 2, N), "amax"),
    "index_reduce_ how": lambda x: x.index_reduce_(0, ints([0]), values(x, 1, N), "median"),
    "masked_fill_": lambda x: x.masked_fill_(rushlight.arange(5) > 2, 1),
    "masked_fill_ ints": lambda x: x.masked_fill_(columns(N), 1),
    "masked_fill_ larger": lambda x: x.masked_fill_(columns(N).expand(2, N, N) > 2, 1),
    "masked_scatter_": lambda x: x.masked_scatter_(columns(N) > 2, values(x, 5)),
    "put_": lambda x: x.put_(ints([0, N * N]), values(x, 2)),
    "scatter_": lambda x: x.scatter_(1, columns(2) + 2, 1),
    "scatter_reduce_": lambda x: x.scatter_reduce_(1, columns(2) + 2, values(x, 2, N), "sum"),
}
TYPES = [rushlight.float32, rushlight.float64, rushlight.int64, rushlight.uint8, rushlight.bool,
         rushlight.complex64, rushlight.bfloat16]  # fmt: skip
LAID: dict[str, Any] = {
    "rows": lambda x: x,
    "columns": lambda x: x.t(),
    "a view": lambda x: rushlight.cat([x, x])[3 : 3 + N],
    "a strided view": lambda x: rushlight.cat([x, x, x], 1)[:, 1::3],
    "expanded": lambda x: x[:1].expand(N, N),
}


def outcome(change: Any, dtype: Any, laid: Any, watched: bool, history: bool = False) -> Any:
    """What a change gives, the long way while somebody watches."""
    start = (rushlight.arange(N * N) % 11).reshape(N, N).to(dtype)
    x = laid(start)
    if history:
        leaf = start.clone().requires_grad_()
        x = laid(leaf * 1)
    try:
        if watched:
            with watch.watching(lambda following, op, inputs, kw: following(op, inputs, kw)):
                change(x)
        else:
            change(x)
    except Exception as error:
        return type(error), str(error), x.detach().contiguous()._a.tobytes(), x._version
    told = [x.detach().contiguous()._a.tobytes(), x._version]
    if history:
        name = x.grad_fn.name()
        x.sum().backward()
        told += [name, leaf.grad._a.tobytes()]
    return told


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")
@pytest.mark.parametrize("laid", LAID)
@pytest.mark.parametrize("name", [*CHANGES, *(f"{k}, wrong" for k in WRONG)])
def test_what_they_give_is_what_the_long_way_gives(name: str, laid: str) -> None:
    change = CHANGES.get(name) or WRONG[name.removesuffix(", wrong")]
    for dtype in TYPES:
        short, long = (outcome(change, dtype, LAID[laid], watched) for watched in (False, True))
        assert short == long, dtype
    if laid != "expanded":
        short, long = (
            outcome(change, rushlight.float32, LAID[laid], watched, True)
            for watched in (False, True)
        )
        assert short == long


@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")
@pytest.mark.parametrize("name", CHANGES)
def test_no_result_is_computed_beside_the_target(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A buffer of a million rows of which one is written is not copied."""

    def long(op: Any, *_given: Any) -> None:
        raise AssertionError(f"{op.name} went the long way")

    monkeypatch.setattr(changes, "apply_written", long)
    for dtype in (rushlight.float32, rushlight.int64):
        CHANGES[name](rushlight.ones(N, N, dtype=dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [(300, 40), (40,), (7000,)])
def test_a_number_under_a_mask(dtype: Any, size: Any) -> None:
    """By NumPy, and of many by a kernel or bit operations: the bits of what is kept stay."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2 if dtype is rushlight.bool else 9, size)
    x = rushlight.tensor(a).to(dtype)
    if dtype.is_floating_point:
        x.view(-1)[3], x.view(-1)[5] = float("nan"), -0.0
    mask = rushlight.tensor(rng.random(size) < 0.4)
    expected = x._a.copy()
    expected[mask._a] = 1
    y = x.clone()
    y[mask] = 1
    assert y._a.tobytes() == expected.tobytes()
    assert x.masked_fill_(mask, 1)._a.tobytes() == expected.tobytes()


@pytest.mark.parametrize("how", ["add", "amax", "amin"])
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64])
def test_few_of_many_slices(how: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are named are copied first; the bits are the same."""
    from rushlight.kernels import tuning

    found = []
    for least in (1, 1 << 60):
        monkeypatch.setattr(tuning, "CSR_TOUCHED_LEAST", least)
        rng = np.random.default_rng(0)
        x = rushlight.tensor(rng.normal(size=(2000, 24))).to(dtype)
        index = rushlight.tensor(rng.integers(0, 50, 60))
        source = rushlight.tensor(rng.normal(size=(60, 24))).to(dtype)
        if how == "add":
            x.index_add_(0, index, source)
        else:
            x.scatter_reduce_(0, index[:, None].expand(60, 24), source, how)
        found.append(x._a.tobytes())
    assert found[0] == found[1]


def test_who_looks_on_is_shown_the_change_itself() -> None:
    """No copy of the whole: what is written down can be done again at the same cost."""
    from rushlight.autograd import door

    seen: list[Any] = []
    x, i, v = rushlight.zeros(N, N), ints(I1), rushlight.ones(3, N)
    with door.observing(lambda record, arrays, kw, results: seen.append((record, arrays, kw))):
        x[i] = v
        x.index_fill_(0, i, 2.0)
        x.masked_fill_(x > 1, 3.0)
    made = [(r, a, kw) for r, a, kw in seen if r.written(a, kw) == (0,)]
    assert [r.name for r, _, _ in made] == ["index_put_", "index_fill_", "masked_fill_"]
    y = np.zeros((N, N), np.float32)
    for record, arrays, kw in made:
        assert arrays[0] is x._a
        record.fn(y, *arrays[1:], **kw)
    assert y.tobytes() == x._a.tobytes()

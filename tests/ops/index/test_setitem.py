"""`x[key] = value`: the short way writes what the long way writes, which says what is wrong."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import specialize
from rushlight.ops.index import setitem

KEYS = [
    0,
    -1,
    (1, 2),
    (1, -1),
    slice(1, 3),
    (slice(None), 1),
    (2, slice(0, 2)),
    (slice(0, 2), slice(2, None)),
]
VALUES = [
    0,
    3,
    -2,
    2.5,
    True,
    np.float64(1.5),
    np.int64(4),
    float("inf"),
    float("nan"),
    1e31,
    2**40,
]
DTYPES = [
    torch.float32,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int8,
    torch.uint8,
    torch.bool,
]


def written(x, key, value):
    """What was written, how often it counts as changed, or the error."""
    try:
        x[key] = value
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return type(error), str(error)
    return x.tolist(), x._version, x.dtype


def both(monkeypatch, make, key, value):
    """The results of the short way and of the long one."""
    short = written(make(), key, value())
    with monkeypatch.context() as m:
        m.setattr(specialize, "plain", set())
        return short, written(make(), key, value())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_numbers(monkeypatch, dtype, value):
    for key in KEYS:
        short, long = both(
            monkeypatch, lambda: torch.arange(12).view(3, 4).clone().to(dtype), key, lambda: value
        )
        assert repr(short) == repr(long), key


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors(monkeypatch, dtype):
    for key in KEYS:
        base = torch.zeros(3, 4)[key]
        for value in (
            torch.rand(base.shape),
            torch.ones(base.shape, dtype=torch.int64),
            torch.tensor(5.0),
        ):
            short, long = both(
                monkeypatch, lambda: torch.ones(3, 4, dtype=dtype), key, lambda v=value: v.to(dtype)
            )
            assert repr(short) == repr(long), key


@pytest.mark.parametrize(
    "key", [3, (0, 4), (0, 0, 0), slice(0, 3, 2), slice(0, 3, -1), ..., None, (0, None)], ids=repr
)
def test_keys_of_the_long_way(monkeypatch, key):
    short, long = both(monkeypatch, lambda: torch.zeros(3, 4), key, lambda: 1.0)
    assert short == long


def test_a_view_of_itself():
    x = torch.arange(6.0).view(2, 3)
    x[0] += 1
    x[1, 2] += 10
    x[:, 1] *= 2
    assert x.tolist() == [[1.0, 4.0, 3.0], [3.0, 8.0, 15.0]]
    with pytest.raises(RuntimeError, match="single memory location"):
        x[0, 1:] = x[0, :-1]


def test_history_is_kept():
    w = torch.ones(3, requires_grad=True)
    x = torch.zeros(2, 3)
    x[0] = w * 2
    assert x.requires_grad
    x.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        w[0] = 1.0
    with torch.no_grad():
        w[0] = 5.0
    assert w.tolist() == [5.0, 1.0, 1.0]
    y = w.exp()
    z = torch.zeros(3)
    (z * w).sum()
    p = (w * z).sum()
    z[1] = 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        p.backward()
    assert y.requires_grad


def test_expanded_and_read_only_memory():
    x = torch.zeros(3).expand(2, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[:, 0] = torch.ones(2)
    lazy = torch.zeros(2, 3)
    y = lazy._lazy_clone()
    y[0, 0] = 1
    assert lazy[0, 0] == 0
    assert y[0, 0] == 1


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.uint8], ids=str)
def test_counts_of_every_integer_type(dtype):
    n = torch.zeros(3, 3, dtype=dtype)
    for i in range(5):
        n[i % 3, 1] += 1
    assert n[:, 1].tolist() == [2, 2, 1]
    n += n
    assert n[:, 1].tolist() == [4, 4, 2]
    assert n.dtype is dtype


def test_what_takes_the_short_way():
    x = torch.zeros(3, 4)
    assert setitem.put(x, (0, 1), 1.0)
    assert setitem.put(x, 0, torch.ones(4))
    assert setitem.put(x, (0, 1), x[0, 1])
    assert not setitem.put(x, torch.tensor(1), 1.0)
    assert x._version == 3


def test_one_number_of_several_views_of_integers_takes_a_tracked_value() -> None:
    w = torch.tensor(-1.25, requires_grad=True)
    part = torch.tensor([5, 6]).split(1)[0]
    part[torch.tensor(0)] = w
    assert part.tolist() == [-1]
    one = torch.tensor([5, 6]).unbind()[1]
    one[...] = w
    assert (one.item(), one.requires_grad) == (-1, False)
    with pytest.raises(RuntimeError, match="returns multiple views"):
        part[...] = w  # a fill_, which PyTorch records


def test_nothing_is_written_at_false():
    """`x[False] = y` is not looked at, whatever y's sizes, nor recorded; a number is converted."""
    x = torch.zeros(2, 3)
    x[False] = torch.ones(7, 9, requires_grad=True)
    assert not x.requires_grad
    assert not x.any()
    assert x._version == 0
    with pytest.raises(TypeError, match="can't assign a str"):
        x[False] = "a"
    x[(False,)] = torch.ones(2, 3, requires_grad=True)
    assert x.requires_grad

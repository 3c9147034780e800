"""Copies: the way that is chosen, and NumPy's bits whatever way it is."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.copy import select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(t) for t in (np.float16, BFLOAT16, np.float32, np.float64)]
WHOLE = [np.dtype(t) for t in (bool, np.int8, np.uint8, np.int16, np.int32, np.int64)]
EXTREMES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 1e-40, -3.5, 65519.0, 65520.0, 3.4e38, 0.1]


def numbers(dtype: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Numbers that every type has, and extremes among those of floats."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    values = rng.integers(0, 100, shape).astype(np.float64)
    if dtype.kind in "fV":
        values += rng.random(shape)
        flat = values.reshape(-1)
        flat[: len(EXTREMES)] = EXTREMES[: flat.size]
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def same(x: Any, y: Any) -> None:
    """Copy x into y by the plan, and by NumPy into memory like it: the same bits, gaps included."""
    wanted = np.array(y.base if y.base is not None else y, copy=True)
    beside = wanted
    if y.base is not None:
        start = y.__array_interface__["data"][0] - y.base.__array_interface__["data"][0]
        beside = np.ndarray(y.shape, y.dtype, wanted.data, start, y.strides)
    with np.errstate(all="ignore"):
        np.copyto(beside, x, casting="unsafe")
        select.plan(x.dtype, y.dtype, x.shape, x.strides, y.strides).run(x, y)
    got = y.base if y.base is not None else y
    assert got.tobytes() == wanted.tobytes()


def way(x: Any, y: Any) -> str:
    return select.plan(x.dtype, y.dtype, x.shape, x.strides, y.strides).way


SHAPES: dict[str, Any] = {
    "rows": (lambda a: a, (40, 37)),
    "row": (lambda a: a, (70_001,)),
    "columns of a matrix": (lambda a: a[:, 3:30], (40, 37)),
    "heads": (lambda a: a.transpose(0, 2, 1, 3), (3, 20, 4, 8)),
    "turned": (lambda a: a.T, (70, 133)),
    "turned batches": (lambda a: a.transpose(0, 2, 1), (3, 50, 41)),
    "channels inwards": (lambda a: a.transpose(0, 2, 3, 1), (2, 33, 9, 7)),
    "channels outwards": (lambda a: a.transpose(0, 3, 1, 2), (2, 9, 7, 33)),
    "interleaved2": (lambda a: a.transpose(0, 2, 1), (3, 2, 77)),
    "interleaved3": (lambda a: a.transpose(0, 2, 3, 1), (2, 3, 9, 11)),
    "interleaved4": (lambda a: a.T, (4, 51)),
    "separated2": (lambda a: a.transpose(0, 2, 1), (3, 77, 2)),
    "separated3": (lambda a: a.transpose(0, 3, 1, 2), (2, 9, 11, 3)),
    "separated4": (lambda a: a.T, (51, 4)),
    "pixel shuffle": (lambda a: a.transpose(0, 3, 1, 4, 2), (5, 2, 2, 6, 7)),
    "reversed": (lambda a: a[:, ::-1], (7, 45)),
    "both reversed": (lambda a: a[::-1, ::-1], (7, 45)),
    "filled": (lambda a: np.broadcast_to(a, (7, 45)), (7, 1)),
    "rows again": (lambda a: np.broadcast_to(a, (7, 45)), (1, 45)),
    "one number": (lambda a: np.broadcast_to(a, (7, 45)), ()),
    "every third": (lambda a: a[:, ::3], (7, 45)),
    "five axes": (lambda a: a.transpose(4, 2, 0, 3, 1), (3, 4, 5, 6, 7)),
    "six axes": (lambda a: a.transpose(4, 2, 0, 5, 3, 1), (2, 3, 2, 3, 2, 3)),
    "nothing": (lambda a: a, (0, 3)),
}


@pytest.mark.parametrize(
    "size", ["bool", "float16", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.parametrize("name", SHAPES)
def test_layouts(name: str, size: str, rng: np.random.Generator) -> None:
    seen, shape = SHAPES[name]
    a = rng.integers(0, 100, shape).astype(size)
    x = seen(a)
    same(x, np.zeros(x.shape, x.dtype))
    same(x, np.zeros((*x.shape, 2), x.dtype)[..., 0])  # every other element
    same(x, np.zeros(x.shape[::-1], x.dtype).T)
    if x.ndim:
        wider = np.zeros((*x.shape[:-1], x.shape[-1] + 5), x.dtype)
        same(x, wider[..., 3 : 3 + x.shape[-1]])


@pytest.mark.long  # a kernel for each of 100 pairs
@pytest.mark.parametrize("source", [*FLOATS, *WHOLE], ids=str)
@pytest.mark.parametrize("target", [*FLOATS, *WHOLE], ids=str)
def test_types(source: Any, target: Any, rng: np.random.Generator) -> None:
    if source.kind in "fV" and target.kind in "iu" and target.itemsize < 4:
        pytest.skip("what these do not hold is a matter of the CPU, and of NumPy's version")
    a = numbers(source, (37, 70), rng)
    if source.kind in "fV" and target.kind in "iu" and source.itemsize < 4:
        a = np.nan_to_num(a.astype(np.float32), posinf=9, neginf=9).astype(source)
    others = (a.T, a[:, ::-1], a[:, ::2], np.broadcast_to(a[:, :1], a.shape))
    if source.itemsize + target.itemsize != 6:  # a kernel each is compiled: one pair has them all
        others = others[crc32(f"{source}{target}".encode()) % 4 :][:1]
    for x in (a, *others):
        same(x, np.zeros(x.shape, target))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("f4", "f8"),
        ("f8", "f4"),
        ("f4", BFLOAT16),
        ("u1", "f4"),
        ("?", "f4"),
        ("i8", "f4"),
        ("f4", "?"),
    ],
)
def test_types_that_are_met_often(source: Any, target: Any, rng: np.random.Generator) -> None:
    x = numbers(np.dtype(source), (37, 70), rng)
    same(x, np.zeros(x.shape, target))
    same(x.T, np.zeros(x.T.shape, target))


def test_what_integers_do_not_hold(rng: np.random.Generator) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, -1e19, -0.7, 2.9] * 20)
    for source in (np.float32, np.float64):
        for target in (np.int32, np.int64):
            same(x.astype(source), np.zeros(x.shape, target))


@NATIVE
def test_ways() -> None:
    a = np.zeros((8, 48, 56, 56), np.float32)
    new = lambda x, dtype=None: np.zeros(x.shape, dtype or x.dtype)  # noqa: E731
    assert way(a, new(a)) == "span"
    assert way(np.broadcast_to(a[0, 0, 0, 0], a.shape), new(a)) == "span"
    assert way(a[..., 2:], new(a[..., 2:])) == "rows"
    assert way(a, new(a, np.float64)) == "rows"
    inwards = a.transpose(0, 2, 3, 1)
    assert way(inwards, new(inwards)) == "turned"
    assert (
        way(a[:, :3].transpose(0, 2, 3, 1), new(a[:, :3].transpose(0, 2, 3, 1))) == "interleaved3"
    )
    images = np.zeros((2, 50, 50, 4), np.uint8).transpose(0, 3, 1, 2)
    assert way(images, new(images, np.float32)) == "separated4"
    assert way(a[..., ::-1], new(a)) == "reversed"
    assert way(a[..., ::2], new(a[..., ::2])) == "apart"
    assert way(np.broadcast_to(a[..., :1], a.shape), new(a)) == "filled"
    assert way(a, new(a, np.int8)) == "numpy"  # a matter of NumPy's own
    assert way(a.astype(np.float64), new(a, np.float16)) == "numpy"  # it would be rounded twice
    assert (
        way(a, np.broadcast_to(new(a)[:1], a.shape)) == "numpy"
    )  # the last one that is written stays


def test_a_plan_states_what_it_does() -> None:
    x = np.zeros((64, 64), np.float32)
    made = select.plan(x.dtype, x.dtype, x.shape, x.T.strides, x.strides)
    assert made.mutates == ("y",)
    assert made.bytes == 2 * x.nbytes
    assert made.outputs == {}
    assert "copy" in made.describe()


@pytest.mark.parametrize("n", [4, 300])
def test_safely(n: int, rng: np.random.Generator) -> None:
    """Any arrays that NumPy copies: shapes that spread, overlaps, memory that is read-only."""
    a = rng.standard_normal((n, n)).astype(np.float32)
    y = np.zeros((n, n))
    select.safely(y, a[:1])
    np.testing.assert_array_equal(y, np.broadcast_to(a[:1], (n, n)))
    y[...] = 0
    select.safely(y, a[None, None])  # dims of size 1 in front, as in an assignment
    np.testing.assert_array_equal(y, a)
    wanted = a[:-1].copy()
    select.safely(a[1:], a[:-1])
    np.testing.assert_array_equal(a[1:], wanted)
    with pytest.raises(ValueError, match="could not broadcast"):
        select.safely(y, np.zeros((n, n + 1)))
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        select.safely(y, a)


def test_threads_do_not_change_anything(rng: np.random.Generator) -> None:
    import rushlight as torch

    before = torch.get_num_threads()
    x = torch.tensor(rng.standard_normal((300, 40, 33)).astype(np.float32)).permute(2, 0, 1)
    found = []
    try:
        for n in (1, 2, 5):
            torch.set_num_threads(n)
            found.append(x.contiguous().numpy().tobytes())
    finally:
        torch.set_num_threads(before)
    assert len(set(found)) == 1

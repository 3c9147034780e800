"""A thousand random convolutions beside PyTorch: results, all gradients, and errors.

Each is drawn from the run's seed: dimensions, sizes, numbers, groups, padding of every kind, types,
and how the operands lie in memory. PyTorch computes it in float64, and once more on absolute
values: as a convolution and its gradients are sums of products, that is the sum of the absolute
terms of every number. K terms are off by at most K roundings of it; the roundings of
random terms cancel, so `SPARE` + sqrt(K) of them are allowed.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

SPARE = 8  # roundings allowed beyond the square root of the number of terms
ROUNDING = {"float32": 2.0**-24, "float64": 2.0**-53}
# Depthwise kernels and sums of columns are compiled for their numbers: planes take some sets only.
NUMBERS = [((1, 1), (2, 2), (0, 0), (1, 1)), ((3, 3), (1, 1), (1, 1), (1, 1)),
           ((3, 3), (2, 2), (1, 1), (1, 1)), ((2, 3), (2, 1), (0, 1), (1, 2)),
           ((5, 4), (1, 2), (2, 0), (1, 1)), ((4, 4), (2, 2), (1, 1), (1, 1)),
           ((3, 1), (3, 1), (2, 0), (2, 1)), ((1, 5), (1, 3), (0, 4), (1, 1)),
           ((7, 7), (2, 2), (3, 3), (1, 1)), ((8, 7), (1, 1), (3, 0), (1, 1))]  # fmt: skip
LAYOUTS = ("plain", "plain", "plain", "shifted", "channels last", "turned", "stepped", "expanded")


@dataclasses.dataclass
class Problem:
    """One convolution: operands with the layouts of x, weight and g, and the numbers."""

    arrays: list[np.ndarray | None]
    layouts: list[str]
    stride: tuple[int, ...]
    padding: tuple[int, ...] | str
    dilation: tuple[int, ...]
    groups: int
    transposed: bool
    output_padding: tuple[int, ...]
    mode: str = "zeros"

    @property
    def dims(self) -> int:
        assert self.arrays[1] is not None
        return self.arrays[1].ndim - 2

    def call(self, lib: Any, x: Any, w: Any, b: Any) -> Any:
        """The convolution, as a function or, with another padding mode, as a layer."""
        n, how = self.dims, {"stride": self.stride, "dilation": self.dilation}
        if self.transposed:
            given = {**how, "padding": self.padding, "output_padding": self.output_padding}
            name = f"conv_transpose{n}d"
            return getattr(lib.nn.functional, name)(x, w, b, groups=self.groups, **given)
        if self.mode == "zeros":
            name = f"conv{n}d"
            return getattr(lib.nn.functional, name)(
                x, w, b, padding=self.padding, groups=self.groups, **how
            )
        layer = getattr(lib.nn, f"Conv{n}d")(
            w.shape[1] * self.groups, w.shape[0], tuple(w.shape[2:]), padding=self.padding,
            groups=self.groups, bias=b is not None, padding_mode=self.mode, **how,
        )  # fmt: skip
        given = {"weight": w} if b is None else {"weight": w, "bias": b}
        return lib.func.functional_call(layer, given, (x,))


def pick(dims: int, *choices: int) -> tuple[int, ...]:
    return tuple(random.choice(choices) for _ in range(dims))


def numbers(dims: int) -> tuple[tuple[int, ...], ...]:
    """Kernel, stride, padding and dilation."""
    if dims == 3:
        return (pick(3, 1, 2, 3), pick(3, 1, 1, 2), pick(3, 0, 1, 2), pick(3, 1, 1, 2))
    kernel, stride, padding, dilation = random.choice(NUMBERS)
    axes = random.sample(range(2), 2)[:dims]
    return tuple(tuple(v[i] for i in axes) for v in (kernel, stride, padding, dilation))  # type: ignore[return-value]


def sizes(scale: str, dims: int) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Groups, channels and outputs of a group, images, positions along each dimension."""
    if scale == "large":  # layers of a usual network
        size = pick(dims, 14, 15, 28, 56)
        if dims == 2 and math.prod(size) > 1600:
            size = (random.choice([27, 28]),) * 2
        size = (200,) if dims == 1 else pick(3, 8, 14) if dims == 3 else size
        return 1, random.choice([32, 48, 64, 128]), random.choice([32, 64, 96]), 2, size
    groups = random.choice([1, 1, 1, 2, 3, 16])
    if scale == "medium":
        channels, outputs = random.choice([1, 1, 3, 8, 17]), random.choice([1, 2, 5, 8, 33])
        if groups == 16:
            channels, outputs = 1, random.choice([1, 1, 2, 4, 5])
        low, high = ((20, 80), (6, 24), (4, 9))[dims - 1]
        return groups, channels, outputs, random.choice([1, 2, 5]), randoms(dims, low, high)
    groups = min(groups, 3)
    images = random.choice([0, 1, 1, 3])
    return groups, random.choice([1, 2, 3]), random.choice([1, 2, 5]), images, randoms(dims, 1, 9)


def randoms(dims: int, low: int, high: int) -> tuple[int, ...]:
    return tuple(random.randint(low, high) for _ in range(dims))


def drawn(rng: np.random.Generator, scale: str, dims: int, transposed: bool) -> Problem:
    """A problem that fits together."""
    while True:
        kernel, stride, padding, dilation = numbers(dims)
        groups, channels, outputs, images, size = sizes(scale, dims)
        reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
        more = tuple(random.randrange(max(s, d)) for s, d in zip(stride, dilation, strict=True))
        mode, named = "zeros", ""
        if transposed:
            pairs = zip(size, stride, padding, reach, more, strict=True)
            out = [(n - 1) * s - 2 * p + r + m for n, s, p, r, m in pairs]
            shape = (groups * channels, outputs, *kernel)
        else:
            named = random.choice(["", "", "", "", "same", "valid"])
            if named:
                padding = (0,) * dims
                stride = (1,) * dims if named == "same" else stride
            elif random.random() < 0.2:
                mode = random.choice(["reflect", "replicate", "circular"])
                padding = tuple(min(p, n - 1) for p, n in zip(padding, size, strict=True))
            around = [(r - 1) / 2 if named == "same" else p for r, p in zip(reach, padding, strict=True)]  # fmt: skip # noqa: E501
            rows = zip(size, around, reach, stride, strict=True)
            out = [int((n + 2 * p - r) // s) + 1 for n, p, r, s in rows]
            shape = (groups * outputs, channels, *kernel)
        if min(out) < 1:
            continue
        if transposed and images and min(size) > 6 and math.prod(out) > 40_000:
            continue
        bias = rng.standard_normal(groups * outputs) if random.random() < 0.6 else None
        arrays = [
            rng.standard_normal((images, groups * channels, *size)), rng.standard_normal(shape),
            bias, rng.standard_normal((images, groups * outputs, *out)),
        ]  # fmt: skip
        layouts = [random.choice(LAYOUTS) for _ in range(3)]
        return Problem(
            arrays, layouts, stride, named or padding, dilation, groups, transposed, more, mode
        )


def laid_out(lib: Any, a: np.ndarray, layout: str) -> Any:
    """A tensor with the values of `a`, and so many dimensions, that lies in memory as it says.

    "expanded" takes the values of the first element along the first dimension for all.
    """
    if layout == "shifted":  # no vector begins where a vector should
        flat = np.concatenate([np.zeros(1, a.dtype), a.reshape(-1)])
        return lib.from_numpy(flat)[1:].view(*a.shape)
    if layout == "channels last":
        return lib.from_numpy(np.ascontiguousarray(np.moveaxis(a, 1, -1))).movedim(-1, 1)
    if layout == "turned":
        return lib.from_numpy(np.ascontiguousarray(a.T)).permute(*reversed(range(a.ndim)))
    if layout == "stepped":
        wide = np.repeat(a, 2, -1)
        wide[..., 1::2] = np.nan
        return lib.from_numpy(wide)[..., ::2]
    if layout == "expanded" and a.shape[0]:
        return lib.from_numpy(a[:1].copy()).expand(*a.shape)
    return lib.from_numpy(a.copy())


def results(
    lib: Any, problem: Problem, dtype: str, absolute: bool = False
) -> list[np.ndarray | None]:
    """y and the gradients of x, weight and bias."""
    kinds = [problem.layouts[0], problem.layouts[1], "plain", problem.layouts[2]]
    tensors = []
    for a, layout in zip(problem.arrays, kinds, strict=True):
        # every run sees the values that the narrow type can hold
        a = None if a is None else a.astype(np.float32).astype(dtype)
        if a is not None and absolute:
            a = np.abs(a)
        t = None if a is None else laid_out(lib, a, layout)
        # the values are the yardstick, and PyTorch refuses some weights that are views
        tensors.append(t if t is None or lib is rushlight else t.contiguous())
    x, w, b, g = tensors
    wanted = [t.detach().requires_grad_() for t in (x, w, b) if t is not None]
    x, w, b = (*wanted, None)[:3]
    y = problem.call(lib, x, w, b)
    assert tuple(y.shape) == tuple(g.shape)
    assert str(y.dtype).split(".")[-1] == dtype
    found = [y.detach(), *lib.autograd.grad(y, wanted, g)]
    return [np.asarray(t.numpy()) for t in found]


def terms(problem: Problem) -> list[int]:
    """How many products each number of y, dx, dw and db is the sum of, at most."""
    x, w, b, g = (a if a is None else a.shape for a in problem.arrays)
    assert x is not None
    assert w is not None
    assert g is not None
    taps = math.prod(w[2:])
    into, outof = w[1] * taps, w[0] // problem.groups * taps
    into, outof = (outof, into) if problem.transposed else (into, outof)
    positions = x[0] * math.prod((x if problem.transposed else g)[2:])
    found = [into + 1, outof, positions]
    return [*found, g[0] * math.prod(g[2:])] if b is not None else found


def agree(problem: Problem, dtype: str) -> None:
    """Ours within the bound of PyTorch's float64, by that of absolute values."""
    exact = results(torch, problem, "float64")
    largest = results(torch, problem, "float64", absolute=True)
    parts = zip(["y", "dx", "dw", "db"], results(rushlight, problem, dtype), exact, largest,
                terms(problem), strict=False)  # fmt: skip
    for name, ours, wanted, total, k in parts:
        assert ours is not None
        assert wanted is not None
        assert total is not None
        assert ours.shape == wanted.shape
        assert str(ours.dtype) == dtype
        if problem.mode != "zeros" and name == "dx":
            k *= 2 ** sum(p > 0 for p in problem.padding)  # type: ignore[misc]  # edges add up
        roundings = SPARE + math.sqrt(k)
        bound = roundings * ROUNDING[dtype] * total * (1 if dtype == "float32" else 2)
        off = np.abs(ours - wanted)
        assert (off <= bound).all(), (
            f"{name} of {shown(problem)} in {dtype}: {np.nanmax(off / (bound + 1e-300)):.3g} of the bound"  # noqa: E501
        )


def shown(problem: Problem) -> str:
    shapes = [None if a is None else a.shape for a in problem.arrays]
    rest = {k: v for k, v in vars(problem).items() if k != "arrays"}
    return f"{shapes} {rest}"


MANY = {"small": 80, "medium": 65, "large": 22}  # of each kind: 6 * 167 are a thousand


@pytest.mark.filterwarnings("ignore:Using padding='same'")  # PyTorch's, on even kernels
@pytest.mark.parametrize("scale", MANY)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_random(rng: np.random.Generator, dims: int, transposed: bool, scale: str) -> None:
    for _ in range(MANY[scale]):
        agree(drawn(rng, scale, dims, transposed), random.choice(["float32", "float32", "float64"]))


# -- errors --------------------------------------------------------------------------------------

Breaking = Callable[[Problem], None]


def resized(which: int, axis: int, change: Callable[[int], int]) -> Breaking:
    def change_it(problem: Problem) -> None:
        a = problem.arrays[which]
        assert a is not None
        shape = list(a.shape)
        shape[axis] = change(shape[axis])
        problem.arrays[which] = np.zeros(shape, a.dtype)

    return change_it


def replaced(**values: Any) -> Breaking:
    """With a number in the first dimension, or a whole value."""

    def change(problem: Problem) -> None:
        for name, value in values.items():
            old = getattr(problem, name)
            if isinstance(value, int) and isinstance(old, tuple):
                value = (value, *old[1:])
            setattr(problem, name, value)

    return change


def ragged(problem: Problem) -> None:
    w = problem.arrays[1]
    assert w is not None
    problem.arrays[1], problem.groups = np.zeros((7, *w.shape[1:]), w.dtype), 3


def wide(which: int) -> Breaking:
    def change(problem: Problem) -> None:
        a = problem.arrays[which]
        problem.arrays[which] = np.zeros(1 if a is None else a.shape, np.float64)

    return change


BROKEN: dict[str, tuple[str, Breaking]] = {  # key words, and how it comes to be
    "channels": ("channels, but got", resized(0, 1, lambda n: n + 1)),
    "more dimensions": ("but got input of size", lambda q: q.arrays.__setitem__(
        0, np.zeros((1, 1, *q.arrays[0].shape), np.float32))),
    "kernel": ("Kernel size can't be greater than actual input size",
               resized(1, -1, lambda n: n + 99)),
    "padding": ("negative padding is not supported", replaced(padding=-1)),
    "stride": ("non-positive stride is not supported", replaced(stride=0)),
    "groups": ("non-positive groups is not supported", replaced(groups=0)),
    "divided": ("expected weight to be divisible by 3", ragged),
    "outputs": ("expected weight to be at least", resized(1, 0, lambda n: 0)),
    "bias": ("expected bias to be 1-dimensional with",
             lambda q: q.arrays.__setitem__(2, np.zeros(71, np.float32))),
    "numbers": ("expected stride to be a single integer value or a list of",
                replaced(stride=(1,) * 4)),
    "type of the weight": ("should be the same|expected scalar type", wide(1)),
    "type of the bias": ("should be the same|expected scalar type", wide(2)),
    "named": ("Invalid padding string|must be tuple of ints", replaced(padding="full")),
    "strided": ("is not supported for strided", replaced(padding="same", stride=2)),
    "output padding": ("output padding must be smaller than either stride or dilation",
                       replaced(output_padding=9)),
    "no positions": ("Only zero batch or zero channel inputs are supported",
                     lambda q: (resized(0, -1, lambda n: 0)(q), replaced(padding=tuple(
                         q.arrays[1].shape[2:]))(q))),
}  # fmt: skip
PLAIN = {"kernel", "strided", "no positions", "type of the bias"}  # not of all transposed ones


ERRORS = [
    (what, transposed)
    for what in BROKEN
    for transposed in (False, True)
    if what not in (PLAIN if transposed else {"output padding"})
]


@pytest.mark.parametrize(("what", "transposed"), ERRORS)
def test_errors(rng: np.random.Generator, same_error: Any, what: str, transposed: bool) -> None:
    """What does not fit is refused with PyTorch's class and key words."""
    words, change = BROKEN[what]
    for _ in range(8):
        problem = drawn(rng, "small", random.choice([1, 2, 3]), transposed)
        if problem.mode != "zeros" or isinstance(problem.padding, str):
            problem.mode, problem.padding = "zeros", (9,) * problem.dims
        for i, a in enumerate(problem.arrays):  # a batch of one, in float32
            if a is not None:
                a = np.zeros((1, *a.shape[1:])) if i == 0 else a
                problem.arrays[i] = a.astype(np.float32)
        if what == "kernel":
            problem.padding = (0,) * problem.dims
        change(problem)

        def run(lib: Any, problem: Problem = problem) -> Callable[[], Any]:
            tensors = [None if a is None else lib.from_numpy(a) for a in problem.arrays]
            return lambda: problem.call(lib, *tensors[:3])

        same_error(run(rushlight), run(torch), words)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_errors_of_types_and_empty_kernels(same_error: Any, dims: int) -> None:
    def run(lib: Any, *shapes: tuple[int, ...], dtype: str = "float32") -> Callable[[], Any]:
        operands = [lib.zeros(s, dtype=getattr(lib, dtype)) for s in shapes]
        return lambda: getattr(lib.nn.functional, f"conv{dims}d")(*operands)

    x, w = (1, 2, *[5] * dims), (3, 2, *[2] * dims)
    same_error(run(rushlight, x, w, dtype="bool"), run(torch, x, w, dtype="bool"),
               "not implemented for 'Bool'")  # fmt: skip
    empty = (3, 2, *[0] * dims)  # PyTorch's words are its library's
    same_error(run(rushlight, x, empty), run(torch, x, empty),
               "kernel size should be greater than zero|could not create a primitive")  # fmt: skip


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("images", [0, 2])
def test_no_channels(same: Any, dims: int, images: int) -> None:
    x, w, b = np.zeros((images, 0, *[5] * dims)), np.zeros((3, 0, *[2] * dims)), np.zeros(3)
    ours, theirs = (getattr(lib.nn.functional, f"conv{dims}d") for lib in (rushlight, torch))
    assert tuple(same(ours, theirs, x, w, b).shape) == (images, 0, *[4] * dims)

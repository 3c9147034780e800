"""A thousand random products against PyTorch: shapes, strides, offsets, transposes, broadcasting.

Bound: a sum of L products, each rounded once, is wrong by at most L rounding errors of the sum of
their sizes. That sum is the same problem on absolute values, in float64; both packages may be
wrong by the bound. L is taken generously: all sizes of a problem together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import tuning
from rushlight.kernels.keys import forget_plans

torch = pytest.importorskip("torch")

PROBLEMS = 50  # in a test; 20 tests
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 129, 160, 257]
EQUATIONS = [
    "ij,jk->ik", "bij,bjk->bik", "bij,bkj->bik", "bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "ij,j->i",
    "i,j->ij", "ij,ij->i", "ijk,kl->ijl", "bi,bij,bj->b", "ij,kj,k->i",
]  # fmt: skip


class Operand:
    """A view of a stored array: its dims permuted, cut out, with gaps, or expanded."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.order = [int(i) for i in rng.permutation(len(shape))]
        self.expanded = [bool(n > 1 and rng.random() < 0.05) for n in shape]
        self.before = [int(rng.integers(3)) if rng.random() < 0.3 else 0 for _ in shape]
        self.step = [2 if rng.random() < 0.1 else 1 for _ in shape]
        self.dims = list(zip(shape, self.expanded, self.before, self.step, strict=True))
        held = [1 if wide else b + n * s + (s > 1) for n, wide, b, s in self.dims]
        self.stored = rng.standard_normal([held[i] for i in self.order]).astype(dtype)

    def view(self, x: Any) -> Any:
        x = x.permute(*(self.order.index(i) for i in range(len(self.shape)))) if self.order else x
        cut = tuple(
            slice(None) if wide or not (b or s > 1) else slice(b, b + n * s, s)
            for n, wide, b, s in self.dims
        )
        return x[cut].expand(self.shape) if self.shape else x


def sizes(rng: np.random.Generator, count: int) -> list[int]:
    found = [int(n) for n in rng.choice(SIZES, count)]
    return found if 0 not in found or rng.random() < 0.2 else [max(1, n) for n in found]


def stacks(rng: np.random.Generator, m: int, k: int, n: int) -> list[tuple[int, ...]]:
    """Shapes of two operands of matmul: vectors, matrices, stacks that broadcast."""
    batch = [int(b) for b in rng.choice([1, 2, 3, 4], rng.integers(4))]
    found = []
    for matrix in ((m, k), (k, n)):
        own = [1 if rng.random() < 0.3 else b for b in batch]
        found.append((*own[int(rng.integers(len(own) + 1)) :], *matrix))
    if rng.random() < 0.1:
        found[0] = (k,)
    if rng.random() < 0.1:
        found[1] = (k,)
    return found


def problem(rng: np.random.Generator) -> tuple[Callable[[Any], Any], list[tuple[int, ...]]]:
    """(function of a package that gives a function of the operands, shapes of the operands)."""
    kind = str(rng.choice(["matmul", "bmm", "linear", "addmm", "baddbmm", "addmv", "einsum"]))
    m, k, n, b = *sizes(rng, 3), int(rng.choice([0, 1, 2, 3, 5]))
    if rng.random() < 0.05:
        k, m, n = int(rng.integers(2000, 20000)), min(m, 8), min(n, 8)
    factors = {} if rng.random() < 0.5 else {"beta": 0.5, "alpha": 2.0}
    if kind == "matmul":
        return (lambda lib: lib.matmul), stacks(rng, m, k, n)
    if kind == "bmm":
        return (lambda lib: lib.bmm), [(b, m, k), (b, k, n)]
    if kind == "linear":
        lead = tuple(int(s) for s in rng.choice([1, 2, 5], rng.integers(3)))
        bias = [(n,)] if rng.random() < 0.7 else []
        return (lambda lib: lib.nn.functional.linear), [(*lead, m, k), (n, k), *bias]
    if kind == "einsum":
        equation = str(rng.choice(EQUATIONS))
        few = [1 + n % 9 for n in sizes(rng, 4)]
        letters = dict(zip("ijklbqhd", [*sizes(rng, 4), *few], strict=True))
        shapes = [tuple(letters[c] for c in t) for t in equation.split("->")[0].split(",")]
        return (lambda lib: lambda *given: lib.einsum(equation, *given)), shapes
    added = {"addmm": (m, n), "addmv": (m,), "baddbmm": (b, m, n)}[kind]
    # (PyTorch's addmv does not broadcast where its matrix is empty)
    own = added if kind == "addmv" and not m * k else tuple(
        1 if rng.random() < 0.3 else s for s in added
    )  # fmt: skip
    others = {"addmm": [(m, k), (k, n)], "addmv": [(m, k), (k,)],
              "baddbmm": [(b, m, k), (b, k, n)]}[kind]  # fmt: skip
    return (lambda lib: lambda *given: getattr(lib, kind)(*given, **factors)), [own, *others]


def both_ways(lib: Any, function: Any, operands: list[Operand], g: Any, change: Any) -> list[Any]:
    """The result, then the gradients of what the operands are views of."""
    leaves = [lib.from_numpy(np.asarray(change(x.stored))).requires_grad_() for x in operands]
    y = function(lib)(*(x.view(leaf) for x, leaf in zip(operands, leaves, strict=True)))
    y.backward(lib.from_numpy(np.asarray(change(g))))
    return [np.asarray(t.detach().numpy()) for t in (y, *(leaf.grad for leaf in leaves))]


@pytest.mark.parametrize("part", range(20))
def test_random_products(
    part: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    if part % 2:  # kernels for the small ones too
        monkeypatch.setattr(tuning, "MATMUL_LEAST_WORK", 1)
        forget_plans()
    for _ in range(PROBLEMS):
        function, shapes = problem(rng)
        dtype = rng.choice([np.float32, np.float64])
        operands = [Operand(rng, s, dtype) for s in shapes]
        plain = [torch.zeros(s) for s in shapes]
        g = rng.standard_normal(tuple(function(torch)(*plain).shape)).astype(dtype)
        ours = both_ways(rushlight, function, operands, g, np.copy)
        theirs = both_ways(torch, function, operands, g, np.copy)
        size = both_ways(torch, function, operands, g, lambda x: np.abs(x).astype(np.float64))
        length = sum(math.prod(s[-2:]) if len(s) < 2 else sum(s) for s in shapes) + 8
        bound = 2 * length * np.finfo(dtype).eps
        for ours_, theirs_, size_ in zip(ours, theirs, size, strict=True):
            assert ours_.shape == theirs_.shape
            assert ours_.dtype == theirs_.dtype
            assert (np.abs(ours_ - theirs_) <= bound * size_).all(), (shapes, part)
    forget_plans()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rows", [1, 5, 12, 100])
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_layers_of_narrow_floats(
    kind: str, rows: int, bias: bool, rng: np.random.Generator
) -> None:
    """Results and gradients of both packages are a rounding of the same sums: apart by a digit of
    theirs at most, beside what float32 loses in the sums."""
    shapes = [(rows, 300), (64, 300), (64,)][: 2 + bias]
    drawn = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    g = rng.standard_normal((rows, 64)).astype(np.float32)
    found = []
    for lib in (rushlight, torch):
        dtype = getattr(lib, kind)
        xs = [lib.tensor(x).to(dtype).requires_grad_() for x in drawn]
        y = lib.nn.functional.linear(*xs)
        y.backward(lib.tensor(g).to(dtype))
        found.append([y.detach().float().numpy(), *(x.grad.float().numpy() for x in xs)])
        assert all(x.grad.dtype == dtype for x in xs)
    digit = 2.0**-7 if kind == "bfloat16" else 2.0**-10
    for ours, theirs in zip(*found, strict=True):
        scale = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=digit, atol=1e-4 * scale)


@pytest.mark.parametrize("factors", [{}, {"beta": 0}, {"beta": 0.5, "alpha": 2}])
@pytest.mark.parametrize("added", [(40,), (40, 1), (3, 40, 20), (1,), (20,)])
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_narrow_products_added_to_something(
    name: str, added: Any, factors: Any, rng: np.random.Generator
) -> None:
    """`addmm`, by which GPT-2's layers multiply, and `baddbmm`: results, gradients, refusals."""
    many = len(added) == 3
    shapes = [added, (3, 40, 30), (3, 30, 20)] if many else [added, (40, 30), (30, 20)]
    drawn = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    found: list[Any] = []
    for lib in (rushlight, torch):
        xs = [lib.tensor(x).to(getattr(lib, name)).requires_grad_() for x in drawn]
        try:
            y = (lib.baddbmm if many else lib.addmm)(*xs, **factors)
        except RuntimeError as error:
            found.append(str(error)[:32])
            continue
        y.float().pow(2).sum().backward()
        zero = np.zeros(added)
        grads = [zero if x.grad is None else x.grad.float().numpy() for x in xs]
        found.append([y.detach().float().numpy(), *grads])
    if isinstance(found[1], str):
        assert found[0] == found[1]
        return
    digit = 2.0**-6 if name == "bfloat16" else 2.0**-9
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=digit, atol=digit * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("equation", ["matmul", "mm", "bmm", "vectors", "one for all"])
def test_gradients_of_narrow_products(name: str, equation: str, rng: np.random.Generator) -> None:
    shapes = {
        "matmul": ((2, 3, 40, 30), (2, 1, 30, 20)), "mm": ((40, 30), (30, 20)),
        "bmm": ((3, 40, 30), (3, 30, 20)), "vectors": ((30,), (30,)),
        "one for all": ((5, 40, 30), (30, 20)),
    }[equation]  # fmt: skip
    drawn = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    found = []
    for lib in (rushlight, torch):
        a, b = (lib.tensor(x).to(getattr(lib, name)).requires_grad_() for x in drawn)
        y = getattr(lib, equation if equation in ("mm", "bmm") else "matmul")(a, b)
        (gradient,) = lib.autograd.grad(y.float().pow(2).sum(), a, create_graph=True)
        gradient.float().sum().backward()
        parts = (y.detach(), gradient.detach(), a.grad, b.grad)
        found.append([x.float().numpy() for x in parts])
    digit = 2.0**-6 if name == "bfloat16" else 2.0**-9  # two roundings on the way
    for ours, theirs in zip(*found, strict=True):
        scale = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=digit, atol=digit * scale)

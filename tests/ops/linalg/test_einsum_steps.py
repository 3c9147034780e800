"""The steps of an equation: found once for shapes, the same sums as NumPy's, errors each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.linalg.einsum_steps import steps_of

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)), ("ii->i", (3, 3)), ("ii", (3, 3)),
    ("iij,j->i", (2, 2, 3), (3,)), ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("i,j->ij", (2,), (3,)),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("ij,ij->ij", (2, 3), (1, 3)), ("ab,ac->bc", (1, 3), (4, 5)),
    ("abc,cd->dab", (2, 3, 4), (4, 2)),
    ("ij", (2, 3)), ("i,i->", (0,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0])
def test_sums_of_products(case: Any, rng: np.random.Generator) -> None:
    equation, *shapes = case
    for _ in range(2):  # the second time the steps are known
        arrays = [rng.standard_normal(shape) for shape in shapes]
        given = [torch.from_numpy(a) for a in arrays]
        found = torch.einsum(equation, *given)
        whole = [
            np.broadcast_to(a, b) for a, b in zip(arrays, sizes(equation, shapes), strict=True)
        ]
        np.testing.assert_allclose(found.numpy(), np.einsum(equation, *whole), atol=1e-12)
        assert all(found is not t for t in given)


def sizes(equation: str, shapes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The operands' shapes with a letter's real size in place of 1."""
    terms = equation.partition("->")[0].split(",")
    if "." in equation:
        return shapes
    real: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for c, n in zip(term, shape, strict=True):
            real[c] = n if real.get(c, 1) == 1 else real[c]
    return [tuple(real[c] for c in term) for term in terms]


def test_steps_are_found_once_for_shapes() -> None:
    steps_of.cache_clear()
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    for _ in range(3):
        torch.einsum("ij,jk->ik", a, b)
    assert steps_of.cache_info().misses == 1
    torch.einsum("ij,jk->ik", torch.ones(5, 3), b)
    assert steps_of.cache_info().misses == 2
    assert steps_of("ij,jk->ki", ((2, 3), (3, 4))) == (("matmul", 0, 1), ("permute", 2, (1, 0)))


def test_errors_come_each_time() -> None:
    for _ in range(2):
        with pytest.raises(RuntimeError, match="does not broadcast with previously seen size"):
            torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 5))
        with pytest.raises(RuntimeError, match="subscript i is repeated for operand 0"):
            torch.einsum("ii->i", torch.ones(2, 3))


def test_gradients_of_steps_that_are_known() -> None:
    for _ in range(2):
        a, b = torch.rand(2, 3, 4).double(), torch.rand(2, 5, 4).double()
        inputs = [a.requires_grad_(), b.requires_grad_()]
        assert torch.autograd.gradcheck(lambda a, b: torch.einsum("bij,bkj->bki", a, b), inputs)

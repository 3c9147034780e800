"""Contractions of several tensors: einsum, tensordot, multi_dot, chain_matmul.

They have no kernel of their own: each step is a permutation and one (batched) matrix product, so
that gradients of every order come from `matmul`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...autograd.node import TensorBase
from ...errors import axis, message
from ..core import overrides
from ..core.composite import composite
from ..core.samples import case
from .einsum_steps import LETTERS, steps_of
from .matmul import matmul
from .operands import NAMES, finish


def from_sublists(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """einsum(a, [0, 1], b, [1, 2], [0, 2]) as an equation and a list of operands."""

    def letters(indices: Any) -> str:
        out = ""
        for i in indices:
            if i is Ellipsis:
                out += "..."
            elif 0 <= i < len(LETTERS):
                out += LETTERS[i]
            else:
                raise ValueError(
                    message(
                        "einsum(): subscript in subscript list is not within the valid range "
                        "[0, 52)",
                        f"subscript {i}",
                    )
                )
        return out

    operands = list(args[: len(args) // 2 * 2 : 2])
    equation = ",".join(letters(i) for i in args[1::2])
    if len(args) % 2:
        equation += "->" + letters(args[-1])
    return equation, operands


@composite(
    public="torch", dispatch=False,
    samples=[case("ij,jk->ik", (2, 3), (3, 4)), case("bii->bi", (2, 3, 3))],
)  # fmt: skip
def einsum(*args: Any) -> Any:
    """Sums of products by Einstein's convention: einsum("ij,jk->ik", a, b).

    The equation names the dims of each operand and of the result; `...` stands for any dims, a
    letter twice in one operand for a diagonal, and without `->` the result has the letters that
    occur once, in alphabetical order. Also: einsum(a, [0, 1], b, [1, 2], [0, 2]).

    >>> a, b = torch.ones(2, 3), torch.ones(3, 4)
    >>> torch.einsum("ij,jk->ik", a, b).shape
    torch.Size([2, 4])
    """
    if len(args) == 2 and args[1].__class__ in (list, tuple) and args[0].__class__ is str:
        args = (args[0], *args[1])  # classes that take over see the operands one by one
    return summed(*args)


@overrides.dispatching
def summed(*args: Any) -> Any:
    """What `einsum` computes."""
    if not args:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    if isinstance(args[0], str):
        equation, operands = args[0], list(args[1:])
    elif not isinstance(args[0], TensorBase):
        raise TypeError(
            "einsum(): argument 'equation' (position 1) must be str, not "
            f"{type(args[0]).__name__}"
        )
    else:
        equation, operands = from_sublists(args)
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    values = operands
    for name, k, given in steps_of(equation, tuple([tuple(x.shape) for x in operands])):
        x = values[k]
        if name == "matmul":
            values.append(matmul(x, values[given]))
        elif name == "mul":
            values.append(x * values[given])
        elif name == "mT":
            values.append(x.mT)
        elif name == "diagonal":
            values.append(x.diagonal(0, *given))
        else:
            values.append(getattr(x, name)(given))
    return values[-1]


summed.published = einsum  # type: ignore[attr-defined]


@composite(public="torch", samples=[case((2, 3, 4), (3, 4, 5)), case((2, 3), (3, 4), 1)])
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """The product of two tensors summed over several dims.

    dims is a number (the last dims of a against the first of b) or two lists of dims.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3, 5), ([1, 2], [1, 0])).shape
    torch.Size([2, 5])
    """
    if hasattr(dims, "tolist"):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        da, db = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        da, db = ([d] if isinstance(d, int) else list(d) for d in dims)
        da, db = [axis(d, a.ndim) for d in da], [axis(d, b.ndim) for d in db]
    if len(da) != len(db):
        raise RuntimeError("both dimension lists should have same length")
    for i, j in zip(da, db, strict=True):
        if a.shape[i] == 1 != b.shape[j]:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif b.shape[j] == 1 != a.shape[i]:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif a.shape[i] != b.shape[j]:
            raise RuntimeError(
                message(
                    f"contracted dimensions need to match, but first has size {a.shape[i]} in dim "
                    f"{i} and second has size {b.shape[j]} in dim {j}",
                    f"{tuple(a.shape)} and {tuple(b.shape)}",
                )
            )
    ra = [i for i in range(a.ndim) if i not in da]
    rb = [j for j in range(b.ndim) if j not in db]
    rows, columns = tuple(a.shape[i] for i in ra), tuple(b.shape[j] for j in rb)
    inner = math.prod(a.shape[i] for i in da)
    left = a.permute((*ra, *da)).reshape((math.prod(rows), inner))
    right = b.permute((*db, *rb)).reshape((inner, math.prod(columns)))
    return finish("tensordot", matmul(left, right).reshape((*rows, *columns)), out)


def best_order(sizes: list[int]) -> list[list[int]]:
    """Where to split each run of a chain of matrices, for the fewest multiplications."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [
                cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            ]
            cost[i][j] = min(choices)
            split[i][j] = i + choices.index(cost[i][j])
    return split


def check_chain(chain: list[Any], out: Any) -> None:
    """Raise PyTorch's errors unless these tensors are a chain of matrices."""
    for k, x in enumerate(chain):
        end = {0: "the first tensor", len(chain) - 1: "the last tensor"}.get(k)
        if x.ndim != 2 and not (end and x.ndim == 1):
            wanted = f"{end} must be 1D or 2D" if end else f"tensor {k} must be 2D"
            raise RuntimeError(f"multi_dot(): {wanted} but got {x.ndim}D")
    first = chain[0]
    names = [NAMES.get(x.dtype.name, x.dtype.name) for x in chain]
    for k, name in enumerate(names):
        if name != names[0]:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{names[0]} and tensor {k} {name}"
            )
    if out is not None and out.dtype != first.dtype:
        got = NAMES.get(out.dtype.name, out.dtype.name)
        raise RuntimeError(
            f"multi_dot(): expected out tensor to have dtype {names[0]} but got {got}"
        )
    for k, (a, b) in enumerate(itertools.pairwise(chain)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {k} and {k + 1} with shapes {list(a.shape)} and "
                f"{list(b.shape)} cannot be multiplied"
            )


@composite(public="linalg", samples=[case([(2, 3), (3, 4), (4, 2)])])
def multi_dot(tensors: Any, *, out: Any = None) -> Any:
    """The product of a chain of matrices, multiplied in the order that costs least.

    The first and the last may be vectors. Two tensors at least.

    >>> a, b, c = torch.ones(10, 100), torch.ones(100, 5), torch.ones(5, 2)
    >>> torch.linalg.multi_dot([a, b, c]).shape
    torch.Size([10, 2])
    """
    chain = list(tensors)
    if len(chain) < 2:
        raise RuntimeError(message("multi_dot(): expected at least 2 tensors", f"got {len(chain)}"))
    check_chain(chain, out)
    row, column = chain[0].ndim == 1, chain[-1].ndim == 1
    if row:
        chain[0] = chain[0].unsqueeze(0)
    if column:
        chain[-1] = chain[-1].unsqueeze(1)
    split = best_order([chain[0].shape[0], *(x.shape[1] for x in chain)])

    def product(i: int, j: int) -> Any:
        if i == j:
            return chain[i]
        k = split[i][j]
        return matmul(product(i, k), product(k + 1, j))

    y = product(0, len(chain) - 1)
    if row:
        y = y.squeeze(0)
    return finish("multi_dot", y.squeeze(-1) if column else y, out)


@composite(public="torch", samples=[case((2, 3), (3, 4), (4, 2))])
def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """The product of a chain of matrices in the cheapest order: the older name of
    `linalg.multi_dot`.

    Deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.chain_matmul(torch.ones(1, 2), torch.ones(2, 3), torch.ones(3, 1))
    tensor([[6.]])
    """
    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = tuple(matrices[0])
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, t in enumerate(matrices):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
        if t.ndim != 2:
            raise RuntimeError(
                message(f"Tensor dimension is {t.ndim}, expected 2 instead.", wanted="matrices")
            )
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices, out=out)

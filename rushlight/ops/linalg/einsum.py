"""Contractions of several tensors: einsum, tensordot, multi_dot, chain_matmul.

They have no kernel of their own: each step is a permutation and one (batched) matrix product, so
that gradients of every order come from `matmul`.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any

from ...autograd.node import TensorBase
from ...errors import axis, message
from ..core import overrides
from ..core.composite import composite
from ..core.samples import case
from .matmul import NAMES, finish, matmul

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # sublist index 0 is "A"


def einsum_error(what: str, equation: str, hint: str | None = None) -> RuntimeError:
    """An error about an equation, which it shows."""
    return RuntimeError(message(f"einsum(): {what}", f"equation {equation!r}", hint=hint))


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


def check_letter(c: str, equation: str) -> None:
    """Raise PyTorch's error unless this is a subscript."""
    if c not in LETTERS:
        raise einsum_error(
            f"invalid subscript given at index {equation.find(c)} in the equation string, "
            "subscripts must be in [a-zA-Z]",
            equation,
        )


def check_dots(term: str, whose: str, equation: str) -> None:
    """Raise PyTorch's errors unless the dots of a term are one ellipsis, or none."""
    head, _, tail = term.partition("...")
    if "." in head:
        dots = " (...)" if whose == "output" else ""
        raise einsum_error(
            f"found '.' for {whose} that is not part of any ellipsis{dots}", equation
        )
    if "." in tail:
        found = "for output but an ellipsis (...)"
        found = found if whose == "output" else f"for {whose} for which an ellipsis"
        raise einsum_error(f"found '.' {found} was already found", equation)


@lru_cache(maxsize=512)
def parse(equation: str, dims: tuple[int, ...]) -> tuple[list[list[Any]], list[Any]]:
    """Labels of each operand and of the result; the dims of `...` are labelled -1, -2, ... from the
    right."""
    for k, term in enumerate(equation.partition("->")[0].split(",")):
        check_dots(term, f"operand {k}", equation)  # before blanks go: ". .." is no ellipsis
    check_dots(equation.partition("->")[2], "output", equation)
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(dims):
        kind = "fewer" if len(terms) > len(dims) else "more"
        raise einsum_error(
            f"{kind} operands were provided than specified in the equation", equation
        )

    def labels(term: str, n: int, k: int) -> list[Any]:
        head, dots, tail = term.partition("...")
        for c in head + tail:
            check_letter(c, equation)
        named = len(head) + len(tail)
        if named > n or (not dots and named != n):
            wrong = "is more than" if dots else "does not match"
            raise einsum_error(
                f"the number of subscripts in the equation ({named}) {wrong} the number of "
                f"dimensions ({n}) for operand {k}"
                + ("" if dots else " and no ellipsis was given"),
                equation,
                None if dots else "write ... for dims that are not named",
            )
        return [*head, *range(named - n, 0), *tail] if dots else [*head]

    inputs = [labels(t, n, k) for k, (t, n) in enumerate(zip(terms, dims, strict=True))]
    most = max((-i for ls in inputs for i in ls if isinstance(i, int)), default=0)
    if arrow:
        head, dots, tail = right.partition("...")
        output: list[Any] = [*head, *(range(-most, 0) if dots else ()), *tail]
        for c in head + tail:
            check_letter(c, equation)
            if not any(c in ls for ls in inputs):
                raise einsum_error(
                    f"output subscript {c} does not appear in the equation for any input operand",
                    equation,
                )
            if output.count(c) > 1:
                raise einsum_error(
                    f"output subscript {c} appears more than once in the output", equation
                )
    else:
        flat = [c for ls in inputs for c in ls]
        once = sorted(c for c in set(flat) if isinstance(c, str) and flat.count(c) == 1)
        output = [*range(-most, 0), *once]
    return inputs, output


def one_each(x: Any, labels: list[Any], equation: str, k: int) -> tuple[Any, list[Any]]:
    """Take diagonals until no label occurs twice in the operand, which is the k-th."""
    if len(set(labels)) == len(labels):
        return x, labels
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if x.shape[i] != x.shape[j]:
                raise einsum_error(
                    f"subscript {c} is repeated for operand {k} but the sizes don't match, "
                    f"{x.shape[j]} != {x.shape[i]}",
                    equation,
                )
            x = x.diagonal(0, i, j)
            labels = [v for k, v in enumerate(labels) if k not in (i, j)] + [c]
    return x, labels


def without(x: Any, labels: list[Any], drop: list[Any]) -> tuple[Any, list[Any]]:
    """Sum over the dropped labels; what has one element is its own sum, of its own type."""
    x, labels = squeezed(x, labels, [c for c in drop if x.shape[labels.index(c)] == 1])
    dims = tuple(i for i, c in enumerate(labels) if c in drop)
    if not dims:
        return x, labels
    return x.sum(dims), [c for c in labels if c not in drop]


def squeezed(x: Any, labels: list[Any], drop: list[Any]) -> tuple[Any, list[Any]]:
    """Without these labels, which are of one element."""
    dims = tuple(i for i, c in enumerate(labels) if c in drop)
    return (x.squeeze(dims), [c for c in labels if c not in drop]) if dims else (x, labels)


def pair(a: Any, la: list[Any], b: Any, lb: list[Any], needed: set[Any]) -> tuple[Any, list[Any]]:
    """Contract two operands, keeping the needed labels."""
    # a dim of size 1 stands for one of any size: drop it where the partner has the real one
    for c in [c for c in la if c in lb]:
        i, j = la.index(c), lb.index(c)
        if a.shape[i] == 1 != b.shape[j]:
            a, la = a.squeeze(i), [v for v in la if v != c]
        elif b.shape[j] == 1 != a.shape[i]:
            b, lb = b.squeeze(j), [v for v in lb if v != c]
    one = [c for c in la if c in lb and c not in needed and a.shape[la.index(c)] == 1]
    (a, la), (b, lb) = squeezed(a, la, one), squeezed(b, lb, one)
    a, la = without(a, la, [c for c in la if c not in lb and c not in needed])
    b, lb = without(b, lb, [c for c in lb if c not in la and c not in needed])
    both = [c for c in la if c in lb]
    batch = [c for c in both if c in needed]
    inner = [c for c in both if c not in needed]
    rows = [c for c in la if c not in lb]
    columns = [c for c in lb if c not in la]
    size = {c: n for ls, x in ((lb, b), (la, a)) for c, n in zip(ls, x.shape, strict=True)}
    if not inner:
        # no sum: a product of broadcast operands
        order = batch + rows + columns
        a = place(a, la, batch + rows, (1,) * len(columns))
        b = b.permute(tuple(lb.index(c) for c in batch + columns))
        b = b.reshape((*b.shape[: len(batch)], *(1,) * len(rows), *b.shape[len(batch) :]))
        return a * b, order
    if not batch and len(rows) == len(inner) == len(columns) == 1:  # plain matrices
        a = a if la[0] == rows[0] else a.mT
        b = b if lb[0] == inner[0] else b.mT
        return matmul(a, b), rows + columns
    if len(rows) == len(inner) == len(columns) == 1:  # stacks of any strides, without a copy
        a = arranged(a, la, batch + rows + inner)
        b = arranged(b, lb, batch + inner + columns)
        return matmul(a, b), batch + rows + columns
    many, m, k, n = (math.prod(size[c] for c in g) for g in (batch, rows, inner, columns))
    a = a.permute(tuple(la.index(c) for c in batch + rows + inner))
    b = b.permute(tuple(lb.index(c) for c in batch + inner + columns))
    lead = (many,) if batch else ()
    y = matmul(a.reshape((*lead, m, k)), b.reshape((*lead, k, n)))
    order = batch + rows + columns
    return y.reshape(tuple(size[c] for c in order)), order


def arranged(x: Any, labels: list[Any], order: list[Any]) -> Any:
    """x with its dims in this order."""
    return x if labels == order else x.permute(tuple(labels.index(c) for c in order))


def place(x: Any, labels: list[Any], order: list[Any], tail: tuple[int, ...]) -> Any:
    """x with its dims in this order, and dims of size 1 after them."""
    x = x.permute(tuple(labels.index(c) for c in order))
    return x.reshape((*x.shape, *tail)) if tail else x


def check_sizes(operands: list[Any], labels: list[list[Any]], equation: str) -> None:
    """Each label has one size (or 1)."""
    size: dict[Any, int] = {}
    for k, (x, ls) in enumerate(zip(operands, labels, strict=True)):
        for d, (c, n) in enumerate(zip(ls, x.shape, strict=True)):
            before = size.get(c, 1)
            if n != before and 1 not in (n, before):
                shapes = ", ".join(str(list(t.shape)) for t in operands)
                raise einsum_error(
                    f"subscript {c if isinstance(c, str) else '...'} has size {n} for operand {k} "
                    f"which does not broadcast with previously seen size {before} "
                    f"(operands have shapes {shapes}; dim {d})",
                    equation,
                )
            size[c] = max(before, n) if n else 0


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
    labels, output = parse(equation, tuple(x.ndim for x in operands))
    labels = list(labels)  # the parsed equation is shared by all calls
    for k, x in enumerate(operands):
        operands[k], labels[k] = one_each(x, labels[k], equation, k)
    check_sizes(operands, labels, equation)
    x, current = operands[0], labels[0]
    for k in range(1, len(operands)):
        needed = {*output, *(c for ls in labels[k + 1 :] for c in ls)}
        x, current = pair(x, current, operands[k], labels[k], needed)
    x, current = without(x, current, [c for c in current if c not in output])
    if current == output:
        return x if len(operands) > 1 or x is not args[-1] else x.view(x.shape)
    return x.permute(tuple(current.index(c) for c in output))


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
                    f"{i} "
                    f"and second has size {b.shape[j]} in dim {j}",
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

"""The steps that an equation of einsum comes to, found once for the shapes of its operands.

The equation is worked out with stand-ins that have a shape and write down what is done with them:
permutations, reshapes, sums, products. Not here: taking these steps (`einsum.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...errors import message

Shape = tuple[int, ...]
# What is done: the name of a Tensor's method, on which value (the operands, then the results of the
# steps before), with what: an argument, or for "matmul" and "mul" the number of the other value.
Step = tuple[str, int, Any]
MOST = 512  # equations and shapes that are kept

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # sublist index 0 is "A"


class StandIn:
    """A tensor's shape; what is done with it is written down."""

    __slots__ = ("number", "shape", "steps")

    def __init__(self, steps: Steps, number: int, shape: Sequence[int]) -> None:
        self.steps, self.number, self.shape = steps, number, tuple(shape)

    def permute(self, dims: Shape) -> StandIn:
        return self.steps.add("permute", self, dims, [self.shape[d] for d in dims])

    @property
    def mT(self) -> StandIn:
        *batch, rows, columns = self.shape
        return self.steps.add("mT", self, None, (*batch, columns, rows))

    def squeeze(self, dims: Shape) -> StandIn:
        left = [n for d, n in enumerate(self.shape) if d not in dims]
        return self.steps.add("squeeze", self, dims, left)

    def sum(self, dims: Shape) -> StandIn:
        left = [n for d, n in enumerate(self.shape) if d not in dims]
        return self.steps.add("sum", self, dims, left)

    def reshape(self, shape: Shape) -> StandIn:
        return self.steps.add("reshape", self, shape, shape)

    def view(self, shape: Shape) -> StandIn:
        return self.steps.add("view", self, shape, shape)

    def diagonal(self, dims: Shape) -> StandIn:
        left = [n for d, n in enumerate(self.shape) if d not in dims]
        return self.steps.add("diagonal", self, dims, (*left, self.shape[dims[0]]))

    def __matmul__(self, other: StandIn) -> StandIn:
        *batch, rows, _ = self.shape
        return self.steps.add("matmul", self, other.number, (*batch, rows, other.shape[-1]))

    def __mul__(self, other: StandIn) -> StandIn:
        shape = [max(a, b) if a and b else 0 for a, b in zip(self.shape, other.shape, strict=True)]
        return self.steps.add("mul", self, other.number, shape)


class Steps:
    """The steps so far, and the stand-ins of the operands."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.found: list[Step] = []
        self.operands = [StandIn(self, k, shape) for k, shape in enumerate(shapes)]

    def add(self, name: str, x: StandIn, given: Any, shape: Sequence[int]) -> StandIn:
        self.found.append((name, x.number, given))
        return StandIn(self, len(self.operands) + len(self.found) - 1, shape)


@lru_cache(maxsize=MOST)
def steps_of(equation: str, shapes: tuple[Shape, ...]) -> tuple[Step, ...]:
    """The steps of an equation for operands of these shapes; the last one gives the result."""
    made = Steps(shapes)
    operands: list[Any] = made.operands
    labels, output = parse(equation, tuple(map(len, shapes)))
    labels = list(labels)  # the parsed equation is shared by all shapes
    for k, x in enumerate(operands):
        operands[k], labels[k] = one_each(x, labels[k], equation, k)
    check_sizes(operands, labels, equation)
    x, current = operands[0], labels[0]
    for k in range(1, len(operands)):
        needed = {*output, *(c for ls in labels[k + 1 :] for c in ls)}
        x, current = pair(x, current, operands[k], labels[k], needed)
    x, current = without(x, current, [c for c in current if c not in output])
    if current != output:
        x.permute(tuple(current.index(c) for c in output))
    elif not made.found:  # one operand, as it is: the result is another tensor
        x.view(x.shape)
    return tuple(made.found)


def einsum_error(what: str, equation: str, hint: str | None = None) -> RuntimeError:
    """An error about an equation, which it shows."""
    return RuntimeError(message(f"einsum(): {what}", f"equation {equation!r}", hint=hint))


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
            x = x.diagonal((i, j))
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
            a, la = a.squeeze((i,)), [v for v in la if v != c]
        elif b.shape[j] == 1 != a.shape[i]:
            b, lb = b.squeeze((j,)), [v for v in lb if v != c]
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
        return a @ b, rows + columns
    if len(rows) == len(inner) == len(columns) == 1:  # stacks of any strides, without a copy
        a = arranged(a, la, batch + rows + inner)
        b = arranged(b, lb, batch + inner + columns)
        return a @ b, batch + rows + columns
    many, m, k, n = (math.prod(size[c] for c in g) for g in (batch, rows, inner, columns))
    a = a.permute(tuple(la.index(c) for c in batch + rows + inner))
    b = b.permute(tuple(lb.index(c) for c in batch + inner + columns))
    lead = (many,) if batch else ()
    y = a.reshape((*lead, m, k)) @ b.reshape((*lead, k, n))
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

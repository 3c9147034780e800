"""jacobian, hessian, vjp, jvp, hvp, vhp of plain functions of tensors.

Each takes `func` and its inputs (a Tensor or a tuple) and returns plain values unless
`create_graph`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import message
from . import door
from .backward import grad
from .node import TensorBase

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def as_tuple(x: Any, arg: str, fn: str) -> tuple[bool, tuple[Any, ...]]:
    """(was it a tuple, the tuple); TypeError unless all are Tensors."""
    was = isinstance(x, (tuple, list))
    xs = tuple(x) if was else (x,)
    for i, el in enumerate(xs):
        if not isinstance(el, TensorBase):
            where = (
                f"Value at index {i} has type {type(el)}."
                if was
                else f"Given {arg} has type {type(el)}."
            )
            raise TypeError(
                f"The {arg} given to {fn} must be either a Tensor or a tuple of Tensors. {where}"
            )
    return was, xs


def prepare(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Inputs that require grad: views of the user's when the graph is wanted, fresh leaves
    otherwise."""
    if create_graph:
        return tuple(
            x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in inputs
        )
    return tuple(x.detach().requires_grad_() for x in inputs)


def finish(x: Any, create_graph: bool) -> Any:
    if isinstance(x, (tuple, list)):
        return tuple(finish(v, create_graph) for v in x)
    return x if create_graph else x.detach()


def unwrap(was: bool, xs: tuple[Any, ...]) -> Any:
    return xs if was else xs[0]


def check_v(v: Any, like: tuple[Any, ...], was: bool, what: str, fn: str) -> tuple[Any, ...]:
    """The vector(s) v in the shapes of `like`; ones for a single one-element output."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what}")
        return (door.wrap(np.ones(like[0]._a.shape, like[0]._a.dtype)),)
    _, vs = as_tuple(v, "v", fn)
    if len(vs) != len(like):
        if not was:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}."
        )
    for i, (a, b) in enumerate(zip(vs, like, strict=True)):
        if a.size() != b.size():
            at = f"Entry {i} in " if was else ""
            raise RuntimeError(
                message(
                    f"{at}v has invalid size: should be {b.size()} but got {a.size()}.",
                    wanted="the size of the value",
                )
            )
    return tuple(x.detach() if not x.requires_grad else x for x in vs)


def grads(
    outputs: Any, inputs: Any, vs: Any, create_graph: bool, retain: bool = True
) -> tuple[Any, ...]:
    """`grad` that tolerates outputs without history."""
    pairs = [(o, v) for o, v in zip(outputs, vs, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [o for o, _ in pairs],
        inputs,
        [v for _, v in pairs],
        retain_graph=retain,
        create_graph=create_graph,
        allow_unused=True,
    )


JACOBIAN = "The jacobian of the user-provided function with respect to input {i}"


def fill(gs: Any, like: Any, strict: bool, what: str, create_graph: bool) -> tuple[Any, ...]:
    """Zeros for missing gradients; with `strict` an error that says which input does not matter."""
    out = []
    for i, (g, x) in enumerate(zip(gs, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(
                    f"{what.format(i=i)} is independent of input {i}. This is not allowed in "
                    "strict mode."
                )
            g = door.zeros_of(x)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {i}. This "
                "is not allowed in strict mode when create_graph=True."
            )
        out.append(g)
    return tuple(out)


def call(
    func: Callable[..., Any], inputs: tuple[Any, ...], name: str, strict: bool
) -> tuple[bool, tuple[Any, ...]]:
    was, outs = as_tuple(func(*inputs), "outputs of the user-provided function", name)
    if strict:
        for i, o in enumerate(outs):
            if not o.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The "
                    f"outputs must be computed in a "
                    "differentiable manner from the input when running in strict mode."
                )
    return was, outs


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """(func(inputs), v^T J): the vector-Jacobian product.

    Args:
        v: in the shape of the output; may be None when that has one element.
        create_graph: make the result differentiable.
        strict: raise when an output does not depend on an input.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vjp(lambda x: x * x, x, torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with door.grad_enabled(True):
        was_in, xs = as_tuple(inputs, "inputs", "vjp")
        xs = prepare(xs, create_graph)
        was_out, outs = call(func, xs, "vjp", strict)
        vs = check_v(
            v,
            outs,
            was_out,
            "the user-provided function returns a single Tensor with a single element.",
            "vjp",
        )
        gs = fill(
            grads(outs, xs, vs, create_graph),
            xs,
            strict,
            "The output of the user-provided function",
            create_graph,
        )
    return unwrap(was_out, finish(outs, create_graph)), unwrap(was_in, finish(gs, create_graph))


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """(func(inputs), J v): the Jacobian-vector product, by differentiating the vjp with respect to
    its vector.

    Args:
        v: in the shape of the inputs; may be None when these have one element.
        create_graph: make the result differentiable.
        strict: raise when an output does not depend on an input.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.jvp(lambda x: x.prod(), x, torch.tensor([1.0, 0.0]))
    (tensor(2.), tensor(2.))
    """
    with door.grad_enabled(True):
        was_in, xs = as_tuple(inputs, "inputs", "jvp")
        xs = prepare(xs, create_graph)
        vs = check_v(
            v,
            xs,
            was_in,
            "the input to the user-provided function is a single Tensor with a single element.",
            "jvp",
        )
        was_out, outs = call(func, xs, "jvp", strict)
        dummies = tuple(door.zeros_of(o).requires_grad_() for o in outs)
        gs = grads(outs, xs, dummies, True)
        gs = fill(gs, xs, strict, "The output of the user-provided function", False)
        got = grads(gs, dummies, vs, create_graph)
        got = fill(got, outs, strict, "The output of the user-provided function", create_graph)
    return unwrap(was_out, finish(outs, create_graph)), unwrap(was_out, finish(got, create_graph))


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All partial derivatives: for output y and input x a tensor of shape y.shape + x.shape.

    Args:
        func: takes Tensors, returns a Tensor or a tuple of Tensors.
        inputs: a Tensor or a tuple.
        create_graph: make the result differentiable.
        strict: raise when an output does not depend on an input.
        vectorize: accepted; rows are computed one after the other either way, with the same
        numbers.
        strategy: "reverse-mode" (rows) or "forward-mode" (columns; needs vectorize).

    Returns:
        A Tensor, or a tuple (over outputs) of tuples (over inputs), as many levels as tuples went
        in and out.

    >>> import rushlight as torch
    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                "torch.autograd.functional.jacobian: `create_graph=True` and "
                '`strategy="forward-mode"` are not supported together (yet).'
            )
        if not vectorize:
            raise NotImplementedError(
                "torch.autograd.functional.jacobian: `vectorize=False` and "
                '`strategy="forward-mode"` are not supported together (yet).'
            )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorize=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    from ..ops.shape.views import stack

    with door.grad_enabled(True):
        was_in, xs = as_tuple(inputs, "inputs", "jacobian")
        xs = prepare(xs, create_graph)
        was_out, outs = call(func, xs, "jacobian", strict)
        blocks = []
        for i, y in enumerate(outs):
            rows: list[list[Any]] = [[] for _ in xs]
            flat = y.reshape(-1)
            one = door.wrap(np.ones((), y._a.dtype))
            if not vectorize and y._a.dtype.kind in "cW":
                one = None  # which is refused, as in PyTorch: a row would be one of two
            for j in range(flat.shape[0]):
                gs = (
                    grad(
                        (flat[j],),
                        xs,
                        (one,),
                        retain_graph=True,
                        create_graph=create_graph,
                        allow_unused=True,
                    )
                    if flat.requires_grad
                    else (None,) * len(xs)
                )
                gs = fill(gs, xs, strict, f"Output {i} of the user-provided function", create_graph)
                for row, g in zip(rows, gs, strict=True):
                    row.append(g)
            blocks.append(
                tuple(
                    (
                        stack(*row, dim=0)
                        if row
                        else door.wrap(np.zeros((0, *x.shape), x._a.dtype))
                    ).reshape(tuple(y.shape) + tuple(x.shape))
                    for row, x in zip(rows, xs, strict=True)
                )
            )
        result = finish(tuple(blocks), create_graph)
    rows_out = tuple(unwrap(was_in, b) for b in result)
    return rows_out if was_out else rows_out[0]


def _construct_standard_basis_for(
    tensors: tuple[Any, ...], tensor_numels: tuple[int, ...]
) -> tuple[Any, ...]:
    """An identity matrix of as many rows as the tensors have elements together, in columns: those
    of each tensor in its type. (PyTorch's helper, which others call.)"""
    if len(tensors) != len(tensor_numels) or not tensors:
        raise AssertionError("a number of elements for each tensor, of which there is one or more")
    total, start, parts = sum(tensor_numels), 0, []
    for t, n in zip(tensors, tensor_numels, strict=True):
        part = t.new_zeros(total, n)
        part.diagonal(-start).fill_(1)
        parts.append(part)
        start += n
    return tuple(parts)


def scalar(func: Callable[..., Any], name: str, strict: bool = False) -> Callable[..., Any]:
    def checked(*xs: Any) -> Any:
        was, out = call(func, xs, name, strict)
        if was or len(out) != 1:
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if out[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {name} should contain a single "
                f"element"
            )
        return out[0].squeeze()

    return checked


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Second derivatives of a scalar function: for inputs a and b a tensor of shape a.shape +
    b.shape.

    >>> import rushlight as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    if outer_jacobian_strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    was_in, xs = as_tuple(inputs, "inputs", "hessian")
    f = scalar(func, "hessian", strict)

    def gradient(*inner: Any) -> Any:
        got = jacobian(f, inner, create_graph=True)
        for i, g in enumerate(got):
            if strict and not g.requires_grad:
                raise RuntimeError(
                    "While computing the hessian, found that the jacobian of the user-provided "
                    f"function with respect to input {i} is independent of the input. This is not "
                    "allowed in strict mode."
                )
        return tuple(got)

    got = jacobian(gradient, xs, create_graph=create_graph, strict=strict, vectorize=vectorize)
    rows = tuple(unwrap(was_in, row) for row in got)
    return rows if was_in else rows[0]


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """(func(inputs), v^T H): the vector-Hessian product of a scalar function.

    Arguments as for `vjp`; v has the shape of the inputs.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with door.grad_enabled(True):
        was_in, xs = as_tuple(inputs, "inputs", "vhp")
        xs = prepare(xs, create_graph)
        vs = check_v(
            v,
            xs,
            was_in,
            "the input to the user-provided function is a single Tensor with a single element.",
            "vhp",
        )
        out = scalar(func, "vhp", strict)(*xs)
        gs = fill(
            grads((out,), xs, (None,), True),
            xs,
            strict,
            "The output of the user-provided function",
            False,
        )
        got = grads(gs, xs, vs, create_graph)
        got = fill(got, xs, strict, JACOBIAN, create_graph)
    return finish(out, create_graph), unwrap(was_in, finish(got, create_graph))


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """(func(inputs), H v): the Hessian-vector product of a scalar function (vhp is faster: H is
    symmetric).

    Arguments as for `vjp`; v has the shape of the inputs.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.hvp(lambda x: x[0] ** 2 * x[1], x, torch.tensor([1.0, 0.0]))
    (tensor(2.), tensor([4., 2.]))
    """
    with door.grad_enabled(True):
        was_in, xs = as_tuple(inputs, "inputs", "hvp")
        xs = prepare(xs, create_graph)
        vs = check_v(
            v,
            xs,
            was_in,
            "the input to the user-provided function is a single Tensor with a single element.",
            "hvp",
        )
        out = scalar(func, "hvp", strict)(*xs)
        gs = fill(
            grads((out,), xs, (None,), True),
            xs,
            strict,
            "The output of the user-provided function",
            False,
        )
        dummies = tuple(door.zeros_of(x).requires_grad_() for x in xs)
        double = grads(gs, xs, dummies, True)
        double = fill(double, xs, strict, JACOBIAN, False)
        got = fill(
            grads(double, dummies, vs, create_graph), xs, strict, "The hessian", create_graph
        )
    return finish(out, create_graph), unwrap(was_in, finish(got, create_graph))

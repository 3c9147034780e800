"""What gradcheck checks besides the Jacobian of backward: forward mode, gradients of batches, and
gradients of outputs that are zero or were not given.

Read first: `gradcheck.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import message
from . import door, forward_ad
from .backward import grad
from .forward_ad import dual_level, make_dual, unpack_dual
from .gradcheck import (
    GradcheckError,
    _close,
    _differentiable,
    _sparse,
    check_same,
    numbers,
    put,
)
from .node import TensorBase


def check_forward(
    func: Any, args: Any, xs: list[Any], eps: float, atol: float, rtol: float, fast: bool
) -> None:
    """J t against differences: for one random direction t of each input, or (not `fast`) for all
    of its elements."""
    measured = [[slopes(func, args, x, u, eps) for u in directions(x, fast)] for x in xs]
    with dual_level():
        duals, tangents = dual_inputs(args, xs)
        for i, (x, tangent) in enumerate(zip(xs, tangents, strict=True)):
            for u, expected in zip(directions(x, fast), measured[i], strict=True):
                put(tangent, u)
                got = [forward_ad.tangent_of(o) for o in _differentiable(func(*duals))]
                for o, (t, slope) in enumerate(zip(got, expected, strict=True)):
                    value = np.zeros_like(slope) if t is None else numbers(t)
                    if not _close(value, slope, rtol, atol):
                        raise GradcheckError(mismatch(o, i, x, u, value, slope))
                put(tangent, np.zeros_like(u))


def dual_inputs(args: Any, xs: list[Any]) -> tuple[list[Any], list[Any]]:
    """The arguments with dual tensors for those that are checked, and their tangents: zeros, which
    may be written to."""
    tangents = {id(x): door.zeros_of(x) for x in xs}
    duals = {id(x): make_dual(x.detach(), tangents[id(x)]) for x in xs}
    return [duals.get(id(a), a) for a in args], [unpack_dual(duals[id(x)]).tangent for x in xs]


def directions(x: Any, fast: bool) -> Any:
    """The tangents for which an input is checked."""
    a = numbers(x)
    if fast:
        rng = np.random.default_rng(0)
        u = rng.standard_normal(a.shape)
        yield (u + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else u).astype(a.dtype)
        return
    for value in (1.0, 1j) if a.dtype.kind == "c" else (1.0,):
        for place in np.ndindex(a.shape):
            u = np.zeros_like(a)
            u[place] = value
            yield u


def slopes(func: Any, args: Any, x: Any, direction: Any, eps: float) -> list[Any]:
    """What differences say of each output along a direction of an input."""
    before = numbers(x)
    found = []
    for sign in (1, -1):
        put(x, before + sign * eps * direction)
        found.append([numbers(o) for o in _differentiable(func(*args))])
    put(x, before)
    for up, down in zip(*found, strict=True):
        check_same(up, down, eps)
    return [(up - down) / (2 * eps) for up, down in zip(*found, strict=True)]


def mismatch(o: int, i: int, x: Any, direction: Any, value: Any, slope: Any) -> str:
    part = "imaginary" if np.any(np.imag(direction)) else "real"
    whole = "" if x._a.dtype.kind != "c" else (
        f"While considering the {part} part of complex inputs only, "
    )  # fmt: skip
    return message(
        f"{whole}Jacobian computed with forward mode mismatch for output {o} with respect to "
        f"input {i},",
        got=f"numerical:{np.array2string(slope, precision=4)}\n"
        f"analytical:{np.array2string(value, precision=4)}",
        wanted="equal values within atol + rtol * |numerical|",
    )


def check_forward_undefined(func: Any, args: Any, xs: list[Any]) -> None:
    """A tangent of zeros, and none at all, must give the same tangents of outputs."""
    with dual_level():
        duals, tangents = dual_inputs(args, xs)
        for x, tangent in zip(xs, tangents, strict=True):
            put(tangent, next(directions(x, True)))
        for i, x in enumerate(args):
            if not any(x is checked for checked in xs):
                continue
            found = []
            for other in (make_dual(x.detach(), door.zeros_of(x)), x.detach()):
                given = [*duals[:i], other, *duals[i + 1 :]]
                outs = _differentiable(func(*given))
                found.append([forward_ad.tangent_of(o) for o in outs])
            for o, (a, b) in enumerate(zip(*found, strict=True)):
                if a is not None and b is not None and not np.allclose(numbers(a), numbers(b)):
                    raise GradcheckError(
                        message(
                            f"Mismatch in tangent values for output with index: {o}",
                            got=f"{b!r} when input {i} has no tangent",
                            wanted=f"{a!r}, as with a tangent of zeros",
                        )
                    )


def check_forward_batched(func: Any, args: Any, xs: list[Any]) -> None:
    """Tangents under vmap must be those of one call after another."""
    from ..func import vmap

    rng = np.random.default_rng(0)
    for i, x in enumerate(args):
        if not any(x is checked for checked in xs):
            continue

        def jvp(tangent: Any, i: int = i, x: Any = x) -> Any:
            with dual_level():
                given = [a.detach() if isinstance(a, TensorBase) else a for a in args]
                given[i] = make_dual(x.detach(), tangent)
                outs = _differentiable(func(*given))
                found = [forward_ad.tangent_of(o) for o in outs]
                return tuple(
                    door.zeros_of(o) if t is None else t
                    for o, t in zip(outs, found, strict=True)
                )

        vs = door.wrap(rng.standard_normal((2, *x._a.shape)).astype(x._a.dtype))
        alone = [jvp(vs[k]) for k in range(2)]
        try:
            together = vmap(jvp)(vs)
        except RuntimeError as error:
            random = "random operation" in str(error)
            why = (
                "vmap: We do not yet support calling random operations inside of vmap. Please "
                "perform random operations outside of vmap as a workaround"
                if random
                else error
            )
            raise GradcheckError(
                message(
                    f"While computing batched gradients, got: {why}\n\ngradcheck failed while "
                    "testing batched gradient computation with forward-mode AD.",
                    hint="check_batched_forward_grad=False",
                )
            ) from error
        for o, t in enumerate(together):
            if any(not np.allclose(numbers(t)[k], numbers(alone[k][o])) for k in range(2)):
                raise GradcheckError(
                    f"For output {o} and input {i}: the batched and the single tangents differ"
                )


def check_batched(outs: list[Any], xs: list[Any], rtol: float, atol: float) -> None:
    """`is_grads_batched` must give what one vector after another does."""
    rng = np.random.default_rng(0)
    if any(map(_sparse, xs)):
        raise failed_batched("a sparse input, whose gradients are not stacked")
    for y in outs:
        vs = door.wrap(rng.standard_normal((3, *y._a.shape)).astype(y._a.dtype))
        try:
            together = grad(
                (y,), xs, (vs,), retain_graph=True, allow_unused=True, is_grads_batched=True
            )
        except RuntimeError as error:
            raise failed_batched(str(error)) from error
        for k in range(3):
            alone = grad((y,), xs, (vs[k],), retain_graph=True, allow_unused=True)
            for a, b in zip(together, alone, strict=True):
                if (a is None) != (b is None) or (
                    a is not None and not _close(numbers(a)[k], numbers(b), rtol, atol)
                ):
                    raise failed_batched("For batched gradients, the results differ from single")


def failed_batched(got: str) -> GradcheckError:
    return GradcheckError(
        message(
            "gradcheck or gradgradcheck failed while testing batched gradient computation.",
            got=got,
            hint="check_batched_grad=False",
        )
    )


def check_zero(outs: list[Any], xs: list[Any], masked: bool) -> None:
    """Gradients of outputs that are zero must give zeros, in the form of the inputs."""
    zeros = [door.zeros_of(y) for y in outs]
    gs = grad(outs, xs, zeros, retain_graph=True, allow_unused=True)
    for x, g in zip(xs, gs, strict=True):
        if g is None:
            continue
        if _sparse(g):
            if g.layout != x.layout:
                raise GradcheckError(
                    f"grad is incorrect layout ({g.layout!r} is not {x.layout!r})"
                )
            for name in ("sparse_dim", "dense_dim"):
                got, wanted = getattr(g, name)(), getattr(x, name)()
                if got != wanted:
                    raise GradcheckError(
                        f"grad is sparse tensor, but has incorrect {name} {got}, expected {wanted}"
                    )
            g = g.to_dense()
        a = numbers(g)
        if not (np.allclose(a, 0) if masked else bool((a == 0).all())):
            raise GradcheckError(
                message(
                    "backward not multiplied by grad_output",
                    got="a gradient that is not zero, from one of zeros",
                )
            )
        if tuple(a.shape) != tuple(x._a.shape):
            raise GradcheckError("grad is incorrect size")

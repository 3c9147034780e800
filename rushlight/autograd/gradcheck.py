"""gradcheck and gradgradcheck: compare analytical gradients with finite differences.

The numerical derivative of the function at x in direction e_j is (f(x + eps e_j) - f(x - eps e_j))
/ (2 eps). For a complex input both the real and the imaginary direction are taken. `fast_mode`
compares v^T J u for random u, v.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import message
from ..kernels.meta import OuterArray, SparseArray
from . import door
from .backward import grad
from .node import TensorBase


class GradcheckError(RuntimeError):
    """Raised when a gradient check fails.

    >>> class Wrong(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 3
    >>> x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    >>> try:
    ...     torch.autograd.gradcheck(Wrong.apply, x)
    ... except torch.autograd.GradcheckError:
    ...     print("the derivative is not 3")
    the derivative is not 3
    """


def _tensors(x: Any) -> tuple[Any, ...]:
    if isinstance(x, TensorBase):
        return (x,)
    return tuple(v for v in x if isinstance(v, TensorBase))


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, TensorBase) or not isinstance(x, (tuple, list)) else tuple(x)


def _differentiable(x: Any) -> list[Any]:
    return [t for t in _as_tuple(x) if isinstance(t, TensorBase) and t._a.dtype.kind in "fcVW"]


def _outputs(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Any]:
    return [o for o in _differentiable(func(*inputs)) if o.requires_grad]


def _check_inputs(inputs: tuple[Any, ...], check_undefined: bool) -> list[Any]:
    some = False
    for i, x in enumerate(inputs):
        if isinstance(x, TensorBase) and x._fn is not None:
            some = True
            if x._a.dtype not in (np.float64, np.complex128):
                warnings.warn(
                    f"Input #{i} requires gradient and is not a double precision floating "
                    f"point or complex. This check will "
                    "likely fail if all the inputs are not of double precision floating point "
                    "or complex. ",
                    UserWarning,
                    stacklevel=4,
                )
            a = x._a.values if _sparse(x) else x._a
            if a.size and any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True)):
                raise RuntimeError(
                    f"The {i}th input has a dimension with stride 0. gradcheck only supports "
                    f"inputs that are non-overlapping "
                    "to be able to compute the numerical gradients correctly. You should call "
                    ".contiguous on the input before passing it to gradcheck."
                )
    if not some:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the "
            "them have requires_grad=True."
        )
    return [x for x in inputs if isinstance(x, TensorBase) and x._fn is not None]


def _values(func: Callable[..., Any], inputs: tuple[Any, ...], like: list[Any]) -> list[Any]:
    """Outputs as flat arrays (copies), in the order of `_outputs`."""
    outs = [numbers(o) for o in _outputs(func, inputs)[: len(like)]]
    for a, y in zip(outs, like, strict=True):
        check_same(a, y._a)
    return [a.reshape(-1) for a in outs]


def check_same(a: Any, b: Any, eps: float | None = None) -> None:
    """Raise if outputs for inputs that hardly differ have another shape or type."""
    for name in ("shape", "dtype"):
        was, now = getattr(b, name), getattr(a, name)
        if was != now:
            raise AssertionError(
                message(
                    f"Expected `func` to return outputs with the same {name} when inputs are "
                    f"perturbed{'' if eps is None else f' by {eps}'}",
                    got=f"{name}s {now} and {was}",
                )
            )


def _sparse(t: Any) -> bool:
    return isinstance(t._a, SparseArray)


def numbers(t: Any) -> Any:
    """The values of a tensor as an array of their own; of a sparse one those that are stored."""
    if _sparse(t):
        return t._a.values.copy()
    if t._a.__class__ is not OuterArray:
        return np.array(t._a)
    flat = t.detach().reshape(-1)  # its class has the numbers, and gives one at a time
    return np.array([flat[i].item() for i in range(t._a.size)], t._a.dtype).reshape(t._a.shape)


def put(t: Any, values: Any) -> None:
    """Write values into a tensor, unseen by the tape."""
    if _sparse(t):
        np.copyto(t._a.values, values)
        return
    if t._a.__class__ is not OuterArray:
        np.copyto(t._a, values)
        return
    with door.grad_enabled(False):
        t.data.copy_(door.wrap(np.asarray(values, t._a.dtype)))


def _numerical(
    func: Callable[..., Any], inputs: tuple[Any, ...], xs: list[Any], outs: list[Any], eps: float
) -> list[list[Any]]:
    """jacobians[input][output] of shape (input elements, output elements): dy_j / dx_i.

    For complex inputs it is the pair of directions as PyTorch defines it: conj Wirtinger
    derivative times two.
    """
    out = []
    for x in xs:
        a = numbers(x)
        places = list(np.ndindex(a.shape))
        rows: list[Any] = []
        for place in places:
            parts = []
            for step in (eps, eps * 1j) if a.dtype.kind in "cW" else (eps,):
                before = a[place]
                a[place] = before + step
                put(x, a)
                up = _values(func, inputs, outs)
                a[place] = before - step
                put(x, a)
                down = _values(func, inputs, outs)
                a[place] = before
                put(x, a)
                parts.append([(u - d) / (2 * eps) for u, d in zip(up, down, strict=True)])
            rows.append(parts)
        out.append(
            [
                [np.array([r[k][j] for r in rows]) for k in range(len(rows[0]) if rows else 1)]
                if rows
                else []
                for j in range(len(outs))
            ]
        )
    return out


def _analytical(y: Any, xs: list[Any], v: Any, varied: list[Any]) -> list[Any]:
    """v^H J of one output, as flat arrays; zeros where there is no path."""
    gs = grad((y,), xs, (v,), retain_graph=True, allow_unused=True)
    return [_flat(g, x) for g, x in zip(gs, varied, strict=True)]


def _flat(g: Any, x: Any) -> Any:
    """A gradient as a row of numbers, one for each that is varied in `x`."""
    if g is None:
        return np.zeros(x._a.values.size if _sparse(x) else x._a.size, x._a.dtype)
    if not _sparse(x) and not _sparse(g):
        return numbers(g).reshape(-1)
    from ..sparse import checking

    return checking.flat(g, x._a) if _sparse(x) else checking.dense_flat(g)


def _varied(
    args: tuple[Any, ...], xs: list[Any], masked: bool
) -> tuple[tuple[Any, ...], list[Any]]:
    """(The arguments, and those of them that are varied), sparse ones replaced by copies that are
    written to: with all elements stored, or with `masked` those that are."""
    if not any(_sparse(x) for x in xs):
        return args, xs
    from ..sparse import checking

    copies = {id(x): checking.varied(x, masked) if _sparse(x) else x for x in xs}
    return tuple(copies.get(id(x), x) for x in args), [copies[id(x)] for x in xs]


def _unit(y: Any, j: int, value: Any) -> Any:
    v = np.zeros(y._a.shape, y._a.dtype)
    v.reshape(-1)[j] = value
    return door.wrap(v)


def _expected(numeric: list[Any], j: int, value: complex, x_complex: bool) -> Any:
    """What the gradient for cotangent `value` at output element j must be, from the measured
    directions.

    For L with dL = Re(conj(value) dy): the gradient of a real x is Re(conj(value) dy/dx); of a
    complex x it is that for the real direction plus i times that for the imaginary one.
    """
    re = np.real(np.conj(value) * numeric[0][:, j])
    return re + 1j * np.real(np.conj(value) * numeric[1][:, j]) if x_complex else re


def _close(a: Any, b: Any, rtol: float, atol: float) -> bool:
    return bool(np.allclose(a, b, rtol, atol))


def _slow(
    func: Any,
    inputs: Any,
    xs: list[Any],
    varied: list[Any],
    outs: list[Any],
    eps: float,
    atol: float,
    rtol: float,
    nondet: float,
) -> None:
    numeric = _numerical(func, inputs, varied, outs, eps)
    for o, y in enumerate(outs):
        values = (1.0, 1j) if y._a.dtype.kind in "cW" else (1.0,)
        analytic: list[list[Any]] = [[] for _ in xs]
        measured: list[list[Any]] = [[] for _ in xs]
        for j in range(y._a.size):
            for value in values:
                got = _analytical(y, xs, _unit(y, j, value), varied)
                again = _analytical(y, xs, _unit(y, j, value), varied)
                for i, x in enumerate(xs):
                    _same_again(got[i], again[i], nondet)
                    analytic[i].append(got[i])
                    if got[i].size:
                        measured[i].append(
                            _expected(numeric[i][o], j, value, x._a.dtype.kind in "cW")
                        )
                    else:
                        measured[i].append(np.zeros(0))
        for i in range(len(xs)):
            a, m = np.array(analytic[i]).T, np.array(measured[i]).T
            for part, every in PARTS if len(values) > 1 else (("", slice(None)),):
                if a.size and not _close(a[:, every], m[:, every], rtol, atol):
                    raise GradcheckError(_report(i, o, a[:, every], m[:, every], part))


# Of a complex output: every other column is of 1j as its gradient.
PARTS = (("imaginary", slice(1, None, 2)), ("real", slice(0, None, 2)))


def _same_again(first: Any, second: Any, nondet: float) -> None:
    if not _close(first, second, 0.0, nondet):
        raise GradcheckError(
            message(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives "
                "different values, although analytical gradient matches numerical gradient. "
                f"The tolerance for nondeterminism was {nondet}.",
                got=f"a difference of {np.max(np.abs(first - second)):.3g} between two equal "
                f"backward runs",
                hint="nondet_tol=, or make the backward deterministic (random numbers belong "
                "into the forward)",
            )
        )


def _report(i: int, o: int, analytic: Any, numeric: Any, part: str) -> str:
    whole = f"While considering the {part} part of complex outputs only, " if part else ""
    worst = np.unravel_index(
        np.argmax(np.nan_to_num(np.abs(analytic - numeric), nan=np.inf)), analytic.shape
    )
    return message(
        f"{whole}Jacobian mismatch for output {o} with respect to input {i},",
        got=f"numerical:{np.array2string(numeric, precision=4)}\n"
        f"analytical:{np.array2string(analytic, precision=4)}",
        wanted="equal values within atol + rtol * |numerical|",
        hint=f"look at input element {int(worst[0])}, output element {int(worst[1])}: "
        f"{analytic[worst]:.6g} where differences give {numeric[worst]:.6g}",
    )


def _fast(
    func: Any,
    inputs: Any,
    xs: list[Any],
    varied: list[Any],
    outs: list[Any],
    eps: float,
    atol: float,
    rtol: float,
    nondet: float,
) -> None:
    """Compare one random projection v^T J u of each pair."""
    rng = np.random.default_rng(0)

    def unit(a: Any) -> Any:
        u = rng.standard_normal(a.shape)
        if a.dtype.kind in "cW":
            u = u + 1j * rng.standard_normal(a.shape)
        norm = np.linalg.norm(u.reshape(-1))
        return (u / (norm if norm else 1.0)).astype(a.dtype)

    us = [unit(x._a.values if _sparse(x) else x._a) for x in varied]
    vs = [unit(y._a) for y in outs]
    for i, (x, u) in enumerate(zip(varied, us, strict=True)):
        before = numbers(x)
        put(x, before + eps * u)
        up = _values(func, inputs, outs)
        put(x, before - eps * u)
        down = _values(func, inputs, outs)
        put(x, before)
        for o, (y, v) in enumerate(zip(outs, vs, strict=True)):
            numeric = np.real(np.vdot(v.reshape(-1), (up[o] - down[o]) / (2 * eps)))
            got = _analytical(y, xs, door.wrap(v.copy()), varied)[i]
            _same_again(got, _analytical(y, xs, door.wrap(v.copy()), varied)[i], nondet)
            analytic = np.real(np.vdot(got, u.reshape(-1)))
            if not _close(analytic, numeric, rtol, atol):
                raise GradcheckError(
                    message(
                        f"Jacobian mismatch for output {o} with respect to input {i},",
                        got=f"numerical:{numeric}\nanalytical:{analytic}\n"
                        "(the above quantities are computed in fast mode: v^T J u for random u "
                        "and v)",
                        wanted="equal values within atol + rtol * |numerical|",
                        hint="fast_mode=False shows both Jacobians and the worst element",
                    )
                )


def _undefined(func: Any, inputs: Any, xs: list[Any]) -> None:
    """Backward must accept undefined (None) gradients of outputs: all of them, and one at a
    time."""
    outs = _outputs(func, inputs)
    if len(outs) < 2:
        return
    for y in outs:  # the others get None
        grad((y,), xs, (door.zeros_of(y),), retain_graph=True, allow_unused=True)


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
    check_sparse_nnz: bool | None = None,
) -> bool:
    """Check the gradients of `func` at `inputs` against finite differences.

    Args:
        func: takes Tensors, returns a Tensor or a tuple of them.
        inputs: a Tensor or a tuple; those with requires_grad (double precision) are checked.
        eps, atol, rtol: step of the differences, absolute and relative tolerance.
        raise_exception: raise GradcheckError (a RuntimeError) instead of returning False.
        nondet_tol: allowed difference between two identical backward runs.
        check_undefined_grad: also check that undefined output gradients are handled.
        check_grad_dtypes: also check that gradients have their inputs' dtypes.
        check_batched_grad: also compare `is_grads_batched` with one vector after the other.
        check_forward_ad: also check forward-mode derivatives.
        check_batched_forward_grad: also compare those under `vmap` with one after the other.
        fast_mode: one random direction instead of all elements.
        masked: of sparse inputs only the elements that are stored are varied, not all of them.

    >>> import rushlight as torch
    >>> x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, (x,))
    True
    """
    args = (
        func,
        inputs,
        eps,
        atol,
        rtol,
        nondet_tol,
        check_undefined_grad,
        check_grad_dtypes,
        check_batched_grad,
        check_batched_forward_grad,
        check_forward_ad,
        check_backward_ad,
        fast_mode,
        bool(masked),
    )
    if raise_exception:
        return _gradcheck(*args)
    try:
        return _gradcheck(*args)
    except GradcheckError:
        return False


def _gradcheck(
    func: Any,
    inputs: Any,
    eps: float,
    atol: float,
    rtol: float,
    nondet: float,
    undefined: bool,
    grad_dtypes: bool,
    batched: bool,
    batched_forward: bool,
    forward: bool,
    backward: bool,
    fast: bool,
    masked: bool,
) -> bool:
    if not (forward or backward):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    from . import gradcheck_modes as modes

    args = _as_tuple(inputs)
    xs = _check_inputs(args, undefined)
    with door.grad_enabled(True):
        for x in xs:
            if x.is_leaf is False:
                x.retain_grad()
        all_outs = _as_tuple(func(*args))
        for y in all_outs:
            if not isinstance(y, TensorBase):
                raise ValueError("Expected func to return a Tensor or a tuple of Tensors")
            if _sparse(y):
                raise ValueError(
                    "Sparse output is not supported at gradcheck yet. Please call "
                    "to_dense(masked_grad=...) on the output of fn for gradcheck."
                )
        changed, varied = _varied(args, xs, masked)
        outs = [y for y in _differentiable(all_outs) if y.requires_grad]
        if not outs:
            # nothing depends on the inputs: then the differences must be zero
            for i, x in enumerate(varied):
                for value in _constant_slopes(func, changed, x, eps):
                    if not _close(value, 0, 0.0, atol):
                        raise GradcheckError(
                            f"Numerical gradient for function expected to be zero (input {i})"
                        )
            return True
        if backward:
            check = _fast if fast else _slow
            check(func, changed, xs, varied, outs, eps, atol, rtol, nondet)
        if backward and grad_dtypes:
            for y in outs:
                gs = grad(
                    (y,), xs, (door.wrap(np.ones_like(y._a)),), retain_graph=True, allow_unused=True
                )
                for x, g in zip(xs, gs, strict=True):
                    if g is not None and g._a.dtype != x._a.dtype:
                        raise GradcheckError("the gradient's dtype differs from its input's")
        if forward:
            modes.check_forward(func, args, xs, eps, atol, rtol, fast)
            if undefined:
                modes.check_forward_undefined(func, args, xs)
        if batched_forward:
            modes.check_forward_batched(func, args, xs)
        if backward:
            if batched:
                modes.check_batched(outs, xs, rtol, atol)
            modes.check_zero(outs, xs, masked)
            if undefined:
                _undefined(func, args, xs)
    return True


def _constant_slopes(func: Any, args: Any, x: Any, eps: float) -> Any:
    a = numbers(x)
    for place in np.ndindex(a.shape):
        before = a[place]
        a[place] = before + eps
        put(x, a)
        up = [numbers(o) for o in _differentiable(func(*args))]
        a[place] = before - eps
        put(x, a)
        down = [numbers(o) for o in _differentiable(func(*args))]
        a[place] = before
        put(x, a)
        for u, d in zip(up, down, strict=True):
            yield (u - d) / (2 * eps)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check second derivatives: `gradcheck` of the gradient function of `func`.

    Args: as `gradcheck`; `grad_outputs` are the vectors of the first derivative (random when None).

    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x**3, x)
    True
    """
    args = _as_tuple(inputs)
    outs = [y for y in _differentiable(func(*args)) if y.requires_grad]
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        vs = []
        for y in outs:
            v = rng.standard_normal(y._a.shape) + (
                1j * rng.standard_normal(y._a.shape) if y._a.dtype.kind in "cW" else 0
            )
            v = np.asarray(v).astype(y._a.dtype)
            if gen_non_contig_grad_outputs and v.ndim:
                v = np.stack([v, v], axis=-1)[..., 0]
            vs.append(door.wrap(v).requires_grad_())
    else:
        vs = list(_as_tuple(grad_outputs))
    n = len(args)

    checked = [isinstance(x, TensorBase) and x._fn is not None for x in args]

    def first(*both: Any) -> Any:
        xs, gs = both[:n], both[n:]
        for x, on in zip(xs, checked, strict=True):
            if on and x._fn is None:  # dual tensors require no gradient
                x.requires_grad_()
        ys = [y for y in _differentiable(func(*xs)) if y.requires_grad]
        wanted = [x for x in xs if isinstance(x, TensorBase) and x._fn is not None]
        got = grad(ys, wanted, gs, create_graph=True, allow_unused=True)
        return tuple(g for g in got if g is not None)

    return gradcheck(
        first,
        (*args, *vs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


_ = dtypes


def __getattr__(name: str) -> Any:
    if name in (
        "get_analytical_jacobian",
        "get_numerical_jacobian",
        "get_numerical_jacobian_wrt_specific_input",
    ):
        from . import jacobians

        return getattr(jacobians, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

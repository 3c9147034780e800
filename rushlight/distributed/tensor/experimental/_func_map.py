"""`local_map`: a function of plain tensors, applied to each rank's parts of DTensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ....errors import message
from ....tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ...device_mesh import DeviceMesh
from .._api import DTensor
from ..placement_types import Placement

__all__ = ["local_map"]

Lies = Sequence[Placement] | None


def local_map(
    func: Callable[..., Any] | None = None,
    out_placements: Lies | tuple[Lies, ...] = None,
    in_placements: tuple[Lies, ...] | None = None,
    in_grad_placements: tuple[Lies, ...] | None = None,
    device_mesh: DeviceMesh | None = None,
    *,
    redistribute_inputs: bool = False,
) -> Callable[..., Any]:
    """A function that calls `func` with this rank's parts of DTensors, and makes DTensors of what
    it returns. What must be sent `func` sends itself.

    Args:
        func: None: what is returned is a decorator.
        out_placements: how the result lies: a list of placements; for several results, in whatever
            lists and dicts, a tuple of such lists, with None for what is no tensor.
        in_placements: how each argument must lie; None for what is no tensor. Arguments are counted
            as they stand in lists and dicts; those given by name are not looked at.
        in_grad_placements: how the ranks' gradients of each argument make that of the whole; None:
            as the argument lies.
        device_mesh: of the results; None: that of the first DTensor.
        redistribute_inputs: bring arguments that lie otherwise to `in_placements`.

    Without a DTensor among the arguments it is `func`.

    Raises:
        ValueError: an argument lies otherwise than `in_placements`.
        AssertionError: another number of placements than of arguments or results; placements for
            what is no tensor, or none for a DTensor; a DTensor that `func` returns.

    Example, as each of two processes runs it::

        def product(w, x):                       # of columns and rows: a part of a sum
            return funcol.all_reduce(w @ x, "sum", mesh)

        whole = local_map(product, [Replicate()], ([Shard(1)], [Shard(0)]))
        whole(w, x)                              # w and x: DTensors that lie like this
    """
    if func is None:
        return partial(
            local_map,
            out_placements=out_placements,
            in_placements=in_placements,
            in_grad_placements=in_grad_placements,
            device_mesh=device_mesh,
            redistribute_inputs=redistribute_inputs,
        )
    given = (out_placements, in_placements, in_grad_placements, device_mesh, redistribute_inputs)
    return partial(mapped, func, *given)


def mapped(
    func: Callable[..., Any],
    out_placements: Any,
    in_placements: Any,
    in_grad_placements: Any,
    mesh: DeviceMesh | None,
    redistribute: bool,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """The call."""
    flat, made_of = tree_flatten(args)
    if in_placements is not None and len(in_placements) != len(flat):
        raise AssertionError(
            f"in_placements length {len(in_placements)} does not match the number of input args "
            f"{len(flat)}!"
        )
    local: list[Any] = []
    spread = False
    for i, arg in enumerate(flat):
        where = None if in_placements is None else in_placements[i]
        if not isinstance(arg, DTensor):
            if where is not None and not isinstance(arg, Tensor):
                raise AssertionError(
                    f"Non-Tensor input {arg} expects None placements but received {where}!"
                )
            local.append(arg)
            continue
        spread, mesh = True, arg.device_mesh if mesh is None else mesh
        if in_placements is not None:
            arg = lying(arg, where, redistribute)
        back = None
        if in_grad_placements is not None:
            back = in_grad_placements[i]
            if back is None:
                raise AssertionError(
                    f"DTensor input {arg} expects in grad placements but received {back}!"
                )
        local.append(arg.to_local(grad_placements=back))
    out = func(*tree_unflatten(local, made_of), **kwargs)
    if not spread:
        return out
    results, out_of = tree_flatten(out)
    lies = out_placements if isinstance(out_placements, tuple) else (out_placements,)
    if len(results) != len(lies):
        raise AssertionError(
            "local_map requires one PlacementType be provided for each output value, received "
            f"{len(lies)} out_placements but {len(results)} is expected!"
        )
    return tree_unflatten(
        [wrapped(r, mesh, where) for r, where in zip(results, lies, strict=True)], out_of
    )


def lying(arg: DTensor, where: Any, redistribute: bool) -> DTensor:
    """An argument that lies as it must."""
    if where is None:
        raise AssertionError(f"DTensor input {arg} expects placements but received {where}!")
    if arg.placements == tuple(where):
        return arg
    if redistribute:
        return arg.redistribute(placements=tuple(where))
    raise ValueError(
        message(
            f"arg {arg} in local_map has a mismatched placements",
            got=f"{arg.placements}",
            wanted=f"{tuple(where)}",
            hint="redistribute_inputs=True",
        )
    )


def wrapped(result: Any, mesh: DeviceMesh | None, where: Any) -> Any:
    """One of the results as a DTensor."""
    if not isinstance(result, Tensor):
        if where is not None:
            raise AssertionError(
                f"Non-tensor output {result} expects None placements but received {where}!"
            )
        return result
    if isinstance(result, DTensor):
        raise AssertionError(f"torch.Tensor output expected but received {type(result)}: {result}")
    return DTensor.from_local(result, mesh, where, run_check=False)

"""Several modules, each called with its own inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...device import usable
from ...errors import message

__all__ = ["parallel_apply", "replicate"]


def replicate(network: Any, devices: Sequence[Any], detach: bool = False) -> list[Any]:
    """The module for each device; for the CPU, the only one here, that is the module itself.

    Raises:
        RuntimeError: a device that is not there.

    >>> net = nn.Linear(2, 2)
    >>> nn.parallel.replicate(net, ["cpu"])[0] is net
    True
    """
    for where in devices:
        usable(where)
    return [network for _ in devices]


def parallel_apply(
    modules: Sequence[Any],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Call each module with its inputs, and return the results in their order.

    One after the other: on one device each operation has all threads already.

    Args:
        modules: what is called.
        inputs: for each a tuple of arguments, or one argument.
        kwargs_tup: for each its arguments by name.
        devices: where each is; None, or the CPU.

    Raises:
        AssertionError: lists of different lengths.
        RuntimeError: a device that is not there.

    >>> net = nn.Identity()
    >>> nn.parallel.parallel_apply([net, net], [(torch.ones(1),), torch.zeros(1)])
    [tensor([1.]), tensor([0.])]
    """
    named = [{}] * len(modules) if kwargs_tup is None else kwargs_tup
    for what, given in (("inputs", inputs), ("kwargs", named), ("devices", devices)):
        if given is not None and len(given) != len(modules):
            raise AssertionError(
                message(
                    f"The number of modules {len(modules)} is not equal to the number of {what} "
                    f"{len(given)}"
                )
            )
    for where in devices or ():
        usable(where)
    return [
        module(*(given if isinstance(given, (list, tuple)) else (given,)), **kw)
        for module, given, kw in zip(modules, inputs, named, strict=True)
    ]

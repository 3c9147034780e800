"""Modules as functions: call one with other parameters, stack the parameters of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nn.utils import stateless
from ..ops.shape.views import stack

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with the given tensors in place of its parameters and buffers.

    Args:
        parameter_and_buffer_dicts: name -> tensor, or several such dictionaries with different
        names.
        args, kwargs: what the module is called with (a tuple, or the single argument).
        tie_weights: parameters that are one tensor in the module stay one.
        strict: the names must be exactly those of the module.

    >>> import rushlight as torch
    >>> net = torch.nn.Linear(1, 1)
    >>> w = {"weight": torch.tensor([[2.0]]), "bias": torch.tensor([1.0])}
    >>> torch.func.functional_call(net, w, torch.tensor([3.0])).tolist()
    [7.0]
    """
    given = parameter_and_buffer_dicts
    if not isinstance(given, dict):
        if not isinstance(given, Sequence) or not all(isinstance(d, dict) for d in given):
            raise ValueError(
                "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
                if isinstance(given, Sequence)
                else "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of "
                f"dicts, but got {type(given)}"
            )
        names = [k for d in given for k in d]
        twice = {k for k in names if names.count(k) > 1}
        if twice:
            raise ValueError(
                f"{sorted(twice)} appeared in multiple dictionaries; behavior of functional call "
                "is ambiguous"
            )
        given = {k: v for d in given for k, v in d.items()}
    return stateless._functional_call(
        module, given, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(parameters, buffers) of several modules of one architecture, stacked along a new first
    dimension.

    Together with `functional_call` and `vmap` this runs an ensemble.

    Raises:
        RuntimeError: no models, models of different classes or modes.

    >>> models = [nn.Linear(2, 3) for _ in range(5)]
    >>> params, buffers = torch.func.stack_module_state(models)
    >>> params["weight"].shape
    torch.Size([5, 3, 2])
    >>> def call(p, b, x):
    ...     return torch.func.functional_call(models[0], (p, b), (x,))
    >>> torch.vmap(call, in_dims=(0, 0, None))(params, buffers, torch.ones(4, 2)).shape
    torch.Size([5, 4, 3])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or not any(m.training for m in models)):
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(name: str, tensors: list[Any], leaf: bool) -> Any:
        if leaf and len({t.requires_grad for t in tensors}) > 1:
            raise RuntimeError(
                f"Expected {name} from each model to have the same .requires_grad because it is a "
                "parameter"
            )
        y = stack(*[t.detach() for t in tensors], dim=0)
        return y.requires_grad_(tensors[0].requires_grad) if leaf else y

    parameters = {
        k: stacked(k, [dict(m.named_parameters())[k] for m in models], True)
        for k, _ in models[0].named_parameters()
    }
    buffers = {
        k: stacked(k, [dict(m.named_buffers())[k] for m in models], False)
        for k, _ in models[0].named_buffers()
    }
    return parameters, buffers


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let no BatchNorm in `root` keep running statistics, in place: writing them is a change that
    `vmap` and `functional_call` cannot make. Each uses the statistics of its batch, always.

    >>> net = nn.Sequential(nn.BatchNorm1d(2))
    >>> torch.func.replace_all_batch_norm_modules_(net)[0].running_mean is None
    True
    """
    from ..nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root

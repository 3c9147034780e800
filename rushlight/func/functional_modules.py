"""The older form of modules as functions: `make_functional`, and ensembles of them (`functorch`).

A functional module holds a copy of a module and takes its parameters as its first argument. New
programs use `torch.func.functional_call` and `stack_module_state` (`modules.py`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from .. import nn
from ..nn.utils import stateless
from ..ops.shape.views import stack
from .transforms import transforming


def _own(named: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Tensors and their names, one name a tensor."""
    pairs = list(named)
    return tuple(t for _, t in pairs), tuple(n for n, _ in pairs)


def _free(t: Any) -> Any:
    """A leaf of the same memory that requires no gradient."""
    return nn.Parameter(t.detach(), requires_grad=False) if isinstance(t, nn.Parameter) else t


class FunctionalModuleWithBuffers(nn.Module):
    """`module(params, buffers, *args)`: a module whose state comes from outside."""

    def __init__(self, stateless_model: Any, param_names: Any, buffer_names: Any) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    @classmethod
    def _create_from(cls, model: Any, disable_autograd_tracking: bool = False) -> Any:
        params, names = _own(model.named_parameters())
        buffers, buffer_names = _own(model.named_buffers())
        if disable_autograd_tracking:
            params = tuple(_free(p) for p in params)
        return cls(copy.deepcopy(model), names, buffer_names), params, buffers

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        """The module's result for these parameters and buffers."""
        names = (*self.param_names, *self.buffer_names)
        given = dict(zip(names, (*params, *buffers), strict=True))
        return stateless._functional_call(self.stateless_model, given, args, kwargs)


class FunctionalModule(nn.Module):
    """`module(params, *args)`: a module whose parameters come from outside."""

    def __init__(self, stateless_model: Any, param_names: Any) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    @classmethod
    def _create_from(cls, model: Any, disable_autograd_tracking: bool = False) -> Any:
        params, names = _own(model.named_parameters())
        if disable_autograd_tracking:
            params = tuple(_free(p) for p in params)
        return cls(copy.deepcopy(model), names), params

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:
        """The module's result for these parameters."""
        given = dict(zip(self.param_names, params, strict=True))
        return stateless._functional_call(self.stateless_model, given, args, kwargs)


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[Any, Any]:
    """(function, parameters) of a module without buffers.

    >>> import rushlight as torch
    >>> f, params = make_functional(torch.nn.Linear(2, 1, bias=False))
    >>> f((torch.ones(1, 2),), torch.ones(2)).tolist()
    [2.0]
    """
    if list(model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)  # type: ignore[no-any-return]


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Any, Any, Any]:
    """(function, parameters, buffers) of a module."""
    return FunctionalModuleWithBuffers._create_from(  # type: ignore[no-any-return]
        model, disable_autograd_tracking
    )


def combine_state_for_ensemble(models: Any) -> tuple[Any, Any, Any]:
    """(function, parameters, buffers) of several modules of one class, each stacked along a new
    first dimension."""
    models = list(models)
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    if len({type(m) for m in models}) > 1:
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to be of the same class."
        )
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], _stacked(params), _stacked(buffers)


def _stacked(of_models: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(stack(*group, dim=0).detach() for group in zip(*of_models, strict=True))


def _ensemble(
    model_class: Any, shape: Any, device: Any, make: Callable[[Any], tuple[Any, ...]]
) -> Callable[..., Any]:
    """`functional_init`: the state first, stacked over models of different beginnings."""

    def init(*args: Any, **kwargs: Any) -> Any:
        if len(shape) >= 2:
            raise ValueError("NYI: ensemble_shape with more than 1 element")
        if shape and shape[0] <= 0:
            raise ValueError(f"num_models {shape[0]} should be > 0")
        made = [
            make(model_class(*args, **kwargs).to(device)) for _ in range(shape[0] if shape else 1)
        ]
        function, *state = made[0]
        if shape:
            state = [_stacked(s) for s in list(zip(*made, strict=True))[1:]]
        names = [function.param_names]
        if hasattr(function, "buffer_names"):
            names.append(function.buffer_names)
        return (*state, _of_data(function, len(state)), *names)

    return init


def _of_data(function: Any, n: int) -> Callable[..., Any]:
    """A functional module that takes its inputs as one tuple behind `n` parts of the state."""

    def of_data(*given: Any) -> Any:
        return function(*given[:n], *given[n])

    return of_data


def functional_init(model_class: Any, ensemble_shape: Any = (), device: Any = "cpu") -> Any:
    """A function of the class's arguments that returns (parameters, function, names)."""
    return _ensemble(model_class, ensemble_shape, device, make_functional)


def functional_init_with_buffers(
    model_class: Any, ensemble_shape: Any = (), device: Any = "cpu"
) -> Any:
    """The same with buffers: (parameters, buffers, function, names, names of buffers)."""
    return _ensemble(model_class, ensemble_shape, device, make_functional_with_buffers)


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let no batch norm within a module keep running statistics, in place; returns the module."""
    for module in root.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean = None
            module.running_var = None
            module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """A function of the same results; here it is called as it is, for no tracer follows it.

    >>> torch.func.functionalize(lambda x: x.add_(1))(torch.ones(2))
    tensor([2., 2.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            "Valid options are:\n     remove='mutations': all inplace and out= operators will be "
            "removed from the program, and replaced with their out-of-place equivalents.\n     "
            "remove='mutations_and_views': in addition to the above, all aliasing operators "
            "{view} will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with transforming(reverse=False):
            return func(*args, **kwargs)

    return wrapped

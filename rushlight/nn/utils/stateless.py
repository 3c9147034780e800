"""A module called with other parameters than its own. `func.functional_call` is this function."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ...blocks import contextmanager
from ...tensor import Tensor
from ..module import Module

__all__ = ["functional_call"]

_MISSING: Any = object()


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with the given tensors in place of its parameters and buffers.

    Deprecated here: use ``torch.func.functional_call``.
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be "
        "removed in a future version of PyTorch. Please use `torch.func.functional_call` instead "
        "which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def _functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with the given tensors in place of its parameters and buffers.

    Args:
        parameters_and_buffers: dotted names to tensors; what is not named stays.
        args, kwargs: of the call; a single argument need not be a tuple.
        tie_weights: a tensor that the module has under several names is replaced under all.
        strict: every name of the module must be given, and no other.
    """
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(
        module, parameters_and_buffers, tie_weights=tie_weights, strict=strict
    ):
        return module(*args, **(kwargs or {}))


@contextmanager
def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    """In this block `module` has the given tensors. In-place changes of attributes come back."""
    given = _untie(module, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check_keys(module, given)
    swapped: list[tuple[str, Any]] = []

    def back() -> None:  # where this is interrupted it is called again
        while swapped:
            name, original = swapped[-1]
            new = _swap(module, name, original)
            if name in parameters_and_buffers and new is not _MISSING and new is not original:
                parameters_and_buffers[name] = new
            del swapped[-1]

    try:
        for name, tensor in given.items():
            swapped.append((name, _swap(module, name, tensor)))
        yield
    finally:
        try:
            back()
        except BaseException:
            back()
            raise


def _untie(module: Module, given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give a tensor's other names the tensor that one of them was given."""
    names: dict[int, list[str]] = {}
    for members in (module.named_parameters, module.named_buffers):
        for name, tensor in members(remove_duplicate=False):
            names.setdefault(id(tensor), []).append(name)
    out = dict(given)
    for tied in names.values():
        named = [name for name in tied if name in given]
        if len(tied) < 2 or not named:
            continue
        if len({id(given[name]) for name in named}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False"
            )
        out.update(dict.fromkeys(tied, given[named[0]]))
    return out


def _check_keys(module: Module, given: Mapping[str, Tensor]) -> None:
    own = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    own |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    errors = []
    for what, names in (("Unexpected", given.keys() - own), ("Missing", own - given.keys())):
        if names:
            errors.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if errors:
        text = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{text}")


def _swap(module: Module, path: str, tensor: Any) -> Any:
    """Put `tensor` at a dotted path and return what was there."""
    prefix, _, name = path.rpartition(".")
    owner = module.get_submodule(prefix)
    if not (tensor is _MISSING or tensor is None or isinstance(tensor, Tensor)):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    for registry in (owner._parameters, owner._buffers):
        if name in registry:
            old = registry[name]
            if tensor is _MISSING:
                del registry[name]
            else:
                registry[name] = tensor
            return old
    old = getattr(owner, name, _MISSING)
    if not (old is _MISSING or old is None or isinstance(old, Tensor)):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(owner, name, tensor)
    elif old is not _MISSING:
        delattr(owner, name)
    return old

"""Which modules become units of their own: policies, and wrapping by hand.

A policy is a function `(module, recurse, nonwrapped_numel) -> bool`, asked bottom up, or an object
with `_run_policy`, which picks modules and settings for them (`ModuleWrapPolicy`, `CustomPolicy`).
"""

from __future__ import annotations

import contextlib
import copy
import functools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import rushlight
from rushlight import nn
from rushlight.errors import message

__all__ = [
    "CustomPolicy",
    "ModuleWrapPolicy",
    "always_wrap_policy",
    "enable_wrap",
    "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
]


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Every module becomes a unit."""
    return True


def lambda_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[nn.Module], bool]
) -> bool:
    """Modules for which `lambda_fn(module)` is true become units."""
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type]
) -> bool:
    """Modules of these classes become units."""
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: nn.Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = int(1e8),
    force_leaf_modules: set[type] | None = None,
    exclude_wrap_modules: set[type] | None = None,
) -> bool:
    """Modules with at least `min_num_params` numbers that are in no unit yet become units.

    Args:
        force_leaf_modules: classes whose children are left alone; None: MultiheadAttention.
        exclude_wrap_modules: classes that never become units; None: ModuleList and ModuleDict.
    """
    own = size_based_auto_wrap_policy
    excluded = (
        (own.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules)  # type: ignore[attr-defined]
        if recurse
        else (own.EXCLUDE_WRAP_MODULES if exclude_wrap_modules is None else exclude_wrap_modules)  # type: ignore[attr-defined]
    )
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(excluded))


size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {nn.ModuleList, nn.ModuleDict}  # type: ignore[attr-defined]
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {nn.MultiheadAttention}  # type: ignore[attr-defined]


def _or_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, policies: Iterable[Callable[..., bool]]
) -> bool:
    """What any of several policies wants becomes a unit."""
    return any(
        p(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for p in policies
    )


class _Policy(ABC):
    """Picks the modules that become units, with the settings of each."""

    @abstractmethod
    def _run_policy(
        self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
    ) -> dict[nn.Module, dict[str, Any]]: ...


class ModuleWrapPolicy(_Policy):
    """Modules of these classes become units, with the root's settings."""

    def __init__(self, module_classes: Iterable[type]) -> None:
        self._module_classes = set(module_classes)

    def _run_policy(
        self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
    ) -> dict[nn.Module, dict[str, Any]]:
        classes = tuple(self._module_classes)
        return {
            m: dict(root_kwargs)
            for m in root_module.modules()
            if m not in ignored_modules and isinstance(m, classes)
        }

    def __call__(self, module: nn.Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return True if recurse else isinstance(module, tuple(self._module_classes))

    def __repr__(self) -> str:
        return super().__repr__() + f"({self._module_classes})"


class CustomPolicy(_Policy):
    """Modules become units as `lambda_fn(module)` says: False, True, or a dict of settings that
    stand in for the root's."""

    def __init__(self, lambda_fn: Callable[[nn.Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def _run_policy(
        self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
    ) -> dict[nn.Module, dict[str, Any]]:
        found = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            said = self._lambda_fn(module)
            if not isinstance(said, (dict, bool)):
                raise ValueError(
                    "The lambda_fn passed to CustomPolicy should return False/True or a kwarg "
                    f"dict, but it returned {said}"
                )
            if said:
                found[module] = copy.copy(root_kwargs) | (said if isinstance(said, dict) else {})
        return found


# -- by hand ---------------------------------------------------------------------------------------


class _ConfigAutoWrap:
    """What `enable_wrap` has told `wrap`."""

    in_autowrap_context = False
    wrapper_cls: Callable[..., Any] | None = None
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - PyTorch's name, replaced as a whole


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Within the block `wrap(module)` is `wrapper_cls(module, **wrapper_kwargs)`.

    Raises:
        NotImplementedError: within another such block.

    >>> with enable_wrap(wrapper_cls=nn.Sequential):
    ...     type(wrap(nn.Linear(2, 3))).__name__
    'Sequential'
    """
    if _ConfigAutoWrap.in_autowrap_context:
        raise NotImplementedError(
            message(
                "You are already within an autowrap context and we currently do not supported "
                "nested autowrap.",
                hint="leave the outer enable_wrap block first",
            )
        )
    _ConfigAutoWrap.in_autowrap_context = True
    _ConfigAutoWrap.wrapper_cls, _ConfigAutoWrap.kwargs = wrapper_cls, wrapper_kwargs
    try:
        yield
    finally:
        _ConfigAutoWrap.in_autowrap_context = False
        _ConfigAutoWrap.wrapper_cls, _ConfigAutoWrap.kwargs = None, {}


def wrap(module: nn.Module, **wrap_overrides: Any) -> Any:
    """`module` in what `enable_wrap` was told; itself outside of such a block."""
    made = _ConfigAutoWrap.wrapper_cls
    if made is None:
        return module
    return _wrap(module, made, **{**_ConfigAutoWrap.kwargs, **wrap_overrides})


def _wrap(module: nn.Module, wrapper_cls: Callable[..., Any], **kwargs: Any) -> Any:
    return wrapper_cls(module, **{**kwargs, **getattr(module, "_wrap_overrides", {})})


# -- by a policy -----------------------------------------------------------------------------------


def auto_wrap(
    root: nn.Module,
    policy: Any,
    ignored_modules: set[nn.Module],
    ignored_params: set[int],
    kwargs: dict[str, Any],
    wrapper: Callable[..., Any],
) -> None:
    """Wrap the modules below `root` that `policy` picks, innermost first."""
    mixed = kwargs.get("mixed_precision")
    plain: tuple[type, ...] = ()
    if mixed is not None:
        plain = tuple(set(mixed._module_classes_to_ignore))
        found = {type(m) for m in root.modules() if plain and isinstance(m, plain)}
        if found:
            warnings.warn(
                "Both mixed precision and an auto_wrap_policy were specified to FSDP, where the "
                f"wrapped module has submodules of type:\n{found}\nThese modules will be wrapped "
                "as separate FSDP instances with mixed precision disabled.",
                stacklevel=4,
            )
        for m in root.modules():
            if plain and isinstance(m, plain) and m not in ignored_modules:
                compute_whole(m)
    if isinstance(policy, _Policy):
        chosen = policy._run_policy(root, ignored_modules, kwargs)
        for m in root.modules():
            if plain and isinstance(m, plain) and m not in ignored_modules:
                chosen[m] = {**chosen.get(m, kwargs), "mixed_precision": None}
        chosen.pop(root, None)
        _replace(root, lambda m: wrapper(m, **chosen[m]) if m in chosen else m, {root: root})
        return
    if plain:

        def choose(module: nn.Module, **asked: Any) -> Any:
            if isinstance(module, plain):
                return wrapper(module, **{**kwargs, "mixed_precision": None})
            return _wrap(module, wrapper, **kwargs)

        either = functools.partial(_or_policy, policies=[policy, ModuleWrapPolicy(plain)])
        _recursive_wrap(root, either, choose, ignored_modules, ignored_params, True)
        return
    _recursive_wrap(
        root, policy, lambda m: _wrap(m, wrapper, **kwargs), ignored_modules, ignored_params, True
    )


def compute_whole(module: nn.Module) -> None:
    """Let a module among others in a narrow type compute in float32: its inputs are converted, and
    its outputs back."""
    from ._unit import cast_floats, tensors_in

    seen: list[Any] = []

    def before(m: nn.Module, args: Any, kwargs: Any) -> Any:
        seen[:] = [t.dtype for t in tensors_in((args, kwargs)) if t.is_floating_point()][:1]
        return cast_floats((args, kwargs), rushlight.float32)

    def after(m: nn.Module, args: Any, output: Any) -> Any:
        return cast_floats(output, seen[0]) if seen else output

    module.register_forward_pre_hook(before, prepend=True, with_kwargs=True)
    module.register_forward_hook(after)


def _replace(module: nn.Module, fn: Callable[[Any], Any], done: dict[Any, Any]) -> None:
    for name, child in list(module._modules.items()):
        if child is None:
            continue
        if child not in done:
            _replace(child, fn, done)
            done[child] = fn(child)
        if done[child] is not child:
            module._modules[name] = done[child]


def _recursive_wrap(
    module: nn.Module,
    policy: Callable[..., bool],
    wrapper: Callable[[nn.Module], Any],
    ignored_modules: set[nn.Module],
    ignored_params: set[int],
    only_children: bool = False,
) -> tuple[Any, int]:
    """The module, wrapped if the policy wants it, and how many of its numbers are in units."""
    n = sum(p.numel() for p in module.parameters() if id(p) not in ignored_params)
    if not policy(module=module, recurse=True, nonwrapped_numel=n):
        return module, 0
    inside = 0
    for name, child in module.named_children():
        if child in ignored_modules:
            continue
        made, count = _recursive_wrap(child, policy, wrapper, ignored_modules, ignored_params)
        if made is not child:
            module._modules[name] = made
        inside += count
    if not only_children and policy(module=module, recurse=False, nonwrapped_numel=n - inside):
        return wrapper(module), n
    return module, inside

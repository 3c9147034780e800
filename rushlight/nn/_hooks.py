"""Module hooks: the global ones, the methods that register them, and how backward hooks are wired.

A backward hook on a module is made of two identity nodes, one around the module's inputs and one
around its outputs: the outer one sees the gradients coming in, the inner one those going out.

Not here: when forward hooks run (`module.py`, `Module._call_impl`), hooks on tensors and graph
nodes (`autograd/`). Read next: `module.py`.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd.hooks import RemovableHandle

if TYPE_CHECKING:
    from .module import Module

Hook = Callable[..., Any]

_global_buffer_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_module_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_parameter_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
_global_is_full_backward_hook: bool | None = None


def _home() -> Any:
    """`torch.nn.modules.module`: programs put new dictionaries in its places, so its own count."""
    from . import module

    return module


def _add(hooks: Any, hook: Hook, prepend: bool = False, **flags: Any) -> RemovableHandle:
    """Put `hook` into `hooks`; each flag, a (wanted, dictionary) pair, marks the hook's id."""
    handle = RemovableHandle(hooks, extra_dict=[marks for _, marks in flags.values()])
    hooks[handle.id] = hook
    for wanted, marks in flags.values():
        if wanted:
            marks[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever any module registers a buffer.

    A returned value that is not None is registered instead.
    """
    return _add(_home()._global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever any module registers a child."""
    return _add(_home()._global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, param)`` whenever any module registers a parameter."""
    return _add(_home()._global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module."""
    return _add(_home()._global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module.

    With `with_kwargs` it is ``hook(module, args, kwargs, output)``; with `always_call` it also
    runs when the forward raises.
    """
    return _add(
        _home()._global_forward_hooks,
        hook,
        kwargs=(with_kwargs, _home()._global_forward_hooks_with_kwargs),
        always=(always_call, _home()._global_forward_hooks_always_called),
    )


def _set_global_kind(full: bool) -> None:
    home = _home()
    if home._global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module "
            "hook. Please use only one of them."
        )
    home._global_is_full_backward_hook = full


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The old form of `register_module_full_backward_hook`: sees only a module's last operation."""
    _set_global_kind(full=False)
    return _add(_home()._global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward of every module."""
    return _add(_home()._global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` in the backward of every module."""
    _set_global_kind(full=True)
    return _add(_home()._global_backward_hooks, hook)


class _WrappedHook:
    """A hook that also gets its module, held weakly so that hooks make no reference cycles."""

    def __init__(self, hook: Hook, module: Module | None = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module: Any = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class HookMethods:
    """The register_*_hook methods of Module."""

    def register_forward_pre_hook(
        self: Any, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before each forward.

        It may return new positional arguments (a single value stands for a tuple of one). With
        `with_kwargs` it is ``hook(module, args, kwargs)`` and may return ``(args, kwargs)``.

        >>> layer = nn.ReLU()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> layer(torch.tensor([-0.5]))
        tensor([0.5000])
        >>> handle.remove()
        """
        kwargs = (with_kwargs, self._forward_pre_hooks_with_kwargs)
        return _add(self._forward_pre_hooks, hook, prepend, kwargs=kwargs)

    def register_forward_hook(
        self: Any,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each forward; it may return a new output.

        With `with_kwargs` it is ``hook(module, args, kwargs, output)``. With `always_call` it
        runs even when the forward raises.

        >>> net = nn.Linear(2, 1)
        >>> handle = net.register_forward_hook(lambda module, args, output: output * 0 + 1)
        >>> net(torch.ones(1, 2)).item()
        1.0
        >>> handle.remove()
        """
        return _add(
            self._forward_hooks,
            hook,
            prepend,
            kwargs=(with_kwargs, self._forward_hooks_with_kwargs),
            always=(always_call, self._forward_hooks_always_called),
        )

    def register_full_backward_pre_hook(
        self: Any, hook: Hook, prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before gradients pass through the module.

        It may return a new tuple of output gradients.
        """
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_backward_hook(self: Any, hook: Hook) -> RemovableHandle:
        """The old form of `register_full_backward_hook`: sees only the module's last operation."""
        self._set_backward_kind(full=False)
        return _add(self._backward_hooks, hook)

    def register_full_backward_hook(
        self: Any, hook: Hook, prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` once the input gradients are known.

        It may return a new tuple of input gradients. Arguments must not be changed in place.

        >>> layer = nn.Linear(2, 1)
        >>> def show(module, grad_input, grad_output):
        ...     print(grad_output)
        >>> handle = layer.register_full_backward_hook(show)
        >>> layer(torch.ones(1, 2, requires_grad=True)).sum().backward()
        (tensor([[1.]]),)
        """
        self._set_backward_kind(full=True)
        return _add(self._backward_hooks, hook, prepend)

    def _set_backward_kind(self: Any, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    def _get_backward_hooks(self: Any) -> tuple[list[Hook], list[Hook]]:
        """(full hooks, old-style hooks), global ones first."""
        full: list[Hook] = []
        old: list[Hook] = []
        home = _home()
        kind = home._global_is_full_backward_hook
        if kind is not None:
            (full if kind else old).extend(home._global_backward_hooks.values())
        if self._is_full_backward_hook is not None:
            (full if self._is_full_backward_hook else old).extend(self._backward_hooks.values())
        return full, old

    def _get_backward_pre_hooks(self: Any) -> list[Hook]:
        return [*_home()._global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _register_state_dict_hook(self: Any, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata)``; it may return a new dictionary."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self: Any, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata)`` after `state_dict`, to edit it."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self: Any, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` collects anything."""
        return _add(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(
        self: Any, hook: Hook, with_module: bool = False
    ) -> RemovableHandle:
        wrapped = _WrappedHook(hook, self if with_module else None)
        return _add(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_pre_hook(self: Any, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)`` before this module loads; the place to rename old keys."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self: Any, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may edit the two key lists."""
        return _add(self._load_state_dict_post_hooks, hook)


def _same_length(name: str, what: str, got: Any, wanted: int) -> None:
    if len(got) != wanted:
        raise RuntimeError(
            f"Backward {name} returned an invalid number of {what}, got {len(got)}, "
            f"but expected {wanted}"
        )


class BackwardHook:
    """One call of a module with full backward hooks: wires the hooks into the graph."""

    def __init__(self, module: Module, hooks: list[Hook], pre_hooks: list[Hook]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs: list[int] | None = None  # positions of the input tensors
        self.n_inputs = self.n_outputs = -1
        self.outputs: list[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.n_inputs = len(args)
        args, self.inputs = _through_identity(args, self._at_inputs)
        return args

    def setup_output_hook(self, result: Any) -> Any:
        single = not isinstance(result, tuple)
        args = (result,) if single else result
        self.n_outputs = len(args)
        args, self.outputs = _through_identity(args, self._at_outputs)
        return args[0] if single else args

    def _at_inputs(self, grad_inputs: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:  # no gradient came through the module's outputs
            return None
        grads = _spread(self.inputs or [], grad_inputs, self.n_inputs)
        for hook in self.hooks:
            new = hook(self.module, grads, self.grad_outputs)
            if new is not None:
                new = new if isinstance(new, (tuple, list)) else (new,)
                _same_length("hook", "grad_input", new, len(grads))
                grads = tuple(new)
        self.grad_outputs = None
        return tuple(grads[i] for i in self.inputs or [])

    def _at_outputs(self, _: Any, grad_outputs: tuple[Any, ...]) -> Any:
        grads = _spread(self.outputs or [], grad_outputs, self.n_outputs)
        for hook in self.pre_hooks:
            new = hook(self.module, grads)
            if new is not None:
                new = new if isinstance(new, (tuple, list)) else (new,)
                _same_length("pre hook", "grad_output", new, len(grads))
                grads = tuple(new)
        if self.inputs is None:
            self._without_inputs(grads)
        else:
            self.grad_outputs = grads
        return tuple(grads[i] for i in self.outputs or [])

    def _without_inputs(self, grads: tuple[Any, ...]) -> None:
        """No input requires a gradient, so the hooks run as soon as the output gradients are in."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients.",
            stacklevel=5,
        )
        for hook in self.hooks:
            new = hook(self.module, (None,) * self.n_inputs, grads)
            if new is not None and not (isinstance(new, tuple) and all(n is None for n in new)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )


def _spread(places: list[int], values: Any, size: int) -> tuple[Any, ...]:
    out: list[Any] = [None] * size
    for i, v in zip(places, values, strict=True):
        out[i] = v
    return tuple(out)


def _through_identity(args: Any, hook: Hook) -> tuple[Any, list[int] | None]:
    """Pass the tensors of `args` through one identity node and hang `hook` on that node."""
    from ..autograd.grad_mode import is_grad_enabled
    from ..tensor import Tensor
    from .modules._functions import BackwardHookFunction

    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    if not (is_grad_enabled() and any(args[i].requires_grad for i in places)):
        return args, None
    passed = BackwardHookFunction.apply(*[args[i] for i in places])
    if not isinstance(passed, tuple):
        passed = (passed,)
    node = next(t.grad_fn for t in passed if t.grad_fn is not None)
    node.register_hook(hook)
    out = list(args)
    for i, t in zip(places, passed, strict=True):
        out[i] = t
    return (tuple(out) if type(args) is tuple else type(args)(*out)), places


def warn_old_backward_hook(inputs: Any, result: Any, grad_fn: Any) -> None:
    """Warn where an old-style backward hook does not see all of a module's gradients."""
    from ..tensor import Tensor

    def warn(what: str, missing: str) -> None:
        warnings.warn(
            f"Using {what} is deprecated and will be removed in future versions. This hook will "
            f"be missing some {missing}. Please use register_full_backward_hook to get the "
            "documented behavior.",
            FutureWarning,
            stacklevel=4,
        )

    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(r, Tensor) for r in results):
        what = "non-full backward hooks on a Module that does not return a single Tensor or a "
        return warn(what + "tuple of Tensors", "of the grad_output")
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    if not all(isinstance(i, Tensor) for i in inputs):
        what = "non-full backward hooks on a Module that does not take as input a single Tensor or "
        return warn(what + "a tuple of Tensors", "of the grad_input")
    nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    if len(nodes) > 1:
        what = "a non-full backward hook when outputs are generated by different autograd Nodes"
        return warn(what, "grad_output")
    if grad_fn not in nodes:
        what = "a non-full backward hook when outputs are nested in python data structure"
        return warn(what, "grad_output")
    before = {i.grad_fn for i in inputs if i.grad_fn is not None}
    if before != {n[0] for n in grad_fn.next_functions}:
        what = "a non-full backward hook when the forward contains multiple autograd Nodes"
        return warn(what, "grad_input")
    return None

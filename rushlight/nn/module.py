"""Module: what every layer and network is. A tree of modules that hold parameters and buffers.

Here: registering, calling, printing. Not here: looking things up (`_tree.py`), conversions
(`_convert.py`), saving and loading (`_state.py`), registering hooks (`_hooks.py`), the path in
errors (`_path.py`), the layers (`modules/`). Read next: `containers.py`, `modules/linear.py`.
"""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from ..autograd.methods import tells
from ..drawn import drawn_as
from ..kernels.runtime import few
from ..tensor import Buffer, Parameter, Tensor
from . import _hooks, _mistakes
from ._convert import ConvertMethods
from ._hooks import (  # noqa: F401 - PyTorch's names in torch.nn.modules.module
    BackwardHook,
    HookMethods,
    RemovableHandle,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    _global_is_full_backward_hook,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    _WrappedHook,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._mistakes import typename as _typename
from ._path import name_module
from ._state import _EXTRA_STATE_KEY_SUFFIX, StateMethods, _IncompatibleKeys  # noqa: F401
from ._tree import TreeMethods

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

T = TypeVar("T", bound="Module")

# How often an attribute of any module was set or deleted: a compiled step looks at this one number.
changes = [0]

_HOOK_DICTS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _addindent(text: str, spaces: int) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line if line.strip() else "" for line in rest)])


def _forward_unimplemented(self: Any, *input: Any) -> None:
    """Compute the output from the inputs; every module writes its own."""
    raise _mistakes.no_forward(self)


class Module(TreeMethods, ConvertMethods, HookMethods, StateMethods):
    """The base of all layers and networks.

    Parameters, buffers and modules that are set as attributes are registered: they turn up in
    `parameters()`, `state_dict()`, move with `to()`, and print.

    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = nn.Linear(4, 8)
    ...         self.out = nn.Linear(8, 2)
    ...
    ...     def forward(self, x):
    ...         return self.out(self.hidden(x).relu())
    >>> Net()(torch.zeros(3, 4)).shape
    torch.Size([3, 2])
    """

    dump_patches: bool = False
    call_super_init: bool = False
    training: bool
    _compiled_call_impl: Callable[..., Any] | None = None
    forward: Callable[..., Any] = _forward_unimplemented

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                key = next(iter(kwargs))
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        state = self.__dict__
        state["training"] = True
        state["_parameters"] = {}
        state["_buffers"] = {}
        state["_non_persistent_buffers_set"] = set()
        state["_is_full_backward_hook"] = None
        for hooks in _HOOK_DICTS:
            state[hooks] = OrderedDict()
        state["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- calling -----------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hooks and `forward`. An error that leaves a module names the module's path."""
        state = self.__dict__  # one slow read: a class with `__getattr__` has no quick ones
        try:
            if (
                self._forward_hooks
                or state["_forward_pre_hooks"]
                or state["_backward_hooks"]
                or state["_backward_pre_hooks"]
                or _global_forward_pre_hooks
                or _global_forward_hooks
                or _global_backward_hooks
                or _global_backward_pre_hooks
                or "_compiled_call_impl" in state
            ):
                return self._wrapped_call_impl(*args, **kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            name_module(error, self)
            raise

    def _wrapped_call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _slow_forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """`forward` with all hooks around it."""
        called: set[int] = set()
        result: Any = None
        try:
            for i, hook in [*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]:
                args, kwargs = self._run_pre_hook(i, hook, args, kwargs)
            full, old = self._get_backward_hooks()
            pre = self._get_backward_pre_hooks()
            wiring = BackwardHook(self, full, pre) if full or pre else None
            if wiring:
                args = wiring.setup_input_hook(args)
            result = self.forward(*args, **kwargs)
            for i, hook in [*_global_forward_hooks.items(), *self._forward_hooks.items()]:
                called.add(i)
                changed = self._run_forward_hook(i, hook, args, kwargs, result)
                if changed is not None:
                    result = changed
            if wiring:
                if not isinstance(result, (Tensor, tuple)):
                    warnings.warn(
                        "For backward hooks to be called, module output should be a Tensor or a "
                        f"tuple of Tensors but received {type(result)}",
                        stacklevel=4,
                    )
                result = wiring.setup_output_hook(result)
            if old:
                self._hang_old_backward_hooks(old, args, result)
            return result
        except Exception:
            self._run_always_called(called, args, kwargs, result)
            raise

    def _run_pre_hook(self, i: int, hook: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if i in self._forward_pre_hooks_with_kwargs:
            changed = hook(self, args, kwargs)
            if changed is None:
                return args, kwargs
            if isinstance(changed, tuple) and len(changed) == 2:
                return changed
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                f"but got {changed}."
            )
        changed = hook(self, args)
        if changed is None:
            return args, kwargs
        return (changed if isinstance(changed, tuple) else (changed,)), kwargs

    def _run_forward_hook(self, i: int, hook: Any, args: Any, kwargs: Any, result: Any) -> Any:
        if i in self._forward_hooks_with_kwargs or i in _global_forward_hooks_with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def _hang_old_backward_hooks(self, hooks: list[Any], args: Any, result: Any) -> None:
        var = result
        while not isinstance(var, Tensor):
            if isinstance(var, dict):
                var = next(v for v in var.values() if isinstance(v, Tensor))
            else:
                var = var[0]
        if var.grad_fn is not None:
            for hook in hooks:
                var.grad_fn.register_hook(_WrappedHook(hook, self))
            _hooks.warn_old_backward_hook(args, result, var.grad_fn)

    def _run_always_called(self, called: set[int], args: Any, kwargs: Any, result: Any) -> None:
        """After an error: the hooks registered with always_call that have not run yet."""
        for kind, hooks, always in (
            ("global module", _global_forward_hooks, _global_forward_hooks_always_called),
            ("module", self._forward_hooks, self._forward_hooks_always_called),
        ):
            for i, hook in list(hooks.items()):
                if i in always and i not in called:
                    try:
                        changed = self._run_forward_hook(i, hook, args, kwargs, result)
                        result = result if changed is None else changed
                    except Exception as e:
                        warnings.warn(
                            f"{kind} forward hook with ``always_call=True`` raised an exception "
                            f"that was silenced as another error was raised in forward: {e!s}",
                            stacklevel=4,
                        )

    # --- registering ---------------------------------------------------------------------------

    def _check_name(self, what: str, name: Any, owned: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_typename(name)}")
        if name not in owned and self._has(name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            got = f", got: {name}" if what == "module" else ""
            raise KeyError(f'{what} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')

    def _has(self, name: str) -> bool:
        """`hasattr`, without an error's text where no class and no registry has the name, as with
        nearly every name that is registered."""
        kind, state = type(self), self.__dict__
        if kind.__getattr__ is Module.__getattr__ and name not in state and not hasattr(kind, name):
            find = state.get
            return (
                name in find("_parameters", ())
                or name in find("_modules", ())
                or name in find("_buffers", ())
            )
        return hasattr(self, name)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is part of the state but not trained, such as a running mean.

        A buffer that is not `persistent` stays out of the state dict.

        >>> net = nn.Module()
        >>> net.register_buffer("mean", torch.zeros(2))
        >>> dict(net.state_dict()), list(net.parameters())
        ({'mean': tensor([0., 0.])}, [])
        """
        if "_buffers" not in self.__dict__:
            raise _mistakes.not_begun(self, "buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not _is_tensor_like(tensor):
            raise _mistakes.not_registered("buffer", name, tensor, "torch Tensor")
        for hook in _global_buffer_registration_hooks.values():
            changed = hook(self, name, tensor)
            tensor = tensor if changed is None else changed
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter; None reserves the name (a layer without bias).

        >>> net = nn.Module()
        >>> net.register_parameter("scale", nn.Parameter(torch.ones(1)))
        >>> [name for name, _ in net.named_parameters()]
        ['scale']
        """
        if "_parameters" not in self.__dict__:
            raise _mistakes.not_begun(self, "parameter")
        self._check_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise _mistakes.not_registered("parameter", name, param, "torch.nn.Parameter")
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, "
                "compute the value in the forward() method."
            )
        for hook in _global_parameter_registration_hooks.values():
            changed = hook(self, name, param)
            param = param if changed is None else changed
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module.

        >>> net = nn.Sequential()
        >>> net.add_module("act", nn.ReLU())
        >>> net
        Sequential(
          (act): ReLU()
        )
        """
        if module is not None and not isinstance(module, Module):
            raise _mistakes.not_a_module(module)
        self._check_name("module", name, self._modules)
        self._modules[name] = _through_module_hooks(self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        for registry in ("_parameters", "_modules", "_buffers"):
            if registry in state and name in state[registry]:
                return state[registry][name]
        raise AttributeError(_mistakes.no_attribute(self, name))

    def __setattr__(self, name: str, value: Any) -> None:
        changes[0] += 1
        state = self.__dict__
        params = state.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise _mistakes.not_begun(self, "parameters")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
            return
        if isinstance(value, Module):
            if params is None:
                raise _mistakes.not_begun(self, "module")
            if name not in params:
                self._forget(name, "_parameters", "_buffers")
                self._modules[name] = _through_module_hooks(self, name, value)
                return
        if params is not None:
            if name in params:
                if value is not None:
                    raise _mistakes.not_a_parameter(name, value)
                self.register_parameter(name, None)
                return
            if name in state["_modules"]:
                if value is not None:
                    raise TypeError(
                        f"cannot assign '{_typename(value)}' as child module '{name}' "
                        "(torch.nn.Module or None expected)"
                    )
                self._modules[name] = _through_module_hooks(self, name, None)
                return
            if name in state["_buffers"] or isinstance(value, Buffer):
                self._set_buffer(name, value)
                return
        super().__setattr__(name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not _is_tensor_like(value):
            raise TypeError(
                f"cannot assign '{_typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        own = type(self).register_buffer is not Module.register_buffer
        if own and "persistent" not in inspect.signature(self.register_buffer).parameters:
            if not persistent:
                raise RuntimeError(
                    "Registering a non-persistent buffer on a Module subclass that implements "
                    "register_buffer() without the persistent argument is not allowed."
                )
            self.register_buffer(name, value)
        else:
            self.register_buffer(name, value, persistent)

    def _forget(self, name: str, *registries: str) -> None:
        """Remove `name` from the plain attributes and from other registries."""
        state = self.__dict__
        state.pop(name, None)
        for registry in registries:
            state[registry].pop(name, None)
        state["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        changes[0] += 1
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    # --- changing the whole tree -----------------------------------------------------------------

    def apply(self: T, fn: Callable[[Module], None]) -> T:
        """Call `fn` on every child, then on the module itself; for initialisation.

        >>> def start(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.ones_(module.weight)
        >>> nn.Sequential(nn.Linear(2, 1), nn.ReLU()).apply(start)[0].weight.data
        tensor([[1., 1.]])
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: T, mode: bool = True) -> T:
        """Training mode: dropout drops, batch norm measures. Sets `training` everywhere.

        >>> net = nn.Sequential(nn.Dropout(0.5)).eval()
        >>> net.train()[0].training
        True
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Evaluation mode: ``train(False)``.

        >>> net = nn.Sequential(nn.Dropout(0.5)).eval()
        >>> net[0].training, net(torch.ones(2))
        (False, tensor([1., 1.]))
        """
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Freeze (False) or unfreeze all parameters.

        >>> layer = nn.Linear(2, 1).requires_grad_(False)
        >>> [p.requires_grad for p in layer.parameters()]
        [False, False]
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop all gradients, or fill them with zeros.

        >>> layer = nn.Linear(2, 1)
        >>> layer(torch.ones(1, 2)).sum().backward()
        >>> layer.zero_grad()
        >>> [p.grad for p in layer.parameters()]
        [None, None]
        """
        param: Any
        for param in self.parameters():
            grad = param.grad
            if grad is None:
                continue
            if set_to_none:
                param.grad = None
                continue
            if grad.grad_fn is not None:
                grad.detach_()
            else:
                grad.requires_grad_(False)
            grad.zero_()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the call in place, as ``rushlight.compile`` would; without it, change nothing."""
        import rushlight

        compiler = getattr(rushlight, "compile", None)
        if compiler is not None:
            self._compiled_call_impl = compiler(self._call_impl, *args, **kwargs)

    # --- printing, copying -----------------------------------------------------------------------

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses when the module prints; for subclasses.

        >>> class Scale(nn.Module):
        ...     def extra_repr(self):
        ...         return "factor=2"
        >>> Scale()
        Scale(factor=2)
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [
            f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()
        ]
        if len(extra_lines) == 1 and not child_lines:
            return f"{self._get_name()}({extra_lines[0]})"
        lines = extra_lines + child_lines
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"

    _repr_html_ = drawn_as("module")

    def __dir__(self) -> list[str]:
        keys = [*dir(self.__class__), *self.__dict__]
        keys += [*self._parameters, *self._modules, *self._buffers]
        return sorted(key for key in keys if not key[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for hooks in _HOOK_DICTS:  # missing in modules pickled by older versions
            self.__dict__.setdefault(hooks, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    def _replicate_for_data_parallel(self: T) -> T:
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica


tells(Module, "module", "__call__")


def _load() -> None:
    """Put the methods of machine code into their places, unless somebody has put others there."""
    from . import module_code

    for name, plain in _IN_PYTHON.items():
        if vars(Module)[name] is not plain:
            return
    for name, made in module_code.functions(Module, globals(), name_module).items():
        setattr(Module, name, made)


_IN_PYTHON = {name: vars(Module)[name] for name in ("__getattr__", "__call__")}
few.when_loaded(_load)


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _through_module_hooks(parent: Module, name: str, module: Module | None) -> Module | None:
    for hook in _global_module_registration_hooks.values():
        changed = hook(parent, name, module)
        module = module if changed is None else changed
    return module

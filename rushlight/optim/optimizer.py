"""Optimizer: parameter groups, state, hooks and state dictionaries, as in PyTorch.

The updates themselves are not here: `stepping.py` drives the formulas of
`kernels/optim/formulas.py` over the parameters, and one small file an algorithm names its settings.
Read `stepping.py` next.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from rushlight import dtypes
from rushlight.autograd import door, steps
from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.hooks import RemovableHandle
from rushlight.autograd.methods import tells
from rushlight.autograd.node import Extras
from rushlight.autograd.specialize import plain
from rushlight.drawn import drawn_as
from rushlight.errors import message
from rushlight.kernels.meta import UnresolvedArray
from rushlight.kernels.runtime import few
from rushlight.once import users_level
from rushlight.optim.parts import local
from rushlight.tensor import Tensor

__all__ = [
    "Optimizer",
    "ParamsT",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "required",
]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict: TypeAlias = dict[str, Any]
Hook: TypeAlias = Callable[..., Any]

_global_optimizer_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_optimizer_post_hooks: OrderedDict[int, Hook] = OrderedDict()


class _RequiredParameter:
    """The default of a setting that every parameter group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before the step of every optimizer.

    It may return a new pair (args, kwargs).

    Returns a handle whose `remove()` takes the hook away again.
    """
    return _add(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after the step of every optimizer."""
    return _add(_global_optimizer_post_hooks, hook)


def evaluated(closure: Callable[[], Any] | None) -> Any:
    """The loss of a step's closure, which records although steps run without gradients; or None."""
    if closure is None:
        return None
    if not callable(closure):
        raise TypeError(
            message(
                f"'{type(closure).__name__}' object is not callable",
                wanted="a closure, which computes the loss again, or nothing",
                hint="loss.backward(), then optimizer.step()",
            )
        )
    with enable_grad():
        return closure()


def _listed(params: Any) -> list[Any]:
    """The parameters, or parameter groups, that an optimizer is given."""
    try:
        return list(params)
    except TypeError:
        if hasattr(params, "__iter__"):
            raise
    hint = None
    if hasattr(params, "parameters"):
        hint = "model.parameters()"
    elif callable(params):
        hint = f"brackets: {getattr(params, '__name__', 'parameters')}()"
    raise TypeError(
        message(
            f"'{type(params).__name__}' object is not iterable",
            wanted="Tensors, or dicts with the key 'params'",
            hint=hint,
        )
    )


class Optimizer:
    """Base class of the optimizers.

    Args:
        params: Tensors, `(name, Tensor)` pairs, or dictionaries that each describe a parameter
            group (`{"params": [...], "lr": 0.1}`), in an order that is the same from run to run.
        defaults: the settings of groups that do not give their own.

    A subclass implements `step()`.

    >>> class Signs(optim.Optimizer):
    ...     def __init__(self, params, lr=0.1):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @torch.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 if p.grad is not None:
    ...                     p -= group["lr"] * p.grad.sign()
    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = Signs([w])
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.9000, -1.9000])
    """

    _HOOKS = (
        "_optimizer_step_pre_hooks",
        "_optimizer_step_post_hooks",
        "_optimizer_state_dict_pre_hooks",
        "_optimizer_state_dict_post_hooks",
        "_optimizer_load_state_dict_pre_hooks",
        "_optimizer_load_state_dict_post_hooks",
    )

    defaults: dict[str, Any]
    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]
    _optimizer_step_pre_hooks: OrderedDict[int, Hook]
    _optimizer_step_post_hooks: OrderedDict[int, Hook]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Hook]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Hook]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Hook]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Hook]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in self._HOOKS:
            setattr(self, name, OrderedDict())
        self._patch_step_function()
        _living.add(self)
        if isinstance(params, Tensor):
            raise TypeError(
                message(
                    "params argument given to the optimizer should be an iterable of Tensors or "
                    f"dicts, but got {_typename(params)}",
                    hint="a list around it: [params]",
                )
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups: list[Any] = _listed(params)
        if not groups:
            raise ValueError(
                message(
                    "optimizer got an empty parameter list",
                    hint="model.parameters() of a model that has some (layers in a plain list do "
                    "not count, those in nn.ModuleList do), asked for again: a generator that was "
                    "used is empty",
                )
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    # ---- what a training loop calls ---------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once. `closure` evaluates the model again and returns the loss."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or (set_to_none=False) fill them with zeros.

        The two differ: a parameter whose gradient is None is skipped by `step()`, one whose
        gradient is 0 still decays and still moves by its momentum.

        >>> w = nn.Parameter(torch.ones(2))
        >>> optimizer = optim.SGD([w])
        >>> w.sum().backward()
        >>> optimizer.zero_grad()
        >>> print(w.grad)
        None
        """
        if door.state.observers:
            door.span("zero_grad", self, (), lambda: self._forget(set_to_none))
        else:
            self._forget(set_to_none)

    def _forget(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            others = _forgotten(group["params"], plain) if set_to_none else None
            for p in group["params"] if others is None else others:
                x = p._x
                if set_to_none and x.__class__ is Extras and x.grad is not None and (
                    p.__class__ in plain
                ):  # fmt: skip
                    x.grad = None  # what the attribute does
                    continue
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                if grad.__class__ is not Tensor:
                    grad = local(grad)
                if grad.is_sparse or isinstance(grad._a, UnresolvedArray):
                    grad.zero_()
                    continue
                door.perform(steps.fill, (grad._a,), {"value": 0})
                grad._bump()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with settings of its own; missing ones take the defaults.

        >>> body, head = nn.Linear(3, 3), nn.Linear(3, 2)
        >>> optimizer = optim.SGD(body.parameters(), lr=0.1)
        >>> optimizer.add_param_group({"params": head.parameters(), "lr": 1.0})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 1.0]
        """
        if not isinstance(param_group, dict):
            raise TypeError(
                message(
                    f"param_group must be a dict, but got {type(param_group)}",
                    hint='{"params": [...], "lr": 0.1}',
                )
            )
        if "params" not in param_group:
            error = KeyError("params")
            error.add_note(f"  got     a parameter group with the keys {list(param_group)}")
            error.add_note('  wanted  its parameters under "params"')
            raise error
        tensors, names = _split_names(param_group["params"])
        for p in tensors:
            self._check_parameter(p)
        param_group["params"] = tensors
        if names:
            param_group["param_names"] = names
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            param_group.setdefault(name, default)
        if len(tensors) != len({id(p) for p in tensors}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=users_level(),
            )
        known: set[int] = set()
        for group in self.param_groups:
            known.update(id(p) for p in group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                how = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {how} to the optimizer"
                )
        if not known.isdisjoint(id(p) for p in tensors):
            shapes = [tuple(p.shape) for p in tensors if id(p) in known]
            raise ValueError(
                message(
                    "some parameters appear in more than one parameter group",
                    got=f"{len(shapes)} of them again, of shapes {shapes[:4]}",
                    hint="each parameter in one group: leave it out of model.parameters(), or "
                    "give the groups modules of their own",
                )
            )
        self.param_groups.append(param_group)

    def _check_parameter(self, p: Any) -> None:
        if not isinstance(p, Tensor):
            raise TypeError(
                message(
                    f"optimizer can only optimize Tensors, but one of the params is {_typename(p)}",
                    hint="model.parameters(), not model or its names",
                )
            )
        if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
            raise ValueError(
                message(
                    "can't optimize a non-leaf Tensor",
                    got=f"a Tensor computed by {p.grad_fn}",
                    wanted="a leaf: created by you, not by an operation",
                    hint="tensor.detach().requires_grad_()",
                )
            )

    # ---- state dictionaries -----------------------------------------------------------------

    def state_dict(self) -> StateDict:
        """The state and the settings, with parameters replaced by their number.

        `{"state": {0: {"momentum_buffer": ...}, ...}, "param_groups": [{"lr": ..., "params": [0,
        1]}]}`; groups of named parameters have their names under "param_names".

        >>> optimizer = optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1)
        >>> state = optimizer.state_dict()
        >>> state["state"], state["param_groups"][0]["lr"], state["param_groups"][0]["params"]
        ({}, 0.1, [0])
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        start = 0
        packed_groups = []
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            start += len(packed["params"])
            packed_groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        result: StateDict = {"state": state, "param_groups": packed_groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over a state that `state_dict()` returned, here or in PyTorch.

        Parameters are matched by their order in the groups. Floating-point state takes the dtype of
        its parameter; `step` keeps its own.

        >>> w = nn.Parameter(torch.ones(2))
        >>> optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> other = optim.SGD([w], lr=0.5)
        >>> other.load_state_dict(optimizer.state_dict())
        >>> other.param_groups[0]["lr"], other.state[w]["momentum_buffer"]
        (0.1, tensor([1., 1.]))
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups = self.param_groups
        saved = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError(
                message(
                    "loaded state dict has a different number of parameter groups",
                    got=len(saved),
                    wanted=len(groups),
                )
            )
        for i, (group, other) in enumerate(zip(groups, saved, strict=True)):
            if len(group["params"]) != len(other["params"]):
                raise ValueError(
                    message(
                        "loaded state dict contains a parameter group that doesn't match the size "
                        "of optimizer's group",
                        got=f"{len(other['params'])} parameters in group {i}",
                        wanted=len(group["params"]),
                    )
                )
        owner: dict[Any, tuple[Any, Mapping[str, Any]]] = {}
        for group, other in zip(groups, saved, strict=True):
            for p, number in zip(group["params"], other["params"], strict=True):
                owner[number] = (p, other)
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owner:
                p, settings = owner[key]
                state[p] = _cast(p, value, settings)
            else:
                state[key] = value
        for group, other in zip(groups, saved, strict=True):
            other["params"] = group["params"]
            if "param_names" in group:
                other.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in self._HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines.extend(f"    {key}: {group[key]}" for key in sorted(group) if key != "params")
        return "\n".join(lines) + "\n)"

    _repr_html_ = drawn_as("optimizer")

    # ---- hooks ------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return a new pair."""
        return _add(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _add(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict()` looks at anything."""
        return _add(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)`, which may return another dictionary to hand out."""
        return _add(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Hook, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)`, which may return another dictionary to load."""
        return _add(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Hook, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after `load_state_dict()`."""
        return _add(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def _patch_step_function(self) -> None:
        # Wrapped here and not where step is defined, so that the step of a user's subclass runs the
        # hooks as well.
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)  # type: ignore[method-assign]
            cls.step.hooked = True  # type: ignore[attr-defined]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a `step` so that it runs the registered hooks."""

        @functools.wraps(func)
        def step(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            observed = door.state.observers
            begun = door.enter("optimizer", self, ()) if observed else None
            try:
                before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
                globals_ = _global_optimizer_pre_hooks or _global_optimizer_post_hooks
                if not (before or after or globals_):
                    return func(*args, **kwargs)
                for hook in chain(_global_optimizer_pre_hooks.values(), before.values()):
                    changed = hook(self, args, kwargs)
                    if changed is not None:
                        if not (isinstance(changed, tuple) and len(changed) == 2):
                            raise RuntimeError(
                                f"{func} must return None or a tuple of (new_args, new_kwargs), "
                                f"but got {changed}."
                            )
                        args, kwargs = changed
                out = func(*args, **kwargs)
                for hook in chain(after.values(), _global_optimizer_post_hooks.values()):
                    hook(self, args, kwargs)
                return out
            finally:
                if observed:
                    door.leave("optimizer", self, (), None, begun)

        return step


tells(Optimizer, "made", "__init__")
_living: weakref.WeakSet[Optimizer] = weakref.WeakSet()


def living() -> list[Optimizer]:
    """The optimisers that were made and are alive."""
    return [o for o in list(_living) if hasattr(o, "param_groups")]


def _add(hooks: OrderedDict[int, Hook], hook: Hook, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _split_names(params: Any) -> tuple[list[Any], list[str]]:
    """The tensors of a group and, when it was given as (name, tensor) pairs, their names."""
    if isinstance(params, Tensor):
        return [params], []
    if isinstance(params, set):
        raise TypeError(
            message(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        )
    given = list(params)
    names = [entry[0] for entry in given if isinstance(entry, tuple)]
    if names and len(names) != len(given):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    return [entry[1] if isinstance(entry, tuple) else entry for entry in given], names


def _cast(p: Any, value: Any, settings: Mapping[str, Any], key: Any = None) -> Any:
    """Bring a loaded state value to its parameter's dtype, inside containers too."""
    if not isinstance(value, Tensor) and hasattr(value, "__dlpack__"):
        value = Tensor._wrap(np.from_dlpack(value).copy())  # another library's
    if isinstance(value, Tensor):
        tensor: Any = value
        if key == "step":
            on_device = settings.get("capturable") or settings.get("fused")
            return tensor.to(dtype=dtypes.float32) if on_device else tensor
        return tensor.to(dtype=p.dtype) if p.is_floating_point() else tensor
    if isinstance(value, dict):
        return {k: _cast(p, v, settings, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_cast(p, v, settings) for v in value)  # type: ignore[call-arg]
    return value


def _typename(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _load() -> None:
    """Put the function of machine code into its place."""
    global _forgotten
    from rushlight.optim import stepping_code

    _forgotten = stepping_code.functions(Tensor)["forgotten"]


# By machine code: lets gradients go, and returns the parameters for which more is to be done.
_forgotten: Callable[..., Any] = few.refused
few.when_loaded(_load)

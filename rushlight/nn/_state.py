"""state_dict and load_state_dict of Module.

Loading happens in two steps: every key and shape is checked first, and only then is anything
copied, so a failed load leaves the module as it was. Where a module's own
`_load_from_state_dict` may look at values it has just loaded, its values are copied at once and
put back should something else fail.

Not here: files (`serialization/`). Read next: `module.py`.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ..autograd.grad_mode import no_grad
from ..errors import message
from ..tensor import Parameter, Tensor
from ..torch_names import is_own
from . import _conversion
from .parameter import is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
_JOURNAL = "_journal"  # the key of local_metadata under which a running load keeps its journal


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _Journal:
    """What a load wants to change. Actions wait for `commit`; `rollback` undoes what was done."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], Any], Callable[[], Callable[[], Any]]]] = []
        self.done: list[Callable[[], Any]] = []
        self.eager = False

    def add(self, act: Callable[[], Any], save: Callable[[], Callable[[], Any]]) -> None:
        """`save()` remembers the state that `act()` will replace and returns how to put it back."""
        if self.eager:
            self.done.append(save())
            act()
        else:
            self.waiting.append((act, save))

    def commit(self, undoable: bool) -> None:
        for act, save in self.waiting:
            if undoable:
                self.done.append(save())
            act()
        self.waiting.clear()

    def rollback(self) -> None:
        self.waiting.clear()
        while self.done:
            self.done.pop()()


class StateMethods:
    """The state_dict side of Module."""

    _version: int = 1
    _modules: dict[str, Any]
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    def get_extra_state(self) -> Any:
        """Override to add anything that is no tensor to the state dict (with `set_extra_state`)."""
        raise RuntimeError("Module.get_extra_state() must be overridden before it is called")

    def set_extra_state(self, state: Any) -> None:
        """Override to take back what `get_extra_state` returned."""
        raise RuntimeError("Module.set_extra_state() must be overridden before it is called")

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put this module's own parameters, buffers and extra state into `destination`."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars else buf.detach()
        if type(self).get_extra_state is not StateMethods.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(
        self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by their dotted names, in order.

        The tensors share memory with the module's; with `keep_vars` they are the very parameters.

        >>> list(nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given["destination"] if destination is None else destination
            prefix = given.get("prefix", prefix) if prefix == "" else prefix
            keep_vars = keep_vars or given.get("keep_vars", False)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, metadata)
            if result is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    def _load_from_state_dict(
        self: Any,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own tensors; subclasses override it to accept older state dicts."""
        report = (missing_keys, unexpected_keys, error_msgs)
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, *report)
        journal = local_metadata.get(_JOURNAL)
        if journal is None:  # called by hand, not through load_state_dict
            journal = _Journal()
            journal.eager = True
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {k: v for k, v in self._parameters.items() if v is not None}
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                own[name] = buf
        for name, param in own.items():
            key = prefix + name
            if key in state_dict:
                _load_one(self, name, param, key, state_dict[key], assign, journal, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not StateMethods.set_extra_state:
            if extra in state_dict:
                _load_extra(self, state_dict[extra], journal)
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def load_state_dict(
        self: Any, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copy the tensors of `state_dict` into this module and its children.

        Args:
            state_dict: dotted names to tensors, as `state_dict()` returns.
            strict: raise when keys are missing or not expected.
            assign: put the given tensors themselves into the module instead of copying.

        Returns a named tuple ``(missing_keys, unexpected_keys)``. Raises RuntimeError, with every
        problem listed and nothing changed, when keys (with `strict`) or shapes do not fit.

        >>> net = nn.Linear(2, 1)
        >>> net.load_state_dict(nn.Linear(2, 1).state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            hint = None
            if isinstance(state_dict, str | os.PathLike):
                hint = "load_state_dict(torch.load(path))"
            elif hasattr(state_dict, "state_dict"):
                hint = "load_state_dict(other.state_dict())"
            elif callable(state_dict):
                hint = "brackets: load_state_dict(other.state_dict())"
            what = f"Expected state_dict to be dict-like, got {type(state_dict)}."
            raise TypeError(message(what, hint=hint))
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata  # type: ignore[attr-defined]
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        journal = _Journal()
        visited: list[Any] = []  # children first, the order in which post hooks run

        def load(module: Any, own_state: dict[str, Any], prefix: str) -> None:
            local = dict(metadata.get(prefix[:-1], {})) if metadata is not None else {}
            if assign:
                local["assign_to_params_buffers"] = True
            local[_JOURNAL] = journal
            journal.eager = not _is_ours(type(module)._load_from_state_dict)
            module._load_from_state_dict(own_state, prefix, local, True, *keys, errors)
            groups: dict[str, dict[str, Any]] = {}
            for k, v in own_state.items():
                first, dot, _ = k[len(prefix) :].partition(".")
                if dot and k.startswith(prefix):
                    groups.setdefault(first, {})[k] = v
            for name, child in module._modules.items():
                if child is not None:
                    load(child, groups.get(name, {}), f"{prefix}{name}.")
            if module._load_state_dict_post_hooks:
                visited.append(module)

        try:
            load(self, state, "")
            wrong = bool(errors) or (strict and any(keys) and not visited)
            if not wrong:
                journal.commit(undoable=bool(strict and any(keys)))
            _call_post_hooks(visited, keys)
            if strict:
                _add_names(errors, *keys)
            if errors:
                text = "\n\t".join(errors)
                error = RuntimeError(
                    f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}"
                )
                hint = _nested_hint(state_dict, keys[0]) or _prefix_hint(*keys)
                if hint is None:
                    hint = _sizes_hint(errors, keys, len(state) > len(keys[1]))
                if hint:
                    error.add_note(f"  try     {hint}")
                raise error
        except BaseException:
            journal.rollback()
            raise
        return keys


def _nested_hint(state: Mapping[str, Any], missing: list[str]) -> str | None:
    """What to do when the state dict that was meant lies inside the one that was given."""
    for key, inner in state.items():
        if isinstance(inner, Mapping) and missing and missing[0] in inner:
            return f"load_state_dict(checkpoint[{key!r}]), which has these keys"
    return None


def _sizes_hint(errors: list[str], keys: Any, some_match: bool) -> str | None:
    """What to do about sizes that differ, and about keys that are missing or too many."""
    if any(text.startswith("size mismatch") for text in errors):
        return (
            "a model of the checkpoint's sizes; or leaving these keys out of the state dict "
            "(strict=False takes the rest)"
        )
    if any(keys) and some_match:
        return "strict=False, if they may stay as they are"
    return None


def _prefix_hint(missing: list[str], unexpected: list[str]) -> str | None:
    """What to do when the two lists differ only by a prefix, as after DataParallel."""
    for longer, shorter, what in (
        (
            unexpected,
            missing,
            "nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, {!r}) first",
        ),
        (missing, unexpected, "loading into the inner module, model.{}.load_state_dict(...)"),
    ):
        if longer and shorter:
            first = longer[0].split(".", 1)[0]
            prefix = first + "."
            stripped = {k.removeprefix(prefix) for k in longer if k.startswith(prefix)}
            # Not all: a batch norm makes up for a count that is missing.
            most = 2 * len(stripped.intersection(shorter)) > len(shorter)
            if most and len(stripped) == len(longer):
                return what.format(prefix if longer is unexpected else first)
    return None


def _is_ours(method: Any) -> bool:
    return is_own(getattr(method, "__module__", ""))


def _load_extra(module: Any, value: Any, journal: _Journal) -> None:
    def save() -> Callable[[], Any]:
        if type(module).get_extra_state is StateMethods.get_extra_state:
            return lambda: None
        old = module.get_extra_state()
        return lambda: module.set_extra_state(old)

    journal.add(lambda: module.set_extra_state(value), save)


def _load_one(
    module: Any,
    name: str,
    param: Any,
    key: str,
    value: Any,
    assign: bool,
    journal: _Journal,
    errors: list[str],
) -> None:
    """Check one tensor of a state dict and note its copy (or assignment) in the journal."""
    if not (isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value)}"
        )
        return
    if is_lazy(param):
        if not is_lazy(value) and not assign:
            message = "the parameter is uninitialized; run a forward pass first"
            errors.append(f'While copying the parameter named "{key}": {message}.')
            return
    elif is_lazy(value):
        errors.append(
            f'While copying the parameter named "{key}": '
            "the tensor of the checkpoint is an uninitialized parameter: Can't access the shape "
            "of an uninitialized parameter or buffer. Call `forward` of the module that it comes "
            "from before its state is saved."
        )
        return
    else:
        if param.ndim == 0 and tuple(value.shape) == (1,):
            value = value[0]  # 0-d parameters used to be saved with one dimension
        if value.shape != param.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from "
                f"checkpoint, the shape in current model is {param.shape}."
            )
            return
    if _conversion.swap[0] and not is_lazy(param):
        _swap_one(param, key, value, assign, journal, errors)
        return
    if assign:
        if isinstance(param, Parameter):
            if isinstance(value, Parameter):
                value.requires_grad_(param.requires_grad)
            else:
                value = Parameter(value, requires_grad=param.requires_grad)
        journal.add(
            lambda: setattr(module, name, value), lambda: lambda: setattr(module, name, param)
        )
        return
    if is_lazy(param):
        return
    if param.device.type == "meta" and value.device.type != "meta":
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter "
            "in the current model, which is a no-op. (Did you mean to pass `assign=True` to "
            "assign items in the state dictionary to their corresponding key in the module "
            "instead of copying them in place?)",
            stacklevel=4,
        )
        return

    def copy(source: Any = value) -> None:
        try:
            with no_grad():
                param.copy_(source)
        except Exception as e:
            errors.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{param.shape} and whose dimensions in the checkpoint are {value.shape}, an "
                f"exception occurred : {e.args}."
            )

    def save() -> Callable[[], Any]:
        old = param.detach().clone()
        return lambda: copy(old)

    journal.add(copy, save)


def _swap_one(
    param: Any, key: str, value: Any, assign: bool, journal: _Journal, errors: list[str]
) -> None:
    """Note the swap of one tensor in the journal (`torch.__future__`)."""
    new: Any = None

    def swap() -> None:
        nonlocal new
        try:
            with no_grad():
                new = param.module_load(value, assign=assign)
            if new is param or new is value:
                raise RuntimeError(
                    f"module_load returned one of self or other, please .detach() the result if "
                    f"returning one of the inputs in module_load (parameter {key!r})"
                )
            if isinstance(param, Parameter) and not isinstance(new, Parameter):
                new = Parameter(new, requires_grad=param.requires_grad)
            _conversion.swap_tensors(param, new)
        except Exception as e:
            errors.append(
                f'While swapping the parameter named "{key}", whose dimensions in the model are '
                f"{param.shape} and whose dimensions in the checkpoint are {value.shape}, an "
                f"exception occurred : {e.args}."
            )

    def save() -> Callable[[], Any]:
        old = param.detach().clone()

        def undo() -> None:
            if new is not None:
                _conversion.swap_tensors(param, new)
            param.data.copy_(old)

        return undo

    journal.add(swap, save)


# Loops outside of the `try` of `load_state_dict`: an interrupt where a loop goes back passes by its
# `except` (decision 0047).


def _call_post_hooks(modules: list[Any], keys: Any) -> None:
    for module in modules:
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be "
                    "modified, it should be done inplace."
                )


def _add_names(errors: list[str], missing: list[str], unexpected: list[str]) -> None:
    """Put the names that do not fit among the errors, as PyTorch lists them: missing ones first."""
    for what, names in (("Missing", missing), ("Unexpected", unexpected)):
        if names:
            quoted = ", ".join(f'"{k}"' for k in names)
            at = 1 if what == "Unexpected" and missing else 0
            errors.insert(at, f"{what} key(s) in state_dict: {quoted}. ")

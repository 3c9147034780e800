"""Parameters that are functions of other parameters: `module.weight` runs the function.

The module gets a class of its own with a property named like the parameter; the function and its
own parameters are in ``module.parametrizations[name]``.

Read next: `parametrizations.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from ...autograd.grad_mode import no_grad
from ...blocks import contextmanager
from ...tensor import Parameter, Tensor
from ..containers import ModuleDict, ModuleList
from ..module import Module

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class _Cache:
    depth = 0
    values: dict[tuple[int, str], Tensor] = {}  # noqa: RUF012 - one for all


@contextmanager
def cached() -> Iterator[None]:
    """In this block each parametrised tensor is computed only once.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    >>> with nn.utils.parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    """
    before = _Cache.depth
    try:
        _Cache.depth = before + 1
        yield
    finally:
        _Cache.depth = before
        if not _Cache.depth:
            _Cache.values.clear()


def _register_parameter_or_buffer(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _right_inverse(parts: Any, value: Any, required: bool) -> Any:
    """Run the inverses of all parts, last one first."""
    for part in reversed(list(parts)):
        if hasattr(part, "right_inverse"):
            try:
                value = part.right_inverse(value)
            except NotImplementedError:
                if required:
                    raise
        elif required:
            raise RuntimeError(
                f"parametrization {type(part).__name__} does not implement right_inverse."
            )
    return value


def _same(
    what: str, change: str, names: tuple[str, str], old: Any, new: Any, dtype_only: bool = False
) -> None:
    """Raise when `new` differs from `old` in dtype or shape."""
    kinds = ("dtype",) if dtype_only else ("dtype", "shape")
    for kind in kinds:
        a, b = getattr(old, kind), getattr(new, kind)
        if a != b:
            raise ValueError(
                f"{what.format(kind=kind)}{change}\n"
                f"{names[0].format(kind=kind)}: {a}\n{names[1].format(kind=kind)}: {b}"
            )


class ParametrizationList(ModuleList):
    """The functions that make one tensor, and the tensor(s) they start from.

    `original` is the parameter behind the tensor, or `original0`, `original1`, ... when the first
    function takes several.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
    >>> [(name, p.shape) for name, p in layer.parametrizations.weight.named_parameters()]
    [('original0', torch.Size([3, 1])), ('original1', torch.Size([3, 2]))]
    """

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape_before = original.detach()
        with no_grad():
            new: Any = _right_inverse(self, original, required=False)
        self.is_tensor = isinstance(new, Tensor)
        if not self.is_tensor and not isinstance(new, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            _same(
                "When `right_inverse` outputs one tensor, it may not change the {kind}.",
                "",
                ("original.{kind}", "right_inverse(original).{kind}"),
                original,
                new,
                dtype_only=True,
            )
            if new is not original:
                original.data = new.data
            _register_parameter_or_buffer(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors. Got "
                        f"element {i} of the sequence with type {type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part.detach(), original.requires_grad)
                _register_parameter_or_buffer(self, f"original{i}", part)
        if not unsafe:
            value = self()
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"A parametrization must return a tensor. Got {type(value).__name__}."
                )
            _same(
                "Registering a parametrization may not change the {kind} of the tensor",
                ", unless `unsafe` flag is enabled.",
                ("unparametrized {kind}", "parametrized {kind}"),
                shape_before,
                value,
            )

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the tensor becomes `value`, as far as the inverses can."""
        with no_grad():
            value = _right_inverse(self, value, required=True)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                    )
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} while "
                        f"`original` has dtype {self.original.dtype}"
                    )
                self.original.data = value.data
                return
            if not isinstance(value, Sequence):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors. "
                    f"Got {type(value).__name__}."
                )
            if len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(value)}."
                )
            for i, part in enumerate(value):
                original = getattr(self, f"original{i}")
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "`right_inverse` must return a sequence of tensors. Got element "
                        f"{i} of type {type(part).__name__}"
                    )
                if part.dtype != original.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while "
                        f"`original{i}` has dtype {original.dtype}"
                    )
                original.data = part.data

    def forward(self) -> Tensor:
        """The tensor."""
        first, *rest = self
        if self.is_tensor:
            value = first(self.original)
        else:
            value = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for part in rest:
            value = part(value)
        return value


def _own_class(module: Module) -> None:
    """Give `module` a class of its own, where properties can be put."""
    kind = module.__class__

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        new = self.__new__(self.__class__)
        memo[id(self)] = new
        new.__dict__ = deepcopy(self.__dict__, memo)
        return new

    def __getstate__(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members: dict[str, Any] = {"__getstate__": __getstate__}
    if not hasattr(kind, "__deepcopy__"):
        members["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), members)


def _add_property(module: Module, name: str) -> None:
    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _Cache.depth:
            return parametrization()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = parametrization()
        return _Cache.values[key]

    def set(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(get, set))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Make ``module.<tensor_name>`` the output of `parametrization`.

    Args:
        module: the module with the tensor.
        tensor_name: name of a parameter, a buffer, or a tensor that is parametrised already.
        parametrization: a module; its `right_inverse`, if any, lets the tensor be assigned.
        unsafe: skip the check that dtype and shape stay the same.

    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = nn.Linear(3, 3)
    >>> _ = nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parts = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _own_class(module)
            module.parametrizations = ModuleDict()
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = parts
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def _check_further(module: Module, name: str, parametrization: Any) -> None:
    """A second parametrisation must keep dtype and shape, and so must its inverse."""
    old = getattr(module, name)
    new = parametrization(old)
    if not isinstance(new, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(new).__name__}.")
    _same(
        "Registering a parametrization may not change the {kind} of the tensor",
        ", unless the `unsafe` flag is enabled.",
        (f"module.{name}.{{kind}}", f"parametrization(module.{name}).{{kind}}"),
        old,
        new,
    )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(new)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}"
        )
    _same(
        "The tensor returned by parametrization.right_inverse must have the same {kind} as "
        f"module.{name}",
        ", unless the `unsafe` flag is enabled.",
        (f"module.{name}.{{kind}}", "returned {kind}"),
        old,
        back,
    )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module (or its tensor of that name) has a parametrisation.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    >>> [nn.utils.parametrize.is_parametrized(layer, name) for name in ("weight", "bias")]
    [True, False]
    """
    parts = getattr(module, "parametrizations", None)
    if not isinstance(parts, ModuleDict):
        return False
    return len(parts) > 0 if tensor_name is None else tensor_name in parts


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make the tensor ordinary again, with its present value or (False) with the original's.

    Args:
        leave_parametrized: False is for a single function of one original only.

    Returns the module.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    >>> layer = nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parts = module.parametrizations[tensor_name]
    if parts.is_tensor:
        original = parts.original
        if leave_parametrized:
            with no_grad():
                original.data = getattr(module, tensor_name).data
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of the module as it was before it was parametrised.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    >>> nn.utils.parametrize.type_before_parametrizations(layer).__name__, type(layer).__name__
    ('Linear', 'ParametrizedLinear')
    """
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrise `to_module` like `from_module`, with the same functions and originals.

    Args:
        tensor_name: of one tensor; None: of all that are parametrised.

    Returns `to_module`.

    >>> a = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    >>> b = nn.utils.parametrize.transfer_parametrizations_and_params(a, nn.Linear(2, 2))
    >>> torch.equal(a.weight, b.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        source = from_module.parametrizations[name]
        for part in source:
            register_parametrization(to_module, name, part)
        target = to_module.parametrizations[name]
        if source.is_tensor:
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module

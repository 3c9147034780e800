"""Pruning: parameters multiplied by masks of zeros and ones before each forward.

A pruned parameter `weight` becomes the parameter `weight_orig` and the buffer `weight_mask`;
`weight` itself is their product.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight

from ...tensor import Tensor
from ..module import Module

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """The base of pruning methods: subclasses write `compute_mask` and set PRUNING_TYPE.

    PRUNING_TYPE says what a further method may still prune: 'unstructured' the elements that are
    left, 'structured' the channels that are left, 'global' everything.

    >>> class Small(nn.utils.prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * (t.abs() > 0.5)
    >>> layer = nn.Linear(3, 1, bias=False)
    >>> _ = layer.weight.data.copy_(torch.tensor([[0.1, -2.0, 0.7]]))
    >>> _ = Small.apply(layer, "weight")
    >>> layer.weight.data
    tensor([[ 0.0000, -2.0000,  0.7000]])
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        """The forward pre-hook: set the pruned tensor."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask for `t` on top of `default_mask`."""

    def apply_mask(self, module: Any) -> Any:
        """mask · original."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        orig = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune ``module.<name>`` with this method, on top of earlier pruning."""
        method = cls._composite(module, name, *args, **kwargs)
        orig = getattr(module, name)
        if importance_scores is None:
            importance_scores = orig
        elif importance_scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {importance_scores.shape} vs {orig.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            del module._parameters[name]
            module.register_parameter(name + "_orig", orig)
            default = rushlight.ones_like(orig).detach()
        else:
            default = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores.detach(), default_mask=default)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                del module._parameters[name + "_orig"]
                module._buffers.pop(name + "_mask", None)
                module.register_parameter(name, orig)
            raise
        return method

    @classmethod
    def _composite(cls, module: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """This method; in a container together with those that pruned the tensor before."""
        hooks = module._forward_pre_hooks
        before = [
            key
            for key, hook in hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module "
                f"{module}. Use a PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if not before:
            return method
        old = hooks.pop(before[0])
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Tensor:
        """A pruned copy of `t`.

        >>> nn.utils.prune.L1Unstructured(amount=1).prune(torch.tensor([1.0, -3.0, 2.0]))
        tensor([ 0., -3.,  2.])
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, got "
                f"{importance_scores.shape} vs {t.shape}"
            )
        if default_mask is None:
            default_mask = rushlight.ones_like(t)
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruned tensor an ordinary parameter again; what was pruned stays zero."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters.pop(name + "_orig")
        orig.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods that prune the same tensor one after the other.

    >>> layer = nn.Linear(4, 4)
    >>> _ = nn.utils.prune.l1_unstructured(layer, "weight", 4)
    >>> _ = nn.utils.prune.l1_unstructured(layer, "weight", 4)
    >>> (hook,) = layer._forward_pre_hooks.values()
    >>> type(hook).__name__, int((layer.weight == 0).sum())
    ('PruningContainer', 8)
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same tensor."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the newest method, applied where the older ones left something."""
        method = self._pruning_methods[-1]
        places: Any
        if method.PRUNING_TYPE == "unstructured":
            places = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute '
                    "`dim` defined."
                )
            dim = method.dim + t.ndim if method.dim < 0 else method.dim
            if dim < 0:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {t.ndim}")
            others = [d for d in range(t.ndim) if d != dim]
            keep = default_mask.sum(dim=others) != 0
            places = tuple(keep if d == dim else slice(None) for d in range(t.ndim))
        elif method.PRUNING_TYPE == "global":
            places = (slice(None),) * t.ndim
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask = default_mask.to(dtype=t.dtype).clone()
        part = method.compute_mask(t[places], default_mask=default_mask[places])
        mask[places] = part.to(dtype=mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but gives the tensor a mask of ones.

    >>> nn.utils.prune.Identity().prune(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _Amount(BasePruningMethod):
    """A method that prunes an amount: a fraction of the elements, or a number of them."""

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        return count


class RandomUnstructured(_Amount):
    """Prunes elements at random.

    Args:
        amount: a fraction of the elements, or their number.

    >>> pruned = nn.utils.prune.RandomUnstructured(amount=3).prune(torch.ones(10))
    >>> int(pruned.sum())
    7
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.numel())
        mask = default_mask.clone()
        if count:
            chance = rushlight.rand_like(t)
            mask.view(-1)[rushlight.topk(chance.view(-1), k=count).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements that are smallest in absolute value.

    Args:
        amount: a fraction of the elements, or their number.

    >>> nn.utils.prune.L1Unstructured(amount=0.5).prune(torch.tensor([1.0, -3.0, 2.0, 0.5]))
    tensor([ 0., -3.,  2.,  0.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.numel())
        mask = default_mask.clone()
        if count:
            size = rushlight.abs(t).view(-1)
            mask.view(-1)[rushlight.topk(size, k=count, largest=False).indices] = 0
        return mask


class _Channels(_Amount):
    """A method that prunes whole channels along `dim`."""

    PRUNING_TYPE = "structured"
    dim: int

    def _mask(self, t: Tensor, default_mask: Tensor, channels: Any) -> Tensor:
        """1 in the given channels, times the mask so far."""
        mask = rushlight.zeros_like(t)
        at: list[Any] = [slice(None)] * t.ndim
        at[self.dim] = channels
        mask[tuple(at)] = 1
        return mask.mul_(default_mask.to(dtype=mask.dtype))

    def _checked(self, t: Tensor) -> int:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        return self._count(t.shape[self.dim])


class RandomStructured(_Channels):
    """Prunes channels along `dim` at random.

    Args:
        amount: a fraction of the channels, or their number.

    >>> pruned = nn.utils.prune.RandomStructured(amount=2, dim=0).prune(torch.ones(3, 4))
    >>> int(pruned.sum())
    4
    """

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._checked(t)
        if not count:
            return default_mask
        chance = rushlight.rand(t.shape[self.dim])
        threshold = rushlight.kthvalue(chance, k=count).values
        return self._mask(t, default_mask, chance > threshold)


class LnStructured(_Channels):
    """Prunes the channels along `dim` with the smallest n-norm.

    Args:
        amount: a fraction of the channels, or their number.
        n: the order of the norm.

    >>> rows = torch.tensor([[1.0, 1.0], [3.0, 0.0], [0.5, 1.0]])
    >>> nn.utils.prune.LnStructured(amount=1, n=1, dim=0).prune(rows)
    tensor([[1., 1.],
            [3., 0.],
            [0., 0.]])
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._checked(t)
        if not count:
            return default_mask
        norm = _compute_norm(t, self.n, self.dim)
        kept = rushlight.topk(norm, k=t.shape[self.dim] - count, largest=True)
        return self._mask(t, default_mask, kept.indices)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask: 0 prunes.

    >>> method = nn.utils.prune.CustomFromMask(torch.tensor([1, 0, 1]))
    >>> method.prune(torch.tensor([5.0, 6.0, 7.0]))
    tensor([5., 0., 7.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Give the parameter a mask of ones. Returns the module, as the other functions do.

    >>> layer = nn.utils.prune.identity(nn.Linear(2, 1), "weight")
    >>> layer.weight_mask
    tensor([[1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prune `amount` (a fraction or a number) of the elements at random.

    >>> layer = nn.utils.prune.random_unstructured(nn.Linear(4, 4), "weight", amount=0.5)
    >>> int((layer.weight == 0).sum())
    8
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: Any, importance_scores: Any = None
) -> Module:
    """Prune the elements with the smallest absolute value (or importance score).

    >>> layer = nn.utils.prune.l1_unstructured(nn.Linear(4, 4), "weight", amount=0.25)
    >>> int((layer.weight == 0).sum())
    4
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prune channels along `dim` at random; `amount` is a fraction of them, or their number.

    >>> layer = nn.utils.prune.random_structured(nn.Linear(4, 3), "weight", amount=1, dim=0)
    >>> int((layer.weight == 0).sum())  # one row of three
    4
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Module:
    """Prune the channels along `dim` with the smallest n-norm.

    Args:
        amount: a fraction of the channels, or their number.
        n: the order of the norm.
        importance_scores: of the parameter's shape; used in place of its values.

    >>> layer = nn.Linear(2, 2)
    >>> _ = layer.weight.data.copy_(torch.tensor([[3.0, 4.0], [1.0, 1.0]]))
    >>> nn.utils.prune.ln_structured(layer, "weight", amount=1, n=2, dim=0).weight.data
    tensor([[3., 4.],
            [0., 0.]])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune by the given mask, of the parameter's shape: 0 prunes.

    >>> layer = nn.Linear(2, 2)
    >>> _ = nn.utils.prune.custom_from_mask(layer, "bias", torch.tensor([0, 1]))
    >>> layer.bias[0].item()
    -0.0
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters as if they were one: the weakest elements of all go.

    Args:
        parameters: (module, name) pairs.
        pruning_method: an unstructured method, such as `L1Unstructured`.
        importance_scores: (module, name) to scores; the values themselves by default.
        kwargs: of the method, such as ``amount=0.2``.

    >>> big, small = nn.Linear(4, 4), nn.Linear(4, 4)
    >>> _ = small.weight.data.mul_(0.001)
    >>> nn.utils.prune.global_unstructured(
    ...     [(big, "weight"), (small, "weight")], nn.utils.prune.L1Unstructured, amount=16
    ... )
    >>> int((small.weight == 0).sum())
    16
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    tensors = [getattr(module, name).detach() for module, name in pairs]
    flat = rushlight.cat(
        [scores.get(pair, t).detach().reshape(-1) for pair, t in zip(pairs, tensors, strict=True)]
    )
    masks = rushlight.cat(
        [
            getattr(module, name + "_mask", rushlight.ones_like(t)).reshape(-1)
            for (module, name), t in zip(pairs, tensors, strict=True)
        ]
    )
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    final = PruningContainer(method).compute_mask(flat, masks)
    start = 0
    for (module, name), t in zip(pairs, tensors, strict=True):
        stop = start + t.numel()
        custom_from_mask(module, name, mask=final[start:stop].view(t.shape))
        start = stop


def remove(module: Module, name: str) -> Module:
    """Make the pruned parameter ordinary again; what was pruned stays zero. Returns the module.

    >>> layer = nn.utils.prune.l1_unstructured(nn.Linear(4, 4), "weight", amount=4)
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight_orig']
    >>> layer = nn.utils.prune.remove(layer, "weight")
    >>> [name for name, _ in layer.named_parameters()], int((layer.weight == 0).sum())
    (['bias', 'weight'], 4)
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Module) -> bool:
    """Whether anything in the module is pruned.

    >>> layer = nn.Linear(2, 2)
    >>> nn.utils.prune.is_pruned(layer)
    False
    >>> nn.utils.prune.is_pruned(nn.utils.prune.identity(layer, "weight"))
    True
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to "
            f"prune={tensor_size}"
        )


def _validate_structured_pruning(t: Tensor) -> None:
    if t.ndim <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            f"shape {t.shape} with {t.ndim} dims"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if dim >= t.ndim:
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    others = [d for d in range(t.ndim) if d != dim % t.ndim]
    return rushlight.norm(t, p=n, dim=others)

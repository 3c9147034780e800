"""GradScaler: keep small gradients of narrow types from vanishing by scaling the loss.

A step whose gradients are not finite is skipped and the scale lowered; after a run of good steps it
grows again. Micikevicius et al., Mixed Precision Training (arXiv:1710.03740).
"""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.array_memory import locked
from rushlight.autograd import door, steps
from rushlight.autograd.changes import all_changed, unlock_all
from rushlight.autograd.steps import Step, step
from rushlight.errors import message
from rushlight.kernels.multi_tensor import select as multi_tensor
from rushlight.once import users_level
from rushlight.optim.parts import local, parts_of
from rushlight.tensor import Tensor

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimizer is within one iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class _Unscale(Step):
    """It writes to all operands but the last one, the factor."""

    __slots__ = ()

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        return tuple(range(len(arrays) - 1))


def _unscale(*arrays: Any) -> None:
    """Multiply arrays by the last one, a number; the last but one becomes 1 if one of them was not
    finite."""
    *grads, found_inf, factor = arrays
    if not multi_tensor.finite(grads):
        found_inf[...] = 1
    multi_tensor.scale(grads, np.float32(factor.item()))


unscale = _Unscale("unscale", _unscale, outputs=0)


@step(outputs=0, mutates=(0, 1))
def adapt(
    scale: Any, tracker: Any, found_inf: Any, *, growth: float, backoff: float, interval: int
) -> None:
    """A smaller scale after a bad step, a larger one after a run of good ones."""
    if found_inf.item():
        scale[...] = scale.item() * backoff
        tracker[...] = 0
    elif tracker.item() + 1 == interval:
        with np.errstate(over="ignore"):
            larger = np.float32(scale.item() * growth)
        if np.isfinite(larger):
            scale[...] = larger
        tracker[...] = 0
    else:
        tracker[...] += 1


def _amp_foreach_non_finite_check_and_unscale_(self: Any, found_inf: Any, inv_scale: Any) -> None:
    """Multiply gradients (a list of tensors) by `inv_scale`, in place; `found_inf` becomes 1 if one
    of them was not finite."""
    arrays: dict[Any, list[Any]] = {}
    if locked:
        unlock_all([*self, found_inf])
    spread: list[Any] = []  # gradients of which each process has a part
    for grad in self:
        if grad.__class__ is not Tensor and parts_of(grad) is not None:
            spread.append(grad)
            grad = local(grad)
        arrays.setdefault(grad._a.dtype, []).append(grad._a)
    for each in arrays.values():
        each, back = door.resolved_for(each)
        door.perform(unscale, [*each, found_inf._a, inv_scale._a], {})
        back()
    for how in dict.fromkeys(parts_of(g) for g in spread):
        how.greatest(found_inf, [g for g in spread if parts_of(g) is how])  # type: ignore[union-attr]
    all_changed([*self, found_inf], "GradScaler.unscale_")


def _amp_update_scale_(
    self: Any,
    growth_tracker: Any,
    found_inf: Any,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Any:
    """Adapt a scale, in place, to whether gradients overflowed, and count the good steps."""
    kw = {
        "growth": scale_growth_factor,
        "backoff": scale_backoff_factor,
        "interval": growth_interval,
    }
    if locked:
        unlock_all([self, growth_tracker])
    door.perform(adapt, (self._a, growth_tracker._a, found_inf._a), kw)
    all_changed([self, growth_tracker], "GradScaler.update")
    return self


def _zero() -> Tensor:
    """A place to note that something was not finite."""
    return Tensor._wrap(np.zeros((), np.float32))


def _total(found: Iterable[Any]) -> Any:
    """One number of several: 0 where all gradients were finite."""
    total = _zero()
    for each in found:
        total = total + each
    return total


class GradScaler:
    """Scale losses, unscale gradients, skip steps whose gradients overflowed.

    Args:
        device: "cpu", or "cuda", which without such a device disables it with a warning.
        init_scale: the first scale.
        growth_factor: of the scale after `growth_interval` good steps in a row.
        backoff_factor: of the scale after a bad one.
        growth_interval: good steps between two growths.
        enabled: False makes every method pass through.

    Example::

        scaler = GradScaler("cpu")
        for input, target in data:
            optimizer.zero_grad()
            loss = loss_fn(model(input), target)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    >>> w = nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    >>> for factor in (2.0, float("inf")):
    ...     optimizer.zero_grad()
    ...     scaler.scale((factor * w).sum()).backward()
    ...     scaler.step(optimizer)  # skipped where a gradient is not finite
    ...     scaler.update()
    ...     print(w.data, scaler.get_scale())
    tensor([0.8000]) 1024.0
    tensor([0.8000]) 512.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=users_level(),
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None  # made by the first scale()
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Tensor | None = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_fresh_state)

    # ---- one iteration, in the order of the calls -------------------------------------------

    def scale(self, outputs: Any) -> Any:
        """`outputs` times the scale: a Tensor, or Tensors in lists, tuples or iterables."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = Tensor._wrap(np.array(self._init_scale, np.float32))
                self._growth_tracker = Tensor._wrap(np.array(self._init_growth_tracker, np.int32))
            product: Any = outputs
            return product * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(t) for t in outputs)
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError(
            message(
                "outputs must be a Tensor or an iterable of Tensors", got=type(outputs).__name__
            )
        )

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale, for what has to see them (clipping)."""
        if not self._enabled:
            return
        scale, _ = self._begun("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                message(
                    "unscale_() has already been called on this optimizer since the last update().",
                    hint="one unscale_ an iteration, and scaler.update() at its end",
                )
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError(message("unscale_() is being called after step()."))
        with door.grad_enabled(False):
            inverse = scale.double().reciprocal().float()
        found = self._unscale_grads_(optimizer, inverse, _zero(), False)
        state["found_inf_per_device"] = found
        state["stage"] = OptState.UNSCALED

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Any, found_inf: Any, allow_fp16: bool
    ) -> dict[Any, Any]:
        """Multiply all gradients by `inv_scale`; by device, whether one of them was not finite.

        Subclasses take it over to allow gradients in float16.
        """
        grads = []
        for group in optimizer.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if grad.dtype is dtypes.float16 and not allow_fp16:
                    raise ValueError(
                        message(
                            "Attempting to unscale FP16 gradients.",
                            hint="parameters in float32, float16 under autocast only",
                        )
                    )
                if grad.is_sparse:
                    if grad.dtype is dtypes.float16:  # sums of scaled values may overflow
                        grad = p.grad = grad.coalesce()
                    grad = grad._values()
                grads.append(grad)
        if not grads:
            return {}
        _amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inv_scale)
        return {found_inf.device: found_inf}

    def _check_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        """Whether gradients are finite, which stay as they are."""
        self._begun("_check_inf_per_device")
        found = self._unscale_grads_(optimizer, _zero() + 1, _zero(), True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        found: dict[Any, Any] = self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
        return found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscale unless that was done, and `optimizer.step()` if all gradients are finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError(
                message("Closure use is not currently supported if GradScaler is enabled.")
            )
        self._begun("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError(
                message(
                    "step() has already been called since the last update().",
                    hint="scaler.update() at the end of each iteration",
                )
            )
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_itself(optimizer, state, args, kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step()` if all gradients are finite."""
        bad = any(found.item() for found in state["found_inf_per_device"].values())
        return None if bad else optimizer.step(*args, **kwargs)

    def _step_itself(self, optimizer: Any, state: Any, args: Any, kwargs: Any) -> Any:
        """The step of an optimizer that unscales by itself: it is given this scaler, if it takes
        `grad_scaler=`, or the attributes `grad_scale` and `found_inf`."""
        given = "grad_scaler" in inspect.signature(optimizer.step).parameters
        if given:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed "
                "optimizer. In the near future GradScaler registers `grad_scale: Tensor` and "
                "`found_inf: Tensor` to the passed optimizer and let the optimizer use them "
                "directly.",
                FutureWarning,
                stacklevel=3,
            )
            kwargs["grad_scaler"] = self
        else:
            if state["stage"] is OptState.READY:
                self._check_inf_per_device(optimizer)
            scale = getattr(optimizer, "grad_scale", None)
            if state["stage"] is not OptState.UNSCALED:
                own: Any = self._scale
                scale = own if scale is None else own * scale
            optimizer.grad_scale = scale
            optimizer.found_inf = _total(state["found_inf_per_device"].values())
        result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        if not given:
            del optimizer.grad_scale, optimizer.found_inf
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Adapt the scale to what the steps of this iteration found, or set it."""
        if not self._enabled:
            return
        scale, tracker = self._begun("update")
        if new_scale is not None:
            if isinstance(new_scale, Tensor) and (
                new_scale.numel() != 1 or new_scale.requires_grad
            ):
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                    "torch.FloatTensor with requires_grad=False."
                )
            door.perform(steps.store, (scale._a,), {"value": float(new_scale)})
        else:
            found = [
                bad
                for state in self._per_optimizer_states.values()
                for bad in state["found_inf_per_device"].values()
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            _amp_update_scale_(
                scale,
                tracker,
                _total(found),
                self._growth_factor,
                self._backoff_factor,
                self._growth_interval,
            )
        self._per_optimizer_states = defaultdict(_fresh_state)

    def _begun(self, what: str) -> tuple[Tensor, Tensor]:
        if self._scale is None or self._growth_tracker is None:
            raise AssertionError(
                message(
                    f"Attempted {what} but _scale is None.  This may indicate your script did not "
                    "use scaler.scale(loss or outputs) earlier in the iteration."
                )
            )
        return self._scale, self._growth_tracker

    # ---- settings and state -----------------------------------------------------------------

    def get_scale(self) -> float:
        """The scale now, 1.0 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale._a)

    def get_growth_factor(self) -> float:
        """The factor of growth."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor of growth."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor after a bad step."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor after a bad step."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Good steps between two growths."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the good steps between two growths."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(tracker._a)

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Scale, settings and counter; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                message(
                    "The source state dict is empty, possibly because it was saved from a disabled "
                    "instance of GradScaler."
                )
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            door.perform(steps.store, (self._scale._a,), {"value": self._init_scale})
            kw = {"value": self._init_growth_tracker}
            door.perform(steps.store, (self._growth_tracker._a,), kw)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, "
                    "or at the end after scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

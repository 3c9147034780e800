"""`PostLocalSGDOptimizer`: steps of a local optimiser, now and then an average of the ranks."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.optim.optimizer import Optimizer, StateDict


class PostLocalSGDOptimizer(Optimizer):
    """Steps with `optim`, then lets `averager` average the parameters when it is time to.

    Post-local SGD (arXiv:1808.07217): after a warm-up, ranks go their own way and meet every so
    many steps. The groups and the state are those of `optim`.

    Args:
        optim: the local optimiser.
        averager: what has `average_parameters(params)` and a count `step`, such as
            `algorithms.model_averaging.averagers.PeriodicModelAverager(period=4)`.
    """

    def __init__(self, optim: Optimizer, averager: Any) -> None:
        self.optim = optim
        self.averager = averager
        self.defaults = optim.defaults
        self.param_groups = optim.param_groups
        for name in self._HOOKS:
            setattr(self, name, type(getattr(optim, name))())
        self._patch_step_function()

    @property
    def state(self) -> Any:  # type: ignore[override]
        """The local optimiser's."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> StateDict:
        """That of the local optimiser, and how often the averager was asked under "step"."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over what `state_dict` returned; without "step" the averager begins anew."""
        self.optim.load_state_dict(state_dict)
        self.param_groups = self.optim.param_groups
        if "step" not in state_dict:
            warnings.warn(
                "Loaded state dict does not contain a step counter for an averager. "
                "Setting step counter to 0.",
                stacklevel=2,
            )
        self.averager.step = state_dict.get("step", 0)

    def step(self, closure: Any = None) -> Any:
        """Step locally, then average when it is time to."""
        loss = self.optim.step() if closure is None else self.optim.step(closure)
        self.averager.average_parameters(params=self.param_groups)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group to the local optimiser."""
        self.optim.add_param_group(param_group)

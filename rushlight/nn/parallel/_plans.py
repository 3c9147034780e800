"""What `torch.compile` does with a DistributedDataParallel.

Alone, the module inside is compiled. In a function that is compiled, such as a whole training step,
what stands around the module's forward, the hooks of gradients and the end of the reduction are
effects of the function's plan: each replay does them in their places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.grad_mode import is_grad_enabled


class InPlans:
    """The part of DistributedDataParallel that plans know."""

    module: Any
    reducer: Any
    require_backward_grad_sync: bool
    _delay_grad_buffer: Any
    _join_config: Any
    _post_forward: Callable[..., None]
    _pre_forward: Callable[..., None]

    def _compiled_within(self, told: Callable[[Any], Any]) -> Callable[..., Any]:
        """What `torch.compile` makes of this module: the one inside is compiled; gradients are
        reduced while its backward goes on."""
        inner, me = told(self.module), self.__dict__
        run: Any = self

        def call(*inputs: Any, **kwargs: Any) -> Any:
            before, me["_inner"] = me.get("_inner"), inner
            try:
                return run(*inputs, **kwargs)
            finally:
                me["_inner"] = before

        return call

    @property
    def _computing(self) -> Callable[..., Any]:
        return self.__dict__.get("_inner") or self.module

    def _not_in_plans(self) -> str:
        """Why a plan cannot have this module in it; "" where it can."""
        reducer = self.reducer
        if self._join_config.enable:
            return "join"
        if self._delay_grad_buffer is not None:
            return "delay_all_reduce_named_params"
        if hasattr(self, "buffer_hook"):
            return "a hook of buffers"
        if reducer.find_unused and not reducer.static:
            return "find_unused_parameters"
        if reducer.counts_first:
            return "a static graph that is not known yet"
        if reducer.as_views:
            return "gradient_as_bucket_view"
        if reducer.stepping:
            return "optimizers in its backward"
        return "sparse gradients" if any(reducer.sparse) else ""

    def _plans_as(self, synced: bool) -> bool:
        """Whether what a plan has taken for granted is so."""
        return self.require_backward_grad_sync is synced and not self._not_in_plans()

    def _captured(self, hooks: Any, args: Any, kw: Any) -> Any:
        """A call of this module in a function that is written down; `hooks` are the capture's."""
        why, capture = self._not_in_plans(), hooks.capture
        if why:
            hooks.unknown(f"a DistributedDataParallel with {why} is called")
        if hooks.why is not None:
            eager: Any = self
            return eager(*args, **kw)
        name, sync = hooks.guards.name(self), self.require_backward_grad_sync
        hooks.guards.same(f"{name}.reducer", self.reducer, "its reducer")
        hooks.guards.add(f"{name}._plans_as({sync})", "the DistributedDataParallel is as it was")
        synced = is_grad_enabled() and sync
        capture.effect("DistributedDataParallel before", lambda: self._pre_forward(synced))
        found = hooks.call(hooks.module_attr(self, "module"), *args, **kw)
        capture.reducers.append(self.reducer)
        capture.effect("DistributedDataParallel behind", lambda: self._post_forward(None, synced))
        return found

"""A hook for post-local SGD: gradients are averaged over all ranks at first, then over a few, and
models once in a while (`model_averaging`). Lin et al., arXiv:1808.07217."""

from __future__ import annotations

from typing import Any

from ....futures import Future
from .debugging_hooks import noop_hook
from .default_hooks import _allreduce_fut


class PostLocalSGDState:
    """What `post_localSGD_hook` is told, and where it is.

    Args:
        process_group: for the first steps; None: all ranks.
        subgroup: for the later ones; None: the ranks of each machine.
        start_localSGD_iter: after how many steps the later ones begin.
        post_local_gradient_allreduce: False: gradients are not averaged at all from then on.
    """

    __slots__ = [  # noqa: RUF023 - in the order of the arguments
        "process_group",
        "subgroup",
        "start_localSGD_iter",
        "post_local_gradient_allreduce",
        "iter",
    ]

    def __init__(
        self,
        process_group: Any,
        subgroup: Any,
        start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Count a step, with its last bucket."""
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state: PostLocalSGDState, bucket: Any) -> Future[Any]:
    """The mean over all ranks in the first steps, over the subgroup afterwards."""
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return _allreduce_fut(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        return noop_hook(None, bucket)
    if state.subgroup is None:
        from ...setup import new_subgroups

        state.subgroup, _ = new_subgroups()
    return _allreduce_fut(state.subgroup, bucket.buffer())

"""A `Pool` whose workers let go of the tensors they were sent when they end."""

from __future__ import annotations

import gc
import multiprocessing.pool
from typing import Any

from . import reductions

__all__ = ["Pool", "clean_worker"]


def clean_worker(*args: Any, **kwargs: Any) -> None:
    """The stock worker, and a collection of garbage when it is done."""
    multiprocessing.pool.worker(*args, **kwargs)  # type: ignore[attr-defined]
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """`multiprocessing.pool.Pool`; tensors in arguments and results are shared memory."""

    @staticmethod
    def Process(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """The process of a worker (called by the base class)."""
        if kwargs.get("target") is multiprocessing.pool.worker:  # type: ignore[attr-defined]
            kwargs["target"] = clean_worker
        return ctx.Process(*args, **kwargs)


_ = reductions  # they make tensors travel

"""A hook that sends nothing, to measure what sending costs."""

from __future__ import annotations

from typing import Any

from ....futures import Future

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: Any) -> Future[Any]:
    """Leave each rank its own gradients. Ranks drift apart: for measurements alone."""
    done: Future[Any] = Future()
    done.set_result(bucket.buffer())
    return done

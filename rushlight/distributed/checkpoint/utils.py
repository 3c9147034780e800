"""Steps that all ranks make together: an error on one of them is raised by all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .. import objects, setup
from ..group import resolve
from .api import CheckpointException, _wrap_exception

T = TypeVar("T")
R = TypeVar("R")


class _Failure:
    """What a rank sends instead of its result."""

    def __init__(self, error: BaseException) -> None:
        self.wrapped = _wrap_exception(error)


class _DistWrapper:
    """The ranks of a group, or this process alone.

    Args:
        group: whose ranks; None: all.
        use_dist: False: this process alone.
        coordinator_rank: the rank in the group that decides for all.
    """

    def __init__(self, group: Any, use_dist: bool, coordinator_rank: int) -> None:
        self.group, self.use_dist, self.coordinator_rank = group, use_dist, coordinator_rank
        self.rank = setup.get_rank(group) if use_dist else 0
        self.is_coordinator = not use_dist or self.rank == coordinator_rank
        self.size = setup.get_world_size(group) if use_dist else 1
        if use_dist:
            self.coordinator = resolve(group).global_rank(coordinator_rank)  # type: ignore[union-attr]

    def get_rank(self) -> int:
        """This rank in the group."""
        return self.rank

    def get_world_size(self) -> int:
        """How many ranks there are."""
        return self.size

    def reduce_scatter(
        self, step: str, map_fun: Callable[[], T], reduce_fun: Callable[[list[T]], list[R]]
    ) -> R:
        """Compute on each rank, decide on the coordinator, and give each rank its part.

        Raises:
            CheckpointException: one of them failed.
        """
        all_data = self._gathered(tried(map_fun))
        results: list[Any] | None = None
        if self.is_coordinator:
            results = self._decided(step, all_data, reduce_fun)
            if not isinstance(results, list):
                results = [results] * self.size
        if not self.use_dist:
            assert results is not None
            return raised(results[0])  # type: ignore[no-any-return]
        out: list[Any] = [None]
        objects.scatter_object_list(out, results, src=self.coordinator, group=self.group)
        return raised(out[0])  # type: ignore[no-any-return]

    def all_reduce(
        self, step: str, map_fun: Callable[[], T], reduce_fun: Callable[[list[T]], R]
    ) -> R:
        """Compute on each rank, decide on the coordinator, and give that to all."""
        all_data = self._gathered(tried(map_fun))
        result = self._decided(step, all_data, reduce_fun) if self.is_coordinator else None
        return raised(self.broadcast_object(result))  # type: ignore[no-any-return]

    def all_gather(self, step: str, map_fun: Callable[[], T]) -> list[T]:
        """Compute on each rank, and give all results to all."""
        found: list[Any] = [None] * self.size
        mine = tried(map_fun)
        if self.use_dist:
            objects.all_gather_object(found, mine, group=self.group)
        else:
            found = [mine]
        failed = failures(step, found)
        if failed is not None:
            raise failed
        return found

    def broadcast(self, step: str, map_fun: Callable[[], T]) -> T:
        """Compute on the coordinator, and give that to all."""
        result: Any = None
        if self.is_coordinator:
            result = tried(map_fun)
            if isinstance(result, _Failure):
                result = CheckpointException(step, {self.rank: result.wrapped})
        return raised(self.broadcast_object(result))  # type: ignore[no-any-return]

    def broadcast_object(self, object: Any) -> Any:
        """The coordinator's object."""
        if not self.use_dist:
            return object
        held = [object]
        objects.broadcast_object_list(held, src=self.coordinator, group=self.group)
        return held[0]

    def barrier(self) -> None:
        """Wait for all ranks."""
        if self.use_dist:
            from ..collectives import barrier

            barrier(group=self.group)

    def _gathered(self, mine: Any) -> list[Any]:
        if not self.use_dist:
            return [mine]
        found: list[Any] | None = [None] * self.size if self.is_coordinator else None
        objects.gather_object(mine, found, dst=self.coordinator, group=self.group)
        return found or []

    def _decided(self, step: str, found: list[Any], fn: Callable[[list[Any]], Any]) -> Any:
        failed = failures(step, found)
        if failed is None:
            result = tried(lambda: fn(found))
            if not isinstance(result, _Failure):
                return result
            failed = CheckpointException(step, {self.rank: result.wrapped})
        return failed


def tried(fn: Callable[[], Any]) -> Any:
    """What `fn` returns, or the error that it raised, to be sent."""
    try:
        return fn()
    except Exception as error:
        return _Failure(error)


def failures(step: str, found: list[Any]) -> CheckpointException | None:
    """The error of all ranks that failed."""
    failed = {r: f.wrapped for r, f in enumerate(found) if isinstance(f, _Failure)}
    return CheckpointException(step, failed) if failed else None


def raised(result: Any) -> Any:
    if isinstance(result, CheckpointException):
        raise result
    return result

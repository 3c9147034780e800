"""What `async_save` does while the program goes on: write, and tell the others through the store.

Collectives of two threads of a process would meet in another order on each rank, so this thread
makes none. Each rank puts what it has written under a key; the coordinator collects, finishes the
checkpoint, and puts the outcome under another. Values are read by the closed reader of
`metadata_file.py`.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any

from ...errors import message
from .. import setup
from ..errors import DistBackendError, DistError
from ..stores import PrefixStore
from . import metadata_file
from .api import CheckpointException, _wrap_exception

_last: Future[Any] | None = None  # one at a time
_count: dict[str, int] = {}  # saves so far, of each group


def wait_for_last() -> None:
    """Return when no save is under way, whether the last one ended well or not."""
    if _last is not None:
        _last.exception()


class Exchange:
    """The ranks of one save, in the group's store."""

    def __init__(self, group: Any, comm: Any) -> None:
        number = _count[group.group_name] = _count.get(group.group_name, 0) + 1
        self.store = PrefixStore(f"async_save/{number}", group.get_group_store())
        self.group, self.comm = group, comm

    def put(self, key: str, value: Any) -> None:
        """Tell the others."""
        self.store.set(key, metadata_file.dumped(value))

    def take(self, key: str) -> Any:
        """What another rank has told, as soon as it has.

        Raises:
            DistBackendError: the job has failed, or the group's timeout is over.
        """
        deadline = time.monotonic() + self.group.timeout
        pause = 0.002
        while not self.store.check([key]):
            why = self.group.world.failure
            if why is None and time.monotonic() > deadline:
                why = f"{key} has not come within {self.group.timeout:g} s"
            if why is not None:
                raise DistBackendError(
                    message(
                        f"async_save cannot be completed: {why}",
                        got=f"rank {self.comm.rank} of {self.comm.size} waits for {key}",
                        wanted="all ranks to write their parts",
                        hint="the former checkpoint is as it was",
                    )
                )
            time.sleep(pause)
            pause = min(0.1, 1.5 * pause)
        found = metadata_file.loaded(self.store.get(key))
        self.store.delete_key(key)
        return found


def exchange_of(comm: Any) -> Exchange | None:
    """The exchange of a group; None for a process alone."""
    if not comm.use_dist or comm.size == 1:
        return None
    return Exchange(setup.resolve(comm.group), comm)


def start(saving: Any, exchange: Exchange | None) -> Future[Any]:
    """Write in a thread; the Future of the metadata. The program does not end before it."""
    global _last
    done: Future[Any] = Future()

    def run() -> None:
        try:
            if exchange is None:
                done.set_result(saving.finish([_step("write", saving.write, saving.comm.rank)]))
            else:
                done.set_result(_together(saving, exchange))
        except BaseException as error:
            done.set_exception(error)

    done.set_running_or_notify_cancel()
    _last = done
    threading.Thread(target=run, name="rushlight-checkpoint", daemon=False).start()
    return done


def _step(step: str, fn: Any, rank: int) -> Any:
    try:
        return fn()
    except Exception as error:
        raise CheckpointException(step, {rank: _wrap_exception(error)}) from error


def _together(saving: Any, exchange: Exchange) -> Any:
    comm = exchange.comm
    try:
        mine: Any = saving.write()
    except Exception as error:
        mine = f"{type(error).__name__}: {error}"
    if not comm.is_coordinator:
        exchange.put(f"rank {comm.rank}", mine)
        outcome = exchange.take(f"outcome for rank {comm.rank}")
    else:
        outcome = _outcome(saving, exchange, mine)
        for rank in range(comm.size):
            if rank != comm.rank:
                exchange.put(f"outcome for rank {rank}", outcome)
    if isinstance(outcome, dict):
        raise CheckpointException(
            "write", {rank: _wrap_exception(RuntimeError(text)) for rank, text in outcome.items()}
        )
    return outcome


def _outcome(saving: Any, exchange: Exchange, mine: Any) -> Any:
    """The metadata; or of each rank that failed, why."""
    found: list[Any] = []
    failed: dict[int, str] = {}
    for rank in range(exchange.comm.size):
        result = mine
        if rank != exchange.comm.rank:
            try:
                result = exchange.take(f"rank {rank}")
            except DistError as error:
                result = str(error)
        if isinstance(result, str):
            failed[rank] = result
        else:
            found.append(result)
    if failed:
        return failed
    try:
        return saving.finish(found)
    except Exception as error:
        return {exchange.comm.rank: f"{type(error).__name__}: {error}"}

"""The life of a worker process: set up, read what is asked for, send it back, end with the parent.

One two-way connection leads to the parent. A worker ends when that connection does, between two
batches; when the parent has died, it ends at once (a thread waits for that). Read next:
`process_pool.py`, the other end.
"""

from __future__ import annotations

import collections
import os
import pickle
import signal
import sys
import threading
from multiprocessing import process
from typing import Any

from .shared import Block, Lease
from .transport import Sender, parcel
from .worker import Job, Reader, begin_process
from .wrapper import ExceptionWrapper


def main(connection: Any, worker_id: int, job: Job | None, inherited: list[Any]) -> None:
    """Run a worker until the parent has no more use for it.

    Args:
        connection: this end of the connection to the parent.
        worker_id: which one this is.
        job: in a forked process, what to do; None: it comes over the connection.
        inherited: in a forked process, the parent's ends of connections to all workers.
    """
    # Ctrl-C reaches the whole group of processes; the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for end in inherited:
            end.close()  # or a worker would not see the end of a parent that its sibling outlives
        _end_with_parent()
        if job is None:
            job = _receive_job(connection)
        if job is not None:
            begin_process(job, worker_id)
            _serve(connection, worker_id, job)
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return
    finally:
        connection.close()


def _end_with_parent() -> None:
    """Let this process end when the parent does, even in the middle of reading a sample."""
    parent = process.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=watch, name="DataLoaderWatch", daemon=True).start()


def _receive_job(connection: Any) -> Job | None:
    """The job that `Launch.send` sent; None, and the parent told, when it cannot be built."""
    setup = pickle.loads(connection.recv_bytes())
    if setup["size"]:
        block = Block.receive(connection, setup["size"], private=True)
        lease = Lease(block, _kept, None)
        arrays: list[Any] = [lease.array(*place) for place in parcel(block, setup["parts"])]
    else:
        arrays = [bytearray(part) for part in setup["parts"]]
    try:
        _take_environment(setup)
        job: Job = pickle.loads(arrays.pop(), buffers=arrays)
        return job
    except Exception:
        error = ExceptionWrapper(where="while a DataLoader worker unpacked the data set")
        text = f"Caught {error.exc_type.__name__} {error.where}.\nOriginal {error.exc_msg}"
        connection.send_bytes(pickle.dumps(("failed", text)))
        return None


def _kept(_token: None) -> None:
    """The memory of the data set stays as long as the process."""


def _take_environment(setup: dict[str, Any]) -> None:
    """Settings of the parent that a process not forked from it would not have."""
    import rushlight

    if setup["environ"] is not None and setup["environ"] != dict(os.environ):
        os.environ.clear()
        os.environ.update(setup["environ"])
    rushlight.set_default_dtype(rushlight.dtypes.__dict__[setup["dtype"]])
    for module, name, value in setup["flags"]:
        if module not in sys.modules:
            __import__(module)
        setattr(sys.modules[module], name, value)


def _serve(connection: Any, worker_id: int, job: Job) -> None:
    reader = Reader(job, worker_id, f"in DataLoader worker process {worker_id}")
    sender = Sender()
    tasks: collections.deque[tuple[int, Any]] = collections.deque()
    number = 0  # of the pass
    while True:
        # Everything that has arrived is read before a task is begun: it may be that a new pass has
        # begun and the tasks of the old one are for nothing.
        while not tasks or connection.poll():
            kind, *rest = pickle.loads(connection.recv_bytes())
            if kind == "pass":
                number, start = rest
                tasks.clear()
                reader.new_pass(start)
            else:
                index_number, index, released = rest
                sender.released(released)
                tasks.append((index_number, index))
        index_number, index = tasks.popleft()
        value = reader.read(index)
        if value is not None:
            state = reader.state()
            _send(connection, sender, (number, index_number), value, state, reader)
        del value, index


def _send(
    connection: Any, sender: Sender, head: tuple[int, int], value: Any, state: Any, reader: Reader
) -> None:
    try:
        body, block = sender.body((value, state))
    except Exception:
        if isinstance(value, ExceptionWrapper):  # of a class that cannot be pickled
            error = value
            error.where = f"({error.exc_type.__name__}) {reader.where}"
            error.exc_type = RuntimeError
        else:
            error = ExceptionWrapper(where=reader.where)
        body, block = sender.body((error, None))
    connection.send_bytes(pickle.dumps(("data", *head, body), 5))
    if block is not None:
        block.send(connection)
        block.sent()

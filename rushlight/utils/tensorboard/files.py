"""Event files themselves, in place of tensorboardX's.

Its own pass events through a queue between processes to a thread, do not wait for them on `flush`,
and after `close` write over a file that was begun in the same second. These are written at once,
and each has a name of its own. What is in an event is still made by tensorboardX.

Read next: `writer.py`.
"""

from __future__ import annotations

import atexit
import itertools
import os
import socket
import struct
import threading
import time
from typing import Any

_numbers = itertools.count()


class EventFile:
    """One file of events, each with its length and two checksums (the TFRecord format).

    Args:
        folder: where; made if need be.
        max_queue: after so many events the file is flushed,
        flush_secs: and with the first event after so many seconds.
        suffix: the end of its name.
    """

    def __init__(self, folder: str, max_queue: int, flush_secs: float, suffix: str) -> None:
        from tensorboardX.crc32c import crc32c
        from tensorboardX.proto.event_pb2 import Event

        self._folder, self._max_queue, self._flush_secs = folder, max_queue, flush_secs
        self._crc32c = crc32c
        self._lock = threading.Lock()
        self._waiting, self._flushed = 0, time.monotonic()
        os.makedirs(folder, exist_ok=True)
        name = (
            f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
            f".{os.getpid()}.{next(_numbers)}{suffix}"
        )
        self._file = open(os.path.join(folder, name), "xb")  # noqa: SIM115
        self.add_event(Event(wall_time=time.time(), file_version="brain.Event:2"))
        self.flush()
        atexit.register(self.close)

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def add_event(self, event: Any) -> None:
        """Append an event of tensorboardX's protocol."""
        body = event.SerializeToString()
        size = struct.pack("<Q", len(body))
        record = b"".join([size, self._checksum(size), body, self._checksum(body)])
        with self._lock:
            self._file.write(record)
            self._waiting += 1
            due = time.monotonic() - self._flushed > self._flush_secs
        if due or self._waiting > self._max_queue:
            self.flush()

    def _checksum(self, data: bytes) -> bytes:
        crc = self._crc32c(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def flush(self) -> None:
        """Hand everything to the system."""
        with self._lock:
            if not self._file.closed:
                self._file.flush()
            self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        """Write what waits and close the file."""
        atexit.unregister(self.close)
        with self._lock:
            self._file.close()


def writer_class(tensorboardx: Any) -> Any:
    """tensorboardX's SummaryWriter, writing `EventFile`s."""
    from tensorboardX import writer as module

    class Writer(tensorboardx.SummaryWriter):  # type: ignore[misc, name-defined]
        file_writer: Any
        all_writers: Any
        purge_step: Any

        def open(self, folder: str) -> Any:
            """A FileWriter of tensorboardX on a file of ours; on its own for remote storage."""
            options = (self._max_queue, self._flush_secs, self._filename_suffix)
            if "://" in folder:
                return module.FileWriter(folder, *options)
            made = module.FileWriter.__new__(module.FileWriter)
            made.event_writer = EventFile(folder, *options)
            made._default_metadata = {}
            return made

        def _get_file_writer(self) -> Any:
            if self.all_writers is None or self.file_writer is None:
                self.file_writer = self.open(self.logdir)
                self.all_writers = {self.logdir: self.file_writer}
                if self.purge_step is not None:
                    step, start = self.purge_step, module.SessionLog.START
                    log = module.SessionLog(status=start)
                    self.file_writer.add_event(
                        module.Event(step=step, file_version="brain.Event:2")
                    )
                    self.file_writer.add_event(module.Event(step=step, session_log=log))
                    self.purge_step = None
            return self.file_writer

    return Writer

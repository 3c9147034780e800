"""Which storage a checkpoint's name means: folders, so far."""

from __future__ import annotations

import os
from typing import Any

from ...errors import message
from .filesystem import FileSystemReader, FileSystemWriter


def _storage_setup(storage: Any, checkpoint_id: Any, reader: bool) -> Any:
    """The storage that was given, or the one of `checkpoint_id`; ready for a new save or load.

    Raises:
        RuntimeError: neither is given, or the name is none that a storage knows.
    """
    what = "storage_reader" if reader else "storage_writer"
    if storage is not None:
        storage.reset(checkpoint_id)
        return storage
    if checkpoint_id is None:
        raise RuntimeError(
            message(
                f"`checkpoint_id` must be specified if {what} is None.",
                hint=f'checkpoint_id="checkpoints/step-100", a folder, or a {what}',
            )
        )
    kind: Any = FileSystemReader if reader else FileSystemWriter
    if not isinstance(checkpoint_id, str | os.PathLike) or not kind.validate_checkpoint_id(
        checkpoint_id
    ):
        raise RuntimeError(
            message(
                f"Cannot detect which {what.partition('_')[2]} to use.",
                got=f"checkpoint_id={checkpoint_id!r}",
                wanted="the path of a folder" + ("" if reader else ", where this user may write"),
                hint=f"a {what} of your own for other places",
            )
        )
    return kind(checkpoint_id)

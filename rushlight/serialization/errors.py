"""The one error that a bad file raises."""

from __future__ import annotations

import pickle


class CheckpointError(RuntimeError, pickle.UnpicklingError):
    """A file cannot be read as a checkpoint: malformed, truncated, hostile, or of an unknown kind.

    It is both classes that PyTorch raises in these cases, so either `except` clause catches it.

    >>> import io
    >>> try:
    ...     torch.load(io.BytesIO(b"not a checkpoint"))
    ... except torch.serialization.CheckpointError:
    ...     print("not a checkpoint")
    not a checkpoint
    """

    __module__ = "rushlight.serialization"


class EmptyFile(CheckpointError, EOFError):
    """A file without any bytes, of which PyTorch says that its end came too early."""

    __module__ = "rushlight.serialization"


class SourceChangeWarning(Warning):
    """A class has changed since a module of it was saved, in the format that keeps its source.

    >>> issubclass(torch.serialization.SourceChangeWarning, Warning)
    True
    """

    __module__ = "rushlight.serialization"

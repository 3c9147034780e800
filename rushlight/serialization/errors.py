"""The one error that a bad file raises."""

from __future__ import annotations

import pickle


class CheckpointError(RuntimeError, pickle.UnpicklingError):
    """A file cannot be read as a checkpoint: malformed, truncated, hostile, or of an unknown kind.

    It is both classes that PyTorch raises in these cases, so either `except` clause catches it.
    """

    __module__ = "rushlight.serialization"


class SourceChangeWarning(Warning):
    """PyTorch's warning about a class that changed since a module was saved; never given here."""

    __module__ = "rushlight.serialization"

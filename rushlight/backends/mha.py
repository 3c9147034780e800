"""`torch.backends.mha`: whether attention layers that only evaluate may take their short way."""

from __future__ import annotations

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]

_enabled = [True]


def get_fastpath_enabled() -> bool:
    """Whether `nn.MultiheadAttention` may take its short way.

    It does in evaluation mode, without gradients, for one batch that looks at itself. Rows that may
    look at nothing are NaN there, as in PyTorch; the long way gives them zeros where no weights are
    asked for.

    >>> torch.backends.mha.get_fastpath_enabled()
    True
    """
    return _enabled[0]


def set_fastpath_enabled(value: bool) -> None:
    """Let `nn.MultiheadAttention` take its short way, or forbid it.

    >>> torch.backends.mha.set_fastpath_enabled(False)
    >>> torch.backends.mha.get_fastpath_enabled()
    False
    >>> torch.backends.mha.set_fastpath_enabled(True)
    """
    _enabled[0] = bool(value)

"""Event files for TensorBoard, written by tensorboardX (`pip install 'rushlight[tensorboard]'`).

`from torch.utils.tensorboard import SummaryWriter` raises ImportError where tensorboardX is
missing, so that programs which try it and go on without it do so. Read next: `writer.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .writer import SummaryWriter as SummaryWriter

__all__ = ["SummaryWriter"]


def __getattr__(name: str) -> Any:
    if name == "SummaryWriter":
        from . import writer

        writer.check_installed()
        return writer.SummaryWriter
    raise AttributeError(
        f"module 'rushlight.utils.tensorboard' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torch.utils.tensorboard.{name} is not there (yet)"
    )

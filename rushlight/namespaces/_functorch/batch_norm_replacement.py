"""`torch._functorch.batch_norm_replacement`."""

from __future__ import annotations

from rushlight.func.functional_modules import replace_all_batch_norm_modules_

__all__ = ["replace_all_batch_norm_modules_"]

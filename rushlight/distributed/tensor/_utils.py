"""Where a rank's part of a tensor is, under the name that programs import it by."""

from __future__ import annotations

from ._dtensor_spec import compute_local_shape_and_global_offset

__all__ = ["compute_local_shape_and_global_offset"]

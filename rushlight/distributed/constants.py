"""`torch.distributed.constants`: how long collectives wait."""

from __future__ import annotations

import datetime

from .group import default_pg_timeout

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]

default_pg_nccl_timeout: datetime.timedelta | None = None  # there is no NCCL

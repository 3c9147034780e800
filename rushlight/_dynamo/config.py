"""Settings of a capture that does not take place: any may be set, none changes anything."""

from __future__ import annotations

suppress_errors = False
verbose = False
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = 256
capture_scalar_outputs = False
optimize_ddp = True

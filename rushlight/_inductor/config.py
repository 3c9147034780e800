"""Settings of a code generator that is not there: any may be set, none changes anything."""

from __future__ import annotations

debug = False
coordinate_descent_tuning = False
fx_graph_cache = False
max_autotune = False

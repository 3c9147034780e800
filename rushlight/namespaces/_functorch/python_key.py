"""Where older programs look for `make_fx`."""

from __future__ import annotations

from rushlight.fx.experimental.proxy_tensor import PythonKeyTracer, make_fx

__all__ = ["PythonKeyTracer", "make_fx"]

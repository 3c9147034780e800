"""`torch.compiler.config`: settings of the compiler. Most are accepted and change nothing."""

from __future__ import annotations

from typing import Any

from .settings import install

job_id: str | None = None
cache_key_tag = ""
force_disable_caches = False
dynamic_sources = ""
dynamic_shapes = True
verbose = False
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
log_file_name: str | None = None
allow_unspec_int_on_nn_module = False
reorderable_logging_functions: set[Any] = set()

install(__name__)

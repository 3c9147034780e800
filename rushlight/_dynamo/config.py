"""`torch._dynamo.config`: settings of the capture.

`recompile_limit`, `error_on_recompile`, `disable` and the others in `compiler/settings.py` mean
what PyTorch says; the rest may be set and changes nothing.
"""

from __future__ import annotations

from ..compiler.settings import install

suppress_errors = False
verbose = False
dynamic_shapes = True
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
optimize_ddp = True
guard_nn_modules = True
inline_inbuilt_nn_modules = True
specialize_int = False
specialize_float = False
allow_unspec_int_on_nn_module = False
force_parameter_static_shapes = True
force_nn_module_property_static_shapes = True
skip_nnmodule_hook_guards = True
trace_numpy = True
use_numpy_random_stream = False
compiled_autograd = False
report_guard_failures = True
raise_on_ctx_manager_usage = True
log_level = None
log_file_name = None
replay_record_enabled = False
print_graph_breaks = False
nested_graph_breaks = False
fake_tensor_cache_enabled = True
fake_tensor_cache_crosscheck_enabled = False

install(__name__)

"""What libraries ask of PyTorch's compiled core, `torch._C`: the few names that mean something.
There is no such core: settings of its script compiler are accepted, questions about it are answered
with no.
"""

from __future__ import annotations

from typing import Any

from rushlight.device import device as device
from rushlight.dtypes import dtype as dtype
from rushlight.layout import layout as layout
from rushlight.layout import memory_format as memory_format
from rushlight.random import Generator as Generator
from rushlight.size import Size as Size
from rushlight.tensor import Tensor

from . import _autograd as _autograd
from . import _functions as _functions
from ._autograd import _current_graph_task_id as _current_graph_task_id
from ._autograd import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from ._autograd import _WeakTensorRef as _WeakTensorRef
from ._autograd import _will_engine_execute_node as _will_engine_execute_node
from ._autograd import is_grad_enabled as is_grad_enabled

TensorBase = _TensorBase = Tensor

_has_cuda = _has_cudnn = _has_mkldnn = _has_mps = False


def _log_api_usage_once(*args: Any) -> None:
    """Nothing is logged."""


def _get_tracing_state() -> None:
    """None: nothing is traced."""


def _jit_set_profiling_mode(value: Any = None) -> bool:
    """Accepted; False: it was not set before, as there is nothing to set."""
    return False


_jit_set_profiling_executor = _jit_set_texpr_fuser_enabled = _jit_set_profiling_mode
_jit_override_can_fuse_on_cpu = _jit_override_can_fuse_on_gpu = _jit_set_profiling_mode
_jit_set_nvfuser_enabled = _jit_set_nvfuser_guard_mode = _jit_set_profiling_mode
_jit_can_fuse_on_cpu = _jit_can_fuse_on_gpu = _jit_texpr_fuser_enabled = _jit_set_profiling_mode
_get_cudnn_enabled = _get_mkldnn_enabled = _jit_set_profiling_mode

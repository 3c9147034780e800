"""What libraries ask of PyTorch's compiled core, `torch._C`: the few names that mean something.
There is no such core: settings of its script compiler are accepted, questions about it are answered
with no.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight import config as _config
from rushlight import lazy_clones, storage_moves, unsupported
from rushlight import storage as _storage
from rushlight.device import device as device
from rushlight.dtypes import dtype as dtype
from rushlight.layout import layout as layout
from rushlight.layout import memory_format as memory_format
from rushlight.ops.core import overrides as _overrides
from rushlight.ops.shape.public import broadcast_shapes as _broadcast_shapes
from rushlight.random import Generator as Generator
from rushlight.size import Size as Size
from rushlight.storage import StorageBase as StorageBase
from rushlight.tensor import Tensor

from . import _autograd as _autograd
from . import _functions as _functions
from . import _nn as _nn
from ._autograd import _add_cached_tensor as _add_cached_tensor
from ._autograd import _current_autograd_node as _current_autograd_node
from ._autograd import _current_graph_task_execution_order as _current_graph_task_execution_order
from ._autograd import _current_graph_task_id as _current_graph_task_id
from ._autograd import _is_cached_tensor as _is_cached_tensor
from ._autograd import _remove_cached_tensor as _remove_cached_tensor
from ._autograd import _set_cached_tensors_enabled as _set_cached_tensors_enabled
from ._autograd import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from ._autograd import _WeakTensorRef as _WeakTensorRef
from ._autograd import _will_engine_execute_node as _will_engine_execute_node
from ._autograd import is_grad_enabled as is_grad_enabled

TensorBase = _TensorBase = Tensor
_TensorMeta = type(Tensor)  # Tensor has no metaclass of its own


_has_cuda = _has_cudnn = _has_mkldnn = _has_mps = False
has_lapack = has_spectral = True  # NumPy's


def _log_api_usage_once(*args: Any) -> None:
    """Nothing is logged."""


def _infer_size(a: Any, b: Any) -> Any:
    """The shape of two shapes broadcast."""
    return _broadcast_shapes(tuple(a), tuple(b))


def _get_tracing_state() -> None:
    """None: nothing is traced."""


def _is_tracing() -> bool:
    """False: nothing is traced."""
    return False


def _jit_set_profiling_mode(value: Any = None) -> bool:
    """Accepted; False: it was not set before, as there is nothing to set."""
    return False


_jit_set_profiling_executor = _jit_set_texpr_fuser_enabled = _jit_set_profiling_mode
_jit_override_can_fuse_on_cpu = _jit_override_can_fuse_on_gpu = _jit_set_profiling_mode
_jit_set_nvfuser_enabled = _jit_set_nvfuser_guard_mode = _jit_set_profiling_mode
_jit_can_fuse_on_cpu = _jit_can_fuse_on_gpu = _jit_texpr_fuser_enabled = _jit_set_profiling_mode
_get_cudnn_enabled = _get_mkldnn_enabled = _jit_set_profiling_mode


_get_deterministic_algorithms = _config.are_deterministic_algorithms_enabled
_set_deterministic_algorithms = _config.use_deterministic_algorithms
_get_deterministic_algorithms_warn_only = _config.is_deterministic_algorithms_warn_only_enabled


def _get_deterministic_fill_uninitialized_memory() -> bool:
    """`torch.utils.deterministic.fill_uninitialized_memory`."""
    return _config.current.fill_uninitialized_memory


def _set_deterministic_fill_uninitialized_memory(mode: bool) -> None:
    """`torch.utils.deterministic.fill_uninitialized_memory = mode`."""
    from rushlight.utils import deterministic

    settings: Any = deterministic
    settings.fill_uninitialized_memory = mode


_disabled_torch_function_impl = _overrides.disabled_torch_function
DisableTorchFunctionSubclass = _overrides.disabled


def DisableTorchFunction() -> Any:
    """A block in which neither classes nor modes take over calls."""
    from rushlight.ops.core import modes

    return modes.without_modes()


def _DisableTorchDispatch() -> Any:
    """A block in which no class computes for its tensors."""
    from rushlight.ops.core import dispatch

    return dispatch.disabled()


_disabled_torch_dispatch_impl = Tensor.__torch_dispatch__


def _is_torch_function_enabled() -> bool:
    """Whether classes may take over calls just now."""
    return _overrides.enabled()


def _is_torch_function_mode_enabled() -> bool:
    """Whether a TorchFunctionMode is active in this thread."""
    from rushlight.ops.core import modes

    return bool(modes.function_modes())


def _len_torch_function_stack() -> int:
    """How many TorchFunctionModes are active in this thread."""
    from rushlight.ops.core import modes

    return len(modes.function_modes())


def _len_torch_dispatch_stack() -> int:
    """How many TorchDispatchModes are active."""
    from rushlight.ops.core import modes

    return len(modes.dispatch_stack)


_vmap_warnings = [False]


def _debug_only_are_vmap_fallback_warnings_enabled() -> bool:
    """What `_debug_only_display_vmap_fallback_warnings` said."""
    return _vmap_warnings[0]


def _debug_only_display_vmap_fallback_warnings(enabled: bool) -> None:
    """Noted, and without effect: no operation is an exception that would be warned of."""
    _vmap_warnings[0] = enabled


def _are_functorch_transforms_active() -> bool:
    """False: transforms wrap no tensors here."""
    return False


def _get_privateuse1_backend_name() -> str:
    """The name of a backend that nobody has registered."""
    return "privateuseone"


def _get_default_device() -> str:
    """Where tensors are made."""
    return "cpu"


def _cuda_getDeviceCount() -> int:
    """0: no device is there."""
    return 0


def _is_cow_tensor(tensor: Any) -> bool:
    """Whether a tensor's storage shares its memory with lazy clones."""
    return lazy_clones.is_lazy(tensor)


def _data_address(tensor: Any) -> int:
    """The address of the first element, for reading."""
    return _storage.address(tensor._a)


def _storage_address(tensor: Any) -> int:
    """A number of the storage, the same for its tensors and for as long as it lives."""
    return storage_moves.number(tensor._a)


_ask, _names = unsupported.module(
    __name__,
    "AnyType Argument BoolType ClassType ComplexType DeviceObjType DictType EnumType FloatType "
    "FunctionSchema FutureType Graph IntType InterfaceType JITException JitType ListType "
    "NoneType NumberType OptionalType RRefType "
    "ScriptFunction ScriptMethod ScriptModule ScriptObject StreamObjType StringType TensorType "
    "TupleType Type UnionType Value Node FileCheck DispatchKeySet",
    "a compiled core: what PyTorch keeps there is Python here",
)


def __getattr__(name: str) -> Any:
    """Types of PyTorch's script compiler, of which nothing is an instance."""
    if name in ("PyTorchFileReader", "PyTorchFileWriter"):
        from rushlight.serialization import zipfiles

        return getattr(zipfiles, name)
    if name == "_functorch":
        return import_module("rushlight._C._functorch")
    if name == "DispatchKey":
        return import_module("rushlight._higher_order").DispatchKey
    return _ask(name)

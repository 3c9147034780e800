"""Rushlight: PyTorch's programming model in Python. `import rushlight as torch`, and the program
runs.

This file only gathers names. What an op computes is in `ops/`, the tape in `autograd/`, Tensor in
`tensor.py`; the functions are derived from the op records by `publish.py`. Read next:
docs/architecture.md.
"""

from __future__ import annotations

import importlib
import warnings as _warnings
from math import e, inf, nan, pi

from . import (
    assembly,  # the first of all
    dtypes,
    layout,
    legacy_tensors,
)
from . import tensor_storage as tensor_storage  # which gives Tensor its methods about memory
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .config import (
    are_deterministic_algorithms_enabled,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    set_float32_matmul_precision,
    set_flush_denormal,
    set_num_interop_threads,
    set_num_threads,
    use_deterministic_algorithms,
)
from .device import device, get_default_device, set_default_device
from .dtypes import (
    bfloat16,
    bool,
    can_cast,
    cdouble,
    cfloat,
    chalf,
    complex32,
    complex64,
    complex128,
    double,
    dtype,
    finfo,
    float,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    iinfo,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .errors import LinAlgError, OutOfMemoryError
from .kernels.runtime import memory as _memory
from .layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
    sparse_coo,
    sparse_csr,
    strided,
)
from .size import Size
from .storage import TypedStorage, UntypedStorage
from .tensor import Tensor, is_tensor

# `rushlight.fft` and its like are files of `namespaces/`: this line lets them be found there.
__path__.append(__path__[0] + "/namespaces")

# NumPy warns of overflow, division by zero and NaN inside our own kernels; PyTorch computes on in
# silence.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"rushlight(\.|$)")

_memory.settle()

__version__ = "0.1.0"

newaxis = None

__all__ = [
    "LinAlgError",
    "OutOfMemoryError",
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "__version__",
    "are_deterministic_algorithms_enabled",
    "bfloat16",
    "bool",
    "can_cast",
    "cdouble",
    "cfloat",
    "chalf",
    "channels_last",
    "channels_last_3d",
    "complex32",
    "complex64",
    "complex128",
    "contiguous_format",
    "device",
    "double",
    "dtype",
    "dtypes",
    "e",
    "enable_grad",
    "finfo",
    "float",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float16",
    "float32",
    "float64",
    "get_default_device",
    "get_default_dtype",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "half",
    "iinfo",
    "inf",
    "inference_mode",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "layout",
    "long",
    "memory_format",
    "nan",
    "newaxis",
    "no_grad",
    "pi",
    "preserve_format",
    "promote_types",
    "set_default_device",
    "set_default_dtype",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "short",
    "sparse_coo",
    "sparse_csr",
    "strided",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "use_deterministic_algorithms",
]

globals().update(assembly.namespaces["torch"])
globals().update(legacy_tensors.LEGACY)
__all__ += sorted({*assembly.namespaces["torch"], *legacy_tensors.LEGACY})

# Submodules that are imported when first used, so that `import rushlight` stays quick.
_LAZY = {
    "nn",
    "optim",
    "autograd",
    "utils",
    "vision",
    "serialization",
    "random",
    "cuda",
    "backends",
    "distributed",
    "accelerator",
    "explain",
    "testing",
    "linalg",
    "fft",
    "special",
    "amp",
    "compiler",
    "func",
    "version",
    "mps",
    "multiprocessing",
    "return_types",
    "storage",
    "config",
    "overrides",
    "profiler",
    "dropin",
    "torch_version",
    "cpu",
    "jit",
    "onnx",
    "fx",
    "futures",
    "nested",
    "package",
    "ao",
    "quantization",
    "quasirandom",
    "hub",
    "types",
    "library",
    "_C",
    "_dynamo",
    "_inductor",
    "xpu",
    "mtia",
    "functional",
    "distributions",
    "sparse",
    "__config__",
    "__future__",
    "_functorch",
    "_higher_order_ops",
    "_vmap_internals",
    "_ops",
    "_decomp",
    "_refs",
    "_subclasses",
    "_tensor_str",
    "_utils",
    "masked",
    "signal",
}
_FROM = {
    "_check": "_check_errors",
    "_check_with": "_check_errors",
    "_check_is_size": "_check_errors",
    "_check_index": "_check_errors",
    "_check_value": "_check_errors",
    "_check_type": "_check_errors",
    "_check_not_implemented": "_check_errors",
    "_check_tensor_all": "_check_errors",
    "_check_tensor_all_with": "_check_errors",
    "GradScaler": "amp",
    "Tag": "_ops",
    **dict.fromkeys(
        [
            *(f"{kind}Storage" for kind in ("BFloat16", "Bool", "Byte", "Char", "ComplexDouble")),
            *(f"{kind}Storage" for kind in ("ComplexFloat", "Double", "Float", "Half", "Int")),
            *("LongStorage", "ShortStorage", "Storage", "_storage_classes"),
        ],
        "legacy_storages",
    ),
    **dict.fromkeys(
        [
            *("qint8", "quint8", "qint32", "quint4x2", "quint2x4"),
            *("bits8", "bits16", "bits1x8", "bits2x4", "bits4x2", "float8_e8m0fnu"),
            *("float4_e2m1fn_x2", *(kind + n for kind in ("int", "uint") for n in "1234567")),
        ],
        "dtypes_unheld",
    ),
    **dict.fromkeys(
        ["quantize_per_tensor", "quantize_per_channel", "quantize_per_tensor_dynamic"],
        "ao.quantization",
    ),
    **dict.fromkeys(
        [
            *("qscheme", "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine"),
            *("per_channel_symmetric", "per_channel_affine_float_qparams"),
        ],
        "layout",
    ),
    "jagged": "layout",
    "sparse_bsc": "layout",
    "sparse_bsr": "layout",
    "sparse_csc": "layout",
    "from_file": "storage_files",
    "get_deterministic_debug_mode": "config",
    "set_deterministic_debug_mode": "config",
    "_validate_sparse_coo_tensor_args": "sparse.create",
    "_sparse_broadcast_to": "sparse.shape",
    "_int_mm": "ops.linalg.int_mm",
    **dict.fromkeys(
        [
            f"_validate_sparse_{kind}_tensor_args"
            for kind in ("compressed", "csc", "csr", "bsc", "bsr")
        ],
        "sparse.compressed",
    ),
    "AcceleratorError": "errors",
    "get_device_module": "device",
    "thread_safe_generator": "random",
    "set_anomaly_enabled": "autograd.anomaly",
    "fork": "jit",
    "wait": "jit",
    "cond": "_higher_order_ops",
    "lobpcg": "_lobpcg",
    "norm_except_dim": "nn.utils._norms",
    **dict.fromkeys(["has_lapack", "has_mkl", "has_openmp", "has_spectral"], "config"),
    **dict.fromkeys(
        [
            *("sym_float", "sym_fresh_size", "sym_int", "sym_ite", "sym_max", "sym_min"),
            *("sym_not", "sym_sqrt", "sym_sum"),
        ],
        "_symbols",
    ),
    **dict.fromkeys(
        [
            *("set_autocast_enabled", "set_autocast_dtype", "set_autocast_cache_enabled"),
            *("set_autocast_cpu_enabled", "set_autocast_cpu_dtype", "set_autocast_gpu_dtype"),
            *("clear_autocast_cache", "autocast_increment_nesting", "autocast_decrement_nesting"),
        ],
        "amp.switches",
    ),
    **dict.fromkeys(
        [
            *("binary_cross_entropy_with_logits", "cosine_embedding_loss", "ctc_loss", "kl_div"),
            *("hinge_embedding_loss", "margin_ranking_loss", "poisson_nll_loss"),
            *("triplet_margin_loss", "bilinear", "embedding_bag", "embedding_renorm_"),
        ],
        "_by_number",
    ),
    "native_batch_norm": "ops.nn.native_norm",
    "native_group_norm": "ops.nn.native_norm",
    "native_layer_norm": "ops.nn.native_norm",
    "from_dlpack": "interchange",
    "to_dlpack": "interchange",
    "save": "serialization",
    "load": "serialization",
    "manual_seed": "random",
    "seed": "random",
    "initial_seed": "random",
    "get_rng_state": "random",
    "set_rng_state": "random",
    "Generator": "random",
    "default_generator": "random",
    "set_printoptions": "printing",
    "set_warn_always": "once",
    "is_warn_always_enabled": "once",
    "show": "show",
    "is_anomaly_enabled": "autograd.anomaly",
    "is_anomaly_check_nan_enabled": "autograd.anomaly",
    "Future": "futures",
    "ScriptModule": "jit",
    "ScriptFunction": "jit",
    "TensorType": "_C",
    "DeviceObjType": "_C",
    "JitType": "_C",
    "ListType": "_C",
    "PyTorchFileReader": "serialization.zipfiles",
    "PyTorchFileWriter": "serialization.zipfiles",
    "StorageBase": "_C",
    "_assert": "_checks",
    "_assert_async": "_checks",
    "_assert_scalar": "_checks",
    "_assert_tensor_metadata": "_checks",
    "_debug_has_internal_overlap": "_checks",
    "vmap": "func",
    "compile": "compiler",
    "_amp_foreach_non_finite_check_and_unscale_": "amp.grad_scaler",
    "_amp_update_scale_": "amp.grad_scaler",
    "autocast": "amp",
    "is_autocast_enabled": "amp.autocast_mode",
    "get_autocast_dtype": "amp.autocast_mode",
    "is_autocast_cpu_enabled": "amp.autocast_mode",
    "get_autocast_cpu_dtype": "amp.autocast_mode",
    "get_autocast_gpu_dtype": "amp.autocast_mode",
    "is_autocast_cache_enabled": "amp.autocast_mode",
}


# What this file itself uses, which no program means.
_OWN = {"annotations", "array_memory", "assembly", "derive", "errors", "importlib", "kernels"}
_OWN |= {"late", "legacy_tensors", "publish", "size", "tensor_copies", "tensor_storage", "warnings"}


# Without types: in this circle of imports mypy asks for the result's before it has read it.
def __getattr__(name):  # type: ignore[no-untyped-def]
    if name in _LAZY:
        return importlib.import_module(f"{__package__}.{name}")
    if name in _FROM:
        value = getattr(importlib.import_module(f"{__package__}.{_FROM[name]}"), name)
        if name != "Storage":  # which follows the default type
            globals()[name] = value
        return value
    if name.startswith("_foreach_"):
        foreach = importlib.import_module(f"{__package__}._foreach")
        value = foreach.function(name)
        if value is not None:
            globals()[name] = value
            return value
    text = f"module 'rushlight' has no attribute '{name}'"
    if not name.startswith("_"):
        text += f"\n  wanted  a name that Rushlight has; torch.{name} is not there (yet)"
        import difflib

        near = difflib.get_close_matches(name, [n for n in __dir__() if n[0] != "_"], 2, 0.75)
        if near:
            text += "\n  try     " + " or ".join(f"torch.{n}" for n in near)
    raise AttributeError(text)


def __dir__() -> list[str]:
    return sorted({n for n in globals() if n not in _OWN} | {*_LAZY, *_FROM})

"""The `torch.backends` switches: they can be set, and say truthfully what is there."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from ..blocks import contextmanager
from . import attention
from . import mha as mha


class _Backend(types.ModuleType):
    """A set of flags that may be read and set; `is_available()` is the truth."""

    def __init__(self, name: str, available: bool = False, **flags: Any) -> None:
        super().__init__(f"{__name__}.{name}")
        self._available = available
        self.__dict__.update(flags)

    def is_available(self) -> bool:
        """Whether this build has the library."""
        return self._available

    def is_built(self) -> bool:
        """Whether this build has the library."""
        return self._available

    def version(self) -> None:
        """None: the library is not part of this build."""
        return

    if TYPE_CHECKING:  # the flags

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def is_acceptable(self, tensor: Any) -> bool:
        """False: the library is not part of this build."""
        return False

    @contextmanager
    def flags(self, **flags: Any) -> Any:
        """Set flags for a block."""
        before = {k: self.__dict__.get(k) for k in flags}
        try:
            self.__dict__.update(flags)
            yield
        finally:
            self.__dict__.update(before)


def _preferred_linalg_library(backend: Any = None) -> str:
    """The library for linear algebra on a GPU: there is none, so all of PyTorch's names mean the
    default."""
    known = ("default", "cusolver", "magma")
    if backend is not None and backend not in known:
        raise RuntimeError(f"Unknown input value. Choose from: {', '.join(known)}.")
    return "default"


def _preferred_blas_library(backend: Any = None) -> str:
    """The library for products of matrices on a GPU, as `preferred_linalg_library`."""
    known = ("default", "cublas", "hipblas", "cublaslt", "hipblaslt", "ck")
    if backend is not None and backend not in known:
        raise RuntimeError(f"Unknown input value. Choose from: {', '.join(known)}.")
    return "default"


cudnn = _Backend(
    "cudnn",
    enabled=False,
    benchmark=False,
    deterministic=False,
    allow_tf32=False,
    benchmark_limit=10,
    fastest=False,
    verbose=False,
)
mkldnn = _Backend("mkldnn", enabled=False, verbose=False)
mkl = _Backend("mkl")
openmp = _Backend("openmp")
mps = _Backend("mps")
cuda = _Backend(
    "cuda",
    matmul=_Backend("matmul", allow_tf32=False, allow_fp16_reduced_precision_reduction=False),
    preferred_linalg_library=_preferred_linalg_library,
    preferred_blas_library=_preferred_blas_library,
    **attention.FUNCTIONS,
)
opt_einsum = _Backend("opt_einsum", enabled=False)
quantized = _Backend("quantized", engine="none", supported_engines=["none"])
cpu = _Backend("cpu", True)


def _cpu_capability() -> str:
    return "DEFAULT"


cpu.get_cpu_capability = _cpu_capability  # type: ignore[attr-defined]
for _b in (cudnn, mkldnn, mkl, openmp, mps, cuda, opt_einsum, quantized, cpu):
    sys.modules[_b.__name__] = _b  # so that `import torch.backends.cudnn as cudnn` works

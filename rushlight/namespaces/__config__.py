"""`torch.__config__`: what this build is made of."""

from __future__ import annotations

import numpy

from rushlight import config


def show() -> str:
    """What computes here."""
    return (
        "Rushlight built with:\n"
        f"  - NumPy {numpy.__version__}\n"
        "  - kernels compiled by LLVM (llvmlite)\n"
        "  - USE_CUDA=0, USE_MKL=0, USE_MKLDNN=0, USE_MPI=OFF, USE_NCCL=OFF\n"
    )


def parallel_info() -> str:
    """How many threads there are."""
    return f"ATen/Parallel:\n\tat::get_num_threads() : {config.get_num_threads()}\n"


def _cxx_flags() -> str:
    """Nothing: no compiler was used."""
    return ""

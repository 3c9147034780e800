"""`torch.utils.cpp_extension`: code in C++ or CUDA that is compiled against PyTorch has no place
here.

Programs ask for `CUDA_HOME` to know whether there is a CUDA toolkit, and import `load` beside a
fallback in Python: they go on. What builds or loads such code raises.
"""

from __future__ import annotations

import os
import sys

from .. import unsupported

CUDA_HOME = CUDNN_HOME = ROCM_HOME = HIP_HOME = SYCL_HOME = None  # no toolkit is used
IS_HIP_EXTENSION = False
IS_LINUX = sys.platform.startswith("linux")
IS_MACOS = sys.platform.startswith("darwin")
IS_WINDOWS = sys.platform == "win32"


def get_cxx_compiler() -> str:
    """The C++ compiler by the variable CXX, or the system's.

    >>> isinstance(torch.utils.cpp_extension.get_cxx_compiler(), str)
    True
    """
    return os.environ.get("CXX", "cl" if IS_WINDOWS else "c++")


def is_ninja_available() -> bool:
    """False: nothing is built.

    >>> torch.utils.cpp_extension.is_ninja_available()
    False
    """
    return False


__getattr__, __dir__ = unsupported.module(
    __name__,
    "BuildExtension CUDAExtension CppExtension SyclExtension check_compiler_ok_for_platform "
    "get_compiler_abi_compatibility_and_version get_default_build_root include_paths "
    "library_paths load load_inline verify_ninja_availability",
    "extensions that are compiled against PyTorch's C++",
    "the package's version in Python, if it has one; torch.library.custom_op for functions that\n"
    "another library computes",
)

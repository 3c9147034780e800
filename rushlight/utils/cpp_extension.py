"""`torch.utils.cpp_extension`: code in C++ or CUDA that is compiled against PyTorch has no place
here.

Programs ask for `CUDA_HOME` to know whether there is a CUDA toolkit, and import `load` beside a
fallback in Python: they go on. What builds or loads such code raises.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from ..errors import message

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


class ExtensionError(ImportError, NotImplementedError):
    """What building and loading raise: programs with a version in Python catch one of the two."""


def _refusal(name: str) -> Any:
    def refuse(*args: Any, **kw: Any) -> NoReturn:
        raise ExtensionError(
            message(
                f"torch.utils.cpp_extension.{name} needs PyTorch's C++: Rushlight is pure Python, "
                "and extensions in C++ and CUDA cannot load",
                hint="the package's version in Python, if it has one; or torch.library.custom_op "
                "for functions\nthat another library computes",
            )
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raises ExtensionError, an ImportError and a NotImplementedError."
    return refuse


REFUSED = (
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version",
    "get_default_build_root",
    "include_paths",
    "library_paths",
    "load",
    "load_inline",
    "verify_ninja_availability",
)
globals().update({name: _refusal(name) for name in REFUSED})

"""torch.cuda.FloatTensor and its like: types that old programs ask about, and call.

`isinstance(x, torch.cuda.FloatTensor)` is False, for no tensor lies on a CUDA device. Calling one
raises, or makes a tensor on the CPU where the CPU stands in (decision 0044).
"""

from __future__ import annotations

from typing import Any

from ..config import current
from ..errors import message
from ..legacy_tensors import LEGACY


class _Absent(type):
    def __instancecheck__(cls, obj: Any) -> bool:
        return False

    def __call__(cls, *args: Any, **kw: Any) -> Any:
        if current.cuda_as_cpu:
            return LEGACY[cls.__name__](*args, **kw)
        raise TypeError(
            message(
                f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA "
                "enabled.",
                got=f"torch.cuda.{cls.__name__}({', '.join(type(a).__name__ for a in args)})",
                wanted="a type of the CPU's tensors: this version of Rushlight runs on the CPU",
                hint=f"torch.{cls.__name__} if torch.cuda.is_available() is False; or, for a whole "
                "program, python -m rushlight --cuda-as-cpu script.py",
            )
        )

    def __repr__(cls) -> str:
        return f"<class 'torch.cuda.{cls.__name__}'>"


def legacy_type(name: str) -> Any:
    """The type of this name; made once."""
    if name not in _made:
        _made[name] = _Absent(
            name, (), {"dtype": LEGACY[name].dtype, "is_cuda": True, "__module__": "rushlight.cuda"}
        )
    return _made[name]


_made: dict[str, Any] = {}

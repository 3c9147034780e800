"""device: where a tensor lives. Here that is 'cpu', or 'meta' (a shape without data).

Other PyTorch devices can be named, compared and printed; using one raises a clear error.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from .config import current
from .errors import message

_KINDS = (
    "cpu",
    "meta",
    "cuda",
    "mps",
    "xpu",
    "mkldnn",
    "hip",
    "vulkan",
    "xla",
    "hpu",
    "ipu",
    "privateuseone",
    "mtia",
)
# devices of `with device(...):` blocks and set_default_device, innermost last
_stack: list[device] = []


class device:
    """A device: ``device('cpu')``, ``device('meta')``, ``device('cuda', 0)``.

    A device object can be built for hardware that is absent, as in PyTorch; a tensor on it cannot.
    As a context manager it is the default device of new tensors.

    >>> torch.device("cuda", 1), torch.device("cuda:1").index
    (device(type='cuda', index=1), 1)
    >>> with torch.device("meta"):
    ...     big = torch.empty(10**6, 10**6)  # takes no memory
    >>> big.shape, big.device.type
    (torch.Size([1000000, 1000000]), 'meta')
    """

    __slots__ = ("index", "type")
    __module__ = "rushlight"
    type: str
    index: int | None

    def __init__(self, type: Any = None, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        elif isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        elif not isinstance(type, str):
            raise TypeError(
                f"device(): argument 'type' must be str or int, not {type.__class__.__name__}"
            )
        elif ":" in type:
            type, _, number = type.partition(":")
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}:{number}'")
            index = int(number)
        if type not in _KINDS:
            what = f"Expected one of {', '.join(_KINDS)} device type at start of device string"
            raise RuntimeError(message(f"{what}: {type}", hint=_meant(type)))
        if index is not None and index < 0:
            raise RuntimeError(
                message("Device index must not be negative", f"device({type!r}, {index})")
            )
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "index", index)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __repr__(self) -> str:
        at = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{at})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return (device, (self.type,) if self.index is None else (self.type, self.index))

    def __enter__(self) -> device:
        global _stack
        where = usable(self)
        _stack += [where]  # (after a call of `append` an interrupt might come)
        return self

    def __exit__(
        self,
        kind: Any,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        _stack.pop()


def _meant(kind: str) -> str | None:
    """What was perhaps meant by a word that is no device."""
    import difflib

    from . import dtypes

    if isinstance(getattr(dtypes, kind, None), dtypes.dtype):
        return f"torch.{kind}, which is no text"
    if kind.lower() in ("gpu", "nvidia", "gpu0"):
        return "'cuda' if torch.cuda.is_available() else 'cpu'"
    near = difflib.get_close_matches(kind.lower(), _KINDS, 1)
    return repr(near[0]) if near else None


CPU = device("cpu")
META = device("meta")


_HINTS = {
    "cuda": "device = 'cuda' if torch.cuda.is_available() else 'cpu'; or leave out .cuda(); or, "
    "for a whole program, python -m rushlight --cuda-as-cpu script.py",
    "mps": "device = 'mps' if torch.backends.mps.is_available() else 'cpu'",
}


def usable(where: Any, hint: str | None = None) -> device:
    """The device object for `where`; RuntimeError when this build has no such device.

    >>> usable("cpu")
    device(type='cpu')
    """
    if where is None:
        return _stack[-1] if _stack else CPU
    if where is CPU or where == "cpu":
        return CPU
    d = where if isinstance(where, device) else device(where)
    if d.type == "cpu":
        return CPU
    if d.type == "meta":
        return META
    if d.type == "cuda" and current.cuda_as_cpu:
        return CPU
    name = "CUDA" if d.type == "cuda" else d.type
    raise RuntimeError(
        message(
            f"device '{d}' is not available: Torch not compiled with {name} enabled",
            got=f"device '{d}'",
            wanted="'cpu' or 'meta': this version of Rushlight runs on the CPU",
            hint=hint or _HINTS.get(d.type, "device='cpu', or leaving the device out"),
        )
    )


def get_default_device() -> device:
    """The device new tensors get when none is named.

    >>> torch.get_default_device()
    device(type='cpu')
    >>> with torch.device("meta"):
    ...     torch.get_default_device()
    device(type='meta')
    """
    return _stack[-1] if _stack else CPU


def set_default_device(where: Any) -> None:
    """Make `where` the device of new tensors; None means the CPU again.

    >>> torch.set_default_device("meta")
    >>> torch.zeros(1000, 1000).device  # shape and dtype, no memory
    device(type='meta')
    >>> torch.set_default_device(None)
    """
    _stack[:] = [] if where is None else [usable(where)]


_Device = device  # where a parameter is called so


def get_device_module(device: Any = None) -> Any:
    """The module of a kind of device: `torch.cpu`, `torch.cuda`, …; of the CPU without one.

    Raises:
        RuntimeError: a kind of device that there is not, or what is none.

    >>> torch.get_device_module("cpu").__name__.rpartition(".")[2]
    'cpu'
    """
    import importlib

    kind = "cpu"
    if device is not None:
        if not isinstance(device, (str, _Device)):
            raise RuntimeError(
                f"Invalid value of device '{device}', expect torch.device, str, or None"
            )
        kind = _Device(device).type
    try:
        return importlib.import_module(f"{__package__}.{kind}")
    except ModuleNotFoundError:
        raise RuntimeError(
            message(
                f"Device '{kind}' does not have a corresponding module registered as "
                f"'torch.{kind}'."
            )
        ) from None


def refuse_pinned(name: str, asked: Any, where: Any = None) -> None:
    """Raise for `pin_memory=True`: memory is pinned for an accelerator, and there is none.

    What is on the device meta has no memory, so it is not asked; where the CPU stands in for a
    CUDA device, all memory is within its reach.
    """
    if asked is not True:
        kind = type(asked).__name__
        raise TypeError(
            message(f"{name}(): argument 'pin_memory' must be bool, not {kind}", got=repr(asked))
        )
    if usable(where) is not META and not current.cuda_as_cpu:
        raise RuntimeError(
            message(
                f"{name}: pin_memory=True requires a CUDA or other accelerator backend; no pinned "
                "memory allocator is available on this system.",
                got="pin_memory=True",
                wanted="pin_memory=False: there is only the CPU's memory",
                hint="pin_memory=torch.cuda.is_available()",
            )
        )


def no_accelerator() -> RuntimeError:
    """The error of `pin_memory()` of a tensor or storage."""
    return RuntimeError(
        message(
            "Cannot access accelerator device when none is available.",
            got="pin_memory()",
            wanted="an accelerator that reads pinned memory",
            hint="if torch.cuda.is_available(): x = x.pin_memory()",
        )
    )

"""Generators of random numbers: seeds, states, and the default generator (`torch.random`).

The numbers are PyTorch's CPU numbers, and states can be exchanged with PyTorch in both directions.
Not here: the distributions (`kernels/random/distributions.py`) and the functions users call
(`ops/random/factories.py`, `sampling.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .blocks import contextmanager
from .config import current
from .device import device as Device
from .errors import message
from .kernels.random.mersenne_twister import STATE_BYTES, Twister

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]

_DEFAULT_SEED = 67280421310721  # of a Generator that was not seeded, as in PyTorch


class Generator:
    """A stream of random numbers of its own, to be passed as ``generator=``.

    device: "cpu", the default; RuntimeError for another. It starts at one fixed seed until
    `manual_seed` or `seed` is called. With one seed the numbers are those of PyTorch's CPU
    generator.

    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    __module__ = "rushlight"
    __slots__ = ("__weakref__", "_rng", "device")

    device: Device

    def __init__(self, device: Any = None) -> None:
        self.device = Device("cpu" if device is None else device)
        if self.device.type == "cuda" and current.cuda_as_cpu:
            self.device = Device("cpu")
        if self.device.type != "cpu":
            raise RuntimeError(
                message(
                    f"Generator: cannot get {self.device.type.upper()} generator",
                    f"device='{self.device}'",
                    "device='cpu'",
                    "leave the device out: all numbers are made on the CPU",
                )
            )
        self._rng = Twister(_DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to `seed`; returns the generator itself.

        Raises:
            RuntimeError: not an integer.
            ValueError: outside [-2**63, 2**64).

        >>> g = torch.Generator().manual_seed(0)
        >>> torch.rand(2, generator=g)
        tensor([0.4963, 0.7682])
        """
        if isinstance(seed, (float, str, complex)) or not hasattr(seed, "__index__"):
            raise RuntimeError(
                message("manual_seed expected a long", type(seed).__name__, "an integer")
            )
        self._rng.reseed(_in_range(int(seed)))
        return self

    def seed(self) -> int:
        """Seed from the system's entropy; returns the seed.

        >>> g = torch.Generator()
        >>> g.seed() == g.initial_seed()
        True
        """
        value = int.from_bytes(os.urandom(8), "little") >> 11  # 53 bits, as PyTorch takes
        self._rng.reseed(value)
        return value

    def initial_seed(self) -> int:
        """The seed given last, as a number in [0, 2**64).

        >>> torch.Generator().manual_seed(-1).initial_seed()
        18446744073709551615
        """
        return self._rng.initial_seed

    def get_state(self) -> Tensor:
        """The state as a uint8 tensor of 5056 elements, laid out as PyTorch's.

        >>> g = torch.Generator().manual_seed(0)
        >>> state = g.get_state()
        >>> first = torch.rand(2, generator=g)
        >>> torch.equal(torch.rand(2, generator=g.set_state(state)), first)
        True
        """
        from .tensor import Tensor

        return Tensor._wrap(self._rng.get_state())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state of `get_state`, ours or PyTorch's; returns the generator itself.

        Raises:
            TypeError: not a uint8 tensor.
            RuntimeError: not a state of this kind of generator.

        >>> g, h = torch.Generator().manual_seed(0), torch.Generator()
        >>> _ = h.set_state(g.get_state())
        >>> torch.equal(torch.rand(2, generator=g), torch.rand(2, generator=h))
        True
        """
        array = getattr(new_state, "_a", None)
        if not isinstance(array, np.ndarray):
            kind = type(new_state).__name__
            raise TypeError(message("set_state: expected a torch.ByteTensor", kind, "a Tensor"))
        if array.dtype != np.uint8:
            raise TypeError(
                message("RNG state must be a torch.ByteTensor", array.dtype.name, "uint8")
            )
        try:
            self._rng.set_state(array.reshape(-1))
        except ValueError as err:
            if array.size != STATE_BYTES:
                what = (
                    f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input "
                    f"RNG state size to be {array.size}"
                )
                raise RuntimeError(message(what)) from None
            raise RuntimeError(
                message("Invalid mt19937 state", err, "a state that get_state returned")
            ) from None
        return self

    def clone_state(self) -> Generator:
        """Another generator at the same place of the same stream.

        >>> g = torch.Generator().manual_seed(0)
        >>> twin = g.clone_state()
        >>> torch.equal(torch.rand(2, generator=g), torch.rand(2, generator=twin))
        True
        """
        twin = Generator()
        twin._rng = self._rng.clone()
        return twin

    def graphsafe_get_state(self) -> Generator:
        """Not supported: NotImplementedError, as on PyTorch's CPU."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> None:
        """Not supported: NotImplementedError, as on PyTorch's CPU."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def get_offset(self) -> int:
        """Not supported: RuntimeError, as on PyTorch's CPU."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Not supported: RuntimeError, as on PyTorch's CPU."""
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._rng.get_state().tobytes(),)


def _restore(state: bytes) -> Generator:
    generator = Generator()
    generator._rng.set_state(np.frombuffer(state, np.uint8))
    return generator


def _in_range(seed: int) -> int:
    """Negative seeds count from the upper end of 64 bits."""
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError(
            message(
                "manual_seed: Overflow when unpacking long long", seed, "-2**63 <= seed < 2**64"
            )
        )
    return seed & 0xFFFFFFFFFFFFFFFF


default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Seed the default generator: all random numbers from here on repeat. Returns it.

    The numbers are those of PyTorch on a CPU with this seed. seed: an int in [-2**63, 2**64).

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator from the system's entropy; returns the seed.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator.

    >>> _ = torch.manual_seed(3)
    >>> torch.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor of 5056 elements.

    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), first)
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state of `get_rng_state` (ours or PyTorch's).

    >>> torch.set_rng_state(torch.Generator().manual_seed(0).get_state())
    >>> torch.initial_seed()
    0
    """
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Within the block the default generator may be used freely: afterwards it is as it was before.

    Args:
        devices, device_type: accepted for compatibility; there is one generator, the CPU's.
        enabled: False makes the block an ordinary one.

    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     _ = torch.rand(100)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    if not enabled or device_type == "meta":
        yield
        return
    state = default_generator._rng.get_state()
    try:
        yield
    finally:
        default_generator._rng.set_state(state)


def thread_safe_generator() -> Generator | None:
    """The generator of the DataLoader worker thread that calls, None anywhere else.

    >>> print(torch.random.thread_safe_generator())
    None
    """
    from .utils.data import get_worker_info  # type: ignore[attr-defined]

    rng = getattr(get_worker_info(), "rng", None)
    return getattr(rng, "torch_generator", None)

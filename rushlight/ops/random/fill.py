"""The in-place distributions of a Tensor: uniform_, normal_, random_, bernoulli_ and the others.

Arguments are checked here, in PyTorch's words; the numbers come from
`kernels/random/distributions.py`, the streams from `rushlight/random.py`. Numbers do not depend on
the values they replace, so their gradient is zero. Functions that make random tensors are in
`factories.py`.
"""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door
from ...autograd.node import TensorBase
from ...autograd.observe import look
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...kernels.random import distributions as kernels
from ...kernels.random import select
from ...kernels.random.mersenne_twister import Twister
from ...random import Generator, default_generator
from ..core.composite import composite
from ..core.record import Op
from ..core.samples import arr, case

_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1
REAL_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
FLOATS = (*REAL_FLOATS, dtypes.complex32, dtypes.complex64, dtypes.complex128)
UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
NATURAL = (
    *REAL_FLOATS,
    dtypes.uint8,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.bool,
)


# ------------------------------------------------------------------------------------ in-place ops


def _zeros(input: np.ndarray) -> np.ndarray:
    return np.zeros_like(input)


_no_gradient = Op(_zeros, "op", name="zeros", public="", low="keep", samples=[])
_no_gradient.shape(lambda a: MetaArray(a.shape, a.dtype))
_no_gradient.joint(lambda g, _y, _input: (_no_gradient(g),))


def drawing(name: str, fn: Any, node: str | None = None, inputs: int = 1) -> Op:
    """A record that draws: not registered, for its result is another one at each call."""
    about = {"name": name, "public": "", "low": "keep", "fresh": True, "node": node}
    record = Op(fn, "op", mutates=("rng",), **about)
    record.shape(lambda a, *_rest, **_kw: MetaArray(a.shape, a.dtype, a.strides))
    if inputs == 1:
        record.vjp(lambda g, _y, _input: _no_gradient(g))
    else:
        record.vjp(
            lambda g, _y, _input, _other: _no_gradient(g),
            lambda g, _y, _input, _other: _no_gradient(g),
        )
    return record


def _filler(name: str, kernel: Any, node: str | None = None) -> Op:
    """The record of an in-place distribution: numbers for an array of these strides."""

    def fill(input: np.ndarray, *, args: tuple[Any, ...], rng: Twister) -> np.ndarray:
        out = np.empty_like(input)  # keeps the order of strides, which is the order of drawing
        rng.fill(kernel, out, *args, like=input)
        return out

    def into(a: np.ndarray, rng: Twister, *, args: tuple[Any, ...]) -> None:
        rng.fill(kernel, a, *args)

    record = drawing(name, fill, node)
    record.into = record.numerics.into = Step(name + "_", into, outputs=0, mutates=(0, 1))
    return record


def fill_normal(
    a: np.ndarray, rng: Twister, mean: float, std: float, grouped: bool | None = None
) -> None:
    """Normal numbers; each part of a complex one has half of the variance.

    `grouped` says whether the tensor that `a` stands for is contiguous (it is drawn differently).
    """
    grouped = a.flags.c_contiguous if grouped is None else grouped
    if a.dtype.kind in "cW":
        a, std = _parts(a), std / math.sqrt(2)
    select.normal(a, rng, mean, std, grouped)


def fill_uniform(a: np.ndarray, rng: Twister, low: float, high: float) -> None:
    """Uniform numbers, in each part of a complex one."""
    if a.dtype.kind in "cW":
        a = _parts(a)
    select.uniform(a, rng, low, high)


def _parts(a: np.ndarray) -> np.ndarray:
    """Complex numbers as a flat array of their parts, in filling order."""
    return kernels.fill_order(a).reshape(-1).view(dense.real_part(a).dtype)


uniform_numbers = _filler("uniform", fill_uniform)
normal_numbers = _filler("normal", fill_normal)
_exponential = _filler("exponential", lambda *a: kernels.exponential(*a))
_geometric = _filler("geometric", lambda *a: kernels.geometric(*a))
_cauchy = _filler("cauchy", lambda *a: kernels.cauchy(*a))
_log_normal = _filler("log_normal", lambda *a: kernels.log_normal(*a))
_bernoulli_number = _filler("bernoulli", lambda *a: select.bernoulli(*a), "BernoulliBackward2")
_any_integers = _filler("random", lambda *a: kernels.any_integers(*a), "RandomBackward2")
integers_from = _filler("random", lambda *a: kernels.integers(*a), "RandomBackward0")
_integers_below = _filler("random", lambda *a: kernels.integers(*a), "RandomBackward1")


def stream(generator: Any, name: str) -> Twister:
    if generator is None:
        return default_generator._rng
    if not isinstance(generator, Generator):
        kind = type(generator).__name__
        raise TypeError(
            message(f"{name}(): argument 'generator' must be torch.Generator, not {kind}")
        )
    return generator._rng


def _fill(record: Op, t: Any, generator: Any, *args: Any) -> Any:
    """Write numbers of a distribution into a tensor: the end of every in-place method."""
    if record.into is not None and changes.changeable(t):  # where they lie: no second array
        rng = stream(generator, record.name)
        door.perform(record.into, (t._a, rng), {"args": args})
        changes.all_changed((t,), record.name + "_")
        return t
    kw = {"args": args, "rng": stream(generator, record.name)}
    return changes.apply_inplace(record, t, (), kw)


def needs(t: Any, allowed: tuple[dtypes.dtype, ...], kernel: str) -> None:
    """NotImplementedError for element types that PyTorch's kernel does not have."""
    d = t if isinstance(t, dtypes.dtype) else t.dtype
    if d not in allowed:
        raise NotImplementedError(
            message(
                f"\"{kernel}\" not implemented for '{type_name(d)}'",
                f"a tensor of type {d!r}",
                ", ".join(a.name for a in allowed),
                "make a tensor of another type and convert it with .to(dtype)",
            )
        )


def number(value: Any, name: str, argument: str) -> float:
    if isinstance(value, TensorBase):
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, (complex, str)) or not (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    ):
        kind = type(value).__name__
        raise TypeError(message(f"{name}(): argument '{argument}' must be float, not {kind}"))
    return float(value)


def integer(value: Any, name: str, argument: str) -> int:
    if isinstance(value, TensorBase):
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, float) or not hasattr(value, "__index__"):
        kind = type(value).__name__
        raise TypeError(message(f"{name}(): argument '{argument}' must be int, not {kind}"))
    return int(value)


def check(ok: bool, what: str, got: str | None = None, wanted: str | None = None) -> None:
    if not ok:
        raise RuntimeError(message(what, got, wanted))


@functools.cache
def _largest(d: dtypes.dtype) -> float:
    return dtypes.finfo(d).max


def _check_uniform(d: dtypes.dtype, low: float, high: float) -> None:
    needs(d, FLOATS, "check_uniform_bounds")
    largest = _largest(d.to_real())
    if -largest <= low <= high <= largest and high - low <= largest:
        return
    for name, value in (("from", low), ("to", high)):
        check(abs(value) <= largest, f"uniform_: {name} is out of bounds for {d.name}", f"{value}")
    check(
        low <= high,
        f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}",
        wanted="from <= to",
    )
    check(
        high - low <= largest,
        f"uniform_ expects to-from <= std::numeric_limits<{type_name(d)}>::max(), but found "
        f"to={high:g} and from={low:g} which result in to-from to exceed the limit",
    )


def check_std(std: float) -> None:
    check(std >= 0, f"normal expects std >= 0.0, but found std {std:g}", wanted="std >= 0")


@composite(
    public="Tensor",
    name="uniform_",
    random=True,
    samples=[case((3, 4)), case((3, 4), -1.0, 2.0)],
)
def uniform_(self: Any, *args: Any, generator: Any = None, **kw: Any) -> Any:
    """Fill with numbers drawn evenly from [from, to): ``uniform_(from=0, to=1, *,
    generator=None)``.

    For floats and complex numbers; RuntimeError where from is above to.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).uniform_(-1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    low, high = _from_to("uniform_", args, kw, 0.0, 1.0)
    low, high = number(low, "uniform_", "from"), number(high, "uniform_", "to")
    _check_uniform(self.dtype, low, high)
    return _fill(uniform_numbers, self, generator, low, high)


def _from_to(name: str, args: tuple[Any, ...], kw: dict[str, Any], low: Any, high: Any) -> Any:
    """`from` is a Python keyword, so it can only come positionally or in ``**kw``."""
    given = dict(zip(("from", "to"), args, strict=False))
    if len(args) > 2 or given.keys() & kw.keys() or not kw.keys() <= {"from", "to"}:
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                f"{len(args)} positional, keywords {sorted(kw)}",
                f"{name}(from, to, *, generator=None)",
            )
        )
    given |= kw
    return given.get("from", low), given.get("to", high)


@composite(
    public="Tensor",
    name="normal_",
    random=True,
    samples=[case((3, 4)), case((4, 5), 1.0, 0.5)],
)
def normal_(self: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    """Fill with normal numbers of this mean and standard deviation.

    mean: 0 by default; std: 1, and RuntimeError where it is negative. A complex number has half of
    the variance in each part.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).normal_(mean=10, std=2)
    tensor([13.0820,  9.4131,  5.6424])
    """
    mean, std = number(mean, "normal_", "mean"), number(std, "normal_", "std")
    check_std(std)
    needs(self, FLOATS, "normal_kernel_cpu")
    a = door.memory(self._a)
    if a is not self._a:  # a conjugate: the numbers come into a copy
        a = dense.empty_like(a)
    grouped = isinstance(a, np.ndarray) and a.flags.c_contiguous
    return _fill(normal_numbers, self, generator, mean, std, grouped)


@composite(public="Tensor", name="exponential_", random=True, samples=[case((3, 4))])
def exponential_(self: Any, lambd: float = 1, *, generator: Any = None) -> Any:
    """Fill with numbers of the exponential distribution, of density `lambd * exp(-lambd * x)`.

    lambd: 1 by default; RuntimeError where it is not positive. For floats.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).exponential_(2.0)
    tensor([1.7542, 0.6152, 0.3075])
    """
    rate = number(lambd, "exponential_", "lambd")
    check(rate > 0, f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    check(
        self.dtype in REAL_FLOATS,
        "Exponential distribution is a continuous probability distribution. dtype must be a "
        f"floating point but you specified {type_name(self.dtype)}",
    )
    return _fill(_exponential, self, generator, rate)


@composite(public="Tensor", name="geometric_", random=True, samples=[case((3, 4), 0.3)])
def geometric_(self: Any, p: float, *, generator: Any = None) -> Any:
    """Fill with numbers of trials up to the first success, each of probability p:
    `P(k) = (1 - p) ** (k - 1) * p` for k = 1, 2, ...

    p: in (0, 1), else RuntimeError.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(5).geometric_(0.5)
    tensor([1., 1., 2., 1., 1.])
    """
    p = number(p, "geometric_", "p")
    check(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    needs(self, NATURAL[:-1], "geometric_cpu")
    return _fill(_geometric, self, generator, p)


@composite(public="Tensor", name="cauchy_", random=True, samples=[case((3, 4))])
def cauchy_(self: Any, median: float = 0, sigma: float = 1, *, generator: Any = None) -> Any:
    """Fill with numbers of the Cauchy distribution, of density
    `sigma / pi / ((x - median) ** 2 + sigma ** 2)`.

    median: 0 by default; sigma: 1, and RuntimeError where it is not positive. For floats.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).cauchy_()
    tensor([10.5977,  0.7648, -0.1283])
    """
    median, sigma = number(median, "cauchy_", "median"), number(sigma, "cauchy_", "sigma")
    check(sigma > 0, f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    check(
        self.dtype in REAL_FLOATS,
        "Cauchy distribution is a continuous probability distribution. dtype must be a "
        f"floating point but you specified {type_name(self.dtype)}",
    )
    return _fill(_cauchy, self, generator, median, sigma)


@composite(public="Tensor", name="log_normal_", random=True, samples=[case((3, 4))])
def log_normal_(self: Any, mean: float = 1, std: float = 2, *, generator: Any = None) -> Any:
    """Fill with exp of normal numbers.

    mean, std: those of the normal numbers, 1 and 2 by default. RuntimeError where std is not
    positive. For floats.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).log_normal_(0.0, 0.25)
    tensor([1.4700, 0.9293, 0.5800])
    """
    mean, std = number(mean, "log_normal_", "mean"), number(std, "log_normal_", "std")
    check(std > 0, f"log_normal_ expects std > 0.0, but found std={std:g}")
    needs(self, REAL_FLOATS, "log_normal_cpu")
    return _fill(_log_normal, self, generator, mean, std)


@composite(public="Tensor", name="random_", random=True, samples=[case((3, 4)), case((3, 4), 2, 9)])
def random_(self: Any, *args: Any, generator: Any = None, **kw: Any) -> Any:
    """Fill with whole numbers: ``random_()``, ``random_(to)`` or ``random_(from, to)``.

    Without bounds the numbers are 0 up to the largest that the type holds exactly; ``to`` is
    excluded, or None for no upper bound.

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(4).random_(10)
    tensor([4., 9., 3., 0.])
    >>> torch.empty(4, dtype=torch.int64).random_(5, 7)
    tensor([6, 6, 6, 6])
    """
    if not args and not kw:
        needs(self, NATURAL, "random_kernel_cpu")
        return _fill(_any_integers, self, generator)
    if len(args) == 1 and not kw:
        low, high, record = 0, args[0], _integers_below
    else:
        low, high = _from_to("random_", args, kw, 0, None)
        record = _integers_below if "from" not in kw and not args else integers_from
    low = integer(low, "random_", "from")
    high = None if high is None else integer(high, "random_", "to")
    return _fill(record, self, generator, *base_and_span(self.dtype, low, high))


def base_and_span(d: dtypes.dtype, low: int, high: int | None) -> tuple[int, int]:
    """First number and count of numbers of `random_(low, high)` for a type, checked."""
    needs(d, (*NATURAL, *UNSIGNED), "random_from_to_kernel_cpu")
    if high is None and low == _INT64_MIN:
        return 0, 1 << 64
    real = d.is_floating_point
    if high is not None:
        check(
            low < high,
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
        )
        if real:
            low, high = _next_held(d, low), _last_held(d, high)
            check(
                low < high,
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                f"but got from={low} >= to={high}",
            )
        last = high - 1
    elif real:
        last = min(1 << digits(d), _INT64_MAX)
        low = _next_held(d, low)
        check(
            low < last,
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted "
            f"to dtype, but got from={low} > to_inc={last}",
        )
    else:
        last = int(bounds(d)[1])
    smallest, largest = bounds(d)
    for name, value in (("from", low), ("to - 1", last)):
        check(
            smallest <= value <= largest,
            f"{name} is out of bounds for {_C_NAMES.get(d.name, d.name)}",
            f"{value}",
            f"{smallest} to {largest}",
        )
        if real and abs(value) > 1 << digits(d):
            n = digits(d)
            warnings.warn(
                message(
                    f"{name} is out of bounds [-(2^{n}), 2^{n}]. Due to precision limitations "
                    f"{d.name} can support discrete uniform distribution only within this range.",
                    f"{value}",
                    hint="draw int64 numbers and convert them",
                ),
                UserWarning,
                stacklevel=4,  # the caller of the public function
            )
    return low, last - low + 1


_C_NAMES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
}


@functools.cache
def bounds(d: dtypes.dtype) -> tuple[float, float]:
    if d is dtypes.bool:
        return 0, 1
    if d.is_floating_point:
        info = dtypes.finfo(d)
        return info.min, info.max
    limits = dtypes.iinfo(d)
    return limits.min, min(limits.max, _INT64_MAX)


def digits(d: dtypes.dtype) -> int:
    return {2: 11, 4: 24, 8: 53}[d.itemsize] if d is not dtypes.bfloat16 else 8


def _held(d: dtypes.dtype, value: int) -> int:
    """`value` after a conversion to the type and back."""
    held = float(np.asarray(value, np.float32 if d.low else d.np).astype(d.np))
    return int(held) if math.isfinite(held) else value


def _next_held(d: dtypes.dtype, low: int) -> int:
    """The first number not below `low` that the type holds: conversion must not fall below it."""
    held = _held(d, low + 1)
    return held + (1 << (abs(low + 1).bit_length() - digits(d))) if held < low else low


def _last_held(d: dtypes.dtype, high: int) -> int:
    """An end such that no number before it is rounded up to `high` or beyond."""
    held = _held(d, high - 1)
    return held - (1 << (abs(high - 1).bit_length() - digits(d))) if held >= high else high


# ---------------------------------------------------------------------------------------- bernoulli


def _draw_bernoulli(
    input: np.ndarray,
    p: np.ndarray,
    *,
    rng: Twister,
) -> np.ndarray:
    out = np.empty_like(input)
    return below(out, p, rng, input)


def below(out: np.ndarray, p: np.ndarray, rng: Twister, like: np.ndarray) -> np.ndarray:
    """1 in `out` with the probability that stands at the same place of `p` (broadcast), else 0."""
    p = p if p.dtype == np.float64 else p.astype(np.float32)
    unit = np.empty_like(out, dtype=p.dtype)
    rng.fill(fill_uniform, unit, 0.0, 1.0, like=like)
    np.copyto(out, unit < p, casting="unsafe")
    return out


_bernoulli_tensor = drawing("bernoulli", _draw_bernoulli, "BernoulliBackward1", inputs=2)


def _check_probability(p: float) -> None:
    check(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")


def check_probabilities(p: Any) -> None:
    needs(p, REAL_FLOATS, "bernoulli_tensor_cpu_p_")
    a = door.resolved(p._a)
    if isinstance(a, np.ndarray):
        look("bernoulli")
        check(
            bool(((a >= 0) & (a <= 1)).all()),
            "bernoulli: Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
            "a tensor with other values",
            "probabilities between 0 and 1",
        )


def fill_noise(a: Any, keep: float, value: float) -> None:
    """Fill an array with `value` where an element is kept, with that probability, else with 0."""
    door.perform(_bernoulli_number.into, (a, default_generator._rng), {"args": (keep, value)})


@composite(
    public="Tensor",
    name="bernoulli_",
    random=True,
    samples=[case((3, 4)), case((3, 4), arr((3, 4), 0, 1))],
)
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill with 1 of probability p and 0 otherwise.

    p: a number, 0.5 by default, or a tensor of probabilities whose shape broadcasts. RuntimeError
    outside [0, 1].

    >>> _ = torch.manual_seed(0)
    >>> torch.empty(5).bernoulli_(0.5)
    tensor([0., 0., 1., 0., 0.])
    """
    if isinstance(p, TensorBase):
        needs(self, NATURAL, "bernoulli_tensor_cpu_self_")
        check_probabilities(p)
        return changes.apply_inplace(
            _bernoulli_tensor, self, (p,), {"rng": stream(generator, "bernoulli_")}
        )
    p = number(p, "bernoulli_", "p")
    _check_probability(p)
    needs(self, NATURAL, "bernoulli_scalar_cpu_")
    return _fill(_bernoulli_number, self, generator, p)

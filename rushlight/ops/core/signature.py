"""The first part of a record: what an op takes, and PyTorch's ways of calling it.

Tensors come first, by position; what comes after `*` in the decorated function are the static
parameters, by name. `bind` sorts a public call into the two. NumPy's names (`axis=`) stand for
PyTorch's (`dim=`) in every op that has no parameter of that name itself.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...errors import message
from ...once import users_level
from . import kinds, wrong_arguments
from .types import Check, Forward

NUMBERS = frozenset((bool, int, float, complex))
EMPTY = inspect.Parameter.empty
NUMPY_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
    "axis0": "dim0",
    "axis1": "dim1",
}


class Signature:
    """The operands and parameters of an op.

    Attributes:
        inputs: names of the tensor parameters; none when `variadic`, that is, when they are a list.
        input_defaults: what stands for a tensor that is left out (`EMPTY` when it may not be).
        defaults: static parameters and their defaults (`EMPTY` when required).
        kinds: of those that state one, whether it is an int, a bool, ... (`kinds.py`).
        varargs: `x.permute(2, 0, 1)` is `x.permute((2, 0, 1))`.
        named: the parameters are given by name alone.
        numbers: places of the tensors that may be Python numbers; None for all of them.
        optional: places of tensors that `next_functions` leaves out when they need no gradient.
        check: looks at the operands as they were given, before their types are promoted.
    """

    def __init__(
        self,
        fn: Forward,
        name: str,
        varargs: bool = False,
        named: bool = False,
        numbers: tuple[int, ...] | None = None,
        optional: tuple[int, ...] = (),
        check: Check | None = None,
    ) -> None:
        tensors, star, statics = parameters(fn)
        given, by_name = fn.__defaults__ or (), fn.__kwdefaults__ or {}
        self.name = name
        self.inputs: list[str] = list(tensors)
        self.input_defaults: list[Any] = [EMPTY] * (len(tensors) - len(given)) + list(given)
        self.defaults: dict[str, Any] = {name: by_name.get(name, EMPTY) for name in statics}
        self.kinds = {k: v for k, v in kinds.of(fn).items() if k in self.defaults}
        self.variadic = star is not None
        self.varargs = varargs
        self.named = named
        self.numbers = numbers
        self.optional = optional
        self.check = check
        # the parameters that the first versions of PyTorch had in front of the tensors
        self.numbers_first: tuple[str, ...] = ()

    @property
    def bare(self) -> bool:
        """Called with all tensors and nothing else, there is nothing to sort out."""
        return not self.variadic and all(v is not EMPTY for v in self.defaults.values())

    @property
    def required(self) -> int:
        """How many tensors must be given."""
        return sum(d is EMPTY for d in self.input_defaults)

    def usual_name(self, parameter: str) -> str:
        """How the door, as it is written out, names the classes that a parameter usually has."""
        kind = self.kinds.get(parameter)
        return "_static" if kind is None else "_usual_" + kind.replace(" | ", "_or_")

    def usual(self) -> dict[str, frozenset[type]]:
        """These classes by name."""
        return {self.usual_name(k): kinds.USUAL[kind] for k, kind in self.kinds.items()}

    def pad(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tensors of a call, with the defaults of those that were left out."""
        missing = len(self.inputs) - len(args)
        if missing > 0 and not self.variadic:
            return args + tuple(self.input_defaults[len(args) :])
        return args

    def bind(
        self, args: tuple[Any, ...], kw: dict[str, Any], called: str | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """PyTorch's calling conventions -> (tensors, static parameters)."""
        self._rename(kw)
        if self.numbers_first and any(a.__class__ in NUMBERS for a in args):
            args = self._as_of_old(args, kw, called or self.name)
        inputs, rest = self._tensors(args, kw)
        if rest:
            self._positional(inputs, rest, kw)
        for k, v in kw.items():
            if k not in self.defaults:
                known = (*self.inputs, *self.defaults)
                raise TypeError(wrong_arguments.unexpected(self.name, k, known))
            kind = self.kinds.get(k)
            if kind is not None and v.__class__ not in kinds.USUAL[kind]:
                kw[k] = v = kinds.brought(called or self.name, k, kind, v)
            if v.__class__ is list:
                kw[k] = tuple(v)
            elif isinstance(v, (TensorBase, np.generic)):
                if v.ndim:
                    raise TypeError(
                        f"{self.name}(): argument '{k}' must be a number, not Tensor of shape "
                        f"{list(v.shape)}"
                    )
                kw[k] = v.item()
            elif v.__class__ is type and k == "dtype":
                kw[k] = dtypes.of(v)
        for k, v in self.defaults.items():
            if v is EMPTY and k not in kw:
                raise TypeError(f'{self.name}() missing 1 required positional arguments: "{k}"')
        return inputs, kw

    def _as_of_old(self, args: tuple[Any, ...], kw: dict[str, Any], called: str) -> tuple[Any, ...]:
        """The tensors of a call that has its factors in front of them, as in the first versions."""
        found = [a for a in args if a.__class__ in NUMBERS]
        tensors = tuple(a for a in args if a.__class__ not in NUMBERS)
        named = sum(name in kw for name in self.inputs)
        short = len(tensors) + named < len(self.inputs)
        if short or len(found) > len(self.numbers_first) or args[-1].__class__ in NUMBERS:
            raise TypeError(
                message(
                    f"{called}() takes {len(self.inputs)} positional arguments but {len(args)} "
                    "were given",
                    hint=f"{', '.join(f'{n}=' for n in self.defaults)} by name",
                )
            )
        warnings.warn(
            f"This overload of {called} is deprecated: the numbers "
            f"{', '.join(self.numbers_first[: len(found)])} come before the tensors. "
            f"Consider {called}({', '.join(self.inputs)}, *, {', '.join(self.defaults)}) "
            "instead.",
            UserWarning,
            stacklevel=users_level(),
        )
        kw.update(zip(self.numbers_first, found, strict=False))
        return tensors

    def _rename(self, kw: dict[str, Any]) -> None:
        """PyTorch's parameter names in place of NumPy's."""
        for theirs in [k for k in kw if k in NUMPY_NAMES]:
            ours = NUMPY_NAMES[theirs]
            if (
                ours not in kw
                and theirs not in self.defaults
                and theirs not in self.inputs
                and (ours in self.defaults or ours in self.inputs)
            ):
                kw[ours] = kw.pop(theirs)

    def _tensors(
        self, args: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """(the tensors of a call, its other positional arguments)."""
        if self.variadic:
            if not args:
                return tuple(kw.pop("tensors", ())), ()
            if isinstance(args[0], (tuple, list)):
                return tuple(args[0]), args[1:]
            if args[0].__class__ in NUMBERS:
                raise TypeError(
                    f"{self.name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                    f"{type(args[0]).__name__}"
                )
            return args, ()
        n = len(self.inputs)
        inputs, rest = args[:n], args[n:]
        if len(inputs) < n:
            more = []
            for i in range(len(inputs), n):
                name = self.inputs[i]
                if name in kw:
                    more.append(kw.pop(name))
                elif self.input_defaults[i] is EMPTY:
                    raise TypeError(
                        f'{self.name}() missing 1 required positional arguments: "{name}"'
                    )
                else:
                    more.append(self.input_defaults[i])
            inputs = (*inputs, *more)
        return inputs, rest

    def _positional(
        self, inputs: tuple[Any, ...], rest: tuple[Any, ...], kw: dict[str, Any]
    ) -> None:
        """Give the parameters that came by position their names."""
        names = list(self.defaults)
        if self.varargs and not isinstance(rest[0], (tuple, list)):
            kw[names[0]] = tuple(rest)
            return
        if self.named:
            raise TypeError(
                f"{self.name}() takes {len(inputs)} positional arguments but "
                f"{len(inputs) + len(rest)} were given"
            )
        if len(rest) > len(names):
            raise TypeError(
                f"{self.name}() takes at most {len(self.inputs) + len(names)} "
                f"positional arguments ({len(self.inputs) + len(rest)} given)"
            )
        for name, value in zip(names, rest, strict=False):
            if name in kw:
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            kw[name] = value

    def not_a_tensor(self, i: int, t: Any) -> TypeError:
        """What to raise when operand `i` is not a tensor."""
        if self.variadic:
            what = f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            got, hint = wrong_arguments.advice(t)
            return TypeError(message(what, got, hint=hint))
        name = self.inputs[min(i, len(self.inputs) - 1)]
        return wrong_arguments.refused(self.name, name, f" (position {i + 1})", t)

    def empty_list(self) -> Exception:
        """What to raise when a list of tensors is empty."""
        kind = ValueError if self.name == "cat" else RuntimeError
        return kind(
            f"torch.{self.name}(): expected a non-empty list of Tensors ({self.name} "
            f"expects a non-empty TensorList)"
        )


def parameters(fn: Any) -> tuple[tuple[str, ...], str | None, tuple[str, ...]]:
    """The names of a function's tensors, of its list of tensors (after `*`) and of its static
    parameters: `inspect.signature`, many times cheaper."""
    code = fn.__code__
    names, n = code.co_varnames, code.co_argcount
    end = n + code.co_kwonlyargcount
    star = names[end] if code.co_flags & inspect.CO_VARARGS else None
    return names[:n], star, names[n:end]

"""The bookkeeping of a step: from parameter groups to calls of an update formula.

`FormulaOptimizer` walks the groups, keeps the state of each parameter and hands bare arrays to
`kernels/optim/formulas.py`. A subclass names its formula and what state it keeps. The checks of
constructor arguments that several optimizers share are at the end.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from operator import is_
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

import numpy as np

from rushlight import dtypes
from rushlight.array_memory import locked
from rushlight.autograd import door, steps
from rushlight.autograd.changes import all_changed, unlock_all
from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.node import Extras
from rushlight.autograd.specialize import plain
from rushlight.autograd.steps import Step
from rushlight.errors import message
from rushlight.kernels.meta import UnresolvedArray
from rushlight.kernels.optim import select
from rushlight.kernels.runtime import few
from rushlight.layout import strided
from rushlight.optim.optimizer import Optimizer, evaluated
from rushlight.optim.parts import local, parts_of
from rushlight.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]


class FormulaOptimizer(Optimizer):
    """An optimizer whose update is one of the formulas of `kernels/optim/formulas.py`."""

    # The formula and the function that computes its numbers: pairs (numbers, update).
    _formula: tuple[Callable[..., Any], Callable[..., Any]]
    # Scalar state that the numbers are computed from, in the order of the numbers' arguments.
    _scalars: tuple[str, ...] = ("step",)
    # Settings that a state dictionary of an older version may lack.
    _later: ClassVar[dict[str, Any]] = {}

    def _names(self, group: Group) -> tuple[str | None, ...]:
        """The names of the array state, in the order of the formula's arguments; None: absent."""
        raise NotImplementedError

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        """Fill the state of a parameter that has none."""
        state["step"] = scalar(0.0, group)
        for name in self._names(group):
            if name is not None:
                state[name] = zeros_like(p)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
            closure: evaluates the model again and returns the loss, which is returned.
        """
        loss = evaluated(closure)
        for group in self.param_groups:
            if locked:
                unlock_all(group["params"])
            if group.get("fused"):
                _check_fused(group)
            if group.get("differentiable"):
                with enable_grad(), np.errstate(all="ignore"):
                    self._record(group)
            else:
                self._update(group)
        return loss

    def _update(self, group: Group) -> None:
        """One step of a group, in place on the arrays: one call for all parameters of a dtype that
        have made the same number of steps."""
        numbers_of, update = self._formula
        h = self._settings(group)
        scalars, names = self._scalars, self._names(group)
        while names and names[-1] is None:
            names = names[:-1]
        held_names = tuple([n for n in names if n is not None])
        only_step = scalars == ("step",)
        observed = bool(door.state.observers)
        found = None
        if only_step and not observed:
            found = collected(group["params"], self.state, held_names, plain)
        if found is not None:  # all of one type, after the same number of steps
            arrays, counts, stepped = found
            if counts:
                if h.in_python:  # nothing warns there
                    numbers, after = numbers_of(h, counts[0][()])
                else:
                    with np.errstate(all="ignore"):
                        numbers, after = numbers_of(h, counts[0][()])
                counted(counts, np.asarray(after[0], np.float32))
                self._run_all(update, numbers, arrays, names)
                changed(stepped)
            return
        made: dict[Any, Any] = {}
        state_of = self.state
        stepped = []
        last: Any = None
        last_dtype: Any = None
        entry: Any = None
        parts: list[Any] = []
        for p in group["params"]:
            x = p._x  # what the attribute looks at
            grad = x.grad if x.__class__ is Extras and p.__class__ in plain else None
            if grad is None and (grad := p.grad) is None:
                continue
            if grad.__class__ is not Tensor:
                if parts_of(p) is not None:
                    parts.append(p)
                    continue
                if grad.layout is not strided:
                    self._sparse_step(p, grad, group)
                    continue
            state = state_of[p]
            if not state:
                self._start(p, state, group)
            a = p._a
            # Parameters of one dtype that have made the same number of steps share their numbers.
            if only_step:
                step = state["step"]._a
                count: Any = step.item()
            else:
                held = [state[name]._a for name in scalars]
                count = [b.item() for b in held]
            if a.dtype is not last_dtype or count != last:  # to hash a dtype takes a while
                last, last_dtype = count, a.dtype
                key = (a.dtype, count if only_step else tuple(count))
                entry = made.get(key)
                if entry is None:
                    with np.errstate(all="ignore"):
                        numbers, after = numbers_of(h, *[state[name]._a[()] for name in scalars])
                    entry = made[key] = (numbers, after, [])
            _, after, arrays = entry
            if observed:
                for name, value in zip(scalars, after, strict=True):
                    door.perform(steps.store, (state[name]._a,), {"value": value})
            elif only_step:
                step[()] = after[0]
            else:
                for b, value in zip(held, after, strict=True):
                    b[()] = value
            arrays += (a, grad._a)
            for name in held_names:
                arrays.append(state[name]._a)
            stepped.append(p)
        for numbers, _, arrays in made.values():
            self._run_all(update, numbers, arrays, names)
        changed(stepped)
        if parts:
            self._update_parts(group, parts)

    def _update_parts(self, group: Group, params: list[Any]) -> None:
        """One step of tensors that are spread over processes: formulas work number by number, so
        each process updates its parts."""
        held, given = self.state, group["params"]
        hows: list[Any] = [parts_of(p) for p in params]
        mine = [how.local(p) for how, p in zip(hows, params, strict=True)]
        for how, p, t in zip(hows, params, mine, strict=True):
            t._extras().grad = how.local_like(p.grad, p)
        own: Any = defaultdict(dict)
        for p, t in zip(params, mine, strict=True):
            own[t] = {k: local(v) for k, v in held[p].items()}
        self.state, group["params"] = own, mine
        try:
            self._update(group)
        finally:
            self.state, group["params"] = held, given
            for how, p, t in zip(hows, params, mine, strict=True):
                t._extras().grad = None
                for k, v in own[t].items():
                    if local(held[p].get(k)) is not v:
                        spread = isinstance(v, Tensor) and v.ndim and v.shape == t.shape
                        held[p][k] = how.like(v, p) if spread else v

    def _sparse_step(self, p: Tensor, grad: Any, group: Group) -> None:
        """One step of a parameter whose gradient is sparse."""
        refuse_sparse(type(self).__name__)

    def _run_all(
        self, update: Any, numbers: dict[str, Any], arrays: list[Any], names: tuple[Any, ...]
    ) -> None:
        """One update of many parameters of one dtype, in place."""
        back = None
        if UnresolvedArray.made:
            arrays, back = door.resolved_for(arrays)
        if door.state.observers:
            door.perform(update_of(update), arrays, {"numbers": numbers, "names": names})
        else:
            select.update(update, arrays, numbers, names)
        if back is not None:
            back()

    def _settings(self, group: Group) -> SimpleNamespace:
        """`settings` of a group, kept as long as the group holds the same objects."""
        kept = self.__dict__.setdefault("_kept", {})
        found = kept.get(id(group))
        values = group.values()
        if found and len(found[0]) == len(values) and all(map(is_, found[0], values)):
            return found[1]  # type: ignore[no-any-return]
        h = settings(group)
        # A Tensor can change without the group noticing.
        flat = [x for v in values for x in (v if v.__class__ is tuple else (v,))]
        if not any(isinstance(x, Tensor) for x in flat):
            kept[id(group)] = (tuple(values), h)
        return h

    def _record(self, group: Group) -> None:
        """One step of a group through Tensor operations, so that autograd sees it."""
        numbers_of, update = self._formula
        h = SimpleNamespace(**{name: zero_dim(value) for name, value in group.items()})
        names = self._names(group)
        for p in group["params"]:
            if p.grad is None:
                continue
            state = self.state[p]
            if not state:
                self._start(p, state, group)
            held = [state[name] for name in self._scalars]
            if any(t.requires_grad for t in held):
                raise RuntimeError(
                    f"`requires_grad` is not supported for `{self._scalars[0]}` in differentiable "
                    "mode"
                )
            numbers, after = numbers_of(h, *[t._a[()] for t in held])
            for t, value in zip(held, after, strict=True):
                door.perform(steps.store, (t._a,), {"value": number(value)})
                t._bump()
            tensors = [None if name is None else state[name] for name in names]
            self._record_one(update, SimpleNamespace(**numbers), p, state, names, tensors)

    def _record_one(
        self, update: Any, k: Any, p: Any, state: State, names: Any, tensors: Any
    ) -> None:
        # Imported here: recorded.py needs the public names, which need this module.
        from rushlight.optim.recorded import Recorded

        xp = Recorded(p.dtype.to_real())
        if p.is_complex():
            import rushlight as torch

            parts = [None if t is None else torch.view_as_real(t) for t in tensors]
            out = update(xp, k, torch.view_as_real(p.clone()), torch.view_as_real(p.grad), *parts)
            out = [None if t is None else torch.view_as_complex(t) for t in out]
        else:
            out = update(xp, k, p.clone(), p.grad, *tensors)
        p.copy_(out[0])
        for name, value in zip(names, out[1:], strict=False):
            if name is not None:
                state[name] = value

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self._later.items():
                group.setdefault(name, value)
            for p in group["params"]:
                held: Any = self.state.get(p) or {}
                for name in self._scalars if held else ():
                    # Written as a plain number by versions of PyTorch before 1.12.
                    if not isinstance(held[name], Tensor):
                        held[name] = scalar(float(held[name]), group)


def refuse_sparse(name: str) -> NoReturn:
    """Raise for a sparse gradient that an optimizer does not take."""
    if name in ("Adam", "AdamW"):
        raise RuntimeError(
            "Adam does not support sparse gradients, please consider SparseAdam instead"
        )
    raise RuntimeError(f"{name} does not support sparse gradients")


def load() -> None:
    """Put the functions of machine code into their places."""
    global collected, counted
    from rushlight.optim import stepping_code

    made = stepping_code.functions(Tensor)
    collected, counted = made["collected"], made["counted"]


# By machine code: what a step needs of its parameters, and their new number of steps.
collected: Callable[..., Any] = few.refused
counted: Callable[..., None] = few.refused
few.when_loaded(load)


def changed(tensors: list[Tensor]) -> None:
    """Count a step's change of each tensor."""
    all_changed(tensors, "optimizer.step()")


class Update(Step):
    """An update formula over many parameters: (parameter, gradient, *states) one after another."""

    __slots__ = ()

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        width = len(kw["names"]) + 2 - kw["names"].count(None)
        return tuple([i for i in range(len(arrays)) if i % width != 1])


@functools.cache
def update_of(formula: Callable[..., Any]) -> Update:
    """A formula of `kernels/optim/formulas.py` as a step."""

    def run(*arrays: Any, numbers: dict[str, Any], names: tuple[Any, ...]) -> None:
        select.update(formula, list(arrays), numbers, names)

    name = formula.__name__.strip("_")
    shown = f"aten::_fused_{name}_" if name in FUSED else f"rushlight::{name}_"
    return Update(name, run, outputs=0, shown=shown)


FUSED = frozenset(("sgd", "adam", "adamw", "adagrad"))  # one operator in PyTorch, too


# ---- state and settings -------------------------------------------------------------------------


def scalar(value: float, group: Group | None = None) -> Tensor:
    """A 0-d Tensor for `step` and its like: float32, or float64 when that is the default dtype."""
    double = dtypes.get_default_dtype() is dtypes.float64 and not (group and group.get("fused"))
    kw = {"value": value, "dtype": np.dtype(np.float64 if double else np.float32)}
    return Tensor._wrap(door.perform(steps.number, (), kw))


def zeros_like(p: Tensor) -> Tensor:
    """Zeros with the dtype, shape and memory layout of a parameter, outside the graph."""
    return full_like(p, 0)


def full_like(p: Tensor, value: Any) -> Tensor:
    """As `zeros_like`, filled with `value`."""
    parts = parts_of(p)
    if parts is not None:
        return parts.like(full_like(parts.local(p), value), p)  # type: ignore[no-any-return]
    return Tensor._wrap(door.perform(steps.full_like, (p._a,), {"value": value}))


def settings(group: Group) -> SimpleNamespace:
    """The settings of a group with every Tensor read out; `in_python` says whether all numbers are
    Python's own."""
    made = SimpleNamespace()
    fields = made.__dict__
    for name, value in group.items():
        kind = value.__class__
        if kind is not float and kind is not bool and kind is not int:
            value = number(value)
        fields[name] = value
    each = [x for v in fields.values() for x in (v if v.__class__ is tuple else (v,))]
    made.in_python = not any(isinstance(x, (np.generic, np.ndarray)) for x in each)
    return made


def number(value: Any) -> Any:
    """A one-element Tensor as a NumPy scalar of its dtype; anything else as it is."""
    if isinstance(value, Tensor):
        return value._a.reshape(())[()]
    if value.__class__ is tuple:
        return tuple([number(v) for v in value])
    return value


def zero_dim(value: Any) -> Any:
    """A one-element Tensor without its dimensions; anything else as it is."""
    is_vector: bool = isinstance(value, Tensor) and value.ndim > 0
    return value.reshape(()) if is_vector else value


# ---- checks -------------------------------------------------------------------------------------


def check(holds: Any, what: str, wanted: str) -> None:
    """Raise ValueError with PyTorch's words in front unless the condition holds."""
    if not holds:
        raise ValueError(message(what, wanted=wanted))


def check_lr(lr: Any) -> None:
    """A learning rate is a number >= 0, or a Tensor with one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(message("Tensor lr must be 1-element", got=f"shape {tuple(lr.shape)}"))
    if isinstance(lr, str):
        raise TypeError(
            message(
                "'<=' not supported between instances of 'float' and 'str'",
                got=f"lr={lr!r}, a text",
                hint="float(lr): YAML reads 1e-3 as a text, 1.0e-3 as a number",
            )
        )
    check(lr >= 0.0, f"Invalid learning rate: {lr}", "lr >= 0")


def check_not_negative(**values: Any) -> None:
    """Numbers that must be >= 0, called by the names that PyTorch's messages use."""
    for name, value in values.items():
        shown = "epsilon" if name == "eps" else name
        check(value >= 0.0, f"Invalid {shown} value: {value}", f"{name} >= 0")


def check_betas(betas: Any) -> None:
    """Decay rates lie in [0, 1)."""
    for i in (0, 1):
        what = f"Invalid beta parameter at index {i}: {betas[i]}"
        check(0.0 <= betas[i] < 1.0, what, f"0 <= betas[{i}] < 1")


def check_flags(differentiable: bool, foreach: bool | None, fused: bool | None) -> None:
    """Combinations that PyTorch refuses.

    `foreach` and `fused` choose between implementations in PyTorch. Here one implementation serves
    all three, so they are accepted, kept in the group and change no number.
    """
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def _check_fused(group: Group) -> None:
    for p in group["params"]:
        if p.grad is None:
            continue
        if not p.is_floating_point() or p.device.type == "meta":
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported "
                f"devices: ['cpu'] but {p.dtype} and {p.device.type}"
            )

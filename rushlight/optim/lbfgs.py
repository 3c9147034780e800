"""L-BFGS: a quasi-Newton method that evaluates its model several times a step.

The line search is `line_search.py`; both work on one flat array of all parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight.autograd import door, steps
from rushlight.autograd.grad_mode import enable_grad, no_grad
from rushlight.autograd.steps import Step, step
from rushlight.errors import message
from rushlight.optim.line_search import strong_wolfe
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.parts import local, parts_of, whole
from rushlight.optim.stepping import changed, check_lr, number
from rushlight.tensor import Tensor

__all__ = ["LBFGS"]


@step()
def flat_gradient(*arrays: Any) -> np.ndarray:
    """One vector of the gradients, from (parameter, its gradient or None) one after another."""
    parts = []
    for p, g in zip(arrays[::2], arrays[1::2], strict=True):
        a = np.zeros_like(p) if g is None else g
        parts.append(_real(np.ascontiguousarray(a)).reshape(-1))
    return np.concatenate(parts)


class _Move(Step):
    """It writes to all operands but the first one, the direction."""

    __slots__ = ()

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        return tuple(range(1, len(arrays)))


def _move(direction: np.ndarray, *parameters: Any, length: Any) -> None:
    """p + length * direction, for all parameters."""
    offset = 0
    for p in parameters:
        a = _real(p)
        a += length * direction[offset : offset + a.size].reshape(a.shape)
        offset += a.size


move = _Move("move", _move, outputs=0)


class LBFGS(Optimizer):
    """Limited-memory BFGS: a step along -H g, H built from the last changes of p and g.

    One parameter group only, and a `closure` that clears the gradients, computes the loss, calls
    `backward()` and returns the loss::

        def closure():
            optimizer.zero_grad()
            loss = loss_fn(model(input), target)
            loss.backward()
            return loss

        optimizer.step(closure)

    Args:
        params: parameters or named parameters.
        lr: the length of a step, or its first guess when there is a line search.
        max_iter: iterations a step.
        max_eval: evaluations a step (default: max_iter * 5 / 4).
        tolerance_grad: stop when no gradient element is larger.
        tolerance_change: stop when neither parameters nor loss change more.
        history_size: how many changes H remembers, each as large as the parameters twice.
        line_search_fn: None or "strong_wolfe".

    Nocedal and Wright, Numerical Optimization, chapters 3 and 7; Schmidt's minFunc.

    >>> x = nn.Parameter(torch.tensor([-1.0, 2.0]))
    >>> optimizer = optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2  # Rosenbrock's valley
    ...     loss.backward()
    ...     return loss
    >>> for _ in range(3):
    ...     loss = optimizer.step(closure)
    >>> bool(closure() < 1e-6)
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError(
                message(
                    "LBFGS doesn't support per-parameter options (parameter groups)",
                    got=f"{len(self.param_groups)} groups",
                    wanted="one",
                )
            )

    # ---- the parameters as one vector -------------------------------------------------------

    @property
    def _params(self) -> list[Any]:
        return self.param_groups[0]["params"]

    def _flat_gradient(self) -> np.ndarray:
        arrays: list[Any] = []
        for p in self._params:
            grad = p.grad
            if grad is not None and grad.is_sparse:
                grad = grad.to_dense()
            if parts_of(p) is not None:  # all processes have one vector of all parameters
                p, grad = whole(p), whole(grad)
            arrays += (p._a, None if grad is None else grad._a)
        found: np.ndarray = door.perform(flat_gradient, arrays, {})
        return found

    def _move(self, length: Any, direction: np.ndarray) -> None:
        """p + length * direction, for all parameters."""
        plain = [whole(p) for p in self._params]
        door.perform(move, [direction, *(p._a for p in plain)], {"length": length})
        for p, moved in zip(self._params, plain, strict=True):
            parts = parts_of(p)
            if parts is not None:
                parts.put(p, moved)
        changed(self._params)

    def _evaluate(
        self, closure: Callable[[], Any], start: list[np.ndarray], length: Any, d: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Loss and gradient at `start + length * d`; the parameters are at `start` afterwards."""
        self._move(length, d)
        loss = float(whole(closure()))
        gradient = self._flat_gradient()
        for p, a in zip(self._params, start, strict=True):
            door.perform(steps.write, (local(p)._a, a), {})
        changed(self._params)
        return loss, gradient

    # ---- a step -----------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Iterate up to `max_iter` times and return the loss of the first evaluation.

        Args:
            closure: clears the gradients, evaluates the model, calls backward, returns the loss.
        """
        if closure is None:
            raise TypeError(
                message(
                    "LBFGS.step() missing 1 required argument: 'closure'",
                    wanted="a function that zeroes the gradients, computes the loss, calls "
                    "backward and returns the loss",
                )
            )
        evaluate = enable_grad()(closure)
        with no_grad(), np.errstate(all="ignore"):
            return self._iterate(evaluate)

    def _iterate(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        lr = number(group["lr"])
        max_iter, max_eval = group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError(
                message("only 'strong_wolfe' is supported", got=repr(group["line_search_fn"]))
            )
        # There is one state for all parameters. The first one carries it, so that a state
        # dictionary saves and casts it like any other.
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss: Any = float(whole(first_loss))
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._flat_gradient()
        if np.abs(gradient).max() <= tolerance_grad:
            return first_loss
        memory = _Memory(state, group["history_size"])
        d, t, last_gradient = memory.d, memory.t, memory.prev_flat_grad
        iteration = 0
        while iteration < max_iter:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d = -gradient
                memory.forget()
            else:
                memory.remember(gradient - last_gradient, d * t)
                d = memory.direction(gradient)
            last_gradient = gradient.copy()
            last_loss = loss
            t = min(1.0, 1.0 / np.abs(gradient).sum()) * lr if state["n_iter"] == 1 else lr
            slope = np.dot(gradient, d)
            if slope > -tolerance_change:
                break
            evaluated = 0
            small = False
            if group["line_search_fn"] is not None:
                start = [door.perform(steps.copy, (local(p)._a,), {}) for p in self._params]
                loss, gradient, t, evaluated = strong_wolfe(
                    partial(self._evaluate, closure, start),
                    t,
                    d,
                    loss,
                    gradient,
                    slope,
                    max_ls=max_eval - evaluations,
                )
                self._move(t, d)
                small = np.abs(gradient).max() <= tolerance_grad
            else:
                self._move(t, d)
                if iteration != max_iter:
                    # After the last move the loss is left to the caller: with another batch it
                    # would be another function.
                    loss = float(whole(closure()))
                    gradient = self._flat_gradient()
                    small = np.abs(gradient).max() <= tolerance_grad
                    evaluated = 1
            evaluations += evaluated
            state["func_evals"] += evaluated
            if iteration == max_iter or evaluations >= max_eval or small:
                break
            if np.abs(d * t).max() <= tolerance_change:
                break
            if abs(loss - last_loss) < tolerance_change:
                break
        memory.save(state, d, t, last_gradient, last_loss)
        return first_loss


class _Memory:
    """The pairs (y, s) of changes in gradient and parameters, and the product with their H."""

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.size = size
        self.d = _array(state.get("d"))
        self.t = _array(state.get("t"))
        self.prev_flat_grad = _array(state.get("prev_flat_grad"))
        self.ys = [_array(y) for y in state.get("old_dirs") or ()]
        self.ss = [_array(s) for s in state.get("old_stps") or ()]
        self.ro = [_array(r) for r in state.get("ro") or ()]
        self.scale = _array(state.get("H_diag"))
        self.al: list[Any] | None = [_array(a) for a in state["al"]] if "al" in state else None

    def forget(self) -> None:
        self.ys, self.ss, self.ro, self.scale = [], [], [], 1

    def remember(self, y: np.ndarray, s: np.ndarray) -> None:
        """Keep a pair of changes, unless the curvature along it is not positive."""
        ys = np.dot(y, s)
        if not ys > 1e-10:
            return
        if len(self.ys) == self.size:
            for kept in (self.ys, self.ss, self.ro):
                kept.pop(0)
        self.ys.append(y)
        self.ss.append(s)
        self.ro.append(1.0 / ys)
        self.scale = ys / np.dot(y, y)

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """-H g by the two loops over the pairs."""
        if self.al is None:
            self.al = [None] * self.size
        al = self.al
        q = -gradient
        for i in range(len(self.ys) - 1, -1, -1):
            al[i] = np.dot(self.ss[i], q) * self.ro[i]
            q -= al[i] * self.ys[i]
        q *= self.scale
        for i in range(len(self.ys)):
            q += (al[i] - np.dot(self.ys[i], q) * self.ro[i]) * self.ss[i]
        return q

    def save(self, state: dict[str, Any], d: Any, t: Any, gradient: Any, loss: float) -> None:
        if self.al is not None:
            state["al"] = [_tensor(a) for a in self.al]
        state["d"] = _tensor(d)
        state["t"] = _tensor(t)
        state["old_dirs"] = [_tensor(y) for y in self.ys]
        state["old_stps"] = [_tensor(s) for s in self.ss]
        state["ro"] = [_tensor(r) for r in self.ro]
        state["H_diag"] = _tensor(self.scale)
        state["prev_flat_grad"] = _tensor(gradient)
        state["prev_loss"] = loss


def _real(a: np.ndarray) -> np.ndarray:
    """A complex array as its real and imaginary parts, sharing memory."""
    return a[..., None].view(a.real.dtype) if a.dtype.kind in "cW" else a


def _array(value: Any) -> Any:
    return value._a[()] if isinstance(value, Tensor) else value


def _tensor(value: Any) -> Any:
    return Tensor._wrap(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value

"""One parameter's update for every optimiser: the formulas, each written once.

A formula is a pair of functions. `<name>_numbers(h, ...)` computes, from the settings `h` of a
parameter group and the scalar state, the few numbers of this step; `<name>(xp, k, p, g, ...)` is
the update over whole arrays and returns the new parameter and state. `xp` names the primitives:
`reference.py` works in place on ndarrays, `update.py` writes instructions, `optim/recorded.py`
makes new Tensors and so lets autograd record the step. A primitive ending in `_` may overwrite its
first argument, hence the text always goes on with what it returns.

Not here: parameter groups, state dictionaries, argument checks (`optim/`). Adafactor and Muon,
whose updates are not elementwise, are in `matrix.py`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rushlight.dtypes import get_default_dtype

Numbers = dict[str, Any]
Settings = SimpleNamespace


class Operators:
    """The primitives that are operators alone, for values that are never overwritten: vectors in a
    kernel's text (`update.py`), Tensors that record (`optim/recorded.py`)."""

    def mul_(self, x: Any, a: Any) -> Any:
        """x * a."""
        return x * a

    mul = mul_

    def div_(self, x: Any, a: Any) -> Any:
        """x / a."""
        return x / a

    def plus_(self, x: Any, a: Any) -> Any:
        """x + a."""
        return x + a

    plus = plus_

    def minus(self, x: Any, y: Any) -> Any:
        """x - y."""
        return x - y

    def neg(self, x: Any) -> Any:
        """-x."""
        return -x

    def axpy_(self, x: Any, y: Any, a: Any) -> Any:
        """x + a * y."""
        return x + y * a

    axpy = axpy_

    def mix_(self, x: Any, y: Any, a: Any, b: Any) -> Any:
        """a * x + b * y."""
        return x * a + y * b

    def addcmul_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a * b."""
        return x + a * b * c

    def addcdiv_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a / b."""
        return x + a / b * c


def _gradient(xp: Any, k: Any, p: Any, g: Any) -> Any:
    """The gradient that an optimiser sees: its sign for `maximize`, plus the L2 penalty's."""
    if k.maximize:
        g = xp.neg(g)
    if k.decays:
        g = xp.axpy(g, p, k.weight_decay)
    return g


def _common(h: Settings) -> Numbers:
    """The numbers of `_gradient`."""
    return {
        "maximize": bool(h.maximize),
        "decays": _nonzero(h.weight_decay),
        "weight_decay": h.weight_decay,
    }


def _nonzero(value: Any) -> bool:
    # A number that is recorded (a Tensor asking for its gradient) counts even when it is 0.
    return bool(getattr(value, "requires_grad", False) or value != 0)


# ---- gradient descent ---------------------------------------------------------------------------


def sgd_numbers(h: Settings, first: bool) -> Numbers:
    """On its first step the average takes the gradient whole, undamped."""
    share = 1.0 if first else 1.0 - h.dampening
    return {
        **_common(h),
        "momentum": h.momentum,
        "damps": share != 1.0,
        "share": share,
        "nesterov": bool(h.nesterov),
        "minus_lr": -h.lr,
    }


def sgd(xp: Any, k: Any, p: Any, g: Any, average: Any = None) -> tuple[Any, Any]:
    """p - lr * g, or with momentum p - lr * average, average = momentum * average + g."""
    g = _gradient(xp, k, p, g)
    if average is not None:
        if k.damps:
            average = xp.mix_(average, g, k.momentum, k.share)
        else:
            average = xp.plus_(xp.mul_(average, k.momentum), g)
        g = xp.axpy(g, average, k.momentum) if k.nesterov else average
    return xp.axpy_(p, g, k.minus_lr), average


def asgd_numbers(h: Settings, step: Any, eta: Any, mu: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """The learning rate eta decays; averaging (mu < 1) begins after t0 steps."""
    step = step + 1
    now = float(step)
    k = {
        **_common(h),
        "keep": 1 - h.lambd * float(eta),
        "minus_eta": -float(eta),
        "averages": float(mu) != 1,
        "mu": float(mu),
    }
    # PyTorch makes tensors of both, so they have the precision of the default dtype.
    rounded = get_default_dtype().np.type
    next_eta = rounded(h.lr / ((1 + h.lambd * h.lr * now) ** h.alpha))
    return k, (step, next_eta, rounded(1 / max(1, now - h.t0)))


def asgd(xp: Any, k: Any, p: Any, g: Any, average: Any) -> tuple[Any, Any]:
    """(1 - lambd * eta) * p - eta * g, and the average of the parameters seen."""
    g = _gradient(xp, k, p, g)
    p = xp.axpy_(xp.mul_(p, k.keep), g, k.minus_eta)
    average = xp.axpy_(average, xp.minus(p, average), k.mu) if k.averages else xp.set_(average, p)
    return p, average


# ---- the Adam family ----------------------------------------------------------------------------


def _moments(xp: Any, k: Any, g: Any, m: Any, v: Any) -> tuple[Any, Any]:
    """Running averages of the gradient and of its square."""
    m = xp.mix_(m, g, k.beta1, k.rest1)
    v = xp.addcmul_(xp.mul_(v, k.beta2), g, g, k.rest2)
    return m, v


def _betas(h: Settings) -> Numbers:
    beta1, beta2 = h.betas
    return {"beta1": beta1, "rest1": 1 - beta1, "beta2": beta2, "rest2": 1 - beta2}


def _decoupled(h: Settings) -> Numbers:
    """Weight decay as part of the gradient, or (decoupled) as a shrinking of the parameter."""
    decays, apart = _nonzero(h.weight_decay), bool(h.decoupled_weight_decay)
    return {
        "maximize": bool(h.maximize),
        "decays": decays and not apart,
        "weight_decay": h.weight_decay,
        "shrinks": decays and apart,
        "keep": 1 - h.lr * h.weight_decay,
    }


def adam_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """Both bias corrections are folded into the step size and eps: one pass less over the data."""
    step = step + 1
    now = float(step)
    beta1, beta2 = h.betas
    root = (1 - beta2**now) ** 0.5
    k = {
        **_decoupled(h),
        **_betas(h),
        "eps": h.eps * root,
        "minus_step": -(h.lr / (1 - beta1**now) * root),
    }
    return k, (step,)


def adam(xp: Any, k: Any, p: Any, g: Any, m: Any, v: Any, top: Any = None) -> tuple[Any, ...]:
    """p - lr * m' / (sqrt(v') + eps), m' and v' without bias; with amsgrad the largest v so far.

    Kingma and Ba, Adam (arXiv:1412.6980); decoupled decay: Loshchilov, Hutter (arXiv:1711.05101).
    """
    if k.shrinks:
        p = xp.mul_(p, k.keep)
    g = _gradient(xp, k, p, g)
    m, v = _moments(xp, k, g, m, v)
    if top is not None:
        top = xp.maximum_(top, v)
    root = xp.plus_(xp.sqrt(v if top is None else top), k.eps)
    return xp.addcdiv_(p, m, root, k.minus_step), m, v, top


def adamax_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """The infinity norm needs no bias correction."""
    step = step + 1
    minus_step = -(h.lr / (1 - h.betas[0] ** float(step)))
    return {**_common(h), **_betas(h), "eps": h.eps, "minus_step": minus_step}, (step,)


def adamax(xp: Any, k: Any, p: Any, g: Any, m: Any, u: Any) -> tuple[Any, ...]:
    """p - lr * m' / u, u the decaying maximum of |g|. Kingma and Ba (arXiv:1412.6980), part 7."""
    g = _gradient(xp, k, p, g)
    m = xp.mix_(m, g, k.beta1, k.rest1)
    u = xp.maximum_(xp.mul_(u, k.beta2), xp.plus_(xp.abs(g), k.eps))
    return xp.addcdiv_(p, m, u, k.minus_step), m, u


def nadam_numbers(h: Settings, step: Any, product: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """The momentum of this step and of the next; their running product is part of the state."""
    step = step + 1
    now = float(step)
    beta1, beta2 = h.betas
    mu = beta1 * (1.0 - 0.5 * (0.96 ** (now * h.momentum_decay)))
    mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((now + 1) * h.momentum_decay)))
    product = product * mu
    root = (1 - beta2**now) ** 0.5
    k = {
        **_decoupled(h),
        **_betas(h),
        "eps": h.eps * root,
        "step_gradient": -h.lr * (1.0 - mu) / (1.0 - float(product)) * root,
        "step_average": -h.lr * mu_next / (1.0 - float(product) * mu_next) * root,
    }
    return k, (step, product)


def nadam(xp: Any, k: Any, p: Any, g: Any, m: Any, v: Any) -> tuple[Any, ...]:
    """Adam with Nesterov's look-ahead: gradient and average enter with weights of their own.

    Dozat, Incorporating Nesterov Momentum into Adam (2016).
    """
    if k.shrinks:
        p = xp.mul_(p, k.keep)
    g = _gradient(xp, k, p, g)
    m, v = _moments(xp, k, g, m, v)
    root = xp.plus_(xp.sqrt(v), k.eps)
    p = xp.addcdiv_(p, g, root, k.step_gradient)
    return xp.addcdiv_(p, m, root, k.step_average), m, v


def radam_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """While too few gradients were seen to trust v (rho <= 5) the step is plain momentum."""
    step = step + 1
    now = float(step)
    beta1, beta2 = h.betas
    correction = 1 - beta2**now
    longest = 2 / (1 - beta2) - 1
    rho = longest - 2 * now * (beta2**now) / correction
    rectifies = bool(rho > 5.0)
    size = h.lr / (1 - beta1**now)
    if rectifies:
        top = (rho - 4) * (rho - 2) * longest
        size = size * (top / ((longest - 4) * (longest - 2) * rho)) ** 0.5 * correction**0.5
    k = {**_decoupled(h), **_betas(h), "eps": h.eps, "rectifies": rectifies, "minus_step": -size}
    return k, (step,)


def radam(xp: Any, k: Any, p: Any, g: Any, m: Any, v: Any) -> tuple[Any, ...]:
    """Adam with the variance of its adaptive step rectified. Liu et al. (arXiv:1908.03265)."""
    if k.shrinks:
        p = xp.mul_(p, k.keep)
    g = _gradient(xp, k, p, g)
    m, v = _moments(xp, k, g, m, v)
    if k.rectifies:
        p = xp.addcdiv_(p, m, xp.plus_(xp.sqrt(v), k.eps), k.minus_step)
    else:
        p = xp.axpy_(p, m, k.minus_step)
    return p, m, v


# ---- scaling by past squares --------------------------------------------------------------------


def adagrad_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """The learning rate of step t is lr / (1 + (t - 1) * lr_decay)."""
    step = step + 1
    minus_step = -(h.lr / (1 + (float(step) - 1) * h.lr_decay))
    return {**_common(h), "eps": h.eps, "one": 1.0, "minus_step": minus_step}, (step,)


def adagrad(xp: Any, k: Any, p: Any, g: Any, total: Any) -> tuple[Any, Any]:
    """p - lr * g / (sqrt(sum of g^2) + eps). Duchi, Hazan and Singer (2011)."""
    g = _gradient(xp, k, p, g)
    total = xp.plus_(total, xp.mul(g, g))
    return xp.addcdiv_(p, g, xp.plus_(xp.sqrt(total), k.eps), k.minus_step), total


def adadelta_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """Decay and remainder of both averages."""
    k = {**_common(h), "rho": h.rho, "rest": 1 - h.rho, "eps": h.eps, "minus_lr": -h.lr}
    return k, (step + 1,)


def adadelta(xp: Any, k: Any, p: Any, g: Any, square: Any, deltas: Any) -> tuple[Any, ...]:
    """p - lr * g * rms(past updates) / rms(gradients). Zeiler (arXiv:1212.5701)."""
    g = _gradient(xp, k, p, g)
    square = xp.addcmul_(xp.mul_(square, k.rho), g, g, k.rest)
    root = xp.sqrt_(xp.plus(square, k.eps))
    delta = xp.mul_(xp.div_(xp.sqrt_(xp.plus(deltas, k.eps)), root), g)
    deltas = xp.addcmul_(xp.mul_(deltas, k.rho), delta, delta, k.rest)
    return xp.axpy_(p, delta, k.minus_lr), square, deltas


def rmsprop_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """Decay and remainder of the averages."""
    k = {
        **_common(h),
        "alpha": h.alpha,
        "rest": 1 - h.alpha,
        "eps": h.eps,
        "momentum": h.momentum,
        "one": 1.0,
        "minus_one": -1.0,
        "minus_lr": -h.lr,
    }
    return k, (step + 1,)


def rmsprop(
    xp: Any, k: Any, p: Any, g: Any, square: Any, buffer: Any = None, mean: Any = None
) -> tuple[Any, ...]:
    """p - lr * g / (sqrt(E[g^2]) + eps); centered: the variance. Tieleman and Hinton (2012)."""
    g = _gradient(xp, k, p, g)
    square = xp.addcmul_(xp.mul_(square, k.alpha), g, g, k.rest)
    if mean is None:
        root = xp.sqrt(square)
    else:
        mean = xp.mix_(mean, g, k.alpha, k.rest)
        root = xp.sqrt_(xp.minus(square, xp.mul(mean, mean)))
    root = xp.plus_(root, k.eps)
    if buffer is None:
        p = xp.addcdiv_(p, g, root, k.minus_lr)
    else:
        buffer = xp.addcdiv_(xp.mul_(buffer, k.momentum), g, root, k.one)
        p = xp.axpy_(p, buffer, k.minus_lr)
    return p, square, buffer, mean


# ---- signs only ---------------------------------------------------------------------------------


def rprop_numbers(h: Settings, step: Any) -> tuple[Numbers, tuple[Any, ...]]:
    """Factors of the step sizes and their bounds."""
    k = {
        "maximize": bool(h.maximize),
        "shorter": h.etas[0],
        "longer": h.etas[1],
        "same": 1.0,
        "zero": 0.0,
        "smallest": h.step_sizes[0],
        "largest": h.step_sizes[1],
        "minus_one": -1.0,
    }
    return k, (step + 1,)


def rprop(xp: Any, k: Any, p: Any, g: Any, last: Any, size: Any) -> tuple[Any, ...]:
    """p - sign(g) * size; a size grows while its sign stays. Riedmiller and Braun (1993)."""
    if k.maximize:
        g = xp.neg(g)
    turn = xp.mul(g, last)
    factor = xp.where(turn > 0, k.longer, xp.where(turn < 0, k.shorter, k.same))
    size = xp.clip_(xp.mul_(size, factor), k.smallest, k.largest)
    g = xp.where(turn < 0, k.zero, g)  # after a change of sign this element waits one step
    p = xp.addcmul_(p, xp.sign(g), size, k.minus_one)
    return p, xp.set_(last, g), size

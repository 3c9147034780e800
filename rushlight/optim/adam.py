"""Adam, and with decoupled weight decay AdamW."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.errors import message
from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    check_betas,
    check_flags,
    check_lr,
    check_not_negative,
    zero_dim,
)
from rushlight.tensor import Tensor

__all__ = ["Adam"]


class Adam(FormulaOptimizer):
    """Adam: p <- p - lr * m' / (sqrt(v') + eps).

    m and v are running averages of the gradient and of its square, m' and v' the same without the
    bias of their start at zero.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        betas: decay rates of m and v.
        eps: keeps the division away from zero.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        amsgrad: divide by the largest v so far (arXiv:1904.09237).
        maximize: climb instead of descend.
        decoupled_weight_decay: shrink the parameter by `lr * weight_decay` instead (AdamW).
        foreach, fused, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Kingma and Ba, Adam: A Method for Stochastic Optimization (arXiv:1412.6980).

    The first step moves every element by about `lr`, however large its gradient is:

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> (w**3).sum().backward()
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.9000, -2.1000])
    >>> optimizer.state[w]["exp_avg"]  # (1 - beta1) times the gradient, 3 * w**2
    tensor([0.3000, 1.2000])
    """

    _formula = (formulas.adam_numbers, formulas.adam)
    _later: ClassVar[dict[str, Any]] = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        tensors = {"lr": lr, "betas[0]": betas[0], "betas[1]": betas[1]}
        for name, value in tensors.items():
            if isinstance(value, Tensor):
                if foreach and not capturable:
                    raise ValueError(
                        f"{name} as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if value.numel() != 1:
                    raise ValueError(f"Tensor {name} must be 1-element")
        check_lr(lr)
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        if not (
            all(isinstance(b, float) for b in betas) or all(isinstance(b, Tensor) for b in betas)
        ):
            raise ValueError(
                message(
                    "betas must be either both floats or both Tensors",
                    got=tuple(type(b).__name__ for b in betas),
                    hint="betas=(0.9, 0.999)",
                )
            )
        defaults = {
            "lr": lr,
            "betas": tuple(map(zero_dim, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_flags(differentiable, foreach, fused)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq" if group["amsgrad"] else None)

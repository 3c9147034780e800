"""AdamW: Adam whose weight decay acts on the parameter alone."""

from __future__ import annotations

from typing import Any

from rushlight.optim.adam import Adam
from rushlight.optim.optimizer import ParamsT
from rushlight.tensor import Tensor

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam with decoupled weight decay: p shrinks by `lr * weight_decay`, m and v never see it.

    Arguments as for `Adam`; `weight_decay` is 0.01 unless given.

    Loshchilov and Hutter, Decoupled Weight Decay Regularization (arXiv:1711.05101).

    Without a gradient only the decay is left, a factor of `1 - lr * weight_decay`:

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> w.grad = torch.zeros(2)
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.9500, -1.9000])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # a state saved by Adam does not say so

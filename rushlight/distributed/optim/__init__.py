"""`torch.distributed.optim`: optimisers of models that several processes train.

`ZeroRedundancyOptimizer` spreads an optimiser's state over the ranks (`zero_redundancy_optimizer`),
`PostLocalSGDOptimizer` averages parameters now and then (`post_localSGD_optimizer`), and
`_apply_optimizer_in_backward` steps while the backward goes on (`apply_optimizer_in_backward`).
`DistributedOptimizer` needs remote calls, which are not there, and says so.
"""

from __future__ import annotations

from rushlight import unsupported

from .apply_optimizer_in_backward import (
    _apply_optimizer_in_backward,
    _get_in_backward_optimizers,
)
from .functional import (
    _FunctionalAdadelta,
    _FunctionalAdagrad,
    _FunctionalAdam,
    _FunctionalAdamax,
    _FunctionalAdamW,
    _FunctionalRMSprop,
    _FunctionalRprop,
    _FunctionalSGD,
)
from .post_localSGD_optimizer import PostLocalSGDOptimizer
from .utils import as_functional_optim
from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = [
    "PostLocalSGDOptimizer",
    "ZeroRedundancyOptimizer",
    "_FunctionalAdadelta",
    "_FunctionalAdagrad",
    "_FunctionalAdam",
    "_FunctionalAdamW",
    "_FunctionalAdamax",
    "_FunctionalRMSprop",
    "_FunctionalRprop",
    "_FunctionalSGD",
    "_apply_optimizer_in_backward",
    "_get_in_backward_optimizers",
    "as_functional_optim",
]

__getattr__, _missing = unsupported.module(
    __name__,
    "DistributedOptimizer",
    "parameters on other processes (torch.distributed.rpc)",
    "ZeroRedundancyOptimizer, which spreads the state of an optimiser over the ranks",
)


def __dir__() -> list[str]:
    return sorted({*globals(), *_missing()})

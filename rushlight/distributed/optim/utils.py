"""Which optimiser that is given its gradients stands for which one that finds them."""

from __future__ import annotations

from typing import Any

from rushlight import optim
from rushlight.errors import message

from . import functional

functional_optim_map: dict[Any, Any] = {
    optim.Adagrad: functional._FunctionalAdagrad,
    optim.Adam: functional._FunctionalAdam,
    optim.AdamW: functional._FunctionalAdamW,
    optim.SGD: functional._FunctionalSGD,
    optim.Adadelta: functional._FunctionalAdadelta,
    optim.RMSprop: functional._FunctionalRMSprop,
    optim.Rprop: functional._FunctionalRprop,
    optim.Adamax: functional._FunctionalAdamax,
}


def register_functional_optim(key: Any, optim: Any) -> None:
    """Name the functional counterpart of an optimiser of the program's own."""
    functional_optim_map.setdefault(key, optim)


def as_functional_optim(optim_cls: type, *args: Any, **kwargs: Any) -> Any:
    """The functional counterpart of an optimiser class, with settings and without parameters.

    Raises:
        ValueError: there is none.
    """
    if optim_cls not in functional_optim_map:
        raise ValueError(
            message(
                f"Optimizer {optim_cls} does not have a functional counterpart!",
                wanted=", ".join(sorted(c.__name__ for c in functional_optim_map)),
                hint="register_functional_optim",
            )
        )
    return functional_optim_map[optim_cls]([], *args, _allow_empty_param_list=True, **kwargs)

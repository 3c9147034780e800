"""Plans by the arrays that they are run on: a dictionary in front of the families' `plan_…`.

Those keep what they have made by types, shapes and strides. To read these off eight arrays and to
hash them takes 1.2 µs; `few.layouts` packs them into bytes in one call of machine code (0.06 µs).
Where it has no answer (None), as without machine code, the family's function is asked.

    @Plans
    def plans_product(a, b):
        return plan_product(a.dtype, a.shape, …)

    def product(a, b):
        key = few.layouts(a, b)
        plan = plans_product.get(key) or plans_product.make(key, a, b)
        return plan.run(a, b)

The line in the middle is written out at each of its places, for a function of it would cost a
quarter of a small call's look-up (0.03 µs). Not here: what is packed (`runtime/few_code.py`).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from . import tuning


class Plans(dict[Any, Any]):
    """The plans of one function of arrays; in a module, its name begins with `plans`.

    Args:
        plan: makes the plan, or what else is to be known of such arrays, of all that the key is
            made of and in that order; None where there is none, and then it is asked again.
    """

    __slots__ = ("plan",)

    def __init__(self, plan: Callable[..., Any]) -> None:
        super().__init__()
        self.plan = plan

    def make(self, key: bytes | None, *operands: Any) -> Any:
        """The plan for these operands; their key finds it from now on."""
        plan = self.plan(*operands)
        if key is not None and plan is not None:
            if len(self) >= tuning.MOST_KEYS:  # sizes that vary without end
                self.clear()
            self[key] = plan
        return plan

    cache_clear = dict.clear


def forget_plans() -> None:
    """Let all plans be made anew when they are next asked for: of tests, which change limits."""
    for cache in caches(len(sys.modules)):
        cache.cache_clear()


@functools.lru_cache(1)
def caches(_loaded: int) -> list[Any]:
    """What plans are kept in, by all modules that are loaded."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith(__package__ + ".")]
    named = [v for m in modules for name, v in vars(m).items() if name.startswith("plan")]
    return [v for v in named if hasattr(v, "cache_clear")]

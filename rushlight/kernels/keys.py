"""Plans by the arrays that they are run on: a dictionary in front of the families' `plan_…`.

Those keep what they have made by types, shapes and strides. To read these off eight arrays and to
hash them takes 1.2 µs; `few.layouts` packs them into bytes in one call of machine code (0.06 µs).
Where it has no answer (None), as without machine code, the family's function is asked.

    plans = Plans()

    def product(a, b):
        key = few.layouts(a, b)
        plan = plans.get(key)
        if plan is None:
            plan = plans.keep(key, plan_product(a.dtype, a.shape, …))
        return plan.run(a, b)

Not here: what is packed (`runtime/few_code.py`).
"""

from __future__ import annotations

import sys
from typing import Any

from . import tuning


class Plans(dict[Any, Any]):
    """The plans of one function of arrays; in a module, its name begins with `plans`."""

    __slots__ = ()

    def keep(self, key: bytes | None, plan: Any) -> Any:
        """The plan, or what else is known of such arrays; the key finds it from now on."""
        if key is not None:
            if len(self) >= tuning.MOST_KEYS:  # sizes that vary without end
                self.clear()
            self[key] = plan
        return plan

    cache_clear = dict.clear


def forget_plans() -> None:
    """Let all plans be made anew when they are next asked for: of tests, which change limits."""
    for name, module in list(sys.modules.items()):
        if name.startswith(__package__ + "."):
            for key, value in vars(module).items():
                if key.startswith("plan") and hasattr(value, "cache_clear"):
                    value.cache_clear()

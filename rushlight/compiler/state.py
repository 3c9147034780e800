"""What the compiler keeps for the whole process: settings, and what has been compiled.

The modules that capture and replay read it; programs set it through `torch.compiler.set_stance`
(`stance.py`) and `torch._dynamo.config` (`settings.py`).
"""

from __future__ import annotations

import collections
import os
import threading
import warnings
import weakref
from typing import Any

# What compiled callables do now; the names are in `stance.STANCES`.
stance = "default"

# How many plans a function may have before it runs eagerly.
recompile_limit = 8
accumulated_recompile_limit = 256
fail_on_recompile_limit_hit = False
error_on_recompile = False
# Accepted, for programs set them: no size of a plan is free.
automatic_dynamic_shapes = True
assume_static_by_default = True
# True: compiled callables run what they wrap. PyTorch's names of the variables.
disable = "1" in (os.environ.get("TORCHDYNAMO_DISABLE"), os.environ.get("TORCH_COMPILE_DISABLE"))
# Whether a call of a compiled function has to look at the above before it looks for a plan.
special = disable


class Capturing(threading.local):
    """Whether this thread runs code that is being captured."""

    active = False


capturing = Capturing()

# Compiled callables: `reset()` tells each to forget its plans.
compiled: weakref.WeakSet[Any] = weakref.WeakSet()

# `torch._dynamo.utils.counters`: what was captured, what was not and why.
counters: collections.defaultdict[str, collections.Counter[str]] = collections.defaultdict(
    collections.Counter
)


def changed() -> None:
    """A setting is another one."""
    global special
    special = disable or stance != "default"


told: set[str] = set()


def note(what: str, text: str) -> None:
    """Say something about `what`, the first time that it is used in this process."""
    if what not in told:
        told.add(what)
        warnings.warn(text, UserWarning, stacklevel=3)


def reset() -> None:
    """Forget all plans and counts; settings stay."""
    for fn in list(compiled):
        fn.reset()
    counters.clear()

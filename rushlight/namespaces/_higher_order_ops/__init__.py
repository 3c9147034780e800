"""`torch._higher_order_ops`: branches and loops as functions.

In PyTorch they let a captured program hold both branches. Here a program is captured by running it
(decision 0027), so each is what it means: the branch that is chosen is called, a loop is a loop.
Gradients pass through whatever was computed.
"""

from . import associative_scan as _associative_scan
from . import cond as _cond
from . import scan as _scan
from . import while_loop as _while_loop

# The functions take the names of their modules, as in PyTorch.
associative_scan = _associative_scan.associative_scan  # type: ignore[assignment]
cond = _cond.cond  # type: ignore[assignment]
scan = _scan.scan  # type: ignore[assignment]
while_loop = _while_loop.while_loop  # type: ignore[assignment]

__all__ = ["associative_scan", "cond", "scan", "while_loop"]

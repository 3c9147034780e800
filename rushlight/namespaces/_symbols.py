"""`torch.sym_int` and its relatives: functions of sizes that PyTorch's captures hold as symbols.

Here sizes are plain numbers, and these are functions of numbers.
"""

from __future__ import annotations

import math
from typing import Any


def sym_int(a: Any) -> int:
    """`a` as an integer, towards zero.

    >>> torch.sym_int(3.7), torch.sym_int(-3.7)
    (3, -3)
    """
    return int(a)


def sym_float(a: Any) -> float:
    """`a` as a float.

    >>> torch.sym_float(2)
    2.0
    """
    return float(a)


def sym_not(a: Any) -> bool:
    """Whether `a` is false.

    >>> torch.sym_not(2 > 3)
    True
    """
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if one of the two is.

    >>> torch.sym_max(1, 2.0), torch.sym_max(3, 2.0)
    (2.0, 3.0)
    """
    return _of_both(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if one of the two is.

    >>> torch.sym_min(1, 2), torch.sym_min(1, 2.0)
    (1, 1.0)
    """
    return _of_both(min(a, b), a, b)


def _of_both(found: Any, a: Any, b: Any) -> Any:
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_sum(*args: Any) -> Any:
    """The sum of numbers, or of one list of them.

    >>> torch.sym_sum([1, 2, 3]), torch.sym_sum(1, 2)
    (6, 3)
    """
    return sum(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)


def sym_sqrt(a: Any) -> float:
    """The square root of a number.

    >>> torch.sym_sqrt(9)
    3.0
    """
    return math.sqrt(a)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """`t` if `b`, else `f`; both of one type.

    >>> torch.sym_ite(True, 1, 2)
    1
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_fresh_size(expr: Any) -> Any:
    """The size itself, since sizes are numbers.

    >>> torch.sym_fresh_size(3)
    3
    """
    return expr

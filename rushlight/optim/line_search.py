"""The strong Wolfe line search of L-BFGS: how far to go along a direction.

Pure arithmetic on numbers and flat arrays. Nocedal and Wright, Numerical Optimization, algorithms
3.5 and 3.6; Schmidt's minFunc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Evaluate = Callable[[Any, np.ndarray], tuple[float, np.ndarray]]


def cubic_minimum(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """The minimum, within bounds, of the cubic with values f and slopes g at x1 and x2."""
    if bounds is None:
        bounds = (x1, x2) if x1 <= x2 else (x2, x1)
    low, high = bounds
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square**0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def strong_wolfe(
    evaluate: Evaluate,
    t: Any,
    d: np.ndarray,
    f: float,
    g: np.ndarray,
    slope: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, np.ndarray, Any, int]:
    """Find a step length with enough decrease and a flat enough slope.

    Args:
        evaluate: loss and flat gradient after a step `(length, direction)`.
        t: the first length to try.
        d: the direction.
        f, g, slope: loss, gradient and directional derivative at length 0.
        c1, c2: how much decrease and how much flattening are enough.
        tolerance_change: the smallest bracket worth dividing.
        max_ls: the largest number of iterations.

    Returns:
        loss, gradient, length and number of evaluations.
    """
    largest = np.abs(d).max()
    f_new, g_new = evaluate(t, d)
    evaluations = 1
    slope_new = np.dot(g_new, d)

    # First find two lengths with an acceptable one between them, or an acceptable one itself. A
    # point is (length, loss, gradient, slope).
    last: tuple[Any, ...] = (0, f, g, slope)
    bracket: list[tuple[Any, ...]] = []
    done = False
    tries = 0
    while tries < max_ls:
        here = (t, f_new, g_new, slope_new)
        if f_new > (f + c1 * t * slope) or (tries > 1 and f_new >= last[1]):
            bracket = [last, here]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket = [here]
            done = True
            break
        if slope_new >= 0:
            bracket = [last, here]
            break
        bounds = (t + 0.01 * (t - last[0]), t * 10)
        t = cubic_minimum(last[0], last[1], last[3], t, f_new, slope_new, bounds)
        last = here
        f_new, g_new = evaluate(t, d)
        evaluations += 1
        slope_new = np.dot(g_new, d)
        tries += 1
    if tries == max_ls:
        bracket = [(0, f, g, slope), (t, f_new, g_new, slope_new)]

    # Then divide the bracket until the conditions hold.
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and tries < max_ls:
        lengths = bracket[0][0], bracket[1][0]
        left, right = min(lengths), max(lengths)
        if abs(lengths[1] - lengths[0]) * largest < tolerance_change:
            break
        a, b = bracket
        t = cubic_minimum(a[0], a[1], a[3], b[0], b[1], b[3])
        # A point too near an end makes too little progress: the second time, or when it lies on the
        # end, take one a tenth of the bracket away from it.
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        f_new, g_new = evaluate(t, d)
        evaluations += 1
        slope_new = np.dot(g_new, d)
        tries += 1
        here = (t, f_new, g_new, slope_new)
        if f_new > (f + c1 * t * slope) or f_new >= bracket[low][1]:
            bracket[high] = here
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    length, loss, gradient, _ = bracket[low]
    return loss, gradient, length, evaluations

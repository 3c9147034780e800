"""Connectionist temporal classification on arrays: forward and backward variables.

Graves et al., 2006, ICML. A target of L labels becomes 2L + 1 states: blank, label, blank, label,
..., blank. All samples of a batch advance together; a step takes logarithms of sums.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def states(targets: list[Array], blank: int) -> tuple[Array, Array]:
    """(N, S) classes of the states (blank beyond each sample's end), (N, S) where a label may be
    reached from the label before it, without the blank between them."""
    longest = max((len(t) for t in targets), default=0)
    labels = np.full((len(targets), 2 * longest + 1), blank, np.int64)
    for row, t in zip(labels, targets, strict=True):
        row[1 : 2 * len(t) : 2] = t
    skip = np.zeros(labels.shape, bool)
    skip[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skip


def emissions(log_probs: Array, labels: Array) -> Array:
    """(T, N, S): the log-probability of each state's class."""
    return np.take_along_axis(log_probs, labels[None], 2)


def _step(a: Array, skip: Array) -> Array:
    """log(sum of the states that lead to each state)."""
    out = a.copy()
    out[:, 1:] = np.logaddexp(a[:, 1:], a[:, :-1])
    jump = np.where(skip[:, 2:], a[:, :-2], -np.inf)
    out[:, 2:] = np.logaddexp(out[:, 2:], jump)
    return out


def forward(
    emit: Array, skip: Array, input_lengths: Array, target_lengths: Array
) -> tuple[Array, Array]:
    """(loss (N), alpha (T, N, S)): alpha sums the paths that are in a state after step t."""
    alpha = forward_variables(emit, skip, target_lengths)
    return losses(alpha, input_lengths, target_lengths), alpha


def forward_variables(emit: Array, skip: Array, target_lengths: Array) -> Array:
    """alpha (T, N, S)."""
    t_max, _, s = emit.shape
    alpha = np.full(emit.shape, -np.inf, emit.dtype)
    if t_max:
        alpha[0, :, 0] = emit[0, :, 0]
        if s > 1:
            alpha[0, :, 1] = np.where(target_lengths > 0, emit[0, :, 1], -np.inf)
    for t in range(1, t_max):
        alpha[t] = _step(alpha[t - 1], skip) + emit[t]
    return alpha


def losses(alpha: Array, input_lengths: Array, target_lengths: Array) -> Array:
    """The loss of each sample, of the variables of its last time."""
    rows = np.arange(alpha.shape[1])
    last = 2 * target_lengths
    end = alpha[np.maximum(input_lengths - 1, 0), rows]
    before = np.where(target_lengths > 0, end[rows, np.maximum(last - 1, 0)], -np.inf)
    loss = -np.logaddexp(end[rows, last], before)
    loss = np.where(input_lengths > 0, loss, np.where(target_lengths == 0, 0.0, np.inf))
    return loss.astype(alpha.dtype, copy=False)


def backward(
    emit: Array,
    alpha: Array,
    loss: Array,
    labels: Array,
    skip: Array,
    input_lengths: Array,
    target_lengths: Array,
    classes: int,
) -> Array:
    """(T, N, C): the gradient of each sample's loss: minus the probability of being there."""
    t_max, n, s = emit.shape
    rows = np.arange(n)
    grad = np.zeros((t_max, n, classes), emit.dtype)
    beta = np.full((n, s), -np.inf, emit.dtype)
    last = 2 * target_lengths
    ahead = np.zeros_like(skip)  # whether the state two further on may be reached from here
    ahead[:, :-2] = skip[:, 2:]
    for t in range(t_max - 1, -1, -1):
        beta = _step(beta[:, ::-1], ahead[:, ::-1])[:, ::-1]
        begins = rows[input_lengths - 1 == t]
        beta[begins] = -np.inf
        beta[begins, last[begins]] = 0
        some = begins[target_lengths[begins] > 0]
        beta[some, last[some] - 1] = 0
        there = np.exp(alpha[t] + beta + loss[:, None])  # beta without this step's emission
        there[~np.isfinite(loss)] = np.nan
        there[t >= input_lengths] = 0
        for k in range(s):
            grad[t, rows, labels[:, k]] -= there[:, k]
        beta = beta + emit[t]
    return grad

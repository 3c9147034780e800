"""Connectionist temporal classification against all alignments, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rushlight.kernels.loss import ctc

BLANK = 0


def collapsed(path: tuple[int, ...]) -> list[int]:
    """A path without repetitions, then without blanks."""
    kept = [c for k, c in enumerate(path) if k == 0 or c != path[k - 1]]
    return [c for c in kept if c != BLANK]


def by_enumeration(log_probs: np.ndarray, target: list[int]) -> float:
    """The loss of one sample: all paths that say the target."""
    t, classes = log_probs.shape
    total = -np.inf
    for path in product(range(classes), repeat=t):
        if collapsed(path) == target:
            total = np.logaddexp(total, sum(log_probs[k, c] for k, c in enumerate(path)))
    return -total


@pytest.mark.parametrize("target", [[1], [1, 2], [1, 1], [2, 1, 2], []])
def test_loss_and_gradient(target: list[int], rng: np.random.Generator) -> None:
    t, classes = 5, 3
    scores = rng.standard_normal((t, 1, classes))
    log_probs = scores - np.log(np.exp(scores).sum(-1, keepdims=True))

    def loss_of(x: np.ndarray) -> tuple[float, np.ndarray]:
        labels, skip = ctc.states([np.array(target, np.int64)], BLANK)
        lengths = np.array([t]), np.array([len(target)])
        emit = ctc.emissions(x, labels)
        loss, alpha = ctc.forward(emit, skip, *lengths)
        return loss[0], ctc.backward(emit, alpha, loss, labels, skip, *lengths, classes)

    loss, gradient = loss_of(log_probs)
    assert loss == pytest.approx(by_enumeration(log_probs[:, 0], target))
    direction = rng.standard_normal(log_probs.shape)
    ahead, behind = (loss_of(log_probs + s * 1e-6 * direction)[0] for s in (1, -1))
    assert (gradient * direction).sum() == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


def test_what_cannot_be_said_costs_infinitely_much(rng: np.random.Generator) -> None:
    log_probs = np.log(np.full((2, 1, 3), 1 / 3))
    labels, skip = ctc.states([np.array([1, 1], np.int64)], BLANK)  # needs a blank in between
    emit = ctc.emissions(log_probs, labels)
    loss, _ = ctc.forward(emit, skip, np.array([2]), np.array([2]))
    assert loss[0] == np.inf

"""Every public function, compiled alone and called with its own samples: other numbers in the same
shapes give other results, and the errors that they ask for.

Some are not replayed, for reasons that are listed here; of those, their result is computed with
once more inside, so that what keeps them from being replayed is more than how they return it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry
from rushlight.ops.core.samples import static
from tests.compiler.twins import Twin, same

PLACES = (
    torch,
    torch.nn.functional,
    torch.linalg,
    torch.fft,
    torch.special,
    torch.Tensor,
)
MOST = 6  # samples of each

# Why a function may run eagerly.
REASONS = re.compile(
    "|".join(
        (
            "a view of a tensor from outside is returned",
            "a tensor is returned that shares the memory of another one",
            "a tensor is returned that was made in a way that is not replayed",
            "a result shares memory with something else",
            "a tensor from outside gets another history or other memory",
            r"an? \w+ is returned",
            "several results are returned whose gradients meet",
            r"the shape of what \w+ gives depends on numbers",
            ".* takes a number out of a tensor",
            ".* looks at numbers in a tensor",
            ".* is called",
            "its backward fails: the derivative for .* is not implemented.",
        )
    )
)
# What computes past the door: no step in which one of these is called is replayed.
UNSEEN = frozenset((
    "Tensor.fill_diagonal_", "Tensor.renorm_", "linalg.householder_product", "linalg.lu_solve",
    "linalg.matrix_rank", "nn.functional.ctc_loss", "nn.functional.embedding_bag",
    "nn.functional.gumbel_softmax", "nn.functional.multi_margin_loss",
    "nn.functional.multilabel_margin_loss", "torch.bincount", "torch.bucketize",
    "torch.cholesky_inverse", "torch.combinations", "torch.histc", "torch.istft", "torch.ldexp",
    "torch.lu_solve", "torch.lu_unpack", "torch.nanquantile", "torch.orgqr", "torch.ormqr",
    "torch.pdist", "torch.quantile", "torch.renorm", "torch.searchsorted",
    "torch.unique_consecutive",
))  # fmt: skip


def public(name: str) -> Any:
    """The function that a program would call."""
    found = (getattr(place, name, None) for place in PLACES)
    return next((f for f in found if callable(f)), None)


RECORDS = sorted(name for name in registry if registry[name].public and public(name) is not None)
COMPOSITES = sorted(composites)


def tensors(value: Any, grad: bool) -> Any:
    """A sample's arrays as tensors."""
    if isinstance(value, static):
        return value.value
    if isinstance(value, np.ndarray):
        made = door.wrap(value.copy())
        return made.requires_grad_() if grad and value.dtype.kind in "fc" else made
    if isinstance(value, dict):
        return {k: tensors(v, grad) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)([tensors(v, grad) for v in value])
    return value


def leaves(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in leaves(v)] if isinstance(value, (list, tuple)) else []


def check(name: str, fn: Any, samples: Any) -> None:
    """Each sample twice with the same numbers, then with others, then with the first again."""
    why = compared(name, fn, samples)
    if why:

        def computing(*args: Any, **kw: Any) -> Any:
            return [v.clone() for v in leaves(fn(*args, **kw))]

        compared(name, computing, samples)
    unseen = {w for w in why if not REASONS.fullmatch(w)}
    assert bool(unseen) == (name in UNSEEN), unseen


def compared(name: str, fn: Callable[..., Any], samples: Any) -> set[str]:
    """Why the function was not replayed; whether it was or not, both twins are the same."""
    why: set[str] = set()

    def program(t: Twin) -> None:
        def function(*args: Any, **kw: Any) -> Any:
            return fn(*args, **kw)

        def call(args: Any, kw: Any) -> Any:
            y = compiled(*args, **kw)
            floats = [
                v
                for v in leaves(y)
                if v.requires_grad and v.is_floating_point() and v.grad_fn is not None
            ]
            if floats:
                sum((v * v).sum() for v in floats).backward()
            return y

        for i in range(min(len(samples), MOST)):
            compiled = t.compile(function)
            for seed in (0, 0, 1, 0):
                rng = np.random.default_rng(crc32(f"{name} {i}".encode()) + seed)
                args, kw = samples[i].make(rng)
                for grad in (False, True):
                    t(call, tensors(args, grad), tensors(kw, grad))
            why.update(text for text, _ in getattr(compiled, "why", ()))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(program)
    return why


@pytest.mark.eager
@pytest.mark.parametrize("name", RECORDS)
def test_a_function(name: str) -> None:
    op = registry[name]
    if getattr(op.samples, "undefined", False):
        pytest.skip("memory as it was")
    check(name, public(name), op.samples)


@pytest.mark.eager
@pytest.mark.parametrize("name", COMPOSITES)
@pytest.mark.slow
def test_a_function_made_of_others(name: str) -> None:
    c = composites[name]
    if c.samples.undefined or not c.samples or "data_ptr" in name:
        pytest.skip("memory as it was, or errors alone")
    check(name, c.fn.fget if isinstance(c.fn, property) else c.fn, c.samples)

"""Programs that run under both packages: the results, or the errors, must be the same.

A program is a function of one argument, the package. It returns anything made of tensors, numbers,
strings, tuples, lists and dictionaries. `both(program)` runs it with Rushlight and with PyTorch and
compares values, dtypes, shapes, strides of contiguous results and `requires_grad`; an exception
must be of
the same class (or a subclass) in both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight


def plain(x: Any) -> Any:
    """A result in terms that both packages share."""
    if isinstance(x, BaseException):
        return ("raises", type(x))
    if isinstance(x, (tuple, list)):
        return [plain(v) for v in x]
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if hasattr(x, "requires_grad") and hasattr(x, "detach"):
        a = x.detach()
        if str(a.dtype).endswith("bfloat16"):
            a = a.float()
        return ("tensor", str(x.dtype).rpartition(".")[2], x.requires_grad, np.array(a.numpy()))
    return x


def agree(ours: Any, theirs: Any, rtol: float, atol: float, at: str = "result") -> None:
    """Fail, saying where, unless both results are the same."""
    if isinstance(theirs, tuple) and theirs[:1] == ("tensor",):
        assert isinstance(ours, tuple), (at, ours, theirs)
        assert ours[:3] == theirs[:3], (at, ours, theirs)
        np.testing.assert_allclose(ours[3], theirs[3], rtol=rtol, atol=atol, err_msg=at)
        assert ours[3].shape == theirs[3].shape, at
    elif isinstance(theirs, tuple) and theirs[:1] == ("raises",):
        assert isinstance(ours, tuple), (at, ours, theirs)
        assert ours[:1] == ("raises",), (at, ours, theirs)
        assert any(c.__name__ == theirs[1].__name__ for c in ours[1].__mro__), (at, ours, theirs)
    elif isinstance(theirs, list):
        assert isinstance(ours, list), (at, ours, theirs)
        assert len(ours) == len(theirs), (at, ours, theirs)
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            agree(a, b, rtol, atol, f"{at}[{i}]")
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), at
        for k in theirs:
            agree(ours[k], theirs[k], rtol, atol, f"{at}[{k!r}]")
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=rtol, abs=atol), at
    else:
        assert ours == theirs, (at, ours, theirs)


def run(program: Callable[[Any], Any], package: Any) -> Any:
    package.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(program(package))
        except Exception as error:
            return error


@pytest.fixture
def both() -> Callable[..., Any]:
    """`both(program, rtol=, atol=)`: the same results, or an error of the same class."""
    torch = pytest.importorskip("torch")

    def check(program: Callable[[Any], Any], rtol: float = 1e-5, atol: float = 1e-6) -> None:
        theirs = run(program, torch)
        ours = run(program, rushlight)
        if isinstance(theirs, Exception):
            if not isinstance(ours, type(theirs)):
                raise AssertionError(f"PyTorch raises {theirs!r}, here: {ours!r}") from (
                    ours if isinstance(ours, Exception) else None
                )
            return
        if isinstance(ours, Exception):
            raise ours
        agree(ours, theirs, rtol, atol)

    return check

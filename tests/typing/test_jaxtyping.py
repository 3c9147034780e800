"""jaxtyping: `Float[torch.Tensor, "batch channels"]` names shapes, and checks them."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest

import rushlight as torch

jaxtyping = pytest.importorskip("jaxtyping")
Bool, Float, Float32, Int, Num = (
    getattr(jaxtyping, name) for name in ("Bool", "Float", "Float32", "Int", "Num")
)


def test_types_and_shapes_are_told_apart() -> None:
    x = torch.ones(2, 3)
    assert isinstance(x, Float[torch.Tensor, "batch channels"])
    assert isinstance(x, Float32[torch.Tensor, "2 3"])
    assert isinstance(x.double(), Float[torch.Tensor, "..."])
    assert isinstance(x.long(), Int[torch.Tensor, "batch channels"])
    assert isinstance(x > 0, Bool[torch.Tensor, "batch channels"])
    assert isinstance(x.to(torch.bfloat16), Num[torch.Tensor, "batch channels"])
    assert isinstance(torch.nn.Parameter(x), Float[torch.nn.Parameter, "batch channels"])
    assert not isinstance(x, Float[torch.Tensor, "batch"])
    assert not isinstance(x, Int[torch.Tensor, "batch channels"])
    assert not isinstance(x, Float[torch.Tensor, "batch 4"])
    assert not isinstance(x.numpy(), Float[torch.Tensor, "batch channels"])


def checker(fn: Any) -> Any:
    """A small type checker of calls: `jaxtyped` takes any that raises for wrong arguments."""
    notes = {name: kind for name, kind in fn.__annotations__.items() if kind is not Any}

    @functools.wraps(fn)
    def checked(*args: Any, **kw: Any) -> Any:
        given = inspect.signature(fn).bind(*args, **kw).arguments
        for name, value in given.items():
            if name in notes and not isinstance(value, notes[name]):
                raise TypeError(f"{name} is not {notes[name]}")
        out = fn(*args, **kw)
        if "return" in notes and not isinstance(out, notes["return"]):
            raise TypeError(f"the result is not {notes['return']}")
        return out

    return checked


def test_a_function_is_checked_when_called() -> None:
    def product(a: Any, b: Any) -> Any:
        return a @ b

    product.__annotations__ = {
        "a": Float[torch.Tensor, "rows inner"],
        "b": Float[torch.Tensor, "inner columns"],
        "return": Float[torch.Tensor, "rows columns"],
    }
    product = jaxtyping.jaxtyped(product, typechecker=checker)
    assert product(torch.ones(2, 3), torch.ones(3, 4)).shape == (2, 4)
    with pytest.raises(Exception, match=r"(?s)product.*b"):
        product(torch.ones(2, 3), torch.ones(4, 3))
    with pytest.raises(Exception, match=r"(?s)product.*a"):
        product(torch.ones(2, 3, dtype=torch.int64), torch.ones(3, 4))

"""Parts of split functions: their sources stay known as long as they live."""

from __future__ import annotations

import gc
import warnings

import pytest

import rushlight as torch


def loud(x):
    print("loud")
    return 2 * x


@pytest.mark.eager
def test_parts_of_equal_code_have_each_their_own_tree() -> None:
    """The first function's parts may go before those of the second, whose code is equal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = torch.compile(loud), torch.compile(loud)
        for fast in (first, second):
            for _ in range(4):  # until it is split; the parts have not run yet
                fast(torch.ones(1))
        del first, fast
        gc.collect()
        for k in range(4):
            assert torch.equal(second(torch.ones(2 + k)), torch.full((2 + k,), 2.0))
    assert second.parts is not None
    cells = [cell.cell_contents for cell in second.parts.__closure__ or ()]
    rest = next(c for c in cells if hasattr(c, "entries"))
    assert rest.entries
    assert not rest.why


def power(x, n):
    return x if n == 0 else power(2 * x, n - 1)


def loud_power(x, n):
    y = 2 * x
    print(n)
    return y if n == 1 else loud_power(y, n - 1)


@pytest.mark.eager
def test_functions_that_call_themselves_by_a_global_name() -> None:
    fast = torch.compile(power)
    for _ in range(3):
        assert torch.equal(fast(torch.ones(2), 3), torch.full((2,), 8.0))
    assert fast.entries
    assert not fast.why
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loud_fast = torch.compile(loud_power)
        for _ in range(8):
            assert torch.equal(loud_fast(torch.ones(2), 3), torch.full((2,), 8.0))
    assert loud_fast.parts.__code__.co_name == "loud_power"

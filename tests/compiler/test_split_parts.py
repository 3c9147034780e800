"""Parts of split functions: their sources stay known as long as they live."""

from __future__ import annotations

import gc
import warnings

import rushlight as torch


def loud(x):
    print("loud")
    return 2 * x


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

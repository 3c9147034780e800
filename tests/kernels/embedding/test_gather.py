"""Elements along a dimension: few indices and many, arrays in rows and others, give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.embedding.gather import gather


@pytest.mark.parametrize("few", [0, 4096])
def test_all_ways_pick_the_same(limits: Any, rng: np.random.Generator, few: int) -> None:
    with limits(GATHER_FEW=few):
        for _ in range(60):
            whole = tuple(map(int, rng.integers(1, 5, rng.integers(1, 5))))
            d = int(rng.integers(len(whole)))
            shape = [int(rng.integers(1, n + 1)) for n in whole]
            shape[d] = int(rng.integers(1, 7))
            a = rng.standard_normal(whole)
            index = rng.integers(0, whole[d], shape).astype(rng.choice([np.int32, np.int64]))
            wanted = np.empty(shape)
            for at in np.ndindex(*shape):
                wanted[at] = a[(*at[:d], index[at], *at[d + 1 :])]
            for given in (a, np.asfortranarray(a)):
                got = gather(given, index, d)
                np.testing.assert_array_equal(got, wanted)
                assert got.flags.c_contiguous

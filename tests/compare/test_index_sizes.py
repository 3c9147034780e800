"""Index operations on few elements and on many, by kernels and by NumPy, against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch: Any = pytest.importorskip("torch")


@pytest.mark.parametrize("size", [(3, 4), (80, 90)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64"])
def test_many_indices_and_few_as_pytorch(size: Any, dtype: str, rng: np.random.Generator) -> None:
    """By kernels and by NumPy; negative positions, which `take` alone counts from the end; errors
    before anything is changed."""
    rows, n = size
    x, s = rng.integers(-9, 9, size).astype(np.float32), rng.integers(-9, 9, size)
    s = s.astype(np.float32)
    right = rng.integers(0, n, size)
    wrong = [right.copy(), right.copy()]
    wrong[0][-1, -1], wrong[1][0, 0] = n, -1
    flat = np.where(right % 2, right, -right - 1)
    perm, rep = rng.permutation(n), rng.integers(0, rows, 3 * rows)
    results: list[list[Any]] = []
    for t in (torch, rushlight):
        kind, results = getattr(t, dtype), [*results, []]
        a, b = t.from_numpy(x).to(kind), t.from_numpy(s).to(kind)
        i, j = t.from_numpy(right), t.from_numpy(flat)
        more = t.ones(3 * rows, n, dtype=kind)
        found = [a.gather(1, i), a.gather(1, i[: rows // 2]), a.gather(0, i % rows),
                 a.clone().scatter_(1, i, b), a.clone().scatter_(1, i, 3), a.scatter(1, i, b),
                 a.clone().scatter_add_(1, i, b), a.scatter_add(0, i % rows, b),
                 a.index_select(1, t.from_numpy(perm)), a.index_select(0, t.from_numpy(rep)),
                 a.clone().index_add_(0, t.from_numpy(rep), more), t.take(a, j)]  # fmt: skip
        results[-1] += [(y.double().numpy(), y.stride()) for y in found]
        for bad in wrong:
            k = t.from_numpy(bad)
            y = a.clone()
            calls = (lambda y=y, k=k: y.gather(1, k), lambda y=y, k=k: y.scatter_(1, k, y * 2),
                     lambda y=y, k=k, b=b: y.scatter_add_(1, k, b),
                     lambda y=y, k=k: y.scatter_(1, k, 1))  # fmt: skip
            for call in calls:
                with pytest.raises(RuntimeError, match="is out of bounds for dimension 1 with"):
                    call()
            with pytest.raises(IndexError, match="out of range"):
                t.take(a, t.from_numpy(bad + x.size))
            if t is rushlight:  # PyTorch may have changed a part of it by then
                assert t.equal(y, a)
                assert y._version == 0
        if dtype == "float32":
            leaf = t.from_numpy(x).requires_grad_()
            z = leaf * 2
            z.scatter_add_(1, i, t.from_numpy(s))
            z.scatter_(1, i[:, :2], t.take(leaf, j[:, :2]))
            z.index_add_(0, t.from_numpy(rep), t.ones(3 * rows, n))
            (z * z.gather(1, i)).sum().backward()
            results[-1].append((leaf.grad.numpy(), z._version))
    for have, want in zip(*results, strict=True):
        np.testing.assert_array_equal(have[0], want[0])
        assert have[1] == want[1]

"""What kernels compute of few numbers is not farther from float64 than what NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime

F = torch.nn.functional
FAR = 1 << 40
BY_NUMPY = {
    "SOFTMAX_LEAST": FAR, "LOSS_LEAST": FAR, "NORM_LEAST": FAR, "UNIT_LEAST": FAR,
    "REDUCE_FORMULA_LEAST": FAR, "MATMUL_LEAST_WORK": FAR,
}  # fmt: skip
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "softmax": lambda x, _y: x.softmax(-1),
    "log_softmax": lambda x, _y: x.log_softmax(-1),
    "layer_norm": lambda x, _y: F.layer_norm(x, x.shape[-1:]),
    "cross_entropy": lambda x, _y: F.cross_entropy(x, torch.zeros(len(x), dtype=torch.int64)),
    "normalize": lambda x, _y: F.normalize(x, dim=-1),
    "std": lambda x, _y: x.std(),
    "var": lambda x, _y: x.var(-1),
    "norm": lambda x, _y: x.norm(),
    "matmul": lambda x, y: x @ y.T,
    "linear": lambda x, y: F.linear(x, y, y[:, 0]),
    "mse_loss": F.mse_loss,
    "smooth_l1_loss": F.smooth_l1_loss,
}


@pytest.mark.skipif(not runtime.available(), reason="no machine code here")
@pytest.mark.parametrize("name", CALLS)
def test_errors(name: str, limits: Any, rng: np.random.Generator) -> None:
    call = CALLS[name]
    draws = []
    for _ in range(60):
        shape = tuple(rng.integers(2, 9, 2))
        draws.append([rng.standard_normal(shape).astype(np.float32) * 3 for _ in range(2)])

    def results(dtype: Any) -> list[Any]:
        given = [[torch.from_numpy(a.astype(dtype)) for a in pair] for pair in draws]
        return [call(*pair).numpy().astype(np.float64) for pair in given]

    by_kernels = results(np.float32)
    with limits(**BY_NUMPY):
        by_numpy, wanted = results(np.float32), results(np.float64)

    def error(found: list[Any]) -> float:
        sizes = [np.abs(w).max() + 1e-30 for w in wanted]
        parts = zip(found, wanted, sizes, strict=True)
        return float(np.mean([np.abs(f - w).mean() / size for f, w, size in parts]))

    assert error(by_kernels) <= 1.2 * error(by_numpy)

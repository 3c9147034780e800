"""gradcheck of sparse inputs."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck

LAYOUTS = (
    torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc,
)  # fmt: skip


def sparse(layout: Any, dtype: Any = torch.float64) -> Any:
    block = (1, 2) if layout in LAYOUTS[3:] else None
    d = torch.tensor([[1.0, 2, 0, 0], [0, 0, 0, 3], [0, 0, 0, 0]], dtype=dtype)
    return d.to_sparse(layout=layout, blocksize=block).requires_grad_()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("fast", [True, False])
def test_all_layouts(layout: Any, masked: bool, fast: bool) -> None:
    def function(x: Any) -> Any:
        return x.to_dense(masked_grad=masked).pow(2)

    for dtype in (torch.float64, torch.complex128):
        assert gradcheck(function, sparse(layout, dtype), masked=masked, fast_mode=fast)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_at_stored_places_alone_are_noticed(layout: Any) -> None:
    function = torch.Tensor.to_dense  # its gradient is masked
    assert gradcheck(function, sparse(layout), masked=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(function, sparse(layout), masked=False)


def test_wrong_gradients_are_noticed() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.to_dense() * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(Wrong.apply, sparse(torch.sparse_coo), masked=True)


def test_sparse_results_are_refused() -> None:
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
        gradcheck(lambda x: x * 2, sparse(torch.sparse_coo), masked=True)

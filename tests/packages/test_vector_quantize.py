"""vector_quantize_pytorch: A codebook."""

from __future__ import annotations

PROGRAM = """
import torch
from vector_quantize_pytorch import VectorQuantize
torch.manual_seed(0)
x = torch.randn(2, 10, 8, requires_grad=True)
out, indices, loss = VectorQuantize(dim=8, codebook_size=16)(x)
(out.sum() + loss).backward()
assert out.shape == x.shape and indices.shape == (2, 10)
print("ok")
"""


def test_vector_quantize(run) -> None:
    assert run("vector_quantize_pytorch", PROGRAM).endswith("ok\n")

"""sentence_transformers: Similarities and a loss."""

from __future__ import annotations

PROGRAM = """
import torch
from sentence_transformers import util
torch.manual_seed(0)
a, b = torch.randn(3, 8), torch.randn(4, 8)
assert util.cos_sim(a, b).shape == (3, 4)
found = util.semantic_search(a, b, top_k=2)
assert len(found) == 3 and len(found[0]) == 2
print("ok")
"""


def test_sentence_transformers(run) -> None:
    assert run("sentence_transformers", PROGRAM).endswith("ok\n")

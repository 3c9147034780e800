"""einops: Rearranging, reducing, packing, layers; the numbers are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from near import near
torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8, requires_grad=True)
y = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
z = reduce(y, "b n d -> b d", "mean")
w = repeat(z, "b d -> b n d", n=3)
near([z.sum(), einsum(w, w, "b n d, b m d -> b n m").sum()], [4.0111485, 178.4816742])
layers = Rearrange("b c h w -> b (c h w)"), torch.nn.Linear(192, 4), Reduce("b d -> b", "max")
net = torch.nn.Sequential(*layers)
net(x).sum().backward()
near(x.grad.sum(), 0.5029442)
packed, sizes = pack([torch.ones(2, 3), torch.ones(2, 4, 5)], "b *")
assert packed.shape == (2, 23)
assert [t.shape[1:] for t in unpack(packed, sizes, "b *")] == [(3,), (4, 5)]
mix = EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=3, d=5)
assert mix(torch.randn(2, 4, 3)).shape == (2, 4, 5)
print("ok")
"""


def test_einops(run) -> None:
    assert run("einops", PROGRAM).endswith("ok\n")

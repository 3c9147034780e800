"""Parts of transformers: attention, positions, whole models with random weights."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "x_transformers": """
import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper
torch.manual_seed(0)
model = TransformerWrapper(num_tokens=20, max_seq_len=32, attn_layers=Decoder(
    dim=32, depth=2, heads=2, rotary_pos_emb=True, attn_flash=True, ff_glu=True, use_rmsnorm=True))
wrapped = AutoregressiveWrapper(model)
tokens = torch.arange(48).reshape(2, 24) % 20
loss = wrapped(tokens)
loss.backward()
norm = sum(p.grad.pow(2).sum() for p in model.parameters() if p.grad is not None).sqrt()
out = wrapped.generate(tokens[:, :4], 6, temperature=0.0)
print(loss.item(), norm.item(), *out.flatten().tolist())
""",
    "rotary_embedding_torch": """
import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
torch.manual_seed(0)
rotary = RotaryEmbedding(dim=8)
q, k = torch.randn(1, 2, 10, 16), torch.randn(1, 2, 10, 16, requires_grad=True)
rq, rk = rotary.rotate_queries_with_cached_keys(q[:, :, -3:], k)
(rq @ rk.mT).sum().backward()
axial = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=10)
freqs = axial.get_axial_freqs(4, 5)
turned = apply_rotary_emb(freqs, torch.ones(1, 4, 5, 16))
xpos = RotaryEmbedding(dim=8, use_xpos=True)
a, b = xpos.rotate_queries_and_keys(q, k)
print(rq.sum().item(), k.grad.norm().item(), turned.sum().item(), (a @ b.mT).sum().item())
""",
    "local_attention": """
import torch
from local_attention import LocalAttention
from local_attention.transformer import LocalTransformer
torch.manual_seed(0)
q, k, v = torch.randn(3, 2, 30, 16, requires_grad=True)
attend = LocalAttention(dim=16, window_size=8, causal=True, look_backward=1, autopad=True,
                        use_rotary_pos_emb=True)
out = attend(q, k, v, mask=torch.arange(30)[None].expand(2, -1) < 28)
out.sum().backward()
model = LocalTransformer(num_tokens=16, dim=16, depth=1, max_seq_len=32, local_attn_window_size=8)
loss = model(torch.arange(32)[None] % 16, return_loss=True)
loss.backward()
print(out.sum().item(), loss.item())
""",
    "vit_pytorch": """
import torch
from vit_pytorch import ViT, SimpleViT
from vit_pytorch.cct import CCT
from vit_pytorch.mae import MAE
torch.manual_seed(0)
x = torch.randn(2, 3, 32, 32)
vit = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=2, mlp_dim=48,
          pool="mean")
simple = SimpleViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=48)
cct = CCT(img_size=32, embedding_dim=32, num_layers=1, num_heads=2, num_classes=5,
          n_conv_layers=1, stochastic_depth_rate=0.0, dropout_rate=0.0)
figures = []
for model in (vit, simple, cct):
    loss = torch.nn.functional.cross_entropy(model(x), torch.tensor([1, 4]))
    loss.backward()
    figures.append(loss.item())
    figures.append(sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
loss = MAE(encoder=vit, masking_ratio=0.75, decoder_dim=16, decoder_depth=1)(x)
loss.backward()
print(*figures, loss.item())
""",
    "loralib": """
import torch, loralib as lora
torch.manual_seed(0)
model = torch.nn.Sequential(lora.Linear(8, 8, r=2), torch.nn.ReLU(),
                            lora.MergedLinear(8, 12, r=2, enable_lora=[True, False, True]),
                            torch.nn.Linear(12, 1))
table = lora.Embedding(10, 8, r=2)
lora.mark_only_lora_as_trainable(model)
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.05)
with torch.no_grad():
    x = table(torch.arange(10))
for _ in range(5):
    loss = (model(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
trained = model(x).detach()
model.eval()
assert torch.allclose(model(x), trained, atol=1e-5)
assert sorted(lora.lora_state_dict(model)) == [
    "0.lora_A", "0.lora_B", "2.lora_A", "2.lora_B"], lora.lora_state_dict(model).keys()
print(loss.item(), trained.sum().item())
""",
    "entmax": """
import torch
from entmax import entmax15, entmax_bisect, sparsemax, Entmax15Loss, SparsemaxLoss, sparsemax_bisect
torch.manual_seed(0)
x = torch.randn(4, 7, dtype=torch.double, requires_grad=True)
alpha = torch.tensor(1.3, dtype=torch.double, requires_grad=True)
for f in (sparsemax, entmax15, sparsemax_bisect, lambda t: entmax_bisect(t, alpha=1.4)):
    assert torch.autograd.gradcheck(f, (x,), atol=1e-4)
p = entmax_bisect(x, alpha)
(p * torch.arange(7)).sum().backward()
target = torch.tensor([0, 1, 2, 3])
losses = [loss(reduction="sum")(x, target).item() for loss in (SparsemaxLoss, Entmax15Loss)]
print(sparsemax(x).amax(-1).sum().item(), entmax15(x, dim=0).amax(0).sum().item(),
      x.grad.norm().item(), alpha.grad.item(), *losses)
""",
    "torchcrf": """
import torch
from torchcrf import CRF
torch.manual_seed(0)
crf = CRF(5, batch_first=True)
emissions = torch.randn(3, 6, 5, requires_grad=True)
tags = torch.randint(5, (3, 6))
mask = torch.arange(6) < torch.tensor([[6], [4], [1]])
loss = -crf(emissions, tags, mask=mask, reduction="token_mean")
loss.backward()
best = crf.decode(emissions, mask=mask)
assert [len(b) for b in best] == [6, 4, 1]
print(loss.item(), emissions.grad.norm().item(), crf.transitions.grad.norm().item(),
      *[t for b in best for t in b])
""",
    "bertviz": """
import torch
from bertviz import head_view, model_view
torch.manual_seed(0)
attention = tuple(torch.softmax(torch.randn(1, 2, 4, 4), -1) for _ in range(2))
page = head_view(attention, ["a", "b", "c", "d"], html_action="return")
assert "attention" in page.data
page = model_view(attention, ["a", "b", "c", "d"], html_action="return")
import re
weights = [float(w) for w in re.findall(r"0\\.\\d+", page.data)]
print(page.data.count('"attention"'), sum(weights))
""",
}

FIGURES: dict[str, list[float]] = {
    "x_transformers": [3.155799, 2.401417, 8, 16, 9, 0, 8, 16, 3, 8, 10, 14, 7, 13],
    "rotary_embedding_torch": [-7.938565, 26.44635, 124.0, -63.77745],
    "local_attention": [-14.79111, 3.171467],
    "vit_pytorch": [1.593301, 197.2984, 1.662401, 200.1873, 1.629011, 28.06749, 1.372288],
    "loralib": [1.147407, -0.1173577],
    "entmax": [3.181091, 4.700017, 2.234876, 0.5610997, 8.793419, 9.241276],
    "torchcrf": [1.896034, 0.2709152, 0.1851748, 1, 2, 0, 4, 4, 2, 4, 3, 2, 4, 3],
    "bertviz": [2, 32.7],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)

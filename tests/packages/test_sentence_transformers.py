"""sentence_transformers: Similarities, a model of modules, a loss; PyTorch's numbers."""

from __future__ import annotations

PROGRAM = """
import torch
from near import near
from sentence_transformers import SentenceTransformer, losses, models, util
torch.manual_seed(0)
a, b = torch.randn(3, 8), torch.randn(4, 8)
near(util.cos_sim(a, b).sum(), -2.4480546)
best = util.semantic_search(a, b, top_k=2)[0]
assert [hit["corpus_id"] for hit in best] == [2, 0]
class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.EmbeddingBag(50, 8)
    def forward(self, features):
        return features | {"sentence_embedding": self.table(features["input_ids"])}
    def preprocess(self, texts, **kw):
        return {"input_ids": torch.tensor([[len(w) for w in (t.split() * 4)[:4]] for t in texts])}
    tokenize = preprocess
model = SentenceTransformer(modules=[Words(), models.Normalize()], device="cpu")
near(torch.tensor(model.encode(["a bb ccc", "dddd ee"])).sum(), 0.4067959)
pairs = [model.preprocess(["a bb", "ccc d"]), model.preprocess(["aa b", "cc dd"])]
value = losses.MultipleNegativesRankingLoss(model)(pairs, None)
value.backward()
near([value, model[0].table.weight.grad.abs().sum()], [4.1655779, 23.6470203])
print("ok")
"""


def test_sentence_transformers(run) -> None:
    assert run("sentence_transformers", PROGRAM).endswith("ok\n")

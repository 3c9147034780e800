"""transformers: Trainer, save_pretrained, from_pretrained."""

from __future__ import annotations

PROGRAM = """import torch, tempfile
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
torch.manual_seed(0)
m=BertForSequenceClassification(BertConfig(vocab_size=50,hidden_size=16,num_hidden_layers=1,num_attention_heads=2,intermediate_size=32,max_position_embeddings=16))
class D(torch.utils.data.Dataset):
    def __len__(self): return 16
    def __getitem__(self,i): return {"input_ids":torch.arange(8)+i,"labels":torch.tensor(i%2)}
with tempfile.TemporaryDirectory() as d:
    t=Trainer(m,TrainingArguments(d,max_steps=4,per_device_train_batch_size=4,report_to=[],save_strategy="no",use_cpu=True,disable_tqdm=True),train_dataset=D())
    r=t.train(); assert 0 < r.training_loss < 2
    m.save_pretrained(d); n=BertForSequenceClassification.from_pretrained(d)
    assert all(torch.equal(a,b) for a,b in zip(m.state_dict().values(),n.state_dict().values()))
print("ok")
"""


def test_transformers(run) -> None:
    assert run("transformers", PROGRAM).endswith("ok\n")

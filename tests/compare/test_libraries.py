"""Libraries that are written for PyTorch run unchanged, where they are installed.

Each program runs under PyTorch and under `python -m rushlight`; what they print must be the same up
to rounding. To have them: pip install transformers, and pip install --no-deps einops timm torchinfo
torchmetrics lightning-utilities torchdiffeq.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "breadth" / "record.py"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")

# transformers, timm and others import torchvision, whose compiled operations need not fit
PYTORCH = f"""
import runpy, sys
record = runpy.run_path({str(RECORD)!r})
if record["has_vision"]():
    record["vision"]()
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

PROGRAMS = {
    "einops": """
        from einops import einsum, rearrange, reduce
        from einops.layers.torch import Rearrange
        x = torch.randn(2, 3, 4, 4)
        print(rearrange(x, "b c (h p) w -> b (c p) h w", p=2).sum(1))
        print(einsum(x, x, "b c h w, b d h w -> b c d"), reduce(x, "b c h w -> c", "max"))
        print(Rearrange("b c h w -> b (h w) c")(x).shape)
    """,
    "timm": """
        import timm
        for name in ("resnet18", "vit_tiny_patch16_224", "efficientnet_b0", "convnext_atto"):
            torch.manual_seed(0)
            net = timm.create_model(name, num_classes=5).eval()
            out = net(torch.randn(1, 3, 224, 224))
            out.sum().backward()
            print(name, out)
    """,
    "torchinfo": """
        from torchinfo import summary
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten())
        print(summary(net, (2, 3, 32, 32), verbose=0))
    """,
    "torchmetrics": """
        import torchmetrics
        p, y = torch.randn(20, 3), torch.randint(3, (20,))
        for name in ("Accuracy", "F1Score", "AUROC", "ConfusionMatrix"):
            print(getattr(torchmetrics, name)(task="multiclass", num_classes=3)(p, y))
        print(torchmetrics.PearsonCorrCoef()(p[:, 0], p[:, 1]))
    """,
    "torchdiffeq": """
        from torchdiffeq import odeint_adjoint
        class Decay(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.rate = torch.nn.Parameter(torch.tensor(0.5))
            def forward(self, t, y):
                return -self.rate * y
        decay = Decay()
        y = odeint_adjoint(decay, torch.ones(2), torch.linspace(0, 1, 4))
        y.sum().backward()
        print(y, decay.rate.grad)
    """,
    "transformers": """
        import transformers
        size = dict(num_hidden_layers=2, num_attention_heads=2, hidden_size=32, vocab_size=100)
        for name in ("GPT2", "Bert", "Llama", "Mistral"):
            torch.manual_seed(0)
            more = {} if name in ("GPT2",) else {"intermediate_size": 64}
            more |= {"num_key_value_heads": 1} if name == "Mistral" else {}
            config = getattr(transformers, name + "Config")(**size, **more)
            kind = {"GPT2": "LMHeadModel", "Bert": "ForMaskedLM"}.get(name, "ForCausalLM")
            net = getattr(transformers, name + kind)(config).eval()
            ids = torch.randint(3, 100, (2, 10))
            out = net(input_ids=ids, labels=ids)
            out.loss.backward()
            print(name, out.loss, sum(p.grad.abs().sum() for p in net.parameters()))
            if name != "Bert":
                print(net.generate(ids, max_new_tokens=5, do_sample=False, pad_token_id=0))
    """,
}


def run(folder: Path, *command: str) -> str:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path, "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_library(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    lines = PROGRAMS[name].strip("\n").split("\n")
    text = "import torch\ntorch.manual_seed(1)\n" + "\n".join(line[8:] for line in lines)
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    theirs = run(tmp_path, "-c", PYTORCH, "program.py")
    ours = run(tmp_path, "-m", "rushlight", "program.py")
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    numbers = [[float(x) for x in NUMBER.findall(told)] for told in (ours, theirs)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-3, abs=2e-4)

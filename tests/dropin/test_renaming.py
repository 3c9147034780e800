"""Under the drop-in modules, classes and functions are called as in PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def run(code: str, *before: str) -> str:
    """What a program prints under the drop-in, in a Python of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *(before or ("-m", "rushlight")), "-c", code],
        env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_types_and_modules_say_torch() -> None:
    told = run("""
import torch, torchvision
t = torch.ones(2)
print(type(t), torch.__name__, torch.torch is torch, torch.nn.functional.__name__)
print(torch.nn.Linear, torch.nn.MultiheadAttention, torch.optim.SGD, torchvision.datasets.MNIST)
print(torch.nn.Sequential.__module__, torch.nn.functional.relu.__module__)
print(torch.optim.lr_scheduler.StepLR, torch.nn.Parameter, torch.dtype, torch.Size)
print(t, torch.nn.Parameter(t), torch.typename(torch.nn.ReLU()), sep=' | ')
""").splitlines()
    assert told == [
        "<class 'torch.Tensor'> torch True torch.nn.functional",
        "<class 'torch.nn.modules.linear.Linear'> <class 'torch.nn.modules.activation."
        "MultiheadAttention'> <class 'torch.optim.sgd.SGD'> <class 'torchvision.datasets.mnist."
        "MNIST'>",
        "torch.nn.modules.container torch.nn.functional",
        "<class 'torch.optim.lr_scheduler.StepLR'> <class 'torch.nn.parameter.Parameter'> "
        "<class 'torch.dtype'> <class 'torch.Size'>",
        "tensor([1., 1.]) | Parameter containing:",
        "tensor([1., 1.], requires_grad=True) | torch.nn.modules.activation.ReLU",
    ]


@pytest.mark.slow
def test_renamed_things_are_found_where_they_say() -> None:
    told = run("""
import importlib, pickle, sys, torch, torchvision
import torch.distributions, torch.optim.swa_utils, torch.utils.data, torch.profiler, torch.func
from torch.utils.data import DataLoader
lost, n = [], 0
for name, module in list(sys.modules.items()):
    if name.partition('.')[0] not in ('torch', 'torchvision'):
        continue
    for thing in list(vars(module).values()):
        if not isinstance(thing, type) or '<locals>' in thing.__qualname__:
            continue
        if thing.__module__.partition('.')[0] not in ('torch', 'torchvision'):
            continue
        if thing.__name__.startswith('_') or '._' in thing.__module__ or '.' in thing.__qualname__:
            continue
        if thing.__name__ == 'Tensor' and thing is not torch.Tensor:
            continue  # sparse tensors and slices under vmap call themselves so
        where = importlib.import_module(thing.__module__)
        n += 1
        if getattr(where, thing.__qualname__, None) is not thing:
            lost.append(f'{thing.__module__}.{thing.__qualname__}')
print(n > 300, sorted(set(lost)))
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LSTM(3, 4))
text = pickle.dumps((model, torch.ones(2), torch.float32, torch.nn.functional.gelu))
assert b'rushlight' not in text.replace(b'rushlight.ops', b''), text
assert torch.equal(pickle.loads(text)[1], torch.ones(2))
""")
    assert told == "True []\n"


@pytest.mark.slow
def test_names_are_given_back() -> None:
    run(
        """
import rushlight
names = rushlight.__name__, rushlight.Tensor.__module__, rushlight.nn.__name__
rushlight.dropin.install()
import torch.fft
assert (torch.__name__, torch.Tensor.__module__, torch.fft.__name__) == \\
    ('torch', 'torch', 'torch.fft')
rushlight.dropin.uninstall()
assert (rushlight.__name__, rushlight.Tensor.__module__, rushlight.nn.__name__) == names
assert not hasattr(rushlight, 'torch') and rushlight.fft.__name__ == 'rushlight.fft'
rushlight.dropin.install(with_children=False)
import torch
assert torch.__name__ == 'rushlight'  # what is sent to children must be found there
""",
        "-W",
        "ignore",
    )


@pytest.mark.slow
def test_missing_dunder_names_are_explained() -> None:
    told = run("""
import torch
try:
    torch.__no_such__
except AttributeError as error:
    print(error)
""")
    assert "Rushlight has no torch.__no_such__" in told


@pytest.mark.slow
def test_a_compiled_step_knows_whose_code_it_runs(tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    program.write_text("""
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
@torch.compile
def step(x, y):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    return loss
told = torch.compiler.explain(step)(torch.ones(3, 4), torch.tensor([0, 1, 0]))
print(len(told.parts))
""")
    assert run(f"import runpy; runpy.run_path({str(program)!r})") == "1\n"


def test_references_are_the_functions_themselves() -> None:
    told = run("""
import torch
import torch._refs as refs, torch._refs.nn.functional, torch._refs.linalg, torch._refs._conversions
print(refs.all is torch.all, refs.nn.functional.relu is torch.nn.functional.relu)
print(refs.linalg.svd is torch.linalg.svd, refs._conversions.half(torch.ones(1)).dtype)
print(refs.to(torch.ones(1), torch.int8).dtype, hasattr(refs, 'nothing_of_the_kind'))
""").splitlines()
    assert told == ["True True", "True torch.float16", "torch.int8 False"]

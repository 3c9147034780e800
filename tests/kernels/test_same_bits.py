"""The same bits for 1, 2, 3 and 8 threads: every op at sizes that kernels share, and a network that
is trained for fifty steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight import config
from rushlight.autograd import door
from rushlight.kernels import runtime
from rushlight.kernels.meta import MetaArray
from rushlight.ops.core.record import Op, registry

THREADS = (1, 2, 3, 8)
LARGE = 1 << 16  # elements of an op's largest operand, about
# Ops that trust a parameter, or the last dimension of an operand, to say the shape of others.
FIXED = {"convolve_input", "grid_sampler_op"}
LAPACK = "rushlight.ops.linalg."  # the modules of ops that call it, but for its products
PRODUCTS = "rushlight.ops.linalg.matmul"


pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _threads_as_before() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def same(call: Callable[[], list[bytes]], lapack: bool = False) -> None:
    """The call gives the same with any number of threads; those of BLAS and LAPACK are left out
    where they do the work: how they sum is their own affair."""
    found = {}
    for threads in THREADS:
        # BLAS's threads too.
        torch.set_num_threads(1 if lapack or not runtime.available() else threads)
        config.current.num_threads = threads
        torch.manual_seed(3)
        found[threads] = call()
    for threads in THREADS[1:]:
        assert found[threads] == found[1], f"{threads} threads"


# -- ops -------------------------------------------------------------------------------------------


def repeated(args: list[Any], kw: dict[str, Any], times: int) -> tuple[list[Any], dict[str, Any]]:
    """The arrays repeated along all of their dims, equally often: they still fit together. Packed
    sequences say in a parameter how many rows they have at each time."""
    if "sizes" in kw:
        kw = {**kw, "sizes": tuple(n * times for n in kw["sizes"])}
    return [np.tile(a, (times,) * a.ndim) if isinstance(a, np.ndarray) else a for a in args], kw


def result_size(op: Op, args: list[Any], kw: dict[str, Any]) -> int:
    """Elements of the result, by the op's rule for shapes."""
    metas = [
        door.wrap(MetaArray(a.shape, a.dtype)) if isinstance(a, np.ndarray) else a
        for a in (*args, *(() if op.variadic else op.input_defaults[len(args) :]))
    ]
    y = door.apply(op, tuple(metas), kw)
    return max(v.numel() for v in (y if isinstance(y, tuple) else (y,)))


def enlarged(
    op: Op, args: list[Any], kw: dict[str, Any], elements: int
) -> tuple[list[Any], dict[str, Any]]:
    """The sample with operands and result of up to about so many elements."""
    largest = max((a for a in args if isinstance(a, np.ndarray) and a.ndim), key=lambda a: a.size)
    found, times = (args, kw), 2
    while largest.size * times**largest.ndim <= elements:
        larger = repeated(args, kw, times)
        if result_size(op, *larger) > elements:
            break
        found, times = larger, times * 2
    return found


def results(op: Op, args: list[Any], kw: dict[str, Any], backward: bool) -> list[bytes]:
    """The bits of what an op gives, and of its gradients."""
    given = [*args, *(() if op.variadic else op.input_defaults[len(args) :])]
    tensors = [door.wrap(a.copy()) if isinstance(a, np.ndarray) else a for a in given]
    inputs = [t for t in tensors if isinstance(t, torch.Tensor) and t.is_floating_point()]
    for t in inputs:
        t.requires_grad_(backward)
    y = door.apply(op, tuple(tensors), kw)
    found = [v for v in (y if isinstance(y, tuple) else (y,)) if isinstance(v, torch.Tensor)]
    ends = [v for v in found if v.requires_grad]
    if inputs and ends:
        ones = [torch.ones_like(v) for v in ends]
        gradients = torch.autograd.grad(ends, inputs, ones, allow_unused=True)
        found += [g for g in gradients if g is not None]
    return [np.asarray(v.detach()._a).tobytes() for v in found]


def sample(name: str) -> tuple[list[Any], dict[str, Any]] | None:
    """The first sample of an op that has something to repeat; float64 as float32."""
    for i, given in enumerate(registry[name].samples):
        args, kw = given.make(np.random.default_rng(crc32(f"{name} {i}".encode())))
        if any(isinstance(a, np.ndarray) and a.ndim and a.size for a in args):
            return [
                a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float64 else a
                for a in args
            ], kw
    return None


OPS = [name for name in sorted(registry) if sample(name) is not None]
tried: list[str] = []  # by this process: several may share the tests
enlarged_ops: list[str] = []


@pytest.mark.parametrize("name", OPS)
@pytest.mark.filterwarnings("ignore")  # overflows of made-up operands
def test_an_op(name: str) -> None:
    op, found = registry[name], sample(name)
    assert found is not None
    tried.append(name)
    try:  # not every sample can be repeated: parameters say what shapes are
        args, kw = found if name in FIXED else enlarged(op, *found, LARGE)
        results(op, args, kw, False)
    except Exception:
        args, kw = found
    else:
        enlarged_ops.append(name)
    backward = op.rules is not None
    try:
        results(op, args, kw, backward)
    except Exception:
        backward = False
    module = op.fn.__module__
    lapack = module.startswith(LAPACK) and module != PRODUCTS
    same(lambda: results(op, args, kw, backward), lapack)


def test_most_ops_were_enlarged() -> None:
    """Runs after the others, in whichever of them this process had."""
    if len(tried) > 100:
        assert len(enlarged_ops) > len(tried) * 0.8


# -- training --------------------------------------------------------------------------------------


def images() -> tuple[Any, Any]:
    """640 digits: MNIST's where RUSHLIGHT_MNIST names its folder, else noise."""
    folder = os.environ.get("RUSHLIGHT_MNIST")
    if folder and (Path(folder) / "MNIST" / "raw").is_dir():
        data = torch.vision.datasets.MNIST(folder, train=True)
        return data.data[:640].float().div(255).unsqueeze(1), data.targets[:640]
    torch.manual_seed(1)
    return torch.rand(640, 1, 28, 28), torch.randint(0, 10, (640,))


class Net(torch.nn.Module):
    """The network of PyTorch's MNIST example."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 10, 5)
        self.conv2 = torch.nn.Conv2d(10, 20, 5)
        self.drop = torch.nn.Dropout2d()
        self.fc1 = torch.nn.Linear(320, 50)
        self.fc2 = torch.nn.Linear(50, 10)

    def forward(self, x: Any) -> Any:
        f = torch.nn.functional
        x = f.relu(f.max_pool2d(self.conv1(x), 2))
        x = f.relu(f.max_pool2d(self.drop(self.conv2(x)), 2)).view(-1, 320)
        x = f.dropout(f.relu(self.fc1(x)), training=self.training)
        return f.log_softmax(self.fc2(x), dim=1)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_fifty_steps_of_training(optimizer: str) -> None:
    x, target = images()

    def train() -> list[bytes]:
        model = Net()
        options = {"momentum": 0.5} if optimizer == "SGD" else {}
        o = getattr(torch.optim, optimizer)(model.parameters(), lr=0.01, **options)
        losses = []
        for step in range(50):
            part = slice(step * 64 % 640, step * 64 % 640 + 64)
            o.zero_grad()
            loss = torch.nn.functional.nll_loss(model(x[part]), target[part])
            loss.backward()
            o.step()
            losses.append(loss.item())
        assert np.isfinite(losses).all()
        assert losses[-1] != losses[0]
        return [np.float64(losses).tobytes(), *(p.detach().numpy().tobytes() for p in
                                                 model.parameters())]  # fmt: skip

    same(train)

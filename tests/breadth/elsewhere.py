"""Devices that are not there, processes, scripts, distributions, event files. Not a test file: see
tests/test_breadth.py."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path


def raised(*calls):
    """Whether each call raises an error that says why."""
    found = []
    for call in calls:
        try:
            call()
        except Exception as error:
            found.append(len(str(error)) > 20)
        else:
            found.append(None)
    return found


def without_a_group(t, name, *args):
    """What a collective does in a program that has not started a process group."""
    return raised(lambda: getattr(t.distributed, name)(*args))


def flag(t, name):
    cudnn = t.backends.cudnn
    before = getattr(cudnn, name)
    setattr(cudnn, name, not before)
    now = getattr(cudnn, name)
    setattr(cudnn, name, before)
    return [before, now]


def scripted(t):
    def relu(value):
        return value.clamp(min=0)

    class Net(t.nn.Module):
        def forward(self, value):
            return relu(value) + 1

    net = t.jit.script(Net())
    return [net(t.tensor([-1.0, 2.0])), list(net.state_dict())]


def traced(t):
    net = t.nn.Linear(2, 2, bias=False)
    with t.no_grad():
        net.weight.copy_(t.arange(4.0).reshape(2, 2))
    found = t.jit.trace(net, t.ones(1, 2))
    return [found(t.tensor([[1.0, 2.0]])), list(found.state_dict())]


def exported(t):
    return raised(lambda: t.onnx.export(t.nn.Linear(1, 1), (t.ones(1, 1),), "/nowhere/x.onnx"))


def categorical(t):
    t.manual_seed(2)
    d = t.distributions.Categorical(probs=t.tensor([0.1, 0.2, 0.7]))
    return [d.sample((5,)), d.log_prob(t.tensor(2)), d.entropy()]


def event_file(t):
    with tempfile.TemporaryDirectory() as folder:
        writer = t.utils.tensorboard.SummaryWriter(folder)
        writer.add_scalar("loss", 0.5, 1)
        writer.close()
        (file,) = Path(folder).iterdir()
        return [file.name.startswith("events.out.tfevents."), b"loss" in file.read_bytes()]


CALLS = {
    # CUDA on a machine without it
    "torch.cuda.is_available": lambda t: t.cuda.is_available(),
    "torch.cuda.device_count": lambda t: t.cuda.device_count(),
    "torch.cuda.set_device": lambda t: [
        t.cuda.set_device(-1),
        *raised(lambda: t.cuda.set_device(0)),
    ],
    "torch.cuda.synchronize": lambda t: hasattr(t.cuda, "synchronize"),
    "torch.cuda.manual_seed_all": lambda t: t.cuda.manual_seed_all(0),
    "torch.backends.cudnn.deterministic": lambda t: flag(t, "deterministic"),
    "torch.backends.cudnn.benchmark": lambda t: flag(t, "benchmark"),
    # one process
    "torch.distributed.is_initialized": lambda t: t.distributed.is_initialized(),
    "torch.distributed.get_rank": lambda t: without_a_group(t, "get_rank"),
    "torch.distributed.get_world_size": lambda t: without_a_group(t, "get_world_size"),
    "torch.distributed.barrier": lambda t: without_a_group(t, "barrier"),
    "torch.distributed.all_reduce": lambda t: without_a_group(t, "all_reduce", t.ones(1)),
    "torch.distributed.init_process_group": lambda t: without_a_group(
        t, "init_process_group", "gloo"
    ),
    "torch.distributed.destroy_process_group": lambda t: without_a_group(
        t, "destroy_process_group"
    ),
    "torch.distributed.ReduceOp": lambda t: [
        str(t.distributed.ReduceOp.MAX),
        t.distributed.ReduceOp.MAX == t.distributed.ReduceOp.MIN,
    ],
    "torch.distributed.ReduceOp.SUM": lambda t: str(t.distributed.ReduceOp.SUM),
    # compilers and exporters
    "torch.jit.script": scripted,
    "torch.jit.trace": traced,
    "torch.jit.load": lambda t: raised(
        lambda: t.jit.load("/nowhere/model.pt"),
        lambda: t.jit.load(io.BytesIO(b"no archive")),
    ),
    "torch.onnx.export": exported,
    # others
    "torch.distributions.Categorical": categorical,
    "torch.utils.tensorboard.SummaryWriter": event_file,
}

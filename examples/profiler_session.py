"""Where does the time of a training step go? A small network under the profiler.

    python examples/profiler_session.py                    under PyTorch
    python -m rushlight examples/profiler_session.py       the same file under Rushlight

The first steps are left out (a schedule), the rest is recorded: a table of the costliest operations
is printed, and a trace for chrome://tracing or https://ui.perfetto.dev goes to OUT/trace.json.
"""

import argparse
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Net(nn.Module):
    """Two convolutions with normalisation, one linear layer."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.classify = nn.Linear(32, 4)

    def forward(self, x):  # (B, 3, 16, 16)
        with record_function("features"):
            x = self.features(x)  # (B, 32, 1, 1)
        with record_function("classify"):
            return self.classify(x.flatten(1))  # (B, 4)


def batch(size):
    """Images of one of four colours in noise."""
    target = torch.randint(0, 4, (size,))
    colours = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])
    return colours[target][:, :, None, None] + 0.5 * torch.randn(size, 3, 16, 16), target


def main():
    """Train a few steps, show where the time went, check that nothing is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--steps", type=int, default=12, help="at least 6")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--rows", type=int, default=15, help="rows of the table")
    parser.add_argument("--out", type=Path, default=Path("outputs/profiler"), help="folder")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses = []
    cycles = []

    def ready(prof):
        """Called at the end of the recorded steps."""
        cycles.append(prof.step_num)
        averages = prof.key_averages()
        print(averages.table(sort_by="self_cpu_time_total", row_limit=args.rows))
        prof.export_chrome_trace(str(args.out / "trace.json"))

    active = args.steps - 3
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=2, active=active, repeat=1),
        on_trace_ready=ready,
        record_shapes=True,
        profile_memory=True,
        with_flops=True,
    ) as prof:
        for _ in range(args.steps):
            x, target = batch(args.batch_size)
            optimizer.zero_grad()
            with record_function("forward"):
                loss = F.cross_entropy(model(x), target)
            with record_function("backward"):
                loss.backward()
            optimizer.step()
            losses.append(loss.item())
            prof.step()

    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    assert losses[-1] < losses[0]
    assert cycles == [args.steps]

    by_name = {row.key: row for row in prof.key_averages()}
    for name in ("forward", "backward", "features", "classify"):
        assert by_name[name].count == active, name
    assert by_name["aten::conv2d"].count == 2 * active
    assert by_name["aten::conv2d"].flops > 0
    assert by_name["ConvolutionBackward0"].count == 2 * active
    assert by_name["Optimizer.step#SGD.step"].count == active
    steps = by_name["ProfilerStep*"]
    assert steps.count == active
    # The forward lies inside its step, the convolutions inside the forward.
    assert steps.cpu_time_total > by_name["forward"].cpu_time_total
    assert by_name["forward"].cpu_time_total > by_name["aten::conv2d"].cpu_time_total

    shapes = [
        row.input_shapes[:2]
        for row in prof.key_averages(group_by_input_shape=True)
        if row.key == "aten::conv2d"
    ]
    n = args.batch_size
    assert shapes == [
        [[n, 3, 16, 16], [16, 3, 3, 3]],
        [[n, 16, 8, 8], [32, 16, 3, 3]],
    ]

    trace = json.loads((args.out / "trace.json").read_text())
    names = {event["name"] for event in trace["traceEvents"] if event["ph"] == "X"}
    assert {"aten::conv2d", "forward", f"ProfilerStep#{args.steps - 1}"} <= names
    print(f"trace of {active} steps in {args.out / 'trace.json'}")


if __name__ == "__main__":
    main()

"""Optimisers, schedulers, data, gradients. Not a test file: see tests/test_breadth.py."""

from __future__ import annotations


def problem(t):
    """A parameter and a loss to make smaller."""
    w = t.nn.Parameter(t.tensor([1.0, -2.0, 3.0]))
    return w, lambda: (w * w * t.tensor([1.0, 0.5, 0.1])).sum()


def steps(t, name, count=3, **kw):
    w, loss = problem(t)
    optimizer = getattr(t.optim, name)([w], **kw)
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return [losses, w]


def stepped(t):
    """An optimiser after one step."""
    w, loss = problem(t)
    optimizer = t.optim.SGD([w], lr=0.1, momentum=0.9)
    loss().backward()
    optimizer.step()
    return optimizer, w


def resumed(t):
    first, w = stepped(t)
    second = t.optim.SGD([t.nn.Parameter(w.detach().clone())], lr=0.5)
    second.load_state_dict(first.state_dict())
    return [second.param_groups[0]["lr"], second.state_dict()["state"][0]["momentum_buffer"]]


def cleared(t):
    optimizer, w = stepped(t)
    before = w.grad
    optimizer.zero_grad()
    return [before, w.grad]


def rates(t, name, *args, **kw):
    optimizer, _ = stepped(t)
    scheduler = getattr(t.optim.lr_scheduler, name)(optimizer, *args, **kw)
    found = []
    for _ in range(5):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found, scheduler


def plateau(t):
    optimizer, _ = stepped(t)
    scheduler = t.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    found = []
    for value in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        scheduler.step(value)
        found.append(optimizer.param_groups[0]["lr"])
    return found


def scheduler_state(t):
    _, scheduler = rates(t, "StepLR", 2, gamma=0.1)
    optimizer, _ = stepped(t)
    other = t.optim.lr_scheduler.StepLR(optimizer, 9)
    other.load_state_dict(scheduler.state_dict())
    return [other.last_epoch, other.step_size, other.gamma]


# -- data ---------------------------------------------------------------------------------------


def pairs(t):
    class Pairs(t.utils.data.Dataset):
        def __len__(self):
            return 7

        def __getitem__(self, i):
            return t.tensor([float(i), 10.0 * i]), i

    return Pairs()


def batches(t, **kw):
    t.manual_seed(4)
    return [list(batch) for batch in t.utils.data.DataLoader(pairs(t), **kw)]


def distributed_samples(t):
    sampler = t.utils.data.distributed.DistributedSampler(pairs(t), num_replicas=2, rank=1, seed=3)
    sampler.set_epoch(2)
    return list(sampler)


def random_samples(t):
    t.manual_seed(4)
    sampler = t.utils.data.RandomSampler
    return [list(sampler(range(6))), list(sampler(range(6), replacement=True, num_samples=4))]


# -- gradients ----------------------------------------------------------------------------------


def cube(t):
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            ctx.save_for_backward(value)
            return value**3

        @staticmethod
        def backward(ctx, g):
            (value,) = ctx.saved_tensors
            return 3 * g * value * value

    w = t.tensor([1.0, -2.0], requires_grad=True)
    out = Cube.apply(w)
    out.sum().backward()
    return [out, w.grad, type(out.grad_fn).__name__]


def derivatives(t):
    w = t.tensor([1.0, -2.0], requires_grad=True)
    (first,) = t.autograd.grad((w**3).sum(), w, create_graph=True)
    return [first, *t.autograd.grad(first.sum(), w)]


# -- mixed precision ----------------------------------------------------------------------------


def autocast(t):
    with t.amp.autocast("cpu", dtype=t.bfloat16):
        inside = t.ones(2, 2) @ t.ones(2, 2)
    return [inside.dtype, (t.ones(2, 2) @ t.ones(2, 2)).dtype]


def scaled(t):
    w, loss = problem(t)
    optimizer = t.optim.SGD([w], lr=0.1)
    scaler = t.amp.GradScaler("cpu", init_scale=8.0)
    value = scaler.scale(loss())
    value.backward()
    scaler.step(optimizer)
    scaler.update()
    return [value, w, scaler.get_scale()]


CALLS = {
    "torch.optim.SGD": lambda t: [
        steps(t, "SGD", lr=0.1),
        steps(t, "SGD", lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True),
    ],
    "torch.optim.Adam": lambda t: [
        steps(t, "Adam", lr=0.1),
        steps(t, "Adam", amsgrad=True, betas=(0.5, 0.9)),
    ],
    "torch.optim.AdamW": lambda t: steps(t, "AdamW", lr=0.1, weight_decay=0.1),
    "torch.optim.Optimizer": lambda t: [
        isinstance(stepped(t)[0], t.optim.Optimizer),
        sorted(stepped(t)[0].param_groups[0])[:3],
    ],
    "torch.optim.Optimizer.step": lambda t: stepped(t)[1],
    "torch.optim.Optimizer.zero_grad": cleared,
    "torch.optim.Optimizer.state_dict": lambda t: [
        list(stepped(t)[0].state_dict()),
        stepped(t)[0].state_dict()["state"][0]["momentum_buffer"],
        stepped(t)[0].state_dict()["param_groups"][0]["params"],
    ],
    "torch.optim.Optimizer.load_state_dict": resumed,
    "torch.optim.lr_scheduler.LRScheduler.step": lambda t: rates(t, "StepLR", 2, gamma=0.5)[0],
    "torch.optim.lr_scheduler.LRScheduler.state_dict": lambda t: rates(t, "StepLR", 2)[
        1
    ].state_dict()["last_epoch"],
    "torch.optim.lr_scheduler.LRScheduler.load_state_dict": scheduler_state,
    "torch.optim.lr_scheduler.StepLR": lambda t: rates(t, "StepLR", step_size=2, gamma=0.1)[0],
    "torch.optim.lr_scheduler.LambdaLR": lambda t: rates(t, "LambdaLR", lambda epoch: 0.9**epoch)[
        0
    ],
    "torch.optim.lr_scheduler.ReduceLROnPlateau": plateau,
    # data
    "torch.utils.data.Dataset": lambda t: [
        len(pairs(t)),
        pairs(t)[3],
        isinstance(pairs(t), t.utils.data.Dataset),
    ],
    "torch.utils.data.DataLoader": lambda t: [
        batches(t, batch_size=3),
        batches(t, batch_size=2, shuffle=True, drop_last=True),
        len(t.utils.data.DataLoader(pairs(t), 3)),
    ],
    "torch.utils.data.TensorDataset": lambda t: [
        t.utils.data.TensorDataset(t.arange(4), t.arange(4.0))[1:3],
        len(t.utils.data.TensorDataset(t.arange(4))),
    ],
    "torch.utils.data.Subset": lambda t: [
        t.utils.data.Subset(range(10, 20), [1, 5])[1],
        len(t.utils.data.Subset(range(9), [1, 5])),
    ],
    "torch.utils.data.RandomSampler": random_samples,
    "torch.utils.data.distributed.DistributedSampler": distributed_samples,
    # gradients
    "torch.autograd.grad": derivatives,
    "torch.autograd.Function": cube,
    "torch.autograd.Function.save_for_backward": lambda t: cube(t)[1],
    "torch.autograd.Function.saved_tensors": lambda t: cube(t)[1],
    # mixed precision
    "torch.amp.autocast": autocast,
    "torch.amp.GradScaler": scaled,
    "torch.amp.GradScaler.scale": lambda t: scaled(t)[0],
    "torch.amp.GradScaler.step": lambda t: scaled(t)[1],
}

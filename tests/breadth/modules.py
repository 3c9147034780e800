"""Layers, losses and what every module can do. Not a test file: see tests/test_breadth.py."""

from __future__ import annotations


def x(t):
    return t.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def image(t):
    return t.arange(32.0).reshape(1, 2, 4, 4) / 8 - 2


def sequence(t):
    return t.arange(24.0).reshape(3, 2, 4) / 8 - 1


def layer(t, name, value, *args, **kw):
    """The result of a new layer, and its gradients; its weights are PyTorch's by the seed."""
    t.manual_seed(7)
    made = getattr(t.nn, name)(*args, **kw)
    value = value.requires_grad_(value.is_floating_point())
    out = made(value)
    first = out[0] if isinstance(out, tuple) else out
    first.square().sum().backward()
    return [out, value.grad, [q.grad for q in made.parameters()]]


def loss(t, name, *args):
    return [
        getattr(t.nn, name)(**kw)(*args) for kw in ({}, {"reduction": "sum"}, {"reduction": "none"})
    ]


def net(t):
    t.manual_seed(9)
    return t.nn.Sequential(t.nn.Linear(3, 4), t.nn.ReLU(), t.nn.Dropout(0.5), t.nn.Linear(4, 2))


def with_buffer(t):
    made = t.nn.Linear(1, 1)
    made.register_buffer("count", t.tensor([3.0]))
    made.register_buffer("hidden", t.ones(1), persistent=False)
    return made


def custom(t):
    class Twice(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = t.nn.Parameter(t.tensor([2.0]))
            self.part = t.nn.Linear(1, 1)

        def forward(self, value):
            return self.weight * value

    return Twice()


def loaded(t):
    target = net(t)
    with t.no_grad():
        for q in target.parameters():
            q.zero_()
    answer = target.load_state_dict(net(t).state_dict())
    return [str(answer), list(target.state_dict().values())]


def hooked(t):
    seen = []
    made = net(t)
    handle = made[0].register_forward_hook(lambda m, args, out: seen.append(out.shape))
    made(x(t))
    handle.remove()
    made(x(t))
    return seen


def applied(t):
    def zero(m):
        if isinstance(m, t.nn.Linear):
            t.nn.init.zeros_(m.weight)

    return net(t).apply(zero)[0].weight


def cleared(t):
    made = net(t)
    made(x(t)).sum().backward()
    before = made[3].bias.grad is not None
    made.zero_grad()
    return [before, made[3].bias.grad]


def cuda_answer(t):
    try:
        return net(t).cuda()
    except (RuntimeError, AssertionError) as error:
        return "not compiled with CUDA enabled" in str(error)


def ids(t):
    return t.tensor([[0, 2], [1, 1]])


def attention(t):
    t.manual_seed(7)
    made = t.nn.MultiheadAttention(4, 2)
    return made(sequence(t), sequence(t), sequence(t))


def distributed_needs_a_group(t):
    try:
        t.nn.parallel.DistributedDataParallel(net(t))
    except (RuntimeError, ValueError):
        return issubclass(t.nn.parallel.DistributedDataParallel, t.nn.Module)
    return None


CALLS = {
    # what every module can do
    "torch.nn.Module": lambda t: [custom(t)(x(t)), isinstance(custom(t), t.nn.Module)],
    "torch.nn.Module.forward": lambda t: custom(t).forward(t.ones(2)),
    "torch.nn.Module.parameters": lambda t: [q.shape for q in net(t).parameters()],
    "torch.nn.Module.named_parameters": lambda t: [n for n, _ in custom(t).named_parameters()],
    "torch.nn.Module.modules": lambda t: [type(m).__name__ for m in net(t).modules()],
    "torch.nn.Module.named_modules": lambda t: [n for n, _ in net(t).named_modules()],
    "torch.nn.Module.children": lambda t: [type(m).__name__ for m in net(t).children()],
    "torch.nn.Module.state_dict": lambda t: [
        list(net(t).state_dict()),
        *net(t).state_dict().values(),
    ],
    "torch.nn.Module.load_state_dict": loaded,
    "torch.nn.Module.train": lambda t: [net(t).train().training, net(t).train(False)[2].training],
    "torch.nn.Module.eval": lambda t: [net(t).eval().training, net(t).eval()(x(t))],
    "torch.nn.Module.to": lambda t: [
        net(t).to(t.float64)[0].weight.dtype,
        net(t).to("cpu")[0].weight.device,
    ],
    "torch.nn.Module.cpu": lambda t: net(t).cpu()[0].weight.device,
    "torch.nn.Module.cuda": cuda_answer,
    "torch.nn.Module.apply": applied,
    "torch.nn.Module.zero_grad": cleared,
    "torch.nn.Module.add_module": lambda t: [
        made := t.nn.Module(),
        made.add_module("part", t.nn.ReLU()),
        list(dict(made.named_children())),
    ][1:],
    "torch.nn.Module.register_buffer": lambda t: [
        list(with_buffer(t).state_dict()),
        [n for n, _ in with_buffer(t).named_buffers()],
    ],
    "torch.nn.Module.register_forward_hook": hooked,
    "torch.nn.Parameter": lambda t: [
        t.nn.Parameter(x(t)),
        t.nn.Parameter(x(t)).requires_grad,
        isinstance(t.nn.Parameter(x(t)), t.Tensor),
    ],
    # containers
    "torch.nn.Sequential": lambda t: [net(t).eval()(x(t)), len(net(t)), str(net(t)[1:])],
    "torch.nn.ModuleList": lambda t: [
        len(t.nn.ModuleList([t.nn.ReLU(), t.nn.Tanh()])),
        str(t.nn.ModuleList([t.nn.ReLU()])),
    ],
    "torch.nn.ModuleDict": lambda t: [
        list(t.nn.ModuleDict({"a": t.nn.ReLU()})),
        t.nn.ModuleDict({"a": t.nn.ReLU()})["a"](x(t)),
    ],
    "torch.nn.DataParallel": lambda t: t.nn.DataParallel(net(t).eval())(x(t)),
    "torch.nn.parallel.DistributedDataParallel": distributed_needs_a_group,
    # layers
    "torch.nn.Linear": lambda t: layer(t, "Linear", x(t), 3, 2),
    "torch.nn.Identity": lambda t: layer(t, "Identity", x(t), 5, unused=True),
    "torch.nn.Flatten": lambda t: layer(t, "Flatten", image(t)),
    "torch.nn.Embedding": lambda t: layer(t, "Embedding", ids(t), 4, 3, padding_idx=1),
    "torch.nn.Conv1d": lambda t: layer(t, "Conv1d", sequence(t), 2, 3, 2),
    "torch.nn.Conv2d": lambda t: layer(t, "Conv2d", image(t), 2, 3, 3, stride=2, padding=1),
    "torch.nn.ConvTranspose2d": lambda t: layer(
        t, "ConvTranspose2d", image(t), 2, 3, 4, 2, 1, bias=False
    ),
    "torch.nn.MaxPool2d": lambda t: layer(t, "MaxPool2d", image(t), 2),
    "torch.nn.AvgPool2d": lambda t: layer(t, "AvgPool2d", image(t), 2, padding=1),
    "torch.nn.AdaptiveAvgPool2d": lambda t: layer(t, "AdaptiveAvgPool2d", image(t), (1, 3)),
    "torch.nn.BatchNorm1d": lambda t: layer(t, "BatchNorm1d", sequence(t), 2),
    "torch.nn.BatchNorm2d": lambda t: layer(t, "BatchNorm2d", image(t), 2),
    "torch.nn.LayerNorm": lambda t: layer(t, "LayerNorm", x(t), 3),
    "torch.nn.Dropout": lambda t: layer(t, "Dropout", t.ones(4, 5), 0.5),
    "torch.nn.RNN": lambda t: layer(t, "RNN", sequence(t), 4, 3),
    "torch.nn.LSTM": lambda t: layer(
        t, "LSTM", sequence(t), 4, 3, num_layers=2, bidirectional=True
    ),
    "torch.nn.GRU": lambda t: layer(t, "GRU", sequence(t), 4, 3, batch_first=True),
    "torch.nn.MultiheadAttention": attention,
    # activations
    "torch.nn.ReLU": lambda t: [layer(t, "ReLU", x(t)), t.nn.ReLU(inplace=True)(x(t))],
    "torch.nn.LeakyReLU": lambda t: layer(t, "LeakyReLU", x(t), 0.2),
    "torch.nn.GELU": lambda t: [layer(t, "GELU", x(t)), layer(t, "GELU", x(t), approximate="tanh")],
    "torch.nn.Sigmoid": lambda t: layer(t, "Sigmoid", x(t)),
    "torch.nn.Tanh": lambda t: layer(t, "Tanh", x(t)),
    "torch.nn.Softmax": lambda t: layer(t, "Softmax", x(t), dim=1),
    # losses
    "torch.nn.MSELoss": lambda t: loss(t, "MSELoss", x(t), t.ones(2, 3)),
    "torch.nn.CrossEntropyLoss": lambda t: [
        loss(t, "CrossEntropyLoss", x(t), t.tensor([2, 0])),
        t.nn.CrossEntropyLoss(weight=t.arange(1.0, 4.0), label_smoothing=0.1)(
            x(t), t.tensor([2, 0])
        ),
    ],
    "torch.nn.BCELoss": lambda t: loss(t, "BCELoss", x(t).sigmoid(), (x(t) > 0).float()),
    "torch.nn.BCEWithLogitsLoss": lambda t: loss(t, "BCEWithLogitsLoss", x(t), (x(t) > 0).float()),
}

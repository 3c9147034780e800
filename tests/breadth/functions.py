"""Functions, types and settings of the package. Not a test file: see tests/test_breadth.py."""

from __future__ import annotations

import io


def x(t):
    return t.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def p(t):
    return t.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 9.0]])


def seeded(t, name, *args, **kw):
    t.manual_seed(5)
    return getattr(t, name)(*args, **kw)


def saved(t):
    file = io.BytesIO()
    t.save({"a": x(t), "b": [1, "two"], "n": t.tensor([1, 2])}, file)
    file.seek(0)
    return file


def modes(t):
    w = t.ones(2, requires_grad=True)
    with t.no_grad():
        first = (w * 2).requires_grad
        with t.enable_grad():
            second = (w * 2).requires_grad
    with t.set_grad_enabled(False):
        third = (w * 2).requires_grad
    with t.inference_mode():
        fourth = (w * 2).requires_grad, (w * 2).is_inference()
    return [first, second, third, fourth, (w * 2).requires_grad]


def threads(t):
    before = t.get_num_threads()
    t.set_num_threads(1)
    now = t.get_num_threads()
    t.set_num_threads(before)
    return now


def compiled(t):
    net = t.nn.Linear(2, 1)

    @t.compile(backend="eager")
    def double(a):
        return 2 * a

    found = t.compile(net, backend="eager")
    return [list(found.state_dict()), found._orig_mod is net, double(x(t))]


CALLS = {
    # making
    "torch.tensor": lambda t: [
        t.tensor([1, 2]),
        t.tensor(1.5),
        t.tensor([[True]]),
        t.tensor([1], dtype=t.float64),
    ],
    "torch.zeros": lambda t: [t.zeros(2, 3), t.zeros((2,), dtype=t.int32)],
    "torch.ones": lambda t: [t.ones(2, 3), t.ones((1, 2), dtype=t.bool)],
    "torch.full": lambda t: [t.full((2, 2), 3), t.full((1,), 0.5)],
    "torch.empty": lambda t: [t.empty(2, 3).shape, t.empty((0,))],
    "torch.arange": lambda t: [t.arange(4), t.arange(1, 2, 0.25), t.arange(5, 0, -2)],
    "torch.linspace": lambda t: t.linspace(-1, 1, 5),
    "torch.eye": lambda t: [t.eye(2), t.eye(2, 3)],
    "torch.zeros_like": lambda t: [t.zeros_like(x(t)), t.zeros_like(x(t), dtype=t.int64)],
    "torch.ones_like": lambda t: t.ones_like(t.tensor([1, 2])),
    "torch.full_like": lambda t: t.full_like(x(t), 2),
    "torch.empty_like": lambda t: [t.empty_like(x(t)).shape, t.empty_like(x(t)).dtype],
    "torch.from_numpy": lambda t: t.from_numpy(x(t).numpy() + 1),
    "torch.as_tensor": lambda t: [t.as_tensor([1.0, 2.0]), t.as_tensor(x(t).numpy())],
    "torch.Tensor": lambda t: [t.Tensor([1, 2]), t.Tensor(2, 3).shape, isinstance(x(t), t.Tensor)],
    "torch.FloatTensor": lambda t: [t.FloatTensor([1, 2]), isinstance(x(t), t.FloatTensor)],
    "torch.LongTensor": lambda t: [t.LongTensor([1, 2]), isinstance(x(t), t.LongTensor)],
    "torch.Size": lambda t: [
        t.Size([2, 3]),
        t.Size([2, 3]).numel(),
        isinstance(x(t).shape, t.Size),
    ],
    "torch.is_tensor": lambda t: [t.is_tensor(x(t)), t.is_tensor([1.0])],
    # random numbers
    "torch.manual_seed": lambda t: [type(t.manual_seed(1)).__name__, t.rand(2)],
    "torch.Generator": lambda t: t.rand(3, generator=t.Generator().manual_seed(2)),
    "torch.rand": lambda t: seeded(t, "rand", 2, 3),
    "torch.randn": lambda t: seeded(t, "randn", 4, 5),
    "torch.randn_like": lambda t: seeded(t, "randn_like", x(t)),
    "torch.randint": lambda t: [seeded(t, "randint", 10, (6,)), seeded(t, "randint", -2, 3, (4,))],
    "torch.randperm": lambda t: seeded(t, "randperm", 9),
    "torch.normal": lambda t: [
        seeded(t, "normal", 0.0, 1.0, (3,)),
        seeded(t, "normal", x(t), p(t)),
    ],
    "torch.multinomial": lambda t: seeded(t, "multinomial", p(t), 2),
    # numbers
    "torch.exp": lambda t: t.exp(x(t)),
    "torch.log": lambda t: t.log(p(t)),
    "torch.sqrt": lambda t: t.sqrt(p(t)),
    "torch.abs": lambda t: t.abs(x(t)),
    "torch.sin": lambda t: t.sin(x(t)),
    "torch.cos": lambda t: t.cos(x(t)),
    "torch.tanh": lambda t: t.tanh(x(t)),
    "torch.sigmoid": lambda t: t.sigmoid(x(t)),
    "torch.softmax": lambda t: [t.softmax(x(t), dim=1), t.softmax(x(t), 0)],
    "torch.pow": lambda t: [t.pow(x(t), 3), t.pow(2, x(t))],
    "torch.mul": lambda t: t.mul(x(t), 0.5),
    "torch.clamp": lambda t: [t.clamp(x(t), min=0), t.clamp(x(t), -1, 1)],
    "torch.isnan": lambda t: t.isnan(t.tensor([1.0, float("nan")])),
    "torch.isfinite": lambda t: t.isfinite(t.tensor([1.0, float("nan"), float("inf")])),
    "torch.where": lambda t: [t.where(x(t) > 0, x(t), t.zeros(3)), t.where(x(t) > 3)],
    # reductions and comparison
    "torch.sum": lambda t: [t.sum(x(t)), t.sum(x(t), dim=1)],
    "torch.mean": lambda t: [t.mean(x(t)), t.mean(x(t), dim=(0, 1))],
    "torch.max": lambda t: [t.max(x(t)), t.max(x(t), 1), t.max(x(t), p(t))],
    "torch.min": lambda t: [t.min(x(t)), t.min(x(t), dim=0)],
    "torch.argmax": lambda t: [t.argmax(x(t)), t.argmax(x(t), dim=1)],
    "torch.argsort": lambda t: [t.argsort(x(t)), t.argsort(x(t), dim=0, descending=True)],
    "torch.topk": lambda t: t.topk(x(t), 2),
    "torch.all": lambda t: [t.all(x(t) > 0), t.all(x(t) > -9, dim=0)],
    "torch.equal": lambda t: [t.equal(x(t), x(t)), t.equal(x(t), p(t))],
    "torch.allclose": lambda t: [t.allclose(x(t), x(t) + 1e-9), t.allclose(x(t), p(t))],
    "torch.unique": lambda t: t.unique(
        t.tensor([2, 1, 2, 3]), return_inverse=True, return_counts=True
    ),
    # shape
    "torch.cat": lambda t: [
        t.cat([x(t), p(t)]),
        t.cat((x(t), p(t)), dim=1),
        t.cat([t.tensor([1]), t.ones(1)]),
    ],
    "torch.stack": lambda t: [t.stack([x(t), p(t)]), t.stack((x(t), p(t)), dim=-1)],
    "torch.flatten": lambda t: [t.flatten(x(t)), t.flatten(t.ones(2, 3, 4), 1)],
    "torch.transpose": lambda t: t.transpose(x(t), 0, 1),
    "torch.unsqueeze": lambda t: t.unsqueeze(x(t), 1),
    "torch.gather": lambda t: t.gather(x(t), 1, t.tensor([[0, 2], [1, 0]])),
    "torch.repeat_interleave": lambda t: t.repeat_interleave(t.tensor([5, 6]), t.tensor([1, 3])),
    "torch.meshgrid": lambda t: [
        t.meshgrid(t.arange(2), t.arange(3), indexing=i) for i in ("ij", "xy")
    ],
    "torch.tril": lambda t: [t.tril(x(t)), t.tril(t.ones(3, 3), diagonal=-1)],
    "torch.triu": lambda t: [t.triu(x(t)), t.triu(t.ones(3, 3), diagonal=1)],
    "torch.view_as_real": lambda t: t.view_as_real(t.complex(x(t), p(t))),
    # linear algebra
    "torch.matmul": lambda t: [t.matmul(x(t), p(t).T), t.matmul(x(t), t.ones(3))],
    "torch.mm": lambda t: t.mm(x(t), p(t).t()),
    "torch.bmm": lambda t: t.bmm(x(t).reshape(2, 1, 3), p(t).reshape(2, 3, 1)),
    "torch.einsum": lambda t: [t.einsum("ij,kj->ik", x(t), p(t)), t.einsum("ij->j", x(t))],
    "torch.outer": lambda t: t.outer(t.arange(2.0), t.arange(3.0)),
    # types
    "torch.float": lambda t: [t.float is t.float32, t.ones(1, dtype=t.float)],
    "torch.double": lambda t: [t.double is t.float64, t.ones(1, dtype=t.double)],
    "torch.int": lambda t: [t.int is t.int32, t.ones(1, dtype=t.int)],
    "torch.long": lambda t: [t.long is t.int64, t.ones(1, dtype=t.long)],
    "torch.bool": lambda t: [t.bool, t.ones(1, dtype=t.bool)],
    "torch.uint8": lambda t: [t.uint8.itemsize, t.tensor([255]).to(t.uint8) + 1],
    "torch.int32": lambda t: [t.int32.itemsize, t.tensor([2.7]).to(t.int32)],
    "torch.int64": lambda t: [t.int64.itemsize, t.tensor([2.7]).to(t.int64)],
    "torch.float16": lambda t: [t.float16.is_floating_point, t.tensor([0.1]).to(t.float16).float()],
    "torch.bfloat16": lambda t: [t.bfloat16.itemsize, t.tensor([0.1]).to(t.bfloat16).float()],
    "torch.float32": lambda t: [t.float32, t.ones(1, dtype=t.float32)],
    "torch.float64": lambda t: [t.float64, t.ones(1, dtype=t.float64)],
    "torch.finfo": lambda t: [
        t.finfo(t.float32).eps,
        t.finfo(t.float16).max,
        t.finfo(t.bfloat16).tiny,
    ],
    "torch.device": lambda t: [t.device("cpu"), t.device("cuda", 1).index, t.device("cuda:0").type],
    # files, gradients, settings
    "torch.save": lambda t: saved(t).getvalue()[:2] == b"PK",
    "torch.load": lambda t: list(t.load(saved(t)).values()),
    "torch.no_grad": modes,
    "torch.enable_grad": lambda t: modes(t)[1],
    "torch.set_grad_enabled": lambda t: modes(t)[2],
    "torch.inference_mode": lambda t: modes(t)[3],
    "torch.set_num_threads": threads,
    "torch.compile": compiled,
}

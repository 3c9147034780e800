"""Module, containers and hooks: the same program in both libraries leaves the same log."""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

SCENARIOS: list[Callable[[Any, Callable[..., None]], None]] = []


def scenario(fn: Callable[[Any, Callable[..., None]], None]) -> Any:
    SCENARIOS.append(fn)
    return fn


def attempt(fn: Callable[[], Any]) -> Any:
    try:
        return fn()
    except Exception as e:
        return e


@pytest.mark.parametrize("fn", SCENARIOS, ids=lambda f: f.__name__)
def test_scenario(fn: Any, same_log: Any) -> None:
    same_log(fn)


def net(t: Any) -> Any:
    nn = t.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
            self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Linear(2, 1, bias=False)})
            self.register_buffer("count", t.zeros(1))
            self.register_buffer("hidden", t.ones(2), persistent=False)
            self.none = None
            self.register_module("gone", None)
            self.register_parameter("empty", None)

        def forward(self, x: Any) -> Any:
            y = self.body(x)
            return self.heads["a"](y) + self.heads["b"](y)

    return Net()


@scenario
def printing(t: Any, log: Any) -> None:
    nn = t.nn
    log(repr(net(t)))
    log(repr(nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.Tanh(), nn.Linear(1, 1)])))
    log(repr(nn.ModuleList([nn.Sequential(nn.Tanh(), nn.Tanh()) for _ in range(2)])))
    log(repr(nn.ModuleList()), repr(nn.ModuleDict()), repr(nn.Sequential()))
    log(repr(nn.ParameterList([t.ones(2, 3), t.zeros(()), "word"])))
    log(repr(nn.ParameterList()), repr(nn.ParameterDict()))

    class Lines(nn.Module):
        def extra_repr(self) -> str:
            return "one\ntwo"

    log(repr(Lines()), repr(nn.Sequential(Lines(), nn.Sequential(Lines()))))


@scenario
def names_and_state(t: Any, log: Any) -> None:
    m = net(t)
    log([n for n, _ in m.named_modules()], [n for n, _ in m.named_children()])
    log([n for n, _ in m.named_parameters(prefix="p")], [n for n, _ in m.named_buffers()])
    log(m.state_dict(), list(m.state_dict()._metadata.items()))
    log(m.state_dict(prefix="x."), dict(m.state_dict(prefix="x.")._metadata))
    log(list(m._parameters), list(m._modules), list(m._buffers), m._non_persistent_buffers_set)
    log(m(t.ones(2, 3)))


@scenario
def loading_errors(t: Any, log: Any) -> None:
    m = net(t)
    state = m.state_dict()
    bad = OrderedDict((k, v) for k, v in state.items() if k != "body.0.bias")
    bad["other.x"] = t.ones(1)
    bad["body.2.weight"] = t.ones(2, 2)
    bad["body.more"] = t.ones(2, 2)
    e = attempt(lambda: m.load_state_dict(bad))
    log(str(e))
    del bad["body.2.weight"]
    log(str(attempt(lambda: m.load_state_dict(bad))))
    log(str(attempt(lambda: m.load_state_dict(bad, strict=False))))
    log(str(attempt(lambda: m.load_state_dict(state))))
    log(attempt(lambda: m.load_state_dict(3)))
    log(
        str(attempt(lambda: m.load_state_dict({"count": 3}, strict=False))).replace("rushlight", "")
    )


@scenario
def misuse(t: Any, log: Any) -> None:
    nn = t.nn
    for act in (
        lambda m: m.register_buffer("a.b", None),
        lambda m: m.register_buffer("", None),
        lambda m: m.register_buffer(3, None),
        lambda m: m.register_buffer("body", None),
        lambda m: m.register_buffer("x", "text"),
        lambda m: m.register_parameter("x", 3),
        lambda m: m.register_parameter("x.y", None),
        lambda m: m.register_parameter("count", None),
        lambda m: m.register_parameter("x", t.ones(1)),
        lambda m: m.add_module("x", 3),
        lambda m: m.add_module("", nn.Tanh()),
        lambda m: m.add_module("x.y", nn.Tanh()),
        lambda m: m.add_module(4, nn.Tanh()),
        lambda m: m.add_module("train", nn.Tanh()),
        lambda m: setattr(m, "body", 3),
        lambda m: setattr(m, "count", "x"),
        lambda m: setattr(m, "empty", t.ones(1)),
        lambda m: m.nope,
        lambda m: delattr(m, "nope"),
        lambda m: m.get_submodule("body.7"),
        lambda m: m.get_submodule("count"),
        lambda m: m.get_parameter("count"),
        lambda m: m.get_buffer("body.0.weight"),
        lambda m: m.set_submodule("", m),
        lambda m: m.set_submodule("count", m),
        lambda m: m.set_submodule("body.9", nn.Tanh(), strict=True),
        lambda m: m.train("yes"),
        lambda m: m.to(t.int64),
        lambda m: nn.Module(3),
        lambda m: nn.Module(a=3),
        lambda m: nn.Module()(1),
        lambda m: nn.Sequential(3),
        lambda m: nn.Sequential(nn.Tanh())[3],
        lambda m: nn.Sequential(nn.Tanh()) + 3,
        lambda m: nn.Sequential(nn.Tanh()) * 0,
        lambda m: nn.Sequential(nn.Tanh()) * "a",
        lambda m: nn.Sequential().insert(3, nn.Tanh()),
        lambda m: nn.ModuleList([nn.Tanh()])[-2],
        lambda m: nn.ModuleList().extend(3),
        lambda m: nn.ModuleDict().update(3),
        lambda m: nn.ModuleDict([("a", nn.Tanh(), 3)]),
        lambda m: nn.ModuleDict({"a": 3}),
        lambda m: nn.ModuleDict()["a"],
        lambda m: nn.ParameterList()(1),
        lambda m: nn.ParameterList().extend(t.ones(1)),
        lambda m: nn.ParameterList([t.ones(1)])[1],
        lambda m: nn.ParameterDict()(1),
        lambda m: nn.ParameterDict().update(3),
        lambda m: nn.ParameterDict([[1]]),
        lambda m: nn.Conv2d(3, 4, 1, groups=2),
        lambda m: nn.Conv2d(4, 3, 1, groups=2),
        lambda m: nn.Conv2d(4, 4, 1, groups=0),
        lambda m: nn.Conv2d(4, 4, 1, padding="same", stride=2),
        lambda m: nn.ConvTranspose2d(4, 4, 1, padding_mode="reflect"),
        lambda m: nn.ConvTranspose2d(1, 1, 3, 2)(t.ones(1, 1, 3, 3), output_size=(4, 4)),
        lambda m: nn.ConvTranspose2d(1, 1, 3, 2)(t.ones(1, 1, 3, 3), output_size=(4,)),
        lambda m: nn.LazyConv2d(4, 1)(t.ones(2, 2)),
        lambda m: nn.GroupNorm(3, 4),
        lambda m: nn.BatchNorm2d(3)(t.ones(2, 3)),
        lambda m: nn.BatchNorm1d(3)(t.ones(2, 3, 4, 5)),
        lambda m: nn.InstanceNorm2d(3)(t.ones(2, 3)),
        lambda m: nn.InstanceNorm1d(3, affine=True)(t.ones(2, 4, 5)),
        lambda m: nn.Dropout(1.5),
        lambda m: nn.Hardtanh(1, 0),
        lambda m: nn.Embedding(3, 4, padding_idx=3),
        lambda m: nn.EmbeddingBag(3, 4, padding_idx=-4),
        lambda m: nn.Embedding(3, 4, _weight=t.ones(2, 2)),
        lambda m: nn.Unflatten(1, 3),
        lambda m: nn.Unflatten(1, (1.5, 2)),
        lambda m: nn.Softmax2d()(t.ones(2, 2)),
        lambda m: nn.CircularPad1d(1)(t.ones(2)),
        lambda m: nn.FractionalMaxPool2d(2),
        lambda m: nn.FractionalMaxPool2d(2, output_size=2, output_ratio=0.5),
        lambda m: nn.FractionalMaxPool2d(2, output_ratio=1.5),
        lambda m: nn.HuberLoss(delta="x"),
        lambda m: nn.MultiMarginLoss(p=3),
        lambda m: nn.MultiMarginLoss(weight=t.ones(2, 2)),
        lambda m: nn.TripletMarginLoss(margin=0),
        lambda m: nn.AdaptiveLogSoftmaxWithLoss(4, 4, [4]),
        lambda m: nn.AdaptiveLogSoftmaxWithLoss(4, 4, []),
        lambda m: nn.Bilinear(0, 2, 3),
    ):
        e = attempt(lambda act=act: act(net(t)))
        text = (
            str(e).split("\n")[0].replace("rushlight.nn.containers", "torch.nn.modules.container")
        )
        log(type(e).__name__, text.replace("rushlight", "torch"))


@scenario
def sequential(t: Any, log: Any) -> None:
    nn = t.nn
    s = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 3))
    log(repr(s[0:2]), repr(s[-1]), len(s), [type(m).__name__ for m in s])
    s.append(nn.Tanh())
    s.insert(0, nn.Identity())
    s.insert(-1, nn.Sigmoid())
    log(repr(s))
    del s[1:3]
    log(repr(s), list(s._modules))
    log(repr(s.pop(0)), repr(s))
    s[0] = nn.Tanh()
    log(repr(s + nn.Sequential(nn.Tanh())), repr(s * 2), repr(2 * s))
    s += nn.Sequential(nn.Sigmoid())
    s *= 2
    log(repr(s))
    named = nn.Sequential(OrderedDict(a=nn.Tanh(), b=nn.Sigmoid()))
    log(repr(named), repr(named[1:]), repr(named.a))
    del named[0]
    log(repr(named))
    log(repr(nn.Sequential(nn.Tanh()).extend([nn.Tanh(), nn.Sigmoid()])))


@scenario
def lists_and_dicts(t: Any, log: Any) -> None:
    nn = t.nn
    m = nn.ModuleList([nn.Tanh(), nn.Linear(1, 1)])
    m += [nn.Sigmoid()]
    m.insert(1, nn.Identity())
    more = [nn.Tanh()]
    log(repr(m), repr(m[1:]), repr(m + more), len(m), repr(m.pop(1)))
    del m[0]
    m[0] = nn.Softplus()
    log(repr(m), list(m._modules), "0" in dir(m))
    d = nn.ModuleDict({"z": nn.Tanh(), "a": nn.Sigmoid()})
    d.update([("q", nn.Identity())])
    d["r"] = nn.Tanh()
    log(repr(d), list(d), list(d.keys()), "a" in d, len(d), repr(d.pop("z")), repr(d["a"]))
    del d["q"]
    log([k for k, _ in d.items()], [type(v).__name__ for v in d.values()])
    d.clear()
    log(len(d))
    p = nn.ParameterList([t.ones(1), 3, nn.Parameter(t.zeros(2))])
    p.append(t.ones(2, 2))
    p[0] = t.full((3,), 2.0)
    p += ["x"]
    log(len(p), list(p.state_dict()), repr(p[1:3]), [type(v).__name__ for v in p])
    q = nn.ParameterDict({"b": t.ones(1), "a": t.zeros(2)})
    log(list(q), list(q.state_dict()), q.get("z", 4), q.setdefault("c", t.ones(3)))
    log(q.popitem()[0], list(reversed(q)), list(q | nn.ParameterDict({"d": t.ones(1)})))
    q |= nn.ParameterDict({"e": 5})
    log(list(q), list(q.fromkeys(["x", "y"], 1).values()), list(q.copy()), "a" in q, q.pop("e"))
    q.clear()
    log(len(q), list(nn.ParameterDict(OrderedDict(z=t.ones(1), a=t.ones(1)))))


@scenario
def conversions(t: Any, log: Any) -> None:
    m = net(t)
    m(t.ones(1, 3)).sum().backward()
    p = m.body[0].weight
    log(m.double() is m, str(p.dtype), str(p.grad.dtype), m.body[0].weight is p)
    log(str(m.half().count.dtype), str(m.bfloat16().count.dtype), str(m.to(t.float32).count.dtype))
    log(str(m.to("cpu", t.float64).count.dtype), str(m.to(t.ones(1)).count.dtype))
    log(str(m.type(t.float64).count.dtype), m.float().requires_grad_(False).count.requires_grad)
    log([q.requires_grad for q in m.parameters()])
    m.requires_grad_()
    m.zero_grad(set_to_none=False)
    log([q.grad is None for q in m.parameters()], p.grad)
    m.zero_grad()
    log([q.grad is None for q in m.parameters()])
    log(m.eval().training, m.body.training, m.train().body[0].training)


@scenario
def forward_hooks(t: Any, log: Any) -> None:
    m = t.nn.Linear(2, 2)
    m.register_forward_pre_hook(lambda m, a: log("pre", a))
    m.register_forward_pre_hook(lambda m, a: (a[0] + 1,), prepend=True)
    m.register_forward_pre_hook(lambda m, a, k: log("kw", k), with_kwargs=True)
    h = m.register_forward_hook(lambda m, a, o: o * 2)
    m.register_forward_hook(lambda m, a, k, o: log("post", a, k, o), with_kwargs=True)
    log(m(t.ones(1, 2)), m(input=t.ones(1, 2)) if False else None)
    h.remove()
    log(m(t.ones(1, 2)))


@scenario
def backward_hooks(t: Any, log: Any) -> None:
    m = net(t)
    for name, part in m.named_modules():
        part.register_full_backward_pre_hook(lambda _, g, name=name: log("pre", name, g))
        part.register_full_backward_hook(lambda _, i, o, name=name: log("post", name, i, o))
    x = t.ones(2, 3, requires_grad=True)
    m(x).sum().backward()
    log(x.grad, [p.grad for p in m.parameters()])
    m(t.ones(1, 3)).sum().backward()
    n = t.nn.Tanh()
    n.register_full_backward_hook(lambda _, i, o: (i[0] * 3,))
    n.register_full_backward_pre_hook(lambda _, g: (g[0] * 2,))
    y = t.zeros(2, requires_grad=True)
    n(y).sum().backward()
    log(y.grad)


@scenario
def old_backward_hook(t: Any, log: Any) -> None:
    m = t.nn.Tanh()
    m.register_backward_hook(lambda _, i, o: log(i, o))
    m.register_backward_hook(lambda _, i, o: (i[0] * 2,))
    x = t.zeros(2, requires_grad=True)
    m(x * 1).sum().backward()
    log(x.grad)
    log(attempt(lambda: m.register_full_backward_hook(lambda *a: None)))


@scenario
def lazy(t: Any, log: Any) -> None:
    nn = t.nn
    m = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    log(repr(m), [type(p).__name__ for p in m.parameters()], repr(m[0].weight))
    log(type(attempt(lambda: m[0].weight.shape)).__name__)
    log(type(attempt(lambda: m[0].weight + 1)).__name__, list(m.state_dict()))
    other = copy.deepcopy(nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(2)))
    log(m(t.ones(2, 2, 4, 4)), repr(m), m.state_dict())
    log(other(t.ones(2, 3, 5, 5)).shape[0], repr(other))
    m.load_state_dict(m.state_dict())
    fresh = nn.LazyLinear(2)
    fresh.load_state_dict(nn.Linear(3, 2).state_dict())
    log(repr(fresh), fresh(t.ones(1, 3)), repr(fresh))
    log(attempt(lambda: nn.Linear(3, 2).load_state_dict(nn.LazyLinear(2).state_dict())).__class__)


@scenario
def unpooling(t: Any, log: Any) -> None:
    nn = t.nn
    for d, shape in ((1, (1, 2, 7)), (2, (1, 2, 5, 7)), (3, (1, 1, 4, 5, 6))):
        x = t.arange(float(np.prod(shape))).reshape(shape).sin().requires_grad_()
        pool = getattr(nn, f"MaxPool{d}d")(2, stride=2, return_indices=True)
        unpool = getattr(nn, f"MaxUnpool{d}d")(2, stride=2)
        y, where = pool(x)
        back = unpool(y, where, output_size=x.shape)
        log(back, repr(unpool), unpool(y, where, output_size=tuple(x.shape[2:])))
        back.square().sum().backward()
        log(x.grad)


@scenario
def adaptive_softmax(t: Any, log: Any) -> None:
    m = t.nn.AdaptiveLogSoftmaxWithLoss(16, 12, [3, 6], div_value=2.0, head_bias=True)
    x = t.arange(80.0).reshape(5, 16).cos()
    log(m.log_prob(x), m.predict(x), repr(m))
    out = m(x, t.tensor([0, 4, 11, 2, 7]))
    log(out.output, out.loss)
    one = m(x[0], t.tensor(7))
    log(one.output, one.loss)
    e = attempt(lambda: m(x, t.tensor([0, 4, 12, 2, 7])))
    log(type(e).__name__, str(e))


@scenario
def pretrained(t: Any, log: Any) -> None:
    nn = t.nn
    e = nn.Embedding.from_pretrained(t.arange(12.0).reshape(4, 3), padding_idx=1)
    log(e(t.tensor([[1, 2]])), e.weight.requires_grad, repr(e))
    b = nn.EmbeddingBag.from_pretrained(t.arange(12.0).reshape(4, 3), freeze=False, mode="sum")
    log(b(t.tensor([0, 1, 3]), t.tensor([0, 2])), b.weight.requires_grad, repr(b))
    s = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(2), nn.Tanh()))
    log(repr(s), s(t.tensor([[1.0, 2.0], [3.0, 5.0]])))


@scenario
def legacy_arguments(t: Any, log: Any) -> None:
    nn = t.nn
    log(nn.MSELoss(size_average=False).reduction, nn.MSELoss(reduce=False).reduction)
    log(nn.NLLLoss2d().reduction, nn.Hardtanh(min_value=-2, max_value=3).extra_repr())
    log(type(nn.Container(a=nn.Tanh()).a).__name__)
    log(list(nn.Linear(1, 1).state_dict(None, "p.")))


@scenario
def set_and_swap(t: Any, log: Any) -> None:
    nn = t.nn
    m = net(t)
    m.set_submodule("body.1", nn.Sigmoid())
    m.set_submodule("heads.c", nn.Tanh())
    log(repr(m), repr(m.get_submodule("heads.c")), m.get_parameter("body.0.bias"))
    m.x = 3
    m.x = nn.Parameter(t.ones(1))
    m.x = None
    m.x = nn.Parameter(t.zeros(2))
    m.count = t.ones(4)
    m.hidden = None
    m.buf = nn.Buffer(t.ones(1))
    m.tmp = nn.Buffer(t.ones(1), persistent=False)
    log(m.state_dict(), list(m._buffers), sorted(m._non_persistent_buffers_set))
    del m.tmp, m.count, m.body
    log(list(m.state_dict()), [n for n in dir(m) if n in ("tmp", "heads", "buf")])


MODULES = sorted(
    name
    for name in dir(torch.nn.modules)
    if inspect.ismodule(getattr(torch.nn.modules, name))
    and name not in ("linear_cross_entropy_options", "linear_cross_entropy")
)


@pytest.mark.parametrize("name", MODULES)
def test_dotted_names_exist(name: str) -> None:
    import importlib

    mine = importlib.import_module(f"rushlight.nn.modules.{name}")
    theirs = getattr(torch.nn.modules, name)
    wanted = [n for n in getattr(theirs, "__all__", []) if n != "LinearCrossEntropyOptions"]
    missing = [n for n in wanted if not hasattr(mine, n)]
    assert not missing


def test_module_methods_exist() -> None:
    gone = {"ipu", "xpu", "mtia", "T_destination", "_maybe_warn_non_full_backward_hook"}
    names = {n for n in dir(torch.nn.Module) if not n.startswith("__")}
    assert names - set(dir(rushlight.nn.Module)) <= gone


def test_module_signatures() -> None:
    for name, theirs in vars(torch.nn.Module).items():
        if not inspect.isfunction(theirs) or not hasattr(rushlight.nn.Module, name):
            continue
        if name in ("to", "__call__", "_slow_forward", "_wrapped_call_impl", "_call_impl"):
            continue  # overloads
        mine = inspect.signature(getattr(rushlight.nn.Module, name))
        assert list(mine.parameters) == list(inspect.signature(theirs).parameters), name

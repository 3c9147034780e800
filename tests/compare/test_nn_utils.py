"""nn.utils against PyTorch: the same program in both libraries leaves the same log."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("torch.nn.utils.prune")

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


def ready(t: Any) -> Any:
    m = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.Tanh(), t.nn.Linear(4, 2))
    m(t.arange(6.0).reshape(2, 3)).square().sum().backward()
    return m


def grads(m: Any) -> list[Any]:
    return [p.grad for p in m.parameters()]


@scenario
def clipping(t: Any, log: Any) -> None:
    u = t.nn.utils
    for norm in (2, 1.0, float("inf"), 0.5):
        m = ready(t)
        log(u.clip_grad_norm_(m.parameters(), 0.7, norm), grads(m))
        log(
            u.get_total_norm(grads(m), norm), u.clip_grad_norm_(m.parameters(), 100, norm), grads(m)
        )
    m = ready(t)
    u.clip_grad_value_(m.parameters(), 0.1)
    log(grads(m))
    u.clip_grads_with_norm_(m[0].weight, 0.1, t.tensor(5.0))
    log(grads(m), u.clip_grad_norm(m.parameters(), 0.01))
    log(u.clip_grad_norm_([], 1.0), u.clip_grad_norm_((p for p in []), 1.0))
    m[0].weight.grad[0, 0] = float("nan")
    log(attempt(lambda: u.clip_grad_norm_(m.parameters(), 1.0, error_if_nonfinite=True)))


@scenario
def vectors(t: Any, log: Any) -> None:
    m = ready(t)
    v = t.nn.utils.parameters_to_vector(m.parameters())
    log(v, v.requires_grad)
    t.nn.utils.vector_to_parameters(v.detach() * 2, m.parameters())
    log(list(m.parameters()), [p.is_leaf for p in m.parameters()])
    log(type(attempt(lambda: t.nn.utils.vector_to_parameters([1], m.parameters()))).__name__)


@scenario
def old_weight_norm(t: Any, log: Any) -> None:
    u, nn = t.nn.utils, t.nn
    x = t.arange(6.0).reshape(2, 3)
    for dim in (0, 1, None):
        m = u.weight_norm(nn.Linear(3, 4), dim=dim)
        out = m(x)
        out.sum().backward()
        log(repr(m), m.state_dict(), out, grads(m), [n for n, _ in m.named_parameters()])
        log(attempt(lambda m=m: u.weight_norm(m)))
        u.remove_weight_norm(m)
        log(m.state_dict(), m(x), attempt(lambda m=m: u.remove_weight_norm(m)))
    c = u.weight_norm(nn.Conv2d(2, 3, 2))
    log(c.weight_g, c(t.ones(1, 2, 3, 3)))


@scenario
def old_spectral_norm(t: Any, log: Any) -> None:
    u, nn = t.nn.utils, t.nn
    x = t.arange(6.0).reshape(2, 3).cos()
    m = u.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
    for _ in range(2):
        out = m(x)
        m.zero_grad()
        out.square().sum().backward()
        log(out, grads(m), m.state_dict())
    m.eval()
    log(m(x), m(x), repr(m), dict(m.state_dict()._metadata))
    other = u.spectral_norm(nn.Linear(3, 4))
    other.load_state_dict(m.state_dict())
    log(other.eval()(x), attempt(lambda: u.spectral_norm(m)))
    u.remove_spectral_norm(m)
    log(m.state_dict(), m(x), len(m._state_dict_hooks), attempt(lambda: u.remove_spectral_norm(m)))
    c = u.spectral_norm(nn.ConvTranspose2d(2, 3, 2))
    log(c(t.ones(1, 2, 3, 3)), attempt(lambda: u.spectral_norm(nn.Tanh())).__class__)
    old = u.spectral_norm(nn.Linear(3, 5))
    old(x)
    state = {k: v for k, v in old.state_dict().items() if not k.endswith("_v")}
    state["weight"] = old.weight.detach()
    old.load_state_dict(state)
    log(old.weight_v)


@scenario
def new_weight_norm(t: Any, log: Any) -> None:
    nn = t.nn
    P = nn.utils.parametrizations
    x = t.arange(6.0).reshape(2, 3)
    for dim in (0, 1, None):
        m = P.weight_norm(nn.Linear(3, 4), dim=dim)
        out = m(x)
        out.sum().backward()
        log(repr(m), m.state_dict(), out, grads(m))
    w = m.parametrizations.weight
    m.load_state_dict(
        {
            "bias": m.bias.detach(),
            "weight_g": w.original0.detach() * 2,
            "weight_v": w.original1.detach(),
        }
    )
    log(m(x))
    m.weight = t.ones(4, 3)
    log(m.state_dict(), m(x))
    nn.utils.parametrize.remove_parametrizations(m, "weight")
    log(m.state_dict(), m(x), repr(m))


@scenario
def new_spectral_norm(t: Any, log: Any) -> None:
    nn = t.nn
    P = nn.utils.parametrizations
    x = t.arange(6.0).reshape(2, 3).cos()
    m = P.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
    for _ in range(2):
        out = m(x)
        m.zero_grad()
        out.square().sum().backward()
        log(out, grads(m), m.state_dict())
    log(m.eval()(x), m(x), repr(m))
    c = P.spectral_norm(nn.ConvTranspose2d(2, 3, 2))
    log(c(t.ones(1, 2, 3, 3)), repr(c))
    b = P.spectral_norm(nn.Linear(3, 4), "bias")
    log(b(x))
    log(attempt(lambda: P.spectral_norm(nn.Linear(3, 4), dim=5)))
    log(attempt(lambda: P.spectral_norm(nn.Linear(3, 4), n_power_iterations=0)))
    log(attempt(lambda: P.spectral_norm(nn.Linear(3, 4), "nope")))


@scenario
def orthogonal(t: Any, log: Any) -> None:
    nn = t.nn
    P = nn.utils.parametrizations
    for kind in ("matrix_exp", "cayley", "householder"):
        for shape in ((3, 3), (3, 5), (5, 3)):
            for trivial in (True, False):
                m = P.orthogonal(nn.Linear(*shape), orthogonal_map=kind, use_trivialization=trivial)
                w = m.weight
                (w * t.arange(float(w.numel())).reshape(w.shape).cos()).sum().backward()
                log(w, m.parametrizations.weight.original.grad)
    m = P.orthogonal(nn.Linear(3, 3))
    m.weight = t.eye(3)
    log(m.weight, repr(m))
    log(attempt(lambda: setattr(m, "weight", t.ones(2, 2))))
    log(attempt(lambda: P.orthogonal(nn.Linear(3, 3), "bias")))
    log(attempt(lambda: P.orthogonal(nn.Linear(3, 3), orthogonal_map="x")))


def parts(t: Any) -> Any:
    nn = t.nn

    class Symmetric(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).mT

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    class Double(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    class Wrong(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[:1]

    class Split(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return a + b

        def right_inverse(self, x: Any) -> Any:
            return x / 4, x * 3 / 4

    return Symmetric, Double, Wrong, Split


@scenario
def parametrize(t: Any, log: Any) -> None:
    nn, p = t.nn, t.nn.utils.parametrize
    Symmetric, Double, Wrong, Split = parts(t)
    m = nn.Linear(3, 3)
    log(p.is_parametrized(m))
    p.register_parametrization(m, "weight", Symmetric())
    log(m.weight, p.is_parametrized(m), p.is_parametrized(m, "bias"), repr(m), m.state_dict())
    m.weight = t.arange(9.0).reshape(3, 3)
    log(m.weight, m.parametrizations.weight.original)
    p.register_parametrization(m, "weight", Double())
    log(m.weight, attempt(lambda: setattr(m, "weight", t.ones(3, 3))))
    m(t.ones(1, 3)).sum().backward()
    log([n for n, _ in m.named_parameters()], grads(m))
    with p.cached():
        log(m.weight is m.weight)
    log(m.weight is m.weight, p.type_before_parametrizations(m) is nn.Linear, type(m).__name__)
    c = copy.deepcopy(m)
    c.parametrizations.weight.original.data.zero_()
    log(c.weight, m.weight)
    to = p.transfer_parametrizations_and_params(m, nn.Linear(3, 3))
    log(to.weight, list(to.state_dict()))
    p.remove_parametrizations(m, "weight")
    log(m.state_dict(), repr(m), type(m) is nn.Linear)
    p.register_parametrization(m, "weight", Split())
    log(m.state_dict(), m.weight)
    m.weight = t.ones(3, 3)
    log(m.state_dict())
    log(attempt(lambda: p.remove_parametrizations(m, "weight", leave_parametrized=False)))
    p.remove_parametrizations(m, "weight")
    log(m.state_dict(), m.weight.requires_grad)
    n = nn.Linear(2, 2)
    n.register_buffer("buf", t.ones(2))
    p.register_parametrization(n, "buf", Double())
    log(n.buf, list(n.state_dict()))
    p.remove_parametrizations(n, "buf", leave_parametrized=False)
    log(n.buf, attempt(lambda: p.remove_parametrizations(n, "weight")))
    log(attempt(lambda: p.register_parametrization(n, "nope", Double())))
    log(str(attempt(lambda: p.register_parametrization(n, "weight", Wrong()))))
    p.register_parametrization(n, "weight", Double())
    log(str(attempt(lambda: p.register_parametrization(n, "weight", Wrong()))))
    log(attempt(lambda: __import__("pickle").dumps(n)))


@scenario
def pruning(t: Any, log: Any) -> None:
    nn, p = t.nn, t.nn.utils.prune
    x = t.arange(8.0).reshape(2, 4).cos()
    for act in (
        lambda m: p.l1_unstructured(m, "weight", 0.3),
        lambda m: p.l1_unstructured(m, "weight", 3, importance_scores=-m.weight.abs()),
        lambda m: p.ln_structured(m, "weight", 0.5, n=2, dim=0),
        lambda m: p.ln_structured(m, "weight", 1, n=float("inf"), dim=-1),
        lambda m: p.random_unstructured(m, "weight", 0.3),
        lambda m: p.random_structured(m, "weight", 2, dim=1),
        lambda m: p.identity(m, "bias"),
        lambda m: p.custom_from_mask(m, "weight", t.eye(4)),
    ):
        m = act(nn.Linear(4, 4))
        out = m(x)
        out.sum().backward()
        log(m.state_dict(), out, grads(m), p.is_pruned(m))
        act2 = attempt(lambda act=act, m=m: act(m))
        log(m.state_dict() if not isinstance(act2, Exception) else act2)
        name = next(n[:-5] for n in m.state_dict() if n.endswith("_mask"))
        p.remove(m, name)
        log(m.state_dict(), p.is_pruned(m), m(x))
        log(attempt(lambda m=m, name=name: p.remove(m, name)))
    m = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    pairs = [(m[0], "weight"), (m[1], "weight")]
    p.global_unstructured(pairs, p.L1Unstructured, amount=0.5)
    log(m.state_dict())
    p.global_unstructured(pairs, p.L1Unstructured, amount=2)
    log(m.state_dict())
    for amount in ("x", -1, 1.5, 99):
        log(attempt(lambda amount=amount: p.l1_unstructured(nn.Linear(2, 2), "weight", amount)))
    log(attempt(lambda: p.ln_structured(nn.Linear(2, 2), "bias", 1, 2, 0)))
    log(attempt(lambda: p.ln_structured(nn.Linear(2, 2), "weight", 1, 2, 5)))
    log(attempt(lambda: p.global_unstructured(pairs, p.LnStructured, amount=1, n=2)).__class__)
    log(p.L1Unstructured(1).prune(t.tensor([1.0, -3.0, 2.0])))


@scenario
def sequences(t: Any, log: Any) -> None:
    r = t.nn.utils.rnn
    parts = [t.arange(float(n * 2)).reshape(n, 2) for n in (2, 4, 1)]
    for first in (False, True):
        for side in ("left", "right"):
            log(r.pad_sequence(parts, first, -1.0, side))
        x = r.pad_sequence(parts, first).requires_grad_()
        packed = r.pack_padded_sequence(x, t.tensor([2, 4, 1]), first, enforce_sorted=False)
        log(list(packed), type(packed).__name__)
        out, lengths = r.pad_packed_sequence(packed, first, 9.0)
        log(out, lengths)
        out.square().sum().backward()
        log(x.grad, r.pad_packed_sequence(packed, first, total_length=6)[0])
        log([list(s.shape) for s in r.unpad_sequence(r.pad_sequence(parts, first), lengths, first)])
    ordered = sorted(parts, key=len, reverse=True)
    packed = r.pack_sequence(ordered)
    log(list(packed), r.unpack_sequence(packed))
    log(list(r.pack_sequence(parts, enforce_sorted=False)), r.invert_permutation(None))
    log(packed.double().data, packed.int().data, packed.is_cuda, packed.to("cpu") is packed)
    log(list(r.PackedSequence(t.ones(3), t.tensor([2, 1]))))
    for act in (
        lambda: r.pack_sequence(parts),
        lambda: r.pack_padded_sequence(t.ones(3, 2), [2, 0]),
        lambda: r.pack_padded_sequence(t.ones(3, 2), [2]),
        lambda: r.pad_packed_sequence(packed, total_length=2),
        lambda: r.pad_sequence(3),
    ):
        e = attempt(act)
        log(type(e).__name__, str(e).split(".")[0].split("\n")[0].split(" (batch")[0])


@scenario
def fusing(t: Any, log: Any) -> None:
    nn, u = t.nn, t.nn.utils
    for conv, bn, shape in (
        (nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), (2, 2, 4, 4)),
        (nn.Conv1d(2, 3, 2, bias=False), nn.BatchNorm1d(3, affine=False), (2, 2, 5)),
        (nn.ConvTranspose2d(2, 3, 2), nn.BatchNorm2d(3), (2, 2, 4, 4)),
    ):
        x = t.arange(float(np.prod(shape))).reshape(shape).sin()
        bn(conv(x))
        conv.eval(), bn.eval()
        fused = u.fuse_conv_bn_eval(conv, bn, transpose=isinstance(conv, nn.ConvTranspose2d))
        log(fused(x), fused.state_dict(), [p.requires_grad for p in fused.parameters()])
    linear, bn = nn.Linear(3, 4), nn.BatchNorm1d(4)
    x = t.arange(12.0).reshape(4, 3).sin()
    bn(linear(x))
    log(attempt(lambda: u.fuse_linear_bn_eval(linear, bn)))
    linear.eval(), bn.eval()
    log(u.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)))
    log(attempt(lambda: u.fuse_linear_bn_eval(nn.Linear(3, 5).eval(), bn)))


@scenario
def stateless(t: Any, log: Any) -> None:
    nn = t.nn
    call = nn.utils.stateless.functional_call
    m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    x = t.arange(6.0).reshape(3, 2)
    given = {"0.weight": t.ones(2, 2, requires_grad=True), "1.running_mean": t.zeros(2)}
    before = copy.deepcopy(m.state_dict())
    out = call(m, given, (x,))
    out.square().sum().backward()
    log(out, given["0.weight"].grad, given["1.running_mean"], m[0].weight.grad)
    log(m.state_dict(), before)
    tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    tied[1].weight = tied[0].weight
    ones = {"0.weight": t.ones(2, 2)}
    log(call(tied, ones, x), call(tied, ones, x, tie_weights=False))
    both = {"0.weight": t.ones(2, 2), "1.weight": t.zeros(2, 2)}
    log(attempt(lambda: call(tied, both, x)))
    log(str(attempt(lambda: call(tied, {"0.nope": t.ones(1)}, x, strict=True))))
    log(attempt(lambda: call(tied, {"7.weight": t.ones(1)}, x)))
    log(call(nn.Bilinear(2, 2, 1), {}, (x,), {"input2": x}).shape)


@scenario
def skipping(t: Any, log: Any) -> None:
    m = t.nn.utils.skip_init(t.nn.Linear, 2, 3, dtype=t.float64)
    log(repr(m), str(m.weight.dtype), str(m.weight.device), m.weight.requires_grad)
    log(attempt(lambda: t.nn.utils.skip_init(t.nn.Tanh)))
    log(t.rand(2))


@pytest.mark.parametrize("name", torch.nn.utils.__all__)
def test_names(name: str) -> None:
    mine, theirs = getattr(rushlight.nn.utils, name), getattr(torch.nn.utils, name)
    if inspect.isfunction(theirs):
        a, b = inspect.signature(mine), inspect.signature(theirs)
        assert list(a.parameters) == list(b.parameters)
        for key, p in b.parameters.items():
            assert a.parameters[key].default == p.default, key
    else:
        wanted = getattr(theirs, "__all__", [])
        assert not [n for n in wanted if not hasattr(mine, n)]


@scenario
def gradients_of_convolutions(t: Any, log: Any) -> None:
    g = t.nn.grad
    x = t.arange(2.0 * 4 * 5 * 6).reshape(2, 4, 5, 6).sin()
    w = t.arange(6.0 * 2 * 2 * 3).reshape(6, 2, 2, 3).cos()
    go = t.ones(2, 6, 3, 6)
    rest = {"stride": (2, 1), "padding": 1, "groups": 2}
    log(g.conv2d_input(x.shape, w, go, **rest), g.conv2d_weight(x, w.shape, go, **rest))
    x, w, go = t.ones(1, 2, 7), t.ones(3, 2, 2), t.ones(1, 3, 6)
    log(g.conv1d_input(x.shape, w, go), g.conv1d_weight(x, w.shape, go))

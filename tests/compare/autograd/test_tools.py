"""Anomaly mode, checkpointing, Variable: programs compared with PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

programs: list[Any] = []


def program(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    programs.append(pytest.param(fn, id=fn.__name__))
    return fn


@pytest.mark.parametrize("fn", programs)
def test_program(fn: Callable[[Any], Any], both: Callable[..., Any]) -> None:
    both(fn)


def caught(fn: Callable[[], Any]) -> Any:
    try:
        return fn()
    except Exception as error:
        return error


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def tools(torch: Any) -> Any:
    return import_module(torch.__name__ + ".utils.checkpoint")


# -- anomaly mode ----------------------------------------------------------------------------------


@program
def nan_is_found(torch):
    x = leaf(torch, 0.0, 1.0)
    with torch.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()
        return caught(y.backward), torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


@program
def nan_check_off(torch):
    x = leaf(torch, 0.0, 1.0)
    with torch.autograd.detect_anomaly(check_nan=False):
        (x.sqrt() * 0).sum().backward()
        inside = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    return x.grad.isnan(), inside, torch.is_anomaly_enabled()


@program
def warning_shows_the_forward(torch):
    x = leaf(torch, 0.0, 1.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            y = (x.sqrt() * 0).sum()
            got = caught(y.backward)
    texts = [str(w.message) for w in seen]
    return (
        got,
        any("Anomaly Detection has been enabled" in t for t in texts),
        any("Traceback of forward call" in t and "x.sqrt()" in t for t in texts),
        any("SqrtBackward0" in t for t in texts),
    )


@program
def forward_outside_of_the_mode(torch):
    x = leaf(torch, 0.0, 1.0)
    y = (x.sqrt() * 0).sum()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            got = caught(y.backward)
    return got, any("No forward pass information available" in str(w.message) for w in seen)


@program
def failing_backward_names_its_forward(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("mine")

    x = leaf(torch, 1.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            y = Bad.apply(x)
            got = caught(y.backward)
    return got, any(
        "BadBackward" in str(w.message) and "Bad.apply(x)" in str(w.message) for w in seen
    )


@program
def set_detect_anomaly_as_function_and_context(torch):
    seen = [torch.is_anomaly_enabled()]
    torch.autograd.set_detect_anomaly(True)
    seen.append(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    seen.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
    torch.autograd.set_detect_anomaly(False)
    seen.append(torch.is_anomaly_enabled())
    with torch.autograd.set_detect_anomaly(True):
        seen.append(torch.is_anomaly_enabled())
        with torch.autograd.set_detect_anomaly(False):
            seen.append(torch.is_anomaly_enabled())
        seen.append(torch.is_anomaly_enabled())
    seen.append(torch.is_anomaly_enabled())
    return seen


@program
def nested_detect_anomaly(torch):
    seen = []
    with torch.autograd.detect_anomaly():
        with torch.autograd.set_detect_anomaly(False):
            seen.append(torch.is_anomaly_enabled())
        seen.append(torch.is_anomaly_enabled())
        with torch.autograd.detect_anomaly(check_nan=False):
            seen.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
        seen.append(torch.is_anomaly_check_nan_enabled())
    seen.append(torch.is_anomaly_enabled())
    return seen


@program
def metadata_in_anomaly_mode(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.detect_anomaly():
        y = x * 2
    return "traceback_" in y.grad_fn.metadata


# -- checkpoint ------------------------------------------------------------------------------------


def network(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 4), nn.ReLU())


def checkpointed(torch: Any, **kw: Any) -> Any:
    torch.manual_seed(0)
    net = network(torch)
    x = torch.randn(3, 4, requires_grad=True)
    torch.manual_seed(1)
    y = net(x) if not kw else tools(torch).checkpoint(net, x, **kw)
    after = torch.rand(2)
    y.sum().backward()
    return y, after, x.grad, [p.grad for p in net.parameters()]


@program
def checkpoint_both_modes_and_none(torch):
    return [
        checkpointed(torch),
        checkpointed(torch, use_reentrant=True),
        checkpointed(torch, use_reentrant=False),
    ]


@program
def random_state_not_preserved(torch):
    torch.manual_seed(0)
    x = torch.ones(1000, requires_grad=True)
    f = torch.nn.functional.dropout
    same = []
    for preserve in (True, False):
        y = tools(torch).checkpoint(
            lambda t: f(t, 0.5) * t, x, use_reentrant=True, preserve_rng_state=preserve
        )
        x.grad = None
        y.sum().backward()
        same.append(bool(((x.grad != 0) == (y != 0)).all()))
    return same


@program
def random_state_after_backward_is_untouched(torch):
    x = torch.ones(4, requires_grad=True)
    f = torch.nn.functional.dropout
    out = []
    for mode in (True, False):
        torch.manual_seed(3)
        y = tools(torch).checkpoint(lambda t: f(t, 0.5) * t, x, use_reentrant=mode).sum()
        before = torch.get_rng_state()
        y.backward()
        out.append(torch.equal(before, torch.get_rng_state()))
    return out


@program
def count_of_runs(torch):
    out = []
    for mode in (True, False):
        calls = []

        def f(t, calls=calls):
            calls.append(torch.is_grad_enabled())
            return t.exp() * t

        x = leaf(torch, 1.0, 2.0)
        y = tools(torch).checkpoint(f, x, use_reentrant=mode)
        n = len(calls)
        y.sum().backward()
        out.append((n, len(calls), calls, x.grad))
    return out


@program
def nested_checkpoints(torch):
    c = tools(torch).checkpoint
    out = []
    for mode in (True, False):
        x = leaf(torch, 1.0, 0.5)
        inner = lambda t, mode=mode: c(lambda u: u.sin() * u, t * 2, use_reentrant=mode)  # noqa: E731
        y = c(lambda t, inner=inner: inner(t).exp(), x, use_reentrant=mode)
        y.sum().backward()
        out.append((y, x.grad))
    return out


@program
def several_inputs_and_outputs(torch):
    c = tools(torch).checkpoint
    out = []
    for mode in (True, False):
        x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
        a, b, k = c(lambda x, s, w: (x * w * s, x.exp(), s), x, 3.0, w, use_reentrant=mode)
        (a.sum() + b.prod()).backward()
        out.append((a, b, k, x.grad, w.grad))
    return out


@program
def keyword_arguments(torch):
    c = tools(torch).checkpoint
    x = leaf(torch, 1.0, 2.0)
    y = c(lambda t, scale: t.exp() * scale, x, scale=3.0, use_reentrant=False)
    y.sum().backward()
    return y, x.grad, caught(lambda: c(lambda t, scale: t, x, scale=3.0, use_reentrant=True))


@program
def only_parameters_require_grad(torch):
    c = tools(torch).checkpoint
    out = []
    for mode in (True, False):
        torch.manual_seed(0)
        net = torch.nn.Linear(2, 2)
        y = c(net, torch.ones(1, 2), use_reentrant=mode)
        out.append((y.requires_grad, caught(lambda y=y: y.sum().backward()), net.weight.grad))
    return out


@program
def grad_through_a_checkpoint(torch):
    c = tools(torch).checkpoint
    out = []
    for mode in (True, False):
        x = leaf(torch, 1.0, 2.0)
        y = c(lambda t: t**3, x, use_reentrant=mode)
        out.append(caught(lambda y=y, x=x: torch.autograd.grad(y.sum(), x)))
    return out


@program
def double_backward_of_a_checkpoint(torch):
    x = leaf(torch, 1.0, 2.0)
    y = tools(torch).checkpoint(lambda t: t**3 * t.sin(), x, use_reentrant=False)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


@program
def retained_checkpoint(torch):
    out = []
    for mode in (True, False):
        x = leaf(torch, 1.0, 2.0)
        y = tools(torch).checkpoint(lambda t: t.exp() * t, x, use_reentrant=mode).sum()
        y.backward(retain_graph=True)
        y.backward()
        out.append((x.grad, caught(y.backward)))
    return out


@program
def different_recomputation(torch):
    count = [0]

    def f(t):
        count[0] += 1
        return t.exp() if count[0] == 1 else t.exp().sin().tanh()

    def g(t):
        count[0] += 1
        return (t * (torch.ones(1) if count[0] == 1 else torch.ones(2))).exp()

    c = tools(torch).checkpoint
    x = leaf(torch, 1.0, 2.0)
    out = []
    for fn in (f, g):
        count[0] = 0
        y = c(fn, x, use_reentrant=False)
        out.append(caught(lambda y=y: y.sum().backward()))
    return [isinstance(e, Exception) for e in out]


@program
def checkpoint_under_no_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.no_grad():
        return [
            tools(torch).checkpoint(lambda t: t.exp(), x, use_reentrant=m) for m in (True, False)
        ]


@program
def checkpoint_sequential(torch):
    out = []
    for mode in (True, False):
        for segments in (1, 2, 3):
            torch.manual_seed(0)
            net = network(torch)
            net[2].p = 0.0
            x = torch.randn(3, 4, requires_grad=True)
            y = tools(torch).checkpoint_sequential(net, segments, x, use_reentrant=mode)
            y.sum().backward()
            out.append((y, x.grad, [p.grad for p in net.parameters()]))
    return out


@program
def context_functions(torch):
    from contextlib import contextmanager

    seen = []

    @contextmanager
    def note(name):
        seen.append(name)
        yield

    x = leaf(torch, 1.0, 2.0)
    y = tools(torch).checkpoint(
        lambda t: t.exp() * t,
        x,
        use_reentrant=False,
        context_fn=lambda: (note("forward"), note("again")),
    )
    y.sum().backward()
    return seen, x.grad


@program
def module_with_batch_norm(torch):
    out = []
    for mode in (True, False):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)).double()
        x = torch.arange(12.0).reshape(4, 3).double().sin().requires_grad_()
        y = tools(torch).checkpoint(net, x, use_reentrant=mode)
        (y * x.detach() ** 2).sum().backward()
        out.append((x.grad, net[1].num_batches_tracked, net[0].weight.grad))
    return out


# -- Variable --------------------------------------------------------------------------------------


@program
def variable(torch):
    from_torch = torch.autograd.Variable
    t = torch.ones(2)
    v = from_torch(t)
    w = from_torch(t, requires_grad=True)
    (w * 2).sum().backward()
    return (
        isinstance(v, torch.Tensor),
        v.requires_grad,
        w.requires_grad,
        w.grad,
        isinstance(t, from_torch),
        v.data,
        t.requires_grad,
        w.grad_fn is None,
    )


@program
def variable_shares_memory(torch):
    t = torch.ones(2)
    v = torch.autograd.Variable(t, requires_grad=True)
    v.data[0] = 5
    return t, v


@program
def variable_of_a_result(torch):
    x = leaf(torch, 1.0, 2.0)
    v = torch.autograd.Variable(x * 2, requires_grad=True)
    (v * 3).sum().backward()
    return v.is_leaf, v.grad, x.grad


@program
def variable_of_nothing(torch):
    return torch.autograd.Variable().shape == (0,), caught(lambda: torch.autograd.Variable([1.0]))

"""`torch.compile`: its arguments, what comes back, and what a call of that does."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import compiler
from rushlight.compiler import state


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def net() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout())


def test_nothing_is_being_compiled() -> None:
    assert compiler.is_compiling() is False
    assert compiler.is_exporting() is False


def test_functions_come_back_inside_what_replays_them() -> None:
    def double(x, *, times=2):
        """Twice."""
        return times * x

    assert torch.compile(double, disable=True) is double
    for fast in (torch.compile(double), torch.compile(mode="reduce-overhead")(double)):
        assert fast._torchdynamo_orig_callable is fast.__wrapped__ is double
        assert (fast.__name__, fast.__doc__) == ("double", "Twice.")
        assert inspect.signature(fast) == inspect.signature(double)
        for _ in range(3):
            assert torch.equal(fast(torch.ones(2)), torch.full((2,), 2.0))
            assert fast(torch.ones(1), times=3).item() == 3
        assert torch.compile(fast)._torchdynamo_orig_callable is double
        assert "double" in repr(fast)

    class Scale:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return self.by * x

        @torch.compile
        def method(self, x):
            return self.by * x

    for x in (torch.ones(2), torch.ones(2)):
        assert torch.equal(torch.compile(Scale(3))(x), 3 * x)
        assert torch.equal(Scale(4).method(x), 4 * x)


def test_a_module_keeps_the_shape_that_programs_know() -> None:
    inner = net()
    outer = torch.compile(inner, mode="max-autotune")
    assert outer._orig_mod is inner
    assert list(outer.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert [n for n, _ in outer.named_parameters()] == list(outer.state_dict())
    assert next(outer.parameters()) is inner[0].weight
    outer.eval()
    assert not inner[1].training
    x = torch.ones(4, 2)
    assert torch.equal(outer(x), inner(x))
    outer.mark = 3
    assert inner.mark == 3
    del outer.mark
    assert not hasattr(outer, "mark")
    assert len(outer) == 2
    assert outer
    assert "OptimizedModule" in repr(outer)


def test_methods_of_the_module_are_reached_and_hooks_stay_outside() -> None:
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + 1

        def generate(self):
            return self(torch.zeros(1)).item()

    outer = torch.compile(Model())
    assert outer.generate() == 1
    seen = []
    outer.register_forward_hook(lambda module, args, out: seen.append(out.item()))
    outer(torch.zeros(1))
    assert seen == [1]
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        outer.nothing_of_that_name  # noqa: B018


def test_states_copies_and_training() -> None:
    torch.manual_seed(0)
    outer = torch.compile(net())
    file = io.BytesIO()
    torch.save(outer.state_dict(), file)
    file.seek(0)
    other = torch.compile(net())
    other.load_state_dict(torch.load(file))
    assert torch.equal(other._orig_mod[0].weight, outer._orig_mod[0].weight)
    twin = copy.deepcopy(outer)
    assert twin._orig_mod is not outer._orig_mod
    assert list(pickle.loads(pickle.dumps(outer)).state_dict()) == list(outer.state_dict())
    optimizer = torch.optim.SGD(outer.parameters(), lr=0.1)
    before = outer._orig_mod[0].bias.detach().clone()
    outer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(before, outer._orig_mod[0].bias)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"mode": "fast"}, RuntimeError, "Unrecognized mode=fast"),
        ({"backend": "nope"}, RuntimeError, "Invalid backend: 'nope'"),
        ({"mode": "default", "options": {}}, RuntimeError, "Either mode or options"),
        ({"dynamic": 3}, TypeError, "dynamic"),
        ({"quickly": True}, TypeError, "quickly"),
    ],
)
def test_arguments_are_checked(options, kind, words) -> None:
    with pytest.raises(kind, match=words):
        torch.compile(net(), **options)
    with pytest.raises(TypeError, match="callable function is expected"):
        torch.compile(3)


@pytest.mark.eager
def test_what_is_not_replayed_is_said_once_with_its_place() -> None:
    @torch.compile
    def loud(x):
        print("loud")
        return 2 * x

    line = loud.__wrapped__.__code__.co_firstlineno + 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(6):
            loud(torch.ones(2))
    assert len(told) == 1
    text = str(told[0].message)
    assert "runs eagerly" in text
    assert "print" in text
    assert f"{__file__}:{line}" in text
    assert told[0].filename == __file__
    assert sum(state.counters["graph_break"].values()) >= 1


@pytest.mark.eager
def test_fullgraph_makes_that_an_error() -> None:
    @torch.compile(fullgraph=True)
    def loud(x):
        print("loud")
        return 2 * x

    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"cannot be replayed(.|\n)*print"):
        loud(torch.ones(2))


def test_stances_decide_about_calls_that_no_plan_is_for() -> None:
    @torch.compile
    def double(x):
        return 2 * x

    x, y = torch.ones(2), torch.ones(3)
    with (
        compiler.set_stance("fail_on_recompile"),
        pytest.raises(RuntimeError, match=r"stance is 'fail_on_recompile'.*'double'"),
    ):
        double(x)
    with compiler.set_stance("eager_then_compile"):
        double(x)
        assert not double.entries
        double(x)
        assert len(double.entries) == 1
    with compiler.set_stance("fail_on_recompile"):
        assert torch.equal(double(x), 2 * x)
        with pytest.raises(
            RuntimeError, match=r"triggered by the following guard failure(.|\n)*- "
        ):
            double(y)
    with compiler.set_stance("eager_on_recompile"):
        assert torch.equal(double(y), 2 * y)
        assert len(double.entries) == 1
    runs = double.entries[0].runs
    with compiler.set_stance("force_eager"):
        assert torch.equal(double(x), 2 * x)
    with torch._dynamo.config.patch(disable=True):
        assert torch.equal(double(x), 2 * x)
    assert double.entries[0].runs == runs
    assert torch.equal(double(x), 2 * x)
    assert double.entries[0].runs == runs + 1
    with (
        torch._dynamo.config.patch(error_on_recompile=True),
        pytest.raises(torch._dynamo.exc.RecompileError),
    ):
        double(y)
    compiler.reset()
    assert not double.entries


def test_plans_are_counted() -> None:
    def power(x, n):
        return x**n

    few, fewer = torch.compile(power), torch.compile(power, recompile_limit=2)
    whole = torch.compile(power, fullgraph=True, recompile_limit=2)
    x = torch.ones(2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with torch._dynamo.config.patch(cache_size_limit=3):
            for n in range(6):
                assert torch.equal(few(x, n + 0.5), x)
                assert torch.equal(fewer(x, n + 0.5), x)
    assert (len(few.entries), len(fewer.entries)) == (3, 2)
    assert sorted(str(w.message).partition(" plans ")[0][-1] for w in told) == ["2", "3"]
    whole(x, 0.5), whole(x, 1.5)
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="fullgraph=True"):
        whole(x, 2.5)


def test_settings_of_the_capture_may_be_set() -> None:
    before = torch._dynamo.config.suppress_errors
    torch._dynamo.config.suppress_errors = True
    torch._dynamo.config.suppress_errors = before
    import rushlight._inductor.config as config

    assert config is torch._inductor.config
    torch._dynamo.reset()
    assert torch._dynamo.optimize("inductor")(len)([1]) == 1
    assert isinstance(torch.compile(net()), torch._dynamo.OptimizedModule)
    assert torch._C._jit_set_profiling_executor(False) is False


def test_the_rest_is_harmless() -> None:
    compiler.reset()
    compiler.cudagraph_mark_step_begin()
    assert compiler.disable(len)([1]) == 1
    assert compiler.allow_in_graph(len) is len
    assert "inductor" in compiler.list_backends()
    compiler.set_default_backend("eager")
    assert compiler.get_default_backend() == "eager"
    compiler.set_default_backend(None)
    assert compiler.get_default_backend() == "inductor"
    with compiler.set_stance("force_eager"):
        pass
    with pytest.raises(RuntimeError, match="compile stance 'lying'"):
        compiler.set_stance("lying")


@pytest.mark.eager
def test_a_module_that_compiled_itself_is_replayed_alone_and_in_a_step() -> None:
    def make() -> tuple[torch.nn.Module, Any]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            optimizer.zero_grad()
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            return loss

        return model, step

    (model, step), (other, plain) = make(), make()
    model.compile()
    x = torch.ones(3, 2)
    for _ in range(3):
        assert torch.equal(model(x), other(x))
    assert model._compiled_call_impl.entries[0].runs >= 1
    fast = torch.compile(step)
    for _ in range(3):
        assert torch.equal(fast(x), plain(x))
    assert fast.entries
    assert not fast.why
    seen: list[int] = []
    model.register_forward_hook(lambda *_: seen.append(1))
    assert torch.equal(fast(x), plain(x))
    assert torch.equal(model(x), other(x))
    assert len(seen) == 2


@torch.compile
def twice(x):
    return 2 * x


def test_compiled_functions_are_copied_and_pickled_as_functions() -> None:
    assert copy.deepcopy({"f": twice})["f"] is copy.copy(twice) is twice
    assert pickle.loads(pickle.dumps(twice)) is twice
    assert "twice" in repr(twice)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(torch.compile(twice.__wrapped__))

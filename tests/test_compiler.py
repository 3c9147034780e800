"""`torch.compile`: its arguments are checked, what comes back computes the same."""

from __future__ import annotations

import copy
import io
import pickle
import warnings

import pytest

import rushlight as torch
from rushlight import compiler


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


def test_functions_come_back_as_they_are() -> None:
    def double(x):
        return 2 * x

    assert torch.compile(double) is double
    assert torch.compile(mode="reduce-overhead", fullgraph=True)(double) is double
    assert torch.compile(double, disable=True) is double

    @torch.compile
    def triple(x):
        """Three times."""
        return 3 * x

    assert triple(torch.ones(1)).item() == 3
    assert triple.__doc__ == "Three times."


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


def test_the_note_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_told", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.compile(net())
        torch.compile(net())
    assert "torch.compile changes nothing" in str(told[0].message)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_settings_of_the_capture_may_be_set() -> None:
    before = torch._dynamo.config.suppress_errors
    torch._dynamo.config.suppress_errors = True
    torch._dynamo.config.suppress_errors = before
    import rushlight._inductor.config as config

    assert config is torch._inductor.config
    torch._dynamo.reset()
    assert torch._dynamo.optimize("inductor")(len) is len
    assert isinstance(torch.compile(net()), torch._dynamo.OptimizedModule)
    assert torch._C._jit_set_profiling_executor(False) is False


def test_the_rest_is_harmless() -> None:
    compiler.reset()
    compiler.cudagraph_mark_step_begin()
    assert compiler.disable(len) is len
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

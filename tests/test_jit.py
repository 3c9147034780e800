"""`torch.jit`: programs that script or trace run as they are written; files say what to do."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import pytest

import rushlight as torch
from rushlight import compiler, jit
from rushlight.jit import Final


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def test_script_gives_back_what_it_gets() -> None:
    def double(x):
        return 2 * x

    class Plain:
        pass

    net = torch.nn.Linear(2, 2)
    for thing in (double, net, Plain):
        assert jit.script(thing) is thing

    @jit.script
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y

    assert add(torch.ones(1), torch.ones(1)).item() == 2
    with pytest.raises(TypeError, match="cannot be compiled"):
        jit.script(3)


def test_marks_are_harmless() -> None:
    class Net(torch.nn.Module):
        size: Final[int] = 2

        @jit.ignore
        def first(self, x):
            return x + self.size

        @jit.ignore(drop=True)
        def second(self, x):
            return x + 1

        @jit.unused
        def third(self, x):
            return x

        @jit.export
        def forward(self, x):
            if jit.is_scripting() or jit.is_tracing():
                return None
            found = jit.annotate(list[torch.Tensor], [self.first(x), self.second(x)])
            return self.third(found[0] + found[1])

    assert jit.script(Net())(torch.zeros(1)).item() == 3
    assert jit.Attribute(3, int).value == 3
    assert jit.isinstance([1], list[int])

    class Old(jit.ScriptModule):
        @jit.script_method
        def forward(self, x):
            return x

    assert Old()(3) == 3
    assert not isinstance(torch.nn.Linear(1, 1), jit.ScriptModule)


def test_trace_runs_the_example_and_checks_it() -> None:
    seen = []

    def double(x, y=None):
        seen.append(x.shape)
        return 2 * x

    assert jit.trace(double, torch.ones(3)) is double
    assert jit.trace(double, (torch.ones(3),), check_trace=False) is double
    assert jit.trace(double, example_kwarg_inputs={"x": torch.ones(2)}) is double
    assert [s[0] for s in seen] == [3, 3, 2]
    net = torch.nn.Linear(2, 2)
    assert jit.trace(net, torch.ones(1, 2)) is net
    assert jit.trace_module(net, {"forward": torch.ones(1, 2)}) is net
    with pytest.raises(RuntimeError, match="example_inputs are missing"):
        jit.trace(double)
    with pytest.raises(RuntimeError, match="Only tensors, lists, tuples of tensors"):
        jit.trace(lambda x: 3, torch.ones(1))
    with pytest.raises(RuntimeError, match="strict=False"):
        jit.trace(lambda x: {"a": x}, torch.ones(1))
    jit.trace(lambda x: {"a": x}, torch.ones(1), strict=False)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        jit.trace(net, torch.ones(1, 3))
    with pytest.raises(AttributeError, match="method_name"):
        jit.trace_module(net, torch.ones(1))


def test_files_say_what_to_do(tmp_path: Path) -> None:
    net = torch.nn.Linear(1, 1)
    with pytest.raises(NotImplementedError, match=r"(?s)torch\.jit\.save.*state_dict"):
        jit.save(jit.script(net), tmp_path / "net.pt")
    with pytest.raises(NotImplementedError, match=r"(?s)torch\.jit\.load.*state_dict"):
        jit.load(io.BytesIO())
    with pytest.raises(ValueError, match="does not exist"):
        jit.load(str(tmp_path / "net.pt"))
    with pytest.raises(ValueError, match="is a directory"):
        jit.load(tmp_path)
    with pytest.raises(NotImplementedError, match=r"torch\.jit\.save"):
        jit.ScriptModule().save("x")
    with pytest.raises(NotImplementedError, match="CompilationUnit"):
        jit.CompilationUnit("def f(): pass")
    assert not isinstance(net, jit.ScriptFunction)


def test_the_rest_is_harmless() -> None:
    net = torch.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="eval mode"):
        jit.freeze(net)
    assert jit.freeze(net.eval()) is net
    assert jit.optimize_for_inference(net) is net
    assert jit.wait(jit.fork(lambda x: x + 1, 2)) == 3
    with pytest.raises(ZeroDivisionError):
        jit.wait(jit.fork(lambda: 1 / 0))
    with jit.optimized_execution(False), jit.fuser("fuser1"), jit.strict_fusion():
        pass
    jit.set_fusion_strategy([("STATIC", 2)])
    jit.enable_onednn_fusion(True)
    assert jit.onednn_fusion_enabled() is False


def test_the_notes_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.state, "told", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            jit.script(len)
            jit.trace(torch.neg, torch.ones(1))
    assert [str(w.message).split()[0] for w in told] == ["torch.jit.script", "torch.jit.trace"]
    assert {w.filename for w in told} == {__file__}

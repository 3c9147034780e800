"""Marks on functions, stances, settings: what programs tell the compiler."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import subprocess
import sys
import threading
import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import compiler
from rushlight._dynamo import config, exc
from rushlight.compiler import stance, state


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
    assert state.stance == "default"


# -- disable -------------------------------------------------------------------------------------


def double(x: Any, *, times: int = 2) -> Any:
    """Twice."""
    return times * x


@pytest.mark.parametrize(
    "decorate",
    [
        compiler.disable,
        compiler.disable(),
        compiler.disable(recursive=False),
        compiler.disable(reason="it prints"),
        torch._dynamo.disable,
        torch._dynamo.disallow_in_graph,
    ],
)
def test_a_disabled_function_computes_the_same_and_is_marked(decorate: Any) -> None:
    eager = decorate(double)
    assert eager(3) == 6
    assert eager(3, times=3) == 9
    assert eager._rushlight_disable is True
    assert (eager.__name__, eager.__doc__, eager.__wrapped__) == ("double", "Twice.", double)
    assert inspect.signature(eager) == inspect.signature(double)
    assert not hasattr(double, "_rushlight_disable")
    assert decorate(eager).__wrapped__ is double


def test_the_reason_is_kept() -> None:
    assert compiler.disable(double, reason="it prints")._torchdynamo_disable_msg == "it prints"
    assert compiler.disable(recursive=False)(double)._torchdynamo_disable_recursive is False


def test_disabled_methods_modules_and_classes() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        @compiler.disable
        def helper(self, x):
            return x * self.weight

        def forward(self, x):
            return self.helper(x) + 1

    x, model = torch.ones(2), Model()
    assert torch.equal(model(x), torch.full((2,), 2.0))
    assert model.helper._rushlight_disable
    assert torch.equal(compiler.disable(model.helper)(x), x)
    outer = compiler.disable(model)
    assert isinstance(outer, torch._dynamo.OptimizedModule)
    assert outer._orig_mod is model
    assert list(outer.state_dict()) == ["_orig_mod.weight"]
    assert torch.equal(outer(x), model(x))
    assert outer._compiled._rushlight_disable
    twin = copy.deepcopy(outer)
    assert twin._compiled._rushlight_disable
    assert twin._orig_mod is not model

    @compiler.disable
    class Scale:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return self.by * x

    assert Scale(3)(2) == 6
    assert Scale.__call__._rushlight_disable


def test_what_cannot_be_called_cannot_be_disabled() -> None:
    with pytest.raises(AssertionError, match="fn must be callable"):
        compiler.disable(3)


def test_inside_a_disabled_function_nothing_is_captured() -> None:
    ask = compiler.disable(compiler.is_compiling)
    state.capturing.active = True
    try:
        assert compiler.is_compiling()
        assert compiler.is_dynamo_compiling()
        assert not compiler.is_exporting()
        assert ask() is False
        assert compiler.is_compiling()
        seen: list[bool] = []
        thread = threading.Thread(target=lambda: seen.append(compiler.is_compiling()))
        thread.start()
        thread.join()
        assert seen == [False]  # the capture is of one thread
        with pytest.raises(ValueError, match="no"):
            compiler.disable(fail)()
        assert compiler.is_compiling()
    finally:
        state.capturing.active = False


def fail() -> None:
    raise ValueError("no")


# -- the other marks -----------------------------------------------------------------------------


def test_marks_return_what_they_are_given() -> None:
    assert compiler.allow_in_graph(double) is double
    assert compiler.allow_in_graph([double, len]) == [double, len]
    with pytest.raises(AssertionError, match="expects a callable"):
        compiler.allow_in_graph(3)
    marked = compiler.assume_constant_result(lambda: 3)
    assert marked._dynamo_marked_constant
    assert compiler.nested_compile_region(double) is double
    assert compiler.nested_compile_region()(double) is double
    assert compiler.skip_all_guards_unsafe([1, 2]) == [True, True]


def test_a_function_of_arrays_becomes_one_of_tensors() -> None:
    import numpy as np

    both = compiler.wrap_numpy(lambda a, b: (np.add(a, b), {"most": np.maximum(a, b)}))
    total, more = both(torch.ones(2), b=torch.full((2,), 3.0))
    assert torch.equal(total, torch.full((2,), 4.0))
    assert torch.equal(more["most"], torch.full((2,), 3.0))


def test_a_substitute_is_known_and_the_original_runs() -> None:
    @compiler.substitute_in_graph(double)
    def other(x, *, times=2):
        return "never"

    assert other(2) == 4
    assert other.__name__ == "other"
    with pytest.raises(TypeError, match="Signature mismatch"):
        compiler.substitute_in_graph(double)(lambda y: y)
    assert compiler.substitute_in_graph(double, skip_signature_check=True)(lambda y: y)(2) == 4
    with pytest.raises(TypeError, match="expects a function but got"):
        compiler.substitute_in_graph(3)
    with pytest.raises(TypeError, match="expects a class but got"):
        compiler.substitute_in_graph(double, is_embedded_type=True)
    with pytest.raises(TypeError, match=r"@substitute_in_graph\(...\) expects a function"):
        compiler.substitute_in_graph(double)(3)


# -- stances -------------------------------------------------------------------------------------


def test_a_stance_is_set_by_a_call_a_context_and_a_decorator() -> None:
    compiler.set_stance("force_eager")
    assert state.stance == "force_eager"
    with compiler.set_stance("fail_on_recompile"):
        assert state.stance == "fail_on_recompile"
        with torch._dynamo.set_stance("default"):
            assert state.stance == "default"
        assert state.stance == "fail_on_recompile"
    assert state.stance == "force_eager"
    compiler.set_stance("default")

    @compiler.set_stance("eager_on_recompile")
    def now(again=True):
        """The stance."""
        return [state.stance, *(now(False) if again else [])]

    assert state.stance == "default"
    assert now() == ["eager_on_recompile"] * 2
    assert state.stance == "default"
    assert now.__doc__ == "The stance."
    assert torch._dynamo.run(lambda: state.stance)() == "eager_on_recompile"


def test_a_stance_ends_with_an_exception() -> None:
    with pytest.raises(ValueError, match="no"), compiler.set_stance("force_eager"):
        fail()
    with pytest.raises(ValueError, match="no"):
        compiler.set_stance("force_eager")(fail)()
    assert state.stance == "default"


def test_stances_that_mean_nothing() -> None:
    with pytest.raises(RuntimeError, match=r"invalid torch\.compile stance 'lying'"):
        compiler.set_stance("lying")
    with pytest.raises(RuntimeError, match="cannot have force_backend set"):
        compiler.set_stance("force_eager", force_backend="eager")
    compiler.set_stance("default", force_backend="eager", skip_guard_eval_unsafe=True)
    state.capturing.active = True
    try:
        with pytest.raises(RuntimeError, match=r"set_stance in a torch\.compile region"):
            compiler.set_stance("force_eager")
    finally:
        state.capturing.active = False


def test_the_error_of_fail_on_recompile_says_where_and_why() -> None:
    line = double.__code__.co_firstlineno
    text = str(stance.recompiled(double, ["x.shape[0] was 3, is 4"]))
    assert text == (
        "Detected recompile when torch.compile stance is 'fail_on_recompile'. "
        f"filename: '{__file__}', function name: 'double', line number: {line}\n"
        "    triggered by the following guard failure(s):\n    - x.shape[0] was 3, is 4"
    )
    net = torch.nn.Linear(1, 1)
    assert "function name: 'forward'" in str(stance.recompiled(net, []))
    assert "guard failure" not in str(stance.recompiled(len, []))


# -- settings ------------------------------------------------------------------------------------


def test_settings_have_one_value_under_all_their_names() -> None:
    assert config.recompile_limit == config.cache_size_limit == state.recompile_limit == 8
    try:
        config.cache_size_limit = 3
        assert config.recompile_limit == state.recompile_limit == 3
        assert compiler.config.recompile_limit == 3
        compiler.config.recompile_limit = 5
        assert config.cache_size_limit == 5
    finally:
        config.recompile_limit = 8
    assert {"recompile_limit", "suppress_errors"} <= set(dir(config))
    with pytest.raises(TypeError, match=r"recompile_limit: a value of another type(.|\n)*'many'"):
        config.recompile_limit = "many"
    with pytest.raises(AttributeError, match=r"_dynamo\.config\.nonsense does not exist"):
        config.nonsense  # noqa: B018


def test_settings_are_patched() -> None:
    with config.patch(recompile_limit=2, suppress_errors=True):
        assert (state.recompile_limit, config.suppress_errors) == (2, True)
        with config.patch("recompile_limit", 1), config.patch({"verbose": True}):
            assert (state.recompile_limit, config.verbose) == (1, True)
    assert (state.recompile_limit, config.suppress_errors, config.verbose) == (8, False, False)
    assert config.patch(recompile_limit=4)(lambda: state.recompile_limit)() == 4
    with pytest.raises(ValueError, match="no"), config.patch(recompile_limit=2):
        fail()
    assert state.recompile_limit == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_an_environment_without_compiling(name: str) -> None:
    program = (
        "import rushlight as torch\n"
        "fast = torch.compile(lambda x: 2 * x)\n"
        "fast(torch.ones(1))\n"
        "print(torch._dynamo.config.disable, len(fast.entries))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        env={**os.environ, name: "1"},
    )  # fmt: skip
    assert done.stdout == "True 0\n", done.stderr


def test_reset_tells_every_compiled_callable() -> None:
    class Compiled:
        told = 0

        def reset(self) -> None:
            self.told += 1

    one, other = Compiled(), Compiled()
    state.compiled.update((one, other))
    state.counters["graph_break"]["print"] += 1
    compiler.reset()
    torch._dynamo.reset()
    assert (one.told, other.told) == (2, 2)
    assert not torch._dynamo.utils.counters
    del one
    assert [c for c in state.compiled if isinstance(c, Compiled)] == [other]
    fast = torch.compile(double)
    assert fast in state.compiled
    fast(torch.ones(2))
    assert fast.entries
    compiler.reset()
    assert not fast.entries
    assert other.told == 3


# -- tensors -------------------------------------------------------------------------------------


def test_marks_on_tensors_are_attributes_of_pytorchs_names() -> None:
    x = torch.ones(2, 3)
    torch._dynamo.mark_dynamic(x, 0, min=1, max=9)
    torch._dynamo.mark_dynamic(x, [0, 1])
    assert x._dynamo_dynamic_indices == {0, 1}
    assert {r.dim for r in x._dynamo_dynamic_range} == {0, 1}
    torch._dynamo.maybe_mark_dynamic(x, 1)
    assert x._dynamo_weak_dynamic_indices == {1}
    torch._dynamo.mark_static(x)
    assert x._dynamo_static_indices == {0, 1}
    y = torch.ones(2)
    torch._dynamo.mark_static(y, 0)
    assert y._dynamo_static_indices == {0}
    torch._dynamo.mark_static_address(y, guard=True)
    assert y._dynamo_static_input_type == "guarded"
    assert torch._dynamo.mark_static(torch.nn.Linear) is torch.nn.Linear
    del torch.nn.Linear._dynamo_marked_static
    for call in (torch._dynamo.mark_static, torch._dynamo.mark_static_address):
        with pytest.raises(TypeError, match="expects a tensor"):
            call(3)
    with pytest.raises(AssertionError, match="int, list, or tuple"):
        torch._dynamo.mark_dynamic(x, "0")


def test_errors_are_pytorchs_classes() -> None:
    assert issubclass(exc.Unsupported, exc.TorchDynamoException)
    assert issubclass(exc.TorchDynamoException, RuntimeError)
    assert not issubclass(exc.FailOnRecompileLimitHit, exc.TorchDynamoException)
    assert exc.Unsupported("no").msg == "no"
    with pytest.raises(exc.InvalidBackend, match="Invalid backend: 'nope'"):
        torch.compile(double, backend="nope")


def test_the_rest_does_nothing() -> None:
    torch._dynamo.graph_break()
    assert torch._dynamo.graph_break._rushlight_disable
    assert torch._dynamo.forbid_in_graph([len]) == [len]
    assert torch._dynamo.is_dynamo_supported()
    assert compiler.save_cache_artifacts() is None
    assert compiler.load_cache_artifacts(b"") is None
    assert compiler.set_enable_guard_collectives(True) is False


# -- modules -------------------------------------------------------------------------------------


def test_copies_of_compiled_modules_make_their_own_function() -> None:
    outer = torch.compile(torch.nn.Linear(2, 2), dynamic=True)
    x = torch.ones(1, 2)
    with torch.no_grad():
        outer(x)
        outer(x)
    for twin in (copy.deepcopy(outer), pickle.loads(pickle.dumps(outer))):
        assert twin._compiled.fn is twin._orig_mod
        assert not twin._compiled.entries
        assert twin._told == outer._told
        assert torch.equal(twin(x), outer(x))
        with torch.no_grad():
            twin._orig_mod.weight.zero_()
            twin._orig_mod.bias.zero_()
        assert not twin(x).any()
    assert outer(x).any()
    assert torch.compile(outer)._orig_mod is outer._orig_mod
    assert outer._torchdynamo_orig_callable == outer._orig_mod.forward


def test_a_module_compiles_itself_in_place() -> None:
    net = torch.nn.Linear(2, 2)
    before = net(torch.ones(1, 2))
    net.compile(mode="default")
    assert list(net.state_dict()) == ["weight", "bias"]
    for same in (net, copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(same(torch.ones(1, 2)), before)
    assert copy.deepcopy(net)._compiled_call_impl is None
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        net.compile(mode="fast")


def test_a_class_of_modules_may_be_compiled() -> None:
    @torch.compile
    class Net(torch.nn.Module):
        def forward(self, x):
            return x + 1

    assert isinstance(Net(), Net)
    assert Net()(torch.ones(1)).item() == 2

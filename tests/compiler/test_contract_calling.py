"""What may be compiled and how it is called: methods, partials, decorators, copies; what switches
compiling off."""

from __future__ import annotations

import copy
import functools
import pickle
import types
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import Lab, Twin, network, same


class Trainer:
    """A class whose methods are compiled in many ways."""

    factor = 2.0

    def __init__(self, t: Twin) -> None:
        self.t, self.model, self.count = t, network(), 0
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.forward = t.compile(self.forward_plain)

    def forward_plain(self, x: Any, scale: float = 1.0) -> Any:
        return self.model(x) * scale * self.factor

    def step(self, x: Any) -> Any:
        self.count += 1
        loss = self.forward_plain(x).square().mean() / self.count
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    @staticmethod
    def alone(x: Any, n: int = 2) -> Any:
        return x * n

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x * cls.factor

    def __call__(self, x: Any) -> Any:
        return self.forward_plain(x) + 1


@pytest.fixture(autouse=True)
def _factor() -> Any:
    yield
    Trainer.factor = 2.0


@pytest.mark.slow
@pytest.mark.eager
def test_methods() -> None:
    def program(t: Twin) -> None:
        Trainer.factor = 2.0
        trainer, other = Trainer(t), Trainer(t)
        step = t.compile(trainer.step)
        t.watch(trainer.model, other.model, trainer.optimizer)
        calls: list[Callable[[Any], Any]] = [
            trainer.forward,
            other.forward,
            lambda x: trainer.forward(x, 3.0),
            lambda x: trainer.forward(x, scale=0.5),
            step,
            t.compile(trainer.alone),
            t.compile(Trainer.alone),
            t.compile(trainer.of_class),
            t.compile(Trainer.of_class),
            t.compile(trainer),
        ]
        for k in range(4):
            if k == 2:
                Trainer.factor = 3.0
            if k == 3:
                other.factor = 4.0
            for call in calls:
                t(call, torch.randn(3, 4))
            t.see(trainer.count)

    same(program)


def test_a_decorator_on_methods_functions_and_classes() -> None:
    def program(t: Twin) -> None:
        class Thing:
            def __init__(self, scale: float) -> None:
                self.scale = scale

            @t.compile
            def scaled(self, x: Any, n: int = 2) -> Any:
                """Says something."""
                return x * self.scale * n

            @staticmethod
            @t.compile
            def plain(x: Any) -> Any:
                return x + 1

            @classmethod
            @t.compile
            def named(cls, x: Any) -> Any:
                return x * len(cls.__name__)

            @property
            @t.compile
            def half(self) -> Any:
                return torch.ones(2) * self.scale / 2

        class Net(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layer = nn.Linear(4, 2)

            @t.compile
            def forward(self, x: Any) -> Any:
                return self.layer(x).relu()

        one, two, net = Thing(2.0), Thing(3.0), Net()
        t.watch(net)
        assert Thing.scaled.__doc__ == "Says something."
        assert Thing.scaled.__name__ == "scaled"
        for k in range(4):
            for thing in (one, two):
                t(thing.scaled, torch.ones(3))
                t(thing.scaled, torch.ones(3), n=k)
                t(thing.plain, torch.ones(3))
                t(thing.named, torch.ones(3))
                t(lambda thing=thing: thing.half)
            t(lambda: net(torch.randn(3, 4)).sum().backward())
            one.scale += 1

    same(program)


@pytest.mark.eager
def test_partials_lambdas_wrappers_and_callable_objects() -> None:
    def scaled(x: Any, factor: Any, *, shift: Any = 0.0) -> Any:
        return x * factor + shift

    def doubled(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def around(*args: Any, **kw: Any) -> Any:
            return fn(*args, **kw) * 2

        return around

    class Adder:
        def __init__(self, n: float) -> None:
            self.n = n

        def __call__(self, x: Any) -> Any:
            return x + self.n

    def program(t: Twin) -> None:
        factor = torch.full((3,), 2.0, requires_grad=True)
        adder = Adder(1.0)
        t.watch(factor)
        functions = [
            t.compile(functools.partial(scaled, factor=3.0)),
            t.compile(functools.partial(scaled, factor=factor, shift=1.0)),
            t.compile(lambda x: scaled(x, 4.0)),
            functools.partial(t.compile(scaled), factor=factor),
            t.compile(doubled(scaled)),
            doubled(t.compile(scaled)),
            t.compile(adder),
            t.compile(torch.relu),
            t.compile(torch.Tensor.exp),
            t.compile(F.gelu),
            t.compile(nn.ReLU()),
            t.compile(functools.lru_cache(maxsize=None)(lambda x: x * 2)),
        ]
        for k in range(4):
            for j, function in enumerate(functions):
                x = torch.randn(3)
                if j in (4, 5):
                    t(function, x, 2.0, shift=float(k))
                else:
                    t(function, x)
            adder.n += 1

    same(program)


def test_types_of_what_comes_back() -> None:
    def function(x: Any) -> Any:
        """Twice."""
        return x * 2

    compiled = torch.compile(function)
    assert callable(compiled)
    assert compiled.__name__ == "function"
    assert compiled.__doc__ == "Twice."
    assert torch.compile(compiled)(torch.ones(1)).item() == 2
    model = network()
    outer = torch.compile(model)
    assert outer._orig_mod is model
    assert isinstance(outer, nn.Module)
    assert torch.compile(function, disable=True) is function
    assert torch.compile(model, disable=True) is model


def test_a_compiled_module_in_other_modules() -> None:
    def program(t: Twin) -> None:
        part = network()
        whole = nn.Sequential(t.compile(part), nn.Linear(2, 2))
        whole2 = t.compile(nn.Sequential(part, whole[1]))
        optimizer = torch.optim.SGD(whole.parameters(), lr=0.1)
        t.watch(part, whole[1], optimizer)

        def step(net: Any, x: Any) -> Any:
            loss = net(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        for k in range(6):
            t(lambda k=k: step(whole if k % 2 else whole2, torch.randn(3, 4)))
        t.see(len(list(whole.parameters())), [tuple(p.shape) for p in whole.parameters()])

    same(program)


def test_copies_of_compiled_functions_and_modules() -> None:
    def program(t: Twin) -> None:
        model = network()
        compiled = t.compile(model)
        for k in range(3):
            other = copy.deepcopy(compiled)
            again = pickle.loads(pickle.dumps(compiled))
            shallow = copy.copy(compiled)
            with torch.no_grad():
                for p in other.parameters():
                    p.add_(k)
            for one in (compiled, other, again, shallow):
                t(lambda one=one: one(torch.ones(2, 4)).sum().backward())
                t.see([p.grad for p in one.parameters()])

    same(program)


def test_the_state_is_loaded_into_a_compiled_module_in_mid_training() -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "module")
        saved = copy.deepcopy(lab.model.state_dict())
        steps = copy.deepcopy(lab.optimizer.state_dict())
        for _ in range(2):
            lab(3)
            prefix = "_orig_mod." if t.compiled else ""
            lab.compiled.load_state_dict({prefix + k: v for k, v in saved.items()})
            lab.optimizer.load_state_dict(steps)
            lab(2)

    same(program)


# -- switched off --------------------------------------------------------------------------------


def test_forgetting_all_that_was_compiled() -> None:
    def program(t: Twin) -> None:
        lab = Lab(t)
        for k in range(6):
            lab(2)
            torch._dynamo.reset() if k % 2 else torch.compiler.reset()

    same(program)


@pytest.mark.eager
def test_parts_that_are_not_compiled() -> None:
    def program(t: Twin) -> None:
        scale, seen, model = 2.0, [], network()
        t.watch(seen, model)

        @torch.compiler.disable
        def outside(x: Any) -> Any:
            seen.append(float(x.sum()))
            return x * scale

        @torch._dynamo.disable
        def other(x: Any) -> Any:
            return x + len(seen)

        @t.compile
        def step(x: Any) -> Any:
            y = other(outside(model(x)))
            loss = y.square().mean()
            loss.backward()
            torch._dynamo.graph_break()
            return loss * 2

        for k in range(6):
            if k == 3:
                scale = 3.0
            t(step, torch.randn(3, 4))

    same(program)


STANCES = ("force_eager", "eager_on_recompile", "default")


@pytest.mark.parametrize("stance", STANCES)
def test_stances(stance: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t)
        lab(2)
        with torch.compiler.set_stance(stance):
            lab(2)
            lab(2, n=5)
            lab.model[0].requires_grad_(False)
            lab(2)
        lab(2)
        torch.compiler.set_stance(stance)
        try:
            lab(2, n=6)
        finally:
            torch.compiler.set_stance("default")
        lab(2)

    same(program)


def test_whether_code_is_being_compiled_does_not_change_what_it_computes() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any) -> Any:
            return x * 2 if torch.compiler.is_compiling() else x + x

        for _ in range(3):
            t(function, torch.randn(3))

    same(program)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "reduce-overhead"},
        {"mode": "max-autotune"},
        {"backend": "eager"},
        {"backend": "aot_eager"},
        {"options": {"trace.enabled": False}},
        {"dynamic": True},
        {"dynamic": False},
        {"disable": True},
    ],
    ids=str,
)
def test_options(options: dict[str, Any]) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "step", **options)
        lab(3)
        lab(2, n=2)
        torch.compiler.cudagraph_mark_step_begin()
        lab(2)

    same(program)


@pytest.mark.eager
def test_functions_of_generated_code() -> None:
    """Without a source that could be read."""

    def program(t: Twin) -> None:
        space: dict[str, Any] = {"torch": torch, "scale": 2.0}
        exec("def function(x):\n    return torch.relu(x) * scale\n", space)
        compiled = t.compile(space["function"])
        other = t.compile(eval("lambda x: x * scale", space))
        for k in range(4):
            space["scale"] = 2.0 + k // 2
            t(compiled, torch.randn(3))
            t(other, torch.randn(3))

    same(program)


@pytest.mark.eager
def test_a_source_that_has_changed_since(tmp_path: Any) -> None:
    def program(t: Twin) -> None:
        file = tmp_path / f"changing_{t.compiled}.py"
        file.write_text("def function(x):\n    return x * 2\n", encoding="utf-8")
        module = types.ModuleType("changing")
        exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
        file.write_text("def function(x):\n    return x * 3\n", encoding="utf-8")
        compiled = t.compile(module.function)
        for _ in range(3):
            t(compiled, torch.ones(2))

    same(program)


def test_many_functions_of_one_line() -> None:
    def program(t: Twin) -> None:
        a, b, c = (lambda x: x + 1), (lambda x: x * 3), (lambda x, y=2: x - y)
        compiled = [t.compile(f) for f in (a, b, c)]
        for _ in range(3):
            for f in compiled:
                t(f, torch.ones(2))

    same(program)

"""What is changed in a module between two calls of a compiled step is seen by the second."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


def changed(form: str, change: Callable[[Lab], Any], model: Callable[[], Any] = network) -> None:
    """Three steps, the change, three steps."""

    def program(t: Twin) -> None:
        lab = Lab(t, form, model())
        lab(3)
        change(lab)
        lab(3)

    same(program)


def start_again(part: Any) -> None:
    if hasattr(part, "reset_parameters"):
        part.reset_parameters()


def halve(m: Any) -> None:
    with torch.no_grad():
        for p in m.parameters():
            p.mul_(0.5)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "evaluated": lambda m: m.eval(),
    "a layer evaluated": lambda m: m[2].eval(),
    "frozen": lambda m: m[0].requires_grad_(False),
    "a frozen weight": lambda m: m[3].weight.requires_grad_(False),
    "a replaced parameter": lambda m: setattr(m[0], "weight", nn.Parameter(torch.randn(6, 4))),
    "a parameter taken out": lambda m: setattr(m[0], "bias", None),
    "a parameter registered": lambda m: m[0].register_parameter(
        "bias", nn.Parameter(torch.zeros(6))
    ),
    "a weight of two layers": lambda m: setattr(m[3], "bias", nn.Parameter(m[0].bias[:2].detach())),
    "data swapped": lambda m: setattr(m[0].weight, "data", torch.randn(6, 4)),
    "data swapped, turned": lambda m: setattr(m[0].weight, "data", torch.randn(4, 6).t()),
    "data copied into": lambda m: m[0].weight.data.copy_(torch.randn(6, 4)),
    "data of one place": lambda m: m[0].weight.data[1].zero_(),
    "data of NumPy": lambda m: m[0].weight.detach().numpy().fill(0.25),
    "changed without gradients": halve,
    "a replaced layer": lambda m: m.__setitem__(0, nn.Linear(4, 6)),
    "a layer more": lambda m: m.append(nn.Linear(2, 2)),
    "a layer less": lambda m: m.__delitem__(1),
    "another activation": lambda m: m.__setitem__(1, nn.Tanh()),
    "another probability": lambda m: setattr(m[2], "p", 0.2),
    "no dropout": lambda m: setattr(m[2], "p", 0.0),
    "another forward": lambda m: setattr(m[0], "forward", lambda x: F.linear(x, m[0].weight) * 2),
    "another class": lambda m: setattr(m[1], "__class__", nn.Sigmoid),
    "weights loaded": lambda m: m.load_state_dict(network(0.5).state_dict()),
    "weights assigned": lambda m: m.load_state_dict(network(0.5).state_dict(), assign=True),
    "weights drawn anew": lambda m: m.apply(start_again),
    "weights as a vector": lambda m: nn.utils.vector_to_parameters(
        torch.ones(44) / 8, m.parameters()
    ),
    "copies of parameters": lambda m: [setattr(p, "data", p.data.clone()) for p in m.parameters()],
    "nothing": lambda m: None,
}


@pytest.mark.eager("a weight of two layers-step", "another forward")
@forms
@pytest.mark.parametrize("name", CHANGES)
def test_a_change(name: str, form: str) -> None:
    changed(form, lambda lab: CHANGES[name](lab.model), lambda: network(0.5))


@forms
def test_changes_and_back_again(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, network(0.5))
        for _ in range(3):
            lab(2)
            lab.model.eval()
            lab(2)
            lab.model.train()
            lab.model[0].requires_grad_(False)
            lab(1)
            lab.model[0].requires_grad_(True)

    same(program)


@pytest.mark.eager
@forms
@pytest.mark.parametrize("kind", ["forward", "pre-forward", "backward", "tensor", "post", "global"])
def test_a_hook_added_later_and_taken_away(kind: str, form: str) -> None:
    def program(t: Twin) -> None:
        lab, seen = Lab(t, form), []
        t.watch(seen)
        lab(2)
        layer = lab.model[0]

        def double(module: Any, args: Any, y: Any) -> Any:
            if not isinstance(module, nn.Linear):  # the module around a compiled one is called too
                return None
            seen.append(float(y.detach().sum()))
            return y * 2

        def halved(module: Any, args: Any) -> Any:
            return (args[0] / 2,)

        def less(module: Any, before: Any, after: Any) -> Any:
            seen.append(len(after))
            return tuple(None if g is None else g / 4 for g in before)

        def clipped(g: Any) -> Any:
            return g.clamp(-0.01, 0.01)

        def told(p: Any) -> None:
            seen.append(float(p.grad.sum()))

        handle = {
            "forward": lambda: layer.register_forward_hook(double),
            "pre-forward": lambda: layer.register_forward_pre_hook(halved),
            "backward": lambda: layer.register_full_backward_hook(less),
            "tensor": lambda: layer.weight.register_hook(clipped),
            "post": lambda: layer.weight.register_post_accumulate_grad_hook(told),
            "global": lambda: nn.modules.module.register_module_forward_hook(double),
        }[kind]()
        try:
            lab(3)
        finally:
            handle.remove()
        lab(2)

    same(program)


@pytest.mark.eager
@forms
def test_a_hook_there_from_the_first(form: str) -> None:
    def program(t: Twin) -> None:
        seen: list[Any] = []
        model = network()
        model[0].register_forward_hook(lambda m, a, y: seen.append(len(seen)))
        model[1].register_forward_hook(lambda m, a, y: y + len(seen))
        model[2].weight.register_hook(lambda g: g * 2)
        model[2].register_full_backward_hook(lambda m, before, after: seen.append("back"))
        t.watch(seen)
        Lab(t, form, model)(4)

    same(program)


class Counting(nn.Module):
    """Reads and changes attributes of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.scale, self.shift, self.count = 2.0, 0, 0
        self.options = {"twice": False, "power": [1, 2]}
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x: Any) -> Any:
        y = self.layer(x) * self.scale + self.shift
        if self.options["twice"]:
            y = y + y
        for power in self.options["power"]:
            y = y + x.mean() ** power
        return y + self.mean


ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "a number": lambda m: setattr(m, "scale", 3.0),
    "an integer in place of a float": lambda m: setattr(m, "scale", 2),
    "a float in place of an integer": lambda m: setattr(m, "shift", 0.5),
    "a tensor in place of a number": lambda m: setattr(m, "scale", torch.tensor([1.0, 2.0])),
    "an entry": lambda m: m.options.update(twice=True),
    "a list": lambda m: m.options["power"].append(3),
    "a list emptied": lambda m: m.options["power"].clear(),
    "a dictionary": lambda m: setattr(m, "options", {"twice": True, "power": []}),
    "a buffer": lambda m: setattr(m, "mean", torch.ones(2)),
    "a buffer in place": lambda m: m.mean.fill_(2),
    "a buffer of another type": lambda m: setattr(m, "mean", torch.ones(2).double()),
    "a parameter where a buffer was": lambda m: (
        delattr(m, "mean"),
        m.register_parameter("mean", nn.Parameter(torch.ones(2))),
    ),
}


@forms
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute(name: str, form: str) -> None:
    changed(form, lambda lab: ATTRIBUTES[name](lab.model), Counting)


@forms
def test_an_attribute_deleted_and_one_of_its_class(form: str) -> None:
    class Scaled(nn.Module):
        scale = 2.0

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            return self.layer(x) * self.scale

    def program(t: Twin) -> None:
        Scaled.scale = 2.0
        lab = Lab(t, form, Scaled())
        lab(2)
        Scaled.scale = 3.0
        lab(2)
        lab.model.scale = 4.0
        lab(2)
        del lab.model.scale
        lab(2)

    same(program)


@pytest.mark.eager
@forms
def test_a_counter_that_the_module_counts(form: str) -> None:
    class Warm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.calls = nn.Linear(4, 2), 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            y = self.layer(x)
            return y * 0.1 if self.calls < 4 else y

    same(lambda t: Lab(t, form, Warm())(6))


@pytest.mark.eager
@forms
def test_a_tensor_that_the_module_keeps(form: str) -> None:
    class Keeping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.last, self.all = nn.Linear(4, 2), None, []

        def forward(self, x: Any) -> Any:
            y = self.layer(x)
            if self.last is not None:
                y = y + self.last.mean()
            self.last = y.detach()
            self.all.append(y.detach().sum())
            return y

    same(lambda t: Lab(t, form, Keeping())(5))


@pytest.mark.eager
@forms
def test_statistics_of_batch_norm(form: str) -> None:
    def program(t: Twin) -> None:
        layers = [nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2)]
        lab = Lab(t, form, nn.Sequential(*layers))
        norm = lab.model[1]
        lab(3)
        for name, value in (("momentum", 0.3), ("momentum", None), ("eps", 0.1)):
            setattr(norm, name, value)
            lab(2)
        norm.eval()
        lab(2)
        norm.train()
        lab(1, n=5)
        norm.reset_running_stats()
        lab(2)
        norm.track_running_stats = False
        lab(2)
        norm.running_mean = None
        norm.running_var = None
        lab(2)

    same(program)


@forms
def test_weights_that_two_layers_share(form: str) -> None:
    def program(t: Twin) -> None:
        first, second = nn.Linear(4, 4), nn.Linear(4, 4)
        lab = Lab(t, form, nn.Sequential(first, nn.Tanh(), second, nn.Linear(4, 2)))
        lab(2)
        second.weight = first.weight
        lab(3)
        second.weight = nn.Parameter(torch.randn(4, 4))
        lab(2)
        lab.model[1] = first
        lab(2)

    same(program)


@forms
def test_another_type_of_numbers(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        lab(2)
        lab.model.double()
        x, y = lab.batch()
        for _ in range(3):
            t(lab.step, x.double(), y.double())
        t(lab.step, x, y)  # types do not fit
        lab.model.float()
        lab(2)

    same(program)


@pytest.mark.eager
@forms
def test_a_weight_with_a_norm_of_its_own(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        lab(2)
        nn.utils.parametrizations.weight_norm(lab.model[0])
        lab(2)
        nn.utils.parametrize.remove_parametrizations(lab.model[0], "weight")
        lab(2)

    same(program)


@pytest.mark.eager
@forms
def test_pruning(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        lab(2)
        nn.utils.prune.l1_unstructured(lab.model[0], "weight", amount=0.5)
        lab(2)
        nn.utils.prune.remove(lab.model[0], "weight")
        lab(2)

    same(program)


def test_copies_of_a_compiled_module_go_their_own_ways() -> None:
    def program(t: Twin) -> None:
        model = network()
        compiled = t.compile(model)
        t.watch(model)
        x = torch.randn(3, 4)
        for _ in range(2):
            t(compiled, x)
        twin = copy.deepcopy(compiled)
        restored = pickle.loads(pickle.dumps(compiled))
        with torch.no_grad():
            model[0].weight.zero_()
        for one in (compiled, twin, restored, twin, compiled, restored):
            t(lambda one=one: one(x).sum().backward())
        t.see(twin, restored)

    same(program)


def test_the_state_of_a_compiled_module() -> None:
    torch.manual_seed(0)
    model = network()
    compiled = torch.compile(model)
    x = torch.randn(3, 4)
    for _ in range(3):
        F.mse_loss(compiled(x), torch.zeros(3, 2)).backward()
    assert list(compiled.state_dict()) == [f"_orig_mod.{k}" for k in model.state_dict()]
    assert [k for k, _ in compiled.named_parameters()] == list(compiled.state_dict())
    file = io.BytesIO()
    torch.save(compiled.state_dict(), file)
    file.seek(0)
    other = torch.compile(network())
    before = other(x)
    other.load_state_dict(torch.load(file))
    assert not torch.equal(before, other(x))
    assert torch.equal(other(x), model(x))
    plain = network()
    plain.load_state_dict(
        {k.removeprefix("_orig_mod."): v for k, v in compiled.state_dict().items()}
    )
    assert torch.equal(plain(x), compiled(x))


def test_attributes_and_methods_by_way_of_the_compiled_module() -> None:
    def program(t: Twin) -> None:
        model = Counting()
        compiled = t.compile(model)
        x = torch.randn(3, 4)
        t.watch(model)
        t(compiled, x)
        t(compiled, x)
        compiled.scale = 5.0
        t(compiled, x)
        compiled.eval()
        t(compiled, x)
        compiled.requires_grad_(False)
        t(compiled, x)
        compiled.layer = nn.Linear(4, 2)
        t(compiled, x)
        compiled.mean = torch.ones(2)
        t(compiled, x)

    same(program)


def test_modules_in_lists_and_dictionaries() -> None:
    class Branches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.many = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
            self.named = nn.ModuleDict({"out": nn.Linear(4, 2)})
            self.scales = nn.ParameterList([nn.Parameter(torch.ones(4)) for _ in range(2)])
            self.which = "out"

        def forward(self, x: Any) -> Any:
            for layer, scale in zip(self.many, self.scales, strict=False):
                x = F.relu(layer(x)) * scale
            return self.named[self.which](x)

    def program(t: Twin) -> None:
        lab = Lab(t, "module", Branches())
        lab(2)
        lab.model.many.append(nn.Linear(4, 4))
        lab(2)
        lab.model.scales.append(nn.Parameter(torch.ones(4) / 2))
        lab(2)
        lab.model.named["other"] = nn.Linear(4, 2)
        lab(2)
        lab.model.which = "other"
        lab(2)
        lab.model.which = "nowhere"
        lab(1)

    same(program)

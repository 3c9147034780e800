"""Optimizers against PyTorch's: numbers step for step, states in both directions."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import rushlight
from rushlight import optim

torch = pytest.importorskip("torch")

CASES = [
    ("SGD", {}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"maximize": True, "betas": (0.0, 0.9)}),
    ("Adam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1, "eps": 0.0}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.3, "maximize": True}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.1}),
    ("NAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("RAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1, "betas": (0.8, 0.9)}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.2}),
    ("Adagrad", {"weight_decay": 0.1, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"centered": True, "alpha": 0.9}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.4, 1.3), "step_sizes": (1e-3, 0.2), "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "t0": 3, "weight_decay": 0.1, "lambd": 0.01, "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "maximize": True, "d": 2.0}),
    ("Muon", {}),
    ("Muon", {"lr": 0.1, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"}),
]
IDS = [f"{i}-{name}" for i, (name, _) in enumerate(CASES)]
ONE_EACH = [next(c for c in CASES if c[0] == name) for name in dict.fromkeys(c[0] for c in CASES)]
# Muon rounds to bfloat16 between its products; the order of their sums shows in the last bit of 8.
TOLERANCE = {"float64": 1e-12, "float32": 5e-6, "complex64": 5e-6, "complex128": 1e-12}
MUON_TOLERANCE = 2e-2
SHAPES = [(3, 4), (5,), (), (150, 130), (2, 3, 4)]


class Pair:
    """The same parameters and optimizer in both libraries, fed the same gradients."""

    def __init__(self, name, settings, dtype="float64", shapes=None, seed=0):
        self.name, self.dtype = name, dtype
        self.rng = np.random.default_rng(seed)
        shapes = shapes or SHAPES
        if name == "Muon":
            shapes = [s for s in shapes if len(s) == 2]
        values = [self.draw(s) for s in shapes]
        self.mine = [rushlight.from_numpy(v.copy()).requires_grad_() for v in values]
        self.other = [torch.from_numpy(v.copy()).requires_grad_() for v in values]
        self.a = getattr(rushlight.optim, name)(self.mine, **settings)
        self.b = getattr(torch.optim, name)(self.other, **settings)

    def draw(self, shape):
        x = self.rng.standard_normal(shape)
        if self.dtype.startswith("complex"):
            x = x + 1j * self.rng.standard_normal(shape)
        return np.asarray(x, self.dtype)

    def steps(self, count):
        for _ in range(count):
            for x, y in zip(self.mine, self.other, strict=True):
                g = self.draw(tuple(x.shape))
                x.grad, y.grad = rushlight.from_numpy(g.copy()), torch.from_numpy(g.copy())
            self.a.step()
            self.b.step()

    def check(self):
        rtol = MUON_TOLERANCE if self.name == "Muon" else TOLERANCE[self.dtype]
        for x, y in zip(self.mine, self.other, strict=True):
            close(x, y, rtol)
            mine, other = self.a.state.get(x, {}), self.b.state.get(y, {})
            assert list(mine) == list(other)
            for key, value in other.items():
                assert tuple(mine[key].shape) == tuple(value.shape)
                assert str(mine[key].dtype) == str(value.dtype)
                close(mine[key], value, rtol)


def close(x, y, rtol):
    y = y.detach().numpy()
    np.testing.assert_allclose(x.detach().numpy(), y, rtol=rtol, atol=rtol * (1 + abs(y).max()))


def real_only(name, dtype):
    if name in ("Adafactor", "Muon") and dtype.startswith("complex"):
        pytest.skip(f"{name} is for real parameters")


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_step_for_step(name, settings, dtype):
    real_only(name, dtype)
    if settings.get("centered") and dtype in ("float32", "complex64"):
        pytest.skip("E[g^2] - E[g]^2 cancels: two roundings of it differ by more than a few ulp")
    pair = Pair(name, settings, dtype)
    for _ in range(4):
        pair.steps(3)
        pair.check()
    assert repr(pair.a) == repr(pair.b)


@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_state_dictionaries_have_one_form(name, settings):
    pair = Pair(name, settings)
    for count in (0, 2):
        pair.steps(count)
        mine, other = pair.a.state_dict(), pair.b.state_dict()
        assert list(mine) == list(other) == ["state", "param_groups"]
        assert mine["param_groups"] == other["param_groups"]
        assert [list(g) for g in mine["param_groups"]] == [list(g) for g in other["param_groups"]]
        assert list(mine["state"]) == list(other["state"])
        for i, held in other["state"].items():
            assert list(mine["state"][i]) == list(held)
            assert {k: str(v.dtype) for k, v in mine["state"][i].items()} == {
                k: str(v.dtype) for k, v in held.items()
            }


@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_states_go_both_ways(name, settings):
    first = Pair(name, settings)
    first.steps(3)
    # A run is continued in the other library, from the other's state and parameters.
    again = Pair(name, settings)
    for x, y in zip(again.mine, first.other, strict=True):
        x.data = rushlight.from_numpy(y.detach().numpy().copy())
    for x, y in zip(first.mine, again.other, strict=True):
        y.data = torch.from_numpy(x.detach().numpy().copy())
    again.a.load_state_dict(convert(first.b.state_dict(), to_rushlight))
    again.b.load_state_dict(convert(first.a.state_dict(), to_torch))
    again.rng = copy.deepcopy(first.rng)
    again.steps(3)
    first.steps(3)
    again.check()
    # Loading gives the numbers of a state (all but `step`) the parameter's dtype, here a wider one.
    widened = name in ("NAdam", "ASGD")
    rtol = MUON_TOLERANCE if name == "Muon" else 1e-6 if widened else 1e-12
    for x, y in zip(first.mine, again.mine, strict=True):
        close(x, torch.from_numpy(y.detach().numpy()), rtol)


def convert(value, leaf):
    if isinstance(value, dict):
        return {k: convert(v, leaf) for k, v in value.items()}
    if isinstance(value, list):
        return [convert(v, leaf) for v in value]
    return leaf(value)


def to_rushlight(value):
    if isinstance(value, torch.Tensor):
        return rushlight.from_numpy(value.detach().numpy().copy())
    return value


def to_torch(value):
    if isinstance(value, rushlight.Tensor):
        return torch.from_numpy(np.array(value.detach().numpy()))
    return value


@pytest.mark.parametrize(("name", "settings"), ONE_EACH, ids=[c[0] for c in ONE_EACH])
def test_a_foreign_state_loads_without_conversion(name, settings):
    pair = Pair(name, settings)
    pair.steps(2)
    pair.a.load_state_dict(pair.b.state_dict())
    pair.steps(2)
    for x, y in zip(pair.mine, pair.other, strict=True):
        close(x, y, MUON_TOLERANCE if name == "Muon" else 1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad",
                                  "Adadelta", "RMSprop", "Rprop", "ASGD", "Adafactor"])  # fmt: skip
def test_a_tensor_as_learning_rate(name, dtype):
    pair = Pair(name, {}, dtype)
    value = 0.0125
    pair.a.param_groups[0]["lr"] = rushlight.tensor(value)
    pair.b.param_groups[0]["lr"] = torch.tensor(value)
    pair.steps(4)
    # The numbers of a step are then float32 in both, and meet in another order.
    for x, y in zip(pair.mine, pair.other, strict=True):
        close(x, y, 5e-6)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_and_foreach_change_no_number(name):
    plain = Pair(name, {"weight_decay": 0.1}, "float32")
    plain.steps(4)
    for flag in ("fused", "foreach"):
        flagged = Pair(name, {"weight_decay": 0.1, flag: True}, "float32")
        flagged.steps(4)
        flagged.check()
        for x, y in zip(plain.mine, flagged.mine, strict=True):
            assert np.array_equal(x.detach().numpy(), y.detach().numpy())


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_transposed_and_strided_parameters(name):
    rng = np.random.default_rng(1)
    base = rng.standard_normal((200, 300))
    grads = [rng.standard_normal((200, 300)) for _ in range(4)]
    for cut in (np.s_[:], np.s_[::2, 1::3]):
        mine = rushlight.from_numpy(base.copy()).t()[cut].requires_grad_()
        other = torch.from_numpy(base.copy()).t()
        other = (other[cut] if cut == np.s_[:] else other[::2, 1::3]).requires_grad_()
        a = getattr(rushlight.optim, name)([mine], lr=0.1)
        b = getattr(torch.optim, name)([other], lr=0.1)
        for g in grads:
            mine.grad = rushlight.from_numpy(g.T[cut].copy())
            other.grad = torch.from_numpy(g.T[cut].copy())
            a.step()
            b.step()
        close(mine, other, 1e-12)


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")  # PyTorch's own
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_lbfgs(search, dtype):
    start = np.array([-1.5, 2.0], dtype), np.array(0.3, dtype)
    losses = []
    for lib in (rushlight, torch):
        x, y = (lib.from_numpy(v.copy()).requires_grad_() for v in start)
        lr = 1.0 if search else 0.001
        iterations = 20 if dtype == "float64" else 5
        optimizer = lib.optim.LBFGS(
            [x, y], lr=lr, max_iter=iterations, line_search_fn=search, history_size=5
        )

        def closure(optimizer=optimizer, x=x, y=y):
            optimizer.zero_grad()
            loss = 100 * (x[1] - x[0] * x[0]) ** 2 + (1 - x[0]) ** 2 + y * y * y * y
            loss.backward()
            return loss

        path = []
        # In float32 the searches part after some time: a rounding decides how a bracket divides.
        for _ in range(4 if dtype == "float64" else 1):
            path.append(float(optimizer.step(closure)))
            path.extend([*x.detach().numpy().tolist(), y.item()])
        state = optimizer.state_dict()["state"][0]
        losses.append((path, state["n_iter"], state["func_evals"], list(state)))
    mine, other = losses
    assert mine[1:] == other[1:]
    rtol = 1e-9 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(mine[0], other[0], rtol=rtol, atol=rtol)


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
def test_lbfgs_state_goes_both_ways():
    start = np.array([-1.5, 2.0])

    def make(lib, values):
        x = lib.from_numpy(np.array(values)).requires_grad_()
        optimizer = lib.optim.LBFGS([x], lr=0.5, max_iter=4, line_search_fn="strong_wolfe")

        def closure():
            optimizer.zero_grad()
            loss = ((x - 3) ** 4).sum() + (x[0] * x[1]) ** 2
            loss.backward()
            return loss

        return x, optimizer, closure

    x, a, closure_a = make(rushlight, start)
    y, b, closure_b = make(torch, start)
    for _ in range(2):
        a.step(closure_a)
        b.step(closure_b)
    x2, a2, closure_a2 = make(rushlight, y.detach().numpy())
    y2, b2, closure_b2 = make(torch, x.detach().numpy())
    a2.load_state_dict(convert(b.state_dict(), to_rushlight))
    b2.load_state_dict(convert(a.state_dict(), to_torch))
    for each, closure in ((a, closure_a), (a2, closure_a2), (b2, closure_b2)):
        each.step(closure)
    for z in (x2, y2):
        np.testing.assert_allclose(z.detach().numpy(), x.detach().numpy(), rtol=1e-9)


# With the number of steps that PyTorch's own in-place updates let backward go through.
DIFFERENTIABLE = [
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1, "lr": 0.1}, 3),
    ("SGD", {"momentum": 0.9, "nesterov": True, "maximize": True}, 3),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}, 3),
    ("Adam", {"lr": 0.1, "amsgrad": True}, 1),
    ("AdamW", {"lr": 0.1}, 3),
    ("Adamax", {"lr": 0.1}, 1),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1}, 3),
    ("RAdam", {"lr": 0.1}, 3),
    ("Adagrad", {"lr": 0.1}, 3),
    ("Adadelta", {"lr": 0.5}, 3),
    ("RMSprop", {"lr": 0.1, "momentum": 0.5}, 3),
    ("RMSprop", {"lr": 0.1, "centered": True}, 1),
    ("Rprop", {"lr": 0.1}, 1),
    ("ASGD", {"lr": 0.1, "t0": 1}, 3),
]
# There PyTorch holds the bias corrections in float32 even for float64 parameters.
CORRECTED_IN_FLOAT32 = ("Adam", "AdamW", "NAdam")


@pytest.mark.parametrize(("name", "settings", "steps"), DIFFERENTIABLE,
                         ids=[f"{i}-{c[0]}" for i, c in enumerate(DIFFERENTIABLE)])  # fmt: skip
def test_differentiable_steps_give_the_same_gradients(name, settings, steps):
    rng = np.random.default_rng(3)
    start, scale = rng.standard_normal(4), rng.standard_normal(4) + 3
    found = []
    for lib in (rushlight, torch):
        p0 = lib.from_numpy(start.copy()).requires_grad_()
        s = lib.from_numpy(scale.copy()).requires_grad_()
        p = p0.clone()
        optimizer = getattr(lib.optim, name)([p], differentiable=True, **settings)
        if name == "SGD":
            # PyTorch detaches a buffer that it makes itself and loses the first gradient there.
            optimizer.state[p]["momentum_buffer"] = lib.zeros(4, dtype=lib.float64)
        for i in range(steps):
            p.grad = (s * (i + 1)).sin() * 2 + 1 + s * s
            optimizer.step()
        p.sum().backward()
        found.append([p.detach().numpy(), p0.grad.numpy(), s.grad.numpy()])
    tolerance = 1e-4 if name in CORRECTED_IN_FLOAT32 else 1e-9
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_the_learning_rate_itself_gets_a_gradient(name):
    found = []
    for lib in (rushlight, torch):
        lr = lib.tensor(0.1, dtype=lib.float64, requires_grad=True)
        p = lib.tensor([1.0, -2.0, 3.0], dtype=lib.float64, requires_grad=True).clone()
        optimizer = getattr(lib.optim, name)([p], lr=lr, differentiable=True)
        p.grad = lib.tensor([0.3, -0.1, 2.0], dtype=lib.float64)
        optimizer.step()
        (p * p).sum().backward()
        found.append(float(lr.grad))
    assert found[0] == pytest.approx(found[1], rel=1e-4 if name in CORRECTED_IN_FLOAT32 else 1e-9)


@pytest.mark.parametrize(("name", "settings"), ONE_EACH, ids=[c[0] for c in ONE_EACH])
def test_signatures_are_pytorchs(name, settings):
    import inspect

    mine = inspect.signature(getattr(optim, name).__init__).parameters
    other = inspect.signature(getattr(torch.optim, name).__init__).parameters
    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in other.values()
    ]


BAD = [
    ("SGD", {"lr": -1}), ("SGD", {"momentum": -1}), ("SGD", {"weight_decay": -1}),
    ("SGD", {"nesterov": True}), ("Adam", {"lr": -1}), ("Adam", {"eps": -1}),
    ("Adam", {"betas": (1.0, 0.9)}), ("Adam", {"betas": (0.9, 1.0)}),
    ("Adam", {"betas": (0, 0.9)}), ("Adam", {"weight_decay": -1}),
    ("Adam", {"fused": True, "differentiable": True}), ("AdamW", {"fused": True, "foreach": True}),
    ("NAdam", {"momentum_decay": -1}), ("Adagrad", {"lr_decay": -1}),
    ("Adagrad", {"initial_accumulator_value": -1}), ("Adadelta", {"rho": 1.1}),
    ("RMSprop", {"alpha": -1}), ("RMSprop", {"momentum": -1}), ("Rprop", {"etas": (1.0, 0.5)}),
    ("ASGD", {"weight_decay": -1}), ("Adafactor", {"lr": -1}), ("Adafactor", {"beta2_decay": 1}),
    ("Adafactor", {"eps": (-1, 0.1)}), ("Adafactor", {"d": 0.5}),
    ("Muon", {"adjust_lr_fn": "x"}), ("LBFGS", {"lr": -1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), BAD, ids=[f"{n}-{s}" for n, s in BAD])
def test_bad_settings_raise_what_pytorch_raises(name, settings):
    with pytest.raises((ValueError, RuntimeError)) as other:
        getattr(torch.optim, name)([torch.zeros(2, 2, requires_grad=True)], **settings)
    with pytest.raises(other.type) as mine:
        getattr(optim, name)([rushlight.zeros(2, 2, requires_grad=True)], **settings)
    assert str(mine.value).startswith(str(other.value))

"""Schedulers against PyTorch's: every rate of long runs, exactly, and states in both directions."""

from __future__ import annotations

import copy
import warnings

import pytest

import rushlight
from rushlight.optim import lr_scheduler as ours
from rushlight.optim.lr_scheduler.annealing import SWALR

torch = pytest.importorskip("torch")
theirs = torch.optim.lr_scheduler


def optimizers(kind="SGD", groups=1, lr=0.5, **settings):
    """One optimizer of each library with the same groups."""
    made = []
    for lib in (rushlight, torch):
        params = [
            {"params": [lib.zeros(2, requires_grad=True)], "lr": lr * (i + 1)}
            for i in range(groups)
        ]
        made.append(getattr(lib.optim, kind)(params, **settings))
    return made


class Shrink:
    """A callable object with state, for LambdaLR."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, epoch):
        return self.factor**epoch


def build(lib, optimizer, name, settings):
    module = ours if lib is rushlight else theirs
    if name == "SWALR":
        return (SWALR if lib is rushlight else torch.optim.swa_utils.SWALR)(optimizer, **settings)
    if name in ("SequentialLR", "ChainedScheduler"):
        parts = [build(lib, optimizer, *part) for part in settings["parts"]]
        rest = {k: v for k, v in settings.items() if k != "parts"}
        if name == "SequentialLR":
            return module.SequentialLR(optimizer, parts, **rest)
        return module.ChainedScheduler(parts, **rest)
    return getattr(module, name)(optimizer, **settings)


CASES = [
    ("LambdaLR", {"lr_lambda": lambda epoch: 0.95**epoch}),
    ("LambdaLR", {"lr_lambda": Shrink(0.9)}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.95}),
    ("StepLR", {"step_size": 3, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [3, 7, 7, 20], "gamma": 0.5}),
    ("ConstantLR", {"factor": 0.25, "total_iters": 4}),
    ("LinearLR", {"start_factor": 0.25, "end_factor": 0.75, "total_iters": 6}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("PolynomialLR", {"total_iters": 8, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 5}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.6, "step_size_up": 4, "step_size_down": 7}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.6, "step_size_up": 4, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.6, "step_size_up": 4, "mode": "exp_range",
                  "gamma": 0.97}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.6, "step_size_up": 4, "scale_fn": lambda x: 1 / x,
                  "scale_mode": "cycle"}),
    ("OneCycleLR", {"max_lr": 0.7, "total_steps": 40}),
    ("OneCycleLR", {"max_lr": 0.7, "epochs": 5, "steps_per_epoch": 8, "three_phase": True}),
    ("OneCycleLR", {"max_lr": 0.7, "total_steps": 40, "anneal_strategy": "linear",
                    "cycle_momentum": False}),
    ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 6}),
    ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 0, "anneal_strategy": "linear"}),
    ("SequentialLR", {"parts": [("LinearLR", {"total_iters": 4}), ("ExponentialLR", {"gamma": 0.9}),
                                ("StepLR", {"step_size": 2})], "milestones": [4, 11]}),
    ("ChainedScheduler", {"parts": [("ConstantLR", {"factor": 0.5, "total_iters": 4}),
                                    ("ExponentialLR", {"gamma": 0.9}),
                                    ("CosineAnnealingLR", {"T_max": 9})]}),
]  # fmt: skip
IDS = [f"{i}-{name}" for i, (name, _) in enumerate(CASES)]


def view(optimizer):
    """What a scheduler may change."""
    keys = ("lr", "momentum", "betas", "initial_lr", "max_lr", "min_lr", "swa_lr")
    return [{k: group[k] for k in keys if k in group} for group in optimizer.param_groups]


@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_every_rate_of_a_run(name, settings, kind):
    extra = {"momentum": 0.9} if kind == "SGD" else {}
    a, b = optimizers(kind, groups=2, **extra)
    sa, sb = build(rushlight, a, name, settings), build(torch, b, name, settings)
    assert view(a) == view(b)
    for epoch in range(30):
        a.step()
        b.step()
        sa.step()
        sb.step()
        assert view(a) == view(b), epoch
        assert sa.get_last_lr() == sb.get_last_lr()


@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_states_go_both_ways(name, settings):
    a, b = optimizers(momentum=0.9)
    sa, sb = build(rushlight, a, name, settings), build(torch, b, name, settings)
    for _ in range(6):
        for each in (a, b, sa, sb):
            each.step()
    mine, other = sa.state_dict(), sb.state_dict()
    assert list(mine) == list(other) or sorted(mine) == sorted(other)
    assert _plain(mine) == _plain(other)
    a2, b2 = optimizers(momentum=0.9)
    sa2, sb2 = build(rushlight, a2, name, settings), build(torch, b2, name, settings)
    for group, saved in ((a2.param_groups, b.param_groups), (b2.param_groups, a.param_groups)):
        for g, s in zip(group, saved, strict=True):
            g.update({k: v for k, v in s.items() if k != "params"})
    sa2.load_state_dict(copy.deepcopy(other))
    sb2.load_state_dict(copy.deepcopy(mine))
    for _ in range(6):
        for each in (a, a2, b2, sa, sa2, sb2):
            each.step()
        assert view(a) == view(a2) == view(b2)


def _plain(state):
    return {k: [_plain(s) for s in v] if k == "_schedulers" else v for k, v in state.items()}


@pytest.mark.parametrize("name", ["StepLR", "MultiStepLR", "ConstantLR", "LinearLR",
                                  "ExponentialLR", "PolynomialLR", "CosineAnnealingLR",
                                  "CosineAnnealingWarmRestarts", "LambdaLR"])  # fmt: skip
def test_the_deprecated_epoch_argument_uses_the_closed_form(name):
    settings = dict(CASES)[name] if name != "LambdaLR" else {"lr_lambda": lambda e: 0.9**e}
    a, b = optimizers()
    sa, sb = build(rushlight, a, name, settings), build(torch, b, name, settings)
    a.step()
    b.step()
    warned = []
    for epoch in (1, 5, 3, 12):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            sa.step(epoch)
        warned.append([str(w.message) for w in seen])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            sb.step(epoch)
        assert warned[-1] == [str(w.message) for w in seen]
        assert view(a) == view(b)


def test_fractions_of_epochs_with_warm_restarts():
    a, b = optimizers()
    sa = ours.CosineAnnealingWarmRestarts(a, T_0=3, T_mult=2)
    sb = theirs.CosineAnnealingWarmRestarts(b, T_0=3, T_mult=2)
    for i in range(60):
        sa.step(i / 4)
        sb.step(i / 4)
        assert view(a) == view(b)
        assert (sa.T_cur, sa.T_i, sa.last_epoch) == (sb.T_cur, sb.T_i, sb.last_epoch)


@pytest.mark.parametrize("settings", [
    {}, {"patience": 1, "cooldown": 2, "factor": 0.5}, {"mode": "max", "patience": 2},
    {"mode": "max", "threshold_mode": "abs", "threshold": 0.2, "patience": 0},
    {"threshold_mode": "abs", "threshold": 0.1, "patience": 1, "min_lr": [0.2, 0.01]},
])  # fmt: skip
def test_plateau(settings):
    import random

    rng = random.Random(0)
    a, b = optimizers(groups=2)
    sa, sb = ours.ReduceLROnPlateau(a, **settings), theirs.ReduceLROnPlateau(b, **settings)
    for _ in range(60):
        metric = rng.random()
        sa.step(metric)
        sb.step(metric)
        assert view(a) == view(b)
        assert sa.state_dict() == sb.state_dict()
    a2, _ = optimizers(groups=2)
    again = ours.ReduceLROnPlateau(a2, **settings)
    again.load_state_dict(sb.state_dict())
    assert again.state_dict() == sb.state_dict()


def test_resuming_from_last_epoch():
    a, b = optimizers()
    for optimizer in (a, b):
        optimizer.param_groups[0]["initial_lr"] = 0.5
    for name, settings in (("CosineAnnealingLR", {"T_max": 7}), ("StepLR", {"step_size": 3})):
        sa = build(rushlight, a, name, {**settings, "last_epoch": 3})
        sb = build(torch, b, name, {**settings, "last_epoch": 3})
        for _ in range(5):
            for each in (a, b, sa, sb):
                each.step()
            assert view(a) == view(b)


@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_a_tensor_as_learning_rate(name, settings):
    if name == "CyclicLR":
        pytest.skip("its base_lr replaces the lr")
    a, b = optimizers()
    a.param_groups[0]["lr"] = rushlight.tensor(0.5)
    b.param_groups[0]["lr"] = torch.tensor(0.5)
    held = a.param_groups[0]["lr"]
    if name == "OneCycleLR":
        settings = {**settings, "cycle_momentum": False}
    sa, sb = build(rushlight, a, name, settings), build(torch, b, name, settings)
    for _ in range(20):
        for each in (a, b, sa, sb):
            each.step()
        assert a.param_groups[0]["lr"] is held
        assert float(held) == pytest.approx(float(b.param_groups[0]["lr"]), rel=1e-6)
        assert float(sa.get_last_lr()[0]) == float(held)

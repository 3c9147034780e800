"""Schedules by their formulas, and what surrounds them: order of calls, errors, states."""

from __future__ import annotations

import copy
import math
import warnings

import pytest

import rushlight
from rushlight.optim import SGD, Adam, Rprop
from rushlight.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
    _LRScheduler,
)
from rushlight.optim.lr_scheduler.annealing import SWALR


def sgd(lr=1.0, groups=1, **settings):
    params = [{"params": [rushlight.zeros(1, requires_grad=True)]} for _ in range(groups)]
    return SGD(params, lr=lr, **settings)


def rates(scheduler, count=6):
    """The learning rates of the first epochs, the first one included."""
    found = [scheduler.get_last_lr()[0]]
    for _ in range(count - 1):
        scheduler.optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    return found


class TestFormulas:
    @pytest.mark.parametrize(("make", "formula"), [
        (lambda o: LambdaLR(o, lambda t: 1 / (1 + t)), lambda t: 1 / (1 + t)),
        (lambda o: MultiplicativeLR(o, lambda t: 0.5), lambda t: 0.5**t),
        (lambda o: StepLR(o, 2, 0.5), lambda t: 0.5 ** (t // 2)),
        (lambda o: MultiStepLR(o, [2, 3, 3], 0.5), lambda t: [1, 1, 0.5, 0.125][min(t, 3)]),
        (lambda o: ConstantLR(o, 0.25, 3), lambda t: 0.25 if t < 3 else 1.0),
        (lambda o: LinearLR(o, 0.2, 0.8, 3), lambda t: 0.2 + 0.6 * min(t, 3) / 3),
        (lambda o: ExponentialLR(o, 0.9), lambda t: 0.9**t),
        (lambda o: PolynomialLR(o, 4, 2.0), lambda t: (1 - min(t, 4) / 4) ** 2),
        (lambda o: CosineAnnealingLR(o, 5, 0.1),
         lambda t: 0.1 + 0.9 * (1 + math.cos(math.pi * t / 5)) / 2),
        (lambda o: CosineAnnealingWarmRestarts(o, 2, 2),
         lambda t: (1 + math.cos(math.pi * [0, 1 / 2, 0, 1 / 4, 2 / 4, 3 / 4][t])) / 2),
    ])  # fmt: skip
    def test_closed_forms(self, make, formula):
        assert rates(make(sgd())) == pytest.approx([formula(t) for t in range(6)], rel=1e-12)

    def test_cyclic(self):
        optimizer = sgd(momentum=0.5)
        found = rates(CyclicLR(optimizer, 1.0, 2.0, step_size_up=2, mode="triangular2"), 9)
        assert found == [1.0, 1.5, 2.0, 1.5, 1.0, 1.25, 1.5, 1.25, 1.0]
        assert optimizer.param_groups[0]["momentum"] == 0.9

    def test_one_cycle(self):
        optimizer = sgd(momentum=0.5)
        scheduler = OneCycleLR(optimizer, 1.0, total_steps=10, anneal_strategy="linear",
                               pct_start=0.5, div_factor=10, final_div_factor=10)  # fmt: skip
        found = rates(scheduler, 10)
        assert found[0] == pytest.approx(0.1)
        assert max(found) == found[4] == 1.0
        assert found[-1] == pytest.approx(0.01)
        with pytest.raises(ValueError, match="Tried to step 11 times"):
            rates(scheduler, 4)

    def test_one_cycle_moves_beta1(self):
        optimizer = Adam([rushlight.zeros(1, requires_grad=True)])
        OneCycleLR(optimizer, 1.0, total_steps=10)
        assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)

    def test_swalr(self):
        found = rates(SWALR(sgd(), swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear"), 5)
        assert found == pytest.approx([1.0, 0.75, 0.5, 0.5, 0.5])

    def test_sequential(self):
        optimizer = sgd()
        parts = [ConstantLR(optimizer, 0.5, 99), ExponentialLR(optimizer, 0.5)]
        assert rates(SequentialLR(optimizer, parts, [2])) == [0.5, 0.5, 1.0, 0.5, 0.25, 0.125]

    def test_chained(self):
        optimizer = sgd()
        parts = [ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.5)]
        assert rates(ChainedScheduler(parts), 4) == [0.5, 0.25, 0.25, 0.125]

    def test_plateau(self):
        optimizer = sgd()
        scheduler = ReduceLROnPlateau(optimizer, patience=1, factor=0.5, cooldown=1, min_lr=0.2)
        found = []
        for metric in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9):
            scheduler.step(metric)
            found.append(optimizer.param_groups[0]["lr"])
        assert found == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2]
        scheduler.step(rushlight.tensor(0.1))
        assert scheduler.best == pytest.approx(0.1)

    def test_groups_keep_their_ratio(self):
        optimizer = sgd(groups=2)
        optimizer.param_groups[1]["lr"] = 0.5
        scheduler = StepLR(optimizer, 1, 0.1)
        optimizer.step()
        scheduler.step()
        assert scheduler.get_last_lr() == [0.1, 0.05]

    def test_own_scheduler(self):
        class Halve(_LRScheduler):
            def get_lr(self):
                return [base / (1 + self.last_epoch) for base in self.base_lrs]

        assert rates(Halve(sgd()), 3) == [1.0, 1 / 2, 1 / 3]
        assert isinstance(Halve(sgd()), LRScheduler)


class TestOrder:
    def test_scheduler_before_optimizer(self):
        scheduler = StepLR(sgd(), 1)
        with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step"):
            scheduler.step()

    def test_a_replaced_step(self):
        optimizer = sgd()
        scheduler = StepLR(optimizer, 1)
        optimizer.step = lambda: None
        with pytest.warns(UserWarning, match="has been overridden after learning rate scheduler"):
            scheduler.step()

    def test_a_subclass_that_skips_steps_by_hand(self):
        optimizer = sgd()
        scheduler = StepLR(optimizer, 1)
        optimizer._opt_called = True
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scheduler.step()

    def test_get_lr_is_not_for_users(self):
        with pytest.warns(UserWarning, match=r"please use `get_last_lr\(\)`"):
            ExponentialLR(sgd(), 0.5).get_lr()

    def test_the_epoch_argument_is_deprecated(self):
        optimizer = sgd()
        scheduler = StepLR(optimizer, 2, 0.5)
        optimizer.step()
        with pytest.warns(UserWarning, match="epoch parameter in `scheduler.step"):
            scheduler.step(5)
        assert scheduler.get_last_lr() == [0.25]

    def test_optimizers_with_schedulers_can_be_copied(self):
        optimizer = sgd()
        StepLR(optimizer, 1)
        other = copy.deepcopy(optimizer)
        other.step()
        assert other.param_groups[0]["initial_lr"] == 1.0


class TestStates:
    def test_a_run_is_continued(self):
        optimizer = sgd()
        scheduler = CosineAnnealingLR(optimizer, 9)
        rates(scheduler, 4)
        other = sgd()
        again = CosineAnnealingLR(other, 9)
        again.load_state_dict(scheduler.state_dict())
        other.load_state_dict(optimizer.state_dict())
        assert rates(again, 4)[1:] == rates(scheduler, 4)[1:]

    def test_functions_are_not_saved_but_objects_are(self):
        class Power:
            base = 0.5

            def __call__(self, epoch):
                return self.base**epoch

        power = Power()
        power.base = 0.25
        scheduler = LambdaLR(sgd(groups=2), [lambda t: 1.0, power])
        state = scheduler.state_dict()
        assert state["lr_lambdas"] == [None, {"base": 0.25}]
        other = LambdaLR(sgd(groups=2), [lambda t: 1.0, Power()])
        other.load_state_dict(state)
        assert other.lr_lambdas[1].base == 0.25

    def test_of_combined_schedulers(self):
        optimizer = sgd()
        parts = [ConstantLR(optimizer, 0.5, 99), ExponentialLR(optimizer, 0.5)]
        scheduler = SequentialLR(optimizer, parts, [2])
        rates(scheduler, 4)
        other = sgd()
        parts = [ConstantLR(other, 0.5, 99), ExponentialLR(other, 0.5)]
        again = SequentialLR(other, parts, [2])
        again.load_state_dict(scheduler.state_dict())
        other.load_state_dict(optimizer.state_dict())
        assert rates(again, 3)[1:] == rates(scheduler, 3)[1:]

    def test_resuming_needs_the_initial_lr(self):
        with pytest.raises(KeyError, match="'initial_lr' is not specified in param_groups"):
            StepLR(sgd(), 1, last_epoch=3)


class TestErrors:
    @pytest.mark.parametrize(("make", "kind", "text"), [
        (lambda: StepLR(None, 1), TypeError, "NoneType is not an Optimizer"),
        (lambda: LambdaLR(sgd(), [abs, abs]), ValueError, "Expected 1 lr_lambdas, but got 2"),
        (lambda: MultiplicativeLR(sgd(), 0.5), TypeError, "should be a function, but got float"),
        (lambda: ConstantLR(sgd(), 2.0), ValueError, "expected to be between 0 and 1"),
        (lambda: LinearLR(sgd(), 0.0), ValueError, "expected to be greater than 0"),
        (lambda: LinearLR(sgd(), 0.1, 2.0), ValueError, "Ending multiplicative factor"),
        (lambda: CosineAnnealingWarmRestarts(sgd(), 0), ValueError, "positive integer T_0"),
        (lambda: CosineAnnealingWarmRestarts(sgd(), 1, 0), ValueError, "integer T_mult >= 1"),
        (lambda: CyclicLR(sgd(), 0.1, 1.0, mode="square"), ValueError, "mode is invalid"),
        (lambda: CyclicLR(Rprop([rushlight.zeros(1)]), 0.1, 1.0), ValueError, "cycle_momentum"),
        (lambda: CyclicLR(sgd(), [0.1, 0.2], 1.0), ValueError, "base_lr must have the same length"),
        (lambda: OneCycleLR(sgd(), 1.0), ValueError, "total_steps OR"),
        (lambda: OneCycleLR(sgd(), 1.0, 0), ValueError, "positive integer total_steps"),
        (lambda: OneCycleLR(sgd(), 1.0, 9, pct_start=2.0), ValueError, "between 0 and 1 pct_start"),
        (lambda: OneCycleLR(sgd(), 1.0, 9, anneal_strategy="x"), ValueError, "'cos' or 'linear'"),
        (lambda: ReduceLROnPlateau(sgd(), factor=1.0), ValueError, "Factor should be < 1.0"),
        (lambda: ReduceLROnPlateau(sgd(), "most"), ValueError, "mode most is unknown"),
        (lambda: ReduceLROnPlateau(sgd(), threshold_mode="x"), ValueError, "threshold mode x"),
        (lambda: ReduceLROnPlateau(sgd(), min_lr=[1, 2]), ValueError, "expected 1 min_lrs, got 2"),
        (lambda: ChainedScheduler([]), ValueError, "expects at least one scheduler to be chained"),
        (lambda: SequentialLR(sgd(), [], []), ValueError, "expects at least one scheduler"),
        (lambda: SWALR(sgd(), 0.1, -1), ValueError, "anneal_epochs must be equal or greater"),
    ])  # fmt: skip
    def test_bad_settings(self, make, kind, text):
        with pytest.raises(kind, match=text):
            make()

    def test_combining(self):
        optimizer = sgd()
        one = StepLR(optimizer, 1)
        plateau = ReduceLROnPlateau(optimizer)
        with pytest.raises(ValueError, match="does not support `ReduceLROnPlateau`"):
            SequentialLR(optimizer, [one, plateau], [1])
        with pytest.raises(ValueError, match="belong to the same optimizer"):
            ChainedScheduler([one, StepLR(sgd(), 1)])
        with pytest.raises(ValueError, match="one more than the number of milestone points"):
            SequentialLR(optimizer, [one], [1])
        with pytest.raises(TypeError, match="should have `optimizer` as its attribute"):
            SequentialLR(optimizer, [object()], [])

    def test_negative_epochs(self):
        scheduler = CosineAnnealingWarmRestarts(sgd(), 2)
        with pytest.raises(ValueError, match="Expected non-negative epoch"):
            scheduler.step(-1)

    def test_groups_added_to_a_plateau(self):
        optimizer = sgd()
        scheduler = ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1])
        optimizer.add_param_group({"params": [rushlight.zeros(1, requires_grad=True)]})
        scheduler.step(1.0)
        with pytest.raises(RuntimeError, match="number of param groups in the `optimizer`"):
            scheduler.step(1.0)

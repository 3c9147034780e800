"""Weight averaging: means by hand, buffers, batch norms, settings."""

from __future__ import annotations

import copy

import pytest

import rushlight
from rushlight import nn
from rushlight.optim import swa_utils
from rushlight.optim.swa_utils import AveragedModel, update_bn


def model(value=0.0):
    made = nn.Linear(2, 1)
    with rushlight.no_grad():
        for p in made.parameters():
            p.fill_(value)
    return made


def averaged_over(values, **settings):
    one = model()
    averaged = AveragedModel(one, **settings)
    for value in values:
        with rushlight.no_grad():
            for p in one.parameters():
                p.fill_(value)
        averaged.update_parameters(one)
    return averaged


def weights(averaged):
    return [float(v) for v in averaged.module.weight.detach().reshape(-1)]


def test_the_mean_of_all_updates():
    averaged = averaged_over([1.0, 2.0, 6.0])
    assert weights(averaged) == pytest.approx([3.0, 3.0])
    assert int(averaged.n_averaged) == 3
    assert averaged(rushlight.ones(1, 2)).item() == pytest.approx(9.0)


@pytest.mark.parametrize("settings", [
    {"avg_fn": swa_utils.get_swa_avg_fn()}, {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()},
])  # fmt: skip
def test_the_mean_written_out(settings):
    assert weights(averaged_over([1.0, 2.0, 6.0], **settings)) == pytest.approx([3.0, 3.0])


@pytest.mark.parametrize("settings", [
    {"avg_fn": swa_utils.get_ema_avg_fn(0.5)},
    {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)},
])  # fmt: skip
def test_exponential_average(settings):
    assert weights(averaged_over([1.0, 2.0, 6.0], **settings)) == pytest.approx([3.75, 3.75])


def test_an_own_function():
    averaged = averaged_over([1.0, 2.0], avg_fn=lambda mine, theirs, count: mine + theirs + count)
    assert weights(averaged) == pytest.approx([4.0, 4.0])


def test_the_model_is_copied_and_left_alone():
    one = model(1.0)
    averaged = AveragedModel(one)
    averaged.update_parameters(one)
    with rushlight.no_grad():
        one.weight.fill_(5.0)
    assert weights(averaged) == [1.0, 1.0]
    assert set(averaged.state_dict()) == {"n_averaged", "module.weight", "module.bias"}
    other = AveragedModel(model())
    other.load_state_dict(averaged.state_dict())
    assert int(other.n_averaged) == 1


def test_only_one_function():
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        AveragedModel(model(), avg_fn=max, multi_avg_fn=max)


@pytest.mark.parametrize("make", [swa_utils.get_ema_avg_fn, swa_utils.get_ema_multi_avg_fn])
def test_decay_is_a_share(make):
    with pytest.raises(ValueError, match=r"Invalid decay value 1\.5"):
        make(1.5)


def norm(mean=0.0):
    made = nn.Sequential(nn.BatchNorm1d(1))
    made[0].running_mean.fill_(mean)
    return made


@pytest.mark.parametrize("use_buffers", [False, True])
def test_buffers_are_copied_or_averaged(use_buffers):
    one = norm()
    averaged = AveragedModel(one, use_buffers=use_buffers)
    for mean in (1.0, 3.0):
        one[0].running_mean.fill_(mean)
        averaged.update_parameters(one)
    assert averaged.module[0].running_mean.item() == (2.0 if use_buffers else 3.0)


def test_update_bn_takes_the_mean_over_all_batches():
    one = norm(7.0)
    one.eval()
    batches = [rushlight.tensor([[0.0], [2.0]]), rushlight.tensor([[4.0], [6.0]])]
    update_bn([(batch, None) for batch in batches], one)
    assert one[0].running_mean.item() == pytest.approx(3.0)
    assert one[0].momentum == 0.1
    assert not one.training
    update_bn([], nn.Linear(1, 1))  # nothing to do without batch norms


def test_a_copy_of_an_averaged_model():
    averaged = averaged_over([1.0, 2.0])
    assert weights(copy.deepcopy(averaged)) == weights(averaged)

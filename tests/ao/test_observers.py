"""Observers: the ranges they remember, the scales they choose, what they save and refuse."""

from __future__ import annotations

import copy
import pickle

import pytest

import rushlight as torch
from rushlight.ao import quantization as q

X = torch.tensor([[-1.0, 0.5, 2.0], [0.0, 4.0, -3.0]])


@pytest.mark.parametrize(
    ("make", "scale", "zero"),
    [
        (lambda: q.MinMaxObserver(), 7 / 255, [109]),
        (lambda: q.MinMaxObserver(dtype=torch.qint8), 7 / 255, [-19]),
        (lambda: q.MinMaxObserver(qscheme=torch.per_tensor_symmetric), 8 / 255, [128]),
        (lambda: q.MinMaxObserver(quant_min=0, quant_max=14), 0.5, [6]),
        (lambda: q.MinMaxObserver(torch.qint8, torch.per_tensor_symmetric), 8 / 255, [0]),
    ],
)
def test_one_range(make, scale: float, zero: list[int]) -> None:
    observer = make()
    assert observer(X) is X
    found, point = observer.calculate_qparams()
    assert found.item() == pytest.approx(scale)
    assert point.tolist() == zero
    observer.reset_min_max_vals()
    with pytest.warns(UserWarning, match="must run observer before"):
        assert observer.calculate_qparams()[0].item() == 1


def test_channels() -> None:
    observer = q.PerChannelMinMaxObserver(ch_axis=1)
    observer(X)
    assert observer.min_val.tolist() == [-1, 0.5, -3]
    assert observer.max_val.tolist() == [0, 4, 2]
    observer(X[:, :0])
    assert observer.calculate_qparams()[0].shape == (3,)
    other = q.PerChannelMinMaxObserver(ch_axis=1)
    other.load_state_dict(observer.state_dict())
    assert other.min_val.tolist() == [-1, 0.5, -3]


def test_an_average_of_ranges() -> None:
    observer = q.MovingAverageMinMaxObserver(0.25)
    observer(torch.tensor([0.0, 4.0]))
    observer(torch.tensor([-4.0, 8.0]))
    assert (observer.min_val.item(), observer.max_val.item()) == (-1, 5)


def test_a_histogram_leaves_out_what_is_rare() -> None:
    torch.manual_seed(0)
    observer = q.HistogramObserver(bins=64)
    x = torch.randn(1000)
    observer(x)
    assert observer.histogram.sum() == 1000
    observer(torch.tensor([100.0]))
    assert observer.histogram.sum() == 1001
    assert observer.max_val == 100
    narrow = observer.calculate_qparams()[0]
    assert narrow <= 104 / 255
    with pytest.warns(UserWarning, match="inf detected"):
        observer(torch.tensor([torch.inf, 1.0]))
    assert observer.histogram.sum() == 1002


def test_what_passes() -> None:
    keeping = q.RecordingObserver()
    assert keeping(X) is X
    assert keeping.get_tensor_value()[0].equal(X)
    for observer in (keeping, q.NoopObserver(), q.PlaceholderObserver(), q.ReuseInputObserver()):
        assert observer(X) is X
        with pytest.raises(Exception, match="calculate_qparams should not be called"):
            observer.calculate_qparams()
    fixed = q.FixedQParamsObserver(0.5, 3)
    assert [t.item() for t in fixed.calculate_qparams()] == [0.5, 3]


def test_refusals() -> None:
    with pytest.raises(TypeError, match="abstract"):
        q.ObserverBase(torch.qint8)
    with pytest.raises(AssertionError, match="must include 0"):
        q.MinMaxObserver(quant_min=1, quant_max=5)
    with pytest.raises(AssertionError, match="strictly less"):
        q.MinMaxObserver(quant_min=0, quant_max=0)
    with pytest.raises(AssertionError, match="data type"):
        q.MinMaxObserver(dtype=torch.float32)
    with pytest.raises(NotImplementedError, match="qscheme only support"):
        q.MinMaxObserver(qscheme=torch.per_channel_affine)
    with pytest.raises(NotImplementedError, match="qscheme only support"):
        q.PerChannelMinMaxObserver(qscheme=torch.per_tensor_affine)
    with pytest.raises(NotImplementedError, match="averaging constant"):
        q.MovingAverageMinMaxObserver(is_dynamic=True)
    with pytest.warns(UserWarning, match="reduce_range will be deprecated"):
        assert q.MinMaxObserver(reduce_range=True).quant_max == 127
    with pytest.raises(AssertionError, match="quant_max out of bound"):
        q.FakeQuantize(quant_min=0, quant_max=300)
    with pytest.raises(ValueError, match="observer instance"):
        q.QConfig(q.MinMaxObserver(), q.MinMaxObserver)
    with pytest.raises(AssertionError, match="backend must be one of"):
        q.get_default_qconfig("tpu")


def test_constructors_with_arguments() -> None:
    make = q.MinMaxObserver.with_args(quant_min=0).with_args(quant_max=15)
    assert make().quant_max == 15
    assert pickle.loads(pickle.dumps(make))().quant_max == 15
    make = q.MinMaxObserver.with_args(quant_max=15)
    again = pickle.loads(pickle.dumps(make))
    assert q.qconfig_equals(q.QConfig(make, make), q.QConfig(again, again))
    assert not q.qconfig_equals(q.default_qconfig, q.default_qat_qconfig)


def test_copies() -> None:
    fake = q.FakeQuantize(quant_min=0, quant_max=15)
    y = fake(X)
    for other in (copy.deepcopy(fake), pickle.loads(pickle.dumps(fake))):
        assert repr(other) == repr(fake)
        other.disable_observer()
        assert other(X).equal(y)
        assert fake.observer_enabled[0] == 1
    fresh = q.FakeQuantize(quant_min=0, quant_max=15)
    fresh.load_state_dict(fake.state_dict())
    assert fresh.scale.equal(fake.scale)


@pytest.mark.parametrize("make", [q.FakeQuantize, q.FusedMovingAvgObsFakeQuantize])
def test_switches(make) -> None:
    fake = make(quant_min=0, quant_max=15)
    model = torch.nn.Sequential(fake)
    model.apply(q.disable_fake_quant)
    assert model(X).equal(X)
    model.apply(q.disable_observer)
    model.apply(q.enable_fake_quant)
    assert fake.activation_post_process.max_val == 4
    assert not model(X * 100).equal(X * 100)
    assert fake.activation_post_process.max_val == 4
    model.apply(q.enable_observer)
    model(X * 100)
    assert fake.activation_post_process.max_val > 4

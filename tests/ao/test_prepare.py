"""Models that are observed and fake-quantized: `prepare`, `prepare_qat`, `convert`, fusing."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.ao import quantization as q
from rushlight.ao.nn import intrinsic, qat

X = torch.randn(4, 2, 6, 6)
PARTS = [["0", "1", "2"], ["4", "5"]]


def network() -> nn.Sequential:
    made = nn.Sequential(
        nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 5), nn.ReLU(),
        nn.Dropout(0.1), nn.Linear(5, 2), nn.Sigmoid(),
    )  # fmt: skip
    made.qconfig = q.get_default_qat_qconfig("qnnpack")
    return made


def test_training_sees_fake_quantized_numbers() -> None:
    plain = network()
    model = q.prepare_qat(plain)
    assert type(plain[0]) is nn.Conv2d
    assert type(model[0]) is qat.Conv2d
    assert type(model[7]) is qat.Linear
    assert not hasattr(model[6], "activation_post_process")  # dropout
    assert type(model[8].activation_post_process) is q.FixedQParamsFakeQuantize
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    losses = []
    for _ in range(10):
        loss = (model(X) - 0.2).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    steps = model.eval()(X) * 256  # numbers of 8 bits from 0 to 1
    torch.testing.assert_close(steps, steps.round(), rtol=0, atol=1e-4)


def test_what_was_trained_can_be_saved_and_copied() -> None:
    model = q.prepare_qat(q.fuse_modules_qat(network(), PARTS))
    model(X)
    model.eval().apply(q.disable_observer)
    y = model(X)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert repr(other) == repr(model)
        assert other(X).equal(y)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    fresh = q.prepare_qat(q.fuse_modules_qat(network(), PARTS))
    fresh.load_state_dict(torch.load(file))
    assert fresh.eval()(X).equal(y)


def test_fused_layers_compute_as_the_separate_ones() -> None:
    plain = network()
    plain(X)
    for mode in (True, False):
        plain.train(mode)
        plain[6].eval()
        both = q.fuse_modules_qat(plain, PARTS)
        assert type(both[0]) is intrinsic.ConvBnReLU2d
        assert [type(both[i]) for i in (1, 2, 5)] == [nn.Identity] * 3
        torch.testing.assert_close(both(X), plain(X))
    one = q.fuse_modules(plain, PARTS[0])
    assert type(one[0]) is intrinsic.ConvReLU2d
    torch.testing.assert_close(one(X), plain(X))


def test_a_norm_that_is_fake_quantized_goes_into_the_weight() -> None:
    model = q.prepare_qat(q.fuse_modules_qat(network(), PARTS))
    model(X)
    layer = model[0].eval()
    layer.apply(q.disable_fake_quant)
    torch.testing.assert_close(layer.to_float()(X), layer(X))
    layer.train()
    layer.apply(intrinsic.qat.freeze_bn_stats)
    before = layer.bn.running_mean.clone()
    layer.train()(X)
    assert layer.bn.running_mean.equal(before)
    layer.apply(intrinsic.qat.update_bn_stats)
    layer(X)
    assert not layer.bn.running_mean.equal(before)


def test_observing_changes_nothing() -> None:
    plain = network().eval()
    plain.qconfig = q.default_qconfig
    model = q.prepare(plain)
    assert model(X).equal(plain(X))
    assert model[0].activation_post_process.max_val == plain[0](X).max()
    state = q.get_observer_state_dict(model)
    other = q.prepare(plain)
    q.load_observer_state_dict(other, state)
    assert other[0].activation_post_process.max_val == plain[0](X).max()
    assert not hasattr(q.prepare(plain, allow_list=[nn.Linear])[0], "activation_post_process")


def test_qconfigs_of_parts() -> None:
    model = network()
    model[7].qconfig = None
    prepared = q.prepare_qat(model)
    assert type(prepared[7]) is nn.Linear
    q.propagate_qconfig_(model, {nn.Linear: q.default_qconfig, "0": q.default_qat_qconfig})
    assert q.qconfig_equals(q.QConfig(*network().qconfig), network().qconfig)
    assert model[7].qconfig is None
    with pytest.warns(UserWarning, match="None of the submodule got qconfig"):
        q.prepare(nn.Sequential(nn.Linear(1, 1)))


def test_hooks_go_along() -> None:
    model, seen = network(), []
    model[0].register_forward_pre_hook(lambda m, x: seen.append("before"))
    model[7].register_forward_hook(lambda m, x, y: seen.append("behind"))
    q.prepare_qat(q.fuse_modules_qat(model, PARTS))(X)
    assert seen == ["before", "behind"]


def test_convert_by_a_mapping_alone() -> None:
    model = q.prepare_qat(network())
    with pytest.raises(NotImplementedError, match=r"(?s)convert needs quantized tensors.*try"):
        q.convert(model)
    model(X)

    class Back:
        from_float = staticmethod(lambda mod: mod.to_float())

    plain = q.convert(model, {qat.Conv2d: Back, qat.Linear: Back})
    assert type(plain[0]) is nn.Conv2d
    assert not any(hasattr(m, "qconfig") for m in plain.modules())
    assert not any("post_process" in name for name, _ in plain.named_modules())
    assert plain[0].weight.equal(model[0].weight)


def test_refusals() -> None:
    model = network()
    with pytest.raises(AssertionError, match="only works on models in training mode"):
        q.prepare_qat(model.eval())
    with pytest.raises(AssertionError, match="did not find fuser method"):
        q.fuse_modules(model, ["0", "2", "1"])
    with pytest.raises(AssertionError, match="Incorrect types"):
        intrinsic.ConvReLU2d(nn.Conv1d(1, 1, 1), nn.ReLU())
    model[1].train()
    with pytest.raises(AssertionError, match="same mode"):
        q.fuse_modules(model, PARTS)
    with pytest.raises(AssertionError, match="affine"):
        q.fuse_modules_qat(nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1, affine=False)), "01")
    wrong = nn.Sequential(nn.ConvTranspose2d(1, 1, 1))
    wrong.qconfig = q.default_per_channel_qconfig
    with pytest.raises(AssertionError, match="not supported yet for ConvTranspose"):
        q.prepare(wrong)
    for name in ("Linear", "QFunctional"):
        with pytest.raises(NotImplementedError, match="needs quantized tensors"):
            getattr(torch.ao.nn.quantized, name)(1, 1)
    with pytest.raises(RuntimeError, match="not intended to use"):
        torch.ao.nn.quantized.FloatFunctional()(X)


def test_names_of_old() -> None:
    import rushlight.nn.intrinsic.qat
    import rushlight.nn.qat.modules.linear
    import rushlight.quantization.fake_quantize

    assert rushlight.nn.qat.Linear is rushlight.nn.qat.modules.linear.Linear is qat.Linear
    assert rushlight.nn.qat.dynamic.Linear is qat.dynamic.Linear
    assert rushlight.quantization.fake_quantize.FakeQuantize is q.FakeQuantize
    assert rushlight.quantization.prepare_qat is q.prepare_qat
    assert rushlight.nn.intrinsic.qat.ConvBn2d is intrinsic.qat.ConvBn2d
    assert rushlight.nn.quantized.FloatFunctional is torch.ao.nn.quantized.FloatFunctional


def test_modules_load_when_they_are_asked_for() -> None:
    code = "import rushlight, sys; print([m for m in sys.modules if 'rushlight.ao' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("layer", [nn.LSTM(3, 3), nn.MultiheadAttention(4, 2)])
def test_layers_that_stay_as_they_are_are_named(layer) -> None:
    model = nn.Sequential(nn.Linear(3, 3), layer)
    model.qconfig = q.get_default_qat_qconfig("qnnpack")
    told = rf"'1' stays as it is.*quantizable.{type(layer).__name__}"
    with pytest.warns(UserWarning, match=told):
        prepared = q.prepare_qat(model)
    assert [*prepared[1].state_dict()] == [*layer.state_dict()]
    assert type(prepared[0]) is qat.Linear

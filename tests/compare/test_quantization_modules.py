"""Observers, fake quantizers and quantization-aware training beside PyTorch's: the same scales, the
same names and texts, the same losses."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight as ours

real = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")  # of reduce_range, and that all of it is old


def arrays(value: Any) -> Any:
    # of a copy: PyTorch does not resize what an array shares the memory of
    return np.asarray(value.detach().clone().numpy(), dtype="float64")


def alike(a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-9, note: str = "") -> None:
    assert str(a.dtype) == str(b.dtype), note
    assert tuple(a.shape) == tuple(b.shape), note
    np.testing.assert_allclose(arrays(a), arrays(b), rtol, atol, err_msg=note)


def same_state(a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-9) -> None:
    one, two = a.state_dict(), b.state_dict()
    assert [*one] == [*two]
    for name in one:
        alike(one[name], two[name], rtol, atol, name)
    versions = [{k: v["version"] for k, v in s._metadata.items()} for s in (one, two)]
    assert versions[0] == versions[1]


def give(module: Any, state: Any) -> None:
    """Give a module of PyTorch's the parameters and statistics of one of ours."""
    own = {k: real.tensor(v.numpy()) for k, v in state.items() if "fake_quant" not in k}
    missing, unexpected = module.load_state_dict(own, strict=False)
    assert not unexpected
    assert all("fake_quant" in name for name in missing)


def batches(rng: np.random.Generator) -> list[np.ndarray]:
    shapes = [(4, 3), (4, 0), (4, 3), (4, 5)]
    found = [rng.normal(size=s).astype("float32") * (i + 1) for i, s in enumerate(shapes)]
    return [*found, np.asarray(found[0].T, order="C").T + 3, np.zeros((4, 2), "float32")]


OBSERVERS = [
    "MinMaxObserver()",
    "MinMaxObserver(torch.qint8, torch.per_tensor_symmetric)",
    "MinMaxObserver(qscheme=torch.per_tensor_symmetric)",
    "MinMaxObserver(torch.quint8, torch.per_tensor_symmetric, quant_min=0, quant_max=15)",
    "MinMaxObserver(reduce_range=True)",
    "MinMaxObserver(torch.qint8, reduce_range=True)",
    "MinMaxObserver(torch.qint32)",
    "MinMaxObserver(torch.int16)",
    "MinMaxObserver(torch.uint16, torch.per_tensor_symmetric)",
    "MinMaxObserver(torch.quint4x2)",
    "MinMaxObserver(quant_min=0, quant_max=255, reduce_range=True)",
    "MinMaxObserver(eps=0.5)",
    "MinMaxObserver(factory_kwargs={'dtype': torch.float64})",
    "MovingAverageMinMaxObserver()",
    "MovingAverageMinMaxObserver(averaging_constant=1, is_dynamic=True)",
    "PerChannelMinMaxObserver()",
    "PerChannelMinMaxObserver(ch_axis=-2, qscheme=torch.per_channel_symmetric)",
    "PerChannelMinMaxObserver(qscheme=torch.per_channel_affine_float_qparams)",
    "MovingAveragePerChannelMinMaxObserver(0.3, dtype=torch.qint8)",
    "HistogramObserver(bins=32)",
    "HistogramObserver()",
    "HistogramObserver(64, torch.qint8, torch.per_tensor_symmetric)",
    "FixedQParamsObserver(0.1, 3)",
    "PlaceholderObserver()",
    "PlaceholderObserver(torch.float16, is_dynamic=True)",
    "RecordingObserver()",
    "NoopObserver()",
    "ReuseInputObserver()",
]


@pytest.mark.parametrize("text", OBSERVERS)
def test_observers(rng, text: str) -> None:
    data = batches(rng)
    if "Channel" in text:
        data = [d for d in data if d.size]
    made = [eval(f"lib.ao.quantization.{text}", {"lib": lib, "torch": lib}) for lib in (ours, real)]
    assert repr(made[0]) == repr(made[1])
    for d in data:
        for observer, lib in zip(made, (ours, real), strict=True):
            x = lib.tensor(d)
            assert observer(x) is x
    rough = {"rtol": 1e-4, "atol": 1e-2} if "Histogram" in text else {}
    same_state(*made, **rough)
    if any(name in text for name in ("Placeholder", "Recording", "Noop", "Reuse")):
        for observer in made:
            with pytest.raises(Exception, match="calculate_qparams should not be called"):
                observer.calculate_qparams()
        return
    for a, b in zip(*(observer.calculate_qparams() for observer in made), strict=True):
        alike(a, b, 1e-3 if rough else 1e-6)
    names = ("dtype", "qscheme", "quant_min", "quant_max", "is_dynamic", "reduce_range", "ch_axis")
    for name in names:
        values = [str(getattr(observer, name, None)) for observer in made]
        assert values[0] == values[1], name


@pytest.mark.parametrize(
    "text",
    [
        "FakeQuantize()",
        "FakeQuantize(quant_min=-8, quant_max=7, dtype=torch.qint8)",
        "default_fake_quant()",
        "default_weight_fake_quant()",
        "default_per_channel_weight_fake_quant()",
        "default_embedding_fake_quant()",
        "default_fused_act_fake_quant()",
        "default_fused_wt_fake_quant()",
        "default_fused_per_channel_wt_fake_quant()",
        "fused_wt_fake_quant_range_neg_127_to_127()",
        "default_fixed_qparams_range_0to1_fake_quant()",
        "default_fixed_qparams_range_neg1to1_fake_quant()",
        "default_dynamic_fake_quant()",
        "default_histogram_fake_quant()",
    ],
)
def test_fake_quantizers(rng, text: str) -> None:
    data = [d for d in batches(rng) if d.size]
    made = [eval(f"lib.ao.quantization.{text}", {"lib": lib, "torch": lib}) for lib in (ours, real)]
    assert repr(made[0]) == repr(made[1])
    rough = (1e-3, 0.05) if "histogram" in text else (1e-5, 1e-6)
    for i, d in enumerate(data):
        found = []
        for fake, lib in zip(made, (ours, real), strict=True):
            fake.enable_observer(i != 2)
            fake.enable_fake_quant(i != 3)
            x = lib.tensor(d, requires_grad=True)
            y = fake(x)
            found.append((y, *lib.autograd.grad(y.sum(), x)))
        for a, b in zip(*found, strict=True):
            alike(a, b, *rough)
    same_state(*made, *rough)


def qconfigs() -> list[str]:
    names = [n for n in dir(real.ao.quantization) if n.endswith(("qconfig", "_4bit", "_v2"))]
    backends = ["x86", "fbgemm", "qnnpack", "onednn"]
    found = [f"get_default_qconfig('{b}')" for b in backends]
    found += [f"get_default_qat_qconfig('{b}', {v})" for b in backends for v in (0, 1)]
    return found + [n for n in names if isinstance(getattr(real.ao.quantization, n), tuple)]


@pytest.mark.parametrize("text", qconfigs())
def test_qconfigs(text: str) -> None:
    """Each constructor has the same arguments, and makes the same."""
    one, two = (eval(f"lib.ao.quantization.{text}", {"lib": lib}) for lib in (ours, real))
    for name in ("activation", "weight"):
        a, b = getattr(one, name), getattr(two, name)
        if hasattr(b, "p"):
            given = [sorted((k, str(v)) for k, v in m.p.keywords.items()) for m in (a, b)]
            given[0] = [(k, v.replace("rushlight", "torch")) for k, v in given[0]]
            assert given[0] == given[1]
        assert repr(a()) == repr(b())


# -- training ------------------------------------------------------------------------------------


def network(lib: Any, fused: bool) -> Any:
    nn, q = lib.nn, lib.ao.quantization

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.quant = q.QuantStub()
            self.conv = nn.Conv2d(1, 4, 3)
            self.bn = nn.BatchNorm2d(4)
            self.relu = nn.ReLU()
            self.second = nn.Conv2d(4, 6, 3, stride=2)
            self.skip = lib.ao.nn.quantized.FloatFunctional()
            self.linear = nn.Linear(24, 8)
            self.last = nn.ReLU()
            self.head = nn.Linear(8, 3)
            self.gate = nn.Sigmoid()
            self.dequant = q.DeQuantStub()

        def forward(self, x: Any) -> Any:
            x = self.relu(self.bn(self.conv(self.quant(x))))
            x = self.second(x)
            x = self.skip.add(x, x).flatten(1)
            x = self.head(self.last(self.linear(x)))
            return self.dequant(self.skip.mul(x, self.gate(x)))

    net = Net()
    net.qconfig = q.get_default_qat_qconfig("x86" if fused else "qnnpack", int(fused))
    if fused:
        net = q.fuse_modules_qat(net, [["conv", "bn", "relu"], ["linear", "last"]])
    return net


@pytest.mark.parametrize("fused", [False, True])
def test_a_program_that_trains(rng, fused: bool) -> None:
    """A convolutional network learns random labels by 20 steps of fake-quantized training."""
    data = rng.normal(size=(4, 8, 1, 8, 8)).astype("float32")
    labels = rng.integers(0, 3, (4, 8))
    nets, losses, optimizers = [], [], []
    start: Any = None
    for lib in (ours, real):
        net = network(lib, fused)
        if nets:  # PyTorch's begins where ours does
            give(net, start)
        start = {k: v.clone() for k, v in net.state_dict().items()}
        prepared = lib.ao.quantization.prepare_qat(net)
        nets.append(prepared)
        losses.append([])
        optimizers.append(lib.optim.SGD(prepared.parameters(), lr=0.05, momentum=0.9))
    assert repr(nets[0]) == repr(nets[1])
    same_state(*nets)
    for step in range(20):
        for lib, net, seen, optimizer in zip((ours, real), nets, losses, optimizers, strict=True):
            x, y = lib.tensor(data[step % 4]), lib.tensor(labels[step % 4])
            if step == 15:
                net.apply(lib.ao.quantization.disable_observer)
                net.apply(lib.ao.nn.intrinsic.qat.freeze_bn_stats)
            loss = lib.nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
    assert sum(losses[0][-4:]) < sum(losses[0][:4])
    # 2e-7 is usual; a value at the border of two numbers may be rounded to the other one
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    outs = []
    for lib, net in zip((ours, real), nets, strict=True):
        outs.append(net.eval()(lib.tensor(data[0])))
    alike(*outs, 0.05, 0.1)


def test_observed_after_training(rng) -> None:
    data = rng.normal(size=(3, 8, 1, 8, 8)).astype("float32")
    nets: list[Any] = []
    start: Any = None
    for lib in (ours, real):
        net = network(lib, False).eval()
        if nets:
            give(net, start)
        start = {k: v.clone() for k, v in net.state_dict().items()}
        net.qconfig = lib.ao.quantization.get_default_qconfig("x86")
        net = lib.ao.quantization.fuse_modules(net, [["conv", "bn", "relu"], ["linear", "last"]])
        net = lib.ao.quantization.prepare(net)
        for d in data:
            net(lib.tensor(d))
        nets.append(net)
    assert repr(nets[0]).count("Observer") == repr(nets[1]).count("Observer") > 5
    one, two = (n.state_dict() for n in nets)
    assert [*one] == [*two]
    for name, module in nets[0].named_modules():
        if name.endswith("activation_post_process") and hasattr(module, "histogram"):
            other = nets[1].get_submodule(name)
            for a, b in zip(module.calculate_qparams(), other.calculate_qparams(), strict=True):
                alike(a, b, 2e-3, 1, name)


def test_pytorch_quantizes_what_was_trained_here(rng, tmp_path) -> None:
    x = rng.normal(size=(4, 8, 1, 8, 8)).astype("float32")
    prepared = [lib.ao.quantization.prepare_qat(network(lib, True)) for lib in (ours, real)]
    optimizer = ours.optim.SGD(prepared[0].parameters(), lr=0.1)
    for batch in x:
        loss = prepared[0](ours.tensor(batch)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    prepared[0].apply(ours.ao.quantization.disable_observer)
    ours.save(prepared[0].state_dict(), tmp_path / "here.pt")
    prepared[1].load_state_dict(real.load(tmp_path / "here.pt"))
    y = prepared[0].eval()(ours.tensor(x[0]))
    z = prepared[1].eval()(real.tensor(x[0]))
    alike(y, z, 1e-5, 1e-6)
    real.save(prepared[1].state_dict(), tmp_path / "there.pt")
    back = ours.ao.quantization.prepare_qat(network(ours, True))
    back.load_state_dict(ours.load(tmp_path / "there.pt"))
    alike(back.eval()(ours.tensor(x[0])), y)
    if "fbgemm" in real.backends.quantized.supported_engines:
        quantized = real.ao.quantization.convert(prepared[1])
        step = prepared[1].skip.activation_post_process.scale.item()
        assert (quantized(real.tensor(x[0])) - z).abs().max() < 5 * step


@pytest.mark.parametrize("kind", ["ConvBn", "ConvBnReLU", "ConvReLU"])
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_fused_layers(rng, kind: str, dims: int, bias: bool) -> None:
    x = rng.normal(size=(2, 3, *(5,) * dims)).astype("float32")
    made, outs = [], []
    for lib in (ours, real):
        cls = getattr(lib.ao.nn.intrinsic.qat, f"{kind}{dims}d")
        qconfig = lib.ao.quantization.get_default_qat_qconfig("fbgemm")
        layer = cls(3, 4, 3, padding=1, bias=bias, qconfig=qconfig)
        if made:
            give(layer, made[0].state_dict())
        made.append(layer)
    assert repr(made[0]) == repr(made[1])
    same_state(*made)
    for lib, layer in zip((ours, real), made, strict=True):
        t = lib.tensor(x, requires_grad=True)
        y = layer(t)
        grads = lib.autograd.grad(y.square().sum(), [t, *layer.parameters()])
        back = layer.eval().to_float()
        outs.append((y, *grads, back(t), *back.parameters()))
        assert type(back).__name__ == ("ConvReLU" if "ReLU" in kind else "Conv") + f"{dims}d"
    same_state(*made, 1e-4, 1e-5)
    for i, (a, b) in enumerate(zip(*outs, strict=True)):
        alike(a, b, 1e-3, 1e-3, str(i))


def test_a_fused_linear_layer(rng) -> None:
    x = rng.normal(size=(5, 3)).astype("float32")
    made, outs = [], []
    for lib in (ours, real):
        qconfig = lib.ao.quantization.get_default_qat_qconfig("fbgemm")
        layer = lib.ao.nn.intrinsic.qat.LinearBn1d(3, 4, qconfig=qconfig)
        lib.nn.init.zeros_(layer.bias)  # which is memory as it was
        if made:
            give(layer, made[0].state_dict())
        made.append(layer)
    assert repr(made[0]) == repr(made[1])
    for lib, layer in zip((ours, real), made, strict=True):
        y = layer(lib.tensor(x))
        grads = lib.autograd.grad(y.square().sum() + y.sum(), [*layer.parameters()])
        back = layer.to_float()
        outs.append((y, *grads, back.weight, back.bias))
    for a, b in zip(*outs, strict=True):
        alike(a, b, 1e-3, 1e-3)


def test_which_modules_are_observed() -> None:
    """The classes that `prepare` observes, and what `prepare_qat` makes of which, are PyTorch's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = []
        for lib in (ours, real):
            q = lib.ao.quantization
            found = q.get_default_qconfig_propagation_list()
            swaps = q.get_default_qat_module_mappings().items()
            swaps = {k.__name__: v.__module__.replace("rushlight", "torch") for k, v in swaps}
            kinds = {f"{'qat' if '.qat.' in c.__module__ else ''} {c.__name__}" for c in found}
            names.append((kinds, swaps))
    assert names[0] == names[1]

"""Layers without PyTorch: seeds, shapes, statistics, lazy forms, and the errors of constructors.

What every layer computes is compared with PyTorch in `tests/compare/test_nn_layers.py`.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn

# PyTorch's numbers after manual_seed(0).
SEEDED = [
    (
        lambda: nn.Linear(3, 2),
        [-0.004323, 0.309716, -0.475185, -0.424895, -0.222369, 0.154821, -0.011439, 0.457775],
    ),
    (lambda: nn.Conv2d(1, 1, 2), [-0.003743, 0.268222, -0.411523, -0.36797, -0.192577]),
    (lambda: nn.Embedding(2, 2), [1.540996, -0.293429, -2.178789, 0.568431]),
    (lambda: nn.Bilinear(1, 2, 1), [-0.007487, 0.536444, -0.823045]),
    (lambda: nn.ConvTranspose1d(2, 1, 1), [-0.007487, 0.536444, -0.823045]),
]


@pytest.mark.parametrize(("make", "numbers"), SEEDED)
def test_a_seed_gives_pytorchs_parameters(make: Any, numbers: list[float]) -> None:
    torch.manual_seed(0)
    got = np.concatenate([p.detach().numpy().ravel() for p in make().parameters()])
    np.testing.assert_allclose(got, numbers, atol=1e-6)


def public() -> list[str]:
    return [
        n
        for n in nn.__all__
        if n[0].isupper() and n not in nn.modules._LATER and issubclass(getattr(nn, n), nn.Module)
    ]


@pytest.mark.parametrize("name", public())
def test_every_layer_is_documented_with_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(nn, name)) or ""
    assert doc
    assert (
        ">>>" in doc
        or name.startswith("Lazy")
        or name in ("Container", "NLLLoss2d")
        or (name in ("SyncBatchNorm",))
    )


@pytest.mark.parametrize(
    "dotted",
    [
        "modules.module",
        "modules.container",
        "modules.utils",
        "modules.loss",
        "modules.batchnorm",
        "modules.conv",
        "modules.lazy",
        "parameter",
        "init",
        "functional",
        "utils.rnn",
        "utils.prune",
        "utils.parametrizations",
        "parallel",
        "common_types",
        "grad",
    ],
)
def test_dotted_names(dotted: str) -> None:
    module = importlib.import_module(f"rushlight.nn.{dotted}")
    assert getattr(module, "__doc__", None)


def test_modules_under_both_names_are_one() -> None:
    from rushlight.nn.modules import container, module

    assert module is nn.module
    assert container.Sequential is nn.Sequential
    assert nn.modules.utils._pair(3) == (3, 3)
    assert nn.modules.utils._ntuple(3)([1, 2, 3]) == (1, 2, 3)


def test_batch_norm_measures_and_remembers() -> None:
    norm = nn.BatchNorm1d(3, momentum=0.5)
    x = np.random.default_rng(0).normal(5, 2, (50, 3)).astype(np.float32)
    y = norm(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(y.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(y.std(0), 1, atol=1e-3)
    np.testing.assert_allclose(norm.running_mean.numpy(), x.mean(0) / 2, rtol=1e-5)
    np.testing.assert_allclose(norm.running_var.numpy(), (1 + x.var(0, ddof=1)) / 2, rtol=1e-4)
    assert norm.num_batches_tracked.item() == 1
    before = norm.running_mean.numpy().copy()
    norm.eval()(torch.from_numpy(x))
    np.testing.assert_array_equal(norm.running_mean.numpy(), before)
    norm.reset_running_stats()
    assert norm.num_batches_tracked.item() == 0
    assert norm.running_var.tolist() == [1, 1, 1]


def test_cumulative_average() -> None:
    norm = nn.BatchNorm1d(1, momentum=None)
    for v in (1.0, 4.0, 7.0):
        norm(torch.tensor([[v], [v + 2]]))
    assert norm.running_mean.item() == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("make", "shape", "after"),
    [
        (lambda: nn.LazyLinear(3), (2, 5), nn.Linear),
        (lambda: nn.LazyConv1d(3, 2), (2, 4, 6), nn.Conv1d),
        (lambda: nn.LazyConv2d(4, 2, groups=2), (2, 4, 6, 6), nn.Conv2d),
        (lambda: nn.LazyConvTranspose2d(3, 2), (2, 4, 6, 6), nn.ConvTranspose2d),
        (lambda: nn.LazyBatchNorm2d(), (2, 4, 6, 6), nn.BatchNorm2d),
        (lambda: nn.LazyInstanceNorm1d(affine=True), (2, 4, 6), nn.InstanceNorm1d),
    ],
)
@pytest.mark.parametrize(
    "copier", [lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_lazy_layers_become_ordinary_ones(make: Any, shape: Any, after: Any, copier: Any) -> None:
    m = copier(make())
    assert any(map(nn.parameter.is_lazy, (*m.parameters(), *m.buffers())))
    y = m(torch.ones(shape))
    assert type(m) is after
    assert not m._forward_pre_hooks
    assert not m._load_state_dict_pre_hooks
    assert y.shape[0] == 2
    assert not any(map(nn.parameter.is_lazy, (*m.parameters(), *m.buffers())))


def test_uninitialised_parameters_say_so() -> None:
    m = nn.LazyLinear(3)
    assert repr(m.weight) == "<UninitializedParameter>"
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized"):
        _ = m.weight.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        m.weight + 1
    assert m.double()(torch.ones(1, 2, dtype=torch.float64)).dtype is torch.float64


def test_lazy_layer_without_its_own_initialisation() -> None:
    class Half(nn.modules.lazy.LazyModuleMixin, nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.UninitializedParameter()

        def initialize_parameters(self, x: Any) -> None:
            pass

    with pytest.raises(RuntimeError, match="module Half has not been fully initialized"):
        Half()(1)


def test_transposed_convolution_with_output_size() -> None:
    up = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
    assert up(torch.ones(1, 1, 4, 4), output_size=(8, 8)).shape == (1, 1, 8, 8)
    assert up(torch.ones(1, 4, 4), output_size=(1, 7, 8)).shape == (1, 7, 8)
    with pytest.raises(ValueError, match=r"valid sizes range from \[7, 7\] to \[8, 8\]"):
        up(torch.ones(1, 1, 4, 4), output_size=(9, 9))
    with pytest.raises(ValueError, match="output_size must have 2 or 4 elements"):
        up(torch.ones(1, 1, 4, 4), output_size=(9,))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.Conv2d(3, 4, 1, groups=2), ValueError, "in_channels must be divisible"),
        (lambda: nn.Conv2d(4, 3, 1, groups=2), ValueError, "out_channels must be divisible"),
        (lambda: nn.Conv2d(4, 4, 1, groups=0), ValueError, "groups must be a positive"),
        (lambda: nn.Conv2d(1, 1, 1, padding="x"), ValueError, "Invalid padding string 'x'"),
        (lambda: nn.Conv2d(1, 1, 3, 2, "same"), ValueError, "not supported for strided"),
        (lambda: nn.Conv2d(1, 1, 1, padding_mode="x"), ValueError, "padding_mode must be one of"),
        (lambda: nn.ConvTranspose1d(1, 1, 1, padding_mode="reflect"), ValueError, "Only .zeros."),
        (lambda: nn.GroupNorm(3, 4), ValueError, "must be divisible by num_groups"),
        (lambda: nn.Dropout(1.5), ValueError, "dropout probability has to be between 0 and 1"),
        (lambda: nn.Embedding(3, 4, padding_idx=3), AssertionError, "Padding_idx must be within"),
        (lambda: nn.Hardtanh(1, 0), AssertionError, "must be greater than min_val"),
        (lambda: nn.Unflatten(1, 3), TypeError, "must be a tuple of ints"),
        (lambda: nn.HuberLoss(delta="x"), TypeError, "delta must be a float or int"),
        (lambda: nn.MultiMarginLoss(p=3), ValueError, "only p == 1 and p == 2 supported"),
        (lambda: nn.TripletMarginLoss(0), ValueError, "margin to be greater than 0"),
        (lambda: nn.FractionalMaxPool2d(2), ValueError, "requires specifying either"),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 4, [4]), ValueError, "cutoffs should be"),
        (lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)), ValueError, "expected 4D input .got 2D"),
        (lambda: nn.CircularPad1d(1)(torch.ones(2)), ValueError, "expected 2D or 3D input"),
        (lambda: nn.parallel.DistributedDataParallel(nn.Tanh()), ValueError, "init_process_group"),
    ],
)
def test_misuse(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_old_loss_arguments() -> None:
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert nn.MSELoss(size_average=False).reduction == "sum"
    with pytest.warns(UserWarning, match="reduction='none'"):
        assert nn.L1Loss(reduce=False).reduction == "none"
    with pytest.warns(FutureWarning, match="NLLLoss2d"):
        nn.NLLLoss2d()
    with pytest.warns(FutureWarning, match="renamed to `min_val`"):
        assert nn.Hardtanh(min_value=-3).min_val == -3


def test_sync_batch_norm_takes_over() -> None:
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Tanh())
    new = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert type(new[0]) is nn.SyncBatchNorm
    assert new[0].weight is net[0].weight or net[0] is new[0]


def test_data_parallel_is_the_module() -> None:
    inner = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    assert torch.equal(nn.DataParallel(inner)(x), inner(x))


def test_statistics_and_weights_that_are_no_longer_registered() -> None:
    """A layer takes them where `self.weight` and its like would find them."""
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    best = nn.BatchNorm1d(2)
    norm = nn.BatchNorm1d(2)
    for name in ("running_mean", "running_var", "num_batches_tracked", "weight"):
        value = getattr(norm, name).detach()
        delattr(norm, name)
        norm.__dict__[name] = value
    assert norm(x).tolist() == best(x).tolist()
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        assert getattr(norm, name).tolist() == getattr(best, name).tolist()
    layer, plain = nn.LayerNorm(2), nn.LayerNorm(2)
    del layer.weight
    layer.__dict__["weight"] = torch.ones(2)
    assert layer(x).tolist() == plain(x).tolist()


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32])
def test_batches_are_counted_in_place(dtype: Any) -> None:
    norm = nn.BatchNorm1d(2)
    count = norm.num_batches_tracked = torch.tensor(254).to(dtype)
    before = count._version
    for _ in range(2):
        norm(torch.ones(2, 2))
    assert norm.num_batches_tracked is count
    assert count.item() == (0 if dtype is torch.uint8 else 256)
    assert count._version == before + 2


@pytest.mark.parametrize("name", ["relu", "silu", "mish", "selu", "hardswish", "relu6", "elu"])
def test_inplace_false_is_the_call_without_it(name: str) -> None:
    """The same bits, the same node, and the operand as it was."""
    f = getattr(nn.functional, name)
    x = torch.linspace(-3, 3, 7).requires_grad_()
    want, got = f(x), f(x, inplace=False)
    assert torch.equal(got, want)
    assert type(got.grad_fn) is type(want.grad_fn)
    assert torch.equal(x, torch.linspace(-3, 3, 7))
    with pytest.raises(TypeError):
        f(x, inplace=False, nothing=1)


def test_inplace_false_of_whole_numbers_is_the_call_without_it() -> None:
    x = torch.arange(-3, 4)
    assert torch.equal(nn.functional.relu(x, inplace=False), nn.functional.relu(x))
    for given in ({}, {"inplace": False}):
        with pytest.raises(RuntimeError):
            nn.functional.elu(x, **given)

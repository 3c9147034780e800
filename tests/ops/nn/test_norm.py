"""Normalisations on Tensors: known values, running statistics, types, meta, errors."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


def test_known_values():
    x = torch.tensor([[1.0, 3.0]], dtype=torch.float64)
    for y in (F.layer_norm(x, [2], eps=0.0), F.group_norm(x, 1, eps=0.0)):
        assert y.tolist() == [[-1, 1]]
    # PyTorch wants more than zero of a batch's eps; this much is lost beside the variance.
    y = F.batch_norm(x.reshape(2, 1), None, None, training=True, eps=1e-300)
    assert y.tolist() == [[-1], [1]]
    y = F.instance_norm(x.reshape(1, 1, 2), eps=0.0)
    assert y.tolist() == [[[-1, 1]]]
    np.testing.assert_allclose(F.rms_norm(x, [2], eps=0.0).numpy() ** 2, [[0.2, 1.8]])
    np.testing.assert_allclose(F.normalize(torch.tensor([[3.0, 4.0]])).numpy(), [[0.6, 0.8]])


def test_weights_are_by_channel():
    x = torch.tensor([[1.0, 30.0], [3.0, 10.0]], dtype=torch.float64)
    w, b = torch.tensor([2.0, 3.0]).double(), torch.tensor([1.0, 0.0]).double()
    y = F.batch_norm(x, None, None, w, b, training=True, eps=1e-300)
    np.testing.assert_allclose(y.numpy(), [[-1, 3], [3, -3]])


def test_running_statistics():
    mean, var = torch.zeros(1), torch.ones(1)
    x = torch.tensor([[1.0], [3.0]])
    before = mean._version
    F.batch_norm(x, mean, var, training=True, momentum=0.5)
    assert mean.tolist() == [1.0]
    assert var.tolist() == [1.5]  # the unbiased variance of 1 and 3 is 2
    assert mean._version > before
    F.batch_norm(x, mean, var, training=False)
    assert mean.tolist() == [1.0]


def test_running_statistics_have_no_history():
    mean, var = torch.zeros(2), torch.ones(2)
    x = torch.rand(4, 2, requires_grad=True)
    F.batch_norm(x, mean, var, training=True).sum().backward()
    assert not mean.requires_grad
    assert mean.grad_fn is None


def test_node_names():
    x = torch.rand(2, 4, 3, requires_grad=True)
    for y, name in (
        (F.batch_norm(x, None, None, training=True), "NativeBatchNormBackward0"),
        (F.layer_norm(x, [3]), "NativeLayerNormBackward0"),
        (F.group_norm(x, 2), "NativeGroupNormBackward0"),
    ):
        assert type(y.grad_fn).__name__ == name


def test_gradient_is_orthogonal_to_what_is_normalised_away(rng):
    """Adding a constant, or scaling, changes nothing: the gradient is orthogonal to 1 and to x."""
    x = torch.tensor(rng.standard_normal((3, 6)), requires_grad=True)
    g = torch.tensor(rng.standard_normal((3, 6)))
    F.layer_norm(x, [6], eps=0.0).backward(g)
    np.testing.assert_allclose(x.grad.numpy().sum(1), 0, atol=1e-12)
    np.testing.assert_allclose((x.grad.numpy() * x.detach().numpy()).sum(1), 0, atol=1e-12)


def test_narrow_types_with_wide_parameters():
    w, b = torch.ones(4), torch.zeros(4)
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.rand(3, 4, requires_grad=True).to(dtype)
        mean, var = torch.zeros(4), torch.ones(4)
        for y in (
            F.layer_norm(x, [4], w, b),
            F.batch_norm(x, mean, var, w, b, training=True),
            F.group_norm(x, 2, w, b),
            F.rms_norm(x, [4], w),
        ):
            assert y.dtype is dtype
            assert y.requires_grad
        assert mean.dtype is torch.float32


def test_meta():
    x = torch.empty(2, 4, 3, device="meta")
    mean = torch.zeros(4, device="meta")
    for y in (
        F.batch_norm(x, mean, mean, training=True),
        F.layer_norm(x, [3]),
        F.group_norm(x, 2),
        F.instance_norm(x),
        F.rms_norm(x, [4, 3]),
    ):
        assert tuple(y.shape) == (2, 4, 3)
        assert y.is_meta


def test_one_value_per_channel():
    with pytest.raises(ValueError, match="Expected more than 1 value per channel") as info:
        F.batch_norm(torch.zeros(1, 3), None, None, training=True)
    assert "drop_last=True" in str(info.value)
    y = F.batch_norm(torch.zeros(1, 3), torch.zeros(3), torch.ones(3))
    assert y.tolist() == [[0, 0, 0]]


def test_empty_batch_leaves_the_statistics():
    mean, var = torch.zeros(3), torch.ones(3)
    y = F.batch_norm(torch.zeros(0, 3), mean, var, training=True)
    assert tuple(y.shape) == (0, 3)
    assert not math.isnan(mean.sum().item())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.layer_norm(torch.zeros(2, 3), [4]), "normalized_shape=.4., expected input"),
        (lambda: F.layer_norm(torch.zeros(2, 3), []), "at least 1-dimensional"),
        (lambda: F.group_norm(torch.zeros(2, 3), 2), "divisible by num_groups"),
        (lambda: F.batch_norm(torch.zeros(2, 3), None, None), "must be defined in evaluation mode"),
        (
            lambda: F.batch_norm(torch.zeros(2, 3), torch.zeros(4), torch.ones(4)),
            "running_mean should contain 3 elements not 4",
        ),
        (
            lambda: F.layer_norm(torch.zeros(2, 3).double(), [3], torch.ones(3)),
            "mixed dtype .CPU.: all inputs must share same datatype",
        ),
    ],
)
def test_errors(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_whole_numbers_cannot_be_normalised():
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        F.layer_norm(torch.ones(2, 3, dtype=torch.int64), [3])


def test_a_weight_of_another_type_of_rms_norm():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = F.rms_norm(x, [2], w, 0.0)
    assert y.dtype is torch.float32
    assert y.tolist() == pytest.approx([0.4**0.5, 4 * 0.4**0.5])
    y.sum().backward()
    assert w.grad.tolist() == pytest.approx([0.4**0.5, 2 * 0.4**0.5])
    assert F.rms_norm(x, [2], torch.tensor([True, False])).tolist()[1] == 0
    half = F.rms_norm(x.detach().half(), [2], torch.ones(2, dtype=torch.bfloat16))
    assert half.dtype is torch.float16


def test_rms_norm_of_complex_numbers():
    y = F.rms_norm(torch.tensor([1j, 2.0]), [2], eps=0.0)
    assert y.tolist() == pytest.approx([1j * (2 / 3) ** 0.5, 2 * (2 / 3) ** 0.5])


def test_running_statistics_of_another_size_stay_as_they_were():
    mean, var = torch.full((1,), 5.0), torch.ones(1)
    with pytest.raises(ValueError, match="cannot reshape"):
        F.instance_norm(torch.randn(4, 3, 2), mean, var)
    assert mean.item() == 5
    assert var.item() == 1


def moved_as(mean: torch.Tensor, var: torch.Tensor) -> None:
    """Batch norm moves these as it moves statistics of their own memory."""
    x = torch.tensor(np.random.default_rng(0).standard_normal((6, 3, 5)).astype(np.float32))
    best = mean.clone(), var.clone()
    F.batch_norm(x, *best, training=True, momentum=0.3)
    F.batch_norm(x, mean, var, training=True, momentum=0.3)
    for found, other in zip((mean, var), best, strict=True):
        np.testing.assert_allclose(found.numpy(), other.numpy(), rtol=1e-6)


def test_running_statistics_in_any_memory():
    both = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    moved_as(both[0], both[1])  # views of one memory
    moved_as(both.T.contiguous().T[0], torch.ones(3))  # with gaps
    moved_as(both[0]._lazy_clone(), both[1]._lazy_clone())  # read-only until they are written to
    assert both[0].tolist() != [1.0, 2.0, 3.0]


def test_one_tensor_as_both_statistics():
    """It is moved twice."""
    x, both = torch.tensor([[1.0], [3.0]]), torch.zeros(1)
    F.batch_norm(x, both, both, training=True, momentum=0.5)
    assert both.tolist() == [2.0]  # (2 + 2) / 2
    assert both._version == 2


def test_who_changed_running_statistics():
    """Each is changed once more, by the line of the call, be there a node or none."""
    x, mean, var = torch.rand(4, 2), torch.zeros(2), torch.ones(2)
    for requires_grad in (True, False):
        before = mean._version, var._version
        F.batch_norm(x.detach().requires_grad_(requires_grad), mean, var, training=True)
        assert (mean._version, var._version) == (before[0] + 1, before[1] + 1)
        for t in (mean, var):
            assert t._vc.code.co_name == "test_who_changed_running_statistics"
    y = (mean * torch.ones(2, requires_grad=True)).sum()
    F.batch_norm(x, mean, var, training=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_running_statistics_that_may_not_change():
    with torch.inference_mode():
        made = torch.zeros(2)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        F.batch_norm(torch.rand(4, 2), made, torch.ones(2), training=True)
    assert made.tolist() == [0, 0]


def test_running_statistics_that_require_a_gradient():
    """They are moved without a history, as in PyTorch."""
    leaf = torch.zeros(2, requires_grad=True)
    F.batch_norm(torch.rand(4, 2) + 1, leaf, torch.ones(2), training=True)
    assert leaf.is_leaf
    assert min(leaf.tolist()) > 0


def test_running_statistics_beside_a_class_that_computes():
    """They are moved once, though NumPy refuses what stands for an array."""

    class Outer(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            given = [a.inner if isinstance(a, cls) else a for a in args]
            found = func(*given, **(kwargs or {}))
            several = isinstance(found, tuple)
            made = tuple([cls(y) for y in (found if several else (found,))])
            return made if several else made[0]

    x = torch.rand(4, 2, 3)
    best, found = [(torch.zeros(2), torch.ones(2)) for _ in range(2)]
    F.batch_norm(x, *best, training=True)
    F.batch_norm(Outer(x), *found, training=True)
    for a, b in zip(found, best, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (2, 2, 2, 2), (2, 3, 2, 2, 3)])
def test_results_of_images_lie_in_rows_or_channels_last(shape):
    """Whatever the order of the operand is: PyTorch keeps no other, and instance_norm none."""
    rows = torch.empty(shape).stride()
    last = torch.empty(shape[:1] + shape[2:] + shape[1:2]).movedim(-1, 1).stride()
    for order in itertools.permutations(range(len(shape))):
        back = [order.index(d) for d in range(len(shape))]
        sizes = [shape[d] for d in order]
        sizes[-1] *= 2
        gaps = torch.rand(sizes)[..., ::2].permute(back)
        for x in (gaps.clone(), gaps):
            wanted = last if gaps.clone().stride() == last else rows
            moments = torch.zeros(shape[1]), torch.ones(shape[1])
            for y in (
                F.batch_norm(x, *moments),
                F.batch_norm(x, None, None, training=True),
                F.group_norm(x, 1),
            ):
                assert y.stride() == wanted
            assert F.instance_norm(x).stride() == rows
            assert F.instance_norm(x, *moments, use_input_stats=False).stride() == rows
            assert F.rms_norm(x, shape[-1:]).stride() == wanted
    assert F.rms_norm(torch.rand(3), (3,)).shape == (3,)


@pytest.mark.parametrize(
    "norm",
    [
        lambda x, w, b: F.group_norm(x, 2, w, b),
        lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
        lambda x, w, b: F.layer_norm(x.mT, (4,), w, b),
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
    ],
)
def test_a_bias_may_be_changed_before_backward(norm):
    x = torch.arange(24.0).reshape(2, 4, 3).requires_grad_()
    w, b = torch.ones(4, requires_grad=True), torch.zeros(4, requires_grad=True)
    y = norm(x, w, b)
    with torch.no_grad():
        b += 1
    y.sum().backward()
    assert b.grad.tolist() == [6] * 4

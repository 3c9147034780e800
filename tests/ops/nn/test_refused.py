"""Shapes, types and numbers that functions of nn refuse, in PyTorch's words."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("shape", [(2, 0, 4), (0, 3), (2, 3, 0)])
def test_edges_of_nothing_cannot_be_repeated(mode: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(RuntimeError, match="possibly 0 batch size and other non-zero dimensions"):
        F.pad(torch.ones(shape), (1, 1), mode=mode)
    assert F.pad(torch.ones(0, 3, 4), (1, 1), mode=mode).shape == (0, 3, 6)


def test_weights_of_classes_have_the_type_of_the_scores() -> None:
    x, target = torch.zeros(2, 3), torch.tensor([0, 1])
    for weight in (torch.ones(3).half(), torch.ones(3).double()):
        for call in (F.nll_loss, F.cross_entropy):
            with pytest.raises(RuntimeError, match="expected scalar type Float but found"):
                call(x, target, weight=weight)


def test_a_target_of_one_element_gives_a_loss_of_one_element() -> None:
    loss = nn.MultiMarginLoss(reduction="none")
    assert loss(torch.ones(5), torch.tensor([1])).shape == (1,)
    assert loss(torch.ones(5), torch.tensor(1)).shape == ()


CALLS: list[tuple[Any, type[Exception], str]] = [
    (
        lambda: F.fold(torch.ones(1, 12, 12), (4, 5), 2, dilation=8),
        RuntimeError,
        r"sliding blocks as \(-4, -3\), which is too small",
    ),
    (
        lambda: F.fractional_max_pool2d(torch.ones(1, 2, 4, 4), 2, output_ratio=(0.5,) * 3),
        ValueError,
        "requires output_ratio to either be a single Int or tuple of Ints",
    ),
    (
        lambda: F.fractional_max_pool3d(torch.ones(1, 2, 4, 4, 4), 2, output_size=(2, 2)),
        RuntimeError,
        "output_size must either be a single Int or tuple of three Ints",
    ),
    (
        lambda: F.max_pool2d(torch.ones(3, 4), 2),
        RuntimeError,
        r"non-empty 3D or 4D \(batch mode\) tensor expected for input",
    ),
    (
        lambda: nn.GRUCell(3, 4)(torch.ones(2, 3), torch.ones(2, 5)),
        RuntimeError,
        "hidden0 has inconsistent hidden_size: got 5, expected 4",
    ),
    (
        lambda: nn.LinearCrossEntropyLoss(3, 2)(torch.ones(4, 5), torch.zeros(4).long()),
        RuntimeError,
        r"last dimensions \(in_features\), got 5 and 3, respectively",
    ),
    (
        lambda: torch.heaviside(torch.ones(2) + 0j, torch.ones(2)),
        RuntimeError,
        "not yet implemented for complex tensors",
    ),
    (
        lambda: torch.unravel_index(torch.tensor([0]), torch.tensor([2, 2])),
        TypeError,
        "expected 'shape' to be int or sequence of ints",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), CALLS)
def test_words(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_sparse_tensors_have_no_memory_format_and_one_norm() -> None:
    s = torch.eye(3).to_sparse()
    for like in (torch.zeros_like, torch.empty_like):
        with pytest.raises(RuntimeError, match="only supported by strided tensors"):
            like(s, memory_format=torch.preserve_format)
    assert torch.norm(s, dim=(0, 1)).item() == pytest.approx(3**0.5)
    with pytest.raises(RuntimeError, match="only supports full reductions"):
        torch.norm(s, p=1, dim=1)
    with pytest.raises(RuntimeError, match="does not support keepdim=True"):
        torch.norm(s, keepdim=True)
    with pytest.raises(RuntimeError, match="Offsets must be scalar or vector"):
        torch.sparse.spdiags(torch.ones(2, 3), torch.ones(1, 2).long(), (3, 3))


def test_convolution_looks_for_the_kernel_before_it_compares_types() -> None:
    x, w = torch.ones(2, 3, 5, 5), torch.ones(2, 3, 2, 2)
    with pytest.raises(NotImplementedError, match="\"slow_conv2d_cpu\" not implemented for 'Bool'"):
        F.conv2d(x.bool(), w)
    with pytest.raises(NotImplementedError, match="slow_conv_dilated<>"):
        F.conv2d(x.byte(), w, dilation=2)
    with pytest.raises(RuntimeError, match="should be the same"):
        F.conv2d(x.long(), w, dilation=2)
    with pytest.raises(RuntimeError, match="to have 3 channels"):
        F.conv2d(x[:, :2].bool(), w)
    with pytest.raises(RuntimeError, match="non-positive stride"):
        F.conv2d(x.bool(), w, stride=0)


def test_no_inputs_may_be_of_another_type_than_the_weight() -> None:
    w = torch.ones(2, 3, 2, 2, requires_grad=True)
    y = F.conv2d(torch.ones(0, 3, 5, 5).half(), w, stride=2)
    assert (y.shape, y.dtype) == ((0, 2, 2, 2), torch.half)
    y.sum().backward()
    assert w.grad.shape == w.shape
    assert F.conv1d(torch.ones(0, 3, 5).bool(), torch.ones(2, 3, 2).bool()).shape == (0, 2, 4)
    with pytest.raises(RuntimeError, match="should be the same"):
        F.conv2d(torch.ones(0, 3, 5, 5).cfloat(), w)


def test_bags_are_asked_about_their_types_last() -> None:
    bags, rows = torch.ones(6, dtype=torch.long), torch.ones(2, 2, dtype=torch.long)
    begin = torch.zeros(1, dtype=torch.long)
    for call, kind, words in (
        (lambda: F.embedding_bag(bags, rows[0]), ValueError, "has to be a 2D Tensor"),
        (lambda: F.embedding_bag(bags, rows), ValueError, "1D Tensor but got None"),
        (lambda: F.embedding_bag(bags, rows, begin, mode="x"), ValueError, "mode has to be one"),
        (lambda: F.embedding_bag(bags, rows, begin), RuntimeError, "one of the following scalar"),
        (lambda: F.embedding_bag(rows.bool(), rows), NotImplementedError, "arange_cpu"),
        (lambda: F.embedding_bag(rows.cfloat(), rows, mode="x"), NotImplementedError, "arange_cpu"),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_sizes_are_counted_before_the_mode_is_looked_at() -> None:
    x = torch.ones(2, 4, 4)
    for mode in ("bicubic", "trilinear", "unknown"):
        with pytest.raises(ValueError, match="same number of spatial dimensions"):
            F.interpolate(x, [6, 3], mode=mode)
        with pytest.raises(NotImplementedError):
            F.interpolate(x, [6], mode=mode)


def test_parameters_are_tensors() -> None:
    x, w = torch.ones(4, 3, 2), torch.ones(3)
    for call, words in (
        (lambda: F.batch_norm(x, None, None, w, True), "'bias' .position 3. must be Tensor, not b"),
        (lambda: F.batch_norm(x, w, w, None, True), "'bias' .position 3. must be Tensor, not bool"),
        (lambda: F.batch_norm(x, w, w, w, w, 3), "'training' .position 6. must be bool, not int"),
        (lambda: F.instance_norm(x, None, None, w, True), "'bias' .position 3. must be Tensor"),
        (lambda: F.layer_norm(x, (2,), True), "'weight' .position 3. must be Tensor, not bool"),
        (lambda: F.group_norm(x, 3, w, True), "'bias' .position 4. must be Tensor, not bool"),
        (lambda: F.poisson_nll_loss(3, w, False), "'input' .position 1. must be Tensor, not int"),
        (lambda: F.soft_margin_loss(w, 3), "'target' .position 2. must be Tensor, not int"),
        (lambda: F.cosine_embedding_loss(w, w, 3), "'target' .position 3. must be Tensor, not int"),
        (lambda: F.triplet_margin_loss(w, w, 3), "'negative' .position 3. must be Tensor, not int"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_a_mask_has_the_type_of_the_query_or_float32_or_is_of_truths() -> None:
    q = torch.ones(2, 3, 4)
    with pytest.raises(RuntimeError, match="Expected attn_mask dtype"):
        F.scaled_dot_product_attention(q, q, q, torch.ones(3, 3).half())
    c = q.cfloat()
    with pytest.raises(NotImplementedError, match="not implemented for"):
        F.scaled_dot_product_attention(c, c, c, c[0, :, :3])


def test_a_grid_wants_matrices() -> None:
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.affine_grid_generator(torch.ones(2, 3), size=(2, 1, 3, 4), align_corners=False)


NEITHER: list[tuple[Any, type[Exception], str]] = [
    (lambda x: F.adaptive_avg_pool2d(x[0], [1, 3]), ValueError, "should be at least 3"),
    (lambda x: F.adaptive_max_pool3d(x, [1, 3, 1]), ValueError, "should be at least 4"),
    (lambda x: F.adaptive_avg_pool2d(x[0, 0, 0], 1), IndexError, "out of range"),
    (lambda x: F.avg_pool2d(x[0], 2), IndexError, "out of range"),
    (lambda x: F.lp_pool2d(x[0], 2.0, 2), IndexError, "out of range"),
    (lambda x: F.unfold(x[0], 2), IndexError, "out of range"),
    (lambda x: F.fractional_max_pool2d(x[0, 0], 2, output_size=2), IndexError, "out of range"),
    (lambda x: F.max_unpool2d(x[0, 0], x[0, 0].long(), 2), IndexError, "tuple index"),
    (lambda x: torch.group_norm(x[0, 0], 1), IndexError, "out of range"),
    (lambda x: F.instance_norm(x[0, 0]), ValueError, "more than 1 spatial element"),
    (lambda x: F.batch_norm(x[0, 0], None, None, training=True), IndexError, "out of range"),
    (lambda x: F.batch_norm(x[0], x[:1, 0], x[0, 0]), RuntimeError, "TensorAccessor expected 1"),
    (lambda x: F.rms_norm(x[0, 0, 0], [4]), ValueError, "must have at least 1 dimensions"),
    (lambda x: F.cross_entropy(x[0, 0, 0], x[0, 0].long()), IndexError, "out of range"),
    (lambda x: F.ctc_loss(x[0, 0, 0], x, x, x), IndexError, "out of range"),
    (lambda x: F.embedding(torch.tensor([1]), x[:1], 1), AssertionError, "within num_embeddings"),
    (lambda x: F.grid_sample(x[0, 0, 0], x, align_corners=True), IndexError, "no dimensions"),
    (lambda x: F.grid_sample(x, x[:, None], align_corners=True), RuntimeError, "have size 1 in"),
    (lambda x: F.grid_sample(x, x[..., :1], align_corners=True), RuntimeError, "expected 5D input"),
    (lambda x: F.linear(x[0, 0, 0], x[0]), RuntimeError, "both arguments .* are 0D and 2D"),
    (lambda x: F.linear(x[0, 0], x[0, 0, 0]), RuntimeError, "both arguments .* are 1D and 0D"),
    (lambda x: nn.Linear(1, 1).to("cpu", True), TypeError, "invalid combination of arguments"),
    (lambda x: F.multi_margin_loss(x[0], torch.zeros(1, 3).long()), RuntimeError, "should be 1-D"),
    (lambda x: F.multilabel_margin_loss(x[0], x[0].cfloat()), NotImplementedError, "min_all"),
    (lambda x: F.nll_loss(x[0].long(), x[0, 0].long(), x[0, 0]), NotImplementedError, "nll_loss"),
    (lambda x: F.mse_loss(x, x[:, :2], weight=x[:, :2]), RuntimeError, "Shape mismatch"),
    (lambda x: F.pad(x, (-4, 5)), RuntimeError, "length must be non-negative"),
]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(("call", "kind", "words"), NEITHER)
def test_other_numbers_of_dimensions(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call(torch.ones(3, 3, 3))


def test_one_window_takes_planes_without_channels() -> None:
    assert F.adaptive_avg_pool2d(torch.ones(3, 4), 1).tolist() == [[1.0]]


def test_one_variance_is_a_float() -> None:
    x = torch.ones(3)
    assert F.gaussian_nll_loss(x, x, 1.0).item() == 0
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        F.gaussian_nll_loss(x, x, 1)

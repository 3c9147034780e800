"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

from rushlight import return_types as return_types
from rushlight.layout import memory_format
from rushlight.random import Generator
from rushlight.size import Size
from rushlight.tensor import Tensor
from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 1 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, L), or without N.
        output_size: one number, or one a dimension; None keeps a size.

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.adaptive_avg_pool1d(x, 1).flatten()
    tensor([1.5000])
    """
def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 2 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 4)
    >>> F.adaptive_avg_pool2d(x, 1).flatten()
    tensor([3.5000])
    """
def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 3 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.

    >>> x = torch.arange(16.0).reshape(1, 1, 2, 2, 4)
    >>> F.adaptive_avg_pool3d(x, 1).flatten()
    tensor([7.5000])
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 1 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, L), or without N.
        output_size: one number, or one a dimension; None keeps a size.
        return_indices: also the position of each maximum in the flattened plane (int64).

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.adaptive_max_pool1d(x, 1).flatten()
    tensor([3.])
    """
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool1d` with `return_indices=True`: (maxima, their places).

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> y, indices = F.adaptive_max_pool1d_with_indices(x, 1)
    >>> y.flatten(), indices.flatten()
    (tensor([3.]), tensor([3]))
    """
def adaptive_max_pool2d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 2 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
        return_indices: also the position of each maximum in the flattened plane (int64).

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 4)
    >>> F.adaptive_max_pool2d(x, 1).flatten()
    tensor([7.])
    """
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool2d` with `return_indices=True`: (maxima, their places).

    >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> y, indices = F.adaptive_max_pool2d_with_indices(x, 1)
    >>> y.flatten(), indices.flatten()
    (tensor([15.]), tensor([15]))
    """
def adaptive_max_pool3d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 3 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
        return_indices: also the position of each maximum in the flattened plane (int64).

    >>> x = torch.arange(16.0).reshape(1, 1, 2, 2, 4)
    >>> F.adaptive_max_pool3d(x, 1).flatten()
    tensor([15.])
    """
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool3d` with `return_indices=True`: (maxima, their places).

    >>> x = torch.arange(64.0).reshape(1, 1, 4, 4, 4)
    >>> y, indices = F.adaptive_max_pool3d_with_indices(x, 1)
    >>> y.flatten(), indices.flatten()
    (tensor([63.]), tensor([63]))
    """
def affine_grid(theta: Tensor, size: _int | Sequence[_int], align_corners: _bool | None = None) -> Tensor:
    """A grid for `grid_sample` that moves an image of `size` by the matrices `theta`.

    Args:
        theta: (N, 2, 3) for images, (N, 3, 4) for volumes.
        size: (N, C, H, W) or (N, C, D, H, W) of the result.

    >>> theta = torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
    >>> F.affine_grid(theta, (1, 1, 1, 2), align_corners=False)
    tensor([[[[0., 0.],
              [1., 0.]]]])
    """
def alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Dropout for SELU networks, which keeps mean and variance.

    With probability `p` an element becomes -1.7581 (what SELU tends to), then all are scaled and
    shifted. Only in training, which is not the default here. Klambauer et al., arXiv:1706.02515.

    >>> y = F.alpha_dropout(torch.zeros(1000), p=0.5, training=True)
    >>> y.unique()
    tensor([-0.7792,  0.7792])
    """
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding: one number, or one a dimension; the stride is the kernel size when
            not given.
        ceil_mode: also windows that hang over the edge.
        count_include_pad: whether zeros of the padding count as elements.
        divisor_override: divide by this instead of by the number of elements (2-d and 3-d).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.avg_pool1d(x, 2).flatten()
    tensor([0.5000, 2.5000])
    """
def avg_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """The mean of each window over the last 2 dimension(s).

    Args:
        input: (N, C, H, W), or without N.
        kernel_size, stride, padding: one number, or one a dimension; the stride is the kernel size when
            not given.
        ceil_mode: also windows that hang over the edge.
        count_include_pad: whether zeros of the padding count as elements.
        divisor_override: divide by this instead of by the number of elements (2-d and 3-d).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 4)
    >>> F.avg_pool2d(x, 2).flatten()
    tensor([2.5000, 4.5000])
    """
def avg_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """The mean of each window over the last 3 dimension(s).

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size, stride, padding: one number, or one a dimension; the stride is the kernel size when
            not given.
        ceil_mode: also windows that hang over the edge.
        count_include_pad: whether zeros of the padding count as elements.
        divisor_override: divide by this instead of by the number of elements (2-d and 3-d).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(16.0).reshape(1, 1, 2, 2, 4)
    >>> F.avg_pool3d(x, 2).flatten()
    tensor([6.5000, 8.5000])
    """
def batch_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
    """Normalise each channel (dimension 1) over the batch and all positions.

    y = (x - mean) / sqrt(var + eps) * weight + bias

    Args:
        input: (N, C, *).
        running_mean, running_var: (C,) or None. When `training` they are updated in place,
            r = (1 - momentum) * r + momentum * new (the unbiased variance); else they are used.
        weight, bias: (C,) or None.

    Raises ValueError when training on a single value per channel, and for an `eps` that is not
    positive (negative, where the running statistics are used).

    Ioffe and Szegedy, Batch Normalization, 2015.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> mean, var = torch.zeros(1), torch.ones(1)
    >>> F.batch_norm(x, mean, var, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> mean, var
    (tensor([0.2000]), tensor([1.1000]))
    """
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y[k] = input1^T @ weight[k] @ input2 + bias[k], for each output k.

    `input1` (*, in1), `input2` (*, in2), `weight` (out, in1, in2), `bias` (out,) or none; y (*,
    out).

    >>> x1, x2 = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])
    >>> F.bilinear(x1, x2, torch.ones(1, 2, 1))
    tensor([[9.]])
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-(t log x + (1 - t) log(1 - x)) for probabilities x; the logarithms are not below -100.

    `target` has the input's shape, values in [0, 1]; `weight` is a factor of each loss and
    broadcasts. RuntimeError for an x outside of [0, 1]. `binary_cross_entropy_with_logits` is more
    exact.

    >>> x, t = torch.tensor([0.5, 0.9]), torch.tensor([1.0, 0.0])
    >>> F.binary_cross_entropy(x, t, reduction="none")
    tensor([0.6931, 2.3026])
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """`binary_cross_entropy` of sigmoid(x), without overflow.

    Args:
        input: any shape. target: the same shape, values in [0, 1].
        weight: factor of each loss. pos_weight: factor of the positive part, one a class.

    >>> x, t = torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0])
    >>> F.binary_cross_entropy_with_logits(x, t, reduction="none")
    tensor([  0.6931, 100.0000])
    """
def celu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """An elu whose derivative is continuous for every alpha:
    `y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    alpha: 1 by default; RuntimeError for 0. Barron, 2017, arXiv:1704.07483.

    >>> F.celu(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: an elu whose derivative is continuous for every alpha:
    `y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    alpha: 1 by default; RuntimeError for 0. Barron, 2017, arXiv:1704.07483.

    >>> F.celu_(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    `input` (N, C, *), C a multiple of `groups`. Zhang et al., ShuffleNet, 2018.

    >>> x = torch.arange(6).reshape(1, 6, 1)
    >>> F.channel_shuffle(x, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 1 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (O, C / groups, k).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5), torch.ones(4, 3, 3)
    >>> tuple(F.conv1d(x, w, padding=1).shape)
    (2, 4, 5)
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 2 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, H, W), or (C, H, W) without a batch.
        weight: (O, C / groups, kh, kw).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3)
    >>> tuple(F.conv2d(x, w, padding=1).shape)
    (2, 4, 5, 5)
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 3 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, D, H, W), or (C, D, H, W) without a batch.
        weight: (O, C / groups, kd, kh, kw).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(4, 3, 3, 3, 3)
    >>> tuple(F.conv3d(x, w, padding=1).shape)
    (2, 4, 5, 5, 5)
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """1-d convolution with time first: `input` (T, B, C), `weight` (k, C, O), `bias` (O,): (T', B,
    O).

    `pad` zeros are added at both ends: T' = T + 2 * pad - k + 1.

    >>> x, w = torch.ones(5, 1, 2), torch.ones(3, 2, 1)
    >>> torch.conv_tbc(x, w, torch.zeros(1), 1).flatten()
    tensor([4., 6., 6., 6., 4.])
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 1 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (C, O / groups, k).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5), torch.ones(3, 4, 2)
    >>> tuple(F.conv_transpose1d(x, w, stride=2).shape)
    (2, 4, 10)
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 2 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, H, W), or (C, H, W) without a batch.
        weight: (C, O / groups, kh, kw).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(3, 4, 2, 2)
    >>> tuple(F.conv_transpose2d(x, w, stride=2).shape)
    (2, 4, 10, 10)
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 3 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, D, H, W), or (C, D, H, W) without a batch.
        weight: (C, O / groups, kd, kh, kw).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(3, 4, 2, 2, 2)
    >>> tuple(F.conv_transpose3d(x, w, stride=2).shape)
    (2, 4, 10, 10, 10)
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1.

    Args:
        input1, input2: (N, D) or (D). target: (N) or ().

    >>> x1, x2 = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> F.cosine_embedding_loss(x1, x2, torch.tensor([1]))
    tensor(0.2929)
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, which the result does not have.

    The operands broadcast; 1 for the same direction, -1 for the opposite.

    >>> x = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    >>> torch.cosine_similarity(x, torch.tensor([[2.0, 0.0]]))
    tensor([1.0000, 0.7071])
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = 0.0) -> Tensor:
    """-log softmax(x)[t]: from scores x, and class indices or class probabilities t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...), unnormalised.
        target: class indices () , (N) or (N, d1, ...), or probabilities in the input's shape.
        weight: (C), a factor for each class.
        ignore_index: a class index that does not count.
        label_smoothing: the part of the target that is spread evenly over the classes.

    >>> F.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """-log of the probability of `targets` over all alignments with the input.

    Args:
        log_probs: (T, N, C) or (T, C), from log_softmax. The gradient is that of the loss for
            each log-probability as it stands.
        targets: (N, S) padded, (S) for one sample, or all labels one after the other.
        input_lengths, target_lengths: (N).
        blank: the class of "no label".
        reduction: 'mean' divides each loss by its target length first.
        zero_infinity: losses of targets that do not fit count 0.

    Graves et al., 2006, ICML.

    >>> log_probs = torch.full((2, 1, 3), 1 / 3).log()  # 2 times, 3 classes, all alike
    >>> lengths = torch.tensor([2]), torch.tensor([1])
    >>> F.ctc_loss(log_probs, torch.tensor([[1]]), *lengths)  # 3 of 9 paths: aa, a-, -a
    tensor(1.0986)
    """
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Each element is 0 with probability `p`, else multiplied by 1 / (1 - p); only in training.

    y = x * mask / (1 - p), so that the mean stays. Outside training y = x. ValueError unless p is
    in [0, 1]. Srivastava et al., 2014.

    >>> x = torch.ones(1000)
    >>> F.dropout(x, p=0.2).unique()
    tensor([0.0000, 1.2500])
    >>> F.dropout(x, training=False).equal(x)
    True
    """
def dropout1d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L): each is zero with probability `p`, else
    scaled.

    >>> y = F.dropout1d(torch.ones(4, 8, 5))
    >>> bool((y == y[:, :, :1]).all())
    True
    """
def dropout2d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, H, W): each is zero with probability `p`, else scaled.

    Tompson et al., 2014, arXiv:1411.4280.

    >>> y = F.dropout2d(torch.ones(4, 8, 2, 2))
    >>> bool((y == y[:, :, :1, :1]).all())
    True
    """
def dropout3d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W): zero with probability `p`, else
    scaled.

    >>> y = F.dropout3d(torch.ones(4, 8, 2, 2, 2))
    >>> bool((y == y[:, :, :1, :1, :1]).all())
    True
    """
def elu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """The exponential linear unit: `y = x` where x > 0, else `alpha * (exp(x) - 1)`.

    alpha: minus the value for very negative x; 1 by default. Clevert et al., 2015,
    arXiv:1511.07289.

    >>> F.elu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
def elu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: the exponential linear unit: `y = x` where x > 0, else `alpha * (exp(x) - 1)`.

    alpha: minus the value for very negative x; 1 by default. Clevert et al., 2015,
    arXiv:1511.07289.

    >>> F.elu_(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _float | None = None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """Rows of a table.

    Args:
        input: indices, any shape. weight: (N, D), the table. Returns (*, D).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up and have a larger norm (of `norm_type`) are shrunk to
            it first, in the table itself.
        scale_grad_by_freq: divide gradients by how often their row occurs in the input.
        sparse: the table's gradient is a sparse tensor of the rows that were looked up, which
            SparseAdam, SGD and Adagrad take.

    >>> F.embedding(torch.tensor([1]), torch.eye(2))
    tensor([[0., 1.]])
    """
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: _float | None = None, norm_type: _float = 2, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
    """Sums, means or maxima of bags of rows of a table.

    Args:
        input: (B, L), bags of one length, or (K), all bags one after the other.
        weight: (N, D). Returns (B, D).
        offsets: (B), where each bag of a 1-d input begins; with `include_last_offset` one more
            number, where the last one ends.
        mode: "sum", "mean" or "max"; an empty bag gives zeros.
        per_sample_weights: factors of the rows, in the input's shape, for "sum".
        padding_idx: an index that does not count.

    >>> table = torch.tensor([[1.0], [2.0], [4.0]])
    >>> F.embedding_bag(torch.tensor([0, 1, 2]), table, torch.tensor([0, 2]), mode="sum")
    tensor([[3.],
            [4.]])
    """
def feature_alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """`alpha_dropout` of whole channels: of (N, C, *) each (n, c) is dropped or kept.

    >>> y = F.feature_alpha_dropout(torch.zeros(4, 8, 5), p=0.5, training=True)
    >>> bool((y == y[:, :, :1]).all())
    True
    """
def fold(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1) -> Tensor:
    """Columns (N, C * kh * kw, L) added up into images (N, C, *output_size); also unbatched.

    Windows that overlap are summed, so `fold(unfold(x))` is x times the number of windows over it.

    >>> columns = torch.ones(1, 4, 4)  # windows of 2 x 2 at four places
    >>> F.fold(columns, output_size=(3, 3), kernel_size=2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
def fractional_max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Number | Sequence[_float] | None = None, return_indices: _bool = False) -> Tensor:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: one number, or one a dimension, of each window.
        output_size, output_ratio: the result's size, or its ratio to the input's; one of the two.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Graham, Fractional Max-Pooling, 2014, arXiv:1412.6071.

    >>> x = torch.arange(25.0).reshape(1, 1, 5, 5)
    >>> F.fractional_max_pool2d(x, kernel_size=2, output_size=3).shape
    torch.Size([1, 1, 3, 3])
    """
def fractional_max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Number | Sequence[_float] | None = None, return_indices: _bool = False) -> Tensor:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        kernel_size: one number, or one a dimension, of each window.
        output_size, output_ratio: the result's size, or its ratio to the input's; one of the two.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Graham, Fractional Max-Pooling, 2014, arXiv:1412.6071.

    >>> x = torch.zeros(1, 1, 5, 5, 5)
    >>> F.fractional_max_pool3d(x, kernel_size=2, output_ratio=0.5).shape
    torch.Size([1, 1, 2, 2, 2])
    """
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: _bool = False, eps: _float = 1e-06, reduction: _str = 'mean') -> Tensor:
    """(log v + (x - t)**2 / v) / 2 with v = max(var, eps); `full` adds log(2 pi) / 2.

    `var` has the input's shape, one dimension less, or 1 in one dimension; or it is a number.

    >>> x, t, var = torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([4.0])
    >>> F.gaussian_nll_loss(x, t, var)
    tensor(1.1931)
    """
def gelu(input: Tensor, *, approximate: _str = 'none') -> Tensor:
    """The Gaussian error linear unit: x times the share of a normal distribution below x,
    `y = x * (1 + erf(x / sqrt(2))) / 2`.

    approximate: "none" by default; "tanh" computes
    `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2`, as GPT-2 does. Hendrycks and
    Gimpel, 2016, arXiv:1606.08415.

    >>> F.gelu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    >>> F.gelu(torch.tensor([-1.0, 0.0, 2.0]), approximate="tanh")
    tensor([-0.1588,  0.0000,  1.9546])
    """
def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """The gated linear unit: the first half of a dimension times the sigmoid of the second half.

    input (*, 2n, *), with 2n at `dim` (-1 by default); the result (*, n, *). RuntimeError where the
    size is odd. Dauphin et al., 2016, arXiv:1612.08083.

    >>> F.glu(torch.tensor([[1.0, 2.0, 0.0, 100.0]]))
    tensor([[0.5000, 2.0000]])
    """
def grid_sample(input: Tensor, grid: Tensor, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: _bool | None = None) -> Tensor:
    """Values of images at the points of a grid.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W).
        grid: (N, H', W', 2) with x, y, or (N, D', H', W', 3) with x, y, z: -1 is the first element
            of a dimension and 1 the last (their centres when `align_corners`, else their edges).
        mode: "bilinear", "nearest" or "bicubic" (images only).
        padding_mode: what lies outside: "zeros", the "border", or its "reflection".

    Jaderberg et al., Spatial Transformer Networks, 2015.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.grid_sample(image, torch.tensor([[[[0.0, 0.0]]]]), align_corners=True)
    tensor([[[[2.5000]]]])
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
    """Normalise `num_groups` groups of channels of each sample.

    Args:
        input: (N, C, *), C divisible by `num_groups`.
        weight, bias: (C,) or None.
        eps: added to the variance.

    Wu and He, Group Normalization, 2018.

    >>> x = torch.tensor([[[1.0], [3.0], [0.0], [10.0]]])
    >>> F.group_norm(x, num_groups=2).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
    """
def gumbel_softmax(logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; `hard` makes it one-hot, with the same gradient.

    softmax((logits + n) / tau) along `dim`, where n = -log(e) and e is exponentially distributed.
    Jang et al., 2016, arXiv:1611.01144.

    >>> y = F.gumbel_softmax(torch.zeros(5, 3), hard=True)
    >>> y.sum(-1)
    tensor([1., 1., 1., 1., 1.])
    """
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """`y = x` where |x| > lambd, else 0.

    lambd: 0.5 by default; of narrow types it is rounded as the elements are.

    >>> F.hardshrink(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """A sigmoid of straight lines: `y = min(max(x + 3, 0), 6) / 6`.

    >>> F.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """silu made of straight lines: `y = x * min(max(x + 3, 0), 6) / 6`. Howard et al., 2019,
    arXiv:1905.02244.

    >>> F.hardswish(torch.tensor([-4.0, -1.0, 4.0]))
    tensor([-0.0000, -0.3333,  4.0000])
    """
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: _bool = False) -> Tensor:
    """Each element, held between two numbers: `y = min(max(x, min_val), max_val)`.

    min_val: -1 by default; max_val: 1; ValueError where min_val is the larger. The gradient at the
    two bounds is 0, other than that of `clamp`.

    >>> F.hardtanh(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
def hardtanh_(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    """In place: each element, held between two numbers: `y = min(max(x, min_val), max_val)`.

    min_val: -1 by default; max_val: 1; ValueError where min_val is the larger. The gradient at the
    two bounds is 0, other than that of `clamp`.

    >>> F.hardtanh_(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """x where the target is 1, max(0, margin - x) where it is -1; reduced. x is a distance.

    >>> x, t = torch.tensor([0.5, 0.5]), torch.tensor([1, -1])
    >>> F.hinge_embedding_loss(x, t, reduction="none")
    tensor([0.5000, 0.5000])
    """
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = 1.0, weight: Tensor | None = None) -> Tensor:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2); reduced.

    It is `delta` times `smooth_l1_loss` with beta=delta.

    >>> x, t = torch.tensor([0.0, 0.0]), torch.tensor([0.5, 3.0])
    >>> F.huber_loss(x, t, reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
    """Normalise each channel of each sample over its positions.

    y = (x - mean) / sqrt(var + eps) * weight + bias

    Args:
        input: (N, C, *).
        running_mean, running_var: (C,) or None; updated in place with the mean over the batch.
        use_input_stats: False normalises by the running statistics instead.

    Ulyanov et al., Instance Normalization, 2016.

    >>> x = torch.tensor([[[1.0, 3.0], [0.0, 10.0]]])
    >>> F.instance_norm(x)
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
def interpolate(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None, mode: _str = 'nearest', align_corners: _bool | None = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False) -> Tensor:
    """Resize the last 1, 2 or 3 dimensions of `input`, to `size` or by `scale_factor`.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size, scale_factor: one number, or one a dimension; one of the two.
        mode: "nearest", "nearest-exact", "area", "linear" (3D input), "bilinear", "bicubic" (4D),
            "trilinear" (5D), "lanczos" (4D, with `antialias`).
        align_corners: whether the outermost elements coincide, rather than the edges.
        recompute_scale_factor: use the ratio of the sizes instead of `scale_factor` itself.
        antialias: widen the filter when shrinking ("bilinear", "bicubic", "lanczos").

    >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
def kl_div(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """t (log t - x) for log-probabilities x: the Kullback-Leibler divergence when summed.

    Args:
        reduction: 'batchmean' divides the sum by the batch size: the definition.
        log_target: the target holds log-probabilities too.

    >>> x, t = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.25, 0.75]])
    >>> F.kl_div(x, t, reduction="batchmean")
    tensor(0.1308)
    """
def l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """|x - t|, reduced; with `weight` the mean is divided by the sum of the weights.

    `reduction` is "mean", "sum" or "none" (the result has the shape of the operands).

    >>> x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
    >>> F.l1_loss(x, t)
    tensor(1.)
    >>> F.l1_loss(x, t, reduction="none")
    tensor([0., 2.])
    """
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
    """Normalise over the last dimensions, those of `normalized_shape`.

    y = (x - mean) / sqrt(var + eps) * weight + bias, weight and bias of shape `normalized_shape`.

    Raises RuntimeError when the input does not end in `normalized_shape`.

    Ba, Kiros and Hinton, Layer Normalization, 2016.

    >>> x = torch.tensor([[1.0, 3.0], [0.0, 10.0]])
    >>> F.layer_norm(x, (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: _bool = False) -> Tensor:
    """A rectifier that lets a little of negative values through: `y = x` where x > 0, else
    `negative_slope * x`.

    negative_slope: 0.01 by default.

    >>> F.leaky_relu(torch.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])
    """
def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """In place: a rectifier that lets a little of negative values through: `y = x` where x > 0, else
    `negative_slope * x`.

    negative_slope: 0.01 by default.

    >>> F.leaky_relu_(torch.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])
    """
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = input @ weight^T + bias.

    `input` (*, in), `weight` (out, in), `bias` (out,) or none; y (*, out).

    >>> x = torch.tensor([[1.0, 2.0]])
    >>> weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> F.linear(x, weight, torch.tensor([0.0, 0.0, 10.0]))
    tensor([[ 1.,  2., 13.]])
    """
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _float = 0.0, options: Any = None) -> Tensor:
    """`cross_entropy` of a linear layer's scores.

    Args:
        input: (F) or (N, F). linear_weight: (C, ..., F). linear_bias: (C, ...).
        options: accepted; the scores are computed at once.

    >>> x, weight = torch.eye(2), torch.zeros(3, 2)
    >>> F.linear_cross_entropy(x, weight, torch.tensor([0, 2]))
    tensor(1.0986)
    """
def local_response_norm(input: Tensor, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> Tensor:
    """x / (k + alpha * mean of x ** 2 over `size` neighbouring channels) ** beta.

    Krizhevsky et al., 2012.

    >>> x = torch.ones(1, 3, 1)
    >>> F.local_response_norm(x, size=3, alpha=1.0, beta=1.0)
    tensor([[[0.6000],
             [0.5000],
             [0.6000]]])
    """
def log_softmax(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

    Without `dim` one is chosen, with a warning: 0 for 0, 1 or 3 dimensions, else 1.

    >>> F.log_softmax(torch.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the sigmoid: `y = log(1 / (1 + exp(-x)))`, without overflow.

    >>> F.logsigmoid(torch.tensor([0.0, 2.0, -200.0]))
    tensor([-6.9315e-01, -1.2693e-01, -2.0000e+02])
    """
def lp_pool1d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last dimension, p = `norm_type`.

    `input` (N, C, L) or (C, L); `stride` is the kernel's size by default; `ceil_mode`: also windows
    that hang over the edge. p = 1 gives the sum.

    >>> x = torch.tensor([[[3.0, 4.0, 6.0, 8.0]]])
    >>> F.lp_pool1d(x, 2, kernel_size=2)
    tensor([[[ 5., 10.]]])
    """
def lp_pool2d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last two dimensions, p = `norm_type`.

    `input` (N, C, H, W) or (C, H, W); `stride` is the kernel's size by default;
    `ceil_mode`: also windows that hang over the edge.

    >>> x = torch.tensor([[[[1.0, 1.0], [1.0, 1.0]]]])
    >>> F.lp_pool2d(x, 2, kernel_size=2)
    tensor([[[[2.]]]])
    """
def lp_pool3d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last three dimensions, p = `norm_type`.

    `input` (N, C, D, H, W) or (C, D, H, W); `stride` is the kernel's size by default;
    `ceil_mode`: also windows that hang over the edge.

    >>> x = torch.ones(1, 1, 1, 2, 2)
    >>> F.lp_pool3d(x, 2, kernel_size=(1, 2, 2))
    tensor([[[[[2.]]]]])
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, -t (x1 - x2) + margin), reduced; t is 1 where x1 should be the larger, -1 where x2.

    >>> x1, x2 = torch.tensor([1.0, 1.0]), torch.tensor([3.0, 0.0])
    >>> F.margin_ranking_loss(x1, x2, torch.tensor([1.0, 1.0]), reduction="none")
    tensor([2., 0.])
    """
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.max_pool1d(x, 2).flatten()
    tensor([1., 3.])
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool1d` with `return_indices=True`: (maxima, where they stood).

    >>> y, indices = F.max_pool1d_with_indices(torch.arange(4.0).reshape(1, 1, 4), 4)
    >>> y.flatten(), indices.flatten()
    (tensor([3.]), tensor([3]))
    """
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 2 dimension(s).

    Args:
        input: (N, C, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 4)
    >>> F.max_pool2d(x, 2).flatten()
    tensor([5., 7.])
    """
def max_pool2d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool2d` with `return_indices=True`: (maxima, where they stood).

    >>> y, indices = F.max_pool2d_with_indices(torch.arange(16.0).reshape(1, 1, 4, 4), 4)
    >>> y.flatten(), indices.flatten()
    (tensor([15.]), tensor([15]))
    """
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 3 dimension(s).

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(16.0).reshape(1, 1, 2, 2, 4)
    >>> F.max_pool3d(x, 2).flatten()
    tensor([13., 15.])
    """
def max_pool3d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool3d` with `return_indices=True`: (maxima, where they stood).

    >>> y, indices = F.max_pool3d_with_indices(torch.arange(64.0).reshape(1, 1, 4, 4, 4), 4)
    >>> y.flatten(), indices.flatten()
    (tensor([63.]), tensor([63]))
    """
def max_unpool1d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool1d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.

    >>> x = torch.arange(2.0).reshape(1, 1, 2)
    >>> y, indices = F.max_pool1d(x, 2, return_indices=True)
    >>> F.max_unpool1d(y, indices, 2).flatten()
    tensor([0., 1.])
    """
def max_unpool2d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool2d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.

    >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
    >>> y, indices = F.max_pool2d(x, 2, return_indices=True)
    >>> F.max_unpool2d(y, indices, 2).flatten()
    tensor([0., 0., 0., 3.])
    """
def max_unpool3d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool3d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
    >>> y, indices = F.max_pool3d(x, 2, return_indices=True)
    >>> F.max_unpool3d(y, indices, 2).flatten()
    tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """`y = x * tanh(log(1 + exp(x)))`. Misra, 2019, arXiv:1908.08681.

    inplace: write the result into input; False by default.

    >>> F.mish(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """
def mse_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """(x - t)**2, reduced; with `weight` the mean is divided by the sum of the weights.

    `reduction` is "mean", "sum" or "none" (the result has the shape of the operands). Operands of
    different shapes broadcast, with a warning.

    >>> x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
    >>> F.mse_loss(x, t)
    tensor(2.)
    >>> F.mse_loss(x, t, reduction="none")
    tensor([0., 4.])
    """
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor | Number, embed_dim_to_check: _int, num_heads: _int, in_proj_weight: Tensor, in_proj_bias: Tensor, bias_k: Tensor, bias_v: Tensor, add_zero_attn: _bool, dropout_p: _float, out_proj_weight: Tensor, out_proj_bias: Tensor, training: _bool = True, key_padding_mask: Tensor | None = None, need_weights: _bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: _bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: _bool = True, is_causal: _bool = False) -> builtins.tuple[Tensor, ...]:
    """The forward of `nn.MultiheadAttention` as a function of its parameters.

    Args:
        query: (L, N, E) or (L, E). key, value: (S, N, E) or (S, E).
        key_padding_mask: (N, S): True (or -inf) for keys that nobody looks at.
        attn_mask: (L, S) or (N * heads, L, S): True (or -inf) for what may not be looked at.
        embed_dim_to_check: E, which the query must have.
        in_proj_weight, in_proj_bias: (3 E, E) and (3 E,) or None: query, key, value in this order;
            with `use_separate_proj_weight` `q_proj_weight`, `k_proj_weight`, `v_proj_weight`
            instead, so that keys and values may have other sizes.
        bias_k, bias_v: (1, 1, E) or None: one more key and value, learned.
        add_zero_attn: one more key and value, of zeros.
        dropout_p: probability with which a weight is dropped, when `training`.
        out_proj_weight, out_proj_bias: of the linear layer at the end.
        need_weights, average_attn_weights: whether the weights are returned, as a mean over heads.
        static_k, static_v: (N * heads, S, E / heads), used instead of projected keys and values.
        is_causal: a hint that `attn_mask`, which must be given, is the causal one.

    Returns the result (L, N, E), and the weights (N, L, S) (or (N, heads, L, S) when they are
    not averaged; None when not needed).

    >>> x = torch.randn(3, 2, 4)  # 3 places, a batch of 2, 4 numbers each
    >>> m = nn.MultiheadAttention(4, num_heads=2)
    >>> out, weights = F.multi_head_attention_forward(
    ...     x, x, x, 4, 2, m.in_proj_weight, m.in_proj_bias, None, None, False, 0.0,
    ...     m.out_proj.weight, m.out_proj.bias,
    ... )
    >>> out.shape, weights.shape
    (torch.Size([3, 2, 4]), torch.Size([2, 3, 3]))
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: _int = 1, margin: _float = 1.0, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """sum over classes i != t of max(0, margin - x[t] + x[i])**p / C, times weight[t].

    `input` (N, C) or (C,), `target` (N,) or (), class indices; `p` is 1 or 2, `weight` (C,).

    >>> x = torch.tensor([[0.1, 0.2, 0.9]])
    >>> F.multi_margin_loss(x, torch.tensor([2]))
    tensor(0.1667)
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """sum over targets j and classes i that are none of max(0, 1 - x[t[j]] + x[i]) / C.

    `input` and `target` (N, C) or (C,). A row of `target` lists class indices up to the first -1.

    >>> x = torch.tensor([[0.1, 0.2, 0.9]])
    >>> F.multilabel_margin_loss(x, torch.tensor([[2, -1, 0]]))
    tensor(0.1667)
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """`binary_cross_entropy_with_logits`, averaged over the classes (the last dimension).

    `input` and `target` (N, C) or (C,), targets 0 or 1; `weight` (C,).

    >>> x, t = torch.tensor([[0.0, 2.0]]), torch.tensor([[1.0, 0.0]])
    >>> F.multilabel_soft_margin_loss(x, t)
    tensor(1.4100)
    """
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    `input` (N, C, *), C a multiple of `groups`. Zhang et al., ShuffleNet, 2018.

    >>> x = torch.arange(6).reshape(1, 6, 1)
    >>> F.channel_shuffle(x, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-w[t] x[t] for log-probabilities x and class indices t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...). target: (), (N) or (N, d1, ...), indices.
        weight: (C), a factor for each class; the mean is divided by the sum of the factors.
        ignore_index: a target that does not count.

    >>> F.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """
def normalize(input: Tensor, p: _float = 2.0, dim: _int = 1, eps: _float = 1e-12, out: Tensor | None = None) -> Tensor:
    """x / max(norm(x), eps): vectors of length 1, by the p-norm over `dim` (one, or several).

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> F.normalize(x)
    tensor([[0.6000, 0.8000]])
    >>> F.normalize(x, p=1)
    tensor([[0.4286, 0.5714]])
    """
def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """1 at each index, 0 elsewhere: (*) -> (*, num_classes), int64.

    >>> F.one_hot(torch.tensor([1, 0]))
    tensor([[0, 1],
            [1, 0]])
    """
def pad(input: Tensor, pad: _int | Sequence[_int], mode: _str = 'constant', value: _float | None = None) -> Tensor:
    """Pad the last dimensions of `input`.

    Args:
        pad: (left, right) of the last dimension, then of the one before, and so on. Negative
            numbers crop.
        mode: "constant" (any number of dimensions), "reflect" (mirrored, the edge not repeated),
            "replicate" (the edge repeated) or "circular" (wrapped around).
        value: of the frame, for "constant".

    >>> F.pad(torch.tensor([1., 2., 3.]), (1, 2))
    tensor([0., 1., 2., 3., 0., 0.])
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """|x1 - x2 + eps| in the p-norm of the last dimension: (*, D) gives (*), with `keepdim` (*, 1).

    `eps` keeps the gradient finite where both are equal.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.pairwise_distance(x, torch.zeros(1, 2))
    tensor([5.0000])
    """
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows of a matrix (n, m): a vector (n * (n - 1) /
    2,).

    In the order (0, 1), (0, 2), ..., (1, 2), ...; `cdist(x, x)` has them all as a matrix.

    >>> x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> torch.pdist(x)
    tensor([5.0000, 1.0000, 4.2426])
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels to positions: (*, C r ** 2, H, W) to (*, C, H r, W r).

    y[c, h r + i, w r + j] = x[c r ** 2 + i r + j, h, w]. RuntimeError if the channels are no
    multiple of r ** 2. Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.

    >>> x = torch.arange(4.0).reshape(1, 4, 1, 1)
    >>> F.pixel_shuffle(x, 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Positions to channels: (*, C, H r, W r) to (*, C r ** 2, H, W); the opposite of
    `pixel_shuffle`.

    RuntimeError if height or width are no multiple of r.

    >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
    >>> F.pixel_unshuffle(x, 2).flatten()
    tensor([0., 1., 2., 3.])
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = 1e-08, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """exp(x) - t x (or x - t log(x + eps) without `log_input`): Poisson counts t.

    `full` adds Stirling's approximation of log(t!) where t > 1.

    >>> F.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 3.0]), reduction="none")
    tensor([ 1.0000, -0.2817])
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """A leaky rectifier whose slope is learnt: `y = x` where x > 0, else `weight * x`.

    input (N, C, *) and weight (C,), or (1,) for one slope for all; both of one type. RuntimeError
    where their numbers of channels differ. He et al., 2015, arXiv:1502.01852.

    >>> F.prelu(torch.tensor([[-1.0, -1.0, 3.0]]), torch.tensor([0.25, 0.5, 0.5]))
    tensor([[-0.2500, -0.5000,  3.0000]])
    """
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """The rectifier: `y = max(x, 0)`.

    inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
    at 0 is 0. Not for bools and complex numbers.

    >>> torch.relu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """A rectifier with a ceiling: `y = min(max(x, 0), 6)`.

    inplace: write the result into input; False by default.

    >>> F.relu6(torch.tensor([-1.0, 3.0, 8.0]))
    tensor([0., 3., 6.])
    """
def relu_(input: Tensor) -> Tensor:
    """In place: the rectifier: `y = max(x, 0)`.

    inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
    at 0 is 0. Not for bools and complex numbers.

    >>> torch.tensor([-1.0, 0.0, 2.0]).relu_()
    tensor([0., 0., 2.])
    """
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions, those of `normalized_shape`.

    `eps` is the machine epsilon of the type when None. Zhang and Sennrich, 2019.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.rms_norm(x, (2,))
    tensor([[0.8485, 1.1314]])
    """
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, inplace: _bool = False, generator: Generator | None = None) -> Tensor:
    """A leaky rectifier whose slope is random: `y = x` where x > 0, else `a * x`.

    training: True draws a from [lower, upper] for each element; False, the default, takes their
    mean. lower: 1/8 by default; upper: 1/3. inplace: write the result into input. Xu et al., 2015,
    arXiv:1505.00853.

    >>> F.rrelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2292,  2.0000])
    >>> F.rrelu(torch.full((5,), -1.0), training=True).mean() < 0
    tensor(True)
    """
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`rrelu` in place: negative elements times a random slope, or the mean slope outside training.

    >>> x = torch.tensor([-1.0, 2.0])
    >>> F.rrelu_(x, lower=0.1, upper=0.3)
    tensor([-0.2000,  2.0000])
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor | Number, attn_mask: Tensor | None = None, dropout_p: _float = 0.0, is_causal: _bool = False, scale: _float | None = None, enable_gqa: _bool = False) -> Tensor:
    """softmax(query key^T * scale + mask) value.

    Args:
        query: (..., L, E). key: (..., S, E). value: (..., S, V). Returns (..., L, V).
        attn_mask: broadcast to (..., L, S): bool (True: may be looked at) or added to the scores.
        dropout_p: probability with which a weight is dropped, always.
        is_causal: position i sees positions up to i.
        scale: 1 / sqrt(E) when None.
        enable_gqa: the heads (dimension -3) of key and value serve several of query each.

    A row that may look at nothing is 0.

    >>> q, k, v = torch.tensor([[1.0, 0.0]]), torch.eye(2), torch.tensor([[10.0], [20.0]])
    >>> F.scaled_dot_product_attention(q, k, v)
    tensor([[13.3024]])
    >>> F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor([[False, True]]))
    tensor([[20.]])
    """
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """The self-normalising elu: `y = scale * x` where x > 0, else `scale * alpha * (exp(x) - 1)`,
    with scale = 1.0507 and alpha = 1.6733.

    With weights as of `nn.init.kaiming_normal_(w, nonlinearity="linear")` activations keep mean 0
    and variance 1. Klambauer et al., 2017, arXiv:1706.02515.

    >>> F.selu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
def selu_(input: Tensor) -> Tensor:
    """In place: the self-normalising elu: `y = scale * x` where x > 0, else `scale * alpha * (exp(x) - 1)`,
    with scale = 1.0507 and alpha = 1.6733.

    With weights as of `nn.init.kaiming_normal_(w, nonlinearity="linear")` activations keep mean 0
    and variance 1. Klambauer et al., 2017, arXiv:1706.02515.

    >>> F.selu_(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

    Integers and bools give the default float type. For a loss use
    `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192])
    """
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`.

    inplace: write the result into input; False by default. Elfwing et al., 2017, arXiv:1702.03118.

    >>> F.silu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = 1.0) -> Tensor:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2; reduced.

    With `beta=0` it is `l1_loss`. Girshick, 2015, arXiv:1504.08083.

    >>> x, t = torch.tensor([0.0, 0.0]), torch.tensor([0.5, 3.0])
    >>> F.smooth_l1_loss(x, t, reduction="none")
    tensor([0.1250, 2.5000])
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """log(1 + exp(-t x)) for targets 1 and -1 in the input's shape, reduced.

    >>> F.soft_margin_loss(torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0]), reduction="none")
    tensor([0.6931, 2.1269])
    """
def softmax(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> F.softmax(torch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
def softmin(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """softmax(-x) along `dim`: the smallest number gets the largest share.

    >>> F.softmin(torch.tensor([0.0, 1.0]), dim=0)
    tensor([0.7311, 0.2689])
    """
def softplus(input: Tensor, beta: Number = 1.0, threshold: Tensor | Number = 20.0) -> Tensor:
    """A smooth rectifier: `y = log(1 + exp(beta * x)) / beta`.

    beta: how sharp it bends; 1 by default. threshold: where `beta * x` is above it, y is x; 20 by
    default.

    >>> F.softplus(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """Each element, moved towards 0 by lambd: `y = x - lambd` where x > lambd, `x + lambd` where x
    < -lambd, else 0.

    lambd: 0.5 by default; RuntimeError where it is negative.

    >>> F.softshrink(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
def softsign(input: Tensor) -> Tensor:
    """`y = x / (1 + |x|)`, between -1 and 1.

    >>> F.softsign(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

    Its derivative, `1 - y * y`, vanishes for large |x|.

    >>> torch.tanh(torch.tensor([0.0, 0.5, -20.0]))
    tensor([ 0.0000,  0.4621, -1.0000])
    """
def tanhshrink(input: Tensor) -> Tensor:
    """`y = x - tanh(x)`.

    >>> F.tanhshrink(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """
def threshold(input: Tensor, threshold: Tensor | Number, value: Tensor | Number, inplace: _bool = False) -> Tensor:
    """`y = x` where x > threshold, else `value`. Both are numbers of the type of x: -1 is 255 in
    uint8.

    >>> F.threshold(torch.tensor([-1.0, 0.5, 2.0]), threshold=1.0, value=-5.0)
    tensor([-5., -5.,  2.])
    """
def threshold_(input: Tensor, threshold: Tensor | Number, value: Tensor | Number) -> Tensor:
    """In place: `y = x` where x > threshold, else `value`. Both are numbers of the type of x: -1 is 255 in
    uint8.

    >>> F.threshold_(torch.tensor([-1.0, 0.5, 2.0]), threshold=1.0, value=-5.0)
    tensor([-5., -5.,  2.])
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = 1.0, p: _float = 2, eps: _float = 1e-06, swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, |a - p| - |a - n| + margin); `swap` takes |p - n| where it is smaller than |a - n|.

    All (N, D) or (D,); `p` is the norm's, `eps` is added to differences. Balntas et al., 2016,
    BMVC.

    >>> a, pos, neg = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[1.5]])
    >>> F.triplet_margin_loss(a, pos, neg)
    tensor(0.5000)
    """
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: _float = 1.0, swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """`triplet_margin_loss` with a distance of one's own, `pairwise_distance` by default.

    >>> a, pos, neg = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[1.5]])
    >>> F.triplet_margin_with_distance_loss(
    ...     a, pos, neg, distance_function=lambda x, y: (x - y).square().sum(-1)
    ... )
    tensor(0.)
    """
def unfold(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1) -> Tensor:
    """Sliding windows of images (N, C, H, W) as columns (N, C * kh * kw, L); also unbatched.

    >>> F.unfold(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 9])
    """
def upsample(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None, mode: _str = 'nearest', align_corners: _bool | None = None) -> Tensor:
    """The old name of `interpolate`; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
def upsample_bilinear(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None) -> Tensor:
    """`interpolate` with mode="bilinear" and align_corners=True; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_bilinear(torch.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
def upsample_nearest(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None) -> Tensor:
    """`interpolate` with mode="nearest"; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_nearest(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """

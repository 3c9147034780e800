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
    """
def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 2 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 3 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 1 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, L), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool1d` with `return_indices=True`."""
def adaptive_max_pool2d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 2 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool2d` with `return_indices=True`."""
def adaptive_max_pool3d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """Maxima over the last 3 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`adaptive_max_pool3d` with `return_indices=True`."""
def affine_grid(theta: Tensor, size: _int | Sequence[_int], align_corners: _bool | None = None) -> Tensor:
    """A grid for `grid_sample` that moves an image of `size` by the matrices `theta`.

    Args:
        theta: (N, 2, 3) for images, (N, 3, 4) for volumes.
        size: (N, C, H, W) or (N, C, D, H, W) of the result.
    """
def alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Dropout for SELU networks, which keeps mean and variance. Klambauer, arXiv:1706.02515."""
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
    """
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W_k x2 + b_k for each output k; weight (out, in1, in2)."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-(t log x + (1 - t) log(1 - x)) for probabilities x; the logarithms are not below -100."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """`binary_cross_entropy` of sigmoid(x), without overflow.

    Args:
        input: any shape. target: the same shape, values in [0, 1].
        weight: factor of each loss. pos_weight: factor of the positive part, one a class.
    """
def celu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). Barron, 2017, arXiv:1704.07483."""
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). Barron, 2017, arXiv:1704.07483."""
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    Zhang et al., ShuffleNet, 2018.
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

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5), torch.ones(4, 3, 3)
    >>> tuple(torch.nn.functional.conv1d(x, w, padding=1).shape)
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

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3)
    >>> tuple(torch.nn.functional.conv2d(x, w, padding=1).shape)
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

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(4, 3, 3, 3, 3)
    >>> tuple(torch.nn.functional.conv3d(x, w, padding=1).shape)
    (2, 4, 5, 5, 5)
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """1-d convolution of input (T, B, C) with weight (k, C, O): (T', B, O)."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 1 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (C, O / groups, k).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.
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
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1.

    Args:
        input1, input2: (N, D) or (D). target: (N) or ().
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`.

    >>> import rushlight as torch
    >>> torch.cosine_similarity(torch.tensor([[1., 0.]]), torch.tensor([[2., 0.]]))
    tensor([1.])
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = 0.0) -> Tensor:
    """-log softmax(x)[t]: from scores x, and class indices or class probabilities t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...), unnormalised.
        target: class indices () , (N) or (N, d1, ...), or probabilities in the input's shape.
        weight: (C), a factor for each class.
        ignore_index: a class index that does not count.
        label_smoothing: the part of the target that is spread evenly over the classes.

    >>> import rushlight as torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
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
    """
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Each element is 0 with probability p, else multiplied by 1 / (1 - p); only in training.

    >>> import rushlight as torch
    >>> torch.nn.functional.dropout(torch.ones(2), training=False)
    tensor([1., 1.])
    """
def dropout1d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L)."""
def dropout2d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, H, W). Tompson et al., 2014, arXiv:1411.4280."""
def dropout3d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
def elu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """x where x > 0, else alpha * (exp(x) - 1). Clevert et al., 2015, arXiv:1511.07289."""
def elu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: x where x > 0, else alpha * (exp(x) - 1). Clevert et al., 2015, arXiv:1511.07289."""
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

    >>> import rushlight as torch
    >>> torch.nn.functional.embedding(torch.tensor([1]), torch.eye(2))
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
    """
def feature_alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
def fold(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1) -> Tensor:
    """Columns (N, C * kh * kw, L) added up into images (N, C, *output_size); also unbatched.

    Windows that overlap are summed, so `fold(unfold(x))` is x times the number of windows over it.
    """
def fractional_max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Number | Sequence[_float] | None = None, return_indices: _bool = False) -> Tensor:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Graham, Fractional Max-Pooling, 2014.
    """
def fractional_max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Number | Sequence[_float] | None = None, return_indices: _bool = False) -> Tensor:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Graham, Fractional Max-Pooling, 2014.
    """
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: _bool = False, eps: _float = 1e-06, reduction: _str = 'mean') -> Tensor:
    """(log v + (x - t)**2 / v) / 2 with v = max(var, eps); `full` adds log(2 pi) / 2.

    `var` has the input's shape, one dimension less, or 1 in one dimension; or it is a number.
    """
def gelu(input: Tensor, *, approximate: _str = 'none') -> Tensor:
    """x times the normal distribution function of x (or its tanh approximation).

    Hendrycks and Gimpel, 2016, arXiv:1606.08415.
    """
def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """First half of the dimension times the sigmoid of the second half.

    Dauphin et al., 2016, arXiv:1612.08083.
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
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
    """Normalise `num_groups` groups of channels of each sample.

    Args:
        input: (N, C, *), C divisible by `num_groups`.
        weight, bias: (C,) or None.

    Wu and He, Group Normalization, 2018.
    """
def gumbel_softmax(logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; `hard` makes it one-hot, with the same gradient.

    softmax((logits + n) / tau), where n = -log(e) and e is exponentially distributed.
    Jang et al., 2016, arXiv:1611.01144.
    """
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x where |x| > lambd, else 0; of narrow types lambd is rounded as the elements are."""
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """x * hardsigmoid(x). Howard, 2019, arXiv:1905.02244."""
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: _bool = False) -> Tensor:
    """x, held between min_val and max_val."""
def hardtanh_(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    """In place: x, held between min_val and max_val."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """x where the target is 1, max(0, margin - x) where it is -1."""
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = 1.0, weight: Tensor | None = None) -> Tensor:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2); reduced."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
    """Normalise each channel of each sample over its positions.

    Args:
        input: (N, C, *).
        running_mean, running_var: (C,) or None; updated in place with the mean over the batch.
        use_input_stats: False normalises by the running statistics instead.

    Ulyanov et al., Instance Normalization, 2016.
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

    >>> import rushlight as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
def kl_div(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """t (log t - x) for log-probabilities x: the Kullback-Leibler divergence when summed.

    Args:
        reduction: 'batchmean' divides the sum by the batch size: the definition.
        log_target: the target holds log-probabilities too.
    """
def l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """|x - t|, reduced; with `weight` the mean is divided by the sum of the weights."""
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
    """Normalise over the last dimensions, those of `normalized_shape`.

    y = (x - mean) / sqrt(var + eps) * weight + bias, weight and bias of shape `normalized_shape`.

    Raises RuntimeError when the input does not end in `normalized_shape`.

    Ba, Kiros and Hinton, Layer Normalization, 2016.
    """
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: _bool = False) -> Tensor:
    """x where x > 0, else negative_slope * x."""
def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """In place: x where x > 0, else negative_slope * x."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias over the last dim; weight (out, in), bias (out)."""
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _float = 0.0, options: Any = None) -> Tensor:
    """`cross_entropy` of a linear layer's scores.

    Args:
        input: (F) or (N, F). linear_weight: (C, ..., F). linear_bias: (C, ...).
        options: accepted; the scores are computed at once.
    """
def local_response_norm(input: Tensor, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> Tensor:
    """x / (k + alpha * mean of x ** 2 over `size` neighbouring channels) ** beta.

    Krizhevsky et al., 2012.
    """
def log_softmax(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow."""
def logsigmoid(input: Tensor) -> Tensor:
    """log(1 / (1 + exp(-x))), without overflow."""
def lp_pool1d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last dimension, p = `norm_type`."""
def lp_pool2d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last two dimensions, p = `norm_type`."""
def lp_pool3d(input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over each window of the last three dimensions, p = `norm_type`."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, -t (x1 - x2) + margin)."""
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool1d` with `return_indices=True`."""
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 2 dimension(s).

    Args:
        input: (N, C, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def max_pool2d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool2d` with `return_indices=True`."""
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 3 dimension(s).

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def max_pool3d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool3d` with `return_indices=True`."""
def max_unpool1d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool1d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.
    """
def max_unpool2d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool2d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.
    """
def max_unpool3d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Put the maxima of a `max_pool3d` back where they were, and zeros elsewhere.

    Args:
        input, indices: as the pool returned them with `return_indices=True`.
        kernel_size, stride, padding: the pool's.
        output_size: the size that the pool had seen, where that is ambiguous.
    """
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """x * tanh(log(1 + exp(x))). Misra, 2019, arXiv:1908.08681."""
def mse_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """(x - t)**2, reduced; with `weight` the mean is divided by the sum of the weights.

    >>> import rushlight as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
    tensor(2.)
    """
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor | Number, embed_dim_to_check: _int, num_heads: _int, in_proj_weight: Tensor, in_proj_bias: Tensor, bias_k: Tensor, bias_v: Tensor, add_zero_attn: _bool, dropout_p: _float, out_proj_weight: Tensor, out_proj_bias: Tensor, training: _bool = True, key_padding_mask: Tensor | None = None, need_weights: _bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: _bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: _bool = True, is_causal: _bool = False) -> builtins.tuple[Tensor, ...]:
    """The forward of `nn.MultiheadAttention` as a function of its parameters.

    Args:
        query: (L, N, E) or (L, E). key, value: (S, N, E) or (S, E).
        key_padding_mask: (N, S): True (or -inf) for keys that nobody looks at.
        attn_mask: (L, S) or (N * heads, L, S): True (or -inf) for what may not be looked at.

    Returns the result (L, N, E), and the weights (N, L, S) (or (N, heads, L, S) when they are
    not averaged; None when not needed).
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: _int = 1, margin: _float = 1.0, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """sum over classes i != t of max(0, margin - x[t] + x[i])**p / C, times weight[t]."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """sum over targets j and classes i that are none of max(0, 1 - x[t[j]] + x[i]) / C.

    A row of `target` lists class indices up to the first -1.
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """`binary_cross_entropy_with_logits`, averaged over the classes (the last dimension)."""
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    Zhang et al., ShuffleNet, 2018.
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-w[t] x[t] for log-probabilities x and class indices t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...). target: (), (N) or (N, d1, ...), indices.
        weight: (C), a factor for each class; the mean is divided by the sum of the factors.
        ignore_index: a target that does not count.

    >>> import rushlight as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """
def normalize(input: Tensor, p: _float = 2.0, dim: _int = 1, eps: _float = 1e-12, out: Tensor | None = None) -> Tensor:
    """x / max(norm(x), eps), the p-norm over `dim`.

    >>> import rushlight as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """1 at each index, 0 elsewhere: (*) -> (*, num_classes), int64.

    >>> import rushlight as torch
    >>> torch.nn.functional.one_hot(torch.tensor([1, 0]))
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

    >>> import rushlight as torch
    >>> torch.nn.functional.pad(torch.tensor([1., 2., 3.]), (1, 2))
    tensor([0., 1., 2., 3., 0., 0.])
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """|x1 - x2 + eps| in the p-norm of the last dimension."""
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows, in the order (0, 1), (0, 2), ..., (1, 2),
    ...
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels to positions: (*, C r ** 2, H, W) to (*, C, H r, W r).

    Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Positions to channels: (*, C, H r, W r) to (*, C r ** 2, H, W)."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = 1e-08, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """exp(x) - t x (or x - t log(x + eps) without `log_input`): Poisson counts t.

    `full` adds Stirling's approximation of log(t!) where t > 1.
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight * x; one weight, or one for each channel (dimension 1).

    He et al., 2015, arXiv:1502.01852.
    """
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """max(x, 0).

    >>> import rushlight as torch
    >>> torch.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
def relu_(input: Tensor) -> Tensor:
    """In place: max(x, 0).

    >>> import rushlight as torch
    >>> torch.tensor([-1., 2.]).relu_()
    tensor([0., 2.])
    """
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions, those of `normalized_shape`.

    `eps` is the machine epsilon of the type when None. Zhang and Sennrich, 2019.
    """
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, inplace: _bool = False, generator: Generator | None = None) -> Tensor:
    """Leaky ReLU whose slope is drawn from [lower, upper] in training, else their mean.

    Xu et al., 2015, arXiv:1505.00853.
    """
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`rrelu` in place."""
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
    """
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """scale * (x where x > 0, else alpha * (exp(x) - 1)). Klambauer, 2017, arXiv:1706.02515."""
def selu_(input: Tensor) -> Tensor:
    """In place: scale * (x where x > 0, else alpha * (exp(x) - 1)). Klambauer, 2017, arXiv:1706.02515."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    >>> import rushlight as torch
    >>> torch.sigmoid(torch.tensor(0.))
    tensor(0.5000)
    """
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """x * sigmoid(x). Elfwing, 2017, arXiv:1702.03118."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = 1.0) -> Tensor:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2; reduced.

    Girshick, 2015, arXiv:1504.08083.
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """log(1 + exp(-t x)) for targets 1 and -1."""
def softmax(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> import rushlight as torch
    >>> torch.nn.functional.softmax(torch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
def softmin(input: Tensor, dim: _int | None = None, dtype: _dtype | None = None) -> Tensor:
    """softmax(-x) along `dim`."""
def softplus(input: Tensor, beta: Number = 1.0, threshold: Tensor | Number = 20.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """x - lambd where x > lambd, x + lambd where x < -lambd, else 0."""
def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
def threshold(input: Tensor, threshold: Tensor | Number, value: Tensor | Number, inplace: _bool = False) -> Tensor:
    """x where x > threshold, else value. Both are numbers of x's type: -1 is 255 in uint8."""
def threshold_(input: Tensor, threshold: Tensor | Number, value: Tensor | Number) -> Tensor:
    """In place: x where x > threshold, else value. Both are numbers of x's type: -1 is 255 in uint8."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = 1.0, p: _float = 2, eps: _float = 1e-06, swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, |a - p| - |a - n| + margin); `swap` takes |p - n| where it is smaller than |a - n|.

    Balntas et al., 2016, BMVC.
    """
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: _float = 1.0, swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
def unfold(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1) -> Tensor:
    """Sliding windows of images (N, C, H, W) as columns (N, C * kh * kw, L); also unbatched.

    >>> import rushlight as torch
    >>> torch.nn.functional.unfold(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 9])
    """
def upsample(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None, mode: _str = 'nearest', align_corners: _bool | None = None) -> Tensor:
    """The old name of `interpolate`."""
def upsample_bilinear(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None) -> Tensor:
    """`interpolate` with mode="bilinear" and align_corners=True."""
def upsample_nearest(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Number | Sequence[_float] | None = None) -> Tensor:
    """`interpolate` with mode="nearest"."""

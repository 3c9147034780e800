"""Memory formats, layouts and schemes of quantization: names that programs pass around."""

from __future__ import annotations


class _Name:
    """A named constant that prints as PyTorch's."""

    __slots__ = ("name",)
    __module__ = "rushlight"

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class memory_format(_Name):
    """How dimensions are laid out in memory.

    `torch.contiguous_format`: the last dimension is the closest. `torch.channels_last` and
    `torch.channels_last_3d`: channels are, in tensors of shape (N, C, H, W) and (N, C, D, H, W).
    `torch.preserve_format`: as in the tensor that is copied.

    >>> x = torch.zeros(1, 3, 4, 4).to(memory_format=torch.channels_last)
    >>> x.shape, x.stride(), isinstance(torch.channels_last, torch.memory_format)
    (torch.Size([1, 3, 4, 4]), (48, 1, 12, 3), True)
    """


class layout(_Name):
    """Dense (strided) or sparse storage."""


class qscheme(_Name):
    """How numbers are quantized: one scale or one a channel, an affine range or a symmetric one.

    >>> torch.ao.quantization.MinMaxObserver().qscheme, torch.per_channel_symmetric
    (torch.per_tensor_affine, torch.per_channel_symmetric)
    """


contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
preserve_format = memory_format("preserve_format")
strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")
per_tensor_affine = qscheme("per_tensor_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_affine = qscheme("per_channel_affine")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")

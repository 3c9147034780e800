"""Memory formats and layouts: names that programs pass around."""

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
    """How dimensions are laid out in memory."""


class layout(_Name):
    """Dense (strided) or sparse storage."""


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

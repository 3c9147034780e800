"""Tools for tests, the user's too: assert_close, make_tensor, gradcheck, and check_op for an op
record."""

from __future__ import annotations

from ..autograd.gradcheck import gradcheck, gradgradcheck
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor
from ._records import check_op

__all__ = [
    "assert_allclose",
    "assert_close",
    "check_op",
    "gradcheck",
    "gradgradcheck",
    "make_tensor",
]

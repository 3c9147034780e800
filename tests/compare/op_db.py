"""PyTorch's operator tables (`op_db`), which give samples of the operands of each operator.

Not a test file. Before they give samples they look for a unittest.TestCase in all frames of the
stack, and ask all modules where the text of each frame is: seven eighths of the time of a
comparison, for a name that no test here has. So they are told that there is none.
"""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo import core

__all__ = ["op_db"]

common_utils.extract_test_fn = core.extract_test_fn = lambda: None

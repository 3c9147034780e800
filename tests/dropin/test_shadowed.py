"""A module that a function of its package hides stays hidden, however it is imported."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import torch
from torch.autograd.gradcheck import gradcheck
import torch.autograd.gradcheck
assert torch.autograd.gradcheck is gradcheck
assert callable(torch.autograd.gradcheck)
"""


def test_gradcheck_stays_a_function() -> None:
    subprocess.run([sys.executable, "-m", "rushlight", "-c", PROGRAM], check=True)

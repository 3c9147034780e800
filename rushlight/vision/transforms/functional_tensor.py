"""Where torchvision kept its functions of tensors before 0.17; programs still import them here."""

from __future__ import annotations

from .functional import *  # noqa: F403 - the same functions under the same names

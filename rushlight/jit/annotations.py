"""The types that scripts are annotated with: Python's own, which programs import from here."""

from __future__ import annotations

from typing import Any as Any
from typing import Dict as Dict  # noqa: UP035 - the names that PyTorch has
from typing import List as List  # noqa: UP035
from typing import Optional as Optional
from typing import Tuple as Tuple  # noqa: UP035
from typing import Union as Union

from ..futures import Future as Future
from ..tensor import Tensor as Tensor
from . import Attribute as Attribute
from . import ignore as ignore

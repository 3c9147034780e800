"""Pillow, imported when an image is first needed: the package works without it."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import message


def pillow() -> Any:
    """The module `PIL.Image`; ImportError naming the extra when Pillow is missing."""
    try:
        import PIL.Image
    except ImportError as error:
        raise ImportError(
            message(
                "vision: this needs Pillow, which is not installed",
                hint="pip install 'rushlight[vision]'",
            )
        ) from error
    return PIL.Image


def is_pil(image: Any) -> bool:
    """Whether `image` is a Pillow image. Where Pillow was never imported, nothing is."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)

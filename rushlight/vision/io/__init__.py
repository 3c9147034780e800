"""Image files as tensors, and back. Read next: `image.py`. Videos are not read."""

from typing import Any

from . import image
from .image import (
    ImageReadMode,
    decode_avif,
    decode_gif,
    decode_heic,
    decode_image,
    decode_jpeg,
    decode_png,
    decode_webp,
    encode_jpeg,
    encode_png,
    read_file,
    read_image,
    write_file,
    write_jpeg,
    write_png,
)

__all__ = [
    "ImageReadMode",
    "decode_avif",
    "decode_gif",
    "decode_heic",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "encode_jpeg",
    "encode_png",
    "image",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module 'rushlight.vision.io' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torchvision.io.{name} is not there (yet)"
    )

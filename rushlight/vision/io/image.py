"""Image files as tensors (C, H, W), by Pillow: what is in the file, nothing rescaled.

Not here: transforms of what was read (`transforms/`), grids and drawing (`utils.py`).
"""

from __future__ import annotations

import io
import os
from enum import Enum
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import message
from ...tensor import Tensor
from .._pillow import pillow
from . import _png16

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
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]

Path = str | os.PathLike[str]


class ImageReadMode(Enum):
    """Which channels an image is read with; functions take the names as texts too."""

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4
    RGBA = RGB_ALPHA


Mode = ImageReadMode | str
_PLAIN = ImageReadMode.UNCHANGED

_ORIENTATION = 0x0112  # Exif's number of it

# By how a file begins: its format in Pillow's words.
_FORMATS = {b"\xff\xd8\xff": "JPEG", b"\x89PNG": "PNG", b"GIF8": "GIF", b"RIFF": "WEBP"}


# Bytes


def read_file(path: Path) -> Tensor:
    """The bytes of a file: uint8, of one dimension.

    Raises:
        RuntimeError: there is no such file, or it is empty.
    """
    try:
        raw = np.fromfile(path, np.uint8)
    except OSError as error:
        raise RuntimeError(
            message(f"[Errno {error.errno}] {error.strerror}: '{os.fspath(path)}'")
        ) from error
    if not raw.size:
        raise RuntimeError(message(f"Expected a non empty file: {os.fspath(path)}"))
    return Tensor._wrap(raw)


def write_file(filename: Path, data: Tensor) -> None:
    """Write bytes (uint8, of one dimension) to a file: all of them, or the file stays as it was."""
    if data.dtype is not dtypes.uint8:
        raise RuntimeError(f"Input tensor elements should be uint8, got {data.dtype}")
    if data.dim() != 1:
        raise RuntimeError(f"Input data should be 1-dimensional, got {data.dim()} dimensions")
    from ...serialization.atomic import replacing

    with replacing(filename) as file:
        file.write(np.ascontiguousarray(data.numpy()).data)


def _raw(data: Any) -> bytes:
    if not isinstance(data, Tensor):
        raise TypeError(f"Expected a tensor of bytes, got {type(data).__name__}")
    if data.dtype is not dtypes.uint8:
        raise RuntimeError(f"Expected a torch.uint8 tensor, got {data.dtype}")
    if data.dim() != 1 or not data.numel():
        raise RuntimeError(
            f"Expected a non empty 1-dimensional tensor, got shape {tuple(data.shape)}"
        )
    raw: bytes = data.numpy().tobytes()
    return raw


# Reading


def decode_image(
    input: Tensor | Path, mode: Mode = _PLAIN, apply_exif_orientation: bool = False
) -> Tensor:
    """An image file, or the bytes of one, as a tensor (C, H, W).

    Values are uint8, or uint16 for PNG files of 16 bits. An animated GIF gives (N, 3, H, W).

    Args:
        input: a path, or the bytes (uint8, of one dimension).
        mode: the channels wanted; UNCHANGED takes those of the file.
        apply_exif_orientation: turn the picture as the camera was held (JPEG and PNG).

    Raises:
        RuntimeError: no file, no image, a broken one, or a mode that its format does not have.

    >>> pixels = torch.arange(12, dtype=torch.uint8).reshape(3, 2, 2)
    >>> bool((decode_image(encode_png(pixels)) == pixels).all())
    True
    """
    data = input if isinstance(input, Tensor) else read_file(input)
    name = "" if isinstance(input, Tensor) else os.fspath(input)
    return _decode(_raw(data), mode, apply_exif_orientation, None, name)


def read_image(path: Path, mode: Mode = _PLAIN, apply_exif_orientation: bool = False) -> Tensor:
    """`decode_image` of a file."""
    return decode_image(path, mode, apply_exif_orientation)


def decode_png(input: Tensor, mode: Mode = _PLAIN, apply_exif_orientation: bool = False) -> Tensor:
    """The bytes of a PNG file as a tensor (C, H, W); uint16 where it has 16 bits.

    With UNCHANGED an image with a palette gives the numbers of its colours.
    """
    return _decode(_raw(input), mode, apply_exif_orientation, "PNG")


def decode_jpeg(
    input: Tensor | list[Tensor],
    mode: Mode = _PLAIN,
    device: Any = "cpu",
    apply_exif_orientation: bool = False,
) -> Any:
    """The bytes of a JPEG file, or of each of a list, as tensors (C, H, W)."""
    if isinstance(input, list):
        if not input:
            raise ValueError("Input list must contain at least one element")
        if not all(isinstance(t, Tensor) for t in input):
            raise ValueError("All elements of the input list must be tensors.")
        return [decode_jpeg(t, mode, device, apply_exif_orientation) for t in input]
    return _decode(_raw(input), mode, apply_exif_orientation, "JPEG").to(device)


def decode_gif(input: Tensor) -> Tensor:
    """The bytes of a GIF file as a tensor (3, H, W), or (N, 3, H, W) when it is animated."""
    return _decode(_raw(input), _PLAIN, False, "GIF")


def decode_webp(input: Tensor, mode: Mode = _PLAIN) -> Tensor:
    """The bytes of a WebP file as a tensor (3, H, W), or (4, H, W) with transparency."""
    return _decode(_raw(input), mode, False, "WEBP")


def decode_avif(input: Tensor, mode: Mode = _PLAIN) -> Tensor:
    """The bytes of an AVIF file as a tensor (3, H, W), or (4, H, W) with transparency."""
    return _decode(_raw(input), mode, False, "AVIF")


def decode_heic(input: Tensor, mode: Mode = _PLAIN) -> Tensor:
    """Raise: Pillow does not read HEIC."""
    raise RuntimeError(
        message(
            "decode_heic: HEIC images are not read",
            hint="converting the file to JPEG or PNG",
        )
    )


def _format(raw: bytes) -> str | None:
    for start, name in _FORMATS.items():
        if raw.startswith(start) and (name != "WEBP" or raw[8:12] == b"WEBP"):
            return name
    return "AVIF" if raw[4:12] in (b"ftypavif", b"ftypavis") else None


def _decode(raw: bytes, mode: Mode, exif: bool, wanted: str | None, name: str = "") -> Tensor:
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    Image = pillow()
    format = _format(raw)
    if format is None or wanted not in (None, format):
        raise RuntimeError(
            message(
                f"Content is not {wanted.lower()}!" if wanted else "Unsupported image file.",
                got=f"{name} {raw[:8]!r} ...".strip(),
                wanted=wanted or "the bytes of a JPEG, PNG, GIF, WebP or AVIF file",
            )
        )
    _check_mode(format, mode)
    try:
        if format == "GIF":
            return _frames(Image.open(io.BytesIO(raw), formats=[format]))
        with Image.open(io.BytesIO(raw), formats=[format]) as picture:
            found = _png16.header(raw)
            if found is not None and found[2] == 16 and found[3] != 0:
                array = _png16.decode(raw)
            else:
                if format == "JPEG" and mode is ImageReadMode.GRAY:
                    picture.draft("L", None)  # the decoder's own grey, without a detour over RGB
                array = _pixels(picture, mode)
            if exif and format in ("JPEG", "PNG"):
                array = _turned(array, picture.getexif().get(_ORIENTATION, 1))
            return _finish(array, mode)
    except (OSError, ValueError, SyntaxError, IndexError, Image.DecompressionBombError) as error:
        what = f"{name or 'the image'} cannot be decoded; it may be corrupted"
        raise RuntimeError(message(what, got=error)) from error


def _check_mode(format: str, mode: ImageReadMode) -> None:
    """JPEG has no transparency, and the others are read in colour."""
    grey = (ImageReadMode.GRAY, ImageReadMode.GRAY_ALPHA)
    refused: tuple[ImageReadMode, ...] = ()
    if format == "JPEG":
        refused = (ImageReadMode.GRAY_ALPHA, ImageReadMode.RGB_ALPHA)
    elif format in ("WEBP", "AVIF"):
        refused = grey
    if mode in refused:
        raise RuntimeError(
            message(
                f"The provided mode is not supported for {format} files",
                got=mode.name,
                wanted=" or ".join(m.name for m in ImageReadMode if m not in refused),
            )
        )


def _turned(array: np.ndarray, orientation: int) -> np.ndarray:
    """Undo an orientation of Exif: 2 to 8, mirrored and turned in all ways."""
    if orientation in (5, 6, 7, 8):
        array = array.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        array = array[:, ::-1]
    if orientation in (3, 4, 7, 8):
        array = array[::-1]
    return array


def _pixels(picture: Any, mode: ImageReadMode) -> np.ndarray:
    """(H, W) or (H, W, C), in the channels of the file."""
    if picture.mode == "P" and mode is not ImageReadMode.UNCHANGED:
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif picture.mode == "1":
        picture = picture.convert("L")
    elif picture.mode in ("CMYK", "YCCK") and mode is not ImageReadMode.UNCHANGED:
        picture = picture.convert("L" if mode is ImageReadMode.GRAY else "RGB")
    array = np.array(picture)
    return array.astype(np.uint16) if picture.mode.startswith("I") else array


def _frames(picture: Any) -> Tensor:
    with picture:
        frames = []
        for i in range(getattr(picture, "n_frames", 1)):
            picture.seek(i)
            frames.append(np.asarray(picture.convert("RGB")).transpose(2, 0, 1))
    return Tensor._wrap(np.stack(frames) if len(frames) > 1 else frames[0].copy())


def _finish(array: np.ndarray, mode: ImageReadMode) -> Tensor:
    """(H, W[, C]) as (C, H, W), with the channels that were asked for."""
    array = array[:, :, None] if array.ndim == 2 else array
    if mode is not ImageReadMode.UNCHANGED:
        channels = array.shape[2]
        colour, alpha = array, None
        if channels in (2, 4):
            colour, alpha = array[:, :, :-1], array[:, :, -1:]
        if mode in (ImageReadMode.GRAY, ImageReadMode.GRAY_ALPHA):
            colour = _grey(colour)
        elif colour.shape[2] == 1:
            colour = np.repeat(colour, 3, axis=2)
        if mode in (ImageReadMode.GRAY_ALPHA, ImageReadMode.RGB_ALPHA):
            if alpha is None:
                alpha = np.full((*colour.shape[:2], 1), np.iinfo(array.dtype).max, array.dtype)
            colour = np.concatenate([colour, alpha], axis=2)
        array = colour
    return Tensor._wrap(np.ascontiguousarray(array.transpose(2, 0, 1)))


def _grey(colour: np.ndarray) -> np.ndarray:
    """0.2989 red + 0.587 green + 0.114 blue, in the whole numbers of libpng."""
    if colour.shape[2] == 1:
        return colour
    weights = np.array([9794, 19234, 3740], np.uint32)
    half = 16384 if colour.dtype == np.uint16 else 0  # it rounds 16 bits, and cuts off 8
    mixed = ((colour.astype(np.uint32) @ weights + half) >> 15).astype(colour.dtype)
    same = (colour == colour[:, :, :1]).all(axis=2)
    return np.where(same, colour[:, :, 0], mixed)[:, :, None]


# Writing


def encode_png(input: Tensor, compression_level: int = 6) -> Tensor:
    """The bytes of a PNG file of an image (1, H, W) or (3, H, W) in uint8.

    Args:
        input: the image.
        compression_level: 0 (quick) to 9 (small).
    """
    if not 0 <= compression_level <= 9:
        raise RuntimeError(f"Compression level should be between 0 and 9, got {compression_level}")
    return _encode(input, "PNG", compress_level=compression_level)


def encode_jpeg(input: Tensor | list[Tensor], quality: int = 75) -> Any:
    """The bytes of a JPEG file of an image (1, H, W) or (3, H, W) in uint8, or of each of a list.

    Args:
        input: the image or images.
        quality: 1 (small) to 100 (good).
    """
    if not 1 <= quality <= 100:
        raise ValueError("Image quality should be a positive number between 1 and 100")
    if isinstance(input, list):
        if not input:
            raise ValueError("encode_jpeg requires at least one input tensor when a list is passed")
        return [encode_jpeg(image, quality) for image in input]
    return _encode(input, "JPEG", quality=quality)


def _encode(image: Tensor, format: str, **options: int) -> Tensor:
    if image.dtype is not dtypes.uint8:
        raise RuntimeError(f"Input tensor dtype should be uint8, got {image.dtype}")
    if image.dim() != 3:
        raise RuntimeError(f"Input data should be a 3-dimensional tensor, got {image.dim()}")
    if image.shape[0] not in (1, 3):
        raise RuntimeError(f"The number of channels should be 1 or 3, got: {image.shape[0]}")
    array = image.numpy()
    array = array[0] if len(array) == 1 else array.transpose(1, 2, 0)
    file = io.BytesIO()
    pillow().fromarray(np.ascontiguousarray(array)).save(file, format=format, **options)
    return Tensor._wrap(np.frombuffer(bytearray(file.getvalue()), np.uint8))


def write_png(input: Tensor, filename: Path, compression_level: int = 6) -> None:
    """`encode_png` into a file."""
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input: Tensor, filename: Path, quality: int = 75) -> None:
    """`encode_jpeg` into a file."""
    write_file(filename, encode_jpeg(input, quality))
